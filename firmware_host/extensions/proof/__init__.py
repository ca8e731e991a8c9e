"""The proof of a game's seals: every phone works out by itself that nobody knew or changed a placement."""

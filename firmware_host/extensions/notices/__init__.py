"""A notification of the phone when it is its player's turn."""

"""A look back: a phone alone steps through the moments of the game that is being played, and returns."""

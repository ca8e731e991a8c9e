"""A game as text: written for people and other programs, and read again (game-text.md)."""

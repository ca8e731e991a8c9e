"""Puzzles, whatever the game: where they are kept, how they are made, checked again, chosen for a day and shown."""

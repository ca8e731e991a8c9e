"""Puzzles: a position with exactly one right answer, solved on a phone or on the board (puzzles.md)."""

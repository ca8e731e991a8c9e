"""Solvers of our games' puzzles: the kinds of each, and who finds them by its fast methods."""

"""Positions that people set up by hand: played, looked into, made a puzzle of."""

"""Positions that people set up by hand: played, looked into."""

"""Stored games: the journal of all games, and records exported from it."""

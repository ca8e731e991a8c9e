"""Screens stay on: those in the room always, a phone in its player's turn."""

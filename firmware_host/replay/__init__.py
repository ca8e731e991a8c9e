"""Playback of recorded games, moment by moment."""

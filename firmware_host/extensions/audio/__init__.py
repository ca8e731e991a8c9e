"""Tones and speech: each phone and screen sounds and speaks by itself, once it is switched on there."""

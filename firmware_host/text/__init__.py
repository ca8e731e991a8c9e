"""Translatable sentences, refusals, and text that is safe for a terminal."""

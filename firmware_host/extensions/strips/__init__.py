"""Kinds of strips beside WS2812: three schemes (README.md)."""

"""Converters and port expanders that read sensors: four schemes (README.md)."""

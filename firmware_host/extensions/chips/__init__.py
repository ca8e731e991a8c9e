"""Multiplexers, a matrix, converters and port expanders that read sensors: six schemes (README.md)."""

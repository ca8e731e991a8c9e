"""Searching the resolution graph: what a phase can end in, at compiled speed where there is a compiler."""

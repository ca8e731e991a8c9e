"""Spokes: simultaneous sealed placement, then one player resolves pushes and pulls."""

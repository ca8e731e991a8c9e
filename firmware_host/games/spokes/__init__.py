"""Spokes: simultaneous sealed placement, then one player resolves pushes and pulls."""

from firmware_host.games.spokes.spokes import GAME

__all__ = ["COMPILED", "GAME"]

COMPILED = (
    "kernel.py",
    "search/seen.py",
    "search/packed.py",
    "search/explore.py",
    "search/loops.py",
    "search/configurations.py",
    "search/retreat.py",
    "search/approach.py",
    "player/graph.py",
    "player/packed_graph.py",
    "player/judge.py",
    "player/ends.py",
    "player/pairs.py",
)
"""What :mod:`firmware_host.compile` compiles."""

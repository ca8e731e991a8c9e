"""Spokes: simultaneous sealed placement, then one player resolves pushes and pulls."""

from firmware_host.games.spokes.spokes import GAME

__all__ = ["COMPILED", "GAME"]

COMPILED = (
    "flat.py",
    "search/store.py",
    "search/packed.py",
    "search/exclusions.py",
    "search/explore.py",
    "search/loops.py",
    "player/evaluator.py",
    "player/ends.py",
)
"""What :mod:`firmware_host.compile` compiles."""

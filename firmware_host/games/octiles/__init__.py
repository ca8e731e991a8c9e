"""Octiles: runners race across a board whose paths are built tile by tile."""

from firmware_host.games.octiles.octiles import GAME

__all__ = ["COMPILED", "GAME"]

COMPILED = ("flat.py", "player/lookahead.py")
"""What :mod:`firmware_host.compile` compiles."""

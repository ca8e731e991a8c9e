"""Phalanx: two armies of hoplites that move, grow and push on nine by nine points."""

from firmware_host.games.phalanx.phalanx import GAME

__all__ = ["COMPILED", "GAME"]

COMPILED = ("flat.py", "player/armies.py")
"""What :mod:`firmware_host.compile` compiles."""

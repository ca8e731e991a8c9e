"""Coil: both players put black stones in phase I; then Black must close a loop, and White must prevent it."""

from firmware_host.games.coil.coil import GAME

__all__ = ["COMPILED", "GAME"]

COMPILED = ("flat.py", "player/core.py")
"""What :mod:`firmware_host.compile` compiles."""

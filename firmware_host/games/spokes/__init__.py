"""Spokes: simultaneous sealed placement, then one player resolves pushes and pulls."""

from firmware_host.games.spokes.spokes import GAME

__all__ = ["GAME"]

"""Octiles: runners race across a board whose paths are laid tile by tile."""

from firmware_host.games.octiles.octiles import GAME

__all__ = ["GAME"]

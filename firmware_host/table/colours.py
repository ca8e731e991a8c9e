"""The colours of the seats' lights."""

from __future__ import annotations

from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.naming import tint
from firmware_host.table.dealing import SEED, starting

COLOUR_NAMES = dict(enumerate(("blue", "orange", "green", "pink", "yellow", "red", "violet", "white"), 1))
COLOURS = len(COLOUR_NAMES)
"""Number of colours for the seats' lights, numbered from 1 (docs/view.md)."""
SHINING = {"blue": 1, "yellow": 5, "red": 6, "green": 3}
"""Tints of pieces that can shine, and the nearest colour to each."""


def own_colours(game: Game[Any], mode: str) -> dict[int, int]:
    """Return the colours of seats whose pieces are named after a colour of light."""
    plays = game.plays(starting(game, mode, {SEED: 0}))
    named = {seat: SHINING.get(tint(game.pieces[piece])) for seat, piece in plays.items()}
    return {seat: colour for seat, colour in named.items() if colour is not None}

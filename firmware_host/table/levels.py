"""The level at which a computer plays a seat: the chosen one, and the level of the present game that it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.levels import Level, default_level, levels
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table.errors import TableError
from firmware_host.table.moments import Sitting
from firmware_host.text.words import say


def levels_of(game: Game[Any]) -> Sequence[Level]:
    """Return the levels at which computers play a game, the weakest first."""
    return levels(len(computer_player_of(game).strengths))


def level_of(game: Game[Any], sitting: Sitting) -> Level:
    """Return the level of a computer: the chosen one if the game has it, else the game's usual one."""
    known = levels_of(game)
    number = sitting.level or default_level(len(known))
    return known[min(number, len(known)) - 1]


def checked_level(game: Game[Any], level: int | None) -> int:
    """Return the number of a level, the usual one for None. Raise TableError if the game does not have the level."""
    count = len(levels_of(game))
    if level is None:
        return default_level(count)
    if not 1 <= level <= count:
        raise TableError("bad_level", say("level: expected 1 to {most}, got {level}", most=count, level=level))
    return level

"""A random game of Coil, by the fastest form that this machine has."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from random import Random
from typing import Protocol

from firmware_host.games.coil.draws import BLACK, CONTRACT, WHITE
from firmware_host.games.coil.position import Position
from firmware_host.games.coil.sets import Sets
from firmware_host.games.game import Status

_WORDS = find_spec("firmware_host.games.coil.words")
COMPILED = _WORDS is not None and not str(_WORDS.origin).endswith(".py")
"""Whether the form with machine words is compiled; uncompiled it would be slower than sets."""


class Player(Protocol):
    """Plays random games on a board of one size."""

    def play(self, black: int, white: int, begin: int, rng: Random) -> int:
        """Play from a position without a coil: see :meth:`firmware_host.games.coil.sets.Sets.play`."""


@cache
def player(size: int) -> Player:
    """Return the player of random games for a size."""
    if COMPILED:
        from firmware_host.games.coil.words import Words  # noqa: PLC0415 - needs librt

        return Words(size)
    return Sets(size)


ENDS = {
    seat: tuple(
        Status(over=True, reason=reason, winners=(winner,))
        for winner in (seat, 3 - seat)
        for reason in ("full", "coil")
    )
    for seat in (1, 2)
}
"""Seat to move → the status for each result of :meth:`Player.play`."""


def playout(position: Position, rng: Random) -> Status:
    """Play random legal actions to the end and return the status; ``position`` may be in any phase."""
    if position.ending is not None:
        return Status(over=True, reason=position.ending, winners=(position.winner,))
    seat, holder = position.seat, position.holder
    begin = CONTRACT if not holder else BLACK if seat == holder else WHITE
    return ENDS[seat][player(position.size).play(position.black, position.white, begin, rng)]

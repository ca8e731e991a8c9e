"""How a game has come to a position, for who searches it: a draw by repetition depends on what was before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.game import Game
from firmware_host.table.ledger import Moment

Move = tuple[tuple[int, str | None], ...]
"""What was done at once: each seat with its action; None where it resigned."""


def text_and_moves(game: Game[Any], moments: Sequence[Moment]) -> tuple[str, tuple[Move, ...]]:
    """Return the text of a position and the moves from it to the last moment; none where the last one's text tells all.

    Where something else has happened than actions and resignations, the text has to do.
    """
    position = moments[-1].position
    text = game.text(position)
    # Their forms are compared, not they themselves: equal positions may differ in what is known of them.
    if repr(game.parse(text)) == repr(position) or any(map(_is_more, moments[1:])):
        return text, ()
    return game.text(moments[0].position), tuple(map(_move, moments[1:]))


def _is_more(moment: Moment) -> bool:
    return moment.kind not in {"reveal", "action", "resign"}


def _move(moment: Moment) -> Move:
    if moment.kind == "resign":
        return ((moment.seat or 0, None),)
    return tuple(sorted(moment.actions.items()))

"""The positions beside the present one that quick or changing hands may mean: one step on, one step back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from firmware_host.games.game import Game, Step
from firmware_host.games.offers import HasStages
from firmware_host.table.tracker import Earlier

if TYPE_CHECKING:
    from firmware_host.table.table import Table

KEPT = 500


class StepsAhead:
    """The steps after a step, remembered: hands that hesitate ask for the same ones again and again."""

    def __init__(self, game: Game[Any]) -> None:
        """Know nothing yet."""
        self._game = game
        self._known: dict[tuple[Any, Sequence[str], str], tuple[Step, ...]] = {}

    def after(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        """Return the steps after a step, of whoever acts then; none where all act together, or stones go off first.

        ``done`` are the stages that lie before it.
        """
        key = (position, done, step.action)
        if key not in self._known:
            if len(self._known) > KEPT:
                self._known.clear()
            self._known[key] = self._look(position, done, step)
        return self._known[key]

    def _look(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        game = self._game
        if step.partial and isinstance(game, HasStages):
            return tuple(game.stage(position, (*done, step.action)))
        seat = game.actor(position)
        if seat is None or game.simultaneous(position):
            return ()
        after = game.apply(position, {seat: step.action})
        if after.status.over or after.removed or game.simultaneous(after.position):
            return ()
        following = after.position
        return tuple(game.stage(following, ()) if isinstance(game, HasStages) else game.steps(following))


def earlier(table: Table) -> Earlier | None:
    """Return the position before the last step while it may be taken back by hand."""
    ledger = table.ledger
    if len(ledger.moments) < 2 or ledger.now.kind not in {"action", "loop"} or ledger.over:
        return None
    if sealed_by_people(table):
        return None
    if table.is_computer(ledger.now.seat):
        return None
    before = ledger.moments[-2].position
    base = table.game.occupancy(before)
    if base == ledger.now.placed:
        return None  # It was only said: no hand can take it back.
    return Earlier(base, cache(partial(table.game.steps, before)))


def sealed_by_people(table: Table) -> bool:
    """Tell whether a person has sealed in this turn: then it has to be played.

    A computer seals at once. That seal becomes void when the last step is taken back, and the computer seals again.
    """
    sealing = table.ledger.round
    return sealing is not None and any(not table.is_computer(seat) for seat in sealing.commitments)

"""The positions beside the present one that quick or changing hands may mean: one step on, one step back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firmware_host.games.game import Game, Step
from firmware_host.table.tracker import Earlier

if TYPE_CHECKING:
    from firmware_host.table.table import Table

KEPT = 500


class StepsAhead:
    """The steps after a step, remembered: hands that hesitate ask for the same ones again and again."""

    def __init__(self, game: Game[Any]) -> None:
        """Know nothing yet."""
        self._game = game
        self._known: dict[tuple[Any, str], tuple[Step, ...]] = {}

    def after(self, position: Any, step: Step) -> tuple[Step, ...]:
        """Return the steps after a step, of the same seat in the same turn."""
        key = (position, step.action)
        if key not in self._known:
            if len(self._known) > KEPT:
                self._known.clear()
            self._known[key] = self._look(position, step)
        return self._known[key]

    def _look(self, position: Any, step: Step) -> tuple[Step, ...]:
        game = self._game
        seat = game.actor(position)
        if seat is None or game.simultaneous(position):
            return ()
        later = game.apply(position, {seat: step.action}).position
        return tuple(game.steps(later)) if not game.simultaneous(later) and game.actor(later) == seat else ()


def earlier(table: Table) -> Earlier | None:
    """Return the position before the last step while it may be taken back by hand."""
    ledger = table.ledger
    if len(ledger.moments) < 2 or ledger.now.kind not in {"action", "loop"} or ledger.over:
        return None
    if ledger.round is not None and ledger.round.commitments:
        return None
    if table.is_computer(ledger.now.seat):
        return None
    before = ledger.moments[-2].position
    return Earlier(table.game.occupancy(before), tuple(table.game.steps(before)))

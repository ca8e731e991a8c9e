"""The steps after the legal steps, which players may begin before a step has settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.game import Game, Step
from firmware_host.games.offers import offers_of

KEPT = 500


class NextStepCache:
    """A cache of the steps after a step: they are asked for repeatedly while hands hesitate."""

    def __init__(self, game: Game[Any]) -> None:
        """Know nothing yet."""
        self._game = game
        self._known: dict[tuple[Any, Sequence[str], str], tuple[Step, ...]] = {}

    def after(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        """Return the next actor's steps after a step; none where all act together, or where stones are removed first.

        ``done`` are the stages that lie before the step.
        """
        key = (position, done, step.action)
        if key not in self._known:
            if len(self._known) > KEPT:
                self._known.clear()
            self._known[key] = self._look(position, done, step)
        return self._known[key]

    def _look(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        game, staged = self._game, offers_of(self._game).stages
        if step.partial and staged:
            return tuple(staged.stage(position, (*done, step.action)))
        seat = game.actor(position)
        if seat is None or game.simultaneous(position):
            return ()
        after = game.apply(position, {seat: step.action})
        if after.status.over or after.removed or game.simultaneous(after.position):
            return ()
        following = after.position
        return tuple(staged.stage(following, ()) if staged else game.steps(following))

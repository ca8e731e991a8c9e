"""The steps after the legal steps, which players may begin before a step has settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.caching import cached
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, GameError, Step
from firmware_host.table.hypotheses import Done

MOST_STEPS = 20_000
"""Maximum number of steps that are kept: about 30 MB, and more than one moment of any game needs."""


class NextStepCache:
    """A cache of the steps after a step: they are asked for repeatedly while hands hesitate."""

    def __init__(self, game: Game[Any]) -> None:
        """Know nothing yet."""
        self._game = game
        self._known: dict[tuple[Any, Sequence[str], str], tuple[Step, ...]] = {}
        """The last ones used come last."""
        self._size = 0

    def after(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        """Return the next actor's steps after a step; none where all act together, or where stones are removed first.

        ``done`` are the stages that lie before the step.
        """
        key = (position, done, step.action)
        steps = self._known.pop(key, None)
        if steps is None:
            steps = self._look(position, done, step)
            self._size += 1 + len(steps)
        self._known[key] = steps
        while self._size > MOST_STEPS and len(self._known) > 1:
            self._size -= 1 + len(self._known.pop(next(iter(self._known))))
        return steps

    def _look(self, position: Any, done: Sequence[str], step: Step) -> tuple[Step, ...]:
        game, staged = self._game, capabilities_of(self._game).stages
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


def ending_of(game: Game[Any], position: Any, before: Any, done: Done) -> str:
    """Return what some actions end: ``game``, ``turn`` (others act next, all do, or pieces are cleared), or nothing.

    ``before`` is the position before the last action, to which ``done.undo`` goes back.
    """
    now, ends = before if done.undo else position, ""
    for action in done.actions:
        now, ends = _applied(game, now, action)
    return ends


@cached(64)
def _applied(game: Game[Any], position: Any, action: str) -> tuple[Any, str]:
    """Return the position after an action and what the action ends; a stage of an action ends nothing."""
    seat = game.actor(position)
    if seat is None or game.simultaneous(position):
        return position, ""
    try:
        done = game.apply(position, {seat: action})
    except GameError:
        return position, ""
    after = done.position
    if done.status.over:
        return after, "game"
    goes_on = not done.removed and not game.simultaneous(after) and game.actor(after) == seat
    return after, "" if goes_on and game.turn(after) == game.turn(position) else "turn"

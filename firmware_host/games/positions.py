"""Positions of any game: where a game begins, which steps come next stage by stage, what they leave and end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import BadPosition, Game, GameError, Occupancy, Step, bounded_cache
from firmware_host.text.words import join_sentences, say

SEED = "seed"
"""The start option that holds the seed of a shuffle."""
Seed = int | str
"""The seed of a deal: 32 lower-case hex digits, 128 bits; a number in older journals and records."""


def is_dealt(game: Game[Any]) -> bool:
    """Return whether a game begins with a shuffle, and so needs a seed."""
    options = capabilities_of(game).start_options
    return options is not None and SEED in options.start_options


def starting(game: Game[Any], mode: str, data: Mapping[str, Any]) -> Any:
    """Return the position in which a game begins: the given one, or the game's own.

    A shuffled game is dealt from the ``seed`` of the entry, or has ``lots``: then nothing of its stack is known yet.
    Raise BadPosition if the given position is not valid.
    """
    if data.get("given"):
        position = game.parse(data["position"])
        if position.mode != mode or game.status(position).over:
            raise BadPosition(say("position: expected one of mode {mode} that is not over", mode=mode))
        boards = capabilities_of(game).boards
        if boards is not None and not boards.on_board(position):
            raise BadPosition(say("position: expected one of the board that the table has"))
        return position
    options, stack = capabilities_of(game).start_options, capabilities_of(game).stack
    if "lots" in data:
        if stack is None:
            raise BadPosition(say("{game} has no stack whose order could be drawn by lot", game=game.title))
        return stack.start_by_lot(mode)
    if options and is_dealt(game):
        seed: Seed = data[SEED]
        return options.start_with(mode, {SEED: int(seed, 16) if isinstance(seed, str) else seed})
    return game.start(mode)


def next_steps(game: Game[Any], position: Any, done: Sequence[str] = ()) -> list[Step]:
    """Return the steps of the next stage; for a game without stages all legal steps."""
    return list(_next_steps(game, position, tuple(done)))


@bounded_cache(3)  # The stages of one position: each step of a full board has an occupancy of its own.
def _next_steps(game: Game[Any], position: Any, done: tuple[str, ...]) -> tuple[Step, ...]:
    staged = capabilities_of(game).stages
    return tuple(staged.stage(position, done) if staged else game.steps(position))


def occupancy_after(game: Game[Any], position: Any, done: Sequence[str]) -> Occupancy:
    """Return the occupancy once these stages are done."""
    staged = capabilities_of(game).stages
    return staged.board_after(position, done) if staged and done else game.occupancy(position)


@bounded_cache(16)
def whole(game: Game[Any], position: Any, action: str) -> Step | None:
    """Return the step of a whole action with all its stages; None if nothing has to be done."""
    # The action begins with the text of a stage that then lies: so not all whole actions are needed.
    staged = capabilities_of(game).stages
    if staged:
        for first in _next_steps(game, position, ()):
            if first.partial and action.startswith(first.action):
                for last in _next_steps(game, position, (first.action,)):
                    if last.action == action:
                        return replace(last, moves=(*first.moves, *last.moves))
        return next((step for step in game.steps(position) if step.action == action), None)
    return next((step for step in _next_steps(game, position, ()) if step.action == action), None)


@bounded_cache(64)
def position_after(game: Game[Any], position: Any, action: str) -> tuple[Any, str]:
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


def untidying(game: Game[Any], positions: Sequence[Any]) -> str | None:
    """Return where the tiles of taken-back actions belong, in words: the last action's first."""
    undone = reversed(list(pairwise(positions)))
    todo = [words for before, after in undone if (words := _untidying(game, before, after))]
    return join_sentences(todo, "; ") if todo else None


def _untidying(game: Game[Any], before: Any, after: Any) -> str | None:
    tiles = capabilities_of(game).tiles
    if tiles is None or tiles.supply(before).piece == tiles.supply(after).piece:
        return None
    was, now = game.occupancy(before), game.occupancy(after)
    covered = [
        say("{tile} lies in {well} again", tile=game.pieces[was[well][0]], well=well)
        for well in game.layout().wells
        if well in was and was[well] != now.get(well)
    ]
    back = say("tile {tile} goes back on top of the stack", tile=tiles.supply(before).piece)
    return join_sentences([back, *covered], "; ")


# -- what comes next ---------------------------------------------------------------------------------------------------


MAX_STEPS = 20_000
"""Maximum number of steps that are kept: about 30 MB, and more than one moment of any game needs."""


class NextStepCache:
    """A cache of the steps after a step: they are asked for repeatedly while hands hesitate."""

    def __init__(self, game: Game[Any]) -> None:
        """Know nothing yet."""
        self._game = game
        self._max_filled: int | None = getattr(game, "max_filled", None)
        self._known: dict[tuple[Any, Sequence[str], str], tuple[Step, ...]] = {}
        """The last ones used come last."""
        self._size = 0

    def after(
        self, position: Any, done: Sequence[str], step: Step, nodes: frozenset[str] = frozenset()
    ) -> Sequence[Step]:
        """Return the next actor's steps after a step that touch or clear all of some nodes.

        There are none where all act together, or where stones are removed first. ``done`` are the stages that lie
        before the step.
        """
        if self._max_filled is not None and len(nodes.difference(step.after)) > self._max_filled:
            return ()
        key = (position, done, step.action)
        steps = self._known.pop(key, None)
        if steps is None:
            steps = self._look(position, done, step)
            self._size += 1 + len(steps)
        self._known[key] = steps
        while self._size > MAX_STEPS and len(self._known) > 1:
            self._size -= 1 + len(self._known.pop(next(iter(self._known))))
        return [one for one in steps if nodes <= one.touches | one.removed]

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

"""Proves a puzzle again, with nothing but the rules: every action that is legal, applied and looked at.

No game's solver has a part in it. What a puzzle keeps of its proof (a reply to each wrong action) only says where to
look first: a reply that does not refute is found out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from firmware_host.extensions.puzzles.puzzle import (
    FORCE,
    GOES_ON,
    MOST,
    PREVENT,
    REACH,
    WHO,
    WIN,
    Claim,
    Puzzle,
    kinds_of,
)
from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, GameError

End = tuple[Any, tuple[str, ...]]
"""A position with which a turn ends, and the actions that lead there."""
KILLERS = 8
"""Ways that have reached the goal before, tried first."""


class WrongPuzzle(Exception):
    """What a puzzle claims is not so; the message says what, and of which puzzle."""


def check(game: Game[Any], puzzle: Puzzle) -> None:
    """Prove a puzzle. Raise WrongPuzzle for one that is wrong, or that has more than one best answer."""
    try:
        _Proof(game, puzzle).check()
    except (GameError, WrongPuzzle) as error:
        raise WrongPuzzle(f"puzzle {puzzle.id} of {puzzle.game}: {error}") from error


def look(game: Game[Any], position: Any) -> Hashable:
    """Return how a position looks: two ends of a turn that look the same are one end. Of tiles their lines count."""
    tiles = capabilities_of(game).tiles
    seen = []
    for node, stack in game.occupancy(position).items():
        shown: list[Hashable] = []
        for piece in stack:
            tile, _, turned = piece.partition("r")
            lines = tiles.tiles.get(tile) if tiles and turned else None
            eighths = int(turned) if lines else 0
            shown.append(
                frozenset(frozenset((edge + eighths) % 8 for edge in ends) for ends in lines) if lines else piece
            )
        seen.append((node, tuple(shown)))
    return game.status(position).over, frozenset(seen)


def turn_ends(game: Game[Any], position: Any, *, once: bool = False) -> Iterator[End]:
    """Yield the ends of the turn of the seat that acts; with ``once`` each way in which the board can look once."""
    seat, turn = game.actor(position) or 0, game.turn(position)
    seen: set[Hashable] = set()
    begun = {game.text(position)}
    queue: list[End] = [(position, ())] if seat else []
    for at, way in queue:
        for action in game.actions(at)[seat]:
            after = game.apply(at, {seat: action}).position
            longer = (*way, action)
            if turn_goes_on(game, after, seat, turn):
                text = game.text(after)
                if text not in begun:
                    begun.add(text)
                    queue.append((after, longer))
                continue
            # Without `once` only what saves work is left out: positions that several ways lead to.
            looks = look(game, after) if once else game.text(after) if len(longer) > 1 else longer
            if looks not in seen:
                seen.add(looks)
                yield after, longer


def turn_goes_on(game: Game[Any], position: Any, seat: int | None, turn: int) -> bool:
    """Tell whether a position still belongs to a seat's turn."""
    return (
        not game.status(position).over
        and game.actor(position) == seat
        and game.turn(position) == turn
        and not game.simultaneous(position)
    )


def score(game: Game[Any], position: Any, seat: int) -> int:
    """Return a seat's score, or that of its team."""
    return next(line.score for line in game.explain(position) if seat in line.seats)


class _Proof:
    """The proof of one puzzle; it remembers what was looked at."""

    def __init__(self, game: Game[Any], puzzle: Puzzle) -> None:
        self.game, self.puzzle = game, puzzle
        self.claim: Claim = kinds_of(game)[puzzle.kind].claim
        self.start = game.parse(puzzle.position)
        self.base = score(game, self.start, puzzle.seat)
        self.known: dict[tuple[str, int, int], bool] = {}
        self.killers: list[tuple[str, ...]] = []

    def check(self) -> None:
        puzzle, game = self.puzzle, self.game
        if game.simultaneous(self.start) or game.actor(self.start) != puzzle.seat:
            raise WrongPuzzle(f"seat {puzzle.seat} does not act in it")
        if self.claim.form == WHO:
            self._check_winner()
            return
        ends = list(turn_ends(game, self.start, once=True))
        if len(ends) != puzzle.ends:
            raise WrongPuzzle(f"its turn has {len(ends)} ends, not {puzzle.ends}")
        right = self._most(ends) if self.claim.form == MOST else [end for end in ends if self._is_right(end)]
        if len(right) != 1:
            raise WrongPuzzle(f"{len(right)} answers are right: {', '.join(' '.join(way) for _, way in right)}")
        if look(game, self._after(self.start, puzzle.answer)) != look(game, right[0][0]):
            raise WrongPuzzle(f"its answer is {' '.join(puzzle.answer)}, but right is {' '.join(right[0][1])}")

    def _most(self, ends: list[End]) -> list[End]:
        best = max(score(self.game, after, self.puzzle.seat) for after, _ in ends)
        return [end for end in ends if score(self.game, end[0], self.puzzle.seat) == best]

    def _is_right(self, end: End) -> bool:
        after, way = end
        seat = self.puzzle.seat
        if self.claim.form == REACH:
            return self._reaches_goal(after, seat)
        hint = self.puzzle.refutation(way[0]) if len(way) == 1 else ()
        if self.claim.form == FORCE:
            return self._reaches_goal(after, seat) or self._can(after, seat, self.claim.turns, hint)
        assert self.claim.form == PREVENT  # noqa: S101 - there are no other forms
        others = [other for other in self.game.seats(after.mode) if other != seat]
        return not any(self._can(after, other, self.claim.turns, hint) for other in others)

    def _reaches_goal(self, position: Any, seat: int) -> bool:
        status = self.game.status(position)
        if self.claim.goal == WIN:
            return seat in status.winners
        if self.claim.goal == GOES_ON:
            return not status.over
        return score(self.game, position, seat) > self.base

    def _can(self, position: Any, seat: int, turns: int, hint: tuple[str, ...] = ()) -> bool:
        """Tell whether a seat reaches the goal within some turns of its own, whatever the others do."""
        if self.game.status(position).over:
            return self._reaches_goal(position, seat)
        key = self.game.text(position), seat, turns
        if key not in self.known:
            if self.game.actor(position) == seat:
                self.known[key] = turns > 0 and self._can_act(position, seat, turns, hint)
            else:
                self.known[key] = all(self._can(after, seat, turns) for after, _ in self._ends(position, [hint]))
        return self.known[key]

    def _can_act(self, position: Any, seat: int, turns: int, hint: tuple[str, ...]) -> bool:
        ends = []
        for after, way in self._ends(position, [hint, *self.killers]):
            if self._reaches_goal(after, seat):
                if way not in self.killers:
                    self.killers = [way, *self.killers[: KILLERS - 1]]
                return True
            ends.append(after)
        return turns > 1 and any(self._can(after, seat, turns - 1) for after in ends)

    def _ends(self, position: Any, first: list[tuple[str, ...]]) -> Iterator[End]:
        """Yield the ends of a turn, those of some ways before all others where these are legal."""
        for way in first:
            end = self._end_of_way(position, way)
            if end is not None:
                yield end, way
        yield from turn_ends(self.game, position)

    def _end_of_way(self, position: Any, way: tuple[str, ...]) -> Any | None:
        """Return the end of a turn that a way leads to; None where it is not legal, or the turn goes on after it."""
        seat, turn, at = self.game.actor(position), self.game.turn(position), position
        for action in way:
            if seat is None or not turn_goes_on(self.game, at, seat, turn):
                return None
            try:
                at = self.game.apply(at, {seat: action}).position
            except GameError:
                return None
        return at if way and not turn_goes_on(self.game, at, seat, turn) else None

    def _after(self, position: Any, way: tuple[str, ...]) -> Any:
        for action in way:
            position = self.game.apply(position, {self.puzzle.seat: action}).position
        return position

    def _check_winner(self) -> None:
        winner = next(seat for seat in self.game.seats(self.start.mode) if self._wins(self.start, seat))
        if self.puzzle.answer != (str(winner),):
            raise WrongPuzzle(f"seat {winner} wins, not {' '.join(self.puzzle.answer)}")

    def _wins(self, position: Any, seat: int) -> bool:
        """Tell whether a seat wins if all play as well as they can."""
        status = self.game.status(position)
        if status.over:
            return seat in status.winners
        key = self.game.text(position), seat, -1
        if key not in self.known:
            actor = self.game.actor(position)
            following = (
                self.game.apply(position, {acting: action}).position
                for acting, offered in self.game.actions(position).items()
                for action in offered
            )
            judge = any if actor == seat else all
            self.known[key] = judge(self._wins(after, seat) for after in following)
        return self.known[key]

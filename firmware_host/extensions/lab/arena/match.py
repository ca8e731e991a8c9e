"""The conditions of a match, as plain data for other processes; the same seed gives the same games."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, Transition
from firmware_host.games.positions import SEED, starting
from firmware_host.games.registry import game as find_game
from firmware_host.services.engine import loop_called
from firmware_host.text.words import Refused

FORM = 1
"""The form of a line of results; lines of different forms are never combined."""


@dataclass(frozen=True)
class Match:
    """Two players (``a``, ``b``: as on the command line) and the conditions under which they play.

    ``opening`` is the number of random actions at the beginning of each game, ``longest`` the number of actions after
    which it counts as a draw. ``marks`` identify the versions of the two players.
    """

    game: str
    mode: str
    a: str
    b: str
    rules: tuple[str, ...] = ()
    seed: int = 1
    opening: int = 4
    longest: int = 1000
    seconds: float = 60.0
    marks: tuple[str, str] = ("", "")

    def open_game(self) -> Game[Any]:
        """Return the game under its rules."""
        return find_game(self.game, dict.fromkeys(self.rules, True))

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each side: A plays one of them in turn, B all others."""
        return self.open_game().teams(self.mode)

    @property
    def key(self) -> str:
        """Return 16 hex digits; the results of two lines may be combined if and only if their keys are equal."""
        said = [FORM, self.game, self.mode, sorted(self.rules), self.a, self.b, self.seed, self.opening, self.longest]
        return hashlib.sha256(json.dumps([*said, *self.marks]).encode()).hexdigest()[:16]


class Course:
    """How a game goes: the position now, the one in which it began, and the actions since then, seat → action each."""

    def __init__(self, game: Game[Any], start: Any) -> None:
        self.game, self.start, self.position = game, start, start
        self.moves: list[dict[int, str]] = []

    def go_on(self, chosen: dict[int, str]) -> Transition[Any]:
        """Have seats act; return what follows. Raise GameError."""
        applied = self.game.apply(self.position, chosen)
        transition = loop_called(self.game, applied)
        self.moves.append(chosen)
        self.position = transition.position
        if transition is not applied:  # Actions alone do not lead to what is left after a loop.
            self.start, self.moves = self.position, []
        return transition

    def as_known(self, position: Any) -> str:
        """Return the text of a position of this game; what nobody has seen of a stack by now says nothing in it."""
        stack = capabilities_of(self.game).stack
        return self.game.text(stack.as_known(position, self.position) if stack else position)


def open_course(game: Game[Any], match: Match, number: int) -> Course:
    """Return a game after an opening: a start dealt from the seed, and ``match.opening`` random actions.

    An opening that ends the game is replaced by another. Raise Refused if 100 attempts end the game.
    """
    for attempt in range(100):
        rng = Random(f"{match.seed} {number} {attempt}")
        course = Course(game, starting(game, match.mode, {SEED: rng.getrandbits(64)}))
        for _ in range(match.opening):
            if game.status(course.position).over:
                break
            seats = sorted(game.actions(course.position))
            course.go_on({seat: game.random_action(course.position, seat, rng) for seat in seats})
        if not game.status(course.position).over:
            return course
    raise Refused(f"--opening: {match.opening} random actions end every game of {match.game}; ask for fewer")


def schedule(match: Match, games: int) -> Iterator[tuple[int, int]]:
    """Yield (opening, index of A's team) of all games: A plays each opening once from every side."""
    sides = len(match.teams)
    for number in range(games):
        yield divmod(number, sides)

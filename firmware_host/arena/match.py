"""What two players play under: a match is plain data that goes to other processes, and a seed gives the same games."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from firmware_host.games.game import Game
from firmware_host.games.offers import Foresees
from firmware_host.games.registry import game as find_game
from firmware_host.table.dealing import SEED, starting

FORM = 1
"""The form of a line of results; lines of another form are not added up with these."""


@dataclass(frozen=True)
class Match:
    """Two players (``a``, ``b``: as the command line names them) and the conditions under which they meet.

    ``opening`` is the number of random actions with which each game begins, ``longest`` the number after which it is
    left as a draw. ``marks`` tell one version of the two players from another.
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
        """Return 16 hex digits that two lines share if and only if they may be added up."""
        said = [FORM, self.game, self.mode, sorted(self.rules), self.a, self.b, self.seed, self.opening, self.longest]
        return hashlib.sha256(json.dumps([*said, *self.marks]).encode()).hexdigest()[:16]


def opened(game: Game[Any], match: Match, number: int) -> Any:
    """Return the position of an opening: so many random actions after a start that is dealt from the seed.

    One in which the game is over already is drawn anew. Raise ValueError where all are.
    """
    for attempt in range(100):
        rng = Random(f"{match.seed} {number} {attempt}")
        position = starting(game, match.mode, {SEED: rng.getrandbits(64)})
        for _ in range(match.opening):
            if game.status(position).over:
                break
            chosen = {seat: game.random_action(position, seat, rng) for seat in sorted(game.actions(position))}
            position = after(game, position, chosen)
        if not game.status(position).over:
            return position
    raise ValueError(f"opening: {match.opening} random actions end every game of {match.game}; ask for fewer")


def after(game: Game[Any], position: Any, chosen: dict[int, str]) -> Any:
    """Return the position after what was chosen, unbreakable loops called. Raise GameError."""
    transition = game.apply(position, chosen)
    if isinstance(game, Foresees) and not transition.status.over:
        nodes = game.loop(transition.position)
        if nodes:
            transition = game.call_loop(transition.position, nodes)
    return transition.position


def schedule(match: Match, games: int) -> Iterator[tuple[int, int]]:
    """Yield (opening, team of A) of all games: each opening is played once from every side."""
    sides = len(match.teams)
    for number in range(games):
        yield divmod(number, sides)

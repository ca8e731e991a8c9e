"""The interface of games with puzzles: kinds of questions with exactly one right answer, and a solver that finds them.

A puzzle asks for one turn of one seat. A claim is about the *ends* of that turn, which are the positions that its
actions can lead to: exactly one of them is right. This module defines the claims; a game's solver proves them by its
own fast methods, and :mod:`firmware_host.puzzles.check` proves them again with the rules only.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol, TypeVar, runtime_checkable

from firmware_host.games.game import Game, Layout
from firmware_host.games.thinking import ComputerPlayer, choose

P = TypeVar("P", bound=Hashable)

GRADES = 5
"""Number of grades; 1 is the easiest."""
MAX_GAME = 400
"""Maximum number of actions of a game that is searched for puzzles."""

WIN, SCORE, GOES_ON = "win", "score", "goes-on"
"""Goals: the seat has won; its score has increased; the phase has ended and the game goes on."""
REACH, FORCE, PREVENT, MOST, WHO = "reach", "force", "prevent", "most", "who"
"""Forms of a claim, see :class:`Claim`."""


@dataclass(frozen=True)
class Claim:
    """The proved property of the only right end.

    ``reach``: the goal is reached in it. ``force``: the seat can reach the goal in its next turn against any replies.
    ``prevent``: no opponent can reach the goal within ``turns`` of its own turns. ``most``: the seat's score is higher
    than in any other end. ``who``: there is no move; the question is which seat wins with best play.
    """

    form: str
    goal: str = WIN
    turns: int = 1


@dataclass(frozen=True)
class PuzzleKind:
    """One kind of puzzle: its title for lists, its question in a sentence, its claim, and its modes.

    ``missed`` describes the consequence of a wrong answer (after the reply to it, if there is one); ``{score}`` stands
    for the seat's score then. ``layout`` replaces the game's own board if the positions are on a smaller one.
    """

    title: str
    asked: str
    missed: str
    claim: Claim
    modes: tuple[str, ...] = ("2",)
    layout: Layout | None = None


@dataclass(frozen=True)
class Puzzle:
    """One puzzle: a position, the seat whose turn it is, and the answer with its proof.

    ``answer`` are the seat's actions, in order, that lead to the right end; for ``who`` the seat that wins. ``ends`` is
    the number of ends of the turn, ``looked`` the number of positions in the proof, which determines the grade.
    ``replies`` maps a reply (actions, separated by spaces) to the wrong actions that it refutes, in the same form;
    empty for claims that need no reply.
    """

    game: str
    kind: str
    position: str
    seat: int
    answer: tuple[str, ...]
    ends: int
    looked: int
    replies: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """Return its id: 10 hex digits, a hash of game, kind and position."""
        return hashlib.sha256(f"{self.game} {self.kind} {self.position}".encode()).hexdigest()[:10]

    @property
    def grade(self) -> int:
        """Return the grade from 1 to :data:`GRADES`; each has about four times as many positions as the one before."""
        return min(GRADES, max(1, 1 + int(math.log(max(self.looked, 1) / 30, 4) + 1)))

    def refutation(self, action: str) -> tuple[str, ...]:
        """Return the reply to a wrong action; empty if none is stored."""
        for reply, wrong in self.replies.items():
            if action in wrong.split(" "):
                return tuple(reply.split(" "))
        return ()


@runtime_checkable
class HasPuzzles(Protocol):
    """The further members of a :class:`firmware_host.games.game.Game` with puzzles.

    Puzzles shipped with the game are in the folder ``puzzles`` beside its module (docs/puzzles.md).
    """

    puzzle_kinds: Mapping[str, PuzzleKind]

    def pose(self, kind: str, mode: str, rng: Random) -> Iterator[Puzzle]:
        """Yield the puzzles of a kind found in one random game of a mode, each solved; there may be none."""
        ...

    def puzzle_at(self, kind: str, position: Any) -> Puzzle | None:
        """Return a running position as a puzzle of a kind, solved; None if it has no unique best answer."""
        ...


def puzzles_at(game: Game[P], position: P, out_of_time: Callable[[], bool] = lambda: False) -> list[Puzzle]:
    """Return the puzzles of all kinds that a position of the game's own board is; fewer where time runs out."""
    found = []
    for kind, asked in kinds_of(game).items():
        mode: str = getattr(position, "mode", "")
        if asked.layout is not None or mode not in asked.modes or game.status(position).over or out_of_time():
            continue
        puzzle = game.puzzle_at(kind, position) if isinstance(game, HasPuzzles) else None
        found += [puzzle] if puzzle is not None else []
    return found


def kinds_of(game: Game[Any]) -> Mapping[str, PuzzleKind]:
    """Return the kinds of a game's puzzles; empty if it has none."""
    return game.puzzle_kinds if isinstance(game, HasPuzzles) else {}


def group_replies(replies: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return wrong action → reply in the form of :attr:`Puzzle.replies`."""
    found: dict[str, list[str]] = {}
    for wrong, reply in replies.items():
        found.setdefault(" ".join(reply), []).append(wrong)
    return {reply: " ".join(wrong) for reply, wrong in found.items()}


def game_positions(game: Game[P], position: P, rng: Random) -> Iterator[P]:
    """Yield the positions of one game between the weakest computers, or of random actions if a game has none."""
    for _ in range(MAX_GAME):
        if game.status(position).over:
            return
        yield position
        done = {seat: _action(game, position, seat, rng) for seat in game.actions(position)}
        position = game.apply(position, done).position


def _action(game: Game[P], position: P, seat: int, rng: Random) -> str:
    if not isinstance(game, ComputerPlayer) or rng.random() < 0.1:
        return game.random_action(position, seat, rng)
    level = game.strengths[0]
    return choose(game.think(position, seat, level.budget, rng), level.spread, rng).action

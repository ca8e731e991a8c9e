"""What a puzzle is, and who solves those of a game: kinds of questions with exactly one right answer.

A puzzle asks for one turn of one seat. A claim is about the *ends* of that turn, which are the positions that its
actions can lead to: exactly one of them is right. This module defines the claims; a game's solver proves them by its
own fast methods, and :mod:`firmware_host.extensions.puzzles.check` proves them again with the rules only.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.games.game import Game, Layout
from hw.plugins import Plugins
from hw.ports import HardwareError

GRADES = 5
"""Number of grades; 1 is the easiest."""

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


@dataclass(frozen=True)
class Solver:
    """Who finds the puzzles of a game: an entry point of the group ``lodestone.puzzles``, by the game's name.

    ``candidates`` takes a game, a kind, a mode and what is random, and yields the positions of one random game, or
    others, that may be puzzles. ``puzzle_at`` takes a kind and a running position, and returns the puzzle, solved; None
    if there is no unique best answer. ``file`` has the puzzles that come with the game (puzzles.md).
    """

    name: str
    kinds: Mapping[str, PuzzleKind]
    candidates: Callable[[Game[Any], str, str, Random], Iterator[Any]]
    puzzle_at: Callable[[str, Any], Puzzle | None]
    file: Path


SOLVERS: Plugins[Solver] = Plugins("lodestone.puzzles", "puzzles", Solver)


def solver_of(game: Game[Any]) -> Solver | None:
    """Return who finds a game's puzzles; None if it has none."""
    try:
        return SOLVERS.get(game.name) if game.name in SOLVERS.names() else None
    except HardwareError:  # It was logged on loading.
        return None


def kinds_of(game: Game[Any]) -> Mapping[str, PuzzleKind]:
    """Return the kinds of a game's puzzles; empty if it has none."""
    solver = solver_of(game)
    return solver.kinds if solver else {}


def pose(game: Game[Any], kind: str, mode: str, rng: Random) -> Iterator[Puzzle]:
    """Yield the puzzles of a kind found in one random game of a mode, each solved; there may be none."""
    solver = solver_of(game)
    game.seats(mode)
    for position in solver.candidates(game, kind, mode, rng) if solver else ():
        puzzle = solver.puzzle_at(kind, position) if solver else None
        if puzzle is not None:
            yield puzzle


def puzzles_at(game: Game[Any], position: Any, out_of_time: Callable[[], bool] = lambda: False) -> list[Puzzle]:
    """Return the puzzles of all kinds that a position of the game's own board is; fewer where time runs out."""
    found, solver = [], solver_of(game)
    for kind, asked in kinds_of(game).items():
        if asked.layout is not None or position.mode not in asked.modes or game.status(position).over or out_of_time():
            continue
        puzzle = solver.puzzle_at(kind, position) if solver else None
        found += [puzzle] if puzzle is not None else []
    return found


def group_replies(replies: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return wrong action → reply in the form of :attr:`Puzzle.replies`."""
    found: dict[str, list[str]] = {}
    for wrong, reply in replies.items():
        found.setdefault(" ".join(reply), []).append(wrong)
    return {reply: " ".join(wrong) for reply, wrong in found.items()}

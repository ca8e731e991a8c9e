"""What a game offers when it has puzzles: kinds of questions with one best answer each, and a solver that finds them.

A puzzle asks for one turn of one seat. Every claim is about the *ends* of that turn, which are the positions that its
actions can lead to: exactly one of them is right. What a claim means is said here once; a game's solver proves it in
whatever way is quick, and :mod:`firmware_host.puzzles.check` proves it again with nothing but the rules.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol, TypeVar, runtime_checkable

from firmware_host.games.game import Game, Layout
from firmware_host.games.thinking import Thinks, choose

P = TypeVar("P", bound=Hashable)

GRADES = 5
"""Puzzles are graded from 1, the easiest, to this."""
LONGEST_GAME = 400
"""Actions after which a game that is searched for puzzles is left."""

WIN, SCORE, GOES_ON = "win", "score", "goes-on"
"""Goals: the seat has won; its score has grown; the phase has ended and the game goes on."""
REACH, FORCE, PREVENT, MOST, WHO = "reach", "force", "prevent", "most", "who"
"""Forms of a claim, see :class:`Claim`."""


@dataclass(frozen=True)
class Claim:
    """What is proved of the one right end.

    ``reach``: the goal is reached in it. ``force``: the seat reaches the goal in its next turn, whatever others do
    before. ``prevent``: no opponent can reach the goal within ``turns`` turns of their own. ``most``: the seat's score
    is higher than in any other end. ``who``: nobody moves; asked is which seat wins when both play their best.
    """

    form: str
    goal: str = WIN
    turns: int = 1


@dataclass(frozen=True)
class PuzzleKind:
    """One kind of puzzle: its name for lists, what is asked in a sentence, what is claimed, and in which modes.

    ``missed`` says what a wrong answer leads to (after the reply to it, where there is one); ``{score}`` stands for the
    seat's score then. ``layout`` is another board than the game's own, where the positions are on a smaller one.
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

    ``answer`` are the actions of the seat, in order, that lead to the right end; where ``who`` is asked, the seat that
    wins. ``ends`` is how many ends the turn has, ``looked`` how many positions the proof needs, which grades the
    puzzle. ``replies`` maps a reply (actions, separated by spaces) to the wrong actions that it refutes, in the same
    form; claims that need no reply have none.
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
        """Return its name, which follows from what is asked."""
        return hashlib.sha256(f"{self.game} {self.kind} {self.position}".encode()).hexdigest()[:10]

    @property
    def grade(self) -> int:
        """Return the grade from 1 to :data:`GRADES`: each one has about four times as much to look at as the last."""
        return min(GRADES, max(1, 1 + int(math.log(max(self.looked, 1) / 30, 4) + 1)))

    def refutation(self, action: str) -> tuple[str, ...]:
        """Return the reply to a wrong action; nothing where none is kept."""
        for reply, wrong in self.replies.items():
            if action in wrong.split(" "):
                return tuple(reply.split(" "))
        return ()


@runtime_checkable
class HasPuzzles(Protocol):
    """What a game offers beside :class:`firmware_host.games.game.Game` when it has puzzles.

    Those that come with it stand in the folder ``puzzles`` beside the game's module (docs/puzzles.md).
    """

    puzzle_kinds: Mapping[str, PuzzleKind]

    def pose(self, kind: str, mode: str, rng: Random) -> Iterator[Puzzle]:
        """Yield the puzzles of a kind that one random game of a mode leads to, each solved; there may be none."""
        ...


def kinds_of(game: Game[Any]) -> Mapping[str, PuzzleKind]:
    """Return the kinds of puzzles that a game has; none where it has no puzzles."""
    return game.puzzle_kinds if isinstance(game, HasPuzzles) else {}


def grouped(replies: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return wrong action → reply as :attr:`Puzzle.replies` has it."""
    found: dict[str, list[str]] = {}
    for wrong, reply in replies.items():
        found.setdefault(" ".join(reply), []).append(wrong)
    return {reply: " ".join(wrong) for reply, wrong in found.items()}


def played(game: Game[P], position: P, rng: Random) -> Iterator[P]:
    """Yield the positions of one game that the weakest computers play, or chance where a game has none."""
    for _ in range(LONGEST_GAME):
        if game.status(position).over:
            return
        yield position
        done = {seat: _action(game, position, seat, rng) for seat in game.actions(position)}
        position = game.apply(position, done).position


def _action(game: Game[P], position: P, seat: int, rng: Random) -> str:
    if not isinstance(game, Thinks) or rng.random() < 0.1:
        return game.random_action(position, seat, rng)
    level = game.strengths[0]
    return choose(game.think(position, seat, level.budget, rng), level.spread, rng).action

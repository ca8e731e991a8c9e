"""Puzzles of Octiles: the kinds, and a solver on the lines of the board.

Turnings with the same lines give the same board: the tile looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

from firmware_host.extensions.puzzles.puzzle import (
    FORCE,
    REACH,
    SCORE,
    Claim,
    Puzzle,
    PuzzleKind,
    Solver,
    group_replies,
)
from firmware_host.games.capabilities import HasStartOptions
from firmware_host.games.game import Game
from firmware_host.games.octiles import notation, rules
from firmware_host.games.octiles.board import PARTNER
from firmware_host.games.octiles.rules import EIGHTHS, GOAL, SEATED, Position, text
from firmware_host.link.weak_games import game_positions
from firmware_host.text.words import say

KINDS: Mapping[str, PuzzleKind] = {
    "home": PuzzleKind(
        say("At the goal in one turn"),
        say("Bring a runner onto its goal with this turn. Turnings of the tile that look alike are one answer."),
        say("No runner has come onto its goal."),
        Claim(REACH, SCORE),
        tuple(SEATED),
    ),
    "two": PuzzleKind(
        say("At the goal in two turns"),
        say("Which turn lets you bring a runner onto its goal with the next one, whatever the other player does?"),
        say("After that no runner can come onto its goal in your next turn."),
        Claim(FORCE, SCORE),
    ),
}
MAX_TURNS = 130
"""Maximum number of legal turns in a puzzle that looks two turns ahead."""


def make_puzzle(kind: str, position: Position) -> Puzzle | None:
    """Return a running position as a puzzle of a kind; None if it has no unique best answer."""
    return _home(position) if kind == "home" else _two(position)


@cache
def _lines(face: int) -> tuple[int, ...]:
    return tuple(PARTNER[face])


def _ends(position: Position) -> list[rules.Turn]:
    """Return the legal turns, one for each board that they lead to."""
    found: dict[tuple[int, tuple[int, ...], int, int], rules.Turn] = {}
    for code in sorted(rules.legal_turns(position).turns):
        turn = well, eighths, source, target = rules.decode(code)
        lines = _lines(position.stack[0] * EIGHTHS + eighths)
        # Any runner that returns to its node leaves the same board.
        moved = (source, target) if source != target else (0, 0)
        found.setdefault((well, lines, *moved), turn)
    return list(found.values())


def _arrives(position: Position, turn: rules.Turn) -> bool:
    goal = GOAL[position.side]
    return turn[3] in goal and turn[2] not in goal


def _home(position: Position) -> Puzzle | None:
    ends = _ends(position)
    right = [turn for turn in ends if _arrives(position, turn)]
    if len(right) != 1:
        return None
    return _puzzle("home", position, right[0], len(ends), len(ends), {})


def _can_arrive(position: Position) -> bool:
    return any(_arrives(position, rules.decode(code)) for code in rules.legal_turns(position).turns)


def _two(position: Position) -> Puzzle | None:
    ends = _ends(position)
    if not 1 < len(ends) <= MAX_TURNS or any(_arrives(position, turn) for turn in ends):
        return None
    right: list[rules.Turn] = []
    replies: dict[str, tuple[str, ...]] = {}
    looked = 0
    good: list[rules.Turn] = []  # Replies that have refuted a turn are tried first.
    for turn in ends:
        reply, seen = _refutes(rules.after_turn(position, turn), good)
        looked += seen
        if reply is None:
            right.append(turn)
            if len(right) > 1:
                return None
        else:
            replies[_text(turn)] = (reply,)
    return _puzzle("two", position, right[0], len(ends), looked, replies) if right else None


def _refutes(position: Position, good: list[rules.Turn]) -> tuple[str | None, int]:
    """Return a turn after which the previous seat can't arrive, or None; and the number of turns examined."""
    ends = _ends(position)
    if not ends:
        return (None if _can_arrive(rules.after_pass(position)) else notation.PASS), 1
    offered = set(ends)
    first = [turn for turn in good if turn in offered]
    for number, turn in enumerate([*first, *ends], 1):
        after = rules.after_turn(position, turn)
        if rules.status(after).over or not _can_arrive(after):
            if turn not in good:
                good.insert(0, turn)
            return _text(turn), number
    return None, len(ends)


def _text(turn: rules.Turn) -> str:
    return notation.text(rules.code(turn))


def _puzzle(
    kind: str, position: Position, turn: rules.Turn, ends: int, looked: int, replies: Mapping[str, tuple[str, ...]]
) -> Puzzle:
    return Puzzle("octiles", kind, text(position), position.seat, (_text(turn),), ends, looked, group_replies(replies))


def candidates(game: Game[Any], _kind: str, mode: str, rng: Random) -> Iterator[Position]:
    """Yield the positions of one random game."""
    begun = cast(HasStartOptions[Any], game).start_with(mode, {"seed": rng.randrange(1_000_000)})
    return game_positions(game, begun, rng)


SOLVER = Solver("octiles", KINDS, candidates, make_puzzle, Path(__file__).parent / "puzzles/octiles.jsonl")

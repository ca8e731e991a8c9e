"""Puzzles of Spokes: the kinds, and a solver that knows a whole resolution phase by the reference (:func:`rules.ends`).

An end of a phase is a board at rest, or the board after an unbreakable loop. All steps of all positions are explored,
so the statements about the ends are proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.extensions.puzzles.puzzle import GOES_ON, MOST, REACH, SCORE, WIN, Claim, Puzzle, PuzzleKind, Solver
from firmware_host.games.game import Game
from firmware_host.games.spokes import rules
from firmware_host.games.spokes.board import NODES
from firmware_host.games.spokes.notation import text
from firmware_host.games.spokes.rules import MODES, SEATS, TEAMS, Cells, Position, from_counts
from firmware_host.link.weak_games import game_positions
from firmware_host.text.words import say

KINDS: Mapping[str, PuzzleKind] = {
    "most": PuzzleKind(
        say("Most at home"),
        say("Resolve so that in the end as many stones as possible lie on your home nodes."),
        say("Now {score} lie on your home nodes; more are possible."),
        Claim(MOST, SCORE),
        MODES,
    ),
    "rest": PuzzleKind(
        say("Come to rest"),
        say("Only one way out: bring the board to rest so that the game goes on."),
        say("This has ended the game."),
        Claim(REACH, GOES_ON),
        MODES,
    ),
    "win": PuzzleKind(
        say("Win now"),
        say("Resolve so that the game ends, and you win it."),
        say("This does not win the game."),
        Claim(REACH, WIN),
        MODES,
    ),
}
LARGEST = 260
"""Maximum number of positions in a phase, so that people can solve the puzzle by looking."""
LONGEST = 12
"""Maximum number of steps in an answer."""
SCATTERED = 12
"""Number of positions tried in place of one game."""


@dataclass(frozen=True)
class _End:
    """One end of a phase: why it ends the game (None: it goes on), the seat's score, whether it wins, one path."""

    reason: str | None
    score: int
    won: bool
    way: tuple[str, ...]


def make_puzzle(kind: str, position: Position) -> Puzzle | None:
    """Return a position in the resolution phase as a puzzle of a kind; None without a unique best answer."""
    if position.phase != "resolve":
        return None
    found = _ends(position)
    if found is None:
        return None
    ends, looked = found
    if len(ends) < 2:
        return None
    if kind == "most":
        best = max(end.score for end in ends)
        right = [end for end in ends if end.score == best]
    elif kind == "win":
        right = [end for end in ends if end.won]
    else:
        right = [end for end in ends if end.reason is None]
    if len(right) != 1 or not 2 <= len(right[0].way) <= LONGEST:
        return None
    return Puzzle("spokes", kind, text(position), position.resolver, right[0].way, len(ends), looked)


def _ends(position: Position) -> tuple[list[_End], int] | None:
    """Return all ends of the phase, and its number of positions; None if there are too many."""
    found = rules.ends(position.cells, LARGEST)
    if found is None:
        return None
    ends = [_end(position, cells, found.ways[cells], loop=False) for cells in found.rests]
    looped: dict[Cells, _End] = {}
    for cells, way in found.ways.items():  # Each board that a loop leaves counts once, by the shortest way.
        if cells in found.loops:
            left = rules.clear_nodes(cells, found.loops[cells])
            looped.setdefault(left, _end(position, left, way, loop=True))
    return [*ends, *looped.values()], len(found.ways)


def _end(position: Position, cells: Cells, way: tuple[str, ...], *, loop: bool) -> _End:
    after = Position(cells, position.mode, position.turn, position.resolver, "over", position.resigned)
    reason = rules.ending(after, loop=loop)
    team = next(team for team in TEAMS[position.mode] if position.resolver in team)
    score = rules.stones_on(cells, rules.HOMES[position.mode][team])
    won = reason is not None and position.resolver in rules.status(after, reason).winners
    return _End(reason, score, won, way)


def scattered_positions(mode: str, rng: Random) -> Iterator[Position]:
    """Yield positions with randomly placed stones, some of them on homes."""
    for _ in range(SCATTERED):
        nodes = rng.sample(range(len(NODES)), rng.randrange(5, 16))
        cells = from_counts({node: rng.choice(((1, 0), (0, 1), (1, 0), (0, 1), (1, 1))) for node in nodes})
        turn = max(2, len(nodes) // len(SEATS[mode]))
        yield Position(cells, mode, turn, rng.choice(SEATS[mode]), "resolve")


def candidates(game: Game[Any], kind: str, mode: str, rng: Random) -> Iterator[Position]:
    """Yield the positions of one random game, or of playouts placed stones."""
    of_a_game = kind == "rest" or rng.random() < 0.3
    return game_positions(game, game.start(mode), rng) if of_a_game else scattered_positions(mode, rng)


SOLVER = Solver("spokes", KINDS, candidates, make_puzzle, Path(__file__).parent / "puzzles/spokes.jsonl")

"""The computer player of Octiles: lists of turns, decisions of every level, beside the rules engine in the same run."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import Any

from firmware_host.games.octiles import rules
from firmware_host.games.octiles.flat import ALL, FlatOctiles
from firmware_host.games.octiles.rules import Position
from firmware_host.games.registry import game
from firmware_host.games.thinking import Budget
from tests.bench_octiles import best, greedy_game
from tests.forms import printed
from tests.games.octiles_positions import greedy_action

OCTILES: Any = game("octiles")
ROUNDS = 5
REPEATED, PLAIN_REPEATED = 100, 5
"""So often a list is made between two looks at the clock, compiled and in plain Python."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): each position of some games, the best of several rounds each."""
    lists, lasts = listed(REPEATED)
    plain, plain_lasts = _plain()
    met = _met()
    slow = len(met) / sum(best(lambda position=position: rules.legal_turns(position), 3) for position in met)
    return [
        ("lists of turns (at least: 200,000, compiled)", lists, "/s"),
        ("the same in plain Python (at least: 10,000)", plain, "/s"),
        ("ratio", lists / plain, "x"),
        ("the same, the rules engine", slow, "/s"),
        ("ratio", lists / slow, "x"),
        ("best last turns", lasts, "/s"),
        ("the same in plain Python", plain_lasts, "/s"),
        *decisions(),
    ]


def _met() -> list[Position]:
    """Return the positions of some games."""
    return [position for seed in range(3) for position in greedy_game(Random(seed))]


def listed(times: int) -> tuple[float, float]:
    """Return how many lists of turns, and how many best last turns, are made a second of the processor."""
    core = FlatOctiles()
    lists = last = 0.0
    met = _met()
    for position in met:
        core.begin(position)
        lists += best(lambda: repeated(times, core.turns, 0, ALL), ROUNDS) / times
        last += best(lambda: repeated(times, core.best), ROUNDS) / times
    return len(met) / lists, len(met) / last


def _plain() -> tuple[float, float]:
    """Return what :func:`listed` finds in the plain form, in a process of its own."""
    program = f"from tests import bench_player_octiles as bench; print(*bench.listed({PLAIN_REPEATED}))"
    lists, last = map(float, printed(program).split())
    return lists, last


def repeated(times: int, work: Any, *arguments: Any) -> None:
    """Do something many times."""
    for _ in range(times):
        work(*arguments)


def decisions() -> list[tuple[str, float, str]]:
    """Return how long each level thinks, in the middle of a game of each mode, and the nodes a second of the last."""
    found = []
    for mode in "234":
        met = middle(mode)
        for number, strength in enumerate(OCTILES.strengths, 1):
            took = [best(lambda p=p, b=strength.budget: think(p, b), 1) for p in met]
            found.append((f"a decision of level {number}, {mode} players, median", median(took) * 1000, "ms"))
            found.append((f"a decision of level {number}, {mode} players, longest", max(took) * 1000, "ms"))
    return found


def middle(mode: str) -> list[Position]:
    """Return positions of a random game."""
    rng, position, met = Random(1), OCTILES.start(mode), []
    for number in range(30):
        if number % 3 == 2:
            met.append(position)
        after = OCTILES.apply(position, {position.seat: greedy_action(position, position.seat, rng)})
        if after.status.over:
            break
        position = after.position
    return met


def think(position: Position, budget: Budget) -> None:
    """Decide once."""
    OCTILES.think(position, position.seat, budget, Random(1))

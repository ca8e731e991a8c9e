"""The computer player of Octiles: lists of turns, decisions of every level, beside the rules engine in the same run."""

from __future__ import annotations

from random import Random
from statistics import median
from typing import Any

from firmware_host.games.octiles import rules
from firmware_host.games.octiles.player.listing import Turns
from firmware_host.games.octiles.player.setting import take
from firmware_host.games.octiles.position import Position
from firmware_host.games.registry import game
from firmware_host.games.thinking import Budget
from tests.bench_octiles import best, greedy_game

OCTILES: Any = game("octiles")
AIM = 200_000
"""Lists of turns a second that the compiled form is to make, by players.md; the plain one a twentieth of it."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): each position of some games, the best of several rounds each."""
    met = [position for seed in range(3) for position in greedy_game(Random(seed))]
    core = Turns()
    listed, last, slowly, counted = 0.0, 0.0, 0.0, 0
    for position in met:
        take(core, position, [[0] * 36] * 2)
        counted += int(core.turns(0, True))
        listed += best(lambda: repeated(core.turns, 0, True), 5) / REPEATED
        last += best(lambda: repeated(core.best), 5) / REPEATED
        slowly += best(lambda position=position: rules.offer(position), 3)
    lists, lasts, slow = len(met) / listed, len(met) / last, len(met) / slowly
    return [
        ("lists of turns", lists, "/s"),
        ("the same, the rules engine", slow, "/s"),
        ("ratio", lists / slow, "x"),
        ("share of what players.md aims at", lists / AIM, "x"),
        ("turns in a list", counted / len(met), ""),
        ("best last turns", lasts, "/s"),
        *decisions(),
    ]


REPEATED = 100
"""So often a list is made between two looks at the clock."""


def repeated(work: Any, *arguments: Any) -> None:
    """Do something many times."""
    for _ in range(REPEATED):
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
        after = OCTILES.apply(position, {position.seat: OCTILES.greedy_action(position, position.seat, rng)})
        if after.status.over:
            break
        position = after.position
    return met


def think(position: Position, budget: Budget) -> None:
    """Decide once."""
    OCTILES.think(position, position.seat, budget, Random(1))

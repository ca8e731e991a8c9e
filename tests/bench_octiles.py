"""Octiles: legal turns of a position, random games, beside the slow plain telling in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from statistics import median
from typing import Any

from firmware_host.games.octiles.rules import Position
from firmware_host.games.registry import game
from tests.games import octiles_reference as slow
from tests.games.octiles_positions import greedy_action

OCTILES: Any = game("octiles")
LONGEST = 2000
"""Turns of a game at most."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): the variants take turns, so that a busy machine slows them alike."""
    met = greedy_game(Random(1))
    took: list[float] = []
    plainly: list[float] = []
    for position in met:
        state = slow.read(OCTILES.text(position))
        took.append(best(lambda position=position: OCTILES.actions(position), 20))
        plainly.append(best(lambda state=state: slow.turns(state), 2))
    two, four, rng = OCTILES.start("2"), OCTILES.start("4"), Random(1)
    random2, random4, through, plain = rates(
        lambda: OCTILES.playout(two, rng),
        lambda: OCTILES.playout(four, rng),
        lambda: played_through(two, rng),
        lambda: played_plainly(two, rng),
    )
    return [
        ("legal turns of a position, median of a greedy game", median(took) * 1000, "ms"),
        ("the same by following every line of every turning", median(plainly) * 1000, "ms"),
        ("ratio", median(plainly) / median(took), "x"),
        ("random games of two", random2, "/s"),
        ("the same through the game's actions", through, "/s"),
        ("the same by the plain telling", plain, "/s"),
        ("ratio of the first to the last", random2 / plain, "x"),
        ("random games of four", random4, "/s"),
    ]


def greedy_game(rng: Random) -> list[Position]:
    """Return every position of a greedy game in which somebody is to move."""
    met, position = [], OCTILES.start("2")
    while (seat := OCTILES.actor(position)) is not None:
        met.append(position)
        position = OCTILES.apply(position, {seat: greedy_action(position, seat, rng)}).position
    return met


def played_through(position: Position, rng: Random) -> None:
    """Play a random game as the table would."""
    while offered := OCTILES.actions(position):
        action = rng.choice(offered[position.seat])
        position = OCTILES.apply(position, {position.seat: action}).position


def played_plainly(position: Position, rng: Random) -> None:
    """Play a random game by the reference."""
    state = slow.read(OCTILES.text(position))
    for _ in range(LONGEST):
        if slow.won(state):
            break
        state = slow.play(state, rng.choice(sorted(slow.turns(state)) or ["pass"]))


def best(work: Callable[[], object], times: int) -> float:
    """Return the shortest of some processor times that something takes, in seconds."""
    shortest = float("inf")
    for _ in range(times):
        began = time.thread_time()
        work()
        shortest = min(shortest, time.thread_time() - began)
    return shortest


def rates(*works: Callable[[], object], rounds: int = 3, seconds: float = 0.4) -> list[float]:
    """Return how often a second each runs, the best of several rounds in turn."""
    most = [0.0] * len(works)
    for _ in range(rounds):
        for number, work in enumerate(works):
            began, done = time.thread_time(), 0
            while (took := time.thread_time() - began) < seconds:
                work()
                done += 1
            most[number] = max(most[number], done / took)
    return most

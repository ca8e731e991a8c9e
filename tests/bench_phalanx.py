"""How fast the rules of Phalanx are, beside the slow reference of the same rules in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

from firmware_host.games.registry import game
from firmware_host.services.engine import perft
from tests.games import phalanx_reference as slow

ROUNDS, SECONDS = 8, 0.3
"""All take turns, and the best round of each counts, by processor time: others on the machine matter little."""
GAMES = 40
"""Games that tell how many actions a game has."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    phalanx: Any = game("phalanx")
    start = phalanx.start("2")
    rng = Random(1)

    def slow_perft() -> int:
        return sum(len(slow.after(after)) for after, _ in slow.after(phalanx.text(start)).values())

    def random_game() -> int:
        phalanx.playout(start, rng)
        return 1

    now = [phalanx.text(start)]

    def slow_action() -> int:
        position, winner = rng.choice(list(slow.after(now[0]).values()))
        now[0] = phalanx.text(start) if winner else position
        return 1

    fast, reference, games, actions = _rates(lambda: perft(phalanx, start, 2), slow_perft, random_game, slow_action)
    length = _actions_of_a_game(phalanx, start, rng)
    return [
        ("perft of depth 2 from the start, sequences", fast, "/s"),
        ("the same by the slow reference", reference, "/s"),
        ("ratio", fast / reference, "x"),
        ("random games", games, "/s"),
        ("actions of a random game", length, ""),
        ("random games by the slow reference, from its random actions", actions / length, "/s"),
        ("ratio", games * length / actions, "x"),
    ]


def _rates(*works: Callable[[], int]) -> list[float]:
    """Return how much a second each does, the best of several rounds in turn; each says how much it did."""
    best = [0.0] * len(works)
    for _ in range(ROUNDS):
        for number, work in enumerate(works):
            began, done = time.thread_time(), 0
            while (took := time.thread_time() - began) < SECONDS:
                done += work()
            best[number] = max(best[number], done / took)
    return best


def _actions_of_a_game(phalanx: Any, start: Any, rng: Random) -> float:
    actions = 0
    for _ in range(GAMES):
        now = start
        while not phalanx.status(now).over:
            now = phalanx.after(now, phalanx.random_action(now, now.seat, rng))
            actions += 1
    return actions / GAMES

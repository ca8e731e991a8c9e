"""Random games of Coil on hexhex7, beside plainer variants of the same in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from firmware_host.games.coil.board import board
from firmware_host.games.coil.position import Position
from firmware_host.games.registry import game
from tests.games.coil_reference import FlatLists


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit): the variants take turns, so that a busy machine slows them alike."""
    coil = game("coil")
    contract: Position = coil.start("2")
    main: Position = coil.apply(contract, {1: "pass"}).position
    lists, every = FlatLists(contract.size), list(range(len(board(contract.size).cells)))
    rng = Random(1)

    def flat(*, contract: bool) -> Callable[[], object]:
        return lambda: lists.playout([], every, rng, contract=contract, blacks_turn=False)

    def usual() -> None:
        position = main
        while not position.ending:
            offered = coil.actions(position)[position.seat]
            position = coil.apply(position, {position.seat: rng.choice(offered)}).position

    playout: Callable[[Position, Random], object] = coil.playout  # type: ignore[attr-defined]
    fast, old, fast_contract, old_contract, plain = rates(
        lambda: playout(main, rng),
        flat(contract=False),
        lambda: playout(contract, rng),
        flat(contract=True),
        usual,
    )
    return [
        ("random games from phase II", fast, "/s"),
        ("the same by flat lists and union-find, stone by stone", old, "/s"),
        ("ratio", fast / old, "x"),
        ("random games from phase I", fast_contract, "/s"),
        ("the same by flat lists and union-find", old_contract, "/s"),
        ("ratio", fast_contract / old_contract, "x"),
        ("random games from phase II through the game's actions", plain, "/s"),
        ("ratio of the first to that", fast / plain, "x"),
    ]


def rates(*works: Callable[[], object], rounds: int = 8, seconds: float = 0.15) -> list[float]:
    """Return how often a second each runs, the best of several rounds in turn."""
    best = [0.0] * len(works)
    for _ in range(rounds):
        for number, work in enumerate(works):
            began, done = time.perf_counter(), 0
            while (took := time.perf_counter() - began) < seconds:
                for _ in range(20):
                    work()
                done += 20
            best[number] = max(best[number], done / took)
    return best

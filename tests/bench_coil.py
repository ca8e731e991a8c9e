"""Random games of Coil on hexhex7, beside plainer variants of the same and OpenSpiel's Havannah in the same run.

All begin on the empty board of 127 cells and go to the end. Phase II is what compares with Havannah: two colours in
turn. Ours fills the board at once and asks who has won; phase I needs to know which stone closed a coil. Havannah plays
stone by stone, about 94 of them, and looks for bridges and forks, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from firmware_host.games.coil.board import board
from firmware_host.games.coil.rules import Position
from firmware_host.games.registry import game
from tests.games import openspiel
from tests.games.coil_reference import FlatLists

PHASES = {"main": "phase II", "contract": "phase I"}
MANY = 200
"""Games that the peer plays at once: it is asked from Python, which should cost it nothing."""


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    coil = game("coil")
    contract: Position = coil.start("2")
    main: Position = coil.apply(contract, {1: "pass"}).position
    lists, every = FlatLists(contract.size), list(range(len(board(contract.size).cells)))
    rng = Random(1)
    playout: Callable[[Position, Random], object] = coil.playout  # type: ignore[attr-defined]

    def flat(*, contract: bool) -> Callable[[], object]:
        return lambda: lists.playout([], every, rng, contract=contract, blacks_turn=False)

    def usual() -> None:
        position = main
        while not position.ending:
            offered = coil.actions(position)[position.seat]
            position = coil.apply(position, {position.seat: rng.choice(offered)}).position

    peer = openspiel.pyspiel is not None
    works: dict[str, tuple[Callable[[], object], int]] = {
        "main": (lambda: playout(main, rng), 1),
        "main lists": (flat(contract=False), 1),
        "contract": (lambda: playout(contract, rng), 1),
        "contract lists": (flat(contract=True), 1),
        "usual": (usual, 1),
    }
    if peer:
        works["peer"] = openspiel.rollouts(contract.size, MANY), MANY
        works["peer calls"] = openspiel.by_calls(contract.size, rng.choice), 1
    rate = rates(works)
    found: list[tuple[str, float, str]] = []
    for phase, words in PHASES.items():
        found += [
            (f"random games from {words}", rate[phase], "/s"),
            ("the same by flat lists and union-find, stone by stone", rate[f"{phase} lists"], "/s"),
            ("ratio to that", rate[phase] / rate[f"{phase} lists"], "x"),
        ]
    found += [("random games from phase II through the game's actions", rate["usual"], "/s")]
    if not peer:
        print(f"  Without OpenSpiel's Havannah beside it: {openspiel.HOW}")
        return found
    return [
        *found,
        ("OpenSpiel's Havannah 7, RandomRolloutEvaluator, all in C++", rate["peer"], "/s"),
        ("OpenSpiel's Havannah 7, by calls from Python", rate["peer calls"], "/s"),
        *((f"ratio to that C++, from {words}", rate[phase] / rate["peer"], "x") for phase, words in PHASES.items()),
    ]


def rates(
    works: dict[str, tuple[Callable[[], object], int]], rounds: int = 16, seconds: float = 0.04
) -> dict[str, float]:
    """Return how many games a second each plays, by processor time: the best of several rounds in turn.

    ``works`` is a name → what plays, and how many games a call.
    """
    best = dict.fromkeys(works, 0.0)
    for _ in range(rounds):
        for name, (play, games) in works.items():
            began, done = time.thread_time(), 0
            while (took := time.thread_time() - began) < seconds:
                for _ in range(max(1, 20 // games)):
                    play()
                    done += games
            best[name] = max(best[name], done / took)
    return best

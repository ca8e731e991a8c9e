"""Random games with threats and decisions of the player of Coil on hexhex7, beside slower forms of the same in one run.

The slow reference plays stone by stone on flat lists with union-find, and knows no threats. The plain form is the same
text, uncompiled, in a process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from firmware_host.games.coil.board import board
from firmware_host.games.coil.coil import GAME
from firmware_host.games.coil.flat import FlatCoil
from firmware_host.games.coil.player.core import Core
from firmware_host.games.coil.rules import Position, start
from firmware_host.games.thinking import never
from firmware_host.searching.tree import MonteCarloTree
from tests.forms import printed
from tests.games.coil_reference import FlatLists
from tools.peers import coil_rave

SIZE = start(7).size
PLAIN = f"from tests.{__name__.rpartition('.')[2]} import own; print(*own(0.5))"


def rate(play: Callable[[], object], seconds: float) -> float:
    """Return how often something is done a second of processor time, the best of five rounds."""
    best = 0.0
    for _ in range(5):
        began, done = time.process_time(), 0
        while (took := time.process_time() - began) < seconds / 5:
            play()
            done += 1
        best = max(best, done / took)
    return best


def searched(core: FlatCoil, games: int) -> None:
    """Search from the empty board."""
    core.begin(Position(core.size, 0, 0, "main", 2, 1))
    core.seed(1)
    MonteCarloTree(core).search(games, never)


def own(seconds: float) -> tuple[float, float]:
    """Return random games with threats a second, alone and in a search."""
    core = Core(SIZE)
    core.begin(Position(core.size, 0, 0, "main", 2, 1))

    def game() -> None:
        core.reset()
        core.playout()

    games = 200
    return rate(game, seconds), games * rate(lambda: searched(core, games), seconds)


def figures() -> list[tuple[str, float, str]]:
    """Return (name, value, unit)."""
    alone, inside = own(2)
    plain_alone, plain_inside = map(float, printed(PLAIN).split())
    lists, every, rng = FlatLists(SIZE), list(range(len(board(SIZE).cells))), Random(1)
    slow = rate(lambda: lists.playout([], every, rng, contract=False, blacks_turn=False), 1)
    unaware = FlatCoil(SIZE)
    peer = 200 * rate(lambda: searched(unaware, 200), 1)
    found = [
        ("random games with threats (at least: 5,000, compiled)", alone, "/s"),
        ("the same in plain Python (at least: 250)", plain_alone, "/s"),
        ("ratio to that", alone / plain_alone, "x"),
        ("games by flat lists and union-find, without threats", slow, "/s"),
        ("ratio to that, with threats", alone / slow, "x"),
        ("games in a search, tree and all", inside, "/s"),
        ("the same in plain Python", plain_inside, "/s"),
        ("games in a search of the peer that knows no threats", peer, "/s"),
    ]
    position = GAME.after(GAME.start("2"), "pass")
    for level, strength in enumerate(GAME.strengths, 1):
        began = time.process_time()
        GAME.think(position, position.seat, strength.budget, Random(1))
        found.append((f"a decision of level {level}, the longest of a game", time.process_time() - began, "s"))
    began = time.process_time()
    coil_rave.choose(GAME, position, position.seat, Random(1))
    return [*found, ("a decision of the peer", time.process_time() - began, "s")]

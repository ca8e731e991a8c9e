"""Plain Monte Carlo tree search with RAVE for Coil: random games know no threats, and moves are all alike beforehand.

It has the same tree and the same compiled board as the player of the game. Its random games fill the board at once,
so that it plays more of them in the same time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from firmware_host.games.coil.board import board
from firmware_host.games.coil.coil import Coil
from firmware_host.games.coil.flat import FlatCoil
from firmware_host.games.coil.rules import PASS, Position, other
from firmware_host.games.thinking import never
from firmware_host.searching.tree import MonteCarloTree

GAMES = 34_000
"""Random games a decision: as much time as the highest level of the player takes (tests/bench_player_coil.py)."""
EQUAL = ((1_500, 2_125), (6_000, 8_500), (24_000, GAMES))
"""Random games of the highest level, and of this player in the same time: whole games with the last last minutes."""
AIM = 0.85
"""Score of the highest level against this player, at least."""


@cache
def _flat(size: int) -> FlatCoil:
    return FlatCoil(size)


def choose(game: Coil, position: Position, seat: int, rng: Random, nodes: int = GAMES) -> str:
    """Return the action of a seat: in phase I it passes when Black wins most random games, and else puts any stone."""
    game.check_turn(position, (seat,))
    flat = _flat(position.size)
    contract = position.phase == "contract"
    mover, holder = (other(seat), seat) if contract else (seat, position.holder)
    flat.begin(replace(position, phase="main", seat=mover, holder=holder))
    flat.seed(rng.getrandbits(32))
    side, tree = int(flat.side()), MonteCarloTree(flat)
    tree.search(nodes, never)
    children = tree.children()
    if contract:
        white = sum(map(tree.wins, children))
        return PASS if 2 * white < tree.visits(0) else _stone(game, position, rng)
    won = [child for child in children if tree.proved_winner(child) == side]
    best = won[0] if won else max(children, key=lambda child: (tree.proved_winner(child) == 0, tree.visits(child)))
    return board(position.size).names[tree.move(best)]


def _stone(game: Coil, position: Position, rng: Random) -> str:
    """Return a stone that closes no coil, or the pass where all do."""
    stones = [action for action in game.legal(position) if action != PASS]
    rng.shuffle(stones)
    return next((action for action in stones if game.after(position, action).ending != "coil"), PASS)

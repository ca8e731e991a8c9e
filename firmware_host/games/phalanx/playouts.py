"""Random games and counts of sequences, on flat words: the engine's ``playouts`` and ``perft``."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from firmware_host.games.game import OverBudget, Status
from firmware_host.games.phalanx import rules
from firmware_host.games.phalanx.board import SIDES
from firmware_host.games.phalanx.flat import DRAWN, MOST, POINTS, RUNS, PhalanxLine, Worths
from firmware_host.games.phalanx.rules import Position
from firmware_host.searching.alpha_beta import MOVE_BITS
from firmware_host.searching.vectors import zeros

LONGEST = 1000
"""Number of turns after which a playout counts as a draw; most games are far shorter."""
_MOVE = (1 << MOVE_BITS) - 1
_WORTHS = Worths(zeros(2 * POINTS), zeros(MOST + 1), 0)


def playout(position: Position, rng: Random) -> Status:
    """Play random legal actions, all equally likely, to the end and return the status."""
    status = rules.status(position)
    if status.over:
        return status
    line = PhalanxLine(_WORTHS, 1)
    line.begin(position)
    while line.spot(0).turn <= position.turn + LONGEST:
        line.play(0, rng.choice(line.move_list[: line.expand(0)]) & _MOVE)
        line.go_on()
        spot = line.spot(0)
        if spot.outcome == DRAWN:
            return rules.DRAW
        if spot.outcome != RUNS:
            # Whoever has won has done so at the end of this turn of ``side``, and the reference names the reason.
            side = SIDES[spot.side]
            return rules.status(Position(line.board(0), side, spot.left, spot.turn))
    return rules.DRAW


def perft(position: Position, depth: int, out_of_time: Callable[[], bool]) -> int:
    """Return the number of sequences of so many actions; the end of the game ends one. Raise OverBudget."""
    if rules.status(position).over:
        return 1
    line = PhalanxLine(_WORTHS, 1)
    line.begin(position)
    return _count(line, 0, depth, out_of_time)


def _count(line: PhalanxLine, ply: int, depth: int, out_of_time: Callable[[], bool]) -> int:
    if out_of_time():
        raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
    if depth == 0 or line.spot(ply).outcome != RUNS:
        return 1
    most = line.expand(ply)
    if depth == 1:
        return most
    total = 0
    for code in line.move_list[:most]:
        line.play(ply, code & _MOVE)
        total += _count(line, ply + 1, depth - 1, out_of_time)
    return total

"""One position of Phalanx on flat words, with what is counted of it; mypyc compiles it."""

from __future__ import annotations

from math import isqrt
from typing import Final

from mypy_extensions import i64

from firmware_host.games.phalanx.player.flat import BLACK_GOAL, HIGH_OF, LOW_OF, WHITE_GOAL
from firmware_host.games.phalanx.player.weights import POINTS

RUNS: Final = 0
WON: Final = 1
LOST: Final = 2
DRAWN: Final = 3

COUNT: Final = 24
"""Where the number of hoplites lies among what is counted; below it, eight bits each, the three diagonals."""
FAR: Final = 32
"""Where the sum of distances lies, in 1/100."""


def counts() -> list[i64]:
    """Return what a hoplite of each side adds to what is counted, by point."""
    found: list[i64] = []
    for side in range(2):
        for point in range(POINTS):
            row, column = divmod(point, 10)
            up, across = (row, column) if side == 0 else (8 - row, 8 - column)
            far = isqrt(10000 * (up * up + across * across))
            away = 16 - up - across  # From the corner that the side guards.
            wall = 1 << 8 * (away - 1) if 1 <= away <= 3 else 0
            found.append(far << FAR | 1 << COUNT | wall)
    return found


COUNTS: Final[list[i64]] = counts()


class Spot:
    """A position: both sides' points, and what is kept of them from action to action."""

    def __init__(self) -> None:
        self.own_low: i64 = 0
        self.own_high: i64 = 0
        self.opp_low: i64 = 0
        self.opp_high: i64 = 0
        self.own_worth: i64 = 0
        self.opp_worth: i64 = 0
        self.own_count: i64 = 0
        self.opp_count: i64 = 0
        self.zobrist: i64 = 0
        self.side: i64 = 0
        self.left: i64 = 0
        self.full: i64 = 0
        """Actions of this turn."""
        self.turn: i64 = 0
        self.idle: i64 = 0
        """1: the turn before was empty, and this one is so far."""
        self.began: i64 = 0
        """The key of a turn's start; 0 within a turn."""
        self.ended: i64 = RUNS
        """How the game has ended, for ``own``."""
        self.way: i64 = 0
        """``own``'s distance to its goal, once the verdict was asked for."""
        # What an estimate is made of:
        self.opp_way: i64 = 0
        self.own_lonely: i64 = 0
        self.opp_lonely: i64 = 0
        self.own_pushes: i64 = 0
        self.opp_pushes: i64 = 0

    def copy(self, other: Spot) -> None:
        """Take all that goes over from one position to the next."""
        self.own_low = other.own_low
        self.own_high = other.own_high
        self.opp_low = other.opp_low
        self.opp_high = other.opp_high
        self.own_worth = other.own_worth
        self.opp_worth = other.opp_worth
        self.own_count = other.own_count
        self.opp_count = other.opp_count
        self.zobrist = other.zobrist
        self.side = other.side
        self.left = other.left
        self.full = other.full
        self.turn = other.turn
        self.idle = other.idle
        self.began = 0
        self.ended = RUNS

    def swap(self) -> None:
        """Let the other side act."""
        self.own_low, self.opp_low = self.opp_low, self.own_low
        self.own_high, self.opp_high = self.opp_high, self.own_high
        self.own_worth, self.opp_worth = self.opp_worth, self.own_worth
        self.own_count, self.opp_count = self.opp_count, self.own_count
        self.side ^= 1


def wall(counted: i64) -> i64:
    """Return the number of a wall: hoplites on the three diagonals, in one number below :data:`WALLS`."""
    return (counted & 255) * 20 + (counted >> 8 & 255) * 5 + (counted >> 16 & 255)


def ended(spot: Spot) -> i64:
    """Return who has won after an action of ``own``; R5: first the side that acted is asked."""
    if spot.opp_low | spot.opp_high == 0 or _at_goal(spot.side, spot.own_low, spot.own_high):
        return WON
    if spot.own_low | spot.own_high == 0 or _at_goal(spot.side ^ 1, spot.opp_low, spot.opp_high):
        return LOST
    return RUNS


def _at_goal(side: i64, low: i64, high: i64) -> bool:
    return high & WHITE_GOAL != 0 if side else low & BLACK_GOAL != 0


def step_of(way: i64) -> i64:
    """Return how far a point's number goes on in a direction: north, east, south, west."""
    if way & 1:
        return 1 if way == 1 else -1
    return 10 if way == 2 else -10


def own_at(spot: Spot, point: i64) -> bool:
    """Tell whether the side that acts stands on a point; a number beyond the board is none."""
    return 0 <= point < POINTS and (spot.own_low & LOW_OF[point] | spot.own_high & HIGH_OF[point]) != 0


def opp_at(spot: Spot, point: i64) -> bool:
    """Tell whether the opponent stands on a point; a number beyond the board is none."""
    return 0 <= point < POINTS and (spot.opp_low & LOW_OF[point] | spot.opp_high & HIGH_OF[point]) != 0

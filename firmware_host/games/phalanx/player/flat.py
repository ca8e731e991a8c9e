"""The board in two machine words a set of points, for the player; mypyc compiles it.

The low word holds rows 9 to 5, the high one rows 4 to 1, ten bits a row: :data:`firmware_host.games.phalanx.board.BIT`
cut after bit 50. A point's number is its row from the top times ten, plus its column. A side that acts is ``own``, its
opponent ``opp``; side 0 is Black. No number here is beyond 62 bits once it is masked, so that both forms agree.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

CUT: Final = 50
"""Points from this number on are in the high word."""
LOW: Final = 0x1FF7FDFF7FDFF
"""Five rows of nine points."""
HIGH: Final = 0x7FDFF7FDFF
"""Four rows of nine points."""
PLAY_LOW: Final = 0x1FF7FDFF7FDFE
"""R1: without the goal A9."""
PLAY_HIGH: Final = 0x3FDFF7FDFF
"""R1: without the goal J1."""
BLACK_GOAL: Final = 0x402
"""B9 and A8, in the low word: a black hoplite there has won."""
WHITE_GOAL: Final = 0x2010000000
"""J2 and H1, in the high word."""
UNREACHED: Final = 13
"""The distance to a goal that no empty points lead to; the longest way that is told apart is one less."""

_ROW: Final = 0x3FF
_FIVES: Final = 0x5555555555555555
_THREES: Final = 0x3333333333333333
_NIBBLES: Final = 0x0F0F0F0F0F0F0F0F


def _numbers() -> list[i64]:
    found: list[i64] = [0] * MODULUS
    for bit in range(CUT):
        found[pow(2, bit, MODULUS)] = bit
    return found


MODULUS: Final = 67
"""Single bits of a word leave different remainders by it."""
NUMBER: Final[list[i64]] = _numbers()
"""Remainder of a single bit → its number. A table: plain Python calls no function for it."""
LOW_OF: Final[list[i64]] = [1 << point if point < CUT else 0 for point in range(2 * CUT)]
"""A point's bit in the low word, 0 where it lies in the high one."""
HIGH_OF: Final[list[i64]] = [1 << point - CUT if point >= CUT else 0 for point in range(2 * CUT)]
"""A point's bit in the high word, 0 where it lies in the low one."""


def count(ones: i64) -> i64:
    """Return the number of bits set."""
    ones -= ones >> 1 & _FIVES
    ones = (ones & _THREES) + (ones >> 2 & _THREES)
    ones = ones + (ones >> 4) & _NIBBLES
    ones += ones >> 8
    ones += ones >> 16
    return ones + (ones >> 32) & 127


def near_low(low: i64, high: i64) -> i64:
    """Return the low word of the points next to any of a set."""
    return (low << 1 | low >> 1 | low << 10 | low >> 10 | (high & _ROW) << 40) & LOW


def near_high(low: i64, high: i64) -> i64:
    """Return the high word of the points next to any of a set."""
    return (high << 1 | high >> 1 | high << 10 | high >> 10 | low >> 40) & HIGH


def distance(side: i64, own_low: i64, own_high: i64, opp_low: i64, opp_high: i64) -> i64:
    """Return how many empty points lead from a side's hoplites to a point next to its goal, that one included.

    So many actions bring a hoplite there, one point at a time, whatever the army: an added one, or one from its rear
    (two go past each other). :data:`UNREACHED` where there is no way; long ways count as one less.
    """
    free_low = PLAY_LOW & ~(own_low | opp_low)
    free_high = PLAY_HIGH & ~(own_high | opp_high)
    goal_low: i64 = 0 if side else BLACK_GOAL
    goal_high: i64 = WHITE_GOAL if side else 0
    low = near_low(own_low, own_high) & free_low
    high = near_high(own_low, own_high) & free_high
    steps: i64 = 1
    while low & goal_low | high & goal_high == 0:
        more_low = (low | low << 1 | low >> 1 | low << 10 | low >> 10 | (high & _ROW) << 40) & free_low
        more_high = (high | high << 1 | high >> 1 | high << 10 | high >> 10 | low >> 40) & free_high
        if more_low == low and more_high == high:
            return UNREACHED
        low = more_low
        high = more_high
        if steps < UNREACHED - 1:
            steps += 1
    return steps


def lonely(low: i64, high: i64) -> i64:
    """Return how many of a set have just one neighbour in it."""
    return _lonely(low, low << 1, low >> 1, low << 10, low >> 10 | (high & _ROW) << 40) + _lonely(
        high, high << 1, high >> 1, high << 10 | low >> 40, high >> 10
    )


def _lonely(ones: i64, east: i64, west: i64, south: i64, north: i64) -> i64:
    two = east & west | (east | west) & south | (east | west | south) & north
    return count(ones & (east | west | south | north) & ~two)


# -- pushes at hand ----------------------------------------------------------------------------------------------------


def pushes(own_low: i64, own_high: i64, opp_low: i64, opp_high: i64) -> i64:
    """Return how many lines can push one or two opposing hoplites, plus 256 for each of these that kills one.

    Longer lines are so rare that the estimate leaves them out.
    """
    if near_low(own_low, own_high) & opp_low | near_high(own_low, own_high) & opp_high == 0:
        return 0
    found: i64 = 0
    way: i64 = 0
    while way < 4:
        found += _pushes(way, own_low, own_high, opp_low, opp_high)
        way += 1
    return found


def ahead_low(way: i64, low: i64, high: i64) -> i64:
    """Return the low word of the points whose next one is in a set. Directions 0 to 3: north, east, south, west."""
    if way == 0:
        return low << 10 & LOW
    if way == 1:
        return low >> 1 & LOW
    if way == 2:
        return (low >> 10 | (high & _ROW) << 40) & LOW
    return low << 1 & LOW


def ahead_high(way: i64, low: i64, high: i64) -> i64:
    """Return the high word of the same."""
    if way == 0:
        return (high << 10 | low >> 40) & HIGH
    if way == 1:
        return high >> 1 & HIGH
    if way == 2:
        return high >> 10
    return high << 1 & HIGH


def _pushes(way: i64, own_low: i64, own_high: i64, opp_low: i64, opp_high: i64) -> i64:
    opp1_low, opp1_high = ahead_low(way, opp_low, opp_high), ahead_high(way, opp_low, opp_high)
    if own_low & opp1_low | own_high & opp1_high == 0:
        return 0
    # Fronts with one, and with two of their own behind them.
    back: i64 = way ^ 2
    one_low = own_low & ahead_low(back, own_low, own_high)
    one_high = own_high & ahead_high(back, own_low, own_high)
    front_low = one_low & opp1_low
    front_high = one_high & opp1_high
    if front_low | front_high == 0:
        return 0
    two_low = own_low & ahead_low(back, one_low, one_high) & opp1_low
    two_high = own_high & ahead_high(back, one_low, one_high) & opp1_high
    opp2_low, opp2_high = ahead_low(way, opp1_low, opp1_high), ahead_high(way, opp1_low, opp1_high)
    own2_low = ahead_low(way, ahead_low(way, own_low, own_high), ahead_high(way, own_low, own_high))
    own2_high = ahead_high(way, ahead_low(way, own_low, own_high), ahead_high(way, own_low, own_high))
    free_low, free_high = ahead_low(way, PLAY_LOW, PLAY_HIGH), ahead_high(way, PLAY_LOW, PLAY_HIGH)
    free2_low, free2_high = ahead_low(way, free_low, free_high), ahead_high(way, free_low, free_high)
    slid_low = front_low & ~opp2_low & ~own2_low
    slid_high = front_high & ~opp2_high & ~own2_high
    found = count(slid_low) + count(slid_high)
    found += count(slid_low & ~free2_low) + count(slid_high & ~free2_high) << 8
    two_low &= opp2_low
    two_high &= opp2_high
    if two_low | two_high == 0:
        return found
    both_low, both_high = own2_low | opp2_low, own2_high | opp2_high
    slid_low = two_low & ~ahead_low(way, both_low, both_high)
    slid_high = two_high & ~ahead_high(way, both_low, both_high)
    free3_low, free3_high = ahead_low(way, free2_low, free2_high), ahead_high(way, free2_low, free2_high)
    found += count(slid_low) + count(slid_high)
    found += count(slid_low & ~free3_low) + count(slid_high & ~free3_high) << 8
    return found

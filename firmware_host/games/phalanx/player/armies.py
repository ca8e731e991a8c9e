"""What a search of Phalanx needs beside the rules: estimates, races to the goals, and wins within one turn.

The search is alpha-beta over single actions (searching/alpha_beta.py; Knuth and Moore, "An analysis of alpha-beta
pruning", 1975): a turn has up to three, so whose turn it is does not change with each ply. Instead of a quiescence
search that follows captures until nothing hangs, a position is proved by what one turn can do: :func:`distance` floods
the empty points from a side's hoplites to its goal, and where they are at most as many as the actions left, the side
has won. :func:`winning` looks for wins that need pushes, before the search begins. The estimate counts pushes at hand.

mypyc compiles this text. The weights are fitted (fit_phalanx of the laboratory) or set by hand: forms.py makes them.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.phalanx.flat import (
    BLACK_GOAL,
    COUNT,
    DRAWN,
    FAR,
    ORDER,
    PLAY_HIGH,
    PLAY_LOW,
    POINTS,
    PUSHED,
    ROW,
    RUNS,
    WHITE_GOAL,
    WON,
    FlatPosition,
    PhalanxLine,
    Worths,
    ahead_high,
    ahead_low,
    near_high,
    near_low,
)
from firmware_host.searching.alpha_beta import MOVE_BITS, PROVED, UNKNOWN, WIN
from firmware_host.searching.vectors import vec, zeros

UNREACHED: Final = 13
"""The distance to a goal that no empty points lead to; the longest way that is told apart is one less."""
_FIVES: Final = 0x5555555555555555
_THREES: Final = 0x3333333333333333
_NIBBLES: Final = 0x0F0F0F0F0F0F0F0F

LEFTS: Final = 5
"""Actions left of a turn: 0 to 4."""
WAYS: Final = 14
"""Distances to a goal: 0 to 13."""
STONES: Final = 10
WALLS: Final = 60
_USUAL: Final = 7 * WAYS + 7
"""Where the race stands in the middle of a game."""
_LAZY: Final = 900
"""How much the race, pushes and lonely hoplites may come to beside what is usual: 99 of 100 times less."""
_FUTILE: Final = 500
"""How much an action may gain beside its order, mostly: what it saves is worth more than what it misses."""


class ArmyWeights(Worths):
    """One form of the evaluation: whole numbers in 1/1000 logit, positive where they speak for the side that acts.

    ``race`` is by actions left, own distance, opponent's distance (:func:`distance`). ``wall``
    is by hoplites on the three diagonals before the corner that a side guards. The others are by actions left, and for
    each hoplite with one friend, push and killing push at hand, of the side that acts and of its opponent.
    """

    def __init__(self, points: vec[i64], race: vec[i64], stones: vec[i64], wall: vec[i64], mean: i64) -> None:
        super().__init__(points, stones, mean)
        self.race = race
        self.wall = wall
        self.lonely_own: vec[i64] = zeros(LEFTS)
        self.lonely_opp: vec[i64] = zeros(LEFTS)
        self.push_own: vec[i64] = zeros(LEFTS)
        self.push_opp: vec[i64] = zeros(LEFTS)
        self.kill_own: vec[i64] = zeros(LEFTS)
        self.kill_opp: vec[i64] = zeros(LEFTS)


# -- what is counted ---------------------------------------------------------------------------------------------------


def count(low: i64, high: i64) -> i64:
    """Return the number of bits set in two words."""
    low -= low >> 1 & _FIVES
    high -= high >> 1 & _FIVES
    ones = (low & _THREES) + (low >> 2 & _THREES) + (high & _THREES) + (high >> 2 & _THREES)
    ones = (ones & _NIBBLES) + (ones >> 4 & _NIBBLES)
    ones += ones >> 8
    ones += ones >> 16
    return ones + (ones >> 32) & 127


def distance(side: i64, own_low: i64, own_high: i64, opp_low: i64, opp_high: i64, most: i64) -> i64:
    """Return how many empty points lead from a side's hoplites to a point next to its goal, that one included.

    So many actions bring a hoplite there, one point at a time, whatever the army: an added one, or one from its rear
    (two go past each other). :data:`UNREACHED` where there is no way, or none of at most ``most`` points.
    """
    free_low = PLAY_LOW & ~(own_low | opp_low)
    free_high = PLAY_HIGH & ~(own_high | opp_high)
    goal_low: i64 = 0 if side else BLACK_GOAL
    goal_high: i64 = WHITE_GOAL if side else 0
    low = near_low(own_low, own_high) & free_low
    high = near_high(own_low, own_high) & free_high
    steps: i64 = 1
    while low & goal_low | high & goal_high == 0:
        more_low = (low | low << 1 | low >> 1 | low << 10 | low >> 10 | (high & ROW) << 40) & free_low
        more_high = (high | high << 1 | high >> 1 | high << 10 | high >> 10 | low >> 40) & free_high
        if steps >= most or (more_low == low and more_high == high):
            return UNREACHED
        low = more_low
        high = more_high
        steps += 1
    return steps if steps < UNREACHED else UNREACHED - 1


def count_lonely(low: i64, high: i64) -> i64:
    """Return how many of a set have just one neighbour in it."""
    return count(
        _lonely(low, low << 1, low >> 1, low << 10, low >> 10 | (high & ROW) << 40),
        _lonely(high, high << 1, high >> 1, high << 10 | low >> 40, high >> 10),
    )


def _lonely(ones: i64, east: i64, west: i64, south: i64, north: i64) -> i64:
    two = east & west | (east | west) & south | (east | west | south) & north
    return ones & (east | west | south | north) & ~two


def count_pushes(own_low: i64, own_high: i64, opp_low: i64, opp_high: i64) -> i64:
    """Return how many lines can push one or two opposing hoplites, plus 256 for each of these that kills one.

    Longer lines are so rare that the estimate leaves them out.
    """
    if near_low(own_low, own_high) & opp_low | near_high(own_low, own_high) & opp_high == 0:
        return 0
    found: i64 = 0
    way: i64 = 0
    while way < 4:
        found += _count_pushes(way, own_low, own_high, opp_low, opp_high)
        way += 1
    return found


def _count_pushes(way: i64, own_low: i64, own_high: i64, opp_low: i64, opp_high: i64) -> i64:
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
    found = count(slid_low, slid_high) + (count(slid_low & ~free2_low, slid_high & ~free2_high) << 8)
    two_low &= opp2_low
    two_high &= opp2_high
    if two_low | two_high == 0:
        return found
    both_low, both_high = own2_low | opp2_low, own2_high | opp2_high
    slid_low = two_low & ~ahead_low(way, both_low, both_high)
    slid_high = two_high & ~ahead_high(way, both_low, both_high)
    free3_low, free3_high = ahead_low(way, free2_low, free2_high), ahead_high(way, free2_low, free2_high)
    return found + count(slid_low, slid_high) + (count(slid_low & ~free3_low, slid_high & ~free3_high) << 8)


def wall_number(counted: i64) -> i64:
    """Return the number of a wall: hoplites on the three diagonals, in one number below :data:`WALLS`."""
    return (counted & 255) * 20 + (counted >> 8 & 255) * 5 + (counted >> 16 & 255)


# -- the search --------------------------------------------------------------------------------------------------------


class ValuedLine(PhalanxLine):
    """The line of positions that a search looks along, with their values."""

    def __init__(self, weights: ArmyWeights) -> None:
        """Take the form of the evaluation."""
        super().__init__(weights, 2)
        self._weights = weights

    def verdict(self, ply: i64) -> i64:
        """Return the value of what is over, or won within this turn along empty points."""
        spot = self._spots[ply]
        if spot.outcome != RUNS:
            if spot.outcome == DRAWN:
                return 0
            return WIN - ply if spot.outcome == WON else ply - WIN
        way = distance(spot.side, spot.own_low, spot.own_high, spot.opp_low, spot.opp_high, spot.left)
        return WIN - ply - way if way <= spot.left else UNKNOWN

    def measure(self, ply: i64) -> None:
        """Find what an estimate is made of."""
        spot = self._spots[ply]
        spot.way = distance(spot.side, spot.own_low, spot.own_high, spot.opp_low, spot.opp_high, POINTS)
        spot.opp_way = distance(spot.side ^ 1, spot.opp_low, spot.opp_high, spot.own_low, spot.own_high, POINTS)
        spot.own_lonely = count_lonely(spot.own_low, spot.own_high)
        spot.opp_lonely = count_lonely(spot.opp_low, spot.opp_high)
        spot.own_pushes = count_pushes(spot.own_low, spot.own_high, spot.opp_low, spot.opp_high)
        spot.opp_pushes = count_pushes(spot.opp_low, spot.opp_high, spot.own_low, spot.own_high)

    def evaluate(self, ply: i64, alpha: i64, beta: i64) -> i64:
        """Return the estimate, in 1/1000 logit for the side that acts; outside the bounds it may be a bound itself."""
        spot = self._spots[ply]
        weights = self._weights
        left = spot.left
        value = self._worth(spot)
        usual = value + weights.race[left * WAYS * WAYS + _USUAL]
        if usual + _LAZY <= alpha:
            return usual + _LAZY
        if usual - _LAZY >= beta:
            return usual - _LAZY
        self.measure(ply)
        value += weights.race[(left * WAYS + spot.way) * WAYS + spot.opp_way]
        value += weights.lonely_own[left] * spot.own_lonely + weights.lonely_opp[left] * spot.opp_lonely
        if spot.own_pushes:
            value += weights.push_own[left] * (spot.own_pushes & 255) + weights.kill_own[left] * (spot.own_pushes >> 8)
        if spot.opp_pushes:
            value += weights.push_opp[left] * (spot.opp_pushes & 255) + weights.kill_opp[left] * (spot.opp_pushes >> 8)
        return value

    def _worth(self, spot: FlatPosition) -> i64:
        """Return the part of the estimate that is kept from action to action."""
        weights = self._weights
        own, opp = spot.own_count, spot.opp_count
        own_stones = own >> COUNT & 15
        opp_stones = opp >> COUNT & 15
        value = spot.own_worth - spot.opp_worth + weights.stones[own_stones] - weights.stones[opp_stones]
        value += weights.mean * ((opp >> FAR) // opp_stones - (own >> FAR) // own_stones) // 100
        return value + weights.wall[wall_number(own)] - weights.wall[wall_number(opp)]

    def least_order(self, ply: i64, alpha: i64) -> i64:
        """Return the least order with which a move may lead to an estimate above alpha. Pushes always may."""
        spot = self._spots[ply]
        weights = self._weights
        left = spot.left
        after: i64 = left - 1 if left > 1 else 3
        usual = weights.race[after * WAYS * WAYS + _USUAL]
        if left == 1:
            usual = -usual
        return ORDER + min(PUSHED, alpha - _FUTILE - usual - self._worth(spot))


# -- wins within a turn ------------------------------------------------------------------------------------------------


def winning(armies: ValuedLine) -> tuple[i64, i64]:
    """Return a move with which the side that acts wins soonest within this turn, and how many positions were seen.

    The move is 0 where there is no win, or no push in it: without one, only empty points lead to a win, and
    :meth:`ValuedLine.verdict` knows those. Everything is looked at but for turns in which no push can be. A win in one
    action is looked for before one in two, and so on: a win at hand is not put off.
    """
    looked: i64 = 0
    within: i64 = 1
    while within <= armies.spot(0).left:
        seen: set[int] = set()
        move = _winning(armies, 0, within, seen)
        looked += len(seen)
        if move:
            return move, looked
        within += 1
    return 0, looked


def _winning(armies: ValuedLine, ply: i64, within: i64, seen: set[int]) -> i64:
    """Return a move after which so many actions in all win, 0 where there is none. ``seen`` did not win so soon."""
    spot = armies.spot(ply)
    if within - 1 < _to_contact(spot, within):
        return 0
    most = armies.expand_pushes(ply) if within == 1 else armies.expand(ply)
    found: list[i64] = [armies.move_list[at] for at in range(most)]
    for code in found:
        move = code & (1 << MOVE_BITS) - 1
        turns = armies.play(ply, move)
        if armies.spot(ply + 1).outcome == WON and not turns:
            return move
        if turns or within == 1:
            continue
        value = armies.verdict(ply + 1)
        if value != UNKNOWN:
            if WIN - ply - within <= value:
                return move
            if value < PROVED:
                continue
        key = armies.key(ply + 1)
        if key not in seen:
            seen.add(key)
            if _winning(armies, ply + 1, within - 1, seen):
                return move
    return 0


def _to_contact(spot: FlatPosition, most: i64) -> i64:
    """Return how many actions it takes to stand next to an opponent; at most ``most``."""
    low, high = spot.own_low, spot.own_high
    free_low, free_high = PLAY_LOW & ~spot.opp_low, PLAY_HIGH & ~spot.opp_high
    beside_low, beside_high = near_low(spot.opp_low, spot.opp_high), near_high(spot.opp_low, spot.opp_high)
    steps: i64 = 0
    while steps < most and low & beside_low | high & beside_high == 0:
        more_low = (near_low(low, high) | low) & free_low
        more_high = (near_high(low, high) | high) & free_high
        low = more_low
        high = more_high
        steps += 1
    return steps

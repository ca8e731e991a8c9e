"""Phalanx for a search: positions along one line on flat words, their moves and their values; mypyc compiles it.

The rules are those of rules.py and turns.py, told once more for speed; tests hold both together. A move is a number:
``END``, or a kind with two points: ``ADD | target``, ``MOVE | source << 7 | target``, ``PUSH | way << 7 | rear``.
"""

from __future__ import annotations

from random import Random
from typing import Final

from mypy_extensions import i64

from firmware_host.games.phalanx.player.flat import (
    CUT,
    HIGH_OF,
    LOW_OF,
    MODULUS,
    NUMBER,
    PLAY_HIGH,
    PLAY_LOW,
    ahead_high,
    ahead_low,
    distance,
    lonely,
    near_high,
    near_low,
    pushes,
)
from firmware_host.games.phalanx.player.spot import (
    COUNT,
    COUNTS,
    DRAWN,
    FAR,
    RUNS,
    WON,
    Spot,
    ended,
    opp_at,
    own_at,
    step_of,
    wall,
)
from firmware_host.games.phalanx.player.weights import POINTS, WAYS, Weights
from firmware_host.searching.alpha_beta import DEEPEST, MOVE_BITS, UNKNOWN, WIN, Tree

END: Final = 1
ADD: Final = 1 << 14
MOVE: Final = 2 << 14
PUSH: Final = 3 << 14
KINDS: Final = 3 << 14
MOST: Final = 9
"""Hoplites of a side."""

_ORDER: Final = 1 << 17
"""The order of a move that changes nothing."""
_ADDED: Final = 400
_PUSHED: Final = 300
_KILLED: Final = 1500

_random = Random(16)
_ZOBRIST: Final[list[i64]] = [_random.getrandbits(62) for _ in range(2 * POINTS)]
_STATES: Final[list[i64]] = [_random.getrandbits(62) for _ in range(20)]


def _members(points: int) -> list[int]:
    """Return the numbers of the points of a set (board.BIT)."""
    found: list[int] = []
    while points:
        found.append((points & -points).bit_length() - 1)
        points &= points - 1
    return found


class Armies(Tree):
    """The line of positions that a search looks along, from one root."""

    def __init__(self, weights: Weights, bonus: bool) -> None:
        """Take the form of the evaluation, and the option ``second_player_bonus``."""
        self._weights = weights
        self._points = weights.points
        self._bonus = bonus
        self._spots = [Spot() for _ in range(DEEPEST + 6)]
        self._past: dict[int, int] = {}

    def spot(self, ply: i64) -> Spot:
        """Return the position at a ply; the caller does not change it."""
        return self._spots[ply]

    def set_root(self, board: tuple[int, int], side: i64, left: i64, turn: i64, idle: bool) -> None:
        """Begin from a running position: both sides' points (board.BIT), 0 for Black to act, and the turn."""
        spot = self._spots[0]
        spot.copy(Spot())
        spot.side = side
        for points in board if side == 0 else (board[1], board[0]):
            for point in _members(points):
                self._own_on(spot, point)
            spot.swap()
        spot.turn = turn
        spot.left = left
        spot.full = self._allowance(turn)
        spot.idle = 1 if idle and left == spot.full else 0
        self._past = {}

    def remember(self, board: tuple[int, int], side: i64) -> None:
        """Take one start of a turn that the game has seen, the root's own included."""
        zobrist: i64 = 0
        for which, points in enumerate(board):
            for point in _members(points):
                zobrist ^= _ZOBRIST[which * POINTS + point]
        began = zobrist ^ _STATES[side]
        self._past[began] = self._past.get(began, 0) + 1

    # -- what a search asks --------------------------------------------------------------------------------------

    def key(self, ply: i64) -> i64:
        """Return a position's key, with the actions left and whether the turn before was empty."""
        spot = self._spots[ply]
        return spot.zobrist ^ _STATES[spot.side * 10 + spot.idle * 5 + spot.left]

    def verdict(self, ply: i64) -> i64:
        """Return the value of what is over, or won within this turn along empty points."""
        spot = self._spots[ply]
        if spot.ended != RUNS:
            if spot.ended == DRAWN:
                return 0
            return WIN - ply if spot.ended == WON else ply - WIN
        spot.way = distance(spot.side, spot.own_low, spot.own_high, spot.opp_low, spot.opp_high)
        return WIN - ply - spot.way if spot.way <= spot.left else UNKNOWN

    def measure(self, ply: i64) -> None:
        """Find what an estimate is made of, but for ``way``, which the verdict has found."""
        spot = self._spots[ply]
        spot.opp_way = distance(spot.side ^ 1, spot.opp_low, spot.opp_high, spot.own_low, spot.own_high)
        spot.own_lonely = lonely(spot.own_low, spot.own_high)
        spot.opp_lonely = lonely(spot.opp_low, spot.opp_high)
        spot.own_pushes = pushes(spot.own_low, spot.own_high, spot.opp_low, spot.opp_high)
        spot.opp_pushes = pushes(spot.opp_low, spot.opp_high, spot.own_low, spot.own_high)

    def evaluate(self, ply: i64) -> i64:
        """Return the estimate, in 1/1000 logit for the side that acts."""
        self.measure(ply)
        spot = self._spots[ply]
        weights = self._weights
        own, opp, left = spot.own_count, spot.opp_count, spot.left
        own_stones = own >> COUNT & 15
        opp_stones = opp >> COUNT & 15
        value = spot.own_worth - spot.opp_worth + weights.race[(left * WAYS + spot.way) * WAYS + spot.opp_way]
        value += weights.stones[own_stones] - weights.stones[opp_stones]
        value += weights.mean * ((opp >> FAR) // opp_stones - (own >> FAR) // own_stones) // 100
        value += weights.wall[wall(own)] - weights.wall[wall(opp)]
        value += weights.lonely_own[left] * spot.own_lonely + weights.lonely_opp[left] * spot.opp_lonely
        if spot.own_pushes:
            value += weights.push_own[left] * (spot.own_pushes & 255) + weights.kill_own[left] * (spot.own_pushes >> 8)
        if spot.opp_pushes:
            value += weights.push_opp[left] * (spot.opp_pushes & 255) + weights.kill_opp[left] * (spot.opp_pushes >> 8)
        return value

    # -- moves ---------------------------------------------------------------------------------------------------

    def expand(self, ply: i64, found: list[i64]) -> None:
        """Append every move, with an order from what the points are worth."""
        spot = self._spots[ply]
        found.append(_ORDER - _ADDED << MOVE_BITS | END)
        free_low = PLAY_LOW & ~(spot.own_low | spot.opp_low)
        free_high = PLAY_HIGH & ~(spot.own_high | spot.opp_high)
        near0, near1 = near_low(spot.own_low, spot.own_high), near_high(spot.own_low, spot.own_high)
        side: i64 = spot.side * POINTS
        if spot.own_count >> COUNT & 15 < MOST:
            self._append(found, near0 & free_low, near1 & free_high, ADD, _ORDER + _ADDED, side)
        if near0 & spot.opp_low | near1 & spot.opp_high:
            self.expand_pushes(spot, found)
        rest_low, rest_high = spot.own_low, spot.own_high
        while rest_low | rest_high:
            low: i64 = rest_low & -rest_low
            high: i64 = 0 if low else rest_high & -rest_high
            while True:
                more_low = (near_low(low, high) | low) & rest_low
                more_high = (near_high(low, high) | high) & rest_high
                if more_low == low and more_high == high:
                    break
                low = more_low
                high = more_high
            rest_low ^= low
            rest_high ^= high
            self._append_moves(found, low, high, free_low, free_high, side)

    def _append_moves(
        self, found: list[i64], army_low: i64, army_high: i64, free_low: i64, free_high: i64, side: i64
    ) -> None:
        """Append the moves of one army."""
        points = self._points
        rest_low, rest_high = army_low, army_high
        while rest_low | rest_high:
            bit_low: i64 = rest_low & -rest_low
            bit_high: i64 = 0 if bit_low else rest_high & -rest_high
            rest_low ^= bit_low
            rest_high ^= bit_high
            source: i64 = NUMBER[bit_low % MODULUS] if bit_low else CUT + NUMBER[bit_high % MODULUS]
            low, high = army_low ^ bit_low, army_high ^ bit_high
            self._append(
                found,
                near_low(low, high) & free_low,
                near_high(low, high) & free_high,
                MOVE | source << 7,
                _ORDER - points[side + source],
                side,
            )

    def _append(self, found: list[i64], low: i64, high: i64, kind: i64, order: i64, side: i64) -> None:
        """Append one move to each of a set of points."""
        points = self._points
        first: i64 = 0
        while True:
            while low:
                bit = low & -low
                low ^= bit
                point = first + NUMBER[bit % MODULUS]
                found.append(order + points[side + point] << MOVE_BITS | kind | point)
            if first:
                return
            first = CUT
            low = high

    def expand_pushes(self, spot: Spot, found: list[i64]) -> None:
        """Append every push, as :meth:`expand` does."""
        own_low, own_high = spot.own_low, spot.own_high
        way: i64 = 0
        while way < 4:
            if own_low & ahead_low(way, spot.opp_low, spot.opp_high) | own_high & ahead_high(
                way, spot.opp_low, spot.opp_high
            ):
                back: i64 = way ^ 2
                low = own_low & ahead_low(way, own_low, own_high) & ~ahead_low(back, own_low, own_high)
                high = own_high & ahead_high(way, own_low, own_high) & ~ahead_high(back, own_low, own_high)
                while low:
                    self._append_push(found, spot, way, NUMBER[(low & -low) % MODULUS])
                    low &= low - 1
                while high:
                    self._append_push(found, spot, way, CUT + NUMBER[(high & -high) % MODULUS])
                    high &= high - 1
            way += 1

    def _append_push(self, found: list[i64], spot: Spot, way: i64, rear: i64) -> None:
        landing = self._landing(spot, rear, way)
        if landing >= 0:
            order: i64 = _ORDER + _PUSHED + (_KILLED if landing == POINTS else 0)
            found.append(order << MOVE_BITS | PUSH | way << 7 | rear)

    def _landing(self, spot: Spot, rear: i64, way: i64) -> i64:
        """Return where the last of a line with this rear comes to stand, ``POINTS`` for its death; -1: no push."""
        step = step_of(way)
        at = rear + step
        more: i64 = 1
        while own_at(spot, at):
            at += step
            more += 1
        if not opp_at(spot, at):
            return -1
        while opp_at(spot, at):
            at += step
            more -= 1
        if more <= 0 or own_at(spot, at):  # R4
            return -1
        return at if 0 <= at < POINTS and (LOW_OF[at] & PLAY_LOW | HIGH_OF[at] & PLAY_HIGH) else POINTS

    def play(self, ply: i64, move: i64) -> bool:
        """Make a legal move; tell whether the other side acts after it."""
        spot = self._spots[ply + 1]
        spot.copy(self._spots[ply])
        if move == END:
            return self._turn_over(ply + 1, spot.left == spot.full)
        kind = move & KINDS
        first = move >> 7 & 127
        second = move & 127
        if kind == ADD:
            self._own_on(spot, second)
        elif kind == MOVE:
            self._own_off(spot, first)
            self._own_on(spot, second)
            self._bury(spot)
        else:
            self._push(spot, second, first)
        spot.left -= 1
        spot.idle = 0
        spot.ended = ended(spot)
        if spot.ended == RUNS and spot.left == 0:
            return self._turn_over(ply + 1, False)
        return False

    def _push(self, spot: Spot, rear: i64, way: i64) -> None:
        step = step_of(way)
        landing = self._landing(spot, rear, way)
        at = rear
        while own_at(spot, at):
            at += step
        self._own_off(spot, rear)
        self._own_on(spot, at)
        spot.swap()
        self._own_off(spot, at)
        if landing < POINTS:
            self._own_on(spot, landing)
        self._bury(spot)
        spot.swap()
        self._bury(spot)

    def _bury(self, spot: Spot) -> None:
        """Take off own hoplites that stand alone."""
        low = spot.own_low & ~near_low(spot.own_low, spot.own_high)
        high = spot.own_high & ~near_high(spot.own_low, spot.own_high)
        while low:
            self._own_off(spot, NUMBER[(low & -low) % MODULUS])
            low &= low - 1
        while high:
            self._own_off(spot, CUT + NUMBER[(high & -high) % MODULUS])
            high &= high - 1

    def _own_on(self, spot: Spot, point: i64) -> None:
        spot.own_low |= LOW_OF[point]
        spot.own_high |= HIGH_OF[point]
        at = spot.side * POINTS + point
        spot.zobrist ^= _ZOBRIST[at]
        spot.own_worth += self._points[at]
        spot.own_count += COUNTS[at]

    def _own_off(self, spot: Spot, point: i64) -> None:
        spot.own_low &= ~LOW_OF[point]
        spot.own_high &= ~HIGH_OF[point]
        at = spot.side * POINTS + point
        spot.zobrist ^= _ZOBRIST[at]
        spot.own_worth -= self._points[at]
        spot.own_count -= COUNTS[at]

    def _turn_over(self, ply: i64, empty: bool) -> bool:
        """Begin the next turn. R6, and what came before in this line counts as a draw at once: it could come again."""
        spot = self._spots[ply]
        drawn = empty and spot.idle != 0
        spot.swap()
        spot.turn += 1
        spot.full = self._allowance(spot.turn)
        spot.left = spot.full
        spot.idle = 1 if empty else 0
        began = spot.zobrist ^ _STATES[spot.side]
        spot.began = began
        times = self._past.get(began, 0)
        while ply > 1:
            ply -= 1
            if self._spots[ply].began == began:
                times = 2
        if drawn or times >= 2:
            spot.ended = DRAWN
        return True

    def _allowance(self, turn: i64) -> i64:
        return 4 if self._bonus and turn == 2 else 3

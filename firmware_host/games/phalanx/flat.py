"""The rules of Phalanx on flat words, for whatever looks at many positions: the player, random games, counts.

The rules' other and only other form; :mod:`firmware_host.games.phalanx.rules` is the reference, and
tests/games/test_phalanx_forms.py compares both. A set of points is two machine words: the low one holds rows 9 to 5,
the high one rows 4 to 1, ten bits a row, which is :data:`firmware_host.games.phalanx.board.BIT` cut after bit 50; all
neighbours of a set are then a few shifts (bitboards: Adelson-Velskii and others, "Programming a computer to play
chess", 1970). A point's number is its row from the top times ten, plus its column. The side that acts is ``own``, its
opponent ``opp``; side 0 is Black.

A move is a number: ``END``, or a kind with two points: ``ADD | target``, ``MOVE | source << 7 | target``,
``PUSH | way << 7 | rear``. A position's key is a sum of random numbers, one for each hoplite (Zobrist, "A new hashing
method with application for game playing", 1970), and so is what is counted of it, kept from action to action.

mypyc compiles this text. No number here is beyond 62 bits once it is masked, so that both forms of the text agree.
"""

from __future__ import annotations

from math import isqrt
from random import Random
from typing import Final

from mypy_extensions import i64

from firmware_host.games.phalanx.board import SIDES
from firmware_host.games.phalanx.rules import PLAIN, Position, sides
from firmware_host.searching.alpha_beta import DEEPEST, MOVE_BITS, LineOfPlay
from firmware_host.searching.vectors import numbers, vec, zeros

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
POINTS: Final = 90

ROW: Final = 0x3FF


def _numbers() -> list[int]:
    found = [0] * MODULUS
    for bit in range(CUT):
        found[pow(2, bit, MODULUS)] = bit
    return found


MODULUS: Final = 67
"""Single bits of a word leave different remainders by it."""
NUMBER: Final[vec[i64]] = numbers(_numbers())
"""Remainder of a single bit → its number. A table: plain Python calls no function for it."""
LOW_OF: Final[vec[i64]] = numbers([1 << point if point < CUT else 0 for point in range(2 * CUT)])
"""A point's bit in the low word, 0 where it lies in the high one."""
HIGH_OF: Final[vec[i64]] = numbers([1 << point - CUT if point >= CUT else 0 for point in range(2 * CUT)])
"""A point's bit in the high word, 0 where it lies in the low one."""


# -- sets of points ----------------------------------------------------------------------------------------------------


def near_low(low: i64, high: i64) -> i64:
    """Return the low word of the points next to any of a set."""
    return (low << 1 | low >> 1 | low << 10 | low >> 10 | (high & ROW) << 40) & LOW


def near_high(low: i64, high: i64) -> i64:
    """Return the high word of the points next to any of a set."""
    return (high << 1 | high >> 1 | high << 10 | high >> 10 | low >> 40) & HIGH


def ahead_low(way: i64, low: i64, high: i64) -> i64:
    """Return the low word of the points whose next one is in a set. Directions 0 to 3: north, east, south, west."""
    if way == 0:
        return low << 10 & LOW
    if way == 1:
        return low >> 1 & LOW
    if way == 2:
        return (low >> 10 | (high & ROW) << 40) & LOW
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


# -- one position ------------------------------------------------------------------------------------------------------

RUNS: Final = 0
WON: Final = 1
LOST: Final = 2
DRAWN: Final = 3

COUNT: Final = 24
"""Where the number of hoplites lies among what is counted; below it, eight bits each, the three diagonals."""
FAR: Final = 32
"""Where the sum of distances lies, in 1/100."""


def counts() -> list[int]:
    """Return what a hoplite of each side adds to what is counted, by point."""
    found: list[int] = []
    for side in range(2):
        for point in range(POINTS):
            row, column = divmod(point, 10)
            up, across = (row, column) if side == 0 else (8 - row, 8 - column)
            far = isqrt(10000 * (up * up + across * across))
            away = 16 - up - across  # From the corner that the side guards.
            wall = 1 << 8 * (away - 1) if 1 <= away <= 3 else 0
            found.append(far << FAR | 1 << COUNT | wall)
    return found


COUNTS: Final[vec[i64]] = numbers(counts())


class FlatPosition:
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
        self.turn_start_key: i64 = 0
        """The key of a turn's start; 0 within a turn."""
        self.outcome: i64 = RUNS
        """How the game has ended, for ``own``."""
        self.way: i64 = 0
        """``own``'s distance to its goal, once the verdict was asked for."""
        # What an estimate is made of:
        self.opp_way: i64 = 0
        self.own_lonely: i64 = 0
        self.opp_lonely: i64 = 0
        self.own_pushes: i64 = 0
        self.opp_pushes: i64 = 0

    def copy(self, other: FlatPosition) -> None:
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
        self.turn_start_key = 0
        self.outcome = RUNS

    def swap(self) -> None:
        """Let the other side act."""
        self.own_low, self.opp_low = self.opp_low, self.own_low
        self.own_high, self.opp_high = self.opp_high, self.own_high
        self.own_worth, self.opp_worth = self.opp_worth, self.own_worth
        self.own_count, self.opp_count = self.opp_count, self.own_count
        self.side ^= 1


def outcome_for_own(spot: FlatPosition) -> i64:
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


def own_at(spot: FlatPosition, point: i64) -> bool:
    """Tell whether the side that acts stands on a point; a number beyond the board is none."""
    return 0 <= point < POINTS and (spot.own_low & LOW_OF[point] | spot.own_high & HIGH_OF[point]) != 0


def opp_at(spot: FlatPosition, point: i64) -> bool:
    """Tell whether the opponent stands on a point; a number beyond the board is none."""
    return 0 <= point < POINTS and (spot.opp_low & LOW_OF[point] | spot.opp_high & HIGH_OF[point]) != 0


# -- moves -------------------------------------------------------------------------------------------------------------

END: Final = 1
ADD: Final = 1 << 14
MOVE: Final = 2 << 14
PUSH: Final = 3 << 14
KINDS: Final = 3 << 14
MAX_MOVES: Final = 400
"""More than any position has: nine hoplites go to at most 32 points each, and there are at most 36 points to add on."""
MOST: Final = 9
"""Hoplites of a side."""

ORDER: Final = 1 << 17
"""The order of a move that is worth nothing; other orders differ by what the move gains, in 1/1000 logit."""
PUSHED: Final = 4_000
"""The least that a push is ordered above others, whatever these gain; a push that kills more so."""
_KILLED: Final = 1500

_random = Random(16)
_ZOBRIST: Final[vec[i64]] = numbers([_random.getrandbits(62) for _ in range(2 * POINTS)])
_STATES: Final[vec[i64]] = numbers([_random.getrandbits(62) for _ in range(20)])
_MET: Final = 255
"""The bits of a key that tell most keys which no turn has begun with: without asking a dictionary."""


def _members(points: int) -> list[int]:
    """Return the numbers of the points of a set (board.BIT)."""
    found: list[int] = []
    while points:
        found.append((points & -points).bit_length() - 1)
        points &= points - 1
    return found


class Worths:
    """What a side's hoplites are worth by themselves, in 1/1000 logit.

    ``points`` has 90 numbers a side, first Black's: what a hoplite there is worth. ``stones`` is by hoplites of a side.
    ``mean`` is what each point is worth by which the side's mean distance to its goal is shorter.
    """

    def __init__(self, points: vec[i64], stones: vec[i64], mean: i64) -> None:
        self.points = points
        self.stones = stones
        self.mean = mean
        found: list[int] = [0] * (2 * POINTS)
        for size in range(1, MOST + 2):
            for at in range(2 * POINTS):
                found.append(points[at] - mean * (COUNTS[at] >> FAR) // (100 * size))
        self.by_size: vec[i64] = numbers(found)
        """What a hoplite on a point counts in all of that, by its side's number of hoplites."""


class PhalanxLine(LineOfPlay):
    """Positions along one line of play, from one root at ply 0: :meth:`expand` lists moves, :meth:`play` makes one."""

    def __init__(self, worths: Worths, again: i64) -> None:
        """Take what hoplites are worth, for the order of moves.

        ``again`` is how often a turn that begins as one before it on the line counts. 1 is the rule (R6). A search
        takes 2: what came once could come again, so it is a draw at once.
        """
        super().__init__(MAX_MOVES, END)
        self._worths = worths
        self._points = worths.points
        self._options = PLAIN
        self._again = again
        self._spots = [FlatPosition() for _ in range(DEEPEST + 6)]
        self._past: dict[int, int] = {}
        self._met: vec[i64] = zeros(_MET + 1)

    def board(self, ply: i64) -> tuple[int, int]:
        """Return the hoplites of Black and of White at a ply (board.BIT)."""
        spot = self._spots[ply]
        low: int = spot.own_low
        high: int = spot.own_high
        own = low | high << CUT
        low = spot.opp_low
        high = spot.opp_high
        opp = low | high << CUT
        return (opp, own) if spot.side else (own, opp)

    def spot(self, ply: i64) -> FlatPosition:
        """Return the position at a ply; the caller does not change it."""
        return self._spots[ply]

    def begin(self, position: Position) -> None:
        """Take a running position as the root, under its options, with what it knows of the turns before."""
        self._options = position.options
        spot = self._spots[0]
        spot.copy(FlatPosition())
        spot.side = SIDES.index(position.side)
        for points in sides(position):
            for point in _members(points):
                self._own_on(spot, point)
            spot.swap()
        spot.turn = position.turn
        spot.left = position.left
        spot.full = self._allowance(spot.turn)
        spot.idle = 1 if position.idle and spot.left == spot.full else 0
        self._past = {}
        self._met = zeros(_MET + 1)
        for side, black, white in position.past:
            self._note_turn_start(black, white, SIDES.index(side))

    def _note_turn_start(self, black: int, white: int, side: i64) -> None:
        """Take one start of a turn that the game has seen, the root's own included."""
        zobrist: i64 = 0
        for point in _members(black):
            zobrist ^= _ZOBRIST[point]
        for point in _members(white):
            zobrist ^= _ZOBRIST[POINTS + point]
        self._note(zobrist ^ _STATES[side])

    def _note(self, began: i64) -> None:
        self._past[began] = self._past.get(began, 0) + 1
        self._met[began & _MET] = 1

    def go_on(self) -> None:
        """Make the position after the move from the root the root, as a game does that takes nothing back."""
        first, second = self._spots[0], self._spots[1]
        self._spots[0], self._spots[1] = second, first
        if second.turn_start_key:
            self._note(second.turn_start_key)
            second.turn_start_key = 0

    def key(self, ply: i64) -> i64:
        """Return a position's key, with the actions left and whether the turn before was empty."""
        spot = self._spots[ply]
        return spot.zobrist ^ _STATES[spot.side * 10 + spot.idle * 5 + spot.left]

    # -- moves ---------------------------------------------------------------------------------------------------

    def expand(self, ply: i64) -> i64:
        """List every move; its order is what it gains in what hoplites are worth, and pushes come before others."""
        spot = self._spots[ply]
        worths = self._worths
        self.move_list[0] = ORDER - 400 << MOVE_BITS | END
        count: i64 = 1
        free_low = PLAY_LOW & ~(spot.own_low | spot.opp_low)
        free_high = PLAY_HIGH & ~(spot.own_high | spot.opp_high)
        near0, near1 = near_low(spot.own_low, spot.own_high), near_high(spot.own_low, spot.own_high)
        size = spot.own_count >> COUNT & 15
        side: i64 = size * 2 * POINTS + spot.side * POINTS
        if size < MOST:
            gain = worths.stones[size + 1] - worths.stones[size]
            gain += worths.mean * (spot.own_count >> FAR) // (100 * size * (size + 1))
            count = self._list(count, near0 & free_low, near1 & free_high, ADD, ORDER + gain, side + 2 * POINTS)
        if near0 & spot.opp_low | near1 & spot.opp_high:
            count = self._list_pushes(count, spot)
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
            count = self._list_moves(count, low, high, free_low, free_high, side)
        return count

    def _list_moves(self, count: i64, army_low: i64, army_high: i64, free_low: i64, free_high: i64, side: i64) -> i64:
        """List the moves of one army after ``count`` others; return how many are listed then, as all of these do."""
        worth = self._worths.by_size
        rest_low, rest_high = army_low, army_high
        while rest_low | rest_high:
            bit_low: i64 = rest_low & -rest_low
            bit_high: i64 = 0 if bit_low else rest_high & -rest_high
            rest_low ^= bit_low
            rest_high ^= bit_high
            source: i64 = NUMBER[bit_low % MODULUS] if bit_low else CUT + NUMBER[bit_high % MODULUS]
            low, high = army_low ^ bit_low, army_high ^ bit_high
            count = self._list(
                count,
                near_low(low, high) & free_low,
                near_high(low, high) & free_high,
                MOVE | source << 7,
                ORDER - worth[side + source],
                side,
            )
        return count

    def _list(self, count: i64, low: i64, high: i64, kind: i64, order: i64, side: i64) -> i64:
        """List one move to each of a set of points."""
        worth, listed = self._worths.by_size, self.move_list
        while low:
            bit = low & -low
            low ^= bit
            point = NUMBER[bit % MODULUS]
            listed[count] = order + worth[side + point] << MOVE_BITS | kind | point
            count += 1
        while high:
            bit = high & -high
            high ^= bit
            point = CUT + NUMBER[bit % MODULUS]
            listed[count] = order + worth[side + point] << MOVE_BITS | kind | point
            count += 1
        return count

    def expand_pushes(self, ply: i64) -> i64:
        """List every push, as :meth:`expand` does."""
        return self._list_pushes(0, self._spots[ply])

    def _list_pushes(self, count: i64, spot: FlatPosition) -> i64:
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
                    count = self._list_push(count, spot, way, NUMBER[(low & -low) % MODULUS])
                    low &= low - 1
                while high:
                    count = self._list_push(count, spot, way, CUT + NUMBER[(high & -high) % MODULUS])
                    high &= high - 1
            way += 1
        return count

    def _list_push(self, count: i64, spot: FlatPosition, way: i64, rear: i64) -> i64:
        landing = self._landing(spot, rear, way)
        if landing < 0:
            return count
        order: i64 = ORDER + PUSHED + (_KILLED if landing == POINTS else 0)
        self.move_list[count] = order << MOVE_BITS | PUSH | way << 7 | rear
        return count + 1

    def _landing(self, spot: FlatPosition, rear: i64, way: i64) -> i64:
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
        spot.outcome = outcome_for_own(spot)
        if spot.outcome == RUNS and spot.left == 0:
            return self._turn_over(ply + 1, False)
        return False

    def _push(self, spot: FlatPosition, rear: i64, way: i64) -> None:
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

    def _bury(self, spot: FlatPosition) -> None:
        """Take off own hoplites that stand alone."""
        low = spot.own_low & ~near_low(spot.own_low, spot.own_high)
        high = spot.own_high & ~near_high(spot.own_low, spot.own_high)
        while low:
            self._own_off(spot, NUMBER[(low & -low) % MODULUS])
            low &= low - 1
        while high:
            self._own_off(spot, CUT + NUMBER[(high & -high) % MODULUS])
            high &= high - 1

    def _own_on(self, spot: FlatPosition, point: i64) -> None:
        spot.own_low |= LOW_OF[point]
        spot.own_high |= HIGH_OF[point]
        at = spot.side * POINTS + point
        spot.zobrist ^= _ZOBRIST[at]
        spot.own_worth += self._points[at]
        spot.own_count += COUNTS[at]

    def _own_off(self, spot: FlatPosition, point: i64) -> None:
        spot.own_low &= ~LOW_OF[point]
        spot.own_high &= ~HIGH_OF[point]
        at = spot.side * POINTS + point
        spot.zobrist ^= _ZOBRIST[at]
        spot.own_worth -= self._points[at]
        spot.own_count -= COUNTS[at]

    def _turn_over(self, ply: i64, empty: bool) -> bool:
        """Begin the next turn. R6: a draw after two empty turns, or if a turn begins so for the third time."""
        spot = self._spots[ply]
        drawn = empty and spot.idle != 0
        spot.swap()
        spot.turn += 1
        spot.full = self._allowance(spot.turn)
        spot.left = spot.full
        spot.idle = 1 if empty else 0
        began = spot.zobrist ^ _STATES[spot.side]
        spot.turn_start_key = began
        # Nearly all turns begin as none before: a table of marks says so without the dictionary, which is slow.
        times: i64 = self._past.get(began, 0) if self._met[began & _MET] else 0
        while ply > 1:
            ply -= 1
            if self._spots[ply].turn_start_key == began:
                times += self._again
        if drawn or times >= 2:
            spot.outcome = DRAWN
        return True

    def _allowance(self, turn: i64) -> i64:
        """Return the actions of a turn (R3)."""
        return 4 if turn == 2 and self._options.second_player_bonus else 3

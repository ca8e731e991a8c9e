"""What a turn of Octiles leads to when the order of the stack is taken as known: alpha-beta of two, rounds of more.

A position is worth to a seat what the nodes of its runners are worth (thousandths of a logit), less what those of the
others are. The last turn of a search is not made: of it only the most matters that a seat can add to its sum.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.octiles.flat import LISTED, NO_TURN, SHOWN, WIN, FlatOctiles
from firmware_host.searching.vectors import vec, zeros

_SEATS: Final = 4
_NODES: Final = 36
_TURN_BITS: Final = 20
_TURN: Final = (1 << 20) - 1
_RAISED: Final = 1 << 30
"""Added to a gain, it is above 0."""
SURE: Final = 1 << 39
"""A value beyond it is a win that can't be kept from a seat, given the stack."""


class Lookahead(FlatOctiles):
    """Looks ahead from the position that is set up, and leaves it as it was."""

    def __init__(self) -> None:
        """Build the tables."""
        super().__init__()
        self._depth: i64 = 0
        self.ends: vec[i64] = zeros(_SEATS)
        """Seat → its sum at the end of the last round; ``SURE`` and more for the seat that won."""

    # -- two -------------------------------------------------------------------------------------------------------

    def duel(self, turn: i64, depth: i64) -> i64:
        """Return by how much the seat to move leads some turns after its turn, ``turn`` counted, the best replies made.

        Two seats play. ``SURE`` and more: it wins; ``-SURE`` and less: the other does.
        """
        seat = self.seat
        if self.make(turn):
            self.unmake()
            return WIN
        self._depth = 0
        value = self.sums[seat] - self.sums[self.seat]
        if depth > 1:
            value = -self._replies(depth - 1, -WIN * 2, WIN * 2)
        self.unmake()
        return value

    def _replies(self, depth: i64, alpha: i64, beta: i64) -> i64:
        """Return by how much the seat to move leads after so many turns, the best for both; sides beyond the bounds."""
        seat = self.seat
        lead = self.sums[seat] - self.sums[self.following[seat]]
        if depth == 1:
            gain = self.best()
            if gain >= SURE:
                return WIN - self.made
            return lead if gain == NO_TURN else lead + gain
        first: i64 = self._depth * LISTED
        last = self.turns(first, SHOWN)
        if last == first:
            self.skip()
            value = -self._replies(depth - 1, -beta, -alpha)
            self.unmake()
            return value
        if self._value_gains(first, last):
            return WIN - self.made
        most: i64 = NO_TURN
        self._depth += 1
        while first < last:
            key = self._next_best(first, last)
            first += 1
            # No reply takes anything from its own seat, nearly always: the last but one turn gains this at most.
            if depth == 2 and lead + (key >> _TURN_BITS) - _RAISED <= alpha:
                break
            self.make(key & _TURN)
            value = -self._replies(depth - 1, -beta, -alpha)
            self.unmake()
            most = max(most, value)
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        self._depth -= 1
        return most if most != NO_TURN else alpha

    def _value_gains(self, at: i64, last: i64) -> bool:
        """Put its gain before each turn of a list; tell whether one of them wins."""
        seat = self.seat
        winning: i64 = self.goal[seat] if self.arrived[seat] == self.runners - 1 else 0
        worth: i64 = seat * _NODES
        while at < last:
            turn = self.move_list[at]
            target: i64 = turn & 63
            if winning >> target & 1:
                return True
            gain: i64 = self._worth[worth + target] - self._worth[worth + (turn >> 6 & 63)]
            self.move_list[at] = gain + _RAISED << _TURN_BITS | turn
            at += 1
        return False

    def _next_best(self, first: i64, last: i64) -> i64:
        """Bring the turn with the greatest gain to the front of the rest of a list, and return it with its gain."""
        best = first
        at: i64 = first + 1
        while at < last:
            if self.move_list[at] > self.move_list[best]:
                best = at
            at += 1
        # One at a time: a cutoff mostly comes after the first few, so that sorting all would be wasted.
        key = self.move_list[best]
        self.move_list[best] = self.move_list[first]
        self.move_list[first] = key
        return key

    # -- more than two ---------------------------------------------------------------------------------------------

    def rounds(self, turn: i64, depth: i64) -> None:
        """Find what each seat's sum is some turns after a turn, ``turn`` counted: each adds the most to its own.

        ``ends`` are the sums then.
        """
        began = self.made
        winner: i64 = -1
        mover = self.seat
        if self.make(turn):
            winner = mover
        left: i64 = depth - 1
        added: i64 = 0
        while left > 0 and winner < 0:
            left -= 1
            mover = self.seat
            gain = self.best()
            if gain >= SURE:
                winner = mover
            elif gain == NO_TURN:
                self.skip()
            elif left:
                self.make(self.best_turn)
            else:
                added = gain
        seat: i64 = 0
        while seat < _SEATS:
            self.ends[seat] = self.sums[seat]
            seat += 1
        if winner >= 0:
            self.ends[winner] = WIN
        elif added:
            self.ends[mover] += added
        while self.made > began:
            self.unmake()

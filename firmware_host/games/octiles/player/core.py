"""A game of Octiles in machine words: turns are made and taken back by the hundred thousand.

A turn is one number: ``(well * 8 + eighths) << 12 | source << 6 | target``. Turnings that give the same lines are
listed once in the *short* list (the least of them), and all in the full one.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.octiles.board import BEYOND, PARTNER
from firmware_host.searching.vectors import numbers, vec, zeros

_NODES: Final = 36
_WELLS: Final = 17
_EDGES: Final = 136
"""Also the first number that stands for a node; ``_DEAD`` comes after the last."""
_DEAD: Final = 172
_SEATS: Final = 4
_RUNNERS: Final = 5
_LONGEST: Final = 4096
"""Turns that can be made after one another."""


class Track:
    """One game that goes on. Seats count from 0 here; a seat's runners keep their place in its list."""

    def __init__(self) -> None:
        """Build the tables of board and tiles; the game is set up by :meth:`set_up`."""
        self._one: i64 = 1
        """Compiled, a literal 1 that is shifted has no more than 32 bits."""
        self._beyond: vec[i64] = numbers(list(BEYOND))
        self._partner: vec[i64] = numbers([edge for partner in PARTNER for edge in partner])
        self._onward: vec[i64] = zeros(_EDGES)
        self.faces: vec[i64] = zeros(_WELLS)
        self.stack: vec[i64] = zeros(_LONGEST + 18)
        self.top: i64 = 0
        self.bottom: i64 = 0
        self.nodes: vec[i64] = zeros(_SEATS * _RUNNERS)
        """Seat * 5 + a runner of it → the node where it stands."""
        self.runners: i64 = 0
        """How many runners a seat has."""
        self.taken: i64 = 0
        self.seat: i64 = 0
        self.following: vec[i64] = zeros(_SEATS)
        self.arrived: vec[i64] = zeros(_SEATS)
        self.goal: vec[i64] = zeros(_SEATS)
        self.home: vec[i64] = zeros(_SEATS)
        self.open_to: vec[i64] = zeros(_SEATS)
        self.sums: vec[i64] = zeros(_SEATS)
        """Seat → the sum of what its runners' nodes are worth."""
        self._worth: vec[i64] = zeros(_SEATS * _NODES)
        self._made: vec[i64] = zeros(_LONGEST * 3)
        self.made: i64 = 0
        """How many turns have been made since the set-up."""

    # -- setting up ------------------------------------------------------------------------------------------------

    def set_up(self, faces: list[int], runners: list[list[int]], stack: list[int], following: list[int]) -> None:
        """Take a position: faces of the wells, nodes of each seat's runners, the stack, and who follows each seat.

        :meth:`seat_at` and :meth:`worth_of` tell the rest.
        """
        self.made, self.top, self.taken, self.runners = 0, 0, 0, len(runners[0])
        for number, tile in enumerate(stack):
            at: i64 = number
            self.stack[at] = tile
        self.bottom = len(stack)
        for number, face in enumerate(faces):
            well: i64 = number
            self._lay(well, face)
        one = self._one
        for number, nodes in enumerate(runners):
            for place, name in enumerate(nodes):
                node: i64 = name
                self.taken |= one << node
                at = number * _RUNNERS + place
                self.nodes[at] = node
        for number, later in enumerate(following):
            at = number
            self.following[at] = later

    def seat_at(self, number: int, home: int, goal: int, open_to: int) -> None:
        """Tell of a seat its home pads, the pads of its goal, and all nodes where it may end, each as a set of bits."""
        seat: i64 = number
        self.home[seat], self.goal[seat], self.open_to[seat] = home, goal, open_to
        self.arrived[seat] = 0
        at: i64 = seat * _RUNNERS
        while at < seat * _RUNNERS + self.runners:
            self.arrived[seat] += self.goal[seat] >> self.nodes[at] & 1
            at += 1

    def worth_of(self, number: int, worth: list[int]) -> None:
        """Tell what each node is worth to a runner of a seat."""
        seat: i64 = number
        for name, value in enumerate(worth):
            node: i64 = name
            self._worth[seat * _NODES + node] = value
        self.sums[seat] = 0
        at: i64 = seat * _RUNNERS
        while at < seat * _RUNNERS + self.runners:
            self.sums[seat] += self._worth[seat * _NODES + self.nodes[at]]
            at += 1

    def shuffle(self, tiles: list[int]) -> None:
        """Put other tiles on the stack from the second one on; what lies below them stays."""
        at: i64 = self.top + 1
        for tile in tiles:
            self.stack[at] = tile
            at += 1

    def state(self) -> tuple[list[int], list[list[int]], list[int], int]:
        """Return faces, the sorted nodes of each seat's runners, the stack and the seat to move, from 0."""
        stack = [int(self.stack[at]) for at in range(self.top, self.bottom)]
        nodes = [int(node) for node in self.nodes]
        runners = [sorted(nodes[seat * _RUNNERS : seat * _RUNNERS + int(self.runners)]) for seat in range(_SEATS)]
        return [int(face) for face in self.faces], runners, stack, int(self.seat)

    # -- making turns ----------------------------------------------------------------------------------------------

    def _lay(self, well: i64, face: i64) -> None:
        """Lay a face in a well, 0 for none."""
        self.faces[well] = face
        first: i64 = well * 8
        direction: i64 = 0
        while direction < 8:
            if face:
                self._onward[first + direction] = self._beyond[first + self._partner[face * 8 + direction]]
            else:
                self._onward[first + direction] = _DEAD
            direction += 1

    def _run(self, source: i64, target: i64) -> None:
        """Let a runner of the seat to move go from a node to another one."""
        seat = self.seat
        one = self._one
        at: i64 = seat * _RUNNERS
        while self.nodes[at] != source:
            at += 1
        self.nodes[at] = target
        self.taken ^= one << source | one << target
        self.arrived[seat] += (self.goal[seat] >> target & 1) - (self.goal[seat] >> source & 1)
        self.sums[seat] += self._worth[seat * _NODES + target] - self._worth[seat * _NODES + source]

    def make(self, turn: i64) -> bool:
        """Make a turn; tell whether it wins. Then the seat to move stays, as in the rules."""
        well: i64 = turn >> 15
        source: i64 = turn >> 6 & 63
        target: i64 = turn & 63
        covered = self.faces[well]
        at: i64 = self.made * 3
        self._made[at] = turn
        self._made[at + 1] = covered
        self._made[at + 2] = self.seat
        self.made += 1
        self._lay(well, self.stack[self.top] << 3 | turn >> 12 & 7)
        self.top += 1
        if covered:
            self.stack[self.bottom] = covered >> 3
            self.bottom += 1
        if source != target:
            self._run(source, target)
            if self.arrived[self.seat] == self.runners:
                return True
        self.seat = self.following[self.seat]
        return False

    def skip(self) -> None:
        """Make a pass."""
        at: i64 = self.made * 3
        self._made[at] = -1
        self._made[at + 2] = self.seat
        self.made += 1
        self.seat = self.following[self.seat]

    def unmake(self) -> None:
        """Take back the last turn or pass."""
        self.made -= 1
        at: i64 = self.made * 3
        turn = self._made[at]
        self.seat = self._made[at + 2]
        if turn < 0:
            return
        covered = self._made[at + 1]
        self.top -= 1
        if covered:
            self.bottom -= 1
        self._lay(turn >> 15, covered)
        source: i64 = turn >> 6 & 63
        target: i64 = turn & 63
        if source != target:
            self._run(target, source)

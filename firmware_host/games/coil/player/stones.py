"""The stones on the board of Coil, and the cells where a black one closes a ring at once, for mypyc to compile.

Each cell knows which of its six neighbours are black, and which are white or off the board, a bit each in a circle;
each black stone knows its group. So the stone that closes a coil is seen from the stones near the last one.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.coil.board import board
from firmware_host.games.coil.player.circles import BLACK, BRIDGED, GAP_OF_FIVE, OPPOSITE, RUNS, WHITE
from firmware_host.searching.tree import Rules, zeros

try:
    from librt.vecs import vec
except ImportError:  # The plain form needs nothing that has to be compiled or installed.
    from firmware_host.searching.vectors import vec  # type: ignore[assignment]

_OFF: Final = 3


def _vector(numbers: list[int]) -> vec[i64]:
    found = zeros(len(numbers))
    at: i64 = 0
    while at < len(numbers):
        found[at] = numbers[at]
        at += 1
    return found


class Stones(Rules):
    """The board of one size. ``owner`` holds the stones; moves are the bit numbers of the cells."""

    def __init__(self, size: int) -> None:
        """Take the tables of a size from its board."""
        cells = board(size)
        number: int = cells.length + cells.width + 2
        super().__init__(number)
        self._size: i64 = number
        self._steps: vec[i64] = _vector(list(cells.steps))
        self._far: vec[i64] = _vector([cells.steps[k] + cells.steps[(k + 1) % 6] for k in range(6)])
        self._numbers: list[int] = list(cells.cells)
        self._cells: vec[i64] = _vector(self._numbers)
        self._rim: vec[i64] = _vector([int(cells.rim >> cell & 1) for cell in range(number)])
        self._runs: vec[i64] = _vector(RUNS)
        self._gap: vec[i64] = _vector(GAP_OF_FIVE)
        self._bridged: vec[i64] = _vector(BRIDGED)
        self._opposite: vec[i64] = _vector(OPPOSITE)
        self._black: vec[i64] = zeros(number)
        self._white: vec[i64] = zeros(number)
        self._group: vec[i64] = zeros(number)
        self._next: vec[i64] = zeros(number)
        self._stones: vec[i64] = zeros(number)
        self._free: vec[i64] = zeros(number)
        self._place: vec[i64] = zeros(number)
        self._threats: vec[i64] = zeros(number)
        self._joined: vec[i64] = zeros(number)
        self._left: i64 = 0
        self._threat_count: i64 = 0
        self._side: i64 = 0
        self._last: i64 = 0
        self._root_owner: vec[i64] = zeros(number)
        self._root_black: vec[i64] = zeros(number)
        self._root_white: vec[i64] = zeros(number)
        self._root_group: vec[i64] = zeros(number)
        self._root_next: vec[i64] = zeros(number)
        self._root_stones: vec[i64] = zeros(number)
        self._root_free: vec[i64] = zeros(number)
        self._root_place: vec[i64] = zeros(number)
        self._root_threats: vec[i64] = zeros(number)
        self._root_left: i64 = 0
        self._root_threat_count: i64 = 0
        self._root_side: i64 = 0
        self._root_last: i64 = 0

    def begin(self, black: int, white: int, side: int, last: int, seed: int) -> None:
        """Take a position without a coil as the root. ``last`` is the bit number of the last stone, 0: not known."""
        self._clear()
        self._side = side
        self.drawn = (seed & 0xFFFFFFFF) | 1
        for cell in self._numbers:  # As ints: a set of cells is longer than a machine word.
            if black >> cell & 1:
                self._put_black(cell)
            elif white >> cell & 1:
                self._put_white(cell)
        self._last = last
        self._keep()

    def _clear(self) -> None:
        """Empty the board."""
        at: i64 = 0
        while at < self._size:
            self.owner[at] = _OFF
            self._black[at] = 0
            self._white[at] = 0
            at += 1
        self._left = len(self._cells)
        self._threat_count = 0
        at = 0
        while at < self._left:
            cell = self._cells[at]
            self.owner[cell] = 0
            self._free[at] = cell
            self._place[cell] = at
            at += 1
        at = 0
        while at < self._left:
            cell = self._cells[at]
            k: i64 = 0
            while k < 6:
                if self.owner[cell + self._steps[k]] == _OFF:
                    self._white[cell] |= 1 << k
                k += 1
            at += 1

    def _keep(self) -> None:
        """Remember what there is as the root."""
        self._root_owner = self.owner[:]
        self._root_black = self._black[:]
        self._root_white = self._white[:]
        self._root_group = self._group[:]
        self._root_next = self._next[:]
        self._root_stones = self._stones[:]
        self._root_free = self._free[:]
        self._root_place = self._place[:]
        self._root_threats = self._threats[:]
        self._root_left = self._left
        self._root_threat_count = self._threat_count
        self._root_side = self._side
        self._root_last = self._last

    def reset(self) -> None:
        """Go back to the root."""
        self.owner = self._root_owner[:]
        self._black = self._root_black[:]
        self._white = self._root_white[:]
        self._group = self._root_group[:]
        self._next = self._root_next[:]
        self._stones = self._root_stones[:]
        self._free = self._root_free[:]
        self._place = self._root_place[:]
        self._threats = self._root_threats[:]
        self._left = self._root_left
        self._threat_count = self._root_threat_count
        self._side = self._root_side
        self._last = self._root_last

    # -- stones --------------------------------------------------------------------------------------------------

    def _take(self, cell: i64) -> None:
        """Take a cell from those that are free."""
        self._left -= 1
        last = self._free[self._left]
        at = self._place[cell]
        self._free[at] = last
        self._place[last] = at

    def _put_white(self, cell: i64) -> None:
        self._take(cell)
        self.owner[cell] = WHITE
        white, steps = self._white, self._steps
        k: i64 = 0
        while k < 6:
            white[cell + steps[k]] |= self._opposite[k]
            k += 1
        if self._threat_count:
            self._stop(cell)

    def _stop(self, cell: i64) -> None:
        """Strike a cell from the threats."""
        at: i64 = 0
        while at < self._threat_count:
            if self._threats[at] == cell:
                self._threat_count -= 1
                self._threats[at] = self._threats[self._threat_count]
                return
            at += 1

    def _put_black(self, cell: i64) -> None:
        """Put a black stone that closes no coil, and find what closes one now."""
        self._take(cell)
        black, steps, owner = self._black, self._steps, self.owner
        owner[cell] = BLACK
        joined = self._join(cell)
        flowers = False
        k: i64 = 0
        while k < 6:
            near = cell + steps[k]
            black[near] |= self._opposite[k]
            if owner[near] == BLACK and self._gap[black[near]] >= 0:
                flowers = True
            k += 1
        if flowers or self._gap[black[cell]] >= 0:
            self._look_for_flowers(cell)
        self._look_round(cell)
        at: i64 = 0
        while at < joined:
            self._look_round(self._joined[at])
            at += 1

    def _join(self, cell: i64) -> i64:
        """Join a new stone with the groups round it; return the number of stones that are of another group now."""
        group, following, stones = self._group, self._next, self._stones
        group[cell] = cell
        following[cell] = cell
        stones[cell] = 1
        runs = self._runs[self._black[cell]]
        count: i64 = 0
        while runs:
            other = group[cell + self._steps[(runs & 7) - 1]]
            runs >>= 3
            one = group[cell]
            if other == one:
                continue
            if stones[one] > stones[other]:
                one, other = other, one
            # All stones of one become stones of other.
            stone = one
            while True:
                group[stone] = other
                if stone != cell:
                    self._joined[count] = stone
                    count += 1
                stone = following[stone]
                if stone == one:
                    break
            stones[other] += stones[one]
            after = following[one]
            following[one] = following[other]
            following[other] = after
        return count

    def _look_round(self, stone: i64) -> None:
        """Add the empty cells next to a stone that close a coil to the threats."""
        taken = self._black[stone] | self._white[stone]
        if taken == 63:
            return
        k: i64 = 0
        while k < 6:
            if taken >> k & 1 == 0:
                cell = stone + self._steps[k]
                runs = self._runs[self._black[cell]]
                if runs > 7 and self._closes(cell, runs):
                    self._threaten(cell)
            k += 1

    def _closes(self, cell: i64, runs: i64) -> bool:
        """Tell whether two of the runs of black round a cell are of one group."""
        group, steps = self._group, self._steps
        first = group[cell + steps[(runs & 7) - 1]]
        second = group[cell + steps[(runs >> 3 & 7) - 1]]
        if first == second:
            return True
        if runs < 64:
            return False
        third = group[cell + steps[(runs >> 6) - 1]]
        return third in (first, second)

    def _look_for_flowers(self, cell: i64) -> None:
        """Add the sixth neighbour of black stones that have five black ones to the threats."""
        k: i64 = -1
        while k < 6:
            stone = cell if k < 0 else cell + self._steps[k]
            if self.owner[stone] == BLACK:
                gap = self._gap[self._black[stone]]
                if gap >= 0 and self._white[stone] >> gap & 1 == 0:
                    self._threaten(stone + self._steps[gap])
            k += 1

    def _threaten(self, cell: i64) -> None:
        at: i64 = 0
        while at < self._threat_count:
            if self._threats[at] == cell:
                return
            at += 1
        self._threats[self._threat_count] = cell
        self._threat_count += 1

    def threats(self) -> list[int]:
        """Return the cells where a black stone closes a coil."""
        found: list[int] = []
        at: i64 = 0
        while at < self._threat_count:
            found.append(self._threats[at])
            at += 1
        return sorted(found)

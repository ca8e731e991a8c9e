"""The rules of Coil in flat form, for searches: the game is played from a root again and again, mypyc compiles it.

Everything that asks many positions uses it: the computer player, the puzzles, the engine's random games and counts.
``tests/games/test_coil_forms.py`` compares it with :mod:`firmware_host.games.coil.rules`, exactly and in every phase.

Cells are the bit numbers of the board's sets; around the board lies padding, which belongs to nobody. Each cell knows
which of its six neighbours are black, and which are white or padding: a *circle*, bit k for direction k. Each black
stone knows its group, as a ring of stones linked by ``_next``. Two questions follow from that:

**Which cells close a coil at once** (:meth:`FlatCoil.threats`)? A black stone closes one exactly if two separate runs
of black around its cell belong to one group, or if it is the sixth neighbour of a black stone (a *flower*, whose middle
is the enclosed cell). A new stone changes that only around the stones whose group it changes: the smaller of two joined
groups is renamed, and the empty cells around its stones are looked at again.

**Is a coil possible any more** (:meth:`FlatCoil.is_safe`)? A flood over white stones from the rim shows it: a coil is
possible until every cell lies on the rim, or next to a white stone that is joined to the rim by white ones. On a full
board that is: has White won?
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mypy_extensions import i64

from firmware_host.games.coil.board import board
from firmware_host.games.coil.rules import Position
from firmware_host.games.game import OverBudget
from firmware_host.searching.tree import PRIOR_GAMES, Rules
from firmware_host.searching.vectors import numbers, vec, zeros

BLACK: Final = 1
WHITE: Final = 2
"""The owners of stones, and the sides of the main phase."""
_PADDING: Final = 3
PASS: Final = 0
"""The pass among the moves: no cell has this number."""
COIL: Final = 1
FULL: Final = 2
"""How a game has ended."""


# -- circles -----------------------------------------------------------------------------------------------------------


def _runs(circle: int) -> int:
    """Return the first direction of each run of neighbours, plus 1, three bits each; a full circle is one run."""
    if circle == 63:
        return 1
    found = [k for k in range(6) if circle >> k & 1 and not circle >> (k - 1) % 6 & 1]
    return sum([k + 1 << 3 * place for place, k in enumerate(found)])


def _gap_of_five(circle: int) -> int:
    """Return the direction that is missing where all others are there, else -1."""
    return next((k for k in range(6) if circle == 63 ^ 1 << k), -1)


_RUNS: Final = [_runs(circle) for circle in range(64)]
_GAP_OF_FIVE: Final = [_gap_of_five(circle) for circle in range(64)]
_OPPOSITE: Final = [1 << (k + 3) % 6 for k in range(6)]
"""Direction → the bit by which a neighbour sees a cell."""


class FlatCoil(Rules):
    """The game on a board of one size, from its root on. Moves are cells, and :data:`PASS`.

    As the :class:`Rules` of a tree, for the main phase, it knows no more than how a game ends.
    """

    def __init__(self, size: int) -> None:
        """Take the tables of a size from its board."""
        cells = board(size)
        length: int = cells.length + cells.width + 2
        super().__init__(length)
        self.size = size
        self._bits: list[int] = list(cells.cells)
        self._cells: vec[i64] = numbers(self._bits)
        self._steps: vec[i64] = numbers(cells.steps)
        self._rim: vec[i64] = numbers(cells.members(cells.rim))
        self._outside: vec[i64] = numbers([int(not (cells.all & ~cells.rim) >> cell & 1) for cell in range(length)])
        """What a flood has reached when it begins: the rim, and the padding."""
        self._runs: vec[i64] = numbers(_RUNS)
        self._gap: vec[i64] = numbers(_GAP_OF_FIVE)
        self._opposite: vec[i64] = numbers(_OPPOSITE)
        self._queue: vec[i64] = zeros(length)
        self._root: FlatCoil | None = None
        # The game, as `_copy` has it:
        self.seat: i64 = 0
        """The seat to move, or that has ended the game."""
        self.holder: i64 = 0
        """The seat that plays black, 0 before somebody has passed."""
        self.ending: i64 = 0
        """How the game has ended, 0 while it goes on."""
        self.winner: i64 = 0
        """The seat that has won."""
        self._black: vec[i64] = zeros(length)
        """Cell → the circle of its black neighbours."""
        self._white: vec[i64] = zeros(length)
        """Cell → the circle of its neighbours that are white or padding."""
        self._group: vec[i64] = zeros(length)
        """Black stone → the stone that its group is named after."""
        self._next: vec[i64] = zeros(length)
        """Black stone → the next one of its group, in a ring."""
        self._stones: vec[i64] = zeros(length)
        """Name of a group → the number of its stones."""
        self._free: vec[i64] = zeros(length)
        """The empty cells, ``_left`` of them, in any order."""
        self._place: vec[i64] = zeros(length)
        """Empty cell → its place in ``_free``."""
        self._left: i64 = 0
        self._threats: vec[i64] = zeros(length)
        self._threat_count: i64 = 0
        self._last: i64 = 0
        """The cell of the last stone, 0: not known."""

    # -- the root ------------------------------------------------------------------------------------------------

    def begin(self, position: Position) -> None:
        """Take a position that goes on as the root, under its options."""
        self._clear()
        black, white = position.black, position.white
        for cell in self._bits:  # As ints: a set of cells is longer than a machine word.
            if black >> cell & 1:
                self._put_black(cell)
            elif white >> cell & 1:
                self._put_white(cell)
        self.seat, self.holder, self.ending, self.winner, self._last = position.seat, position.holder, 0, 0, 0
        if self._root is None:
            self._root = FlatCoil(self.size)
        self._root._copy(self)

    def reset(self) -> None:
        """Go back to the root."""
        if self._root is not None:
            self._copy(self._root)

    def _copy(self, other: FlatCoil) -> None:
        """Become as another game is."""
        self.owner = other.owner[:]
        self.seat = other.seat
        self.holder = other.holder
        self.ending = other.ending
        self.winner = other.winner
        self._black = other._black[:]
        self._white = other._white[:]
        self._group = other._group[:]
        self._next = other._next[:]
        self._stones = other._stones[:]
        self._free = other._free[:]
        self._place = other._place[:]
        self._left = other._left
        self._threats = other._threats[:]
        self._threat_count = other._threat_count
        self._last = other._last

    def _clear(self) -> None:
        """Empty the board."""
        at: i64 = 0
        while at < len(self.owner):
            self.owner[at] = _PADDING
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
                if self.owner[cell + self._steps[k]] == _PADDING:
                    self._white[cell] |= 1 << k
                k += 1
            at += 1

    # -- the game ------------------------------------------------------------------------------------------------

    def side(self) -> i64:
        """Return the colour of the stone that the seat to move puts; in phase I it is black."""
        return WHITE if self.holder == 3 - self.seat else BLACK

    def list_moves(self) -> i64:
        """List the empty cells, and in phase I the pass; return their number."""
        at: i64 = 0
        while at < self._left:
            self.move_list[at] = self._free[at]
            self.priors[at] = PRIOR_GAMES >> 1
            at += 1
        if self.holder == 0:
            self.move_list[at] = PASS
            at += 1
        return at

    def play(self, move: i64) -> None:
        """Play a legal move of a game that goes on."""
        if move == PASS:
            self.holder = self.seat
            self.seat = 3 - self.seat
            return
        side = self.side()
        if side == BLACK and self._is_threat(move):
            self.owner[move] = BLACK
            self._close()
            return
        self.put(move, side)
        if self._left == 0:
            self._fill()
        else:
            self.seat = 3 - self.seat

    def put(self, cell: i64, side: i64) -> None:
        """Put a stone of a side that closes no coil; whose turn it is does not change."""
        if side == BLACK:
            self._put_black(cell)
        else:
            self._put_white(cell)
        self._last = cell

    def coil_winner(self) -> i64:
        """Return the seat that wins when the seat to move closes a coil. R1: before the first pass the other one."""
        return self.seat if self.holder else 3 - self.seat

    def _close(self) -> None:
        """End the game by a coil of the seat to move."""
        self.ending = COIL
        self.winner = self.coil_winner()

    def _fill(self) -> None:
        """End the game by a full board without a coil: White wins."""
        self.ending = FULL
        self.winner = 3 - self.holder

    def known_winner(self) -> i64:
        """Return the side that has won, 0 where none has."""
        if self.ending == 0:
            return 0
        return BLACK if self.ending == COIL else WHITE

    def winner_without_moves(self) -> i64:
        """Return White, which is safe where no moves were listed."""
        return WHITE

    def perft(self, path: list[int], depth: int, out_of_time: Callable[[], bool]) -> int:
        """Return the number of sequences of ``depth`` moves after a path from the root; an end ends a sequence.

        Raise OverBudget when time is out.
        """
        if out_of_time():
            raise OverBudget("depth: not all sequences could be counted in the time (seconds)")
        self.reset()
        for move in path:
            self.play(move)
        if depth == 0 or self.ending:
            return 1
        moves = self.list_moves()
        if depth == 1:
            return moves
        following = [self.move_list[at] for at in range(moves)]
        return sum([self.perft([*path, move], depth - 1, out_of_time) for move in following])

    # -- random games --------------------------------------------------------------------------------------------

    def playout(self) -> i64:
        """Play random legal moves to the end, all equally likely, and return the side that wins.

        In phase II the number of black stones only grows, so the full board shows who has won: it is filled at once.
        In phase I the pass is as likely as each cell: any number of stones comes before it, each equally likely.
        """
        if self.holder == 0:
            stones = self.draw(self._left + 1)
            while stones and self.ending == 0:
                self.play(self._free[self.draw(self._left)])
                stones -= 1
            if self.ending == 0:
                self.play(PASS)
        if self.ending == 0:
            side = self.side()
            free, owner = self._free, self.owner
            self.shuffle(free, self._left)
            at = self._left - 1
            while at >= 0:
                owner[free[at]] = side
                side = 3 - side
                at -= 1
            if self.is_safe():
                self._fill()
            else:
                self.seat = self.holder
                self._close()
        return self.known_winner()

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
            self._look_round(self._queue[at])
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
                    self._queue[count] = stone
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
        if not self._is_threat(cell):
            self._threats[self._threat_count] = cell
            self._threat_count += 1

    def _is_threat(self, cell: i64) -> bool:
        at: i64 = 0
        while at < self._threat_count:
            if self._threats[at] == cell:
                return True
            at += 1
        return False

    def threats(self) -> list[int]:
        """Return the cells where a black stone closes a coil, in ascending order."""
        return sorted([int(self._threats[at]) for at in range(self._threat_count)])

    # -- is a coil possible? -------------------------------------------------------------------------------------

    def is_safe(self) -> bool:
        """Tell whether White can't lose any more: even black stones on all empty cells would close no coil."""
        owner, steps, queue = self.owner, self._steps, self._queue
        reached = self._outside[:]
        waiting: i64 = 0
        at: i64 = 0
        while at < len(self._rim):
            if owner[self._rim[at]] == WHITE:
                queue[waiting] = self._rim[at]
                waiting += 1
            at += 1
        missing: i64 = len(self._cells) - len(self._rim)
        at = 0
        while at < waiting:
            cell = queue[at]
            k: i64 = 0
            while k < 6:
                near = cell + steps[k]
                if reached[near] == 0:
                    reached[near] = 1
                    missing -= 1
                    if owner[near] == WHITE:
                        queue[waiting] = near
                        waiting += 1
                k += 1
            at += 1
        return missing == 0

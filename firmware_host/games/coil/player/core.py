"""Random games of the main phase in which no ring that closes in one is missed, for mypyc to compile.

Black closes a coil where it can, and White stops a coil that would close next.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.coil.player.circles import BLACK, WHITE
from firmware_host.games.coil.player.stones import Stones
from firmware_host.searching.tree import PRIOR_GAMES, zeros

_LOCAL: Final = 8
"""In so many of 16 turns of a random game the reply is next to the last stone, where there is room."""


class Core(Stones):
    """The main phase on a board of one size: what the tree asks of it, and random games."""

    # -- what the tree asks --------------------------------------------------------------------------------------

    def side(self) -> i64:
        """Return the side to move."""
        return self._side

    def decided(self) -> i64:
        """Return the side of which it is seen at once that it wins, 0 where none is."""
        if self._threat_count:
            if self._side == BLACK or self._threat_count > 1:
                return BLACK
        elif self._left == 0:
            return WHITE
        return 0

    def proved(self) -> i64:
        """Return White, which is safe where no moves were listed."""
        return WHITE

    def play(self, move: i64) -> None:
        """Put the stone of the side to move."""
        if self._side == BLACK:
            self._put_black(move)
            self._side = WHITE
        else:
            self._put_white(move)
            self._side = BLACK
        self._last = move

    def list_moves(self) -> i64:
        """List the only cell that stops a coil, or else all that are empty; none where White is safe."""
        if self._threat_count == 1:
            self.listed[0] = self._threats[0]
            self.priors[0] = PRIOR_GAMES >> 1
            return 1
        if self._is_safe():
            return 0
        at: i64 = 0
        while at < self._left:
            cell = self._free[at]
            self.listed[at] = cell
            self.priors[at] = self._prior(cell)
            at += 1
        return self._left

    def _prior(self, cell: i64) -> i64:
        """Return how many of ``PRIOR_GAMES`` a stone may win: near the last one, at a bridge, away from the rim."""
        prior: i64 = PRIOR_GAMES >> 1
        owner, steps, far, last = self.owner, self._steps, self._far, self._last
        taken = self._black[cell] | self._white[cell]
        if self._rim[cell]:
            prior -= 4
        bridges: i64 = 0
        k: i64 = 0
        while k < 6:
            if cell + steps[k] == last:
                prior += 2
            following: i64 = k + 1 if k < 5 else 0
            if taken >> k & 1 == 0 and taken >> following & 1 == 0:
                other = cell + far[k]
                if owner[other] == self._side:
                    bridges += 1
                if other == last:
                    prior += 1
            k += 1
        if bridges:
            prior += 2
        return prior if prior > 1 else 1

    def _is_safe(self) -> bool:
        """Tell whether White can't lose: all white stones are joined to the rim, and no inner cell is without one."""
        at: i64 = 0
        while at < len(self._cells):
            if self._white[self._cells[at]] == 0:
                return False
            at += 1
        return self._all_joined()

    def _all_joined(self) -> bool:
        """Tell whether every white stone is joined to the rim by white stones."""
        owner, steps, reached = self.owner, self._steps, self._joined
        seen = zeros(self._size)
        count: i64 = 0
        white: i64 = 0
        at: i64 = 0
        while at < len(self._cells):
            cell = self._cells[at]
            if owner[cell] == WHITE:
                white += 1
                if self._rim[cell]:
                    seen[cell] = 1
                    reached[count] = cell
                    count += 1
            at += 1
        at = 0
        while at < count:
            k: i64 = 0
            while k < 6:
                near = reached[at] + steps[k]
                if owner[near] == WHITE and seen[near] == 0:
                    seen[near] = 1
                    reached[count] = near
                    count += 1
                k += 1
            at += 1
        return count == white

    # -- random games --------------------------------------------------------------------------------------------

    def playout(self) -> i64:
        """Play to the end by chance and return the side that wins."""
        while True:
            if self._threat_count:
                if self._side == BLACK or self._threat_count > 1:
                    self.owner[self._threats[0]] = BLACK
                    return BLACK
                self.play(self._threats[0])
            elif self._left == 0:
                return WHITE
            else:
                self.play(self._reply())

    def _reply(self) -> i64:
        """Return where the side to move puts a stone: at a broken bridge, near the last stone, or anywhere."""
        last = self._last
        if last:
            if self._side == WHITE:
                gaps = self._bridged[self._white[last]] & ~self._black[last]
                if gaps:
                    return last + self._steps[self._one_of(gaps)]
            drawn = self.draw(96)
            if drawn < 6 * _LOCAL:
                k = drawn % 6
                if (self._black[last] | self._white[last]) >> k & 1 == 0:
                    return last + self._steps[k]
        return self._free[self.draw(self._left)]

    def _one_of(self, directions: i64) -> i64:
        """Return one direction of a set, the first after one by chance."""
        k = self.draw(6)
        while directions >> k & 1 == 0:
            k = k + 1 if k < 5 else 0
        return k

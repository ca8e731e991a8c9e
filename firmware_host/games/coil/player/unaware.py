"""Random games of Coil that know nothing of threats and fill the board at random: the player is measured with them."""

from __future__ import annotations

from mypy_extensions import i64

from firmware_host.games.coil.player.circles import BLACK, WHITE
from firmware_host.games.coil.player.core import Core
from firmware_host.searching.tree import PRIOR_GAMES


class UnawareCore(Core):
    """The same rules for plain Monte Carlo with RAVE: no forced replies, no bridges, nothing known beforehand."""

    def __init__(self, size: int) -> None:
        """Take the tables of a size from its board."""
        super().__init__(size)
        self._closed = False

    def reset(self) -> None:
        """Go back to the root."""
        super().reset()
        self._closed = False

    def decided(self) -> i64:
        """Return the side that has won, 0 where none has."""
        if self._closed:
            return BLACK
        return WHITE if self._left == 0 else 0

    def play(self, move: i64) -> None:
        """Put the stone of the side to move."""
        if self._side == BLACK:
            at: i64 = 0
            while at < self._threat_count:
                if self._threats[at] == move:
                    self._closed = True
                    self.owner[move] = BLACK
                    return
                at += 1
        super().play(move)

    def list_moves(self) -> i64:
        """List all empty cells."""
        at: i64 = 0
        while at < self._left:
            self.listed[at] = self._free[at]
            self.priors[at] = PRIOR_GAMES >> 1
            at += 1
        return self._left

    def playout(self) -> i64:
        """Fill the board at random and return the side that wins."""
        side = self._side
        while self._left:
            cell = self._free[self.draw(self._left)]
            self._take(cell)
            self.owner[cell] = side
            side = 3 - side
        return BLACK if self._cut_off() else WHITE

    def _cut_off(self) -> bool:
        """Tell whether black stones on a full board cut a cell off."""
        at: i64 = 0
        while at < len(self._cells):
            cell = self._cells[at]
            if self.owner[cell] == BLACK and self._is_surrounded(cell):
                return True
            at += 1
        return not self._all_joined()

    def _is_surrounded(self, cell: i64) -> bool:
        k: i64 = 0
        while k < 6:
            if self.owner[cell + self._steps[k]] != BLACK:
                return False
            k += 1
        return True

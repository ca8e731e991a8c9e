"""What the player of Coil knows beyond the rules, for its tree: forced replies, bridges, and decided positions.

In random games no coil that closes in one is missed: Black closes it, and White stops one that would close next.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.coil.flat import BLACK, WHITE, FlatCoil
from firmware_host.searching.tree import PRIOR_GAMES
from firmware_host.searching.vectors import numbers, vec

_LOCAL: Final = 8
"""In so many of 16 turns of a random game the reply is next to the last stone, where there is room."""


def _bridge_directions(circle: int) -> int:
    """Return the directions that are missing between two that are there: a stone there joins or cuts a bridge."""
    missing = [k for k in range(6) if not circle >> k & 1]
    return sum([1 << k for k in missing if circle >> (k - 1) % 6 & 1 and circle >> (k + 1) % 6 & 1])


class Core(FlatCoil):
    """The main phase on a board of one size: what the tree asks of it, and random games."""

    def __init__(self, size: int) -> None:
        """Take the tables of a size."""
        super().__init__(size)
        self._far: vec[i64] = numbers([self._steps[k] + self._steps[(k + 1) % 6] for k in range(6)])
        """Direction k → the step to the cell beyond the two neighbours in directions k and k + 1."""
        self._bridged: vec[i64] = numbers([_bridge_directions(circle) for circle in range(64)])

    # -- what the tree asks --------------------------------------------------------------------------------------

    def known_winner(self) -> i64:
        """Return the side of which it is seen at once that it wins, 0 where none is."""
        if self._threat_count:
            if self.seat == self.holder or self._threat_count > 1:
                return BLACK
        elif self._left == 0:
            return WHITE
        return 0

    def play(self, move: i64) -> None:
        """Put the stone of the side to move, which closes no coil."""
        if self.seat == self.holder:
            self._put_black(move)
        else:
            self._put_white(move)
        self.seat = 3 - self.seat
        self._last = move

    def list_moves(self) -> i64:
        """List the only cell that stops a coil, or else all that are empty; none where White is safe."""
        if self._threat_count == 1:
            self.move_list[0] = self._threats[0]
            self.priors[0] = PRIOR_GAMES >> 1
            return 1
        if self.is_safe():
            return 0
        at: i64 = 0
        while at < self._left:
            cell = self._free[at]
            self.move_list[at] = cell
            self.priors[at] = self._prior(cell)
            at += 1
        return self._left

    def _prior(self, cell: i64) -> i64:
        """Return how many of ``PRIOR_GAMES`` a stone may win: near the last one, at a bridge, away from the rim."""
        prior: i64 = PRIOR_GAMES >> 1
        side, owner, steps, far, last = self.side(), self.owner, self._steps, self._far, self._last
        taken = self._black[cell] | self._white[cell]
        if self._outside[cell]:
            prior -= 4
        bridges: i64 = 0
        k: i64 = 0
        while k < 6:
            if cell + steps[k] == last:
                prior += 2
            following: i64 = k + 1 if k < 5 else 0
            if taken >> k & 1 == 0 and taken >> following & 1 == 0:
                other = cell + far[k]
                if owner[other] == side:
                    bridges += 1
                if other == last:
                    prior += 1
            k += 1
        if bridges:
            prior += 2
        return prior if prior > 1 else 1

    # -- random games --------------------------------------------------------------------------------------------

    def playout(self) -> i64:
        """Play to the end by chance and return the side that wins."""
        while True:
            if self._threat_count:
                if self.seat == self.holder or self._threat_count > 1:
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
            if self.seat != self.holder:
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

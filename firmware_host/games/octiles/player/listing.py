"""Turns of Octiles listed in machine words, and the last turn of a search, of which only the most matters.

What :mod:`firmware_host.games.octiles.ways` finds by following every turning is found here by *offsets*. A tile that
is turned in all eight ways leads a line that enters by direction ``d`` out by ``d + o`` for a few offsets ``o`` only,
whatever ``d`` is; and where the line then leads is the same for all turnings. So each way out of a well is followed
once, and a turning matters only where the line comes back to the same well.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.octiles.board import MEETS, PADS, PARTNER
from firmware_host.games.octiles.player.core import Track
from firmware_host.searching.vectors import numbers, vec, zeros

_NODES: Final = 36
_EDGES: Final = 136
"""Also the first number that stands for a node; ``_DEAD`` comes after the last."""
_DEAD: Final = 172
_RUNNERS: Final = 5
LISTED: Final = 2720
"""Turns in a list at most: runners, their lines, wells and turnings."""
DEEPEST: Final = 8
"""Lists that can be kept at once."""
WIN: Final = 1 << 40
NO_TURN: Final = -(1 << 50)


def period(tile: int) -> int:
    """Return by how many eighths a tile must be turned to have the same lines again: 1, 2, 4 or 8."""
    return next(turn for turn in (1, 2, 4, 8) if PARTNER[tile * 8 + turn % 8] == PARTNER[tile * 8])


def _offsets() -> tuple[list[int], list[int], list[int], list[int]]:
    """Return tile → where its offsets begin; the offsets; offset → where its drawn edges begin; these edges.

    Of edges that equal turnings make of one another only one is in the list.
    """
    begins: list[int] = [0, 0]
    offsets: list[int] = []
    edges_begin: list[int] = []
    edges: list[int] = []
    for tile in range(1, 19):
        partner, same = PARTNER[tile * 8], period(tile)
        for offset in range(1, 8):
            drawn = [edge for edge in range(same) if (partner[edge] - edge) % 8 == offset]
            if drawn:
                offsets.append(offset)
                edges_begin.append(len(edges))
                edges += drawn
        begins.append(len(offsets))
    return begins, offsets, [*edges_begin, len(edges)], edges


class Turns(Track):
    """The game with lists of the turns of the seat to move."""

    def __init__(self) -> None:
        """Build the tables of board and tiles."""
        super().__init__()
        begins, offsets, edges_begin, edges = _offsets()
        self._offset_begin: vec[i64] = numbers(begins)
        self._offset: vec[i64] = numbers(offsets)
        self._drawn_begin: vec[i64] = numbers(edges_begin)
        self._drawn: vec[i64] = numbers(edges)
        self._same: vec[i64] = numbers([8, *(period(tile) for tile in range(1, 19))])
        self._meets: vec[i64] = numbers([edge for edges in MEETS for edge in edges])
        self._meets_begin: vec[i64] = numbers(
            [sum([len(edges) for edges in MEETS[:node]]) for node in range(_NODES + 1)]
        )
        stops: int = sum([2**node for node in range(_NODES) if not PADS[node]])
        self._stops: i64 = stops
        self._after: vec[i64] = zeros(_EDGES)
        self.listed: vec[i64] = zeros(LISTED * DEEPEST)
        """The turns that :meth:`turns` has listed."""
        self.lists: i64 = 0
        """How many lists of turns were made or looked through."""
        self.best_turn: i64 = 0

    # -- listing turns ---------------------------------------------------------------------------------------------

    def _forget(self) -> None:
        at: i64 = 0
        while at < _EDGES:
            self._after[at] = -1
            at += 1

    def _leaving(self, edge: i64) -> i64:
        """Return what a line comes to that leaves a well by an edge: a node, ``_DEAD``, or an edge of that well."""
        well: i64 = edge >> 3
        at = self._beyond[edge]
        while at < _EDGES and at >> 3 != well:
            at = self._onward[at]
        self._after[edge] = at
        return at

    def _round(self, entered: i64, partners: i64) -> i64:
        """Return where a line ends that enters a well by an edge, with the tile's partners as it would lie there."""
        first: i64 = entered >> 3 << 3
        at = entered
        while at < _EDGES:
            out: i64 = first + self._partner[partners + (at & 7)]
            at = self._after[out]
            if at < 0:
                at = self._leaving(out)
        return at

    def turns(self, first: i64, full: bool) -> i64:
        """List the turns of the seat to move from a place in ``listed`` on; return the place after the last.

        No turn: the seat passes. ``full`` lists equal turnings too.
        """
        self.lists += 1
        self._forget()
        seat = self.seat
        if self.taken & self.home[seat] == self.home[seat]:
            last = self._turns_of(self.home[seat], first, full)
            if last > first:
                return last
        return self._turns_of(-1, first, full)

    def _turns_of(self, movers: i64, first: i64, full: bool) -> i64:
        """List the turns of runners that stand on some nodes."""
        seat, listed = self.seat, first
        movers &= ~self.goal[seat]
        runner: i64 = seat * _RUNNERS
        last: i64 = runner + self.runners
        while runner < last:
            node = self.nodes[runner]
            runner += 1
            if movers >> node & 1:
                listed = self._turns_from(node, listed, full)
        return listed

    def _turns_from(self, node: i64, first: i64, full: bool) -> i64:
        """List the turns of one runner."""
        listed = first
        before: i64 = 0
        meets = self._meets_begin[node]
        one = self._one
        while meets < self._meets_begin[node + 1]:
            seen: i64 = 0
            at = self._meets[meets]
            while at < _EDGES:
                well: i64 = one << (at >> 3)
                if not seen & well:
                    seen |= well
                    since = first if before & well else -1
                    listed = self._turns_across(node, at, listed, since, full)
                at = self._onward[at]
            before |= seen
            meets += 1
        return listed

    def _turns_across(self, node: i64, entered: i64, listed: i64, since: i64, full: bool) -> i64:
        """List the turns of a runner with the tile in a well that its line first enters by an edge.

        A turn that is in the list already, from ``since`` on, is not listed again (-1: none can be).
        """
        tile = self.stack[self.top]
        free: i64 = self.open_to[self.seat] & ~self.taken
        own: i64 = _EDGES + node if self._stops >> node & 1 else _DEAD + 1
        same = self._same[tile]
        well: i64 = entered >> 3 << 3
        way = self._offset_begin[tile]
        while way < self._offset_begin[tile + 1]:
            out: i64 = well + (entered + self._offset[way] & 7)
            end = self._after[out]
            if end < 0:
                end = self._leaving(out)
            drawn = self._drawn_begin[way]
            way += 1
            if end >= _EDGES and not (free >> (end - _EDGES) & 1 or end == own):
                continue
            while drawn < self._drawn_begin[way]:
                turned: i64 = entered - self._drawn[drawn] & (same - 1)
                drawn += 1
                ends = end
                if end < _EDGES:
                    ends = self._round(end, (tile * 8 + turned) * 8)
                    if not (free >> (ends - _EDGES) & 1 or ends == own):
                        continue
                while turned < 8:
                    turn: i64 = (well + turned) << 12 | node << 6 | ends - _EDGES
                    if since < 0 or not self._is_listed(turn, since, listed):
                        self.listed[listed] = turn
                        listed += 1
                    if not full:
                        break
                    turned += same
        return listed

    def _is_listed(self, turn: i64, at: i64, end: i64) -> bool:
        while at < end:
            if self.listed[at] == turn:
                return True
            at += 1
        return False

    # -- the last turn of a search ---------------------------------------------------------------------------------

    def best(self) -> i64:
        """Return by how much the seat to move can add to its sum in one turn, ``WIN`` and more where it wins.

        ``NO_TURN`` where it passes. ``best_turn`` is such a turn then, the first one that is met.
        """
        self.lists += 1
        self._forget()
        seat = self.seat
        if self.taken & self.home[seat] == self.home[seat]:
            most = self._best_of(self.home[seat])
            if most != NO_TURN:
                return most
        return self._best_of(-1)

    def _best_of(self, movers: i64) -> i64:
        """Return the most that a runner on some nodes adds."""
        seat = self.seat
        most: i64 = NO_TURN
        movers &= ~self.goal[seat]
        winning: i64 = self.goal[seat] if self.arrived[seat] == self.runners - 1 else 0
        runner: i64 = seat * _RUNNERS
        last: i64 = runner + self.runners
        while runner < last:
            node = self.nodes[runner]
            runner += 1
            if not movers >> node & 1:
                continue
            meets = self._meets_begin[node]
            while meets < self._meets_begin[node + 1]:
                most = self._best_along(node, self._meets[meets], most, winning)
                meets += 1
        return most

    def _best_along(self, node: i64, edge: i64, most: i64, winning: i64) -> i64:
        """Return the most that a runner adds along the line from its node through an edge, ``most`` at least."""
        free: i64 = self.open_to[self.seat] & ~self.taken
        own: i64 = _EDGES + node if self._stops >> node & 1 else _DEAD + 1
        tile = self.stack[self.top]
        begin, last = self._offset_begin[tile], self._offset_begin[tile + 1]
        worth: i64 = self.seat * _NODES
        here = self._worth[worth + node]
        one = self._one
        seen: i64 = 0
        at = edge
        while at < _EDGES:
            bit: i64 = one << (at >> 3)
            if not seen & bit:
                seen |= bit
                well: i64 = at >> 3 << 3
                way = begin
                while way < last:
                    out: i64 = well + (at + self._offset[way] & 7)
                    end = self._after[out]
                    if end < 0:
                        end = self._leaving(out)
                    drawn = self._drawn_begin[way]
                    way += 1
                    # Where the line comes back to the well, its end depends on the turning.
                    last_drawn = self._drawn_begin[way] if end < _EDGES else drawn + 1
                    back = end
                    while drawn < last_drawn:
                        turned: i64 = at - self._drawn[drawn] & (self._same[tile] - 1)
                        drawn += 1
                        if back < _EDGES:
                            end = self._round(back, (tile * 8 + turned) * 8)
                        if not (free >> (end - _EDGES) & 1 or end == own):
                            continue
                        gain: i64 = self._worth[worth + end - _EDGES] - here
                        if winning >> (end - _EDGES) & 1:
                            gain += WIN
                        if gain > most:
                            most = gain
                            self.best_turn = (well + turned) << 12 | node << 6 | end - _EDGES
            at = self._onward[at]
        return most

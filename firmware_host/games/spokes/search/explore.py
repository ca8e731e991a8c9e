"""Walks over the graph of a phase: forwards, towards known rests, and backwards from them; and all boards at rest.

Vertices are positions as flat numbers, edges are steps (:mod:`firmware_host.games.spokes.flat`). :class:`Explorer`
walks breadth first, to know all of a graph with the shortest ways, or depth first, to meet any rest soon. Where it
meets none, :class:`Configurations` lists all boards at rest with as many stones: if there is none, no way can lead to
one. From those there are :class:`Retreat` walks backwards over the inverse of each step (retrograde analysis: Thompson,
"Retrograde Analysis of Certain Endgames", ICCA Journal 9(3), 1986), while :class:`Approach` walks forwards, always on
from the position that shares most stones with one of them (greedy best-first search: Pearl, "Heuristics", 1984).
proofs.py puts them together.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board
from firmware_host.games.spokes.flat import ALL, NODES, WHITE, Clock, Leftovers, Origins, Steps, size
from firmware_host.games.spokes.search.exclusions import Exclusions
from firmware_host.games.spokes.search.store import NumberList, PositionStore

_MAX_LIKE: Final = 90
_NOT_YET: Final = -1


# -- forwards ----------------------------------------------------------------------------------------------------------


class Explorer(Steps):
    """Explores from one position. The mark of each position met is the number of the one it was first met from."""

    def __init__(self, store: PositionStore, leftovers: Leftovers, clock: Clock, a: int, b: int) -> None:
        """``store`` is empty, to be filled."""
        super().__init__(leftovers)
        self.store = store
        self.clock = clock
        self.rests: list[int] = []
        self.exact = False
        self.shifting: dict[int, list[int]] = {}
        """Number → the numbers after its moves of excess: the steps that are not found by looking backwards."""
        self._at: i64 = 0
        self._found: i64 = 0
        self._targets: list[int] = []
        self.goal: PositionStore | None = None
        """Positions known to reach a rest; ``hit`` is the number of the first position met that is one of them."""
        self.hit: i64 = -1
        self._deep = False
        self._waiting = store.numbers()
        store.add(a, b, 0)

    def visit(self, a: i64, b: i64) -> None:
        """Number a position after the one being looked at."""
        number = self.store.add(a, b, self._at)
        self._found += 1
        if number < 0:
            number = -1 - number
            if self._deep:
                self._waiting.append(number)
                if self.goal is not None and self.goal.find(a, b) >= 0:
                    self.hit = number
        if a >> NODES or self._a >> NODES:
            self._targets.append(number)

    def _expand(self, number: i64) -> None:
        self._at = number
        self._found = 0
        self._targets = []
        a = self.store.a(number)
        self._a = a
        if self.steps(a, self.store.b(number)):
            self.shifting[number] = self._targets
        elif self._found == 0:
            self.rests.append(number)

    def all(self, most: int) -> bool:
        """Explore breadth first until all is known, ``most`` positions are met, or time is over; tell if it is all."""
        limit: i64 = most
        store = self.store
        at: i64 = 0
        while at < store.count:
            if store.count > limit or self.clock.tick():
                return False
            self._expand(at)
            at += 1
        self.exact = store.count <= limit and not self.leftovers.full
        return self.exact

    def until_rest(self, most: int) -> int:
        """Explore depth first; return the number of the first rest met, -1 when there is none (``exact``) or no more
        may be looked at. May be called again to go on."""
        limit: i64 = most
        known = len(self.rests)
        if not self._deep:
            self._deep = True
            self._waiting.append(0)
        while self._waiting.size:
            if self.store.count > limit or self.clock.tick():
                return -1
            self._expand(self._waiting.pop())
            if len(self.rests) > known:
                return self.rests[-1]
            if self.hit >= 0:
                return self.hit
        self.exact = not self.leftovers.full
        return -1

    def fronts(self, most: int) -> list[int] | None:
        """Return the positions that moves of excess lead to from the start, the start itself where it has none.

        None where stacks stay behind, or after ``most`` positions.
        """
        found: list[int] = []
        waiting = [0]
        known = {0}
        for number in waiting:
            if not self.store.a(number) >> NODES:
                found.append(number)
                continue
            if number not in self.shifting:
                self._expand(number)
            if number not in self.shifting or len(known) > most:
                return None
            waiting += [later for later in self.shifting[number] if later not in known]
            known.update(self.shifting[number])
        return found

    def way(self, number: int) -> list[int]:
        """Return the numbers from the start to a position, as it was first met."""
        found = [number]
        while found[-1]:
            found.append(self.store.mark(found[-1]))
        return found[::-1]


class Approach(Explorer):
    """Explores towards some configurations at rest, until a position of ``goal`` is met."""

    def __init__(
        self,
        store: PositionStore,
        leftovers: Leftovers,
        clock: Clock,
        start: tuple[int, int],
        rests: list[tuple[int, int]],
    ) -> None:
        """``store`` is empty, to be filled."""
        super().__init__(store, leftovers, clock, start[0], start[1])
        self._rests_a: list[i64] = [a for a, _ in rests]
        self._rests_b: list[i64] = [b for _, b in rests]
        self._waiting_by_likeness: list[NumberList] = [store.numbers() for _ in range(_MAX_LIKE + 1)]
        self._best: i64 = 0
        self._waiting_by_likeness[0].append(0)

    def visit(self, a: i64, b: i64) -> None:
        """Number a position after the one being looked at."""
        number = self.store.add(a, b, self._at)
        if number >= 0:
            return
        number = -1 - number
        if self.goal is not None and self.goal.find(a, b) >= 0:
            self.hit = number
        like: i64 = 0
        index: i64 = 0
        while index < len(self._rests_a):
            like = max(like, size(a & self._rests_a[index]) + size(b & self._rests_b[index]))
            index += 1
        self._waiting_by_likeness[like].append(number)
        self._best = max(self._best, like)

    def until_goal(self, most: int) -> int:
        """Return the number of the first position of ``goal`` that is met, -1 when there is none among ``most``."""
        limit: i64 = most
        while self.hit < 0 and self.store.count < limit and not self.clock.tick():
            while self._best > 0 and self._waiting_by_likeness[self._best].size == 0:
                self._best -= 1
            waiting = self._waiting_by_likeness[self._best]
            if waiting.size == 0:
                break
            self._at = waiting.pop()
            self.steps(self.store.a(self._at), self.store.b(self._at))
        return self.hit


# -- backwards ---------------------------------------------------------------------------------------------------------


class Retreat(Origins):
    """Walks back breadth first, over positions without leftover stacks.

    The mark of each position is the number of the next one on its shortest way to rest. ``blocks`` are never divided.
    """

    def __init__(self, store: PositionStore, clock: Clock, blocks: int, ahead: Exclusions | None = None) -> None:
        """``store`` is empty, to be filled. ``ahead`` excludes what can't be reached from where the phase is."""
        self._ahead = ahead
        self.store = store
        self.clock = clock
        self.exact = False
        """Everything that can reach a rest that was added has been met."""
        self._at: i64 = 0
        self._a: i64 = 0
        self._b: i64 = 0
        self._one: i64 = 1
        self._kept: i64 = blocks
        self._goal: PositionStore | None = None
        self._met: i64 = _NOT_YET

    def add(self, a: int, b: int) -> None:
        """Begin at a configuration at rest (all of them before the first run)."""
        self.store.add(a, b, self.store.count)

    def until(self, goal: PositionStore, most: int) -> int:
        """Go on until a position of ``goal`` is met, all are met (``exact``), ``most`` are, or time is over.

        Return the number of the position that was met, -1 if none was.
        """
        limit: i64 = most
        self._goal = goal
        self._met = _NOT_YET
        store = self.store
        if self._at == 0:
            self._look_at_rests(goal)
        while self._at < store.count and self._met < 0:
            if store.count > limit or self.clock.tick():
                return -1
            self._back()
            self._at += 1
        if self._met < 0:
            self.exact = True
        return self._met

    def _look_at_rests(self, goal: PositionStore) -> None:
        number: i64 = 0
        while number < self.store.count:
            if goal.find(self.store.a(number), self.store.b(number)) >= 0:
                self._met = number
            number += 1

    def _back(self) -> None:
        a, b = self.store.a(self._at), self.store.b(self._at)
        self._a, self._b = a, b
        blocks = a & b
        self.scan_back(a & ~blocks, b & ~blocks, (a | b) & ALL, blocks & ~self._kept)

    def _came_from(self, a: i64, b: i64, one: i64, other: i64) -> None:
        """Take a position that differs on two nodes."""
        ahead = self._ahead
        new = ahead is not None and self.store.find(a, b) < 0
        if ahead is not None and new and not (ahead.allow_at(a, b, one) and ahead.allow_at(a, b, other)):
            return
        number = self.store.add(a, b, self._at)
        if number < 0 and self._goal is not None and self._goal.find(a, b) >= 0:
            self._met = -1 - number

    def unpush(self, pushed: i64, target: i64, colour: i64) -> None:
        """Take the position before a push."""
        change = self._one << pushed | self._one << target
        if colour == WHITE:
            self._came_from(self._a ^ change, self._b, pushed, target)
        else:
            self._came_from(self._a, self._b ^ change, pushed, target)

    def unpull(self, puller: i64, pulled: i64, colour: i64) -> None:
        """Take the position before a pull."""
        puller_bit, pulled_bit = self._one << puller, self._one << pulled
        if colour == WHITE:
            self._came_from(self._a & ~puller_bit | pulled_bit, self._b, puller, pulled)
        else:
            self._came_from(self._a, self._b & ~puller_bit | pulled_bit, puller, pulled)

    def way(self, number: int) -> list[int]:
        """Return the numbers from a position to its rest."""
        found = [number]
        while self.store.mark(found[-1]) != found[-1]:
            found.append(self.store.mark(found[-1]))
        return found


# -- all boards at rest ------------------------------------------------------------------------------------------------

# At rest no neighbours differ in colour, and where two neighbours p, q of one colour have a node r straight on that
# carries no block, r and the nodes across from q carry their colour too: else p could push q (R3, R4). So two
# neighbours force further stones, and each stone forbids the other colour round it. The search goes sector by sector,
# forces and forbids after each choice, and gives up where too few nodes are left for the stones (constraint propagation
# with backtracking).


def _sectors() -> list[int]:
    """Return the nodes sector by sector, the centre first: those that force each other stand close together."""
    order = [board.CENTRE]
    for k in range(16):
        order += [board.INDEX[f"B{k // 4 + 1}"]] if k % 4 == 0 else []
        order += [board.INDEX[f"C{k // 2 + 1}"]] if k % 2 == 0 else []
        order += [board.INDEX[f"D{k + 1}"], board.INDEX[f"{k + 1}"]]
    return order


_ORDER: Final[list[i64]] = [i64(node) for node in _sectors()]
_PAIRS: Final = [1 << one | 1 << other for one, other in board.LINES]
_LINES: Final[list[i64]] = [i64(line) for line in _PAIRS]
_NEVER: Final = 1 << 60
"""Among the nodes that two neighbours force: there can't be two such neighbours."""


def _forced_nodes(blocks: int, most: int) -> list[int]:
    """Return for each line the nodes that carry a stone of the same colour when both its ends do.

    What one pair forces makes further pairs; where that comes to more than ``most`` stones the pair can't be.
    """
    found = []
    for one, other in board.LINES:
        nodes = 0
        for pusher, pushed in ((one, other), (other, one)):
            for towards, _, onward, across in board.PUSHES[pusher]:
                if towards == pushed and not blocks & onward:
                    nodes |= onward | sum(1 << node for node in across)
        found.append(nodes & ~blocks)
    return [nodes if _spread(line, found) <= most else _NEVER for line, nodes in zip(_PAIRS, found, strict=True)]


def _spread(stones: int, forced: list[int]) -> int:
    """Return how many stones some stones make it, with all that they force."""
    before = 0
    while before != stones:
        before = stones
        for line, nodes in zip(_PAIRS, forced, strict=True):
            if stones & line == line:
                stones |= nodes
    return stones.bit_count()


class Configurations:
    """Lists the configurations at rest of one layer: ``found`` pairs of white and black nodes, ``complete`` or not."""

    def __init__(
        self, blocks: int, white: int, black: int, most: int, clock: Clock, never_white: int = 0, never_black: int = 0
    ) -> None:
        """``white`` and ``black`` stones stand on nodes without a block; stop after ``most`` are found.

        None of them stands on the nodes where its colour ``never`` does.
        """
        self._never_white: i64 = never_white
        self._never_black: i64 = never_black
        self.found: list[tuple[int, int]] = []
        self.complete = True
        self._forced: list[i64] = [i64(nodes) for nodes in _forced_nodes(blocks, max(white, black))]
        self._blocks: i64 = blocks
        self._white: i64 = white
        self._black: i64 = black
        self._most: i64 = most
        self._clock = clock
        self._one: i64 = 1
        # What the last call of _settle came to; four results cost no tuple this way.
        self._w: i64 = 0
        self._b: i64 = 0
        self._not_w: i64 = 0
        self._not_b: i64 = 0

    def run(self) -> bool:
        """Search; return whether the list is complete."""
        not_w = self._blocks if self._white else ALL
        not_b = self._blocks if self._black else ALL
        self._branch(0, 0, 0, not_w | self._never_white | _NEVER, not_b | self._never_black | _NEVER)
        return self.complete

    def _branch(self, at: i64, w: i64, b: i64, not_w: i64, not_b: i64) -> None:
        """Decide the nodes from the ``at``-th on; ``not_w`` and ``not_b`` are those that can't be of a colour."""
        if self._clock.tick() or len(self.found) >= self._most:
            self.complete = False
            return
        if not self._settle(w, b, not_w, not_b):
            return
        w, b, not_w, not_b = self._w, self._b, self._not_w, self._not_b
        while at < 45:
            bit = self._one << _ORDER[at]
            if not (w | b | not_w & not_b) & bit:
                break
            at += 1
        if at == 45:
            if size(w) == self._white and size(b) == self._black:
                self.found.append((w, b))
            return
        if not not_w & bit:
            self._branch(at + 1, w | bit, b, not_w, not_b)
        if not not_b & bit:
            self._branch(at + 1, w, b | bit, not_w, not_b)
        self._branch(at + 1, w, b, not_w | bit, not_b | bit)

    def _settle(self, w: i64, b: i64, not_w: i64, not_b: i64) -> bool:
        """Force and forbid until nothing changes; return False where that contradicts itself or the numbers."""
        while True:
            before_w, before_b = w, b
            before = not_w ^ not_b << 1
            index: i64 = 0
            while index < 76:
                line = _LINES[index]
                forced = self._forced[index]
                ends = w & line
                if ends:
                    if ends == line:
                        w |= forced
                    elif forced & not_w:
                        not_w |= line ^ ends
                ends = b & line
                if ends:
                    if ends == line:
                        b |= forced
                    elif forced & not_b:
                        not_b |= line ^ ends
                # Neighbours differ in nothing.
                if w & line:
                    not_b |= line
                if b & line:
                    not_w |= line
                index += 1
            if w & not_w or b & not_b:
                return False
            if w == before_w and b == before_b and (not_w ^ not_b << 1) == before:
                break
        self._w, self._b, self._not_w, self._not_b = w, b, not_w, not_b
        return self._can(w, not_w, self._white) and self._can(b, not_b, self._black)

    def _can(self, mine: i64, never: i64, wanted: i64) -> bool:
        """Tell whether ``wanted`` stones may fit. Of two neighbours whose pair forces something forbidden only one
        counts; pairs are matched greedily."""
        have = size(mine)
        if have > wanted:
            return False
        left = ALL & ~mine & ~never
        room = size(left)
        if have + room < wanted:
            return False
        index: i64 = 0
        while index < 76:
            line = _LINES[index]
            if left & line == line and (self._forced[index] & never or have + 2 > wanted):
                left &= ~line
                room -= 1
                if have + room < wanted:
                    return False
            index += 1
        return True

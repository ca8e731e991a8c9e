"""What can't stand on three nodes at once: the proof that most positions without a way to rest have.

Where rests with as many stones exist, but none can be reached, a search would have to exhaust what can be reached,
which is millions of positions with twenty stones of one colour. An abstraction is exhausted in a few thousandths of a
second instead: not positions are walked through but all triples of facts, a fact being what one node carries. A triple
is possible if it holds at the start, or if a step makes it whose conditions are pairwise and in threes possible
together with what the step leaves alone. What is not possible in the end holds in no position that can be reached
("h^m" for m = 3: Haslum and Geffner, "Admissible Heuristics for Optimal Planning", AIPS 2000). The same backwards, from
the rests, tells what no position holds that can reach one of them.

A fact is a number: what is carried, times 45, plus the node. Where all single stones are of one colour there are two
things to carry: nothing and a stone; else four: nothing, a white stone, a black one, a block. Blocks that stay so in
the whole phase are no facts. Leftover stacks are unknown here.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from firmware_host.games.spokes import board
from firmware_host.games.spokes.flat import ALL, NODES, Clock
from firmware_host.searching.vectors import numbers, vec, zeros

EMPTY: Final = 0
WHITE: Final = 1
BLACK: Final = 2
BLOCK: Final = 3
_ROW: Final = 9
"""Numbers of a step: four conditions (the last one twice where there are three), two facts that it makes, two that it
ends, and how many conditions there are."""


def _pushes(colour: int, *, back: bool) -> list[int]:
    """Return the steps that push a stone of a colour, in rows."""
    found: list[int] = []
    for pusher, pushes in enumerate(board.PUSHES):
        for pushed, onward, _, across in pushes:
            ways = [(onward, pusher, 3), *((node, onward, 4) for node in across)]
            for target, needed, count in ways:
                one, other = (target, pushed) if back else (pushed, target)
                carried = colour * NODES
                found += [carried + pusher, carried + one, other, carried + needed]
                found += [one, carried + other, carried + one, other, count]
    return found


def _pulls(*, back: bool) -> list[int]:
    """Return the steps that pull a stone of one colour onto one of the other, in rows."""
    found: list[int] = []
    for one, other in board.LINES:
        for puller, pulled in ((one, other), (other, one)):
            for mine, theirs in ((WHITE, BLACK), (BLACK, WHITE)):
                before = [mine * NODES + puller, theirs * NODES + pulled]
                after = [BLOCK * NODES + puller, pulled]
                first, then = (after, before) if back else (before, after)
                found += [*first, first[1], first[1], *then, *first, 2]
    return found


class Exclusions:
    """All triples of facts that may hold at once, after :meth:`run`; without it nothing is known."""

    def __init__(
        self, kept: int, clock: Clock, *, mixed: bool, back: bool = False, within: Exclusions | None = None
    ) -> None:
        """``kept`` are the blocks of the whole phase; ``mixed``: there are single stones of both colours.

        ``back``: from rests, against the steps; else from the position on. What ``within`` excludes, of the same kept
        blocks and colours, is left out, too: what lies between a position and a rest is excluded by neither.
        """
        self._within = within
        self.mixed = mixed
        self._kept: i64 = kept
        self._clock = clock
        self._carried: i64 = 4 if mixed else 2
        self._facts: i64 = self._carried * NODES
        rows = _pushes(WHITE, back=back)
        if mixed:
            rows += _pushes(BLACK, back=back) + _pulls(back=back)
        self._steps: vec[i64] = numbers(rows)
        # Of each pair of facts the third ones, a set of nodes for each thing to carry.
        self._third: vec[i64] = zeros(self._facts * self._facts * self._carried)
        self._now: vec[i64] = zeros(self._carried)
        self._left: vec[i64] = zeros(self._carried)
        self._one: i64 = 1
        self._changed = False

    def _read(self, a: i64, b: i64) -> None:
        """Set ``_now`` to the facts of a position: white stones and blocks, black stones and blocks."""
        free = ALL & ~self._kept
        if self._carried == 2:
            self._now[0] = free & ~(a | b)
            self._now[1] = free & (a | b)
        else:
            self._now[EMPTY] = free & ~(a | b)
            self._now[WHITE] = free & a & ~b
            self._now[BLACK] = free & b & ~a
            self._now[BLOCK] = free & a & b

    def add(self, a: int, b: int) -> None:
        """Begin with one more position, without leftover stacks."""
        self._read(a & ALL, b & ALL)
        now, third = self._now, self._third
        fact: i64 = 0
        while fact < self._facts:
            if now[fact // NODES] >> fact % NODES & 1:
                other: i64 = 0
                while other < self._facts:
                    if now[other // NODES] >> other % NODES & 1:
                        row = (fact * self._facts + other) * self._carried
                        what: i64 = 0
                        while what < self._carried:
                            third[row + what] |= now[what]
                            what += 1
                    other += 1
            fact += 1

    def run(self) -> bool:
        """Find all triples that may hold; return False, with nothing known, where time is over first."""
        self._changed = True
        while self._changed:
            self._changed = False
            at: i64 = 0
            while at < len(self._steps):
                if self._clock.tick():
                    return False
                self._step(at)
                at += _ROW
        return True

    def _may(self, one: i64, two: i64, three: i64) -> bool:
        return self._third[(one * self._facts + two) * self._carried + three // NODES] >> three % NODES & 1 != 0

    def _step(self, at: i64) -> None:
        """Add what one step makes possible."""
        steps, third, left = self._steps, self._third, self._left
        facts, carried = self._facts, self._carried
        one, two, three, four = steps[at], steps[at + 1], steps[at + 2], steps[at + 3]
        if not self._may(one, two, three):
            return
        if steps[at + 8] == 4 and not (
            self._may(one, two, four) and self._may(one, three, four) and self._may(two, three, four)
        ):
            return
        # What may hold beside any two of the conditions, and is not ended.
        what: i64 = 0
        while what < carried:
            may = third[(one * facts + two) * carried + what] & third[(one * facts + three) * carried + what]
            may &= third[(two * facts + three) * carried + what] & third[(one * facts + four) * carried + what]
            left[what] = (
                may & third[(two * facts + four) * carried + what] & third[(three * facts + four) * carried + what]
            )
            what += 1
        made, other = steps[at + 4], steps[at + 5]
        gone, also = steps[at + 6], steps[at + 7]
        left[gone // NODES] &= ~(self._one << gone % NODES)
        left[also // NODES] &= ~(self._one << also % NODES)
        self._pair(made, other)
        what = 0
        while what < carried:
            rest: i64 = left[what]
            fact: i64 = what * NODES
            while rest:
                if rest & 1:
                    self._with(made, other, fact, one, two, three, four)
                rest >>= 1
                fact += 1
            what += 1

    def _with(self, made: i64, other: i64, fact: i64, one: i64, two: i64, three: i64, four: i64) -> None:
        """Add the triples of what a step makes with one fact that may hold beside its conditions, and any third."""
        third, left = self._third, self._left
        facts, carried = self._facts, self._carried
        self._pair(made, fact)
        self._pair(other, fact)
        if not self._may(made, other, fact):
            self._triple(made, other, fact)
        what: i64 = 0
        while what < carried:
            may = (
                left[what] & third[(one * facts + fact) * carried + what] & third[(two * facts + fact) * carried + what]
            )
            may &= third[(three * facts + fact) * carried + what] & third[(four * facts + fact) * carried + what]
            new = may & ~third[(made * facts + fact) * carried + what]
            if new:
                self._triples(made, fact, what, new)
            new = may & ~third[(other * facts + fact) * carried + what]
            if new:
                self._triples(other, fact, what, new)
            what += 1

    def _triples(self, made: i64, fact: i64, what: i64, new: i64) -> None:
        node: i64 = 0
        while new:
            if new & 1:
                self._triple(made, fact, what * NODES + node)
            new >>= 1
            node += 1

    def _pair(self, one: i64, two: i64) -> None:
        """Let two facts hold at once: a pair is a triple that names a fact twice."""
        if not self._may(one, one, two):
            self._triple(one, one, two)
            self._triple(one, two, two)
            self._triple(one, one, one)
            self._triple(two, two, two)

    def _triple(self, one: i64, two: i64, three: i64) -> None:
        within = self._within
        if self._may(one, two, three) or (within is not None and not within._may(one, two, three)):
            return
        self._changed = True
        self._set(one, two, three)
        self._set(two, one, three)
        self._set(one, three, two)
        self._set(three, one, two)
        self._set(two, three, one)
        self._set(three, two, one)

    def _set(self, one: i64, two: i64, three: i64) -> None:
        self._third[(one * self._facts + two) * self._carried + three // NODES] |= self._one << three % NODES

    def behind(self, a: int, b: int) -> Exclusions | None:
        """Return what no position on a way to a rest holds, what is excluded here included; None: no time."""
        found = Exclusions(self._kept, self._clock, mixed=self.mixed, back=True, within=self)
        found.add(a, b)
        return found if found.run() else None

    def never(self, what: int) -> int:
        """Return the nodes that never carry something: :data:`WHITE` (or any stone, of one colour), and so on."""
        nodes = 0
        for node in range(NODES):
            fact = what * NODES + node
            if not self._may(fact, fact, fact):
                nodes |= 1 << node
        return nodes

    def allow(self, a: i64, b: i64) -> bool:
        """Tell whether a position may be reached, or may reach a rest, by what is known."""
        self._read(a & ALL, b & ALL)
        fact: i64 = 0
        while fact < self._facts:
            if self._now[fact // NODES] >> fact % NODES & 1 and not self._allow(fact):
                return False
            fact += 1
        return True

    def allow_at(self, a: i64, b: i64, node: i64) -> bool:
        """Tell the same of what a node carries, in a position that is allowed elsewhere."""
        self._read(a & ALL, b & ALL)
        what: i64 = 0
        while what < self._carried:
            if self._now[what] >> node & 1:
                return self._allow(what * NODES + node)
            what += 1
        return True

    def _allow(self, fact: i64) -> bool:
        """Tell whether a fact of the position that was read may hold beside all its others."""
        now, third = self._now, self._third
        what: i64 = 0
        row = fact * self._facts * self._carried
        while what < self._carried:
            rest: i64 = now[what]
            at = row + what * NODES * self._carried
            while rest:
                if rest & 1:
                    other: i64 = 0
                    while other < self._carried:
                        if now[other] & ~third[at + other]:
                            return False
                        other += 1
                rest >>= 1
                at += self._carried
            what += 1
        return True

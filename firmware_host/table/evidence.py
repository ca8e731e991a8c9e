"""What the hands were seen to touch, and what can lie where after that.

Where sensors see a stone but not which one, a picture may fit several steps. Then it counts what was lifted and put
down in what order: of every stone lifted it is known what it was, so that only some letters can have come to each node,
and from beside the board nothing comes while a lifted stone would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firmware_host.games.game import Occupancy
from firmware_host.table.expected import Candidate, Looks
from firmware_host.table.senses import NOTHING

MOST_WORLDS = 48
"""Where more can lie than that, nothing is concluded from it."""


@dataclass(frozen=True)
class World:
    """What may lie now: ``lying`` are nodes unlike the base (None: empty) with their piece; the rest of what was lifted
    is in the hands, or off the board; ``supplied`` came from beside the board."""

    lying: frozenset[tuple[str, str | None]] = frozenset()
    hand: tuple[str, ...] = ()
    supplied: tuple[str, ...] = ()


@dataclass
class Touches:
    """What was touched since the board was last in order."""

    lifted: dict[str, float] = field(default_factory=dict)
    """Nodes in the order in which they were first touched, with the time."""
    taps: list[str] = field(default_factory=list)
    last: float = 0.0
    passed: str | None = None
    """The action that lay on the board, whole and sure, before the hands went on."""
    swapped: frozenset[str] = frozenset()
    """Nodes emptied and filled again earlier, where that may have put one piece in another's place unseen."""

    def last_tap(self) -> str | None:
        """Return the node that was lifted and put back last."""
        return self.taps[-1] if self.taps else None

    def out_of_order(self, one: Candidate) -> bool:
        """Tell whether what has arrived where a step goes is another stone: this one was still lying then."""
        if len(one.step.moves) != 1 or not one.sources or not one.targets:
            return False
        left, arrived = self.lifted.get(one.sources[0]), self.lifted.get(one.targets[0])
        return left is not None and arrived is not None and arrived < left


class Lying:
    """The worlds that the events since the base allow, where every node carries one piece at most."""

    def __init__(self, looks: Looks, base: Occupancy, off: Mapping[str, str], at: float) -> None:
        """Begin at a base, but for some nodes (with their sights) that differ from it already."""
        self._looks = looks
        self._base = base
        self._before: frozenset[World] | None = frozenset({World()})
        self._moment: dict[str, str] = dict(off)
        self._at = at
        self._worlds = self._after_moment()

    def note(self, node: str, sight: str, at: float) -> None:
        """Note a change. What changes in one and the same instant has no order."""
        if at != self._at:
            self._before, self._moment, self._at = self._worlds, {}, at
        self._moment[node] = sight
        self._worlds = self._after_moment()

    def allows(self, one: Candidate) -> bool:
        """Tell whether a step may have been done with these hands, every stone of it seen."""
        if self._worlds is None:
            return True
        return any(self._is(world, one) for world in self._worlds)

    def supplied(self, count: int) -> bool:
        """Tell whether so many pieces may have come from beside the board."""
        return self._worlds is None or any(len(world.supplied) >= count for world in self._worlds)

    def _is(self, world: World, one: Candidate) -> bool:
        added = tuple(sorted(p for move in one.step.moves if move.source is None for p in move.pieces))
        if world.supplied != added:
            return False
        taken = [p for move in one.step.moves if move.target is None for p in move.pieces]
        lying = dict(world.lying)
        for node in {*lying, *one.changes}:
            piece = lying[node] if node in lying else self._at_base(node)
            wanted = one.step.after.get(node)
            if (wanted[0] if wanted else None) == piece:
                continue
            if piece is not None or node not in one.step.removed or not wanted:
                return False
            taken += wanted
        return world.hand == tuple(sorted(taken))

    def _at_base(self, node: str) -> str | None:
        stack = self._base.get(node)
        return stack[0] if stack else None

    def _after_moment(self) -> frozenset[World] | None:
        """Return what may be after this instant: first all stones that left are in the hands, then some arrive."""
        if self._before is None:
            return None
        found: set[World] = set()
        for world in self._before:
            lying, hand = dict(world.lying), list(world.hand)
            for node in self._moment:
                piece = lying.get(node, self._at_base(node))
                if piece is not None:
                    hand.append(piece)
                lying[node] = None
            arrivals = [node for node, sight in self._moment.items() if sight != NOTHING]
            self._arrive(arrivals, World(frozenset(lying.items()), tuple(sorted(hand)), world.supplied), found)
            if len(found) > MOST_WORLDS:
                return None
        return frozenset(found)

    def _arrive(self, nodes: list[str], world: World, found: set[World]) -> None:
        if not nodes or len(found) > MOST_WORLDS:
            found.add(world)
            return
        node, *others = nodes
        fitting = [p for p in dict.fromkeys(world.hand) if self._fits(node, p)]
        for piece in fitting or [p for p in self._looks.senses.poles if self._fits(node, p)]:
            hand, supplied = list(world.hand), world.supplied
            if fitting:
                hand.remove(piece)
            else:
                supplied = tuple(sorted((*supplied, piece)))
            lying = (world.lying - {(node, None)}) | {(node, piece)}
            self._arrive(others, World(lying, tuple(hand), supplied), found)

    def _fits(self, node: str, piece: str) -> bool:
        return self._moment[node] in self._looks.sights(node, (piece,))


@dataclass
class DoubleTaps:
    """Finds one stone that is tapped twice in a row while all else is in order."""

    longest: float
    twice: str | None = None
    _node: str | None = None
    _began: float = 0.0
    _once: tuple[str, float] | None = None

    def note(self, node: str, sight: str, off: tuple[str, ...], at: float, *, was_off: bool) -> None:
        """Note a change of a node, after which these nodes are ``off`` (differ from what should lie)."""
        self.twice = None
        if off and not was_off and off == (node,) and sight == NOTHING:
            self._node, self._began = node, at
        elif off:
            self._node = self._once = None  # More than one stone, or another one in its place, is no tap.
        elif was_off:
            self._put_back(at)

    def _put_back(self, at: float) -> None:
        node, self._node = self._node, None
        if node is None or at - self._began > self.longest:
            self._once = None
            return
        again = self._once is not None and self._once[0] == node and at - self._once[1] <= self.longest
        self.twice = node if again else None
        self._once = (node, at)

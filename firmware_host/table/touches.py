"""What hands touched since the board was last in order, as the sensors reported it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from firmware_host.table.hypotheses import Hypothesis
from firmware_host.table.senses import NOTHING


@dataclass
class Touches:
    """Touches since the board was last in order."""

    first: Mapping[str, float] = field(default_factory=dict)
    """Nodes in the order in which they were first touched, with the time."""
    taps: tuple[str, ...] = ()
    """Nodes that were emptied and filled again within the duration of a tap, one entry a tap."""
    refilled: frozenset[str] = frozenset()
    """Nodes that were emptied and filled again, after whatever time."""
    emptied: Mapping[str, float] = field(default_factory=dict)
    """When nodes were emptied."""
    last: float = 0.0
    """The time of the last change."""
    passed: Hypothesis | None = None
    """The step that lay on the board, fully seen, before the hands went on."""
    passed_for: float = 0.0
    """How long it lay, seconds."""
    before: frozenset[str] = frozenset()
    """Nodes that differed already before somebody resigned, chose, or masked a sensor: a piece that is missing there
    was perhaps lifted for something else."""
    since: frozenset[str] = frozenset()
    """Nodes whose sensors have changed since the last action counted, also while the board was in order between."""
    replaced: frozenset[str] = frozenset()
    """Nodes emptied and filled again earlier, where one piece may have replaced another unseen."""

    def last_tap(self) -> str | None:
        """Return the node that was lifted and put back last."""
        return self.taps[-1] if self.taps else None

    def all_replaced(self) -> frozenset[str]:
        """Return the nodes that were emptied and filled again since the base was set."""
        return self.replaced | self.refilled

    def count_taps(self, nodes: Collection[str]) -> int:
        """Return how often some nodes were tapped."""
        return sum(node in nodes for node in self.taps)

    def unexplained(self, one: Hypothesis) -> int:
        """Return how many touched nodes a hypothesis does not explain."""
        return len(self.first.keys() - one.reach)

    def explained_by(self, one: Hypothesis) -> bool:
        """Return whether a hypothesis explains every touch."""
        return self.first.keys() <= one.reach

    def out_of_order(self, one: Hypothesis, together: float) -> bool:
        """Return whether the piece that lies at a target arrived while the source's own piece was still lying."""
        if len(one.step.moves) != 1 or not one.sources or not one.targets:
            return False
        left, arrived = self.first.get(one.sources[0]), self.first.get(one.targets[0])
        return left is not None and arrived is not None and left - arrived > together


@dataclass
class DoubleTaps:
    """Detects two taps of one piece in a row while all else is in order."""

    longest: float
    twice: str | None = None
    _node: str | None = None
    _began: float = 0.0
    _once: tuple[str, float] | None = None

    def note(self, node: str, sensed: str, off: tuple[str, ...], at: float, *, was_off: bool) -> None:
        """Note a change of a node; ``off`` are the nodes that then differ from what should lie."""
        self.twice = None
        if off and not was_off and off == (node,) and sensed == NOTHING:
            self._node, self._began = node, at
        elif off:
            self._node = self._once = None  # More than one piece, or another one in its place, is no tap.
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

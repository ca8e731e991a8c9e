"""A physical board for tests: stacks, hands that carry pieces, magnets, contacts that bounce, scans and debouncing.

It knows nothing of rules or tables. What its sensors report goes through a door: the table itself, or the JSON lines of
``lodestone table``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

SCAN_S = 0.02
EQUAL_SCANS = 3


class TableService(Protocol):
    """The way to a table."""

    def sense(self, at: float, changes: Sequence[tuple[str, str]]) -> None: ...
    def tick(self, at: float) -> None: ...
    def deed(self, at: float, what: str, **more: Any) -> str | None: ...
    def restart(self, at: float) -> None: ...
    def look(self) -> Mapping[str, Any]: ...


class World:
    """Stacks on nodes (bottom to top) and what a hand holds, seen by sensors of one kind."""

    def __init__(
        self,
        door: TableService,
        nodes: Sequence[str],
        kind: str,
        poles: Mapping[str, str],
        wells: frozenset[str],
        rng: Random,
    ) -> None:
        self.door = door
        self.kind = kind
        self.poles = poles
        self.wells = wells
        self.random = rng
        self.at = 0.0
        self.stacks: dict[str, list[str]] = {node: [] for node in nodes}
        self._stable = dict.fromkeys(nodes, "")
        self._raw: dict[str, tuple[str, int]] = {}
        self._bounce: dict[str, int] = {}
        self.lifted: set[str] = set()
        self.laid: set[str] = set()
        """The nodes from which and to which hands have carried pieces, until somebody forgets them."""
        self.last_touch = 0.0
        self.last_change = 0.0
        """When a sensor last reported a change."""

    # -- hands -----------------------------------------------------------------------------------------------------

    def lift(self, node: str, pieces: Sequence[str] | None = None) -> list[str]:
        """Take the uppermost piece, or just these; return what is in the hand then."""
        stack = self.stacks[node]
        taken = list(pieces) if pieces is not None else stack[-1:]
        for piece in taken:
            stack.remove(piece)
        self.lifted.add(node)
        self._touched(node)
        return taken

    def put(self, node: str, pieces: Sequence[str]) -> None:
        self.stacks[node].extend(pieces)
        self.laid.add(node)
        self._touched(node)

    def set(self, node: str, pieces: Sequence[str]) -> None:
        """Have this lie on a node from now on, as when a line is slid."""
        if self.stacks[node] != list(pieces):
            (self.laid if len(pieces) >= len(self.stacks[node]) else self.lifted).add(node)
            self.stacks[node] = list(pieces)
            self._touched(node)

    def _touched(self, node: str) -> None:
        self._bounce[node] = self.random.choice((0, 0, 0, 1, 2))
        self._raw.setdefault(node, ("", 0))
        self.last_touch = self.at

    def flutter(self, node: str) -> None:
        """Let a contact chatter for some scans."""
        self._bounce[node] = self.random.randrange(3, 20)
        self._raw.setdefault(node, ("", 0))

    # -- time ------------------------------------------------------------------------------------------------------

    def scan(self) -> None:
        """Let the time of one scan pass, and tell the table what has changed."""
        self.at = round(self.at + SCAN_S, 6)
        changes = self._changes() if self._raw else []
        if changes:
            self.last_change = self.at
            self.door.sense(self.at, changes)
        self.door.tick(self.at)

    def _changes(self) -> list[tuple[str, str]]:
        """Return the nodes whose reading has been the same for some scans, and is another than before."""
        changes = []
        for node in list(self._raw):
            reading = self.reading(node)
            if self._bounce.get(node):
                self._bounce[node] -= 1
                reading = self.random.choice((reading, self._stable[node], reading, ""))
            last, equal = self._raw[node]
            equal = equal + 1 if reading == last else 1
            self._raw[node] = (reading, equal)
            if equal >= EQUAL_SCANS:
                if not self._bounce.get(node) and reading == self.reading(node):
                    del self._raw[node]
                if reading != self._stable[node]:
                    self._stable[node] = reading
                    changes.append((node, reading))
        return changes

    @property
    def still(self) -> bool:
        return not self._raw

    # -- sensors ---------------------------------------------------------------------------------------------------

    def reading(self, node: str) -> str:
        """Return what an ideal sensor reports now."""
        return self.report(node, self.stacks[node])

    def report(self, node: str, stack: Sequence[str]) -> str:
        """Return what an ideal sensor reports of a stack: the sum of the magnets, the lower stone first."""
        if not stack:
            return ""
        if node in self.wells and self.kind == "coded":
            return stack[0] if len(stack) == 1 else "?"
        if self.kind in {"presence", "coded"}:
            return "x"
        poles = [self.poles[piece] for piece in stack]
        if self.kind == "polarity" or len(stack) == 1:
            return poles[0]
        return poles[0] + (">" if len(set(poles)) == 1 else "<")

    def tells(self, node: str, one: Sequence[str], other: Sequence[str]) -> bool:
        """Tell whether the sensor of a node reports two stacks differently."""
        return self.report(node, one) != self.report(node, other)

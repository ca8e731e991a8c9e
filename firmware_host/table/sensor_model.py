"""The sensed states of stacks, cached per node: the same few stacks are looked up repeatedly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from firmware_host.games.game import Occupancy, Stack
from firmware_host.table.senses import NOTHING, Senses


@dataclass(frozen=True)
class SensorModel:
    """The sensed states of stacks, node by node."""

    senses: Senses
    _known: dict[tuple[bool, bool, Stack | None], frozenset[str]] = field(default_factory=dict)

    def sensed_states(self, node: str, stack: Stack | None) -> frozenset[str]:
        """Return every state that a stack may give at a node."""
        key = (node in self.senses.ambiguous_stacks, node in self.senses.wells, stack)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.senses.at(node).sensed_states(stack)
        return found

    def tells(self, node: str, one: Stack | None, other: Stack | None) -> bool:
        """Return whether the sensor of a node surely distinguishes two stacks."""
        return self.sensed_states(node, one).isdisjoint(self.sensed_states(node, other))

    def mismatch(self, seen: Mapping[str, str], masked: Collection[str], occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit an occupancy, masked nodes left out."""
        sensed_states, of = self.sensed_states, occupancy.get
        return tuple(
            node for node, sensed in seen.items() if sensed not in sensed_states(node, of(node)) and node not in masked
        )

    def is_whole_tile(self, node: str, sensed: str) -> bool:
        """Return whether a well reports a whole tile: no single faulty sensor can cause that."""
        return self.senses.kind == "coded" and node in self.senses.wells and sensed not in {NOTHING, "?"}

"""Raw readings of every scan → stable sights of nodes, and the health of each sensor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firmware_host.sensing.levels import scale
from hw.ports import BoardDescription, NodeWiring
from hw.tile_codes import LEAST_MAGNETS, UNREADABLE, TileCodes

DEBOUNCE_SCANS = 3
"""So many equal scans in a row make a reading count."""
FLAPPING_CHANGES = 12
FLAPPING_WINDOW_S = 3.0
"""More raw changes than this within the window: no hand does that, the contact is flapping."""

_POLARITY = ("", "N", "S", "?")


@dataclass(frozen=True)
class Unread:
    """A node of nine sensors that shows what is no whole tile."""

    node: str
    bits: tuple[int, ...]
    """What its sensors read: the ring clockwise from north, then the middle."""
    since: float
    before: str = ""
    """What was read there last: a tile that has become unreadable where it lies, or nothing."""


class Debouncer:
    """Feed it every scan; it tells which nodes have a new stable sight, and which flap.

    The nine readings of a well count as one: its sight is stable when the tile that they show is.
    """

    def __init__(self, board: BoardDescription, scans: int = DEBOUNCE_SCANS) -> None:
        """Begin with every node empty; ``scans`` equal readings in a row count."""
        self.stable: dict[str, str] = dict.fromkeys(board.nodes, "")
        self.deaf: dict[str, set[int]] = {name: _deaf(node, board) for name, node in board.nodes.items() if node.ring}
        """Places of nine whose sensors are done without, by node."""
        self._declared = {node: frozenset(places) for node, places in self.deaf.items()}
        self._right: dict[tuple[str, int], set[int]] = {}
        """Places done without since the beginning → what their sensors have read rightly since they were last wrong."""
        self._nodes = [(wiring.name, wiring.channels) for wiring in board.nodes.values()]
        self._kind = board.kind
        self._codes = TileCodes({name: tile.ring for name, tile in board.tiles.items() if tile.ring})
        self._scales = [scale(board.calibration.get(node), board.bands) for node in board.nodes]
        self._scans = scans
        self._last: list[str] = [""] * len(self._nodes)
        self._equal: list[int] = [scans] * len(self._nodes)
        self._since: list[float] = [0.0] * len(self._nodes)
        self._read: dict[str, str] = dict.fromkeys(self.deaf, "")
        """Nodes of nine sensors, each with its last stable sight that was readable."""
        self._changes: dict[int, deque[float]] = {channel: deque() for channel in board.sensors()}
        self._raw: Sequence[int] | None = None
        self._unsettled = 0

    def feed(self, readings: Sequence[int], at: float) -> Iterator[tuple[str, str]]:
        """Yield (node, sight) for every node whose stable sight has changed with this scan (seconds ``at``)."""
        if readings == self._raw and not self._unsettled:
            return  # The usual case at rest: nothing to do for any node.
        before, self._raw = self._raw, readings
        self._unsettled = 0
        for index, (node, channels) in enumerate(self._nodes):
            sight = self._look(index, readings, before, at)
            if sight != self._last[index]:
                self._last[index], self._since[index] = sight, at
                self._equal[index] = 0
            self._equal[index] += 1
            if self._equal[index] < self._scans:
                self._unsettled += 1
                continue
            if len(channels) > 1:
                self._note_tile(node, sight, [readings[channel] for channel in channels])
            if sight != self.stable[node]:
                self.stable[node] = sight
                yield node, sight

    def flapping(self, at: float) -> list[tuple[str, tuple[int, ...]]]:
        """Return the nodes with the channels that change more often than a hand can, within the last seconds."""
        found = []
        for node, channels in self._nodes:
            flapping = []
            for channel in channels:
                changes = self._changes[channel]
                while changes and changes[0] < at - FLAPPING_WINDOW_S:
                    changes.popleft()
                if len(changes) > FLAPPING_CHANGES:
                    flapping.append(channel)
            if flapping:
                found.append((node, tuple(flapping)))
        return found

    def unread(self) -> list[Unread]:
        """Return the nodes that have come to show what is no whole tile, and go on showing it."""
        raw = self._raw
        if raw is None:
            return []
        return [
            Unread(node, tuple(raw[channel] for channel in channels), self._since[index], self._read[node])
            for index, (node, channels) in enumerate(self._nodes)
            if len(channels) > 1 and self.stable[node] == self._last[index] == UNREADABLE
        ]

    def do_without(self, node: str, place: int) -> None:
        """Read a node from now on without one of its nine sensors."""
        self.deaf[node].add(place)
        self._right[node, place] = set()
        self._unsettled += 1  # What is read means something else now, also where nothing moves.

    def recovered(self) -> list[str]:
        """Read nodes again with the sensors that have come to read both something and nothing rightly; return them."""
        found = [where for where, right in self._right.items() if len(right) == 2]
        for node, place in found:
            del self._right[node, place]
            self.deaf[node].discard(place)
        return [node for node, _ in found]

    def _note_tile(self, node: str, sight: str, bits: Sequence[int]) -> None:
        """Note what is settled in a well, and whether the sensors that are done without read what they should."""
        if sight != UNREADABLE:
            self._read[node] = sight
        for place in self.deaf[node] - self._declared[node]:
            if sight != UNREADABLE and bits[place] == self._codes.bits(sight)[place]:
                self._right[node, place].add(bits[place])
            else:
                self._right[node, place].clear()

    def _look(self, index: int, readings: Sequence[int], before: Sequence[int] | None, at: float) -> str:
        """Return what a node shows in one scan; note which of its contacts have changed."""
        node, channels = self._nodes[index]
        if len(channels) > 1:
            return self._tile(node, channels, readings, before, at)
        sight = self._sight(index, readings[channels[0]])
        if sight != self._last[index]:
            self._changes[channels[0]].append(at)
        return sight

    def _sight(self, index: int, reading: int) -> str:
        if self._kind in {"presence", "coded"}:
            return "x" if reading else ""
        if self._kind == "polarity":
            return _POLARITY[reading]
        return self._scales[index].sight(reading, self._last[index])

    def _tile(
        self, node: str, channels: Sequence[int], readings: Sequence[int], before: Sequence[int] | None, at: float
    ) -> str:
        """Return what nine readings show, and note which of them have changed.

        A tile that comes or goes changes four or more at once: only what changes without the others may flap.
        """
        changed = [channel for channel in channels if before is not None and readings[channel] != before[channel]]
        for channel in changed if len(changed) < LEAST_MAGNETS else ():
            self._changes[channel].append(at)
        return self._codes.decode([readings[channel] for channel in channels], self.deaf[node])


def _deaf(node: NodeWiring, board: BoardDescription) -> set[int]:
    return {place for place, channel in enumerate(node.ring) if channel in board.disabled_channels}

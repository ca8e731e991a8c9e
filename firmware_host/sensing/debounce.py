"""From raw readings of each scan to stable sensed states of nodes (``x``, ``N``, ``7r5``), and flapping contacts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firmware_host.sensing.levels import scale
from hw.ports import BoardDescription
from hw.tile_codes import LEAST_MAGNETS, UNREADABLE, TileCodes

DEBOUNCE_SCANS = 3
"""Number of equal scans in a row that make a sensed state stable."""
FLAPPING_CHANGES = 12
"""Maximum number of raw changes that a hand makes within the window; a contact with more is flapping."""
FLAPPING_WINDOW_S = 3.0

_POLARITY = ("", "N", "S", "?")


@dataclass(frozen=True)
class Unread:
    """A node of nine sensors whose stable readings match no tile."""

    node: str
    bits: tuple[int, ...]
    """Readings of its sensors: the ring clockwise from north, then the middle."""
    since: float
    before: str = ""
    """The last readable sensed state: the tile that has become unreadable, or empty."""


class Debouncer:
    """Takes every scan, and reports new stable sensed states and flapping contacts.

    The nine readings of a well count as one sensed state: it is stable when the tile that they show is.
    """

    def __init__(self, board: BoardDescription, scans: int = DEBOUNCE_SCANS) -> None:
        """Start with every node empty; a sensed state is stable after ``scans`` equal scans in a row."""
        self.stable: dict[str, str] = dict.fromkeys(board.nodes, "")
        self.ignored: dict[str, set[int]] = {
            name: {place for place, channel in enumerate(node.ring) if channel in board.disabled_channels}
            for name, node in board.nodes.items()
            if node.ring
        }
        """Node of nine sensors → places of those that are ignored."""
        self._declared = {node: frozenset(places) for node, places in self.ignored.items()}
        self._right: dict[tuple[str, int], set[int]] = {}
        """(node, place) ignored since the start → values that its sensor has read correctly since its last error."""
        self._nodes = [(wiring.name, wiring.channels) for wiring in board.nodes.values()]
        self._kind = board.kind
        self._codes = TileCodes({name: tile.ring for name, tile in board.tiles.items() if tile.ring})
        self._scales = [scale(board.calibration.get(node), board.bands) for node in board.nodes]
        self._scans = scans
        self._last: list[str] = [""] * len(self._nodes)
        self._equal: list[int] = [scans] * len(self._nodes)
        self._since: list[float] = [0.0] * len(self._nodes)
        self._read: dict[str, str] = dict.fromkeys(self.ignored, "")
        """Node of nine sensors → its last readable stable sensed state."""
        self._changes: dict[int, deque[float]] = {channel: deque() for channel in board.sensors()}
        self._raw: Sequence[int] | None = None
        self._unsettled = 0

    def feed(self, readings: Sequence[int], at: float) -> Iterator[tuple[str, str]]:
        """Yield (node, sensed state) for every node whose stable state changes with this scan at ``at`` (seconds)."""
        if readings == self._raw and not self._unsettled:
            return  # The usual case at rest.
        before, self._raw = self._raw, readings
        self._unsettled = 0
        for index, (node, channels) in enumerate(self._nodes):
            sensed = self._look(index, readings, before, at)
            if sensed != self._last[index]:
                self._last[index], self._since[index] = sensed, at
                self._equal[index] = 0
            self._equal[index] += 1
            if self._equal[index] < self._scans:
                self._unsettled += 1
                continue
            if len(channels) > 1:
                self._note_tile(node, sensed, [readings[channel] for channel in channels])
            if sensed != self.stable[node]:
                self.stable[node] = sensed
                yield node, sensed

    def flapping(self, at: float) -> list[tuple[str, tuple[int, ...]]]:
        """Return (node, channels) for contacts that changed more often in the last seconds than a hand can."""
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
        """Return the nodes of nine sensors whose stable and present readings match no tile."""
        raw = self._raw
        if raw is None:
            return []
        return [
            Unread(node, tuple(raw[channel] for channel in channels), self._since[index], self._read[node])
            for index, (node, channels) in enumerate(self._nodes)
            if len(channels) > 1 and self.stable[node] == self._last[index] == UNREADABLE
        ]

    def ignore_sensor(self, node: str, place: int) -> None:
        """Ignore one of a node's nine sensors from now on."""
        self.ignored[node].add(place)
        self._right[node, place] = set()
        self._unsettled += 1  # The same readings may now give another sensed state.

    def readmit_sensors(self) -> list[str]:
        """Use ignored sensors again that have read both values correctly; return their nodes."""
        found = [where for where, right in self._right.items() if len(right) == 2]
        for node, place in found:
            del self._right[node, place]
            self.ignored[node].discard(place)
        return [node for node, _ in found]

    def _note_tile(self, node: str, sensed: str, bits: Sequence[int]) -> None:
        """Record a well's stable sensed state, and whether its ignored sensors read correctly."""
        if sensed != UNREADABLE:
            self._read[node] = sensed
        for place in self.ignored[node] - self._declared[node]:
            if sensed != UNREADABLE and bits[place] == self._codes.bits(sensed)[place]:
                self._right[node, place].add(bits[place])
            else:
                self._right[node, place].clear()

    def _look(self, index: int, readings: Sequence[int], before: Sequence[int] | None, at: float) -> str:
        """Return a node's sensed state in one scan; record the changes of its contacts."""
        node, channels = self._nodes[index]
        if len(channels) > 1:
            return self._tile(node, channels, readings, before, at)
        sensed = self._sensed_state(index, readings[channels[0]])
        if sensed != self._last[index]:
            self._changes[channels[0]].append(at)
        return sensed

    def _sensed_state(self, index: int, reading: int) -> str:
        if self._kind in {"presence", "coded"}:
            return "x" if reading else ""
        if self._kind == "polarity":
            return _POLARITY[reading]
        return self._scales[index].sensed_state(reading, self._last[index])

    def _tile(
        self, node: str, channels: Sequence[int], readings: Sequence[int], before: Sequence[int] | None, at: float
    ) -> str:
        """Return the sensed state of nine readings; record their changes.

        A tile that comes or goes changes four or more readings at once, so only smaller changes count as flapping.
        """
        changed = [channel for channel in channels if before is not None and readings[channel] != before[channel]]
        for channel in changed if len(changed) < LEAST_MAGNETS else ():
            self._changes[channel].append(at)
        return self._codes.decode([readings[channel] for channel in channels], self.ignored[node])

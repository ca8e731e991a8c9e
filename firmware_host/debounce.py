"""Raw readings of every scan → stable sights of nodes, and the health of each sensor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from firmware_host.levels import scale
from hw.ports import BoardDescription

DEBOUNCE_SCANS = 3
"""So many equal scans in a row make a reading count."""
FLAPPING_CHANGES = 12
FLAPPING_WINDOW_S = 3.0
"""More raw changes than this within the window: no hand does that, the contact is flapping."""

_POLARITY = ("", "N", "S", "?")


class Debouncer:
    """Feed it every scan; it tells which nodes have a new stable sight, and which flap."""

    def __init__(self, board: BoardDescription, scans: int = DEBOUNCE_SCANS) -> None:
        """Begin with every node empty; ``scans`` equal readings in a row count."""
        self.stable: dict[str, str] = dict.fromkeys(board.nodes, "")
        self._nodes = [(wiring.name, wiring.channel) for wiring in board.nodes.values()]
        self._kind = board.kind
        self._scales = [scale(board.calibration.get(node), board.bands) for node in board.nodes]
        self._scans = scans
        self._last: list[str] = [""] * len(self._nodes)
        self._equal: list[int] = [scans] * len(self._nodes)
        self._changes: list[deque[float]] = [deque() for _ in self._nodes]
        self._raw: Sequence[int] | None = None
        self._unsettled = 0

    def feed(self, readings: Sequence[int], at: float) -> Iterator[tuple[str, str]]:
        """Yield (node, sight) for every node whose stable sight has changed with this scan (seconds ``at``)."""
        if readings == self._raw and not self._unsettled:
            return  # The usual case at rest: nothing to do for any node.
        self._raw = readings
        self._unsettled = 0
        for index, (node, channel) in enumerate(self._nodes):
            sight = self._sight(index, readings[channel])
            if sight != self._last[index]:
                self._last[index] = sight
                self._equal[index] = 1
                self._note_change(index, at)
            else:
                self._equal[index] += 1
            if sight != self.stable[node]:
                if self._equal[index] >= self._scans:
                    self.stable[node] = sight
                    yield node, sight
                else:
                    self._unsettled += 1
            elif self._equal[index] < self._scans:
                self._unsettled += 1

    def flapping(self, at: float) -> list[str]:
        """Return the nodes whose contact changes more often than a hand can, within the last seconds."""
        nodes = []
        for index, (node, _) in enumerate(self._nodes):
            changes = self._changes[index]
            while changes and changes[0] < at - FLAPPING_WINDOW_S:
                changes.popleft()
            if len(changes) > FLAPPING_CHANGES:
                nodes.append(node)
        return nodes

    def _note_change(self, index: int, at: float) -> None:
        self._changes[index].append(at)

    def _sight(self, index: int, reading: int) -> str:
        if self._kind == "presence":
            return "x" if reading else ""
        if self._kind == "polarity":
            return _POLARITY[reading]
        return self._scales[index].sight(reading, self._last[index])

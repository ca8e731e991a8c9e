"""From raw readings of each scan to stable sensed states of nodes (``x``, ``N``, ``7r5``), and flapping contacts.

A linear sensor's level becomes ``N`` (stone), ``N<`` (opposite stack) or ``N>`` (like stack) by its own thresholds.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hw.ports import BoardDescription, LevelBands, NodeLevels
from hw.tile_codes import LEAST_MAGNETS, UNREADABLE, TileCodes

NO_FIELD = 128
"""Rest level of a sensor without calibration."""
HYSTERESIS = 4
"""Level steps beyond a threshold at which the sensed state changes."""
LOWEST_REST = 2 * HYSTERESIS
"""Least strength of a stack, in level steps; anything weaker is noise."""


@dataclass(frozen=True)
class Scale:
    """The thresholds of one sensor."""

    rest: int
    bands: Mapping[str, LevelBands]
    """Pole (``N``, ``S``) → thresholds as distances from ``rest``."""
    turned: bool = False
    """Whether the sensor is mounted face down: north lowers the level."""
    stacks: bool = True
    """Whether stacks are distinguished from stones; if not, the sensed state is only the pole."""

    def sensed_state(self, reading: int, before: str = "") -> str:
        """Return the sensed state of a reading (0 to 255); within the hysteresis it stays ``before``."""
        away = reading - self.rest
        pole = "N" if (away > 0) != self.turned else "S"
        strength, bands = abs(away), self.bands[pole]
        for slack in (-HYSTERESIS, HYSTERESIS):
            if self._band(strength + slack, pole, bands) == before:
                return before
        return self._band(strength, pole, bands)

    def _band(self, strength: int, pole: str, bands: LevelBands) -> str:
        if strength < bands.rest:
            return ""
        if not self.stacks:
            return pole
        if strength < bands.single:
            return f"{pole}<"
        return pole if strength < bands.double else f"{pole}>"


@dataclass(frozen=True)
class Strengths:
    """Distances of one sensor's level from rest: under an opposite stack, a single stone, a like stack."""

    opposite: float
    single: float
    like: float

    def steps(self) -> tuple[float, float, float]:
        """Return the three differences from the next weaker strength; the first is from rest."""
        first, second, third = (b - a for a, b in itertools.pairwise((0.0, self.opposite, self.single, self.like)))
        return first, second, third


def strengths(levels: NodeLevels) -> dict[str, Strengths]:
    """Return pole → strengths at a sensor.

    The calibration has a stone of either pole, and one opposite stack with north below. The share that the upper stone
    takes away there is assumed for south as well. A stone of the same pole adds that share, within 0 to 255.
    """
    north, south = abs(levels.north - levels.rest), abs(levels.south - levels.rest)
    kept = (levels.stack - levels.rest) / (levels.north - levels.rest)
    found = {}
    for pole, single, reading in (("N", north, levels.north), ("S", south, levels.south)):
        room = 255 - levels.rest if reading > levels.rest else levels.rest
        found[pole] = Strengths(single * kept, float(single), min(single * (2.0 - kept), float(room)))
    return found


def scale(levels: NodeLevels | None, usual: LevelBands) -> Scale:
    """Return the scale of a sensor from its calibration or, with None, from the board's bands."""
    if levels is None:
        return Scale(NO_FIELD, {"N": usual, "S": usual})
    bands = {pole: _bands(found) for pole, found in strengths(levels).items()}
    return Scale(levels.rest, bands, turned=levels.north < levels.rest, stacks=levels.stacks)


def _bands(found: Strengths) -> LevelBands:
    """Return thresholds halfway between the strengths."""
    rest = round(max(found.opposite / 2, min(LOWEST_REST, found.single / 2), 1))
    single = max(rest + 1, round((found.opposite + found.single) / 2))
    return LevelBands(rest, single, max(single + 1, round((found.single + found.like) / 2)))


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

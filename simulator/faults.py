"""Mishaps of sensors: what a contact or a field reads when something is broken, and what a broken line makes of all.

A new kind of mishap is one more function in :data:`SENSOR_FAULTS` or in :data:`LINE_FAULTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

FLAP_HZ = 25
"""A flapping contact opens and closes so often."""

SENSOR_FAULTS: dict[str, Callable[[float], bool]] = {
    "stuck-on": lambda _now: True,
    "stuck-off": lambda _now: False,
    "flapping": lambda now: int(now * FLAP_HZ) % 2 == 0,
}
"""What a broken sensor says (something there or not) at a time in seconds, whatever lies on it."""

CHIP_INPUTS = 8
"""Inputs of one chip of the chain."""
SPIKE_S = 0.005
"""A spark lasts so long; whatever is read meanwhile is hit by the same one."""
SPIKE_SHARE = 0.1
"""In a field of sparks so much of the time is filled by them."""
SPIKE_FLIPS = 0.4
"""What share of the inputs such a scan reads wrong."""

Levels = Sequence[int]


def _held(level: int) -> Callable[[Levels, int, Random], Levels]:
    """Return a line that always shows one level (0 low, 1 high)."""

    def held(levels: Levels, top: int, _random: Random) -> Levels:
        return [level * top] * len(levels)

    return held


def _shifted(levels: Levels, top: int, _random: Random) -> Levels:
    """Lose the first bit: the clock rings once too often, and what follows moves up by one."""
    return [*levels[1:], top]


def _dead_chip(level: int) -> Callable[[Levels, int, Random], Levels]:
    """Return a chain whose chip in the middle has died: it and all behind it, whose bits pass through it."""

    def dead(levels: Levels, top: int, _random: Random) -> Levels:
        alive = len(levels) // CHIP_INPUTS // 2 * CHIP_INPUTS
        return [*levels[:alive], *[level * top] * (len(levels) - alive)]

    return dead


def _spikes(levels: Levels, top: int, random: Random) -> Levels:
    """Flip many inputs at some times: a motor, a lamp switched nearby."""
    if random.random() >= SPIKE_SHARE:
        return levels
    wrong = [random.randint(0, top) if top > 1 else top - one for one in levels]
    return [bad if random.random() < SPIKE_FLIPS else one for bad, one in zip(wrong, levels, strict=True)]


LINE_FAULTS: dict[str, Callable[[Levels, int, Random], Levels]] = {
    "data-high": _held(1),
    "data-low": _held(0),
    "data-shifted": _shifted,
    "chip-high": _dead_chip(1),
    "chip-low": _dead_chip(0),
    "spikes": _spikes,
}
"""What arrives of the levels (0 to ``top``, in the order in which they are read) when wires or chips are broken."""

LOST = "lost"
"""Nothing answers any more."""
BOARD = "board"
"""Where the fault of the whole board is listed."""
FAULTS = (*SENSOR_FAULTS, *LINE_FAULTS, LOST)


class Faults:
    """What is broken at the moment. Not locked: the world that owns it is."""

    def __init__(self, seed: int = 0) -> None:
        """Begin with everything in order; ``seed`` makes sparks repeatable."""
        self._seed = seed
        self._sensors: dict[str, str] = {}
        self._line: str | None = None
        self.lost = False

    def add(self, fault: str, node: str | None) -> None:
        """Break the sensor of a node, or the whole board's line, or lose all. Raise ValueError for an unknown fault."""
        if fault not in FAULTS:
            raise ValueError(f"kind: expected one of {', '.join(FAULTS)} or clear, got {fault!r}")
        if fault == LOST:
            self.lost = True
        elif fault in LINE_FAULTS:
            self._line = fault
        elif node is None:
            raise ValueError(f"node: expected the node whose sensor is {fault}")
        else:
            self._sensors[node] = fault

    def clear(self, node: str | None = None) -> None:
        """Mend one sensor, or everything."""
        if node is None:
            self._sensors.clear()
            self._line = None
            self.lost = False
        else:
            self._sensors.pop(node, None)

    def listed(self) -> dict[str, str]:
        """Return node → fault; the whole board's is under ``board``."""
        board = LOST if self.lost else self._line
        return {**({BOARD: board} if board else {}), **self._sensors}

    @property
    def restless(self) -> bool:
        """Tell whether readings change although no stone does."""
        return "flapping" in self._sensors.values() or self._line == "spikes"

    def arrives(self, levels: Levels, top: int, now: float) -> Levels:
        """Return what the host reads, at a time in seconds, of the levels (0 to ``top``) that stand at the inputs."""
        if self._line is None:
            return levels
        return LINE_FAULTS[self._line](levels, top, Random(self._seed * 1_000_003 + int(now / SPIKE_S)))

    def says(self, node: str, now: float) -> bool | None:
        """Return what the broken sensor of a node says; None where it is in order."""
        fault = self._sensors.get(node)
        return None if fault is None else SENSOR_FAULTS[fault](now)

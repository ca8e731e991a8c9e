"""Simulated faults: broken sensors, and broken lines, chips and wires that change many readings.

What a chip or a wire changes follows from the board's circuit (:mod:`hw.wires`). To add a fault, add a function to
:data:`SENSOR_FAULTS` or :data:`LINE_FAULTS`, or a kind of wire to :data:`WIRE_FAULTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from hw.wires import Fault

FLAP_HZ = 25
"""State changes of a flapping contact per second."""

SENSOR_FAULTS: dict[str, Callable[[float], bool]] = {
    "stuck-on": lambda _now: True,
    "stuck-off": lambda _now: False,
    "flapping": lambda now: int(now * FLAP_HZ) % 2 == 0,
}
"""Fault → function from a time (seconds) to the broken sensor's output: True for a piece, whatever lies there."""

CHIP_INPUTS = 8
"""Inputs of one chip of the chain."""
SPIKE_S = 0.005
"""Length of a spike; all scans within it read the same disturbance."""
SPIKE_SHARE = 0.1
"""Share of the time that spikes take."""
SPIKE_FLIPS = 0.4
"""Share of the inputs that a disturbed scan reads wrong."""

Levels = Sequence[int]


def _stuck(level: int) -> Callable[[Levels, int, Random], Levels]:
    """Return a data line that is stuck at one level (0 low, 1 high)."""

    def stuck(levels: Levels, top: int, _random: Random) -> Levels:
        return [level * top] * len(levels)

    return stuck


def _lose_first_bit(levels: Levels, top: int, _random: Random) -> Levels:
    """Lose the first bit: the clock rings, and all other bits move up by one."""
    return [*levels[1:], top]


def _dead_chip(level: int) -> Callable[[Levels, int, Random], Levels]:
    """Return a chain with a dead chip in the middle, through which the bits of all later chips pass."""

    def dead(levels: Levels, top: int, _random: Random) -> Levels:
        alive = len(levels) // CHIP_INPUTS // 2 * CHIP_INPUTS
        return [*levels[:alive], *[level * top] * (len(levels) - alive)]

    return dead


def _spikes(levels: Levels, top: int, random: Random) -> Levels:
    """Flip many inputs at some times, as a motor or lamp switched nearby does."""
    if random.random() >= SPIKE_SHARE:
        return levels
    wrong = [random.randint(0, top) if top > 1 else top - one for one in levels]
    return [bad if random.random() < SPIKE_FLIPS else one for bad, one in zip(wrong, levels, strict=True)]


LINE_FAULTS: dict[str, Callable[[Levels, int, Random], Levels]] = {
    "data-high": _stuck(1),
    "data-low": _stuck(0),
    "data-shifted": _lose_first_bit,
    "chip-high": _dead_chip(1),
    "chip-low": _dead_chip(0),
    "spikes": _spikes,
}
"""Fault → function from the true levels (0 to ``top``, in reading order) to those that the host reads."""

WIRE_FAULTS: dict[str, tuple[str, int, int]] = {
    "chip-high": ("part", 1, 1),
    "chip-low": ("part", 1, 0),
    "two-chips": ("part", 2, 1),
    "short": ("touch", 1, 0),
    "select-stuck": ("select", 1, 0),
    "diode-bridged": ("diode", 1, 0),
}
"""Fault → what breaks by the circuit: the kind of fault, how many of it side by side, and the level of what is dead."""
RESTARTED = "restarted"
"""Fault of parts that keep settings: they start anew with those of a power-up, and answer on."""
FELT = 10
"""Least distance of a level from 128 that is no noise."""

SWAP = "swap"
"""Fault of two sensors whose wires are exchanged: each channel reads what the other's sensor feels."""
NODE_FAULTS = (*SENSOR_FAULTS, SWAP)
"""Faults that concern a node."""
LOST = "lost"
"""Fault of a board that does not answer at all."""
BOARD = "board"
"""Key of the whole board's fault in :meth:`BoardFaults.by_node`."""
FAULTS = (*NODE_FAULTS, *dict.fromkeys((*LINE_FAULTS, *WIRE_FAULTS)), RESTARTED, LOST)


def broken_wires(fault: str, wires: Sequence[Fault]) -> list[Fault]:
    """Return what a fault breaks in a circuit: the parts or wires in its middle. Raise ValueError where it has none."""
    kind, count, _ = WIRE_FAULTS[fault]
    found = [one for one in wires if one.name.split()[0] == kind]
    if kind == "part" and not found:  # A matrix has no chips: its rows fail as they do.
        found = [one for one in wires if one.name.startswith("net rows")]
    elif kind == "part":  # In a chain a part is there twice: alone, and with those behind it, whose bits pass it.
        largest: dict[str, Fault] = {}
        for one in found:
            if one.name not in largest or (count == 1 and len(one.inputs) > len(largest[one.name].inputs)):
                largest[one.name] = one
        found = sorted(largest.values(), key=lambda one: (one.inputs[0], one.name))
    if len(found) < count:
        raise ValueError(f"kind: this board's wiring has nothing that breaks like {fault}")
    first = (len(found) - count) // 2
    return found[first : first + count]


class BoardFaults:
    """The present faults. Not locked: the owning world has a lock."""

    def __init__(self, seed: int = 0) -> None:
        """Start without faults; ``seed`` makes spikes repeatable."""
        self.wires: Sequence[Fault] = ()
        """What can break by the board's circuit; none: chips of a chain with eight inputs each."""
        self.sensors: Sequence[str] = ()
        """The sensors' names in the order of their channels."""
        self._swaps: dict[str, tuple[int, int]] = {}
        self._seed = seed
        self._sensors: dict[str, str] = {}
        self._line: str | None = None
        self.lost = False

    def add(self, fault: str, node: str | None) -> None:
        """Break a node's sensor, the whole board's line, or the board. Raise ValueError for an unknown fault."""
        if fault not in FAULTS:
            raise ValueError(f"kind: expected one of {', '.join(FAULTS)} or clear, got {fault!r}")
        if fault == LOST:
            self.lost = True
        elif fault in LINE_FAULTS or fault in WIRE_FAULTS:
            if fault in WIRE_FAULTS and (self.wires or fault not in LINE_FAULTS):
                broken_wires(fault, self.wires)
            self._line = fault
        elif node is None:
            raise ValueError(f"node: expected the node whose sensor is {fault}")
        elif fault == SWAP:
            self._swap(node)
        else:
            self._sensors[node] = fault

    def _swap(self, node: str) -> None:
        """Exchange the wires of a node's (first) sensor and of the next one. Raise ValueError where there is none."""
        at = next((at for at, name in enumerate(self.sensors) if name == node or name.startswith(f"{node}/")), None)
        if at is None or len(self.sensors) < 2:
            raise ValueError(f"node: expected a node with another sensor beside its own, got {node!r}")
        self._swaps[node] = (at, at + 1 if at + 1 < len(self.sensors) else at - 1)

    def clear(self, node: str | None = None) -> None:
        """Repair one sensor, or everything."""
        if node is None:
            self._sensors.clear()
            self._swaps.clear()
            self._line = None
            self.lost = False
        else:
            self._sensors.pop(node, None)
            self._swaps.pop(node, None)

    def by_node(self) -> dict[str, str]:
        """Return node → fault; the whole board's fault has the key ``board``."""
        board = LOST if self.lost else self._line
        return {**({BOARD: board} if board else {}), **dict.fromkeys(self._swaps, SWAP), **self._sensors}

    @property
    def restless(self) -> bool:
        """Return whether readings change without any change of pieces."""
        return "flapping" in self._sensors.values() or self._line == "spikes"

    def disturb(self, levels: Levels, top: int, now: float) -> Levels:
        """Return the levels that the host reads at a time (seconds), given those at the inputs (0 to ``top``)."""
        levels = self._by_swaps(levels) if self._swaps else levels
        if self._line is None:
            return levels
        if self._line in WIRE_FAULTS and self.wires:
            return self._by_circuit(levels, top)
        return LINE_FAULTS[self._line](levels, top, Random(self._seed * 1_000_003 + int(now / SPIKE_S)))

    def _by_swaps(self, levels: Levels) -> Levels:
        """Return the levels with the inputs of exchanged sensors exchanged: one, or two that read poles."""
        found, share = list(levels), len(levels) // len(self.sensors)
        for one, other in self._swaps.values():
            here, there = slice(one * share, (one + 1) * share), slice(other * share, (other + 1) * share)
            found[here], found[there] = found[there], found[here]
        return found

    def _by_circuit(self, levels: Levels, top: int) -> Levels:
        """Return the levels as broken wires let them through; a switch is closed at 0, a sensor at rest at 128."""
        rest, (_, _, stuck) = (1 if top == 1 else 128), WIRE_FAULTS[self._line or ""]
        found = list(levels)
        for fault in broken_wires(self._line or "", self.wires):
            felt = [one - rest if top == 1 or abs(one - rest) >= FELT else 0 for one in found]
            shown = fault.predicts(felt, stuck * top - rest)
            for at in fault.inputs:
                found[at] = rest + shown[at]
        return found

    def output(self, node: str, now: float) -> bool | None:
        """Return the output of a node's broken sensor at a time (seconds); None for a working sensor."""
        fault = self._sensors.get(node)
        return None if fault is None else SENSOR_FAULTS[fault](now)

"""Mishaps of sensors: what a contact or a field reads when something is broken.

A new kind of mishap is one more function in :data:`SENSOR_FAULTS`.
"""

from __future__ import annotations

from collections.abc import Callable

FLAP_HZ = 25
"""A flapping contact opens and closes so often."""

SENSOR_FAULTS: dict[str, Callable[[float], bool]] = {
    "stuck-on": lambda _now: True,
    "stuck-off": lambda _now: False,
    "flapping": lambda now: int(now * FLAP_HZ) % 2 == 0,
}
"""What a broken sensor says (something there or not) at a time in seconds, whatever lies on it."""

LOST = "lost"
"""Nothing answers any more."""
BOARD = "board"
"""Where the fault of the whole board is listed."""
FAULTS = (*SENSOR_FAULTS, LOST)


class Faults:
    """What is broken at the moment. Not locked: the world that owns it is."""

    def __init__(self) -> None:
        """Begin with everything in order."""
        self._sensors: dict[str, str] = {}
        self.lost = False

    def add(self, fault: str, node: str | None) -> None:
        """Break the sensor of a node, or (``lost``) the whole board. Raise ValueError for an unknown fault."""
        if fault not in FAULTS:
            raise ValueError(f"kind: expected one of {', '.join(FAULTS)} or clear, got {fault!r}")
        if fault == LOST:
            self.lost = True
        elif node is None:
            raise ValueError(f"node: expected the node whose sensor is {fault}")
        else:
            self._sensors[node] = fault

    def clear(self, node: str | None = None) -> None:
        """Mend one sensor, or everything."""
        if node is None:
            self._sensors.clear()
            self.lost = False
        else:
            self._sensors.pop(node, None)

    def listed(self) -> dict[str, str]:
        """Return node → fault; the whole board's is under ``board``."""
        return {**({BOARD: LOST} if self.lost else {}), **self._sensors}

    @property
    def restless(self) -> bool:
        """Tell whether readings change although no stone does."""
        return "flapping" in self._sensors.values()

    def says(self, node: str, now: float) -> bool | None:
        """Return what the broken sensor of a node says; None where it is in order."""
        fault = self._sensors.get(node)
        return None if fault is None else SENSOR_FAULTS[fault](now)

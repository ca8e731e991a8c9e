"""The last scan of a running table's sensors, for pages and commands that show readings."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hw.ports import BoardDescription, HardwareError, SensorBank, line_of

SMOOTH = 0.05
"""Weight of the newest interval between scans in the moving average."""


class Tap:
    """A sensor bank that passes scans on and stores the last one. Any thread may call :meth:`snapshot`."""

    def __init__(
        self, sensors: SensorBank, description: BoardDescription, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Wrap the sensors of a board."""
        self.channels, self.kind = sensors.channels, sensors.kind
        self.through: Callable[[Sequence[int]], Sequence[int]] | None = None
        """Function that gets every scan and returns the readings to pass on; None passes the scan itself on."""
        self._sensors = sensors
        self._clock = clock
        self.describe(description)
        self._scans = 0
        self._gap: float | None = None
        # One tuple, replaced as a whole: another thread never sees parts of two scans.
        self._last: tuple[float, Sequence[int], str | None] | None = None

    def describe(self, description: BoardDescription) -> None:
        """Tell of the sensors by another description of the same board from now on."""
        self._description = description
        self._places = [(node.name, channel) for node in description.nodes.values() for channel in node.channels]

    def scan(self) -> Sequence[int]:
        """Scan the sensors; return one reading per channel. Raise HardwareError when the board does not answer."""
        at = self._clock()
        before = self._last
        if before is not None:
            gap = at - before[0]
            self._gap = gap if self._gap is None else self._gap + SMOOTH * (gap - self._gap)
        try:
            readings = self._sensors.scan()
        except HardwareError as error:
            self._last = (at, () if before is None else before[1], str(error))
            raise
        self._scans += 1
        self._last = (at, tuple(readings), None)
        through = self.through
        return readings if through is None else through(readings)

    def close(self) -> None:
        """Close the sensors."""
        self._sensors.close()

    def snapshot(self) -> Mapping[str, Any]:
        """Return the last scan, ready for JSON: sensors with channel, pixel, place (mm), reading; rate (Hz), age (s).

        ``line`` counts the frames of a scanner: ``good``, ``damaged``, ``missing``; None for sensors without one.

        Each of a well's nine sensors has its own entry: ``b3, ring sensor 4``. ``kind`` is the kind of each channel.
        """
        board, last = self._description, self._last
        readings = last[1] if last is not None else ()
        line = line_of(self._sensors)
        return {
            "board": board.name,
            "scheme": board.scheme,
            "kind": board.channel_kind,
            "scans": self._scans,
            "rate": round(1 / self._gap, 1) if self._gap else None,
            "age": round(self._clock() - last[0], 3) if last is not None else None,
            "error": last[2] if last is not None else None,
            "line": asdict(line) if line is not None else None,
            "nodes": [
                {
                    "node": board.sensor_words(channel),
                    "channel": channel,
                    "pixel": board.nodes[node].pixel,
                    "x": board.nodes[node].x,
                    "y": board.nodes[node].y,
                    "reading": readings[channel] if channel < len(readings) else None,
                }
                for node, channel in self._places
            ],
        }

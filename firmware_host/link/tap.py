"""Taps: what a running table's sensors read, shown on pages, and its board lent to a wizard for a while.

The loop scans all the time, and it alone scans. A page that shows readings gets those of the last scan. A wizard
borrows sensors and strip: then each scan goes to the wizard, and the table gets what the wizard returns for it; the
table's frames are kept, and the last of them is shown when the strip is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from firmware_host import platform
from firmware_host.sensing.pipeline import ScanRate
from firmware_host.session.runtime import Runtime
from hw.ports import (
    BoardDescription,
    Colour,
    HardwareError,
    OpenBoard,
    SensorBank,
    Strip,
    WrappedSensors,
)

Feed = Callable[[Sequence[int]], Sequence[int]]
"""Takes a scan, and returns the readings to pass on in its place."""


class Tap(WrappedSensors):
    """A sensor bank that passes scans on and stores the last one. Any thread may call :meth:`snapshot`."""

    def __init__(
        self, sensors: SensorBank, description: BoardDescription, *, clock: Callable[[], float] = platform.now
    ) -> None:
        """Wrap the sensors of a board."""
        super().__init__(sensors)
        self._feed: Feed | None = None
        self._clock = clock
        self.describe(description)
        self._scans = 0
        self._rate = ScanRate()
        # One tuple, replaced as a whole: another thread never sees parts of two scans.
        self._last: tuple[float, Sequence[int], str | None] | None = None

    def borrow(self, feed: Feed) -> None:
        """Call ``feed`` with each scan from now on; the readings that it returns are passed on instead."""
        self._feed = feed

    def give_back(self) -> None:
        """Pass the scans themselves on again."""
        self._feed = None

    def describe(self, description: BoardDescription) -> None:
        """Tell of the sensors by another description of the same board from now on."""
        self._description = description
        self._places = [(node.name, channel) for node in description.nodes.values() for channel in node.channels]

    def scan(self) -> Sequence[int]:
        """Scan the sensors; return one reading per channel. Raise HardwareError when the board does not answer."""
        at = self._clock()
        before = self._last
        self._rate.note(at)
        try:
            readings = self.bank.scan()
        except HardwareError as error:
            self._last = (at, () if before is None else before[1], str(error))
            raise
        self._scans += 1
        self._last = (at, tuple(readings), None)
        feed = self._feed
        return readings if feed is None else feed(readings)

    def close(self) -> None:
        """Close the sensors."""
        self.bank.close()

    def snapshot(self) -> Mapping[str, Any]:
        """Return the last scan, ready for JSON: sensors with channel, pixel, place (mm), reading; rate (Hz), age (s).

        ``line`` counts the frames of a scanner: ``good``, ``damaged``, ``missing``; None for sensors without one.

        Each of a well's nine sensors has its own entry: ``b3, ring sensor 4``. ``kind`` is the kind of each channel.
        """
        board, last = self._description, self._last
        readings = last[1] if last is not None else ()
        line = self.line
        return {
            "board": board.name,
            "scheme": board.scheme,
            "kind": board.channel_kind,
            "scans": self._scans,
            "rate": self._rate.per_s(),
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


class StripTap:
    """A strip that can be lent: meanwhile frames are kept and not shown."""

    def __init__(self, strip: Strip) -> None:
        """Wrap the strip of a board, which is dark."""
        self.length = strip.length
        self._strip = strip
        self._frame: Sequence[Colour] = [(0, 0, 0)] * strip.length
        """The last frame."""
        self._lent = False

    def show(self, colours: Sequence[Colour]) -> None:
        """Show a frame, or keep it. Raise HardwareError when the strip can't be driven."""
        self._frame = list(colours)
        if not self._lent:
            self._strip.show(colours)

    def borrow(self) -> Strip:
        """Return the strip, which is the caller's until :meth:`give_back`."""
        self._lent = True
        return self._strip

    def give_back(self) -> None:
        """Show the last frame again. Raise HardwareError when the strip can't be driven."""
        self._lent = False
        self._strip.show(self._frame)

    def close(self) -> None:
        """Close the strip."""
        self._strip.close()


@dataclass
class TappedBoard(OpenBoard):
    """A board whose sensors and strip can be looked at and lent."""

    sensors: Tap
    strip: StripTap


def with_taps(board: OpenBoard, clock: Callable[[], float] = platform.now) -> TappedBoard:
    """Return an open board with taps: the same one, if it has them already."""
    if isinstance(board, TappedBoard):
        return board
    taps = {"sensors": Tap(board.sensors, board.description, clock=clock), "strip": StripTap(board.strip)}
    return TappedBoard(**{field.name: getattr(board, field.name) for field in fields(board)} | taps)


def taps_of(runtime: Runtime) -> TappedBoard:
    """Return the board that a table has open now; whoever asks has wrapped it in taps (``Extension.wrap_board``)."""
    board = runtime.setting.board
    assert isinstance(board, TappedBoard)  # noqa: S101
    return board

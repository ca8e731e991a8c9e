"""Taps: what a running table's sensors read, shown on pages, and its board lent to a wizard for a while.

The loop scans all the time, and it alone scans. A page that shows readings gets those of the last scan. A wizard
borrows sensors and strip: then each scan goes to the wizard, and the table gets what the wizard returns for it; the
table's frames are kept, and the last of them is shown when the strip is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from firmware_host import platform
from hw.ports import (
    BoardDescription,
    Colour,
    HardwareError,
    OpenBoard,
    SensorBank,
    Strip,
    WrappedSensors,
)

SMOOTH = 0.05
"""Weight of the newest interval between scans in the moving average."""


Feed = Callable[[Sequence[int]], Sequence[int]]
"""Takes a scan, and returns the readings to pass on in its place."""


class Tap(WrappedSensors):
    """A sensor bank that passes scans on and keeps the last one, at which any thread may look."""

    def __init__(
        self, sensors: SensorBank, description: BoardDescription, *, clock: Callable[[], float] = platform.now
    ) -> None:
        """Wrap the sensors of a board."""
        super().__init__(sensors)
        self._feed: Feed | None = None
        self.clock = clock
        self.describe(description)
        self.scans = 0
        self._gap: float | None = None
        # One tuple, replaced as a whole: another thread never sees parts of two scans.
        self.last: tuple[float, Sequence[int], str | None] | None = None
        """Time, readings and fault of the last scan."""

    def borrow(self, feed: Feed) -> None:
        """Call ``feed`` with each scan from now on; the readings that it returns are passed on instead."""
        self._feed = feed

    def give_back(self) -> None:
        """Pass the scans themselves on again."""
        self._feed = None

    def describe(self, description: BoardDescription) -> None:
        """Tell of the sensors by another description of the same board from now on."""
        self.description = description

    def scan(self) -> Sequence[int]:
        """Scan the sensors; return one reading per channel. Raise HardwareError when the board does not answer."""
        at = self.clock()
        before = self.last
        if before is not None:
            gap = at - before[0]
            self._gap = gap if self._gap is None else self._gap + SMOOTH * (gap - self._gap)
        try:
            readings = self.bank.scan()
        except HardwareError as error:
            self.last = (at, () if before is None else before[1], str(error))
            raise
        self.scans += 1
        self.last = (at, tuple(readings), None)
        feed = self._feed
        return readings if feed is None else feed(readings)

    def close(self) -> None:
        """Close the sensors."""
        self.bank.close()

    @property
    def rate(self) -> float | None:
        """Scans a second; None before the second one."""
        return round(1 / self._gap, 1) if self._gap else None


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


def with_taps(board: OpenBoard, *, clock: Callable[[], float] = platform.now) -> TappedBoard:
    """Return an open board with taps."""
    taps = {"sensors": Tap(board.sensors, board.description, clock=clock), "strip": StripTap(board.strip)}
    return TappedBoard(**{field.name: getattr(board, field.name) for field in fields(board)} | taps)

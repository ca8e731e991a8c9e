"""Switches in rows and columns, each with a diode: one row is pulled low at a time, the columns are pulled up and read.

Each switch joins its column to its row through a diode whose cathode looks to the row, so that several stones never
make a ghost of another. Input i lies in row i // columns and column i % columns.

GPIO calls a scan, for n inputs in r rows: r writes (one call lets the last row go and pulls the next low) and n reads:
n + r in all. With few long rows that is the fewest of all schemes that use the pins alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from hw.buses import WaitUs
from hw.gpio import Gpio
from hw.switches import check_kind, inputs_of, readings


class MatrixBank:
    """The sensors of a board in a matrix. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(
        self,
        gpio: Gpio,
        rows: Sequence[int],
        columns: Sequence[int],
        channels: int,
        kind: str,
        *,
        wait_us: WaitUs,
        settle_us: float = 10,
    ) -> None:
        """Set the pins up; ``settle_us`` is left between pulling a row low and reading its columns."""
        check_kind("matrix", kind)
        self.channels = channels
        self.kind = kind
        self._gpio, self._rows, self._columns = gpio, list(rows), list(columns)
        self._inputs = inputs_of(channels, kind)
        self._wait_us, self._settle_us = wait_us, settle_us
        self._low: int | None = None
        """The row that the last scan left low; None where that is not known."""
        gpio.setup(self._rows, gpio.OUT, initial=gpio.HIGH)
        for pin in self._columns:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)

    def scan(self) -> Sequence[int]:
        """Pull one row after the other low and read its columns."""
        gpio, read, low = self._gpio, self._gpio.input, self._low
        if low is None:
            gpio.output(self._rows, gpio.HIGH)
        self._low = None  # Should a call fail on the way, the next scan begins from scratch.
        closed: list[int] = []
        for row in self._rows:
            if low is None:
                gpio.output(row, gpio.LOW)
            elif low != row:
                gpio.output([low, row], [gpio.HIGH, gpio.LOW])
            low = row
            self._wait_us(self._settle_us)
            closed += [1 - read(pin) for pin in self._columns[: self._inputs - len(closed)]]
        self._low = low
        return readings(closed, self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup([*self._rows, *self._columns])

"""The MCP3008, written from its datasheet: ten bits, eight inputs, on SPI in mode 0 or 3.

- The falling edge of CS starts. DIN is read at rising edges of CLK, DOUT changes at falling ones. The first 1 is the
  start bit, then come SGL/DIFF and D2 to D0.
- The input is sampled from the rising edge that reads D0 to the falling edge one clock later, at which DOUT leaves its
  floating state with a null bit. Then come B9 to B0 and, if the clock continues, B1 to B9, then zeros.
- The result is 1024 × input / reference, rounded down.

These faults of a driver raise ChipViolation: a clock above the chip's maximum at 2.7 V (or so slow that the sample
leaks away), CS rising during a conversion, and differential measuring, which is not wired here.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_host.link.simulated import adc_inputs
from hw.pins import number
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.buses import ChipViolation
from simulator.stones import World

INPUTS = 8
FASTEST, SLOWEST = 1_350_000, 10_000
COMMAND_BITS = 5
NULL_AT = 6
"""Number of the clock, with the start bit's as 1, at whose falling edge the null bit is output."""
RESULT_BITS = 10


class Mcp3008Chip:
    """One chip. ``inputs`` returns an input's voltage as a share of the reference; None if it floats."""

    def __init__(self, inputs: Callable[[int], float | None]) -> None:
        """Start unselected."""
        self._inputs = inputs
        self._selected = False
        self._data_in = 0
        self._clock = 0
        self._count = 0
        """Number of clocks, with the start bit's as 1; 0 before it."""
        self._command = 0
        self._result = 0
        self._out: int | None = None

    def set_select(self, level: int, hertz: int) -> None:
        """Set the level of CS; ``hertz`` is the clock of the transfer."""
        if not level and not SLOWEST <= hertz <= FASTEST:
            raise ChipViolation(f"MCP3008: clocked with {hertz} Hz, expected {SLOWEST} to {FASTEST}")
        if level and self._selected and 0 < self._count <= NULL_AT + RESULT_BITS:
            raise ChipViolation(f"MCP3008: CS rises {self._count} clocks after the start bit, within a conversion")
        self._selected = not level
        self._count, self._command, self._out = 0, 0, None

    def set_data(self, level: int) -> None:
        """Set the level of DIN."""
        self._data_in = level

    def set_clock(self, level: int) -> None:
        """Set the level of CLK."""
        if level == self._clock:
            return
        self._clock = level
        count = self._count
        if level:
            if self._selected and (count or self._data_in):
                self._count = count + 1
                if count < COMMAND_BITS:
                    self._command = self._command << 1 | self._data_in
        elif count >= NULL_AT:
            self._put_out(count - NULL_AT - 1)

    def data(self) -> int | None:
        """Return the level at DOUT; None while it floats."""
        return self._out

    def _put_out(self, at: int) -> None:
        """Output bit ``at`` of the result, or the null bit for -1."""
        if 0 <= at < RESULT_BITS:
            self._out = self._result >> (RESULT_BITS - 1 - at) & 1
        elif at < 0:
            self._result = self._measure()
            self._out = 0
        else:
            self._out = self._result >> (at - RESULT_BITS + 1) & 1

    def _measure(self) -> int:
        if not self._command & 8:
            raise ChipViolation("MCP3008: asked for a difference of two inputs; each sensor stands on its own here")
        index = self._command & 7
        share = self._inputs(index)
        if share is None:
            raise ChipViolation(f"MCP3008: input {index} is measured, but nothing drives it")
        return min(1023, max(0, int(share * 1024)))


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect converters to successive chip selects."""
    bus, first = number(board.options, "spi_bus"), number(board.options, "spi_device")
    for at, inputs in enumerate(adc_inputs(board, world, breadboard, INPUTS)):
        breadboard.on_spi[bus, first + at] = Mcp3008Chip(inputs)


PARTS = SimulatedParts("mcp3008", connect)

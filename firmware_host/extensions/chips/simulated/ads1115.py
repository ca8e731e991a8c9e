"""The ADS1115, written from its datasheet: sixteen bits, four inputs, on I2C.

- Registers of two bytes, the high one first: 0 result, 1 configuration (0x8583 after power-up), 2 and 3 thresholds.
- Configuration bits: 15 OS (written 1: start one conversion; read 1: idle), 14–12 inputs (4 to 7: input 0 to 3 against
  ground), 11–9 full scale, 8 single conversions, 7–5 rate, 1–0 comparator (3: off).
- A single conversion starts about 25 µs after the request and takes one period of the rate, at most 10 % more. The
  result register keeps the previous result until the end.

These faults of a driver raise ChipViolation: starting a conversion or reading the result during a conversion,
continuous measuring, an input pair, a full scale below the supply of 3.3 V, a register that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware_host.link.simulated import adc_inputs
from hw.pins import number
from hw.ports import BoardDescription
from simulator.breadboard import Breadboard, SimulatedParts
from simulator.buses import ChipViolation
from simulator.stones import World

INPUTS = 4
SUPPLY_V = 3.3
RESULT, CONFIG = 0, 1
POWER_UP = 0x8583
WAKE_US = 25.0
RATES = (8, 16, 32, 64, 128, 250, 475, 860)
SLOW = 1.1
FULL_SCALE_V = {0: 6.144, 1: 4.096}
"""Code → full scale, for those of at least 3.3 V."""


class Ads1115Chip:
    """One chip. ``inputs`` returns an input's voltage as a share of the supply; None if it floats."""

    def __init__(self, inputs: Callable[[int], float | None], now_us: Callable[[], float]) -> None:
        """``now_us`` returns the time on the breadboard, microseconds."""
        self._inputs, self._now_us = inputs, now_us
        self._registers = {RESULT: 0, CONFIG: POWER_UP, 2: 0x8000, 3: 0x7FFF}
        self._done_at: float | None = None
        self._next = 0
        self._pointer = RESULT

    def write(self, data: Sequence[int]) -> None:
        """Select a register, and write it if two bytes follow."""
        self._pointer, *value = data
        if value:
            high, low = value
            self._set(self._pointer, high << 8 | low)

    def read(self, length: int) -> Sequence[int]:
        """Return the selected register's bytes."""
        value = self._get(self._pointer)
        return [value >> 8, value & 0xFF][:length]

    def _set(self, register: int, value: int) -> None:
        if register not in self._registers or register == RESULT:
            raise ChipViolation(f"ADS1115: register {register} can't be written")
        self._finish()
        if register == CONFIG and value & 0x8000:
            self._begin(value)
        self._registers[register] = value & 0x7FFF if register == CONFIG else value

    def _get(self, register: int) -> int:
        if register not in self._registers:
            raise ChipViolation(f"ADS1115: there is no register {register}")
        self._finish()
        if register == RESULT and self._done_at is not None:
            raise ChipViolation("ADS1115: the result is read before the conversion has ended: it is an older one")
        value = self._registers[register]
        return value | 0x8000 if register == CONFIG and self._done_at is None else value

    def _begin(self, config: int) -> None:
        if self._done_at is not None:
            raise ChipViolation("ADS1115: a conversion is begun while one is under way: the chip ignores it")
        if not config & 0x0100:
            raise ChipViolation("ADS1115: continuous measuring would mix up inputs behind multiplexers")
        source, scale = config >> 12 & 7, config >> 9 & 7
        if source < INPUTS:
            raise ChipViolation("ADS1115: asked for a difference of two inputs; each sensor stands on its own here")
        if scale not in FULL_SCALE_V:
            raise ChipViolation(f"ADS1115: full scale {scale} does not hold {SUPPLY_V} V")
        share = self._inputs(source - INPUTS)
        if share is None:
            raise ChipViolation(f"ADS1115: input {source - INPUTS} is measured, but nothing drives it")
        self._next = min(0x7FFF, round(share * SUPPLY_V / FULL_SCALE_V[scale] * 0x8000))
        self._done_at = self._now_us() + WAKE_US + SLOW * 1e6 / RATES[config >> 5 & 7]

    def _finish(self) -> None:
        if self._done_at is not None and self._now_us() >= self._done_at:
            self._registers[RESULT], self._done_at = self._next, None


def connect(board: BoardDescription, world: World, breadboard: Breadboard) -> None:
    """Connect converters at successive addresses."""
    first = number(board.options, "address")
    chips = breadboard.on_i2c.setdefault(number(board.options, "i2c_bus"), {})
    for at, inputs in enumerate(adc_inputs(board, world, breadboard, INPUTS)):
        chips[first + at] = Ads1115Chip(inputs, breadboard.now)


PARTS = SimulatedParts("ads1115", connect)

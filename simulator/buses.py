"""A Pi's pins and buses, wired to simulated chips: the interfaces of RPi.GPIO, spidev and smbus2.

They are stricter than the real libraries: every misuse by a driver is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

_LEVELS = frozenset({0, 1})


class ChipViolation(RuntimeError):
    """A driver used a chip in a way that its datasheet forbids or that makes no sense."""


class PinError(RuntimeError):
    """A driver misused a pin: before setup, in the wrong direction, set up twice, or without a wire."""


class SimulatedGpio:
    """The pins of one Pi. Wire them with :meth:`drive` and :meth:`sense`, then pass the object to a driver."""

    BCM, BOARD = 11, 10
    OUT, IN = 0, 1
    LOW, HIGH = 0, 1
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22

    def __init__(self) -> None:
        """Start with no pin set up or wired."""
        self.is_strict = True
        """Whether a misuse is an error; else a pin that nothing drives rightly floats."""
        self.calls = 0
        """Number of reads and writes so far: the cost of a driver."""
        self._mode: int | None = None
        self._direction: dict[int, int] = {}
        self._levels: dict[int, int] = {}
        self._driven: dict[int, Callable[[int], None]] = {}
        self._sensed: dict[int, Callable[[], float | None]] = {}
        self._pulls: dict[int, int] = {}
        self._held: dict[int, int] = {}

    # -- wiring --------------------------------------------------------------------------------------------------

    def drive(self, pin: int, wire: Callable[[int], None]) -> None:
        """Wire an output pin: ``wire`` is called with each new level."""
        self._wire(pin)
        self._driven[pin] = wire

    def sense(self, pin: int, wire: Callable[[], float | None]) -> None:
        """Wire an input pin: ``wire`` returns its level, or None while nothing drives it (then its pull decides)."""
        self._wire(pin)
        self._sensed[pin] = wire

    def hold(self, pin: int, level: int) -> None:
        """Short the wire at a pin to ground (0) or to the supply (1): what is driven or sensed there stays so."""
        self._held[pin] = level
        if pin in self._driven:
            self._driven[pin](level)

    def _wire(self, pin: int) -> None:
        if pin in self._driven or pin in self._sensed:
            raise PinError(f"pin {pin} is wired twice")

    # -- RPi.GPIO ------------------------------------------------------------------------------------------------

    def setmode(self, mode: int) -> None:
        """Choose how pins are numbered. Raise PinError for anything but BCM."""
        if mode != self.BCM:
            raise PinError(f"setmode: expected BCM ({self.BCM}), got {mode}")
        self._mode = mode

    def setwarnings(self, flag: bool) -> None:
        """Do nothing: every misuse raises PinError here."""

    def setup(self, channel: Any, direction: int, pull_up_down: int = PUD_OFF, initial: int | None = None) -> None:
        """Make pins inputs or outputs."""
        if self._mode is None:
            raise PinError("setup before setmode")
        for pin in _channels(channel):
            if pin in self._direction:
                raise PinError(f"pin {pin} is set up twice: who used it first?")
            if self.is_strict and direction == self.OUT and pin in self._sensed:
                raise PinError(f"pin {pin} is made an output, but a chip drives it")
            floats = direction == self.IN and pin not in self._sensed and pull_up_down == self.PUD_OFF
            if self.is_strict and floats:
                raise PinError(f"pin {pin} is made an input, but nothing is wired to it: it floats")
            self._direction[pin] = direction
            self._pulls[pin] = pull_up_down
            if direction == self.OUT and initial is not None:
                self._set(pin, initial)

    def input(self, channel: int) -> int:
        """Return the level of an input, or the set level of an output."""
        self.calls += 1
        direction = self._direction.get(channel)
        if direction is None:
            raise PinError(f"pin {channel} is read, but it was not set up")
        if direction == self.OUT:
            return self._levels.get(channel, self.LOW)
        wire = self._sensed.get(channel)
        level = self._held.get(channel, None if wire is None else self._from(wire))
        if level is not None:
            return int(level)
        if self.is_strict and self._pulls[channel] == self.PUD_OFF:
            raise PinError(f"pin {channel} is read while nothing drives it and nothing pulls it: it floats")
        return self.HIGH if self._pulls[channel] == self.PUD_UP else self.LOW

    def output(self, channel: Any, value: Any) -> None:
        """Set the level of one pin, or of a list of pins in one call."""
        self.calls += 1
        if isinstance(channel, int):
            if self._direction.get(channel) != self.OUT:
                raise PinError(f"pin {channel} is written, but it was not set up as an output")
            self._set(channel, value)
            return
        pins = list(channel)
        values = list(value) if not isinstance(value, int) else [value] * len(pins)
        if len(values) != len(pins):
            raise PinError(f"output: {len(pins)} pins, but {len(values)} values")
        for pin, level in zip(pins, values, strict=True):
            if self._direction.get(pin) != self.OUT:
                raise PinError(f"pin {pin} is written, but it was not set up as an output")
            self._set(pin, level)

    def cleanup(self, channel: Any = None) -> None:
        """Release some pins, or all."""
        for pin in list(self._direction) if channel is None else _channels(channel):
            self._direction.pop(pin, None)
            self._levels.pop(pin, None)

    def _set(self, pin: int, level: int) -> None:
        if level not in _LEVELS:
            raise PinError(f"pin {pin}: expected level 0 or 1, got {level!r}")
        if self._levels.get(pin) == level:
            return
        self._levels[pin] = level
        wire = self._driven.get(pin)
        if wire is None:
            return
        try:
            wire(self._held.get(pin, level))
        except ChipViolation:
            if self.is_strict:
                raise

    def _from(self, wire: Callable[[], float | None]) -> float | None:
        try:
            return wire()
        except ChipViolation:
            if self.is_strict:
                raise
            return None


def _channels(channel: Any) -> Iterable[int]:
    return [channel] if isinstance(channel, int) else list(channel)


# -- SPI ---------------------------------------------------------------------------------------------------------------


MAX_BYTES = 4096
"""Size of the kernel's buffer (``/sys/module/spidev/parameters/bufsiz``)."""
TRANSFER_US = 50.0
"""Approximate overhead of a transfer before its first bit."""
_DOWN = (7, 6, 5, 4, 3, 2, 1, 0)
"""Numbers of a byte's bits, the highest first."""


class SpiChip(Protocol):
    """The pins of a chip on the bus."""

    def set_select(self, level: int, hertz: int) -> None:
        """Set the level of CS; ``hertz`` is the clock of the transfer."""
        ...

    def set_clock(self, level: int) -> None:
        """Set the level of SCLK."""
        ...

    def set_data(self, level: int) -> None:
        """Set the level of MOSI."""
        ...

    def data(self) -> int | None:
        """Return the level at MISO; None while it floats."""
        ...


class Nothing:
    """What is at the end of wires to which nothing is soldered."""

    def set_select(self, level: int, hertz: int) -> None:
        """Do nothing."""

    def set_clock(self, level: int) -> None:
        """Do nothing."""

    def set_data(self, level: int) -> None:
        """Do nothing."""

    def data(self) -> int | None:
        """Float."""
        return None


NOTHING = Nothing()


class Tolerant:
    """A chip on the bus whose driver may be wrong, as it is wired otherwise: it floats then."""

    def __init__(self, chip: SpiChip) -> None:
        """``chip`` raises ChipViolation."""
        self._chip = chip

    def set_select(self, level: int, hertz: int) -> None:
        """Set the level of CS."""
        with suppress(ChipViolation):
            self._chip.set_select(level, hertz)

    def set_clock(self, level: int) -> None:
        """Set the level of SCLK."""
        with suppress(ChipViolation):
            self._chip.set_clock(level)

    def set_data(self, level: int) -> None:
        """Set the level of MOSI."""
        with suppress(ChipViolation):
            self._chip.set_data(level)

    def data(self) -> int | None:
        """Return the level at MISO."""
        with suppress(ChipViolation):
            return self._chip.data()
        return None


class SimulatedSpi:
    """One chip select of a bus."""

    def __init__(
        self,
        chip: SpiChip,
        mode: int = 0,
        max_speed_hz: int = 125_000_000,
        wait_us: Callable[[float], None] = lambda _: None,
    ) -> None:
        """Connect a chip; ``wait_us`` lets simulated time pass, microseconds."""
        self._wait_us = wait_us
        self._chip = chip
        self._wires = (chip.set_clock, chip.set_data, chip.data)
        self.mode, self.max_speed_hz = mode, max_speed_hz
        self.transfers = 0
        """Number of transfers so far: the cost of a driver."""
        self.closed = False

    def xfer2(self, values: list[int]) -> Sequence[int]:
        """Send and receive bytes, highest bit first, with chip select low throughout. Raise OSError when closed."""
        if self.closed:
            raise OSError(9, "Bad file descriptor")
        if not 1 <= len(values) <= MAX_BYTES or not all(0 <= value <= 255 for value in values):
            raise ValueError(f"xfer2: expected 1 to {MAX_BYTES} bytes, got {len(values)} values")
        self.transfers += 1
        self._chip.set_select(0, self.max_speed_hz)
        answer = [self._byte(value) for value in values]
        self._chip.set_select(1, self.max_speed_hz)
        self._wait_us(TRANSFER_US + 8e6 * len(values) / self.max_speed_hz)
        return answer

    def close(self) -> None:
        """Close the device."""
        self.closed = True

    def _byte(self, value: int) -> int:
        set_clock, set_data, data = self._wires
        rest, late = self.mode >> 1 & 1, self.mode & 1
        found = 0
        for bit in _DOWN:
            if late:  # CPHA: both ends output their bit at the first edge and read at the second.
                set_clock(1 - rest)
            set_data(value >> bit & 1)
            seen = data()  # An edge samples the level before it.
            found = found << 1 | (1 if seen is None else seen)
            if not late:
                set_clock(1 - rest)
            set_clock(rest)
        return found


# -- I2C ---------------------------------------------------------------------------------------------------------------


MAX_BLOCK_BYTES = 32
"""Maximum number of bytes in a block (the kernel's I2C_SMBUS_BLOCK_MAX)."""
BYTE_US = 20.0
"""Time of a byte with its acknowledgement on a bus of 400 kHz, slightly too short."""


class I2cChip(Protocol):
    """A chip on the bus. It raises ChipViolation when its driver is wrong."""

    def write(self, data: Sequence[int]) -> None:
        """Receive a message: the register's address, then the bytes to write from there on (or none)."""
        ...

    def read(self, length: int) -> Sequence[int]:
        """Return ``length`` bytes from the register that was addressed last."""
        ...


class SimulatedI2c:
    """One bus. Every message takes simulated time."""

    def __init__(
        self, chips: Mapping[int, I2cChip], wait_us: Callable[[float], None], *, is_strict: bool = True
    ) -> None:
        """``chips`` maps address to chip; ``wait_us`` lets simulated time pass, microseconds.

        Without ``is_strict`` a chip that its driver takes for another one does not answer.
        """
        self._is_strict = is_strict
        self._chips, self._wait_us = dict(chips), wait_us
        self.messages = 0
        """Number of messages so far: the cost of a driver."""

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: Sequence[int]) -> None:
        """Write bytes from a register on. Raise OSError when no chip has the address."""
        with self._refusing():
            self._chip(i2c_addr, 2 + len(data)).write([register, *data])

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> Sequence[int]:
        """Write a register's address, then read bytes from it. Raise OSError when no chip has the address."""
        chip = self._chip(i2c_addr, 3 + length)
        with self._refusing():
            chip.write([register])
            return list(chip.read(length))
        raise AssertionError

    def close(self) -> None:
        """Close the bus."""

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except ChipViolation as error:
            if self._is_strict:
                raise
            raise OSError(121, "Remote I/O error") from error

    def _chip(self, address: int, size: int) -> I2cChip:
        if size > MAX_BLOCK_BYTES + 3:
            raise ValueError(f"expected at most {MAX_BLOCK_BYTES} bytes in a block")
        self.messages += 1
        self._wait_us(BYTE_US * size)
        if address not in self._chips:
            raise OSError(121, "Remote I/O error")
        return self._chips[address]

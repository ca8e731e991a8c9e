"""Pins with the interface of RPi.GPIO, wired to simulated chips, and stricter than the real library."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


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
        self.calls = 0
        """Number of reads and writes so far: the cost of a driver."""
        self._mode: int | None = None
        self._direction: dict[int, int] = {}
        self._levels: dict[int, int] = {}
        self._driven: dict[int, Callable[[int], None]] = {}
        self._sensed: dict[int, Callable[[], float | None]] = {}
        self._pulls: dict[int, int] = {}

    # -- wiring --------------------------------------------------------------------------------------------------

    def drive(self, pin: int, wire: Callable[[int], None]) -> None:
        """Wire an output pin: ``wire`` is called with each new level."""
        self._wire(pin)
        self._driven[pin] = wire

    def sense(self, pin: int, wire: Callable[[], float | None]) -> None:
        """Wire an input pin: ``wire`` returns its level, or None while nothing drives it (then its pull decides)."""
        self._wire(pin)
        self._sensed[pin] = wire

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
        for pin in _listed(channel):
            if pin in self._direction:
                raise PinError(f"pin {pin} is set up twice: who used it first?")
            if direction == self.OUT and pin in self._sensed:
                raise PinError(f"pin {pin} is made an output, but a chip drives it")
            if direction == self.IN and pin not in self._sensed and pull_up_down == self.PUD_OFF:
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
        level = None if wire is None else wire()
        if level is not None:
            return int(level)
        if self._pulls[channel] == self.PUD_OFF:
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
        for pin in list(self._direction) if channel is None else _listed(channel):
            self._direction.pop(pin, None)
            self._levels.pop(pin, None)

    def _set(self, pin: int, level: int) -> None:
        if level not in {self.LOW, self.HIGH}:
            raise PinError(f"pin {pin}: expected level 0 or 1, got {level!r}")
        if self._levels.get(pin) == level:
            return
        self._levels[pin] = level
        wire = self._driven.get(pin)
        if wire is not None:
            wire(level)


def _listed(channel: Any) -> Iterable[int]:
    return [channel] if isinstance(channel, int) else list(channel)

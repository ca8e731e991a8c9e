"""Counting what a driver costs: pins that hand everything on and count reads and writes."""

from __future__ import annotations

from typing import Any

from hw.gpio import Gpio


class CountingGpio:
    """Any RPi.GPIO-shaped object, its ``input`` and ``output`` calls counted."""

    def __init__(self, gpio: Gpio) -> None:
        """Stand before ``gpio``."""
        self._gpio = gpio
        self.calls = 0

    def input(self, channel: int) -> int:
        """Read a pin."""
        self.calls += 1
        return self._gpio.input(channel)

    def output(self, channel: Any, value: Any) -> None:
        """Write a pin, or several in one call."""
        self.calls += 1
        self._gpio.output(channel, value)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the library's own."""
        return getattr(self._gpio, name)

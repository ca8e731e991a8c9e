"""The cost of a driver: a pin interface that passes every call on and counts reads and writes."""

from __future__ import annotations

from typing import Any

from hw.gpio import Gpio


class CountingGpio:
    """A wrapper of any RPi.GPIO-shaped object that counts its ``input`` and ``output`` calls."""

    def __init__(self, gpio: Gpio) -> None:
        """Wrap ``gpio``."""
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
        """Return any other attribute of the library."""
        return getattr(self._gpio, name)

"""Switches on pins of their own, from each pin to ground; the pins are pulled up.

GPIO calls a scan, for n inputs: n reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from hw.gpio import Gpio
from hw.switches import check_kind, inputs_of, readings


class DirectBank:
    """The sensors of a small board. ``kind`` is ``presence`` or ``polarity``."""

    def __init__(self, gpio: Gpio, pins: Sequence[int], channels: int, kind: str) -> None:
        """Set the pins up, one for each input."""
        check_kind("direct", kind)
        if len(pins) != inputs_of(channels, kind):
            raise ValueError(f"direct: expected {inputs_of(channels, kind)} pins, got {len(pins)}")
        self.channels = channels
        self.kind = kind
        self._gpio, self._pins = gpio, list(pins)
        for pin in self._pins:
            gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_UP)

    def scan(self) -> Sequence[int]:
        """Read every pin."""
        read = self._gpio.input
        return readings([1 - read(pin) for pin in self._pins], self.kind)

    def close(self) -> None:
        """Let go of the pins."""
        self._gpio.cleanup(self._pins)

"""The CD74HC4067, written from its datasheet: sixteen analogue channels, one of which is connected to the common pin.

- S0 to S3 select the channel in binary, S0 is the lowest bit; E low connects it, E high none (the common floats).
- The switch has about 70 Ω in both directions, so the channel's driver drives the common; an open channel floats.
- After a change of address the common needs well under 1 µs in the chip, and longer for the pull-up.

A real chip would return a wrong level without a warning where a driver reads the common before it has driven all select
lines, or too early after a change. Here that raises ChipViolation.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.chips import SETTLE_US, ChipViolation

CHANNELS = 16


class Hc4067:
    """One chip. ``channel`` returns a channel's level or its share of the supply; None for one that is not driven."""

    def __init__(self, channel: Callable[[int], float | None], now_us: Callable[[], float]) -> None:
        """``now_us`` returns the time on the bench, microseconds. E is low until it is driven."""
        self._channel, self._now_us = channel, now_us
        self._select: list[int | None] = [None] * 4
        self._enable = 0
        self._changed_at = now_us()

    def set_select(self, line: int, level: int) -> None:
        """Set the level of one of S0 to S3."""
        self._select[line] = level
        self._changed_at = self._now_us()

    def set_enable(self, level: int) -> None:
        """Set the level of E."""
        self._enable = level
        self._changed_at = self._now_us()

    def common(self) -> float | None:
        """Return the level of the common pin; None while it floats."""
        address = [level for level in self._select if level is not None]
        if len(address) < len(self._select):
            raise ChipViolation("the common of a CD74HC4067 is read before all its select lines are driven")
        if self._now_us() - self._changed_at < SETTLE_US:
            raise ChipViolation(
                f"the common of a CD74HC4067 is read less than {SETTLE_US:g} µs after a change of channel"
            )
        if self._enable:
            return None
        return self._channel(sum(level << line for line, level in enumerate(address)))

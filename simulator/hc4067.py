"""The CD74HC4067, written from its datasheet: sixteen analogue channels, of which one is joined to the common pin.

- S0 to S3 name the channel in binary, S0 the lowest bit; E low joins it, E high joins none (the common floats).
- The switch is some 70 Ω either way, so what drives the channel drives the common; an open channel leaves it floating.
- After a change of address the common takes a while: well under 1 µs in the chip, and longer for what pulls it up.

Where the chip itself would only mislead, these raise, because the driver is wrong: the common read before all select
lines were driven, or sooner after a change than the line takes to follow.
"""

from __future__ import annotations

from collections.abc import Callable

from simulator.chips import SETTLE_US, ChipViolation

CHANNELS = 16


class Hc4067:
    """One chip. ``channel`` tells what drives a channel (a level or a share of the supply), None where nothing does."""

    def __init__(self, channel: Callable[[int], float | None], now_us: Callable[[], float]) -> None:
        """``now_us`` is the time on the bench, microseconds. E is tied to ground unless it is driven."""
        self._channel, self._now_us = channel, now_us
        self._select: list[int | None] = [None] * 4
        self._enable = 0
        self._changed_at = now_us()

    def set_select(self, line: int, level: int) -> None:
        """Move one of S0 to S3."""
        self._select[line] = level
        self._changed_at = self._now_us()

    def set_enable(self, level: int) -> None:
        """Move E."""
        self._enable = level
        self._changed_at = self._now_us()

    def common(self) -> float | None:
        """Return what the common pin carries, None while it floats."""
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

"""What simulated chips have in common."""

from __future__ import annotations

SETTLE_US = 5.0
"""What a line of 100 pF takes through the 50 kΩ of a Pi's pull-up: RC is 5 µs, some 60 % of the supply reads high."""


class ChipViolation(RuntimeError):
    """A chip was used as the datasheet forbids, or as makes no sense: its driver is wrong."""

"""Common parts of the simulated chips."""

from __future__ import annotations

SETTLE_US = 5.0
"""Rise time of a 100 pF line through a Pi's pull-up of 50 kΩ: RC is 5 µs, and about 60 % of the supply reads high."""


class ChipViolation(RuntimeError):
    """A driver used a chip in a way that its datasheet forbids or that makes no sense."""

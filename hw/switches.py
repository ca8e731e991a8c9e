"""From closed switches to the readings of a scan, for every scheme that reads switches."""

from __future__ import annotations

from collections.abc import Sequence


def inputs_of(channels: int, kind: str) -> int:
    """Return how many switches so many channels have."""
    return channels * (2 if kind == "polarity" else 1)


def readings(closed: Sequence[int], kind: str) -> Sequence[int]:
    """Return a reading a channel from 1 (closed) or 0 for each switch; with ``polarity`` two switches a channel."""
    if kind == "presence":
        return closed
    return [north + 2 * south for north, south in zip(closed[::2], closed[1::2], strict=True)]

"""The bounce of contacts when a piece is put over them or lifted."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

BOUNCE_S = (0.0001, 0.005)
"""Shortest and longest bounce."""


@dataclass(frozen=True)
class Bounce:
    """A change of one node that is still bouncing, from ``start`` to ``end`` (seconds)."""

    start: float
    end: float
    flips: tuple[tuple[float, ...], ...]
    """Times at which contacts flip: one list for each of a well's nine, else one list for all."""
    before: tuple[str, ...]
    """The stack on the node before the change."""

    def shows_before(self, contact: int, now: float) -> bool:
        """Return whether a contact is in its state from before the change."""
        return sum(flip <= now for flip in self.flips[contact % len(self.flips)]) % 2 == 0

    def passed(self, now: float) -> float:
        """Return the completed share of the change, 0 to 1."""
        return (now - self.start) / (self.end - self.start)


def bounce(now: float, random: Random, before: tuple[str, ...], contacts: int = 1) -> Bounce:
    """Return the bounce of a node with this number of contacts that flip independently."""
    end = now + random.uniform(*BOUNCE_S)
    flips = tuple(
        # An odd number of flips ends in the new state.
        tuple(sorted(random.uniform(now, end) for _ in range(1 + 2 * random.randrange(0, 5))))
        for _ in range(contacts)
    )
    return Bounce(now, end, flips, before)

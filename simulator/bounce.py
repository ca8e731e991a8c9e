"""How contacts chatter when what lies over them comes or goes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

BOUNCE_S = (0.0001, 0.005)


@dataclass(frozen=True)
class Bounce:
    """A change of one node that has not come to rest: from ``start`` to ``end`` (seconds), flipping at ``flips``."""

    start: float
    end: float
    flips: tuple[tuple[float, ...], ...]
    """When its contacts flip: each of a well's nine by itself, else all together."""
    before: tuple[str, ...]
    """The stack that lay there before."""

    def shows_before(self, contact: int, now: float) -> bool:
        """Tell whether a contact is as it was before the change."""
        return sum(flip <= now for flip in self.flips[contact % len(self.flips)]) % 2 == 0

    def passed(self, now: float) -> float:
        """Return how much of the change is over, 0 to 1."""
        return (now - self.start) / (self.end - self.start)


def bounce(now: float, random: Random, before: tuple[str, ...], contacts: int = 1) -> Bounce:
    """Return the chatter of so many contacts of a node that flip by themselves."""
    end = now + random.uniform(*BOUNCE_S)
    flips = tuple(
        # An odd number of flips: it ends as it shall stay.
        tuple(sorted(random.uniform(now, end) for _ in range(1 + 2 * random.randrange(0, 5))))
        for _ in range(contacts)
    )
    return Bounce(now, end, flips, before)

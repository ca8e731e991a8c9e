"""Tables by which of a cell's six neighbours are there: bit k is the neighbour in direction k, of a circle."""

from __future__ import annotations

from typing import Final

BLACK: Final = 1
WHITE: Final = 2
"""The sides of the main phase."""

OPPOSITE = [1 << (k + 3) % 6 for k in range(6)]
"""Direction → the bit by which a neighbour sees a cell."""


def _runs(circle: int) -> int:
    """Return the first direction of each run of neighbours, plus 1, three bits each; a full circle is one run."""
    if circle == 63:
        return 1
    found = [k for k in range(6) if circle >> k & 1 and not circle >> (k - 1) % 6 & 1]
    return sum(k + 1 << 3 * place for place, k in enumerate(found))


def _gap_of_five(circle: int) -> int:
    """Return the direction that is missing where all others are there, else -1."""
    return next((k for k in range(6) if circle == 63 ^ 1 << k), -1)


def _bridged(circle: int) -> int:
    """Return the directions that are missing between two that are there."""
    missing = [k for k in range(6) if not circle >> k & 1]
    return sum(1 << k for k in missing if circle >> (k - 1) % 6 & 1 and circle >> (k + 1) % 6 & 1)


RUNS = [_runs(circle) for circle in range(64)]
GAP_OF_FIVE = [_gap_of_five(circle) for circle in range(64)]
BRIDGED = [_bridged(circle) for circle in range(64)]

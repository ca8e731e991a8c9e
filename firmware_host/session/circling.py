"""Computers that go round in circles in a phase that can circle for ever: how they leave the circle.

A search thinks each step out anew. Where the clock stops it, or the search of a game does not look that far, two of its
steps may take each other back, again and again; then the way counts that the search beside the table has found, or else
chance.
"""

from __future__ import annotations

from collections import Counter
from itertools import takewhile

from firmware_host.games.offers import offers_of
from firmware_host.table.state import Table

OFTEN = 3
"""How often a position occurs in one phase before its computer is known to circle."""


def circles(table: Table) -> bool:
    """Return whether a position has occurred :data:`OFTEN` in the present phase of a game whose phases can circle."""
    return max(_counted(table).values(), default=0) >= OFTEN


def is_back(table: Table) -> bool:
    """Return whether the present position has occurred so often."""
    return _counted(table)[table.ledger.now.position] >= OFTEN


def _counted(table: Table) -> Counter[object]:
    if offers_of(table.game).search is None:
        return Counter()
    moments = table.ledger.moments
    steps = sum(1 for _ in takewhile(lambda moment: moment.kind == "action", reversed(moments)))
    return Counter(moment.position for moment in moments[-steps - 1 :])

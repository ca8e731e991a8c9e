"""What a sensor can see of a stack: the *sights* of each kind of sensing.

A sight is what debouncing leaves of a node's readings:

======== =======================================================================================
sight    meaning
======== =======================================================================================
``""``   nothing
``x``    something (``presence``)
``N`` ``S``   a stone alone, or the lower stone of a stack (``polarity``); a stone alone (``level``)
``N<`` ``S<`` weaker than a stone alone: opposite poles stacked, the lower stone's pole given (``level``)
``N>`` ``S>`` stronger: like poles stacked (``level``)
``?``    a fault that the sensor itself reports
======== =======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmware_host.games.game import Stack

NOTHING = ""
_SOMETHING = frozenset({"x"})
_EMPTY = frozenset({NOTHING})
_WEAK = frozenset({"N<", "S<"})
_ANY_LEVEL = frozenset({"N", "S", "N<", "S<", "N>", "S>"})


@dataclass(frozen=True)
class Senses:
    """One kind of sensing with the magnets of one game's pieces.

    ``kind`` is ``presence``, ``polarity`` or ``level``; ``poles`` maps a piece letter to ``N`` or ``S``.
    """

    kind: str
    poles: Mapping[str, str]
    blurred: frozenset[str] = frozenset()
    """Nodes with ``level`` where stacks can't be told from stones: they show the lowest stone's pole only."""

    def at(self, node: str) -> Senses:
        """Return what the sensor of one node can see."""
        return Senses("polarity", self.poles) if node in self.blurred else self

    def sights(self, stack: Stack | None) -> frozenset[str]:
        """Return every sight that a node with this stack (None: empty) may give."""
        if not stack:
            return _EMPTY
        if self.kind == "presence":
            return _SOMETHING
        poles = {self.poles[piece] for piece in stack}
        if self.kind == "polarity":
            # Which stone of a mixed stack lies below is not part of a position.
            return frozenset(poles)
        if len(stack) == 1:
            return frozenset(poles)
        if len(poles) == 1:
            return frozenset(f"{pole}>" for pole in poles)
        return _WEAK if len(stack) == 2 else _ANY_LEVEL

    def fits(self, stack: Stack | None, sight: str) -> bool:
        """Tell whether a sight may come from this stack."""
        return sight in self.sights(stack)

    def tells(self, one: Stack | None, other: Stack | None) -> bool:
        """Tell whether a sensor surely distinguishes two stacks."""
        return not self.sights(one) & self.sights(other)

    def pole(self, sight: str) -> str | None:
        """Return the pole that a sight shows, None where it shows none."""
        return sight[0] if sight[:1] in {"N", "S"} else None

"""What a sensor can see of a stack: the *sensed states* of each kind of sensing.

A sensed state is a node's reading after debouncing:

============= ====================================================================================
sensed state  meaning
============= ====================================================================================
``""``        nothing
``x``         something (``presence``)
``N`` ``S``   a stone alone, or the lower stone of a stack (``polarity``); a stone alone (``level``)
``N<`` ``S<`` weaker than a stone alone: opposite poles stacked, the lower stone's pole given (``level``)
``N>`` ``S>`` stronger: like poles stacked (``level``)
``?``         a fault that the sensor itself reports; in a well, anything but a whole tile
``7r5``       tile 7, turned five eighths clockwise (``coded``, in wells)
============= ====================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, Stack

NOTHING = ""
_SOMETHING = frozenset({"x"})
_EMPTY = frozenset({NOTHING})
_UNREADABLE = frozenset({"?"})
_WEAK = frozenset({"N<", "S<"})
_ANY_LEVEL = frozenset({"N", "S", "N<", "S<", "N>", "S>"})


@dataclass(frozen=True)
class Senses:
    """One kind of sensing with the magnets of one game's pieces.

    ``kind`` is ``presence``, ``polarity``, ``level`` or ``coded``; ``poles`` maps a piece letter to ``N`` or ``S``.
    """

    kind: str
    poles: Mapping[str, str]
    ambiguous_stacks: frozenset[str] = frozenset()
    """Nodes with ``level`` where stacks can't be distinguished from stones: they show the lowest stone's pole only."""
    wells: frozenset[str] = frozenset()
    """Nodes that take only tiles; all others take no tile."""
    tiles: frozenset[str] = frozenset()
    """The pieces that are tiles."""
    takes_tiles: bool | None = None
    """What the node of this object takes; None: no particular node."""

    def at(self, node: str) -> Senses:
        """Return what the sensor of one node can see."""
        if self.wells:
            return replace(self, wells=frozenset(), takes_tiles=node in self.wells)
        return replace(self, kind="polarity", ambiguous_stacks=frozenset()) if node in self.ambiguous_stacks else self

    def sensed_states(self, stack: Stack | None) -> frozenset[str]:
        """Return every sensed state that a node with this stack (None: empty) may give; none if it can't lie there."""
        if not stack:
            return _EMPTY
        tiled = not self.tiles.isdisjoint(stack)
        if self.takes_tiles is not None and tiled != self.takes_tiles:
            return frozenset()
        if self.kind == "coded" and tiled:
            return frozenset(stack) if len(stack) == 1 else _UNREADABLE
        return _SOMETHING if self.kind in {"presence", "coded"} else self._fields(stack)

    def _fields(self, stack: Stack) -> frozenset[str]:
        """Return every sensed state that the field of a stack's magnets may give."""
        poles = {self.poles[piece] for piece in stack}
        if self.kind == "polarity" or len(stack) == 1:
            # A position does not say which stone of a mixed stack is the lower one.
            return frozenset(poles)
        if len(poles) == 1:
            return frozenset(f"{pole}>" for pole in poles)
        return _WEAK if len(stack) == 2 else _ANY_LEVEL

    def fits(self, stack: Stack | None, sensed: str) -> bool:
        """Return whether this stack can give a sensed state."""
        return sensed in self.sensed_states(stack)

    def tells(self, one: Stack | None, other: Stack | None) -> bool:
        """Return whether a sensor surely distinguishes two stacks."""
        return not self.sensed_states(one) & self.sensed_states(other)

    def pole(self, sensed: str) -> str | None:
        """Return the pole that a sensed state shows, None if it shows none."""
        return sensed[0] if sensed[:1] in {"N", "S"} else None


def senses_of(game: Game[Any], kind: str, ambiguous_stacks: Collection[str] = ()) -> Senses:
    """Return what the sensors of a board can see of a game's pieces; ``ambiguous_stacks`` as in :class:`Senses`."""
    wells = game.layout().wells
    tiled = capabilities_of(game).tiles
    names = tiled.tiles if tiled else ()
    tiles = frozenset(piece for piece in game.pieces if piece.rpartition("r")[0] in names)
    return Senses(kind, game.poles, frozenset(ambiguous_stacks), wells, tiles)

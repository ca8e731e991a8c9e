"""The lines on the board, and the turns that they allow: the core of the rules, on numbers.

Source: octiles.md, A turn. A line is followed by the edges through which it enters wells. ``Wells`` are the faces in
the wells, 0 for none. A *crossing* is the edge by which a runner's line first enters a well. A tile put in that well
changes the line only from there on, so one walk along each line from a runner finds all its turns.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.octiles.board import BEYOND, DEAD, FIRST_NODE, MEETS, NODES, PADS, PARTNER, WELLS

Wells = Sequence[int]
"""Well → its face, 0 for none."""

Turn = tuple[int, int, int, int]
"""Well, turning of the top tile in eighths clockwise, the runner's node and its end."""

COUNT = len(NODES)
_NO_WAY = (DEAD,) * 8


def crossed(face: int, well: int) -> tuple[int, ...]:
    """Return for each direction of entry into a well the code that a line comes to after crossing a face there."""
    if not face:
        return _NO_WAY
    first = well * 8
    return tuple(BEYOND[first + direction] for direction in PARTNER[face])


_CROSSED = tuple(tuple(crossed(face, well) for face in range(len(PARTNER))) for well in range(len(WELLS)))


def ways(wells: Wells) -> list[int]:
    """Return for each edge of entry into a well the code that a line comes to next."""
    found: list[int] = []
    for well, face in enumerate(wells):
        found += _CROSSED[well][face]
    return found


def lay(onward: list[int], well: int, face: int) -> None:
    """Update the result of :func:`ways` for a face put in a well."""
    onward[well * 8 : well * 8 + 8] = _CROSSED[well][face]


def leaving(onward: Sequence[int], edge: int) -> int:
    """Return the code that a line leaving a well by an edge comes to: a node, ``DEAD``, or an edge of that well."""
    first = edge & ~7
    at = BEYOND[edge]
    while at < FIRST_NODE and at & ~7 != first:
        at = onward[at]
    return at


def crossings(onward: Sequence[int], node: int) -> list[int]:
    """Return the crossings of the lines from a node: the edge of each line's first entry into each well."""
    found: list[int] = []
    for edge in MEETS[node]:
        seen, at = 0, edge
        while at < FIRST_NODE:
            well = 1 << (at >> 3)
            if not seen & well:
                seen |= well
                found.append(at)
            at = onward[at]
    return found


def end(onward: Sequence[int], entered: int, partner: Sequence[int]) -> int:
    """Return the end of a line that enters a well by an edge, with a tile of these partners in the well."""
    first = entered & ~7
    at = entered
    while True:
        at = leaving(onward, first + partner[at & 7])
        if at >= FIRST_NODE:
            return at


def turns(onward: Sequence[int], tile: int, movers: Sequence[int], open_to: Sequence[bool]) -> set[int]:
    """Return the codes (:func:`code`) of all turns with the top tile, for the runners on the nodes ``movers``.

    ``open_to`` has for each node whether a runner may end there (its own stop is always allowed); a last entry, for
    ``DEAD``, is False.
    """
    found: set[int] = set()
    after: dict[int, int] = {}
    faces = [PARTNER[tile * 8 + turn] for turn in range(8)]
    for node in movers:
        own = DEAD + 1 if PADS[node] else FIRST_NODE + node
        for entered in crossings(onward, node):
            first, direction = entered & ~7, entered & 7
            base = first * COUNT * COUNT + node * COUNT - FIRST_NODE
            for partner in faces:
                at = first + partner[direction]
                while True:
                    got = after.get(at)
                    if got is None:
                        got = after[at] = leaving(onward, at)
                    if got >= FIRST_NODE:
                        break
                    at = first + partner[got & 7]
                if open_to[got - FIRST_NODE] or got == own:
                    found.add(base + got)
                base += COUNT * COUNT
    return found


def code(turn: Turn) -> int:
    """Return a turn as one number; numbers sort as turns do."""
    well, eighths, source, target = turn
    return ((well * 8 + eighths) * COUNT + source) * COUNT + target


def decode(number: int) -> Turn:
    """Return the turn of a code."""
    rest, target = divmod(number, COUNT)
    rest, source = divmod(rest, COUNT)
    return rest >> 3, rest & 7, source, target


def line(onward: Sequence[int], edge: int) -> list[int]:
    """Return the edges by which a line enters wells, from this edge on, and its end.

    The last number is ``FIRST_NODE`` + node, or ``DEAD``.
    """
    found = [edge]
    while found[-1] < FIRST_NODE:
        found.append(onward[found[-1]])
    return found


def path(onward: Sequence[int], well: int, source: int, target: int) -> list[int]:
    """Return the shortest line between two nodes across a well, as :func:`line` does; empty without one."""
    lines = [line(onward, edge) for edge in MEETS[source]]
    return min(
        (found for found in lines if found[-1] == FIRST_NODE + target and any(at >> 3 == well for at in found[:-1])),
        key=len,
        default=[],
    )

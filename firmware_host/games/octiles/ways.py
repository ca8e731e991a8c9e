"""The lines on the board, and the turns that they allow: the flat core that everything else asks.

Source: octiles.md, A turn. A line is followed by the edges through which it enters wells. ``Wells`` are the faces that
lie, 0 where none does. A *crossing* is where a runner's line first comes to a well: only there a tile laid in that well
can make a difference, so all turns of a runner are found by walking once along each of the lines that meet it.
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.octiles.board import BEYOND, DEAD, FIRST_NODE, MEETS, NODES, PADS, PARTNER, WELLS

Wells = Sequence[int]
"""Well → the face that lies there, 0 for none."""

Turn = tuple[int, int, int, int]
"""Well, turn of the top tile in eighths clockwise, the runner's node and where it ends."""

COUNT = len(NODES)
_NO_WAY = (DEAD,) * 8


def crossed(face: int, well: int) -> tuple[int, ...]:
    """Return for each direction by which a line enters a well what it comes to after crossing the face there."""
    if not face:
        return _NO_WAY
    first = well * 8
    return tuple(BEYOND[first + direction] for direction in PARTNER[face])


_CROSSED = tuple(tuple(crossed(face, well) for face in range(len(PARTNER))) for well in range(len(WELLS)))


def ways(wells: Wells) -> list[int]:
    """Return for each edge by which a line may enter a well what it comes to next."""
    found: list[int] = []
    for well, face in enumerate(wells):
        found += _CROSSED[well][face]
    return found


def lay(onward: list[int], well: int, face: int) -> None:
    """Change what :func:`ways` gave for a face laid in a well."""
    onward[well * 8 : well * 8 + 8] = _CROSSED[well][face]


def leaving(onward: Sequence[int], edge: int) -> int:
    """Return what a line comes to that leaves a well by an edge: a node, ``DEAD``, or an edge of that well again."""
    first = edge & ~7
    at = BEYOND[edge]
    while at < FIRST_NODE and at & ~7 != first:
        at = onward[at]
    return at


def crossings(onward: Sequence[int], node: int) -> list[int]:
    """Return the edges by which the lines from a node first enter each well, each line's and each well's first only."""
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
    """Return where a line ends that enters a well by an edge, if a tile with such partners lay in the well."""
    first = entered & ~7
    at = entered
    while True:
        at = leaving(onward, first + partner[at & 7])
        if at >= FIRST_NODE:
            return at


def turns(onward: Sequence[int], tile: int, movers: Sequence[int], open_to: Sequence[bool]) -> set[int]:
    """Return the codes of all turns with the top tile, for runners that may move and the nodes where they may end.

    ``open_to`` tells of each node whether a runner may end there, its own stop aside; one entry more, for ``DEAD``, is
    False. A code is that of :func:`code`.
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
    """Return a turn as one number; numbers order as turns do."""
    well, eighths, source, target = turn
    return ((well * 8 + eighths) * COUNT + source) * COUNT + target


def decode(number: int) -> Turn:
    """Return the turn that a number stands for."""
    rest, target = divmod(number, COUNT)
    rest, source = divmod(rest, COUNT)
    return rest >> 3, rest & 7, source, target


def line(wells: Wells, edge: int) -> list[int]:
    """Return the edges by which the line from a node through an edge enters wells, up to the last; and where it ends.

    The last number is ``FIRST_NODE`` + node, or ``DEAD``.
    """
    onward = ways(wells)
    found = [edge]
    while found[-1] < FIRST_NODE:
        found.append(onward[found[-1]])
    return found


def path(wells: Wells, well: int, source: int, target: int) -> list[int]:
    """Return the shortest line from a node to a node across a well, as :func:`line` does; empty where there is none."""
    lines = [line(wells, edge) for edge in MEETS[source]]
    return min(
        (found for found in lines if found[-1] == FIRST_NODE + target and any(at >> 3 == well for at in found[:-1])),
        key=len,
        default=[],
    )

"""The actions of Phalanx on sets of points, deaths, and the winner.

Source: phalanx.md; each ruling is named beside the code that enforces it. Positions, playouts and words all use this
module. ``own`` are the hoplites of the side that acts, ``other`` those of its opponent.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.games.phalanx.board import (
    BOARD,
    HOPLITES,
    NEAR_GOAL,
    NODE,
    OTHER,
    PLAYABLE,
    SHIFT,
    members,
    near,
    shifted,
)


@dataclass(frozen=True)
class Push:
    """A line that can be pushed: own and opposing hoplites from the rear on, and the point beyond the last one.

    ``landing`` is 0 if the last hoplite is pushed to its death: off the board or (R2) onto a goal.
    """

    direction: str
    own: tuple[int, ...]
    other: tuple[int, ...]
    landing: int

    @property
    def text(self) -> str:
        """Return the action's text: ``B7>e``."""
        return f"{NODE[self.own[0]]}>{self.direction}"


@dataclass(frozen=True)
class Offer:
    """The legal actions except the end of the turn: points for adds, (source, targets) of moves, and pushes."""

    adds: int
    moves: tuple[tuple[int, int], ...]
    pushes: tuple[Push, ...]


def offer(own: int, other: int) -> Offer:
    """Return a side's legal actions."""
    empty = PLAYABLE & ~own & ~other
    moves, rest = [], own
    while rest:
        army = army_of(own, rest & -rest)
        moves += [(source, move_targets(army, source, empty)) for source in members(army)]
        rest ^= army
    return Offer(add_targets(own, empty), tuple(moves), tuple(pushes(own, other)))


def add_targets(own: int, empty: int) -> int:
    """Return the points on which a hoplite can be added."""
    return near(own) & empty if own.bit_count() < HOPLITES else 0


def move_targets(army: int, source: int, empty: int) -> int:
    """Return the points to which a hoplite of an army can move: next to another one of it, at any distance."""
    return near(army ^ source) & empty


def army_of(own: int, hoplite: int) -> int:
    """Return the connected group that a hoplite belongs to."""
    army = front = hoplite
    while front:
        army |= front
        front = near(front) & own & ~army
    return army


def pushes(own: int, other: int) -> list[Push]:
    """Return every push. The line has all own hoplites from the rear one on; it must be the longer one."""
    found = []
    for direction, by in SHIFT.items():
        if not shifted(own, by) & other:
            continue
        for rear in members(own & ~shifted(own, by) & shifted(own, -by)):
            push = push_from(own, other, rear, direction)
            if push is not None:
                found.append(push)
    return found


def push_from(own: int, other: int, rear: int, direction: str) -> Push | None:
    """Return the push of the line whose rear is this hoplite; None if it can't push."""
    by = SHIFT[direction]
    mine, at = line(own, rear, by)
    theirs, beyond = line(other, at, by)
    if not 0 < len(theirs) < len(mine):
        return None
    if beyond & own:  # R4
        return None
    return Push(direction, mine, theirs, beyond & PLAYABLE)


def line(points: int, at: int, by: int) -> tuple[tuple[int, ...], int]:
    """Return the gapless points of a set from a point on in a direction, and the first point outside the set."""
    found = []
    while at & points:
        found.append(at)
        at = shifted(at, by)
    return tuple(found), at & BOARD


# -- after an action ---------------------------------------------------------------------------------------------------


def pushed(own: int, other: int, push: Push) -> tuple[int, int]:
    """Return both sides' hoplites after a push, before lonely ones die."""
    return own ^ push.own[0] | push.other[0], other ^ push.other[0] | push.landing


def alive(points: int) -> int:
    """Return the hoplites with a neighbour of their side; the others are dead."""
    return points & near(points)


def winner(black: int, white: int, acted: str) -> tuple[str, str] | None:
    """Return the winning side and the reason; None without a winner. R5: the side that acted is checked first."""
    hoplites = {"b": black, "w": white}
    for side in (acted, OTHER[acted]):
        if not hoplites[OTHER[side]]:
            return side, "eliminated"
        if hoplites[side] & NEAR_GOAL[side]:
            return side, "goal"
    return None

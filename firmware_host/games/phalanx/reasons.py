"""Why an add, a move or a push is not possible: the rule that it breaks.

Every reason is a clause without a full stop; None means that the action is legal.
"""

from __future__ import annotations

from collections.abc import Iterator

from firmware_host.games.capabilities import Attempt
from firmware_host.games.phalanx import rules
from firmware_host.games.phalanx.board import BIT, GOAL, HOPLITES, NODE, OTHER, PLAYABLE, SHIFT, near, shift_points
from firmware_host.games.phalanx.rules import Position
from firmware_host.text.words import fill, say

_IS_OF = {"b": say("the hoplite on {node} is Black's"), "w": say("the hoplite on {node} is White's")}
_ADDS = {
    "b": say("the hoplite on {node} is white, and it is Black's turn"),
    "w": say("the hoplite on {node} is black, and it is White's turn"),
}


def why_not(position: Position, attempt: Attempt) -> str | None:
    """Return why an attempt is not part of a legal action; None if it is."""
    if attempt.source is None:
        return _why_not_added(position, attempt)
    own, other = rules.sides(position)
    source, target = BIT[attempt.source], BIT.get(attempt.target or "")
    slid = [to for at, to in _slides(own, other) if at == source]
    if target in slid or (target is None and slid):
        return None
    if not source & own:
        said = _IS_OF[OTHER[position.side]] if source & other else say("there is no hoplite on {node}")
        return fill(said, node=attempt.source)
    if target is not None:
        return _no_push_through(own, other, source, target) or no_move(own, other, source, target)
    free = _targets(own, other, source)
    return None if free else say("no free point lies next to the other hoplites of its army")


def _why_not_added(position: Position, attempt: Attempt) -> str | None:
    own, other = rules.sides(position)
    reason = no_add(own, other, BIT[attempt.target]) if attempt.target else None
    if reason is None and attempt.piece == OTHER[position.side]:
        return fill(_ADDS[position.side], node=attempt.target)
    return reason


def _slides(own: int, other: int) -> Iterator[tuple[int, int]]:
    """Yield (source, target) of each hoplite in each line that can be pushed; target 0: off the board."""
    for push in rules.pushes(own, other):
        at = (*push.own, *push.other)
        yield from zip(at, (*at[1:], push.landing or push.goal), strict=True)


def _targets(own: int, other: int, source: int) -> int:
    return rules.move_targets(rules.army_of(own, source), source, PLAYABLE & ~own & ~other)


def _no_push_through(own: int, other: int, source: int, target: int) -> str | None:
    """Return why the line behind a hoplite can't push the opposing hoplite in front of it."""
    if not target & other:
        return None
    for direction, by in SHIFT.items():
        if shift_points(source, by) == target:
            rear = source
            while shift_points(rear, -by) & own:
                rear = shift_points(rear, -by)
            return no_push(own, other, rear, direction)
    return None


# -- the single actions ------------------------------------------------------------------------------------------------


def no_add(own: int, other: int, target: int) -> str | None:
    """Return why no hoplite can be added on a point."""
    if target & rules.add_targets(own, PLAYABLE & ~own & ~other):
        return None
    if taken := _why_not_free(own, other, target):
        return taken
    if own.bit_count() >= HOPLITES:
        return say("all {count} hoplites of this side are on the board already", count=HOPLITES)
    return say("on {node} it would stand alone: no hoplite of its side is next to it", node=NODE[target])


def no_move(own: int, other: int, source: int, target: int) -> str | None:
    """Return why a side's hoplite can't move from a point to a point."""
    if target & _targets(own, other, source):
        return None
    if taken := _why_not_free(own, other, target):
        return taken
    if target & near(own ^ source):
        return say("on {node} it would stand next to another army, but not next to its own", node=NODE[target])
    return say("on {node} it would stand alone, next to no other hoplite of its army", node=NODE[target])


def _why_not_free(own: int, other: int, target: int) -> str | None:
    if NODE[target] in GOAL.values():
        return say("{node} is a goal: nobody goes there", node=NODE[target])
    return say("{node} is not empty", node=NODE[target]) if target & (own | other) else None


def no_push(own: int, other: int, rear: int, direction: str) -> str | None:
    """Return why the line that begins with this hoplite can't push in a direction."""
    by = SHIFT[direction]
    if rear & shift_points(own, by):
        return say("a line is pushed from its rear, and {node} is not the rear", node=NODE[rear])
    if rules.push_from(own, other, rear, direction) is not None:
        return None
    mine, at = rules.line(own, rear, by)
    theirs, _ = rules.line(other, at, by)
    if not theirs:
        return say("no opposing hoplite stands in front of the line from {rear}", rear=NODE[rear])
    if len(theirs) >= len(mine):
        return say("{own} can't push {other}: a line only pushes a shorter one", own=len(mine), other=len(theirs))
    return say("one of its own hoplites stands behind the opposing ones, and a line pushes none of its own")

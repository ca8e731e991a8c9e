"""The texts of actions (formats.md, Phalanx): what each does on the board, why it is refused, and its words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmware_host.games.game import BadAction
from firmware_host.games.phalanx import rules
from firmware_host.games.phalanx.board import BIT, DIRECTION, GOAL, HOPLITES, NODE, PLAYABLE, SHIFT, members, shifted

END = "end"
_ACTION = re.compile(r"\+([A-HJ][1-9])|([A-HJ][1-9])-([A-HJ][1-9])|([A-HJ][1-9])>([nesw])|end", re.ASCII)


@dataclass(frozen=True)
class Carried:
    """One hoplite in the hand, of the side that acts or of its opponent, from where (0: added) to where (0: dead)."""

    own: bool
    source: int
    target: int


@dataclass(frozen=True)
class Deed:
    """What an action does: both sides' hoplites after it, before deaths of those who stand alone; and the carrying."""

    own: int
    other: int
    carried: tuple[Carried, ...] = ()


def texts(offer: rules.Offer) -> list[str]:
    """Return the sorted texts of all that is offered, and of ending the turn."""
    found = [END, *(push.text for push in offer.pushes)]
    found += [f"+{NODE[target]}" for target in members(offer.adds)]
    found += [f"{NODE[source]}-{NODE[target]}" for source, targets in offer.moves for target in members(targets)]
    return sorted(found)


def deed(own: int, other: int, action: str) -> Deed:
    """Return what an action does. Raise BadAction (saying why) when it is not legal."""
    added, source, target, rear, direction = read(action).groups()
    if added is not None:
        return _add(own, other, BIT[added])
    if source is not None:
        return _move(own, other, BIT[source], BIT[target])
    if rear is not None:
        return push_deed(own, other, _push(own, other, BIT[rear], direction))
    return Deed(own, other)


def words(action: str) -> str:
    """Say an action in English. Raise BadAction for what is none."""
    added, source, target, rear, direction = read(action).groups()
    if added is not None:
        return f"a hoplite on {added}"
    if source is not None:
        return f"{source} to {target}"
    if rear is not None:
        return f"the line from {rear} pushes {DIRECTION[direction]}"
    return "end of the turn"


def push_deed(own: int, other: int, push: rules.Push) -> Deed:
    """Return what a push does; its hoplites are best carried front one first, each to where the last one stood."""
    after = rules.pushed(own, other, push)
    hoplites = [(True, point) for point in push.own] + [(False, point) for point in push.other]
    targets = [*push.own[1:], *push.other, push.landing]
    carried = [Carried(mine, at, to) for (mine, at), to in zip(hoplites, targets, strict=True)]
    return Deed(*after, tuple(reversed(carried)))


def read(action: str) -> re.Match[str]:
    """Return an action's parts: added, source, target, rear, direction. Raise BadAction for what is none."""
    match = _ACTION.fullmatch(action)
    if match is None:
        raise BadAction(f"action: expected one such as +D8, B8-D8, B7>e or end, got {action[:20]!r}")
    return match


def _add(own: int, other: int, target: int) -> Deed:
    if not target & rules.add_targets(own, PLAYABLE & ~own & ~other):
        _check_empty("add", own, other, target)
        if own.bit_count() >= HOPLITES:
            raise BadAction(f"add: all {HOPLITES} hoplites are on the board")
        raise BadAction(f"add: {NODE[target]} is next to none of the side's hoplites")
    return Deed(own | target, other, (Carried(True, 0, target),))


def _move(own: int, other: int, source: int, target: int) -> Deed:
    if not source & own:
        raise BadAction(f"move: no hoplite of the side that acts stands on {NODE[source]}")
    if not target & rules.move_targets(rules.army_of(own, source), source, PLAYABLE & ~own & ~other):
        _check_empty("move", own, other, target)
        raise BadAction(f"move: {NODE[target]} is next to no other hoplite of the army of {NODE[source]}")
    return Deed(own ^ source | target, other, (Carried(True, source, target),))


def _check_empty(what: str, own: int, other: int, target: int) -> None:
    if NODE[target] in GOAL.values():
        raise BadAction(f"{what}: {NODE[target]} is a goal; nobody goes there (ruling R1)")
    if target & (own | other):
        raise BadAction(f"{what}: {NODE[target]} is not empty")


def _push(own: int, other: int, rear: int, direction: str) -> rules.Push:
    by = SHIFT[direction]
    if not rear & own:
        raise BadAction(f"push: no hoplite of the side that acts stands on {NODE[rear]}")
    if rear & shifted(own, by):
        raise BadAction(f"push: {NODE[rear]} is not the rear of its line; name the rear one")
    push = rules.push_from(own, other, rear, direction)
    if push is not None:
        return push
    mine, at = rules.line(own, rear, by)
    theirs, _ = rules.line(other, at, by)
    if not theirs:
        raise BadAction(f"push: no opposing hoplite stands {DIRECTION[direction]} of the line from {NODE[rear]}")
    if len(theirs) >= len(mine):
        raise BadAction(f"push: {len(mine)} can't push {len(theirs)}; the own must be more")
    raise BadAction("push: one's own hoplite stands behind the opposing ones (ruling R4)")

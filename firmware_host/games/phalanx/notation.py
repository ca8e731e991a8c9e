"""The texts of actions (formats.md, Phalanx): the effect of each on the board, its refusal, and its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from firmware_host.games.game import BadAction
from firmware_host.games.phalanx import reasons, rules
from firmware_host.games.phalanx.board import BIT, NODE, SHIFT, members, shifted
from firmware_host.text.words import fill, say, say_in

END = "end"
_PUSHES = {
    "n": say_in("pushes", "north"),
    "e": say_in("pushes", "east"),
    "s": say_in("pushes", "south"),
    "w": say_in("pushes", "west"),
}
_REFUSED = {"add": say("add: {reason}"), "move": say("move: {reason}"), "push": say("push: {reason}")}
_ACTION = re.compile(r"\+([A-HJ][1-9])|([A-HJ][1-9])-([A-HJ][1-9])|([A-HJ][1-9])>([nesw])|end", re.ASCII)


@dataclass(frozen=True)
class Carried:
    """One hoplite in the hand: whether it is the acting side's, its source (0: added) and its target (0: dead)."""

    own: bool
    source: int
    target: int


@dataclass(frozen=True)
class Effect:
    """The effect of an action: both sides' hoplites after it, before lonely ones die; and the hands' moves."""

    own: int
    other: int
    carried: tuple[Carried, ...] = ()


def texts(offer: rules.Offer) -> list[str]:
    """Return the sorted texts of all offered actions, and of ending the turn."""
    found = [END, *(push.text for push in offer.pushes)]
    found += [f"+{NODE[target]}" for target in members(offer.adds)]
    found += [f"{NODE[source]}-{NODE[target]}" for source, targets in offer.moves for target in members(targets)]
    return sorted(found)


def effect(own: int, other: int, action: str) -> Effect:
    """Return the effect of an action. Raise BadAction (saying why) if it is not legal."""
    added, source, target, rear, direction = read(action).groups()
    if added is not None:
        return _add(own, other, BIT[added])
    if source is not None:
        return _move(own, other, BIT[source], BIT[target])
    if rear is not None:
        return push_effect(own, other, _push(own, other, BIT[rear], direction))
    return Effect(own, other)


@lru_cache(maxsize=256)
def words(action: str) -> str:
    """Return an action in words. Raise BadAction for other text. Cached: a position may have hundreds."""
    added, source, target, rear, direction = read(action).groups()
    if added is not None:
        return say("a hoplite on {node}", node=added)
    if source is not None:
        return say("{source} to {target}", source=source, target=target)
    if rear is not None:
        return say("the line from {rear} pushes {direction}", rear=rear, direction=_PUSHES[direction])
    return say("end the turn")


def push_effect(own: int, other: int, push: rules.Push) -> Effect:
    """Return the effect of a push. The front hoplite is carried first, each next one to the node left empty."""
    after = rules.pushed(own, other, push)
    hoplites = [(True, point) for point in push.own] + [(False, point) for point in push.other]
    targets = [*push.own[1:], *push.other, push.landing]
    carried = [Carried(mine, at, to) for (mine, at), to in zip(hoplites, targets, strict=True)]
    return Effect(*after, tuple(reversed(carried)))


def read(action: str) -> re.Match[str]:
    """Return an action's parts: added, source, target, rear, direction. Raise BadAction for other text."""
    match = _ACTION.fullmatch(action)
    if match is None:
        given = repr(action[:20])
        raise BadAction(
            say(
                "action: expected one such as {examples} or {last}, got {given}",
                examples="+D8, B8-D8, B7>e",
                last=END,
                given=given,
            )
        )
    return match


def _add(own: int, other: int, target: int) -> Effect:
    _refuse("add", reasons.no_add(own, other, target))
    return Effect(own | target, other, (Carried(True, 0, target),))


def _move(own: int, other: int, source: int, target: int) -> Effect:
    _check_own("move", own, source)
    _refuse("move", reasons.no_move(own, other, source, target))
    return Effect(own ^ source | target, other, (Carried(True, source, target),))


def _push(own: int, other: int, rear: int, direction: str) -> rules.Push:
    _check_own("push", own, rear)
    push = rules.push_from(own, other, rear, direction) if not rear & shifted(own, SHIFT[direction]) else None
    if push is None:
        _refuse("push", reasons.no_push(own, other, rear, direction))
        raise AssertionError(f"nothing speaks against {NODE[rear]}>{direction}")
    return push


def _check_own(what: str, own: int, point: int) -> None:
    if not point & own:
        _refuse(what, say("no hoplite of the side that acts stands on {node}", node=NODE[point]))


def _refuse(what: str, reason: str | None) -> None:
    if reason is not None:
        raise BadAction(fill(_REFUSED[what], reason=reason))

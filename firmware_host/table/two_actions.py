"""Two actions at once: one player goes on quickly, or two act together. Tried only where every arrival was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from firmware_host.games.game import Step
from firmware_host.table.hypotheses import Hypothesis, by_outcome, chain, ends
from firmware_host.table.picture import Picture
from firmware_host.table.senses import NOTHING
from firmware_host.table.verdict import Verdict, ask

MOST_DIFFERING = 24
"""Maximum number of differing nodes for this search: the longest push and one more action change fewer."""


@dataclass(frozen=True)
class _Begun:
    """A step that lies on the board, and a step after it that may have begun."""

    first: Hypothesis
    later: Step


def two_actions(picture: Picture) -> Verdict | None:
    """Judge a board that no single action explains; None if two don't explain it either."""
    if len(picture.differing) > MOST_DIFFERING:
        return None
    done = _taken_back_and_more(picture)
    begun: list[_Begun] = []
    lying = list(_lying(picture))
    for first in lying:
        rest = frozenset(picture.rest(first))
        for later in _following(picture, first, rest):
            if _both_lie(picture, first.step, later):
                both = chain(picture.base, first.step, later)
                if _events_allow(picture, both) and _arrival_shown(picture, first.step, later):
                    done.append((first, both))
            elif _has_begun(picture, first, later, rest) and _left_before(picture, first, rest):
                begun.append(_Begun(first, later))
    if done:
        return _decide(picture, done)
    return _go_on(picture, begun, lying) if begun else None


def _taken_back_and_more(picture: Picture) -> list[tuple[Hypothesis, Hypothesis]]:
    """Return the step back followed by another step, where both lie on the board."""
    found = picture.hypotheses
    if found.back is None or not _has_left(picture, found.back):
        return []
    two = found.after_back(picture.seen, picture.masked, picture.differing, same=False)
    lying = found.complete(two, picture.seen, picture.masked, picture.differing)
    return [(one, one) for one in lying if _events_allow(picture, one)]


def _has_left(picture: Picture, back: Hypothesis) -> bool:
    """Return whether the last action's piece may have left its node: the node was touched, or shows nothing of it."""
    first = picture.touches.first
    return any(node in first or not picture.shows(back, node) for node in back.sources)


def _lying(picture: Picture) -> Iterator[Hypothesis]:
    """Yield the steps whose pieces all lie at their ends, regardless of other differences."""
    if picture.follow is None:
        return
    off, passed = frozenset(picture.differing), picture.touches.passed
    if passed is not None:
        yield passed
    touched = off | picture.touches.all_replaced()
    for one in picture.hypotheses.by_action.values():
        if one is passed or touched.isdisjoint(one.changes):
            continue
        replaced = picture.may_be_replaced(one)
        if not replaced and off.isdisjoint(one.changes):
            continue
        if picture.hypotheses.undone(one, picture.seen, picture.masked) or picture.guesses(one):
            continue
        besides = off.difference(one.changes)
        if replaced or (picture.arrival_shown(one) and _events_allow(picture, one, besides)):
            yield one


def _events_allow(picture: Picture, one: Hypothesis, besides: frozenset[str] = frozenset()) -> bool:
    """Return whether the events allow a hypothesis, with no other piece unseen than those that left a stack.

    A stack may look the same without its uppermost piece; where that piece came down was seen.
    """
    unseen = picture.unseen(one, besides)
    return unseen is not None and unseen <= sum(not picture.shows(one, node) for node in one.sources)


def _left_before(picture: Picture, first: Hypothesis, rest: frozenset[str]) -> bool:
    """Return whether a step's pieces have left before a next one began: where none of that was seen, they came first.

    Else the piece that was lifted is as likely to be the one that came down.
    """
    return picture.unseen(first, rest) == 0 or picture.may_be_replaced(first) or _came_first(picture, first)


def _both_lie(picture: Picture, first: Step, later: Step) -> bool:
    """Return whether the whole board looks as after two steps."""
    nodes, removed = ends(first) | ends(later), later.removed
    if not nodes.issuperset(node for node in picture.differing if node not in removed or picture.seen[node] != NOTHING):
        return False
    return picture.hypotheses.looks_like(later.after, nodes, removed, picture.seen, picture.masked)


def _arrival_shown(picture: Picture, first: Step, later: Step) -> bool:
    """Return whether a sensor shows that the pieces of the second step have arrived after the first."""
    targets = (move.target for move in later.moves if move.target is not None)
    return any(
        node not in picture.masked and picture.model.tells(node, first.after.get(node), later.after.get(node))
        for node in targets
    )


def _following(picture: Picture, first: Hypothesis, rest: frozenset[str]) -> Iterator[Step]:
    """Yield the steps after a step that touch all other differing nodes."""
    if picture.follow is not None:
        yield from (step for step in picture.follow(first.step) if step.moves and rest <= step.touches | step.removed)


def _has_begun(picture: Picture, first: Hypothesis, later: Step, rest: frozenset[str]) -> bool:
    """Return whether the other differences may be a moment of a following step."""
    if not rest.isdisjoint(first.changes):
        return False
    sensed_states, seen = picture.model.sensed_states, picture.seen
    return all(seen[node] == NOTHING or seen[node] in sensed_states(node, later.after.get(node)) for node in rest)


def _decide(picture: Picture, done: Sequence[tuple[Hypothesis, Hypothesis]]) -> Verdict:
    """Judge a board with two actions. Which two matters only if they leave different boards."""
    times, last = picture.timings, picture.touches.last
    costs = [(picture.unseen(both) or 0, picture.cleared(both)) for _, both in done]
    done = [pair for pair, cost in zip(done, costs, strict=True) if cost == min(costs)]
    done = [pair for pair in done if _in_sensed_order(picture, *pair)] or done
    firsts = {both.step.action: first for first, both in done}
    groups = by_outcome(both for _, both in done)
    alone = [one for one in picture.touches.first if picture.model.is_whole_tile(one, picture.seen[one])]
    if len(groups) == 1 and (times.one_sensor or alone) and not picture.muddled:
        both = min(groups[0], key=lambda one: _came_down(picture, firsts[one.step.action]))
        wait = times.extendable if both.done.undo else times.settle
        return Verdict("settling", both.done, last + wait, live=(both.step,))
    asked = {one.step.action: one for one in (firsts[group[0].step.action] for group in groups)}
    if len(asked) == 1 and times.one_sensor and not picture.muddled:  # Only the second one is in doubt.
        (sure,) = asked.values()
        return Verdict("settling", sure.done, last + times.settle, live=(sure.step,))
    return ask(list(asked.values()), last + times.settle)


def _go_on(picture: Picture, begun: Sequence[_Begun], lying: Sequence[Hypothesis]) -> Verdict:
    """Judge a step that lies while another has begun: it counts if it came first and has no alternative.

    Of a tile all turnings are offered: the runner in the air may belong to another hand.
    """
    firsts = {one.first.step.action: one.first for one in begun}
    last = picture.touches.last
    groups = by_outcome(firsts.values())
    sure = len(groups) == 1 and picture.timings.one_sensor and not picture.muddled
    if sure and _came_first(picture, groups[0][0]):
        return Verdict("settling", groups[0][0].done, last + picture.timings.settle, live=(groups[0][0].step,))
    if all(one.step.partial for one in firsts.values()):
        also = [one for one in lying if one.step.partial and one.step.action not in firsts]
        return ask([*(group[0] for group in groups), *also], last + picture.timings.settle)
    later = {one.later.action: Hypothesis.said(one.later, picture.base) for one in begun}
    lifted = tuple(node for node in picture.differing if picture.seen[node] == NOTHING)
    choices = [group[0] for group in groups]
    return ask(choices, last + picture.timings.stack, later.values(), lifted)


def _in_sensed_order(picture: Picture, one: Hypothesis, both: Hypothesis) -> bool:
    """Return whether of two pieces from the supply, which two players put, the first one was sensed first."""
    first, later = picture.touches.first, [node for node in both.changes if node not in one.changes]
    return not both.sources and all(_landed(picture, one) < first[node] for node in later if node in first)


def _came_down(picture: Picture, one: Hypothesis) -> tuple[float, int]:
    """Return a key that orders steps: by landing, and what was lifted before what comes from the supply."""
    return _landed(picture, one), one.added.total()


def _landed(picture: Picture, one: Hypothesis) -> float:
    """Return when the pieces of a step had been touched at all their nodes."""
    first = picture.touches.first
    return max((first[node] for node in one.changes if node in first), default=inf)


def _came_first(picture: Picture, one: Hypothesis) -> bool:
    """Return whether a step lay on the board before anything else was touched."""
    first = picture.touches.first
    others = [at for node, at in first.items() if node not in one.reach]
    return all(_landed(picture, one) <= at for at in others)

"""Steps that seem to lie on the board: which of them was done, and what has to be asked.

The picture fits them already. What was touched tells them apart (:mod:`evidence`); what that leaves open is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.table import beyond
from firmware_host.table.expected import Candidate, by_outcome
from firmware_host.table.verdict import Verdict

if TYPE_CHECKING:
    from firmware_host.table.tracker import Tracker

TOGETHER_S = 0.12
"""Changes so close may come from one push of a whole line, whichever sensor speaks first."""

Groups = Sequence[list[Candidate]]
"""Steps, those together that leave the same board."""


# -- steps that some sensor shows --------------------------------------------------------------------------------------


def seen(tracker: Tracker, shown: list[Candidate]) -> Verdict:
    """Judge a board that looks as some steps leave it, with stones seen to have arrived."""
    if tracker.bound:
        return _settling(tracker, shown)
    if any(tracker.guesses(one) for one in shown):
        return _ask(tracker, by_outcome(shown))
    groups: Groups = by_outcome(one for one in shown if _possible(tracker, one))
    if not groups:
        return _unlikely(tracker, shown)
    if tracker.lying is None:
        groups = _lifted(tracker, groups)
    elif not _explains_touches(tracker, groups[0][0]):
        otherwise = beyond.put_back(tracker)
        if otherwise is None and _rivals(tracker, shown):
            otherwise = _ask(tracker, groups, tracker.waits.stack)
        if otherwise is not None:
            return otherwise
    return _decided(tracker, groups)


def _lifted(tracker: Tracker, groups: Groups) -> Groups:
    """Keep the one whose stones were lifted, where stacks keep that from telling more."""
    touched = [group for group in groups if not tracker.hands.lifted.keys().isdisjoint(group[0].sources)]
    return touched if len(touched) == 1 else groups


def _decided(tracker: Tracker, groups: Groups) -> Verdict:
    if not tracker.waits.one_sensor:
        others = _but_for_one_sensor(tracker, groups)
        if others or _shown_by_one(tracker, groups[0][0]):
            return _ask(tracker, [*groups, *others])
    return _ask(tracker, groups) if len(groups) > 1 else _settling(tracker, groups[0])


def _settling(tracker: Tracker, group: list[Candidate]) -> Verdict:
    one = tracker.preferred(group)
    wait = tracker.waits.extendable if _extendable(tracker, one) else tracker.waits.settle
    return Verdict("settling", (one.step.action,), due=tracker.hands.last + wait, live=(one.step,))


def _ask(tracker: Tracker, groups: Groups, wait: float | None = None) -> Verdict:
    due = tracker.hands.last + (tracker.waits.settle if wait is None else wait)
    choices = tuple(group[0].step for group in groups)
    return Verdict("ask", due=due, choices=choices, live=tuple(one.step for group in groups for one in group))


def _extendable(tracker: Tracker, one: Candidate) -> bool:
    """Tell whether the stones may still be on their way to somewhere else."""
    sources, added = frozenset(one.sources), not one.sources
    for other in tracker.expected.candidates:
        shared = not other.sources if added else not sources.isdisjoint(other.sources)
        if shared and other is not one and other.step.after != one.step.after:
            return True
    if tracker.follow is None or added:
        return False
    targets = frozenset(one.targets)
    return any(move.source in targets for later in tracker.follow(one.step) for move in later.moves)


def _unlikely(tracker: Tracker, shown: list[Candidate]) -> Verdict:
    """The picture fits, but these hands can't have done it: they do something else, or not all was seen."""
    rivals, groups = _rivals(tracker, shown), by_outcome(shown)
    if rivals:
        live, lifted = tuple(one.step for one in rivals), tracker.lifted(rivals)
        due = tracker.hands.last + tracker.waits.repair
        return Verdict("ask", due=due, choices=tuple(group[0].step for group in groups), live=live, lifted=lifted)
    two = beyond.first_of_two(tracker)
    if two is not None:
        return two
    if len(groups) == 1 and _explains_touches(tracker, groups[0][0]) and tracker.waits.one_sensor:
        return _settling(tracker, groups[0])
    return _ask(tracker, groups)


# -- what was touched --------------------------------------------------------------------------------------------------


def _possible(tracker: Tracker, one: Candidate) -> bool:
    """Tell whether hands that did what was seen may have done this step."""
    if tracker.hands.out_of_order(one):
        return False
    return tracker.lying is None or tracker.lying.allows(one) or _unseen(tracker, one)


def proved(tracker: Tracker, one: Candidate) -> bool:
    """Tell whether more was seen of a step than that stones are gone."""
    if tracker.lying is None or not tracker.lying.allows(one):
        return False
    return not tracker.hands.lifted.keys() <= one.left


def _unseen(tracker: Tracker, one: Candidate) -> bool:
    """Tell whether a line may have been slid while some sensor on the way saw no gap between its stones."""
    lifted, base = tracker.hands.lifted, tracker.base
    if len(one.step.moves) < 2 or not _explains_touches(tracker, one):
        return False
    if all(node in lifted for node in one.changes if node in base):
        return False
    left = min((lifted[node] for node in one.left if node in lifted), default=0.0)
    landed = (lifted[node] for node in one.targets if node in lifted and node not in base)
    return all(left - at < TOGETHER_S for at in landed)


def _explains_touches(tracker: Tracker, one: Candidate) -> bool:
    return tracker.hands.lifted.keys() <= one.reach


def _rivals(tracker: Tracker, shown: Sequence[Candidate]) -> list[Candidate]:
    """Return the steps that may be under way and explain all that was touched, beside those that seem done."""
    done, live = {one.outcome for one in shown}, tracker.live(tracker.differing)
    return [one for one in live if _explains_touches(tracker, one) and one.outcome not in done]


# -- where no sensor shall decide alone --------------------------------------------------------------------------------


def _shown_by_one(tracker: Tracker, one: Candidate) -> bool:
    """Tell whether one sensor alone shows a step; what reads as a whole tile nine of them show."""
    return sum(tracker.shows(one, node) for node in one.changes if not tracker.reads_tile(node)) == 1


def _but_for_one_sensor(tracker: Tracker, groups: Groups) -> Groups:
    """Return the steps that would lie on the board as well if one sensor that differs were wrong."""
    done, off = {group[0].outcome for group in groups}, frozenset(tracker.differing)
    near = (one for one in tracker.expected.candidates if len(off - one.covers) < 2 and one.outcome not in done)
    rests = ((one, tracker.rest(one)) for one in near)
    return by_outcome(
        one for one, rest in rests if len(rest) == 1 and rest[0] in off and not tracker.reads_tile(rest[0])
    )


# -- steps that no sensor shows ----------------------------------------------------------------------------------------


def unseen(tracker: Tracker, complete: list[Candidate]) -> Verdict | None:
    """Judge a board that looks as some steps leave it, none of whose stones was seen to arrive; None: nothing speaks
    for them, or they wait for a tap or the phone."""
    tap, differing = tracker.hands.last_tap(), tracker.differing
    groups = by_outcome(one for one in complete if _evident(tracker, one))
    if not groups:
        return None
    tapped = [group for group in groups if tap is not None and tap in group[0].targets]
    if tracker.lying is None and len(tapped) == 1 and not tracker.guesses(tapped[0][0]):
        step = tracker.preferred(tapped[0]).step
        return Verdict("settling", (step.action,), due=tracker.hands.last + tracker.waits.settle, live=(step,))
    if not differing:
        swapped = tapped or [group for group in groups if tracker.may_be_swapped(group[0])]
        if swapped and all(group[0].step.partial for group in swapped):  # Something was taken out, something put in.
            choices = tuple(group[0].step for group in swapped)
            return Verdict("ask", due=tracker.hands.last + tracker.waits.settle, choices=choices, live=choices)
        return None
    live = tracker.live(differing)
    sure = [group for group in groups if proved(tracker, group[0]) and not tracker.guesses(group[0])]
    if len(sure) == 1:
        steps = [tracker.preferred(sure[0]).step]
    else:
        steps = [one.step for one in live]
        alone = len(by_outcome(live)) == 1 and not tracker.guesses(live[0])
        sure = [live] if alone and (tracker.bound or tracker.waits.one_sensor) else []
    due, lifted = tracker.hands.last + tracker.waits.stack, tracker.lifted(live)
    if len(sure) == 1:
        return Verdict("settling", (steps[0].action,), due=due, live=tuple(steps), lifted=lifted)
    choices = tuple(group[0].step for group in groups)
    return Verdict("ask", due=due, choices=choices, live=tuple(steps), lifted=lifted)


def _evident(tracker: Tracker, one: Candidate) -> bool:
    """Tell whether something speaks for a hidden step: its stone is gone, or its stack was tapped.

    One tap never speaks for a step that ends where it began: that is a stone put back.
    """
    if not one.changes:
        return False
    tap = tracker.hands.last_tap() if tracker.lying is None else None
    if any(tracker.shows(one, node) for node in one.sources) or (tap is not None and tap in one.targets):
        return True
    return tracker.may_be_swapped(one)


def tapped_twice(tracker: Tracker) -> Verdict | None:
    """Judge a board in order: whether the hands have said a step by tapping a stone twice."""
    node = tracker.taps.twice
    steps = [step for step in tracker.steps if node is not None and node in step.tap_twice]
    if not steps:
        return None
    last, waits = tracker.hands.last, tracker.waits
    if len(steps) > 1 or not (tracker.bound or waits.one_sensor):
        return Verdict("ask", due=last + waits.settle, choices=tuple(steps))
    return Verdict("settling", (steps[0].action,), due=last + waits.extendable)

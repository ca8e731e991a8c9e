"""What the present steps don't explain: the last action changed or taken back, or the next one begun already."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from firmware_host.games.game import Step
from firmware_host.table.expected import Candidate, by_outcome
from firmware_host.table.senses import NOTHING
from firmware_host.table.verdict import Earlier, Verdict

if TYPE_CHECKING:
    from firmware_host.table.tracker import Tracker

MOST_DIFFERING = 24
"""Where more nodes differ no two steps are looked for: the longest push and one more change less."""
MOST_LOOKED_AT = 4
"""So many first steps are looked beyond at most: more don't fit one board but by accident, and each takes its time."""
MOST_TURNINGS = 8
"""So many where they are parts of actions: no sensor may tell how a tile is turned."""


def taken_back(tracker: Tracker) -> Verdict | None:
    """The last step slid on, was changed, or was taken back by hand."""
    earlier = tracker.earlier
    if earlier is None or any(earlier.base.get(node) != tracker.base.get(node) for node in tracker.masked):
        return None  # What is masked can't show that it lies as before.
    if not tracker.waits.one_sensor:
        looks, now = tracker.looks, tracker.base
        told = [node for node in tracker.seen if looks.tells(node, now.get(node), earlier.base.get(node))]
        if len(told) < 2:
            return None
    due = tracker.hands.last + tracker.waits.extendable
    differing = tracker.mismatch(earlier.base)
    if not differing:
        return Verdict("settling", back=True, due=due)
    if len(differing) > MOST_DIFFERING or not _rearranged(tracker, earlier):
        return None
    before = tracker.expected_before(earlier)
    complete = before.complete(tracker.seen, tracker.masked, differing)
    changed = [
        one
        for one in complete
        if one.step.after != tracker.base and before.arrival_shown(one, tracker.masked) and not _runs_round(one)
    ]
    groups = by_outcome(changed)
    if len(groups) != 1:
        return None
    step = tracker.preferred(groups[0]).step
    return Verdict("settling", (step.action,), back=True, due=due, live=tuple(one.step for one in groups[0]))


def _runs_round(one: Candidate) -> bool:
    """Tell whether a piece ends where it began: it lies there as one does that is put back."""
    return any(move.source == move.target for move in one.step.moves)


def put_back(tracker: Tracker) -> Verdict | None:
    """The last step was taken back by hand, where the picture fits a step too: all its stones were touched again."""
    earlier, base = tracker.earlier, tracker.base
    if earlier is None or not tracker.waits.one_sensor or tracker.mismatch(earlier.base):
        return None
    if any(base[node] != earlier.base.get(node) and node not in tracker.hands.lifted for node in base):
        return None
    return Verdict("settling", back=True, due=tracker.hands.last + tracker.waits.extendable)


def _rearranged(tracker: Tracker, earlier: Earlier) -> bool:
    """Tell whether a stone that arrived with the last action was touched again, and some stone has arrived since."""
    base, seen, tells = tracker.base, tracker.seen, tracker.looks.tells
    arrived = [node for node in base if tells(node, base.get(node), earlier.base.get(node))]
    if arrived and tracker.hands.lifted.keys().isdisjoint(arrived):
        return False
    return any(seen[node] != NOTHING for node in tracker.differing)


def first_of_two(tracker: Tracker) -> Verdict | None:
    """Quick hands: a step lies on the board, and the stones of a next one are under way already."""
    if tracker.follow is None or len(tracker.differing) > MOST_DIFFERING:
        return None
    passed = tracker.expected.by_action.get(tracker.hands.passed or "")
    if passed is not None and goes_on(tracker, passed):
        return _at_once(tracker, [[passed]])
    # Two steps that could have come in either order: what was touched first came first.
    first: list[Candidate] = []
    arrived = _arrived(tracker)
    for one in arrived[: max(MOST_LOOKED_AT, sum(one.step.partial for one in arrived[:MOST_TURNINGS]))]:
        if first and _began(tracker, one) > _began(tracker, first[0]):
            break
        if goes_on(tracker, one):
            first.append(one)
    if not first:
        return None
    return _at_once(tracker, by_outcome(first))


def _at_once(tracker: Tracker, groups: list[list[Candidate]]) -> Verdict:
    """Let a step count now; ask which one where two began together, or no sensor shall decide alone."""
    if len(groups) > 1 or not tracker.waits.one_sensor:
        choices = tuple(group[0].step for group in groups)
        return Verdict("ask", due=tracker.hands.last + tracker.waits.settle, choices=choices, live=choices)
    step = tracker.preferred(groups[0]).step
    return Verdict("settling", (step.action,), due=tracker.hands.last, live=(step,))


def _arrived(tracker: Tracker) -> list[Candidate]:
    """Return the steps whose stones all lie where they leave them, whatever else differs; those begun first first."""
    found = [
        one
        for one in tracker.expected.candidates
        if not tracker.expected.undone(one, tracker.seen, tracker.masked)
        and (not tracker.is_hidden(one) or tracker.may_be_swapped(one))
        and not tracker.guesses(one)
        and tracker.may_be_added(one)
        and not tracker.hands.out_of_order(one)
    ]
    return sorted(found, key=lambda one: _began(tracker, one))


def _began(tracker: Tracker, one: Candidate) -> float:
    """Return when a step's stones were first touched."""
    lifted = tracker.hands.lifted
    return min((lifted[node] for node in one.sources or one.targets if node in lifted), default=inf)


def goes_on(tracker: Tracker, first: Candidate) -> bool:
    """Tell whether what differs after a step may be a moment of a step that follows it.

    Where it differs at the step's own nodes, the following one must lie there completely.
    """
    if tracker.follow is None:
        return False
    rest = frozenset(tracker.rest(first))
    whole = not rest.isdisjoint(first.changes)
    return any(
        rest <= later.touches | later.removed and _fits(tracker, later, rest, whole=whole)
        for later in tracker.follow(first.step)
    )


def _fits(tracker: Tracker, later: Step, rest: frozenset[str], *, whole: bool) -> bool:
    nodes = rest.union(later.touches & tracker.seen.keys()) if whole else rest
    return all(
        (not whole and tracker.seen[node] == NOTHING)
        or node in tracker.masked
        or tracker.seen[node] in tracker.looks.sights(node, later.after.get(node))
        for node in nodes
    )

"""What the board says now: one list of hypotheses, one cost, one decision (docs/hands.md).

A hypothesis costs its actions, each piece that must have been lifted or put down where no sensor shows it, and half
of each touch that it does not explain. The cheapest one counts if the whole board matches its prediction. Where several
differ by less than one, people are asked; where one as cheap is still under way, the table waits; where none explains
the board, it is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firmware_host.table.hypotheses import Done, Hypothesis, Outcome, by_outcome
from firmware_host.table.picture import Picture
from firmware_host.table.senses import NOTHING
from firmware_host.table.timing import ROUNDING_S
from firmware_host.table.two_actions import two_actions
from firmware_host.table.verdict import Verdict, ask

TOUCH = 0.5
"""The cost of an unexplained touch: a single one may be an accident, two are a reason to doubt."""


@dataclass(frozen=True)
class _Lies:
    """A hypothesis whose prediction the board matches, with its cost."""

    one: Hypothesis
    unseen: int
    cost: float
    alike: tuple[Hypothesis, ...] = ()
    """Other hypotheses that leave the same board."""


def judge(picture: Picture) -> Verdict:
    """Return the verdict on the board. It depends only on sensed states with their times, and on what is expected.

    What ends the game rests for ``extendable`` before it counts: a stone may still be sliding on.
    """
    verdict = _judge(picture)
    if verdict.kind == "settling" and picture.ends(verdict.done) == "game":
        return replace(verdict, due=max(verdict.due or 0.0, picture.touches.last + picture.timings.extendable))
    return verdict


def _judge(picture: Picture) -> Verdict:
    if not picture.differing:
        return _in_order(picture)
    if picture.unsure and _has_come_back(picture):
        return Verdict("settling", Done(undo=True), picture.touches.last + picture.timings.settle)
    seen, masked, differing = picture.seen, picture.masked, picture.differing
    looks_done = picture.hypotheses.complete(_candidates(picture), seen, masked, differing)
    complete = [one for one in looks_done if not picture.never_landed(one)]
    done, live = _lying(picture, complete), picture.live()
    if done:
        return _decide(picture, done, live)
    first_of_each = [group[0] for group in by_outcome(complete)]
    return _moving(picture, live, first_of_each) if live else _unexplained(picture, first_of_each)


def _has_come_back(picture: Picture) -> bool:
    """Return whether the piece whose absence counted as the last action is back, and nothing else was touched."""
    back = picture.hypotheses.back
    return back is not None and picture.touches.since <= frozenset(back.targets) and not picture.rest(back)


def _candidates(picture: Picture) -> list[Hypothesis]:
    """Return the explanations by one action; a piece moving on is included only where it was touched."""
    found = picture.hypotheses
    if found.back is None or not (_touches_back(picture) or _may_have_left_unseen(picture, found.back)):
        return found.near
    return [*found.near, *found.after_back(picture.seen, picture.masked, picture.differing, same=True)]


def _touches_back(picture: Picture) -> bool:
    """Return whether a node of the last action was touched."""
    back = picture.hypotheses.back
    return back is not None and not picture.touches.first.keys().isdisjoint(back.reach)


def _may_have_left_unseen(picture: Picture, back: Hypothesis) -> bool:
    """Return whether the last action's piece may have been taken off a stack that looks the same without it.

    False while no seat acts, because nobody could be asked.
    """
    return bool(picture.steps) and any(
        len(picture.base.get(node, ())) > 1 and not picture.shows(back, node) for node in back.sources
    )


def _lying(picture: Picture, complete: Iterable[Hypothesis]) -> list[_Lies]:
    """Return the hypotheses that look done and that the events allow, the cheapest of each outcome."""
    cheapest: dict[Outcome, _Lies] = {}
    groups: dict[Outcome, list[Hypothesis]] = {}
    for one in complete:
        unseen = picture.unseen(one)
        if unseen is None:
            continue
        extra = picture.touches.unexplained(one) + picture.cleared(one)
        lies = _Lies(one, unseen, one.cost + unseen + TOUCH * extra)
        groups.setdefault(one.outcome, []).append(one)
        known = cheapest.get(one.outcome)
        if known is None or _before(picture, lies, known):
            cheapest[one.outcome] = lies
    found = (replace(lies, alike=tuple(o for o in groups[out] if o is not lies.one)) for out, lies in cheapest.items())
    return sorted(found, key=lambda lies: (lies.cost, lies.one.rank))


def _before(picture: Picture, lies: _Lies, known: _Lies) -> bool:
    """Order explanations of the same board: what was chosen on a phone, the step back, what was touched."""

    def key(this: _Lies) -> tuple[bool, float, int, bool]:
        partners = picture.touches.first.keys().isdisjoint(this.one.step.partners)
        named = this.one.step.action == picture.named
        return not named, this.cost, this.one.rank, partners

    return key(lies) < key(known)


# -- some hypothesis looks done ----------------------------------------------------------------------------------------


def _decide(picture: Picture, done: Sequence[_Lies], live: Sequence[Hypothesis]) -> Verdict:
    """Judge a board that matches the prediction of some hypothesis."""
    best, times, last = done[0], picture.timings, picture.touches.last
    ties = [lies for lies in done if lies.cost < best.cost + 1]
    named = [lies for lies in ties if lies.one.step.action == picture.named]
    if named:
        best, ties = named[0], named
    outcomes = {lies.one.outcome for lies in done}
    rivals = [one for one in live if one.outcome not in outcomes]
    if _is_only_absent(picture, best):
        return _where_it_lies(picture, done, rivals, live)
    rewritten = best.one.done.undo and not picture.bound and not _touches_back(picture)
    if rewritten:  # What needs one more unseen piece is as likely as a step back that nobody was seen to do.
        ties = [lies for lies in done if lies.cost <= best.cost + 1]
    others = _instead_of_back(picture, best, rivals)
    if others or rewritten or picture.muddled or any(picture.guesses(lies.one) for lies in ties):
        return ask(list(dict.fromkeys([*_all(ties), *others])), last + times.settle)
    away = (best.one.takes_off and not picture.arrival_shown(best.one)) or bool(picture.not_landed(best.one))
    if away:
        wait = times.stack  # It may still be in the hand.
    elif rivals or best.one.done.undo:
        wait = times.extendable
    else:
        wait = times.settle
    if not picture.bound and _is_back_but_for_supply(picture, best.one):
        return ask([best.one, *_back(picture)], last + wait, live)
    if len(ties) > 1 or (away and picture.over):  # At the end it may be the first piece that is packed up.
        return ask(_all(ties), last + wait, live)
    if not times.one_sensor and not picture.bound:
        others = _but_for_one_sensor(picture, done)
        if others or _shown_by_one(picture, best.one):
            return ask([best.one, *others], last + wait)
    return _settling(best, last + wait, live if best.one.takes_off else ())


def _all(done: Iterable[_Lies]) -> list[Hypothesis]:
    """Return everything that may have been done: also what leaves the same board as something else."""
    return [one for lies in done for one in (lies.one, *lies.alike)]


def _is_only_absent(picture: Picture, lies: _Lies) -> bool:
    """Return whether only a piece's absence says that a step is done: no sensor shows where the piece lies.

    Nor a tap of the stack where it may lie, or two taps where the step would end something.
    """
    one = lies.one
    if picture.bound or picture.guesses(one) or picture.arrival_shown(one):
        return False
    if lies.unseen or one.done.undo:
        return lies.unseen > 0
    return bool(one.stacks) and picture.touches.count_taps(one.stacks) < (2 if picture.ends(one.done) else 1)


def _instead_of_back(picture: Picture, best: _Lies, rivals: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return what may have been done instead of a step back, where something else was touched since the last action."""
    if not best.one.done.undo or picture.bound or picture.touches.since <= best.one.reach:
        return []
    return [*best.alike, *(one for one in rivals if not picture.rest(one))]


def _back(picture: Picture) -> list[Hypothesis]:
    return [] if picture.hypotheses.back is None else [picture.hypotheses.back]


def _is_back_but_for_supply(picture: Picture, best: Hypothesis) -> bool:
    """Return whether a step also undoes the last action, except for pieces that the rules have removed since.

    A player who takes a move back may not have put those pieces back yet.
    """
    back = picture.hypotheses.back
    if back is None or best.done.undo or not back.added or set(best.sources) != set(back.sources):
        return False
    added = {move.target for move in back.step.moves if move.source is None}
    return added.issuperset(picture.rest(back))


def _where_it_lies(
    picture: Picture, done: Sequence[_Lies], rivals: Sequence[Hypothesis], live: Sequence[Hypothesis]
) -> Verdict:
    """Judge a piece that was lifted and stays away: it is in the hand, or lies where no sensor shows it.

    Its absence alone never ends a turn, a phase or a game: where its one goal would, the question is put at once.
    Elsewhere its one goal counts after a while, and stays open: the piece that comes back undoes it.
    """
    best, times, last = done[0].one, picture.timings, picture.touches.last
    shown = live or [lies.one for lies in done]
    lifted = picture.lifted(shown)
    one_only = len(done) == 1 and not rivals and times.one_sensor and not picture.guesses(best)
    if one_only and picture.ends(best.done):
        return ask(_all(done), last + times.settle, shown, lifted)
    if one_only and (_is_said(picture, best) or picture.touches.before.isdisjoint(best.sources)):
        verdict = _settling(done[0], last + times.stack, shown, lifted)
        return replace(verdict, done=replace(verdict.done, unsure=True))
    return ask(_all(done), last + times.stack, shown, lifted)


def _settling(lies: _Lies, due: float, live: Iterable[Hypothesis] = (), lifted: tuple[str, ...] = ()) -> Verdict:
    shown = (lies.one.step, *(one.step for one in live if one is not lies.one))
    return Verdict("settling", lies.one.done, due, live=shown, lifted=lifted)


# -- where no sensor may decide alone ----------------------------------------------------------------------------------


def _shown_by_one(picture: Picture, one: Hypothesis) -> bool:
    """Return whether one sensor alone shows a step; a whole tile is shown by nine.

    A stack that was tapped, or touched while a piece was put on it, is reported by its own sensor.
    """
    whole = picture.model.is_whole_tile
    told = {node for node in one.changes if picture.shows(one, node) and not whole(node, picture.seen[node])}
    return len(told.union(node for node in one.targets if node in picture.touches.first)) == 1


def _but_for_one_sensor(picture: Picture, done: Sequence[_Lies]) -> list[Hypothesis]:
    """Return the steps that would match the board too if one differing sensor were wrong."""
    outcomes, off = {lies.one.outcome for lies in done}, frozenset(picture.differing)
    found = []
    for one in picture.hypotheses.near:
        if one.outcome in outcomes or len(off - one.covers) > 1:
            continue
        rest = picture.rest(one)
        if len(rest) == 1 and rest[0] in off and not picture.model.is_whole_tile(rest[0], picture.seen[rest[0]]):
            outcomes.add(one.outcome)
            found.append(one)
    return found


# -- nothing differs ---------------------------------------------------------------------------------------------------


def _in_order(picture: Picture) -> Verdict:
    """Judge a board that matches the position: a tap may have confirmed a step, or a step may be invisible."""
    times, last = picture.timings, picture.touches.last
    said = [step for step in picture.steps if picture.taps.twice is not None and picture.taps.twice in step.tap_twice]
    if said:
        known = [picture.hypotheses.by_action.get(step.action) or Hypothesis.said(step, picture.base) for step in said]
        if len(known) > 1 or not (picture.bound or times.one_sensor):
            return ask(known, last + times.settle)
        wait = times.extendable if said[0].moves else times.spoken
        return Verdict("settling", known[0].done, last + wait, live=(said[0],))
    unseen = [one for one in picture.hypotheses.near if _may_lie_unseen(picture, one)]
    lying = [group[0] for group in by_outcome(unseen) if not picture.rest(group[0])]
    if not lying:
        return Verdict("quiet")
    sure = [one for one in lying if not one.step.partial and _is_said(picture, one)]
    if len(sure) == 1:
        return Verdict("settling", sure[0].done, last + times.extendable, live=(sure[0].step,))
    return ask(lying, last + times.settle)


def _is_said(picture: Picture, one: Hypothesis) -> bool:
    """Return whether a step that leaves no trace was chosen on a phone, or its stack tapped twice."""
    return one.step.action == picture.named or picture.bound or picture.taps.twice in one.targets


def _may_lie_unseen(picture: Picture, one: Hypothesis) -> bool:
    """Return whether a piece may have been exchanged or stacked where the sensors report the same as before."""
    if not one.changes or one.done.undo or picture.guesses(one):
        return False
    if one.step.partial:
        return picture.may_be_replaced(one)
    return picture.touches.last_tap() in one.targets


# -- nothing looks done, or nothing is legal ---------------------------------------------------------------------------


def _moving(picture: Picture, live: Sequence[Hypothesis], looks_done: Sequence[Hypothesis]) -> Verdict:
    """Judge a legal step under way.

    Where the board looks done but the events exclude that, or two actions explain it too, people are asked later.
    """
    if {one.outcome for one in live} == {one.outcome for one in looks_done}:
        return _unexplained(picture, looks_done)
    gone_on = two_actions(picture)
    if gone_on is not None and all(_pieces_lie(picture, one) for one in live):
        return gone_on
    lifted = picture.lifted(live)
    choices = looks_done or _first_of(picture, gone_on)
    if choices:
        return ask(choices, picture.touches.last + picture.timings.repair, live, lifted)
    idle = () if lifted else _felt_only(picture, live)
    return Verdict("moving", live=tuple(one.step for one in live), lifted=lifted, foreign=idle)


def _felt_only(picture: Picture, live: Sequence[Hypothesis]) -> tuple[str, ...]:
    """Return the differing nodes whose pieces no step under way moves: its pusher, its stack, what it would remove."""
    moved = {node for one in live for node in (*one.sources, *one.step.line)}
    return tuple(node for node in picture.differing if node not in moved)


def _first_of(picture: Picture, gone_on: Verdict | None) -> Sequence[Hypothesis]:
    """Return the steps that lie on the board, by a verdict, together with another one."""
    if gone_on is None:
        return ()
    first = picture.hypotheses.by_action.get(next(iter(gone_on.done.actions), ""))
    return gone_on.choices if first is None else [first]


def _pieces_lie(picture: Picture, one: Hypothesis) -> bool:
    """Return whether a step's own pieces lie as after it, while a neighbouring piece is touched."""
    return set(picture.rest(one)).isdisjoint((*one.sources, *one.targets))


def _unexplained(picture: Picture, looks_done: Sequence[Hypothesis]) -> Verdict:
    """Judge a board that no single action explains in the order in which hands act."""
    return two_actions(picture) or _unlikely(picture, looks_done) or _wrong(picture)


def _unlikely(picture: Picture, looks_done: Sequence[Hypothesis]) -> Verdict | None:
    """Judge a board that looks done, but not in the usual order: one piece may have taken another's place.

    If that step alone explains every touch, or no other touched piece can go where its pieces lie, it counts; else
    people are asked.
    """
    if not looks_done:
        return None
    one, times = looks_done[0], picture.timings
    sure = len(looks_done) == 1 and times.one_sensor and picture.arrival_shown(one) and not picture.guesses(one)
    if sure and not picture.muddled and picture.only_felt_besides(one):
        wait = times.stack if picture.touches.explained_by(one) else times.extendable
        return Verdict("settling", one.done, picture.touches.last + wait, live=(one.step,))
    return ask(looks_done, picture.touches.last + times.settle)


def _wrong(picture: Picture) -> Verdict:
    """Judge a board that nothing legal explains: return the wrong nodes and the nearest valid board."""
    differing, seen = picture.differing, picture.seen
    gone = frozenset(node for node in differing if seen[node] == NOTHING)
    near = _named_beside(picture) or _nearest(picture) or _before_more(picture)
    if near is not None:
        return Verdict("wrong", foreign=tuple(picture.rest(near)), target=near.step.after)
    movable = [one for one in picture.hypotheses.near if not gone.isdisjoint(one.sources)]
    explained = dict.fromkeys(node for one in movable for node in one.sources)
    foreign = tuple(node for node in differing if node not in explained)
    if not foreign:  # Two pieces of different steps are in the air, and only one of them can be meant.
        foreign = tuple(differing)
    lifted = tuple(node for node in explained if node in differing)
    return Verdict("wrong", live=tuple(one.step for one in movable), lifted=lifted, foreign=foreign)


def _named_beside(picture: Picture) -> Hypothesis | None:
    """Return the step that was chosen on a phone where its pieces lie beside what is wrong."""
    named = picture.hypotheses.by_action.get(picture.named or "")
    if named is None or picture.hypotheses.undone(named, picture.seen, picture.masked):
        return None
    return named if len(picture.rest(named)) < len(picture.differing) else None


def _before_more(picture: Picture) -> Hypothesis | None:
    """Return the step that lay on the board before the hands went on, where the board is no further from it.

    A pusher that follows its stone is such a board: the push is done, and the pusher goes back.
    """
    passed, lay = picture.touches.passed, picture.touches.passed_for
    if passed is None or lay < picture.timings.together - ROUNDING_S:
        return None  # It was swept along with what is wrong.
    return passed if len(picture.rest(passed)) <= len(picture.differing) else None


def _nearest(picture: Picture) -> Hypothesis | None:
    """Return the one step that lies on the board next to what is wrong; None where the base is as near."""
    hypotheses, off = picture.hypotheses, frozenset(picture.differing)
    lying = [
        one
        for one in hypotheses.near
        if one.changes
        and not off.isdisjoint(one.changes)
        and not hypotheses.undone(one, picture.seen, picture.masked)
        and picture.unseen(one, off.difference(one.changes)) == 0
    ]
    costs = sorted((one.cost + len(picture.rest(one)), number) for number, one in enumerate(lying))
    if not costs or costs[0][0] >= len(off) or (len(costs) > 1 and costs[1][0] == costs[0][0]):
        return None
    return lying[costs[0][1]]

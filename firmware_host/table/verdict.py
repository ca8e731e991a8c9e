"""Which of the hypotheses stands: counting, waiting, asking, or wrong (docs/hands.md).

The position is the only authority. The tracker holds the occupancy that it implies (the *base*), compares the whole
board with what each legal action would leave, and lets the cheapest explanation stand, if it is cheaper than all others
by a margin. This is *diagnosis* turned round (Reiter, "A theory of diagnosis from first principles", Artificial
Intelligence 32, 1987): there, the smallest set of broken parts explains what is observed; here, the smallest set of
acts. The costs stand for likelihoods, as in minimum description length: an action costs 1, a piece that must have been
lifted or put down where no sensor shows it costs 1, an unexplained touch :data:`TOUCH`, since a single one may be an
accident and two are a reason to doubt. Then

- the cheapest hypothesis counts if the whole board matches its prediction, after a wait that is short where nothing
  else could come of it, and longer where a hand may still be going on;
- where several differ by less than one, people are asked; where one as cheap is still under way, the table waits;
- where none explains the board, it is wrong, and the nearest legal board says what to mend.

What a verdict never rests on: the absence of a piece alone (it may be in a hand), a masked sensor, or, where that is
wanted, one sensor alone. From top to bottom: the verdict, the judgement of one action, the judgement of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from firmware_host.games.game import Occupancy, PieceMove, Step
from firmware_host.games.plain import after_moves
from firmware_host.table.hypotheses import (
    NO_ACTION,
    NOTHING_DONE,
    Done,
    Evidence,
    Hypothesis,
    Outcome,
    by_outcome,
    chain,
    ends,
)
from firmware_host.table.sensor_model import NOTHING, ROUNDING_S
from firmware_host.text.words import say

TOUCH = 0.5
"""The cost of an unexplained touch: a single one may be an accident, two are a reason to doubt."""
MAX_DIFFERING = 24
"""Maximum number of differing nodes for the search of two actions: the longest push and one more change fewer."""


@dataclass(frozen=True)
class Verdict:
    """The judgement of the board now.

    ``kind``: ``quiet`` (the board matches the position), ``moving`` (something legal is under way), ``settling``
    (``done``, the one of ``choices``, lies and counts at ``due``), ``ask`` (``choices`` are asked at ``due``),
    ``wrong`` (``foreign`` nodes differ and nothing legal explains them; ``target`` is the nearest valid board). While
    something is ``moving``, ``foreign`` are pieces that it does not move, if no others are lifted.
    ``live`` are the steps under way; ``lifted`` the nodes where their pieces are missing. ``left`` are the moves that
    remain where the first part of an action lies; several that take a piece off are a choice.
    """

    kind: str
    done: Done = NOTHING_DONE
    due: float | None = None
    live: tuple[Step, ...] = ()
    lifted: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    choices: tuple[Hypothesis, ...] = ()
    target: Occupancy | None = None
    left: tuple[PieceMove, ...] = ()


def ask(
    choices: Sequence[Hypothesis], due: float, live: Iterable[Hypothesis] = (), lifted: tuple[str, ...] = ()
) -> Verdict:
    """Return a verdict that asks which of these was done."""
    shown = {one.step.action: one.step for one in (*live, *choices)}
    return Verdict("ask", due=due, choices=tuple(choices), live=tuple(shown.values()), lifted=lifted)


@dataclass(frozen=True)
class _Fit:
    """A hypothesis whose prediction the board matches, with its cost."""

    one: Hypothesis
    unseen: int
    cost: float
    alike: tuple[Hypothesis, ...] = ()
    """Other hypotheses that leave the same board."""


def judge(evidence: Evidence) -> Verdict:
    """Return the verdict on the board. It depends only on sensed states with their times, and on what is expected.

    What ends the game rests for ``extendable`` before it counts: a stone may still be sliding on. What hands have
    completed because a repair asked for it is asked, with the position as the other answer.
    """
    verdict = _judge(evidence)
    if evidence.bound and verdict.kind == "ask":
        verdict = _answer_for(evidence, verdict)
    if verdict.kind == "settling" and evidence.ends(verdict.done) == "game":
        verdict = replace(verdict, due=max(verdict.due or 0.0, evidence.touches.last + evidence.timings.extendable))
    if not evidence.bound and any(evidence.is_guided(one) for one in verdict.choices):
        return replace(verdict, kind="ask", done=NOTHING_DONE, choices=(*verdict.choices, _no_action(evidence)))
    if verdict.done.undo and evidence.over and evidence.hypotheses.gone and verdict.choices:
        return replace(verdict, kind="ask", done=NOTHING_DONE)  # An end stands while pieces are cleared.
    return verdict


def _answer_for(evidence: Evidence, verdict: Verdict) -> Verdict:
    """Return the answer to a question where nobody can be asked: the action that hands are led to, where it may lie."""
    led = [one for one in verdict.choices if one.step.action in evidence.hypotheses.by_action]
    if len(led) != 1:
        return verdict
    tapped = evidence.taps.answers(led[0].targets) > 1  # A tile put in another's place feels like the first tap.
    wait = evidence.timings.extendable if tapped else evidence.timings.stack
    return _settling(led[0], evidence.touches.last + wait)


def _no_action(evidence: Evidence) -> Hypothesis:
    """Return the other answer where a repair has led to what looks like an action: the pieces go back."""
    words = say("none of these: we put it all back")
    return Hypothesis(Step(NO_ACTION, words, (), evidence.base, frozenset()), evidence.base, NOTHING_DONE)


def _judge(evidence: Evidence) -> Verdict:
    if not evidence.differing:
        return _in_order(evidence)
    if evidence.unsure and _has_come_back(evidence):
        return Verdict("settling", Done(undo=True), evidence.touches.last + evidence.timings.settle)
    looks_done = evidence.complete(_candidates(evidence))
    complete = [one for one in looks_done if not evidence.never_landed(one)]
    done, live = _fitting(evidence, complete), evidence.live()
    if done:
        return _decide(evidence, done, live)
    first_of_each = [group[0] for group in by_outcome(complete)]
    return _moving(evidence, live, first_of_each) if live else _judge_unexplained(evidence, first_of_each)


def _has_come_back(evidence: Evidence) -> bool:
    """Return whether the piece whose absence counted as the last action is back, and nothing else was touched."""
    back = evidence.hypotheses.back
    return back is not None and evidence.touches.since <= frozenset(back.targets) and not evidence.rest(back)


def _candidates(evidence: Evidence) -> list[Hypothesis]:
    """Return the explanations by one action; a piece moving on is included only where it was touched."""
    found = evidence.hypotheses
    if found.back is None or not (_touches_back(evidence) or _may_have_left_unseen(evidence, found.back)):
        return found.near
    return [*found.near, *evidence.after_back(same=True)]


def _touches_back(evidence: Evidence) -> bool:
    """Return whether a node of the last action was touched."""
    back = evidence.hypotheses.back
    return back is not None and not evidence.touches.first.keys().isdisjoint(back.reach)


def _may_have_left_unseen(evidence: Evidence, back: Hypothesis) -> bool:
    """Return whether the last action's piece may have been taken off a stack that looks the same without it.

    False while no seat acts, because nobody could be asked.
    """
    return bool(evidence.hypotheses.steps) and any(
        len(evidence.base.get(node, ())) > 1 and not evidence.shows(back, node) for node in back.sources
    )


def _fitting(evidence: Evidence, complete: Iterable[Hypothesis]) -> list[_Fit]:
    """Return the hypotheses that look done and that the events allow, the cheapest of each outcome."""
    cheapest: dict[Outcome, _Fit] = {}
    groups: dict[Outcome, list[Hypothesis]] = {}
    for one in complete:
        unseen = evidence.unseen(one)
        if unseen is None:
            continue
        extra = evidence.touches.count_unexplained(one) + evidence.count_cleared(one)
        fit = _Fit(one, unseen, one.cost + unseen + TOUCH * extra)
        groups.setdefault(one.outcome, []).append(one)
        known = cheapest.get(one.outcome)
        if known is None or _before(evidence, fit, known):
            cheapest[one.outcome] = fit
    found = (replace(fit, alike=tuple(o for o in groups[out] if o is not fit.one)) for out, fit in cheapest.items())
    return sorted(found, key=lambda fit: (fit.cost, fit.one.rank))


def _before(evidence: Evidence, fit: _Fit, known: _Fit) -> bool:
    """Order explanations of the same board: what was chosen on a phone, the step back, what was touched."""

    def key(this: _Fit) -> tuple[bool, float, int, bool]:
        partners = evidence.touches.first.keys().isdisjoint(this.one.step.partners)
        named = this.one.step.action == evidence.named
        return not named, this.cost, this.one.rank, partners

    return key(fit) < key(known)


# -- some hypothesis looks done ----------------------------------------------------------------------------------------


def _decide(evidence: Evidence, done: Sequence[_Fit], live: Sequence[Hypothesis]) -> Verdict:
    """Judge a board that matches the prediction of some hypothesis."""
    best, times, last = done[0], evidence.timings, evidence.touches.last
    ties = [fit for fit in done if fit.cost < best.cost + 1]
    named = [fit for fit in ties if fit.one.step.action == evidence.named]
    if named:
        best, ties = named[0], named
    outcomes = {fit.one.outcome for fit in done}
    rivals = [one for one in live if one.outcome not in outcomes]
    absent = _is_only_absent(evidence, best)
    if absent and not evidence.bound:
        return _where_it_lies(evidence, done, rivals, live)
    rewritten = best.one.done.undo and not evidence.bound and not _touches_back(evidence)
    if rewritten:  # What needs one more unseen piece is as likely as a step back that nobody was seen to do.
        ties = [fit for fit in done if fit.cost <= best.cost + 1]
    others = _instead_of_back(evidence, best, rivals)
    if others or rewritten or evidence.is_muddled or any(evidence.guesses(fit.one) for fit in ties):
        return ask(list(dict.fromkeys([*_all(ties), *others])), last + times.settle)
    away = absent or (best.one.takes_off and not evidence.arrival_shown(best.one)) or evidence.not_landed(best.one)
    if away:
        wait = times.stack  # It may still be in the hand.
    else:  # A third touch withdraws what was tapped.
        tapped = evidence.taps.tapped_node in best.one.stacks and not evidence.arrival_shown(best.one)
        wait = times.extendable if tapped or rivals or best.one.done.undo else times.settle
    slides = [one for one in best.alike if evidence.slides_on(one)] if not named else []
    if slides and not best.one.step.partners:  # It may have rested on the way only: then it is one action, not two.
        return ask([*slides, best.one], last + wait, live)
    back = _back_but_for_supply(evidence, best.one) if not evidence.bound and not named else None
    if back is not None:
        return ask([best.one, back], last + wait, live)
    moves_on = best.one.done.undo and bool(best.one.done.actions) and not named
    besides = _two_instead(evidence, best.one) if moves_on else []
    # Others may go on with the same piece: a push begins so.
    pushed = moves_on and any(map(evidence.has_begun, rivals))
    packed = away and evidence.over  # At the end it may be the first piece that is packed up.
    if len(ties) > 1 or packed or pushed or besides:
        return ask([*besides, *_all(ties)], last + wait, live)
    asked = _ask_for_one_sensor(evidence, done, best.one, wait)
    lifted = evidence.lifted_nodes([best.one]) if absent else ()
    return asked or _settling(best.one, last + wait, live if best.one.takes_off else (), lifted)


def _all(done: Iterable[_Fit]) -> list[Hypothesis]:
    """Return everything that may have been done: also what leaves the same board as something else."""
    return [one for fit in done for one in (fit.one, *fit.alike)]


def _is_only_absent(evidence: Evidence, fit: _Fit) -> bool:
    """Return whether only a piece's absence says that a step is done: no sensor shows where the piece lies.

    Nor a tap of the stack where it may lie, or two taps where the step would end something and was not named before.
    """
    one = fit.one
    if evidence.guesses(one) or evidence.arrival_shown(one):
        return False
    if fit.unseen or one.done.undo:
        return fit.unseen > 0
    least = 2 if evidence.ends(one.done) and not evidence.bound else 1
    return bool(one.targets if evidence.bound else one.stacks) and evidence.taps.answers(one.stacks) < least


def _instead_of_back(evidence: Evidence, best: _Fit, rivals: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Return what may have been done instead of a step back, where something else was touched since the last action."""
    if not best.one.done.undo or evidence.bound or evidence.touches.since <= best.one.reach:
        return []
    return [*best.alike, *(one for one in rivals if not evidence.rest(one))]


def _two_instead(evidence: Evidence, best: Hypothesis) -> list[Hypothesis]:
    """Return the first of two actions that leave the same board as a step back and another action.

    What the rules had removed need not have been put back: that piece may be one of the two actions.
    """
    two = two_actions(evidence) if best.supply else None
    return [one for one in two.choices if not one.done.undo] if two is not None else []


def _back_but_for_supply(evidence: Evidence, best: Hypothesis) -> Hypothesis | None:
    """Return the step back where a step also undoes the last action, except for pieces that the rules have removed.

    A player who takes a move back may not have put those pieces back yet.
    """
    back = evidence.hypotheses.back
    if back is None or best.done.undo or not back.supply or set(best.sources) != set(back.sources):
        return None
    added = {move.target for move in back.step.moves if move.source is None}
    return back if added.issuperset(evidence.rest(back)) else None


def _where_it_lies(
    evidence: Evidence, done: Sequence[_Fit], rivals: Sequence[Hypothesis], live: Sequence[Hypothesis]
) -> Verdict:
    """Judge a piece that was lifted and stays away: it is in the hand, or lies where no sensor shows it.

    Its absence alone never ends a turn, a phase or a game: where its one goal would, the question is put at once.
    Elsewhere its one goal counts after a while, and stays open: the piece that comes back undoes it.
    """
    best, times, last = done[0].one, evidence.timings, evidence.touches.last
    shown = live or [fit.one for fit in done]
    lifted = evidence.lifted_nodes(shown)
    one_only = len(done) == 1 and not rivals and times.one_sensor and not evidence.guesses(best)
    if one_only and (evidence.ends(best.done) or (best.done.undo and evidence.hypotheses.gone)):
        return ask(_all(done), last + times.settle, shown, lifted)
    if one_only and (_is_said(evidence, best) or evidence.touches.before.isdisjoint(best.sources)):
        verdict = _settling(best, last + times.stack, shown, lifted)
        return replace(verdict, done=replace(verdict.done, unsure=True))
    return ask(_all(done), last + times.stack, shown, lifted)


def _settling(one: Hypothesis, due: float, live: Iterable[Hypothesis] = (), lifted: tuple[str, ...] = ()) -> Verdict:
    shown = (one.step, *(other.step for other in live if other is not one))
    return Verdict("settling", one.done, due, live=shown, lifted=lifted, choices=(one,))


# -- where no sensor may decide alone ----------------------------------------------------------------------------------


def _ask_for_one_sensor(evidence: Evidence, done: Sequence[_Fit], best: Hypothesis, wait: float) -> Verdict | None:
    """Return the question of whether a step was made, if one sensor alone says so and must not; else None."""
    times, last = evidence.timings, evidence.touches.last
    if times.one_sensor or evidence.bound:
        return None
    others = _but_for_one_sensor(evidence, done)
    if others or _shown_by_one(evidence, best):
        return ask([best, *others], last + wait)
    empty = [node for node in best.sources if evidence.sensed[node] == NOTHING]
    under_way = [one for node in empty for one in evidence.live_but_for(node)]
    # Over a dead sensor, the piece that arrived may be a part of one of these.
    return ask([best], last + times.stack, under_way) if under_way else None


def _shown_by_one(evidence: Evidence, one: Hypothesis) -> bool:
    """Return whether one sensor alone shows a step; a whole tile is shown by nine.

    A stack that was tapped, or touched while a piece was put on it, is reported by its own sensor.
    """
    whole = evidence.model.is_whole_tile
    shown = {node for node in one.changes if evidence.shows(one, node) and not whole(node, evidence.sensed[node])}
    return len(shown.union(node for node in one.targets if node in evidence.touches.first)) == 1


def _but_for_one_sensor(evidence: Evidence, done: Sequence[_Fit]) -> list[Hypothesis]:
    """Return the steps that would match the board too if one differing sensor were wrong."""
    outcomes, off = {fit.one.outcome for fit in done}, frozenset(evidence.differing)
    found = []
    for one in evidence.hypotheses.near:
        if one.outcome in outcomes or len(off - one.covers) > 1:
            continue
        rest = evidence.rest(one)
        if len(rest) == 1 and rest[0] in off and not evidence.model.is_whole_tile(rest[0], evidence.sensed[rest[0]]):
            outcomes.add(one.outcome)
            found.append(one)
    return found


# -- nothing differs ---------------------------------------------------------------------------------------------------


def _in_order(evidence: Evidence) -> Verdict:
    """Judge a board that matches the position: a tap may have confirmed a step, or a step may be invisible."""
    times, last = evidence.timings, evidence.touches.last
    taps = evidence.taps
    node = taps.tapped_node or taps.round
    twice = (step for step in evidence.hypotheses.steps if node in step.tap_twice)
    said = [step for step in twice if _is_tapped(evidence, step)]
    if said:
        by_action = evidence.hypotheses.by_action
        known = [by_action.get(step.action) or Hypothesis.without_moves(step, evidence.base) for step in said]
        if len(known) > 1 or not (evidence.bound or times.one_sensor):
            return ask(known, last + times.settle)
    else:
        unseen = [one for one in evidence.hypotheses.near if _may_lie_unseen(evidence, one)]
        lying = [group[0] for group in by_outcome(unseen) if not evidence.rest(group[0])]
        if not lying:
            return Verdict("quiet")
        known = [one for one in lying if not one.step.partial and _is_said(evidence, one)]
        if len(known) != 1:
            return ask(lying, last + times.settle)
    asked = evidence.bound or known[0].step.action == evidence.named
    return _settling(known[0], last + (times.extendable if asked else times.spoken))


def _is_tapped(evidence: Evidence, step: Step) -> bool:
    """Return whether two taps mean a step: as an answer where it was chosen or offered, else after long quiet."""
    taps, chosen = evidence.taps, evidence.bound or step.action == evidence.named
    twice = taps.answers(step.tap_twice) == 2 if chosen else taps.twice in step.tap_twice
    return twice or taps.round in step.tap_twice


def _is_said(evidence: Evidence, one: Hypothesis) -> bool:
    """Return whether a step that leaves no trace was chosen on a phone, or its stack tapped twice."""
    return one.step.action == evidence.named or evidence.bound or evidence.taps.twice in one.targets


def _may_lie_unseen(evidence: Evidence, one: Hypothesis) -> bool:
    """Return whether a piece may have been exchanged or stacked where the sensors report the same as before."""
    if not one.changes or one.done.undo or evidence.guesses(one):
        return False
    if one.step.partial:
        return evidence.may_be_replaced(one)
    return evidence.taps.tapped_node in one.targets


# -- nothing looks done, or nothing is legal ---------------------------------------------------------------------------


def _moving(evidence: Evidence, live: Sequence[Hypothesis], looks_done: Sequence[Hypothesis]) -> Verdict:
    """Judge a legal step under way.

    Where the board looks done but the events exclude that, or two actions explain it too, people are asked later.
    """
    if {one.outcome for one in live} == {one.outcome for one in looks_done}:
        return _judge_unexplained(evidence, looks_done)
    gone_on = two_actions(evidence)
    if gone_on is not None and all(_pieces_lie(evidence, one) for one in live):
        return gone_on
    left = _remaining_moves(evidence, live)
    if left:
        lifted = tuple(node for node in evidence.lifted_nodes(live) if any(move.source == node for move in left))
        return Verdict("moving", live=tuple(one.step for one in live), lifted=lifted, left=left)
    lifted = evidence.lifted_nodes(live)
    choices = looks_done or _first_of(evidence, gone_on)
    if choices:
        return ask(choices, evidence.touches.last + evidence.timings.repair, live, lifted)
    idle = () if lifted else _felt_only(evidence, live)
    return Verdict("moving", live=tuple(one.step for one in live), lifted=lifted, foreign=idle)


def _remaining_moves(evidence: Evidence, live: Sequence[Hypothesis]) -> tuple[PieceMove, ...]:
    """Return the moves that remain of the actions under way once a part of each lies; nothing before that."""
    found = dict[PieceMove, None]()
    for one in live if evidence.hypotheses.in_parts else ():
        done = evidence.done_parts(one)
        if not done:
            return ()
        found.update(dict.fromkeys(move for move in one.parts if move not in done))
    return tuple(found)


def _felt_only(evidence: Evidence, live: Sequence[Hypothesis]) -> tuple[str, ...]:
    """Return the differing nodes whose pieces no step under way moves: its pusher, its stack, what it would remove."""
    moved = {node for one in live for node in (*one.sources, *one.step.line)}
    return tuple(node for node in evidence.differing if node not in moved)


def _first_of(evidence: Evidence, gone_on: Verdict | None) -> Sequence[Hypothesis]:
    """Return the steps that lie on the board, by a verdict, together with another one."""
    if gone_on is None:
        return ()
    first = evidence.hypotheses.by_action.get(next(iter(gone_on.done.actions), ""))
    return gone_on.choices if first is None else [first]


def _pieces_lie(evidence: Evidence, one: Hypothesis) -> bool:
    """Return whether a step's own pieces lie as after it, while a neighbouring piece is touched."""
    return set(evidence.rest(one)).isdisjoint((*one.sources, *one.targets))


def _judge_unexplained(evidence: Evidence, looks_done: Sequence[Hypothesis]) -> Verdict:
    """Judge a board that no single action explains in the order in which hands act."""
    return two_actions(evidence) or _unlikely(evidence, looks_done) or _wrong(evidence)


def _unlikely(evidence: Evidence, looks_done: Sequence[Hypothesis]) -> Verdict | None:
    """Judge a board that looks done, but not in the usual order: one piece may have taken another's place.

    If that step alone explains every touch, or no other touched piece can go where its pieces lie, it counts; else
    people are asked.
    """
    if not looks_done:
        return None
    one, times = looks_done[0], evidence.timings
    sure = len(looks_done) == 1 and times.one_sensor and evidence.arrival_shown(one) and not evidence.guesses(one)
    if sure and not evidence.is_muddled and evidence.only_felt_besides(one):
        wait = times.stack if evidence.touches.explained_by(one) else times.extendable
        return _settling(one, evidence.touches.last + wait)
    return ask(looks_done, evidence.touches.last + times.settle)


def _wrong(evidence: Evidence) -> Verdict:
    """Judge a board that nothing legal explains: return the wrong nodes and the nearest valid board."""
    differing, seen = evidence.differing, evidence.sensed
    gone = frozenset(node for node in differing if seen[node] == NOTHING)
    near = _named_beside(evidence) or _nearest(evidence) or _before_more(evidence)
    if near is not None:
        return Verdict("wrong", foreign=tuple(evidence.rest(near)), target=near.step.after)
    begun = _part_beside(evidence)
    if begun is not None:
        return begun
    movable = [one for one in evidence.hypotheses.near if not gone.isdisjoint(one.sources)]
    explained = dict.fromkeys(node for one in movable for node in one.sources)
    foreign = tuple(node for node in differing if node not in explained)
    if not foreign:  # Two pieces of different steps are in the air, and only one of them can be meant.
        foreign = tuple(differing)
    lifted = tuple(node for node in explained if node in differing)
    return Verdict("wrong", live=tuple(one.step for one in movable), lifted=lifted, foreign=foreign)


def _part_beside(evidence: Evidence) -> Verdict | None:
    """Return the verdict that the first part of an action, or a stage, lies beside what is wrong; None if none does.

    Whoever takes the wrong piece off puts that one back; what was put down stays, however a tile is turned.
    """
    legal, tiles = evidence.hypotheses, evidence.model.wells.intersection(evidence.differing)
    found: dict[tuple[object, ...], Occupancy] = {
        one.targets: one.step.after
        for one in legal.near
        if one.step.partial and evidence.has_begun(one) and tiles.issubset(one.targets)  # It lay in no other well.
    }
    found |= {done: after_moves(legal.base, done) for one in legal.in_parts if (done := evidence.done_parts(one))}
    foreign = {part: tuple(evidence.mismatch(target)) for part, target in found.items()}
    least = min(map(len, foreign.values()), default=0)
    nearest = [part for part, others in foreign.items() if len(others) == least]
    return Verdict("wrong", foreign=foreign[nearest[0]], target=found[nearest[0]]) if len(nearest) == 1 else None


def _named_beside(evidence: Evidence) -> Hypothesis | None:
    """Return the step that was chosen on a phone where its pieces lie beside what is wrong."""
    named = evidence.hypotheses.by_action.get(evidence.named or "")
    if named is None or evidence.undone(named):
        return None
    return named if len(evidence.rest(named)) < len(evidence.differing) else None


def _before_more(evidence: Evidence) -> Hypothesis | None:
    """Return the step that lay on the board before the hands went on, where the board is no further from it.

    A pusher that follows its stone is such a board: the push is done, and the pusher goes back.
    """
    passed, lay = evidence.touches.passed, evidence.touches.passed_for
    if passed is None or lay < evidence.timings.together - ROUNDING_S:
        return None  # It was swept along with what is wrong.
    return passed if len(evidence.rest(passed)) <= len(evidence.differing) else None


def _nearest(evidence: Evidence) -> Hypothesis | None:
    """Return the one step that lies on the board next to what is wrong; None where the base is as near."""
    hypotheses, off = evidence.hypotheses, frozenset(evidence.differing)
    lying = [
        one
        for one in hypotheses.near
        if one.changes
        and not off.isdisjoint(one.changes)
        and not evidence.undone(one)
        and not evidence.is_guided(one)
        and evidence.unseen(one, off.difference(one.changes)) == 0
        and not evidence.never_landed(one)
    ]
    costs = sorted((one.cost + len(evidence.rest(one)), number) for number, one in enumerate(lying))
    if not costs or costs[0][0] >= len(off) or (len(costs) > 1 and costs[1][0] == costs[0][0]):
        return None
    return lying[costs[0][1]]


# -- two actions at once: one player goes on quickly, or two act together ----------------------------------------------


@dataclass(frozen=True)
class _Begun:
    """A step that lies on the board, and a step after it that may have begun."""

    first: Hypothesis
    later: Step


def two_actions(evidence: Evidence) -> Verdict | None:
    """Judge a board that no single action explains; None if two don't explain it either."""
    if len(evidence.differing) > MAX_DIFFERING:
        return None
    done = _taken_back_and_more(evidence)
    begun: list[_Begun] = []
    legal, masked = evidence.hypotheses, evidence.masked  # A tile may lie where no sensor works.
    lying = list(_firsts_that_lie(evidence)) or [
        legal.by_action[step.action] for step in (legal.traceless(masked) if masked else ()) if step.partial
    ]
    for first in lying:
        rest = frozenset(evidence.rest(first))
        for later in evidence.following(first, rest):
            both = chain(evidence.base, first, later) if _both_lie(evidence, first.step, later) else None
            if both is not None and evidence.allowed(both.done):
                if _events_allow(evidence, both) and _arrival_shown(evidence, first.step, later):
                    done.append((first, both))
            elif (
                rest.isdisjoint(first.changes)
                and evidence.may_be_moment(later, rest)
                and _left_before(evidence, first, rest)
            ):
                begun.append(_Begun(first, later))
    if done:
        return _decide_two(evidence, done)
    return _go_on(evidence, begun, lying) if begun else None


def _taken_back_and_more(evidence: Evidence) -> list[tuple[Hypothesis, Hypothesis]]:
    """Return the step back followed by another step, where both lie on the board and a sensor shows some of it."""
    found = evidence.hypotheses
    if found.back is None or not _has_left(evidence, found.back):
        return []
    lying = evidence.complete(evidence.after_back(same=False))
    return [(one, one) for one in lying if _events_allow(evidence, one) and evidence.arrival_shown(one)]


def _has_left(evidence: Evidence, back: Hypothesis) -> bool:
    """Return whether the last action's piece may have left its node: the node was touched, or shows nothing of it."""
    first = evidence.touches.first
    return any(node in first or not evidence.shows(back, node) for node in back.sources)


def _firsts_that_lie(evidence: Evidence) -> Iterator[Hypothesis]:
    """Yield the steps whose pieces all lie at their ends, regardless of other differences."""
    if evidence.follow is None:
        return
    off, passed = frozenset(evidence.differing), evidence.touches.passed
    yield from evidence.laid_anew()
    if passed is not None:
        yield passed
    touched = off | evidence.touches.all_replaced()
    for one in evidence.hypotheses.by_action.values():
        if one is passed or touched.isdisjoint(one.changes):
            continue
        replaced = evidence.may_be_replaced(one)
        if not replaced and off.isdisjoint(one.changes):
            continue
        if evidence.undone(one) or evidence.guesses(one):
            continue
        besides = off.difference(one.changes)
        if replaced or (evidence.arrival_shown(one) and _events_allow(evidence, one, besides)):
            yield one


def _events_allow(evidence: Evidence, one: Hypothesis, besides: frozenset[str] = frozenset()) -> bool:
    """Return whether the events allow a hypothesis, with no other piece unseen than those that left a stack.

    A stack may look the same without its uppermost piece; where that piece came down was seen.
    """
    unseen = evidence.unseen(one, besides)
    return unseen is not None and unseen <= sum(not evidence.shows(one, node) for node in one.sources)


def _left_before(evidence: Evidence, first: Hypothesis, rest: frozenset[str]) -> bool:
    """Return whether a step's pieces have left before a next one began: where none of that was seen, they came first.

    Else the piece that was lifted is as likely to be the one that came down.
    """
    return evidence.unseen(first, rest) == 0 or evidence.may_be_replaced(first) or _came_first(evidence, first)


def _both_lie(evidence: Evidence, first: Step, later: Step) -> bool:
    """Return whether the whole board looks as after two steps."""
    nodes, removed = ends(first) | ends(later), later.removed
    if not nodes.issuperset(
        node for node in evidence.differing if node not in removed or evidence.sensed[node] != NOTHING
    ):
        return False
    return evidence.looks_like(later.after, nodes, removed)


def _arrival_shown(evidence: Evidence, first: Step, later: Step) -> bool:
    """Return whether a sensor shows that the pieces of the second step have arrived after the first."""
    tells, silent = evidence.model.tells, evidence.masked | evidence.cleared_nodes(later)
    targets = (move.target for move in later.moves if move.target is not None)
    return any(node not in silent and tells(node, first.after.get(node), later.after.get(node)) for node in targets)


def _decide_two(evidence: Evidence, done: Sequence[tuple[Hypothesis, Hypothesis]]) -> Verdict:
    """Judge a board with two actions. Which two matters only if they leave different boards."""
    times, last = evidence.timings, evidence.touches.last
    costs = [(evidence.unseen(both) or 0, evidence.count_cleared(both)) for _, both in done]
    done = [pair for pair, cost in zip(done, costs, strict=True) if cost == min(costs)]
    done = [pair for pair in done if _in_sensed_order(evidence, *pair)] or done
    firsts = {both.step.action: first for first, both in done}
    groups = by_outcome(both for _, both in done)
    alone = [one for one in evidence.touches.first if evidence.model.is_whole_tile(one, evidence.sensed[one])]
    in_doubt = evidence.is_muddled or any(one.step.partial and evidence.guesses(one) for one in firsts.values())
    if len(groups) == 1 and (times.one_sensor or alone) and not in_doubt:
        both = min(groups[0], key=lambda one: _came_down(evidence, firsts[one.step.action]))
        wait = times.extendable if both.done.undo else times.settle
        return _settling(both, last + wait)
    asked = {one.step.action: one for one in (firsts[group[0].step.action] for group in groups)}
    if len(asked) == 1 and times.one_sensor and not in_doubt:  # Only the second one is in doubt.
        (sure,) = asked.values()
        return _settling(sure, last + times.settle)
    return ask(list(asked.values()), last + times.settle)


def _go_on(evidence: Evidence, begun: Sequence[_Begun], lying: Sequence[Hypothesis]) -> Verdict:
    """Judge a step that lies while another has begun: it counts if it came first, or is read, and has no alternative.

    Of a tile that is not read all turnings are offered: the runner in the air may belong to another hand.
    """
    firsts = {one.first.step.action: one.first for one in begun}
    last = evidence.touches.last
    groups = by_outcome(firsts.values())
    sure, one = len(groups) == 1 and not evidence.is_muddled, groups[0][0]
    is_read = one.step.partial and not evidence.unread([one.step])
    if sure and (is_read or (evidence.timings.one_sensor and _came_first(evidence, one))):
        return _settling(one, last + evidence.timings.settle)
    if all(one.step.partial for one in firsts.values()):
        also = [one for one in lying if one.step.partial and one.step.action not in firsts]
        return ask([*(group[0] for group in groups), *also], last + evidence.timings.settle)
    later = {one.later.action: Hypothesis.without_moves(one.later, evidence.base) for one in begun}
    lifted = tuple(node for node in evidence.differing if evidence.sensed[node] == NOTHING)
    choices = [group[0] for group in groups]
    return ask(choices, last + evidence.timings.stack, later.values(), lifted)


def _in_sensed_order(evidence: Evidence, one: Hypothesis, both: Hypothesis) -> bool:
    """Return whether of two pieces from the supply, which two players put, the first one was sensed first."""
    first, later = evidence.touches.first, [node for node in both.changes if node not in one.changes]
    return not both.sources and all(_landing_time(evidence, one) < first[node] for node in later if node in first)


def _came_down(evidence: Evidence, one: Hypothesis) -> tuple[float, int]:
    """Return a key that orders steps: by landing, and what was lifted before what comes from the supply."""
    return _landing_time(evidence, one), one.supply.total()


def _landing_time(evidence: Evidence, one: Hypothesis) -> float:
    """Return when the pieces of a step had been touched at all their nodes."""
    first = evidence.touches.first
    return max((first[node] for node in one.changes if node in first), default=inf)


def _came_first(evidence: Evidence, one: Hypothesis) -> bool:
    """Return whether a step lay on the board before anything else was touched."""
    first = evidence.touches.first
    others = [at for node, at in first.items() if node not in one.reach]
    return all(_landing_time(evidence, one) <= at for at in others)

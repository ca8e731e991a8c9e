"""Follows the board, towards a known target or open to the steps of the acting seat, and says how to mend it.

``setup`` brings the board to the position, ``placing`` to the revealed placements, ``clearing`` to what is left after
a loop; ``play`` watches for legal steps (none while players seal). One stage at a time; time comes in with each call.
The :class:`Tracker` carries evidence and verdict from change to change, and answers what else follows from them.

**Repair.** Where the board has to be mended, :func:`plan` gives tasks for one piece at a time. Which surplus piece goes
to which node that misses one is an *assignment problem* (``searching/assignment.py``): the least total distance over
all pairings, never across known colours, of some ten pieces a side at most. Whatever is left over is taken off or put
on. Each fix leaves fewer wrong pieces, so that a repair that is followed ends (``tests/table/test_repair_ends.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import inf
from typing import Any

from firmware_host.games.game import Layout, Occupancy, PieceMove, Stack, Step
from firmware_host.searching.assignment import Distances, assign, distances
from firmware_host.table.hypotheses import Done, Earlier, Evidence, Hypotheses, Hypothesis, Timings
from firmware_host.table.sensor_model import NOTHING, ROUNDING_S, SensorModel, with_fields, without
from firmware_host.table.verdict import Verdict, judge

MAX_SUSPECTS = 3
"""If more nodes than this differ, the cause is not a stuck sensor."""
_TURN = str.maketrans("NS", "SN")


class Tracker:
    """The evidence of a board and the verdict on it, from change to change."""

    def __init__(self, model: SensorModel, nodes: Sequence[str], timings: Timings) -> None:
        """Start with an empty board, nothing expected; ``nodes`` are all nodes of the layout."""
        self.evidence = Evidence.of_empty_board(model, nodes, timings)
        self.changes = 0
        """The number of sensor changes noted."""
        self._verdict: Verdict | None = None

    def expect(self, base: Occupancy, steps: Sequence[Step], at: float, **more: Any) -> None:
        """Set the base and the legal steps from it; ``more`` as in :meth:`Evidence.expect`."""
        self.evidence = self.evidence.expect(base, steps, at, **more)
        self._verdict = None

    def mask(self, nodes: frozenset[str], at: float) -> None:
        """Ignore the sensors of these nodes, and forget earlier touches."""
        self.evidence = self.evidence.mask(nodes, at)
        self._verdict = None

    def forget_hands(self, at: float) -> None:
        """Begin again with the present differences."""
        self.evidence = self.evidence.forget_hands(at)
        self._verdict = None

    def sense(self, node: str, sensed: str, at: float, guided: bool | None = None) -> None:
        """Note that a node's stable state has changed; ``guided`` as in :meth:`Evidence.sense`."""
        evidence = self.evidence
        lay = at - evidence.touches.last
        # Asked before the change: afterwards the step that the hands have finished may not lie there any more.
        passed = self._passing_step() if lay > 0 and not guided else None
        self.evidence = evidence.sense(node, sensed, at, None if passed is None else (passed, lay), guided)
        self.changes += 1
        if node not in evidence.masked:
            self._verdict = None

    def note_guided(self) -> None:
        """Note that nothing of what lies there now was meant."""
        touches = with_fields(self.evidence.touches, guided=dict.fromkeys(self.differing, True))
        self.evidence, self._verdict = with_fields(self.evidence, touches=touches), None

    def begun_steps(self, steps: Sequence[Step]) -> list[Hypothesis]:
        """Return those of some steps under way that have truly begun."""
        live = {step.action for step in steps}
        return [one for one in self.hypotheses.near if one.step.action in live and self.evidence.has_begun(one)]

    def note(self, changes: Sequence[tuple[str, str]], at: float) -> None:
        """Note what sensors report, and forget earlier touches: no hypothesis is tested."""
        self.evidence = with_fields(self.evidence, sensed={**self.sensed, **dict(changes)})
        self.changes += 1
        self.forget_hands(at)

    def judge(self) -> Verdict:
        """Return the verdict on the board."""
        if self._verdict is None:
            self._verdict = judge(self.evidence)
        return self._verdict

    # -- what is known of the board ------------------------------------------------------------------------------

    @property
    def model(self) -> SensorModel:
        """Return what the sensors can see."""
        return self.evidence.model

    @property
    def sensed(self) -> Mapping[str, str]:
        """Return node → its sensed state."""
        return self.evidence.sensed

    @property
    def masked(self) -> frozenset[str]:
        """Return the nodes whose sensors are not believed."""
        return self.evidence.masked

    @property
    def hypotheses(self) -> Hypotheses:
        """Return what is legal."""
        return self.evidence.hypotheses

    @property
    def steps(self) -> Sequence[Step]:
        """Return the legal steps."""
        return self.evidence.hypotheses.steps

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit the base."""
        return self.evidence.differing

    @property
    def last_event(self) -> float:
        """Return the time of the last change, or of the last expectation."""
        return self.evidence.touches.last

    def mismatch(self, occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit an occupancy, masked nodes left out."""
        return self.evidence.mismatch(occupancy)

    def exchanged(self) -> Mapping[str, str]:
        """Return each of the two nodes that show each other's pieces → the other, if nothing else differs."""
        if len(self.differing) != 2:
            return {}
        (one, other), base = self.differing, self.evidence.base
        crossed = {**base, one: base.get(other, ()), other: base.get(one, ())}
        return {} if self.mismatch(crossed) else {one: other, other: one}

    def turned_nodes(self) -> set[str]:
        """Return the nodes that show their own pieces with the other pole up."""
        base, seen, fits = self.evidence.base, self.sensed, self.model.fits
        return {node for node in self.differing if fits(node, base.get(node), seen[node].translate(_TURN))}

    def unsteady(self) -> tuple[str, ...]:
        """Return the nodes whose sensors drop out now and then under a piece that nobody touches."""
        return tuple(node for node in self.evidence.taps.unsteady if node not in self.masked)

    def is_hidden(self, step: Step) -> bool:
        """Return whether no sensor shows that the step's pieces have arrived (stacked, or on a masked node)."""
        return self.hypotheses.is_hidden(step, self.masked)

    def known_stacks(self) -> dict[str, tuple[str, ...]]:
        """Return the stacks on touched nodes where the events leave no doubt."""
        boards = self.evidence.boards.now() if self.hypotheses.near else None
        # Sensors see that pieces lie there, not which: only what all possible boards have in common is known.
        return dict(frozenset.intersection(*(board.lying for board in boards))) if boards else {}

    def unseen_origins(self) -> dict[str, PieceMove]:
        """Return node → the one legal move that may have brought a piece there, though its source looks the same.

        Nodes that several such moves lead to are left out, also those that pieces come to from the supply.
        """
        evidence, off, found = self.evidence, frozenset(self.differing), dict[str, dict[str | None, PieceMove]]()
        lying = {node for node in off if self.sensed[node] != NOTHING}
        for one in self.hypotheses.near:
            if len(one.step.moves) > 1 or lying.isdisjoint(one.targets) or not off.isdisjoint(one.sources):
                continue
            if not evidence.undone(one) and not any(evidence.shows(one, source) for source in one.sources):
                (move,) = one.step.moves
                found.setdefault(one.targets[0], {})[move.source] = move
        return {node: move for node, ways in found.items() for move in ways.values() if move.source and len(ways) == 1}

    def _passing_step(self) -> Hypothesis | None:
        """Return the one step that lies on the board and was fully seen."""
        verdict = self.judge()
        if verdict.kind != "settling" or verdict.lifted or verdict.done.undo or len(verdict.done.actions) != 1:
            return None
        done = self.hypotheses.by_action.get(verdict.done.actions[0])
        return done if done is not None and self.evidence.arrival_shown(done) else None

    def moved_on(self, node: str, at: float) -> Done | None:
        """Return what counts at once because the hands have turned to a node that the step does not touch."""
        lying = self._passing_step()
        if lying is None or node in lying.reach or node in self.masked:
            return None
        if at - self.last_event < self.evidence.timings.together:
            return None  # No hand turns so quickly: it may be the same move, or a sleeve, sensed in the wrong order.
        if at - self.last_event < self.evidence.timings.extendable and self.evidence.ends(lying.done) == "game":
            return None
        sources, off = frozenset(lying.sources), frozenset(self.differing)
        for one in self.hypotheses.near:
            if node in one.reach and (off <= one.reach or not sources.isdisjoint(one.sources)):
                return None  # Not yet: the hands may be doing this one.
        return lying.done

    def confirm(self, name: str) -> Done | None:
        """Return what counts once a player confirms that this step lies on the board; None if it can't lie there."""
        asked = {one.step.action: one for one in self.judge().choices}
        one = asked.get(name)
        if one is not None:
            return one.done
        known = self.hypotheses.by_action.get(name)
        if known is None:
            spoken = any(step.action == name for step in self.steps)
            return Done((name,)) if spoken and not self.differing else None
        lies = not known.step.partial and not self.evidence.undone(known)
        shown = lies and self.evidence.arrival_shown(known) and self.evidence.went_on(known)
        return known.done if shown or not self.evidence.rest(known) or self._goes_on(known) else None

    def _goes_on(self, first: Hypothesis) -> bool:
        """Return whether a tile may lie as confirmed while the next stage has begun."""
        evidence, rest = self.evidence, frozenset(self.evidence.rest(first))
        if not first.step.partial or not rest.isdisjoint(first.changes):
            return False
        return any(evidence.may_be_moment(later, rest) for later in evidence.following(first, rest))

    def suspects(self) -> tuple[str, ...]:
        """Return the nodes whose sensor alone may keep the board unexplained; none while the board is in order."""
        differing = self.differing
        # More nodes that differ are the work of hands, not of one dead sensor.
        found = dict.fromkeys(differing if len(differing) <= MAX_SUSPECTS else ())
        tap = self.evidence.taps.tapped_node
        for one in self.hypotheses.by_action.values():
            if not differing and tap not in one.targets:
                continue
            rest = self.evidence.rest(one)
            if len(rest) == 1:
                found.setdefault(rest[0])
        named = self.hypotheses.by_action.get(self.evidence.named or "")
        rest = self.evidence.rest(named) if named is not None else []
        if len(rest) == 1:  # A confirmed step may have been done over a dead sensor.
            found.setdefault(rest[0])
        return tuple(found)[: 2 * MAX_SUSPECTS]


SLEEVE = 4
"""This number of wrong nodes means a sleeve across the board: the repair view appears as soon as the board is still."""
_NEVER = 1_000_000
"""Cost of a pairing across colours: used only if no other is left, and then dropped."""


@dataclass(frozen=True)
class Fix:
    """One task: move a piece (both nodes), take one off (``target`` None) or put one on (``source`` None).

    ``pieces`` are the pieces meant, empty if their kind is not known. From a node to the same node: the tile is only
    turned.
    """

    source: str | None
    target: str | None
    pieces: Stack = ()
    carried: bool = False
    """Whether the piece was lifted for this fix and is in the air."""
    of_unseen_kind: bool = False
    """Whether nothing tells that the piece is the one meant, while pieces of several kinds are missing: eyes see it."""
    tapped: bool = False
    """Whether the piece goes onto others where no sensor shows it: a tap of the stack or a phone says that it lies."""

    @property
    def is_turn(self) -> bool:
        """Return whether a tile is to be turned in place."""
        return self.source is not None and self.source == self.target


@dataclass(frozen=True)
class Problem:
    """What is wrong on the board: ``kind`` is ``lifted``, ``node``, ``held`` or ``repair``; ``since`` its time.

    ``held`` is no fault: a piece has been lifted for a while, and may go on or back. ``fixes`` are what hands have to
    do next, in order; while there are any, lights, tasks and sentences are made of them.
    """

    kind: str
    nodes: tuple[str, ...]
    since: float
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Guidance:
    """A repair that hands are shown. Its goal stays until it is reached, or until hands leave it."""

    goal: Occupancy | None
    """As in :attr:`Watch._goal`."""
    disorder: bool = False
    """Whether pieces lay there that no step explains: then touches prove no intention, and what is reached is asked."""
    followed: bool = False
    """Whether hands have done something of what it asks."""
    against: int = 0
    """How many changes were against it."""


MAX_AGAINST = 2
"""Number of changes against a repair that mean that hands have left it."""


@dataclass(frozen=True)
class Arrived:
    """The board has reached the stage's target."""


class Watch:
    """Tracker and stage together. Call :meth:`look` after every event and regularly between them."""

    def __init__(self, model: SensorModel, layout: Layout, timings: Timings) -> None:
        """Begin with an empty board in ``play`` with nothing expected."""
        self.tracker = Tracker(model, tuple(layout.nodes), timings)
        self.timings = timings
        self.stage = "play"
        self.target: Occupancy = {}
        self.placements: tuple[tuple[int, PieceMove], ...] = ()
        self._placed: dict[str, Stack] = {}
        """Node → the pieces that are placed there, in seat order."""
        self.answered = True
        """Whether a phone here can say that what was placed lies where no sensor works."""
        self.verdict = Verdict("quiet")
        self.problem: Problem | None = None
        self.asked: tuple[Hypothesis, ...] = ()
        """The choices that are put to a player now."""
        self.suspects: tuple[str, ...] = ()
        """Nodes whose sensor drops out, or may be stuck: one of them alone has kept the board wrong for long."""
        self._layout = layout
        self._wrong_since: float | None = None
        self._planned: tuple[object, ...] | None = None
        """The state for which the present problem was computed: it is computed again only after a change."""
        self._goal: Occupancy | None = None
        """The board that the present problem's fixes lead to, None for the target itself."""
        self._guidance: Guidance | None = None
        """The repair that is shown; None without any."""
        self._open: tuple[Hypothesis, ...] = ()
        """The choices of a question that hands have not answered by going on."""
        self._goal_was = NOTHING
        """The sensed state of a carried piece's goal at the time it was lifted."""
        self._last: tuple[str, str] = ("", NOTHING)
        """The node that changed last, and its sensed state."""
        self._by_hand = frozenset[str]()
        """Nodes of the target on which hands have put a piece by itself, and that have not been tapped since."""
        self._suspected: tuple[object, ...] | None = None
        self._idle, self._stale = False, True

    @property
    def asking(self) -> bool:
        """Return whether a question is put to a player now."""
        return bool(self.asked)

    @property
    def _ways(self) -> Distances:
        return distances(tuple(self._layout.nodes), self._layout.lines)

    # -- what to watch for ---------------------------------------------------------------------------------------

    def aim(self, stage: str, target: Occupancy, at: float, placements: Sequence[tuple[int, PieceMove]] = ()) -> None:
        """Watch for the board to reach a target (``setup``, ``placing``, ``clearing``)."""
        self._begin(stage, target, placements)
        self.tracker.expect(target, (), at)

    def clear(self, lying: Occupancy, target: Occupancy, at: float, *, earlier: Earlier | None, over: bool) -> None:
        """Watch for pieces of what lies to be taken off until the target is left, or the last action taken back.

        If the game is ``over``, taking back is asked: what hands do is packing up.
        """
        self._begin("clearing", target)
        gone = frozenset(node for node, stack in lying.items() if target.get(node) != stack)
        self.tracker.expect(lying, (), at, earlier=earlier, gone=gone, over=over)

    def follow(self, base: Occupancy, steps: Sequence[Step], at: float, **more: Any) -> None:
        """Watch for legal steps from a base; ``more`` as in :meth:`hypotheses.Evidence.expect`."""
        self._begin("play", base)
        self.tracker.expect(base, steps, at, **more)

    def mask(self, masked: Collection[str], at: float) -> None:
        """Ignore the sensors of these nodes."""
        self.tracker.mask(frozenset(masked), at)
        self._idle, self._stale = False, True

    def begin_anew(self, at: float) -> None:
        """Forget earlier times and touches: they may have been judged under other conditions."""
        self._forget()
        self.tracker.forget_hands(at)

    # -- what happens --------------------------------------------------------------------------------------------

    def sense(self, node: str, sensed: str, at: float, *, alone: bool = True) -> Done | None:
        """Note a change; return the step that counts at once because the hands have turned elsewhere.

        Changes that came with others (not ``alone``) don't count so, as no hand has turned from one node to the other,
        nor those while a repair is shown: what lies there on the way was not intended.
        """
        self._idle, self._stale = False, True
        guided = self._note_guidance(node, sensed)
        self._last = node, sensed
        mended = self.problem is not None and self.problem.kind == "repair"
        early = self.tracker.moved_on(node, at) if alone and self.stage == "play" and not mended else None
        self.tracker.sense(node, sensed, at, guided)
        if sensed != NOTHING and node not in self.tracker.masked:
            self._note_hand(node, at, alone=alone)
        return early

    def _note_hand(self, node: str, at: float, *, alone: bool) -> None:
        """Note where hands build a stack piece by piece, as they are asked to, and where they tap it.

        What the first reading of a board completes, and what comes together, is whole; but for what is placed.
        """
        tracker, taps = self.tracker, self.tracker.evidence.taps
        together = {other for other, when in taps.moved.items() if at - when < self.timings.together}
        first = self.stage == "setup" and tracker.changes == 1 and not tracker.differing
        if taps.back.get(node) == at:
            self._by_hand -= {node} & taps.felt
        elif not alone or first or len(together) > 1:
            self._by_hand -= together.difference(self._placed)
        elif self.stage == "setup" or any(fix.target == node for fix in (self.problem.fixes if self.problem else ())):
            self._by_hand |= {node}

    def _note_guidance(self, node: str, sensed: str) -> bool | None:
        """Note whether a change follows what is shown; return whether it was made because of that, None if nothing is.

        Two changes against a repair mean that the hands have left it: then it is forgotten. A lifted piece is not led.
        """
        problem, guidance, earlier = self.problem, self._guidance, self.tracker.evidence.touches.guided
        if problem is None or problem.kind == "held" or self.stage == "setup" or node in self.tracker.masked:
            return False if earlier else None
        asked = [fix for fix in problem.fixes if problem.kind != "lifted" and node in {fix.source, fix.target}]
        towards = bool(asked) and self._is_towards(node, sensed, asked)
        if guidance is None:  # A tile that no sensor reads may as well be the one that hands were about to lay.
            model = self.tracker.model
            return towards and (node not in model.wells or sensed == NOTHING or model.is_whole_tile(node, sensed))
        if towards:
            self._guidance = with_fields(guidance, followed=True)
        else:
            against = guidance.against + 1
            self._guidance = with_fields(guidance, against=against) if against < MAX_AGAINST else None
        return towards or (bool(asked) and earlier.get(node, True))

    def _is_towards(self, node: str, sensed: str, asked: Sequence[Fix]) -> bool:
        """Return whether a change of a node is a part of what some fixes ask for: all of a node, or a piece of it.

        Whatever shows where a piece is to be taken off: another one may have lain under it.
        """
        goal = self.target if self._goal is None else self._goal
        model, wanted = self.tracker.model, goal.get(node, ())
        if model.fits(node, wanted, sensed) or any(fix.source == node for fix in asked):
            return True
        parts = (part for count in range(1, len(wanted)) for part in combinations(wanted, count))
        return any(model.fits(node, tuple(sorted(part)), sensed) for part in parts)

    def note(self, changes: Sequence[tuple[str, str]], at: float) -> None:
        """Note sensor reports without judging them, and begin again from there."""
        self.tracker.note(changes, at)
        self._idle, self._stale = False, True

    def look(self, at: float) -> Done | Arrived | None:
        """Judge the board at a time; cheap while nothing can have changed."""
        self._suspect(at)
        if self._idle:
            return None
        if self.stage == "play":
            return self._look_at_steps(at)
        if self.stage == "clearing":
            return self._look_at_clearing(at)
        return self._look_at_target(at)

    def wakes_at(self, at: float) -> float:
        """Return the time of the next look that may differ from one at ``at``, if nothing changes until then.

        At most too early: ticks until then need not be judged.
        """
        times, last = self.timings, self.tracker.last_event
        waits = (times.settle, times.stack, times.wrong_node, times.taps, times.repair, times.suspect)
        due = [last + wait for wait in waits]
        if self.verdict.due is not None:
            due.append(self.verdict.due)
        if self._wrong_since is not None:
            due += [self._wrong_since + times.wrong_node, self._wrong_since + times.repair]
        return min((one for one in due if one > at - ROUNDING_S), default=inf) - ROUNDING_S

    def _suspect(self, at: float) -> None:
        """Determine which sensor drops out or, once nothing has moved for long, may be stuck."""
        tracker = self.tracker
        still, unsteady = at >= tracker.last_event + self.timings.suspect, tracker.unsteady()
        state = (tracker.last_event if still else None, tracker.masked, unsteady)
        if state != self._suspected:
            self._suspected = state
            self.suspects = tuple(dict.fromkeys((*unsteady, *(tracker.suspects() if still else ()))))

    def picture(self) -> tuple[object, ...]:
        """Return what people see of the watch: equal pictures need no new view."""
        nodes = self.tracker.sensed if self.stage != "play" else self.tracker.differing
        seen = tuple((node, self.tracker.sensed[node]) for node in nodes)
        return (self.stage, self.verdict, self.problem, self.asked, self.suspects, seen)

    # -- towards a target ----------------------------------------------------------------------------------------

    def missing_pieces(self) -> list[tuple[int, PieceMove]]:
        """Return the placements that don't seem to lie yet, in seat order (of a partly placed stack, the rest)."""
        missing = {node: Counter(self._not_shown(node, stack)) for node, stack in self._placed.items()}
        waiting = []
        for seat, move in reversed(self.placements):
            less = missing[move.target or ""]
            if Counter(move.pieces) <= less:
                less.subtract(move.pieces)
                waiting.append((seat, move))
        return waiting[::-1]

    def _not_shown(self, node: str, stack: Stack) -> Stack:
        """Return what its sensor does not show of a stack: where that allows fewer pieces, they are asked for."""
        sensed, fits = self.tracker.sensed[node], self.tracker.model.fits
        if node in self.tracker.masked:
            return stack if self.answered else ()
        if node not in self._by_hand and fits(node, self.target.get(node), sensed):
            return ()
        some = (some for count in range(1, len(stack) + 1) for some in combinations(stack, count))
        return without(stack, next((one for one in some if fits(node, tuple(sorted(one)), sensed)), ()))

    def unseen_stacks(self) -> tuple[str, ...]:
        """Return the nodes of which nobody has said that all new stones lie, and whose sensors can't show it."""
        tells, masked, placed = self.tracker.model.tells, self.tracker.masked, self._placed
        return tuple(
            node
            for node, stack in placed.items()
            if node in masked
            or (
                len(stack) > 1
                and node in self._by_hand
                and not all(tells(node, (p,), self.target[node]) for p in stack)
            )
        )

    def untapped_stacks(self) -> tuple[str, ...]:
        """Return those of them where a tap is sensed, too; on masked nodes a phone alone says it."""
        return tuple(node for node in self.unseen_stacks() if node not in self.tracker.masked)

    def built_stacks(self) -> tuple[str, ...]:
        """Return the other nodes where that is so, as hands have built what lies there piece by piece."""
        return tuple(sorted({fix.target or "" for fix in self._unseen_pieces(self.target)}))

    def trust_hands(self) -> None:
        """Believe that what hands have built is whole: a player says so on a phone."""
        self._by_hand, self._idle = frozenset(), False

    def _unseen_pieces(self, wanted: Occupancy) -> list[Fix]:
        """Return the pieces that may be missing on stacks which hands have built: their sensors tell of fewer, too."""
        built = self._by_hand.difference(self.tracker.mismatch(wanted), self.tracker.masked, self._placed)
        return [
            Fix(None, node, (piece,), tapped=True)
            for node in sorted(built)
            for piece in self._not_shown(node, wanted.get(node, ()))
        ]

    def _look_at_target(self, at: float) -> Arrived | None:
        differing, built, placed = self.tracker.mismatch(self.target), self.built_stacks(), self._placed
        seen, states = self.tracker.sensed, self.tracker.model.sensed_states
        # On the nodes of the placements only what none of their stones can give.
        foreign = tuple(
            n for n in differing if not any(seen[n] in {NOTHING, *states(n, (p,))} for p in placed.get(n, ()))
        )
        if self.stage == "setup" or (built and not foreign):
            wrong = differing if self.stage == "setup" else ()
            self.problem = self._repair("repair", (*wrong, *built), wrong, at) if wrong or built else None
        else:
            self._note_wrong(foreign, at)
        unsaid = self.unseen_stacks()
        if differing or built or (unsaid if self.answered else self.untapped_stacks()):
            return None
        wait = self.timings.stack if unsaid else self.timings.settle
        return Arrived() if at >= self.tracker.last_event + wait else None

    def lifted_nodes(self) -> tuple[str, ...]:
        """Return where pieces are missing while the last action is being taken back by hand."""
        if self.stage != "clearing" or self.verdict.kind != "moving":
            return ()
        return tuple(node for node in self.tracker.differing if self.tracker.sensed[node] == NOTHING)

    def _look_at_clearing(self, at: float) -> Done | Arrived | None:
        if not self.tracker.mismatch(self.target) and not self.built_stacks():
            self.problem = None
            return Arrived() if at >= self.tracker.last_event + self.timings.settle else None
        return self._look_at_steps(at)

    # -- open to steps -------------------------------------------------------------------------------------------

    def _look_at_steps(self, at: float) -> Done | None:
        if self._is_led(at):
            return None
        if self._stale:
            self.verdict = self.tracker.judge()
            self._stale = False
        verdict = self.verdict
        still = at >= self.tracker.last_event + self.timings.repair
        due = verdict.due is not None and at >= verdict.due
        self.asked = self._questions(verdict, due=due)
        if self.asked or (self.tracker.evidence.over and self.stage == "play"):
            self.problem = None  # What the answer says comes first; at the end, whatever lies there is being packed up.
        elif verdict.kind == "moving" and still:
            self.problem = self._way_on(verdict)
        elif verdict.kind == "quiet" and (built := self.built_stacks()):
            self.problem = self._repair("repair", built, (), at)
        else:
            tap = verdict.kind == "moving" and at < self.tracker.last_event + self.timings.taps
            self._note_wrong(() if tap else verdict.foreign, at, self._aim(verdict.target))
        asks = verdict.kind == "ask" and due
        self._idle = verdict.kind == "quiet" or asks or (verdict.kind == "moving" and still)
        return verdict.done if verdict.kind == "settling" and due else None

    def _questions(self, verdict: Verdict, *, due: bool) -> tuple[Hypothesis, ...]:
        """Return what is asked now: of the verdict, and what was asked before as long as it may still be true.

        Hands may go on without an answer; what they have begun since does not make the true answer wrong.
        """
        new = verdict.choices if verdict.kind == "ask" and due else ()
        before = () if verdict.kind in {"quiet", "settling"} else self._open
        about = {node for one in new for node in one.changes}  # The same question anew takes the old one's place.
        kept = [one for one in before if about.isdisjoint(one.changes) and self._may_be_true(one)]
        self._open = (*new, *kept)
        return self._open

    def _may_be_true(self, one: Hypothesis) -> bool:
        """Return whether what was asked may be true still: its nodes look so, and its pieces lie nowhere else."""
        evidence, off = self.tracker.evidence, self.tracker.differing
        besides = [self.tracker.sensed[node] == NOTHING for node in off if node not in one.changes]
        own = (len(besides) < len(off) or evidence.may_be_replaced(one)) and not evidence.undone(one)
        return own and (evidence.arrival_shown(one) or one.step.partial or 2 * sum(besides) >= len(besides))

    def confirm(self, action: str) -> Done | None:
        """Return what counts once a player confirms that an action lies on the board; None if it can't lie there."""
        asked = next((one.done for one in self._open if one.step.action == action), None)
        return asked or self.tracker.confirm(action)

    def lead_back(self) -> None:
        """Lead the hands back to the position: a player has said that nothing was done."""
        self._forget()
        self.tracker.note_guided()
        self._guidance = Guidance(None, followed=True)

    def _aim(self, target: Occupancy | None) -> Occupancy | None:
        """Return the goal of a repair: once one is shown, it stays."""
        return target if self._guidance is None else self._guidance.goal

    def _way_on(self, verdict: Verdict) -> Problem | None:
        """Return what to do while a step has been under way for long without a change: go on, or back.

        The way leads to the position, unless one step has truly begun: a piece of it has gone all of its way, or it was
        chosen. Where the first part of an action lies, nothing is wrong: a player may think about the second one.
        """
        tracker, differing = self.tracker, self.tracker.differing
        named = [step for step in verdict.live if step.action == tracker.evidence.named or tracker.evidence.bound]
        if verdict.left and not named:
            return None
        begun = named[:1] or [one.step for one in tracker.begun_steps(verdict.live)]
        target = self._aim(begun[0].after if len(begun) == 1 else None)
        wrong = differing if target is None else tracker.mismatch(target)
        alone = target is None and len(differing) == 1 and verdict.lifted == differing
        return self._repair("held" if alone else "repair", wrong, wrong, tracker.last_event, target)

    def _is_led(self, at: float) -> bool:
        """Return whether hands follow a repair that has not reached its goal: then nothing of what they do counts.

        What lies there on the way was not intended. A player who intends it says so on a phone, or touches something
        else. A repair that has led to the position is forgotten, with all that was touched for it.
        """
        guidance = self._guidance
        if guidance is None:
            return False
        tracker = self.tracker
        rest = tracker.mismatch(self.target if guidance.goal is None else guidance.goal)
        if not rest or not tracker.differing:
            self._guidance = None
            if not tracker.differing:
                tracker.forget_hands(tracker.last_event)
            elif guidance.disorder and guidance.followed:
                tracker.note_guided()
                self._stale = True
            return False
        if self._is_begun_anew(guidance) or not (guidance.followed or guidance.against):
            return False
        self.asked = self._open = ()
        self.problem = self._repair("repair", rest, rest, at, guidance.goal)
        self._idle = True
        return True

    def _is_begun_anew(self, guidance: Guidance) -> bool:
        """Return whether what looks like a step was done against a repair, not before it and not because of it."""
        if not guidance.against:
            return False
        verdict, guided = self.tracker.judge(), self.tracker.evidence.touches.guided
        against = {node for node, asked in guided.items() if not asked}
        done = verdict.choices if verdict.kind in {"settling", "ask"} else ()
        return any(not against.isdisjoint(one.changes) for one in done)

    # -- what is wrong -------------------------------------------------------------------------------------------

    def _note_wrong(self, foreign: tuple[str, ...], at: float, target: Occupancy | None = None) -> None:
        """Note wrong nodes: a wrong piece in the hand shows at once, a wrong node after 1 s, the repair after 4 s."""
        if not foreign:
            self._wrong_since = self.problem = None
            return
        if self._wrong_since is None:
            self._wrong_since = at
        age = at - self._wrong_since
        lifted = tuple(node for node in foreign if self.tracker.sensed[node] == NOTHING)
        sleeve = len(foreign) >= SLEEVE and at - self.tracker.last_event >= self.timings.wrong_node
        differing = self.tracker.differing if target is None else self.tracker.mismatch(target)
        if age >= self.timings.repair or sleeve:
            self.problem = self._repair("repair", foreign, differing, self._wrong_since, target)
        elif age >= self.timings.wrong_node and len(lifted) < len(foreign):
            self.problem = self._repair("node", foreign, differing, self._wrong_since, target)
        else:
            self.problem = self._repair("lifted", lifted, lifted, self._wrong_since, target) if lifted else None

    def _repair(
        self, kind: str, nodes: tuple[str, ...], differing: Sequence[str], since: float, target: Occupancy | None = None
    ) -> Problem:
        """Return the problem with its fixes; a piece that a hand carries for a fix keeps its goal."""
        if kind == "repair" and self.problem and self.problem.kind == "repair":
            since = self.problem.since
        if kind == "repair" and differing and self._guidance is None and self.stage in {"play", "clearing"}:
            self._guidance = Guidance(target, disorder=self.verdict.kind == "wrong")
        known = (kind, nodes, self.tracker.changes, target)
        if self.problem is not None and self.problem.kind == kind and self._planned == known:
            return self.problem
        self._planned, self._goal = known, target
        tracker, wanted = self.tracker, self.target if target is None else target
        begun = self._carried_fix(differing)
        others = [node for node in differing if begun is None or node != begun.target]
        came = {node: move for node, move in tracker.unseen_origins().items() if _has(wanted, move)}
        fixes = plan(wanted, tracker.sensed, others, tracker.model, self._ways, tracker.known_stacks(), came)
        puts = [fix for fix in fixes if fix.source is None]  # What lies on them already goes first.
        fixes = [*(fix for fix in fixes if fix.source is not None), *self._unseen_pieces(wanted), *puts]
        if begun is not None:
            fixes = [begun, *fixes]
        placed = self._placed  # What is only to be put down yet is no fault.
        return Problem(kind, nodes, since, tuple(fix for fix in fixes if fix.source or fix.target not in placed))

    def way_to(self, occupancy: Occupancy) -> tuple[Fix, ...]:
        """Return the fixes that bring the board, as sensed, to an occupancy."""
        tracker = self.tracker
        differing = tracker.mismatch(occupancy)
        return tuple(plan(occupancy, tracker.sensed, differing, tracker.model, self._ways, tracker.known_stacks()))

    def _carried_fix(self, differing: Sequence[str]) -> Fix | None:
        """Return the move that was asked for first while its piece is in the air, and was not put elsewhere."""
        asked = self.problem.fixes[0] if self.problem is not None and self.problem.fixes else None
        if asked is None or asked.target is None or asked.is_turn or asked.target not in differing:
            return None
        seen = self.tracker.sensed
        node, sensed = self._last
        if asked.source is None:
            held = asked.carried and (sensed == NOTHING or node == asked.target)
            return asked if held and seen[asked.target] == self._goal_was else None
        if seen[asked.source] != NOTHING or self._last != (asked.source, NOTHING):
            return None
        self._goal_was = seen[asked.target]
        return Fix(None, asked.target, asked.pieces, carried=True)

    def _begin(self, stage: str, target: Occupancy, placements: Sequence[tuple[int, PieceMove]] = ()) -> None:
        self.stage, self.target, self.placements = stage, target, tuple(placements)
        self._placed = {}
        for _, move in placements:
            node = move.target or ""
            self._placed[node] = self._placed.get(node, ()) + move.pieces
        self._by_hand = frozenset(self._placed)
        self._forget()

    def _forget(self) -> None:
        self.verdict = Verdict("quiet")
        self.problem = self._planned = self._goal = self._guidance = self._wrong_since = None
        self.asked = self._open = ()
        self._idle, self._stale = False, True


# -- repair ------------------------------------------------------------------------------------------------------------


def plan(
    target: Occupancy,
    seen: Mapping[str, str],
    differing: Sequence[str],
    model: SensorModel,
    ways: Distances,
    known: Mapping[str, Stack] | None = None,
    came: Mapping[str, PieceMove] | None = None,
) -> list[Fix]:
    """Return the fixes that mend the board, in the order in which to do them.

    ``seen`` maps node → sensed state; ``differing`` are the nodes whose state doesn't fit ``target``; ``known`` maps
    nodes to stacks that the events prove. A surplus piece goes to a node that misses one of its kind, by least total
    distance, never across known colours; the rest is taken off or put on. What ``came`` from a node that looks the same
    without it goes back there. Each fix that is done leaves fewer wrong pieces, so that every repair ends.
    """
    turns = [Fix(node, node, target[node]) for node in differing if _only_turned(target.get(node), seen[node])]
    turned = {fix.source for fix in turns}
    surplus: list[tuple[str, str | None]] = []
    missing: list[tuple[str, str]] = []
    for node in differing:
        if node not in turned:
            more, less = _difference(model, node, target.get(node, ()), seen[node], (known or {}).get(node))
            surplus += [(node, piece) for piece in more]
            missing += [(node, piece) for piece in less]
    pairs = _pairs(surplus, missing, model, ways)
    full = {node for node, _ in surplus}
    several = len({piece for node, piece in missing if node not in model.wells}) > 1
    moves = [
        Fix(surplus[i][0], missing[j][0], (missing[j][1],), of_unseen_kind=several and surplus[i][1] is None)
        for i, j in pairs.items()
    ]
    off = [_off(node, piece, (came or {}).get(node)) for node, piece in surplus]
    takes = [fix for i, fix in enumerate(off) if i not in pairs]
    blocked = [off[i] for i, j in pairs.items() if missing[j][0] in full]
    puts = [Fix(None, node, (piece,)) for j, (node, piece) in enumerate(missing) if j not in pairs.values()]
    return [*takes, *turns, *(fix for fix in moves if fix.target not in full), *blocked, *puts]


def _pairs(
    surplus: Sequence[tuple[str, str | None]],
    missing: Sequence[tuple[str, str]],
    model: SensorModel,
    ways: Distances,
) -> dict[int, int]:
    """Return the number of each surplus piece → the number of the missing piece that it is used for."""
    cost = [
        [ways[node, to] if node != to and _may_be(model, node, piece, to, wanted) else _NEVER for to, wanted in missing]
        for node, piece in surplus
    ]
    return {i: j for i, j in assign(cost) if cost[i][j] < _NEVER}


def _may_be(model: SensorModel, node: str, piece: str | None, to: str, wanted: str) -> bool:
    """Return whether a surplus piece on one node may be the missing piece of another."""
    if (node in model.wells) != (to in model.wells):
        return False
    if piece is None:  # No sensor tells which tile it is: it goes off the board. The player sees what else it is.
        return node not in model.wells
    return piece == wanted or (node in model.wells and piece.rpartition("r")[0] == wanted.rpartition("r")[0])


def _has(wanted: Occupancy, move: PieceMove) -> bool:
    """Return whether the piece of a move is to lie where the move begins."""
    return not Counter(move.pieces) - Counter(wanted.get(move.source or "", ()))


def _off(node: str, piece: str | None, came: PieceMove | None) -> Fix:
    """Return the fix for a piece too many: back where it came from, unseen there, or off the board."""
    if came is not None and piece in {None, *came.pieces}:
        return Fix(node, came.source, came.pieces)
    return Fix(node, None, () if piece is None else (piece,))


def _only_turned(stack: Stack | None, sensed: str) -> bool:
    """Return whether the right tile is sensed, in another rotation."""
    name, turned, _ = sensed.rpartition("r")
    return bool(turned) and stack is not None and len(stack) == 1 and stack[0].rpartition("r")[:2] == (name, "r")


def _difference(
    model: SensorModel, node: str, wanted: Stack, sensed: str, known: Stack | None
) -> tuple[Sequence[str | None], Sequence[str]]:
    """Return the surplus pieces on a node (None: of unknown kind), and those that are missing there."""
    if sensed == NOTHING:
        return (), wanted
    lying = [known] if known and model.fits(node, known, sensed) else _stacks(model, node, sensed, len(wanted) + 1)
    if not lying:
        return (None,), wanted
    lying = [stack for stack in lying if len(stack) <= 2] or lying  # Higher mixed stacks report what others do, too.
    best = min(lying, key=lambda stack: _distance(stack, wanted))
    if not wanted and len({stack for stack in lying if len(stack) == len(best)}) > 1:
        return (None,), ()
    return tuple((Counter(best) - Counter(wanted)).elements()), tuple((Counter(wanted) - Counter(best)).elements())


def _distance(stack: Stack, wanted: Stack) -> int:
    return (Counter(stack) - Counter(wanted)).total() + (Counter(wanted) - Counter(stack)).total()


def _stacks(model: SensorModel, node: str, sensed: str, tallest: int) -> list[Stack]:
    """Return the stacks that a node may carry by its sensed state, the smaller ones first."""
    if node in model.wells:
        return [(sensed,)] if sensed in model.tiles else []
    pieces = [piece for piece in model.poles if piece not in model.tiles]
    stacks = (stack for count in range(1, tallest + 1) for stack in combinations_with_replacement(pieces, count))
    return [tuple(sorted(stack)) for stack in stacks if model.fits(node, stack, sensed)]

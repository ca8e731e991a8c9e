"""Follows the board: either towards a known target, or open to the steps of the acting seat.

``setup`` brings the board to the position, ``placing`` to the revealed placements, ``clearing`` to what is left after
a loop; ``play`` watches for legal steps (none while players seal). One stage at a time; time comes in with each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import inf

from firmware_host.games.game import Layout, Occupancy, PieceMove, Step
from firmware_host.table.hypotheses import Done, Earlier, Ending
from firmware_host.table.repair import Fix, distances, plan
from firmware_host.table.senses import NOTHING, Senses
from firmware_host.table.timing import ROUNDING_S, Timings
from firmware_host.table.tracker import Tracker
from firmware_host.table.verdict import Verdict

SLEEVE = 4
"""This number of wrong nodes means a sleeve across the board: the repair view appears as soon as the board is still."""


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
class Arrived:
    """The board has reached the stage's target."""


class Watch:
    """Tracker and stage together. Call :meth:`look` after every event and regularly between them."""

    def __init__(self, senses: Senses, layout: Layout, timings: Timings) -> None:
        """Begin with an empty board in ``play`` with nothing expected."""
        self.tracker = Tracker(senses, tuple(layout.nodes), timings)
        self.timings = timings
        self.stage = "play"
        self.target: Occupancy = {}
        self.placements: tuple[tuple[int, PieceMove], ...] = ()
        self.verdict = Verdict("quiet")
        self.problem: Problem | None = None
        self.asking = False
        """Whether the choices of the verdict are to be put to the acting seat now."""
        self.suspects: tuple[str, ...] = ()
        """Nodes whose sensor may be stuck: nothing has moved for long, and one of them alone keeps the board wrong."""
        self._layout = layout
        self._wrong_since: float | None = None
        self._planned: tuple[object, ...] | None = None
        """The state for which the present problem was computed: it is computed again only after a change."""
        self._mending: Occupancy | None = None
        """The board that the present problem's fixes lead to, None for the target itself."""
        self._goal_was = NOTHING
        """The sensed state of a carried piece's goal at the time it was lifted."""
        self._led = False
        """Whether the last touch followed a repair."""
        self._last: tuple[str, str] = ("", NOTHING)
        """The node that changed last, and its sensed state."""
        self._suspected: tuple[float, frozenset[str]] | None = None
        self._idle, self._stale = False, True

    @cached_property
    def _ways(self) -> Mapping[str, Mapping[str, int]]:
        """The distances between nodes, which only a repair asks for: for many nodes they take long."""
        return distances(self._layout)

    # -- what to watch for ---------------------------------------------------------------------------------------

    def aim(self, stage: str, target: Occupancy, at: float, placements: Sequence[tuple[int, PieceMove]] = ()) -> None:
        """Watch for the board to reach a target (``setup``, ``placing``, ``clearing``)."""
        self.stage = stage
        self.target = target
        self.placements = tuple(placements)
        self._begin()
        self.tracker.expect(target, (), at)

    def clear(self, lying: Occupancy, target: Occupancy, at: float, earlier: Earlier | None) -> None:
        """Watch for pieces of what lies to be taken off until the target is left, or the last action taken back."""
        self.stage = "clearing"
        self.target = target
        self.placements = ()
        self._begin()
        gone = frozenset(node for node, stack in lying.items() if target.get(node) != stack)
        self.tracker.expect(lying, (), at, earlier=earlier, gone=gone)
        self.tracker.bound = self.tracker.over = False

    def follow(
        self,
        base: Occupancy,
        steps: Sequence[Step],
        at: float,
        *,
        earlier: Earlier | None = None,
        then: Callable[[Step], Sequence[Step]] | None = None,
        ending: Ending | None = None,
        bound: bool = False,
        over: bool = False,
        unsure: bool = False,
    ) -> None:
        """Watch for legal steps from a base; ``bound``: the only step was named beforehand, no question is needed.

        ``over``: the game is over, and the last action may still be taken back. ``ending``, ``unsure``: as in
        :meth:`Tracker.expect`.
        """
        self.stage = "play"
        self.target = base
        self.placements = ()
        self._begin()
        self.tracker.expect(base, steps, at, earlier=earlier, follow=then, ending=ending, unsure=unsure)
        self.tracker.bound = bound
        self.tracker.over = over

    def mask(self, masked: Mapping[str, str], at: float) -> None:
        """Ignore the sensors of these nodes."""
        self.tracker.mask(frozenset(masked), at)
        self._idle, self._stale = False, True

    def begin_anew(self, at: float) -> None:
        """Forget earlier times and touches: they may have been judged under other conditions."""
        self.tracker.forget_hands(at)
        self._idle, self._stale = False, True

    # -- what happens --------------------------------------------------------------------------------------------

    def sense(self, node: str, sensed: str, at: float, *, alone: bool = True) -> Done | None:
        """Note a change; return the step that counts at once because the hands have turned elsewhere.

        Changes that came with others (not ``alone``) don't count so, as no hand has turned from one node to the other,
        nor those while a repair is shown: what lies there on the way was not intended.
        """
        self._idle, self._stale = False, True
        if self.problem is not None and self.problem.kind == "repair" and self.problem.fixes:
            self._led = node in {self.problem.fixes[0].source, self.problem.fixes[0].target}
        self._last = node, sensed
        mended = self.problem is not None and self.problem.kind == "repair"
        alone = alone and self.stage == "play" and not mended
        early = self.tracker.moved_on(node, at) if alone else None
        self.tracker.sense(node, sensed, at)
        return early

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
        waits = times.settle, times.stack, times.wrong_node, times.taps, times.repair, times.suspect
        due = [last + wait for wait in waits]
        if self.verdict.due is not None:
            due.append(self.verdict.due)
        if self._wrong_since is not None:
            due += [self._wrong_since + times.wrong_node, self._wrong_since + times.repair]
        return min((one for one in due if one > at - ROUNDING_S), default=inf) - ROUNDING_S

    def _suspect(self, at: float) -> None:
        """Once nothing has moved for long, determine which sensor may be stuck; again only after a change."""
        tracker = self.tracker
        still = at >= tracker.last_event + self.timings.suspect
        state = (tracker.last_event, tracker.masked) if still else None
        if state != self._suspected:
            self._suspected = state
            self.suspects = tracker.suspects() if still else ()

    def picture(self) -> tuple[object, ...]:
        """Return what people see of the watch: equal pictures need no new view."""
        seen = tuple(self.tracker.seen.values()) if self.stage != "play" else ()
        return (self.stage, self.verdict, self.problem, self.asking, self.suspects, seen)

    # -- towards a target ----------------------------------------------------------------------------------------

    def missing_pieces(self) -> list[tuple[int, PieceMove]]:
        """Return the placements that don't seem to lie yet, in seat order (of a partly placed stack, the rest)."""
        lying: dict[str, list[int]] = {}
        waiting = []
        for number, (seat, move) in enumerate(self.placements):
            node = move.target or ""
            if node not in lying:
                lying[node] = self._lying_at(node)
            if number not in lying[node]:
                waiting.append((seat, move))
        return waiting

    def _lying_at(self, node: str) -> list[int]:
        """Return the numbers of the placements on a node that seem to lie there.

        As long as its sensor allows that only some do, as few as possible: the rest is asked for.
        """
        sensed, senses = self.tracker.seen[node], self.tracker.senses.at(node)
        ours = [number for number, (_, move) in enumerate(self.placements) if move.target == node]
        complete = node in self.tracker.masked or senses.fits(self.target[node], sensed)
        if complete and (not self._unseen_stack(node) or self.tracker.tapped(node)):
            return ours
        if sensed == NOTHING:
            return []
        before = list(self.target[node])
        for piece in (piece for number in ours for piece in self.placements[number][1].pieces):
            before.remove(piece)
        for count in range(1, len(ours)):
            for some in combinations(ours, count):
                pieces = [piece for number in some for piece in self.placements[number][1].pieces]
                if senses.fits(tuple(sorted((*before, *pieces))), sensed):
                    return list(some)
        return []

    def _unseen_stack(self, node: str) -> bool:
        """Return whether the sensors can't distinguish a lone stone from the whole stack that was placed here."""
        pieces = [move.pieces for _, move in self.placements if move.target == node]
        senses = self.tracker.senses.at(node)
        return len(pieces) > 1 and any(not senses.tells(one, self.target[node]) for one in pieces)

    def unseen_stacks(self) -> tuple[str, ...]:
        """Return the nodes that should carry several new stones and whose sensors can't show that they do."""
        nodes = dict.fromkeys(move.target for _, move in self.placements if move.target is not None)
        return tuple(node for node in nodes if node in self.tracker.masked or self._unseen_stack(node))

    def untapped_stacks(self) -> tuple[str, ...]:
        """Return the nodes where a tap or a phone must confirm that all new stones lie: a single one looks the same.

        Masked nodes are left out: a tap there is not sensed.
        """
        return tuple(n for n in self.unseen_stacks() if n not in self.tracker.masked and not self.tracker.tapped(n))

    def _look_at_target(self, at: float) -> Arrived | None:
        differing = self.tracker.mismatch(self.target)
        ours = {move.target for _, move in self.placements}
        foreign = tuple(node for node in differing if node not in ours or self._strange(node))
        if self.stage == "setup":
            self.problem = self._repair("repair", differing, differing, at) if differing else None
        else:
            self._note_wrong(foreign, at)
        if differing or self.untapped_stacks():
            return None
        wait = self.timings.settle
        if any(not self.tracker.tapped(node) for node in self.unseen_stacks()):
            wait = self.timings.stack
        return Arrived() if at >= self.tracker.last_event + wait else None

    def _strange(self, node: str) -> bool:
        """Return whether a node of the placements has a sensed state that none of its stones can give."""
        sensed = self.tracker.seen[node]
        pieces = [move.pieces for _, move in self.placements if move.target == node]
        return sensed != NOTHING and not any(self.tracker.senses.at(node).fits(one, sensed) for one in pieces)

    def taken_back(self) -> tuple[str, ...]:
        """Return where pieces are missing while the last action is being taken back by hand."""
        if self.stage != "clearing" or self.verdict.kind != "moving":
            return ()
        return tuple(node for node in self.tracker.differing if self.tracker.seen[node] == NOTHING)

    def _look_at_clearing(self, at: float) -> Done | Arrived | None:
        if not self.tracker.mismatch(self.target):
            self.problem = None
            return Arrived() if at >= self.tracker.last_event + self.timings.settle else None
        return self._look_at_steps(at)

    # -- open to steps -------------------------------------------------------------------------------------------

    def _look_at_steps(self, at: float) -> Done | None:
        if self._stale:
            self.verdict = self.tracker.judge()
            self._stale = False
        verdict = self.verdict
        if self._is_led_on(verdict):
            self._idle = True
            return None
        still = at >= self.tracker.last_event + self.timings.repair
        if self.tracker.over:
            self.problem = None  # Whatever lies there is being packed up.
        elif verdict.kind == "moving" and still:
            self.problem = self._way_on(verdict)
        else:
            tap = verdict.kind == "moving" and at < self.tracker.last_event + self.timings.taps
            self._note_wrong(() if tap else verdict.foreign, at, verdict.target)
        due = verdict.due is not None and at >= verdict.due
        self.asking = verdict.kind == "ask" and due
        self._idle = verdict.kind == "quiet" or self.asking or (verdict.kind == "moving" and still)
        return verdict.done if verdict.kind == "settling" and due else None

    def _way_on(self, verdict: Verdict) -> Problem:
        """Return what to do while a step has been under way for long without a change: go on, or back.

        The nearest board counts: after a step under way, or the position, to which a single lifted piece goes back.
        """
        tracker = self.tracker
        differing = tracker.differing
        named = [step for step in verdict.live if step.action == tracker.named or tracker.bound]
        near = min(
            ((len(tracker.mismatch(step.after)), number, step.after) for number, step in enumerate(verdict.live)),
            default=None,
        )
        target = None
        if named:
            target = named[0].after
        elif near is not None and near[0] < len(differing):
            target = near[2]
        wrong = differing if target is None else tracker.mismatch(target)
        alone = target is None and len(differing) == 1 and verdict.lifted == differing
        return self._repair("held" if alone else "repair", wrong, wrong, tracker.last_event, target)

    def _is_led_on(self, verdict: Verdict) -> bool:
        """Return whether hands follow a repair through a board on which a legal step seems to lie, or to be under way.

        Then the repair stays visible: what lies there on the way was not intended. A player who intends it touches
        something else, or confirms it on a phone.
        """
        problem = self.problem
        if not self._led or problem is None or verdict.kind not in {"settling", "ask", "moving"}:
            return False
        rest = self.tracker.mismatch(self.target if self._mending is None else self._mending)
        if not rest:
            return False
        self.problem = self._repair("repair", rest, rest, problem.since, self._mending)
        return True

    # -- what is wrong -------------------------------------------------------------------------------------------

    def _note_wrong(self, foreign: tuple[str, ...], at: float, target: Occupancy | None = None) -> None:
        """Note wrong nodes: a wrong piece in the hand shows at once, a wrong node after 1 s, the repair after 4 s."""
        if not foreign:
            self._wrong_since = self.problem = None
            return
        if self._wrong_since is None:
            self._wrong_since = at
        age = at - self._wrong_since
        lifted = tuple(node for node in foreign if self.tracker.seen[node] == NOTHING)
        sleeve = len(foreign) >= SLEEVE and at - self.tracker.last_event >= self.timings.wrong_node
        differing = self.tracker.differing if target is None else self.tracker.mismatch(target)
        if age >= self.timings.repair or sleeve:
            self.problem = self._repair("repair", foreign, differing, self._wrong_since, target)
        elif age >= self.timings.wrong_node and len(lifted) < len(foreign):
            self.problem = self._repair("node", foreign, differing, self._wrong_since, target)
        elif lifted:
            self.problem = Problem("lifted", lifted, self._wrong_since)
        else:
            self.problem = None

    def _repair(
        self, kind: str, nodes: tuple[str, ...], differing: Sequence[str], since: float, target: Occupancy | None = None
    ) -> Problem:
        """Return the problem with its fixes; a piece that a hand carries for a fix keeps its goal."""
        if kind == "repair" and self.problem and self.problem.kind == "repair":
            since = self.problem.since
        known = (kind, nodes, self.tracker.changes, target)
        if self.problem is not None and self.problem.kind == kind and self._planned == known:
            return self.problem
        self._planned, self._mending = known, target
        tracker, wanted = self.tracker, self.target if target is None else target
        begun = self._carried(differing)
        others = [node for node in differing if begun is None or node != begun.target]
        fixes = plan(wanted, tracker.seen, others, tracker.senses, self._ways, tracker.known())
        if begun is not None:
            fixes = [begun, *fixes]
        return Problem(kind, nodes, since, tuple(fixes))

    def way_to(self, occupancy: Occupancy) -> tuple[Fix, ...]:
        """Return the fixes that bring the board, as sensed, to an occupancy."""
        tracker = self.tracker
        differing = tracker.mismatch(occupancy)
        return tuple(plan(occupancy, tracker.seen, differing, tracker.senses, self._ways, tracker.known()))

    def _carried(self, differing: Sequence[str]) -> Fix | None:
        """Return the move that was asked for first while its piece is in the air, and was not put elsewhere."""
        asked = self.problem.fixes[0] if self.problem is not None and self.problem.fixes else None
        if asked is None or asked.target is None or asked.is_turn or asked.target not in differing:
            return None
        seen = self.tracker.seen
        node, sensed = self._last
        if asked.source is None:
            held = asked.carried and (sensed == NOTHING or node == asked.target)
            return asked if held and seen[asked.target] == self._goal_was else None
        if seen[asked.source] != NOTHING or self._last != (asked.source, NOTHING):
            return None
        self._goal_was = seen[asked.target]
        return Fix(None, asked.target, asked.pieces, carried=True)

    def _begin(self) -> None:
        self.verdict = Verdict("quiet")
        self.problem = self._planned = self._mending = None
        self.asking = self._led = False
        self._wrong_since = None
        self._idle, self._stale = False, True

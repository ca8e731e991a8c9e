"""The tracker carries evidence and verdict from change to change, and answers what else follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.games.game import Occupancy, PieceMove, Step
from firmware_host.table.hypotheses import Done, Evidence, Hypotheses, Hypothesis, Timings
from firmware_host.table.sensor_model import NOTHING, SensorModel, with_fields
from firmware_host.table.verdict import Verdict, judge

MAX_SUSPECTS = 3
"""If more nodes than this differ, the cause is not a stuck sensor."""


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

    def begun(self, steps: Sequence[Step]) -> list[Hypothesis]:
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

    def was_tapped(self, node: str) -> bool:
        """Return whether a node was tapped since the base was set."""
        return node in self.evidence.taps.felt

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
        tap = self.evidence.taps.tapped
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

"""From sensed states to actions: what the hands did, what they may still be doing, what has to be asked.

The position is the only authority. The tracker holds the occupancy that it implies (the *base*) and the hypotheses from
there (:mod:`hypotheses`), notes each change of a sensor (:mod:`touches`, :mod:`possible_boards`), and judges the whole
board (:mod:`judgement`). An action counts when the whole board equals the occupancy after it and nothing else explains
the board and the events as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from firmware_host.games.game import Occupancy, Step
from firmware_host.table.hypotheses import Done, Earlier, Ending, Follow, Hypotheses, Hypothesis
from firmware_host.table.judgement import judge
from firmware_host.table.picture import Picture
from firmware_host.table.possible_boards import PossibleBoard, PossibleBoards
from firmware_host.table.senses import NOTHING, Senses
from firmware_host.table.timing import Timings
from firmware_host.table.touches import DoubleTaps, Touches
from firmware_host.table.verdict import Verdict

MOST_SUSPECTS = 3
"""If more nodes than this differ, the cause is not a stuck sensor."""


class Tracker(Picture):
    """The sensed board, compared with the expected one."""

    def __init__(self, senses: Senses, nodes: Sequence[str], timings: Timings) -> None:
        """Start with an empty board, nothing expected; ``nodes`` are all nodes of the layout."""
        super().__init__(senses, nodes, timings)
        self._verdict: Verdict | None = None
        self.changes = 0
        """The number of sensor changes noted."""

    def expect(
        self,
        base: Occupancy,
        steps: Sequence[Step],
        at: float,
        *,
        earlier: Earlier | None = None,
        follow: Follow | None = None,
        ending: Ending | None = None,
        gone: frozenset[str] = frozenset(),
        unsure: bool = False,
    ) -> None:
        """Set the base and the legal steps from it.

        ``earlier`` is what can be taken back by hand, ``follow`` returns the steps after a step, ``ending`` what a step
        ends, ``gone`` are nodes that may be empty already; ``unsure``: only a piece's absence said that the last
        action was done.
        """
        turned_on = base != self.base
        self.hypotheses = Hypotheses(self.model, base, steps, earlier, gone)
        self.follow = follow
        self.ending = ending
        self.unsure = unsure
        self.taps = DoubleTaps(self.timings.taps)
        self.forget_hands(at)
        if turned_on:  # An action has counted, so a piece in the air was lifted for the next one.
            self.touches.before = self.touches.since = frozenset()

    def forget_hands(self, at: float) -> None:
        """Begin again with the present differences."""
        self._stale()
        self._begin(at, self.differing if self.hypotheses.near else ())

    def _begin(self, at: float, off: Sequence[str] = (), replaced: frozenset[str] = frozenset()) -> None:
        first, since = dict.fromkeys(off, at), self.touches.since
        self.touches = Touches(first, last=at, before=frozenset(off), since=since, replaced=replaced)
        tallest, also = self.hypotheses.tallest, self._still_in_hand()
        self.boards = PossibleBoards(self.model, self.base, tallest, replaced=replaced, also=also)
        for node in off:
            self.boards.note(node, self.seen[node], at)

    def _still_in_hand(self) -> list[PossibleBoard]:
        """Return the board with the last action unfinished, if no sensor has shown that it was finished."""
        back, earlier = self.hypotheses.back, self.hypotheses.earlier
        if back is None or earlier is None or any(node not in earlier.base for node in back.sources):
            return []
        if any(self.shows(back, node) for node in back.sources):
            return []
        lying = frozenset((node, earlier.base[node]) for node in back.sources)
        if any(len(stack) >= len(self.base[node]) for node, stack in lying):
            return []
        hand = tuple(piece for move in back.step.moves if move.source is not None for piece in move.pieces)
        return [PossibleBoard(lying, tuple(sorted(hand)), assumed=len(hand))] if hand else []

    def _stale(self) -> None:
        self._off = self._verdict = None

    def mask(self, nodes: frozenset[str], at: float) -> None:
        """Ignore the sensors of these nodes, and forget earlier touches."""
        self._masked = nodes
        self.forget_hands(at)

    def sense(self, node: str, sensed: str, at: float) -> None:
        """Note that a node's stable state has changed."""
        before, was_off = self.seen[node], self.differing
        lay = at - self.touches.last
        passed = self._passed() if lay > 0 else None
        self.seen = {**self.seen, node: sensed}
        self.touches.last = at
        self.changes += 1
        if node in self._masked:
            return
        self._verdict = None
        self.touches.since |= {node}
        fits = sensed in self.model.sensed_states(node, self.base.get(node))
        if fits or (sensed == NOTHING and node in self.hypotheses.gone):
            self._off = tuple(other for other in was_off if other != node)
        elif node not in was_off:
            self._off = tuple(sorted((*was_off, node), key=self.order.__getitem__))
        if not fits:
            if not was_off:  # Touches before the board was last in order say nothing about the next step.
                self._begin(at, replaced=self.touches.all_replaced())
            if node not in self.touches.first:
                self.touches.first = {**self.touches.first, node: at}
            if sensed == NOTHING:
                self.touches.emptied = {**self.touches.emptied, node: at}
        elif before == NOTHING and node in self.touches.first:
            self.touches.refilled |= {node}
            if at - self.touches.emptied.get(node, -inf) <= self.timings.taps:
                self.touches.taps = (*self.touches.taps, node)
        if passed is not None:
            self.touches.passed, self.touches.passed_for = passed, lay
        if was_off or not fits:
            self.boards.note(node, sensed, at)
        self.taps.note(node, sensed, self.differing, at, was_off=bool(was_off))

    def note(self, changes: Sequence[tuple[str, str]], at: float) -> None:
        """Note what sensors report, and forget earlier touches: no hypothesis is tested."""
        self.seen = {**self.seen, **dict(changes)}
        self.changes += 1
        self.forget_hands(at)

    def _passed(self) -> Hypothesis | None:
        """Return the one step that lies on the board and was fully seen."""
        verdict = self.judge()
        if verdict.kind != "settling" or verdict.lifted or verdict.done.undo or len(verdict.done.actions) != 1:
            return None
        lies = self.hypotheses.by_action.get(verdict.done.actions[0])
        return lies if lies is not None and self.arrival_shown(lies) else None

    @property
    def last_event(self) -> float:
        """Return the time of the last change, or of the last expectation."""
        return self.touches.last

    def tapped(self, node: str) -> bool:
        """Return whether a node was lifted and put back since the base was set."""
        return node in self.touches.all_replaced()

    def judge(self) -> Verdict:
        """Return the verdict on the board. It depends only on timed sensed states and on what is expected."""
        if self._verdict is None:
            self._verdict = judge(self)
        return self._verdict

    def known(self) -> dict[str, tuple[str, ...]]:
        """Return the stacks on touched nodes where the events leave no doubt."""
        boards = self.boards.now() if self.hypotheses.near else None
        return dict(frozenset.intersection(*(board.lying for board in boards))) if boards else {}

    def moved_on(self, node: str, at: float) -> Done | None:
        """Return what counts at once because the hands have turned to a node that the step does not touch."""
        lies = self._passed()
        if lies is None or node in lies.reach or node in self._masked:
            return None
        if at - self.last_event < self.timings.together:
            return None  # No hand turns so quickly: it may be the same move, or a sleeve, sensed in the wrong order.
        if at - self.last_event < self.timings.extendable and self.ends(lies.done) == "game":
            return None
        sources, off = frozenset(lies.sources), frozenset(self.differing)
        for one in self.hypotheses.near:
            if node in one.reach and (off <= one.reach or not sources.isdisjoint(one.sources)):
                return None  # Not yet: the hands may be doing this one.
        return lies.done

    def is_hidden(self, step: Step) -> bool:
        """Return whether no sensor shows that the step's pieces have arrived (stacked, or on a masked node)."""
        return self.hypotheses.is_hidden(step, self._masked)

    def confirmed(self, name: str) -> Done | None:
        """Return what counts once a player confirms that this step lies on the board; None if it can't lie there."""
        asked = {one.step.action: one for one in self.judge().choices}
        one = asked.get(name)
        if one is not None:
            return one.done
        known = self.hypotheses.by_action.get(name)
        if known is None:
            spoken = any(step.action == name for step in self.steps)
            return Done((name,)) if spoken and not self.differing else None
        return known.done if not self.rest(known) or self._goes_on(known) else None

    def _goes_on(self, first: Hypothesis) -> bool:
        """Return whether a tile may lie as confirmed while the next stage has begun."""
        if not first.step.partial or self.follow is None:
            return False
        rest = frozenset(self.rest(first))
        return rest.isdisjoint(first.changes) and any(
            rest <= later.touches | later.removed and self._may_be(later, rest) for later in self.follow(first.step)
        )

    def _may_be(self, later: Step, rest: frozenset[str]) -> bool:
        sensed_states = self.model.sensed_states
        return all(self.seen[n] == NOTHING or self.seen[n] in sensed_states(n, later.after.get(n)) for n in rest)

    def suspects(self) -> tuple[str, ...]:
        """Return the nodes whose sensor alone may keep the board unexplained; none while the board is in order."""
        differing = self.differing
        found = dict.fromkeys(differing if len(differing) <= MOST_SUSPECTS else ())
        tap = self.touches.last_tap()
        for one in self.hypotheses.by_action.values():
            if not differing and tap not in one.targets:
                continue
            rest = self.rest(one)
            if len(rest) == 1:
                found.setdefault(rest[0])
        named = self.hypotheses.by_action.get(self.named or "")
        rest = self.rest(named) if named is not None else []
        if len(rest) == 1:  # A confirmed step may have been done over a dead sensor.
            found.setdefault(rest[0])
        return tuple(found)[: 2 * MOST_SUSPECTS]

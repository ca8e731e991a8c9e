"""From stable sights to actions: what the hands did, what they may still be doing, what has to be asked.

The position is the only authority. The tracker holds the occupancy that it implies (the *base*), the legal steps from
there, and the steps of the position before. Every sight that differs is explained as a part or the completion of legal
steps; an action is committed when the whole board equals the occupancy after it and nothing else explains board and
events as well (:mod:`done`). Events break ties (:mod:`evidence`), they never change the game by themselves. What the
present steps don't explain may be one step back, or two at once (:mod:`beyond`).
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.game import Occupancy, Step
from firmware_host.table import beyond, done
from firmware_host.table.evidence import DoubleTaps, Lying, Touches
from firmware_host.table.expected import Candidate, Expected, Follow, Looks, part_stacks
from firmware_host.table.senses import NOTHING, Senses
from firmware_host.table.verdict import Earlier, Verdict, Waits

__all__ = ["Earlier", "Tracker", "Verdict", "Waits"]

MOST_SUSPECTS = 3
"""Where more nodes than this differ it is not a stuck sensor that keeps the board wrong."""


class Tracker:
    """The board as seen, against the board as it should be."""

    def __init__(self, senses: Senses, nodes: Sequence[str], waits: Waits) -> None:
        """Start with an empty board, nothing expected; ``nodes`` are all nodes of the layout."""
        self.senses = senses
        self.waits = waits
        self.seen: dict[str, str] = dict.fromkeys(nodes, NOTHING)
        self.earlier: Earlier | None = None
        self._before: Expected | None = None
        self.follow: Follow | None = None
        self.bound = False
        """Whether the one who acts has named the only step beforehand, as computers do."""
        self.named: str | None = None
        """The step that was chosen on a phone, while hands may still do another one."""
        self.looks = Looks.of(senses)
        self.expected = Expected(self.looks, {}, ())
        self.hands = Touches()
        self._masked: frozenset[str] = frozenset()
        self.lying: Lying | None = None
        self.taps = DoubleTaps(waits.taps)
        self._off: tuple[str, ...] | None = None
        self._verdict: Verdict | None = None

    def expect(
        self,
        base: Occupancy,
        steps: Sequence[Step],
        at: float,
        *,
        earlier: Earlier | None = None,
        follow: Follow | None = None,
    ) -> None:
        """Set the base and the legal steps from it; ``follow`` gives the steps after a step, for quick hands."""
        self.expected = Expected(self.looks, base, steps)
        self.earlier = earlier
        self._before = None
        self.follow = follow
        self.taps = DoubleTaps(self.waits.taps)
        self.forget_hands(at)

    def forget_hands(self, at: float) -> None:
        """Begin anew with what differs now: what is in the air when the base changes was lifted for what comes next."""
        self._stale()
        self._begin(at, self.differing if self.steps else ())

    def _begin(self, at: float, off: Sequence[str] = ()) -> None:
        self.hands = Touches(dict.fromkeys(off, at), last=at)
        self.lying = None
        if self.expected.single:
            self.lying = Lying(self.looks, self.base, {node: self.seen[node] for node in off}, at)

    def _stale(self) -> None:
        self._off = self._verdict = None

    def expected_before(self, earlier: Earlier) -> Expected:
        """Return what was expected before the last action, prepared when it is needed first."""
        if self._before is None:
            self._before = Expected(self.looks, earlier.base, earlier.steps())
        return self._before

    @property
    def base(self) -> Occupancy:
        """Return the occupancy that the position implies."""
        return self.expected.base

    @property
    def steps(self) -> Sequence[Step]:
        """Return the legal steps."""
        return self.expected.steps

    @property
    def masked(self) -> frozenset[str]:
        """Return the nodes whose sensors aren't believed."""
        return self._masked

    @masked.setter
    def masked(self, nodes: frozenset[str]) -> None:
        self._masked = nodes
        self._stale()

    def sense(self, node: str, sight: str, at: float) -> None:
        """Note that a node's stable sight has changed."""
        before, was_off = self.seen[node], self.differing
        passed = self._sure() if at > self.hands.last else None
        self.seen[node] = sight
        self.hands.last = at
        if node in self.masked:
            return
        self._stale()
        fits = sight in self.looks.sights(node, self.base.get(node))
        if not fits:
            if not was_off:  # What was touched before the board was last in order says nothing about what comes now.
                swapped = self._swapped()
                self._begin(at)
                self.hands.last, self.hands.swapped = at, swapped
            self.hands.lifted.setdefault(node, at)
        elif before == NOTHING and node in self.hands.lifted:
            self.hands.taps.append(node)
        if passed is not None:
            self.hands.passed = passed
        if self.lying is not None and not (fits and not was_off):
            self.lying.note(node, sight, at)
        self.taps.note(node, sight, self.differing, at, was_off=bool(was_off))

    def _swapped(self) -> frozenset[str]:
        """Return the nodes that were emptied and filled again since the base was set."""
        return self.hands.swapped.union(self.hands.taps)

    def may_be_swapped(self, one: Candidate) -> bool:
        """Tell whether a part of an action may lie on the board unseen, in place of what lay there before."""
        return one.step.partial and not self._swapped().isdisjoint(one.targets)

    def _sure(self) -> str | None:
        """Return the one step that has lain on the board for a while, seen and not only inferred."""
        verdict = self._verdict
        if verdict is None or verdict.kind != "settling" or verdict.back:
            return None
        one = self.expected.by_action.get(verdict.actions[0])
        return one.step.action if one is not None and (not self.is_hidden(one) or done.proved(self, one)) else None

    def mismatch(self, occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sight doesn't fit, masked nodes left out."""
        return self.differing if occupancy is self.base else self.expected.mismatch(self.seen, self.masked, occupancy)

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the nodes whose sight doesn't fit the base."""
        if self._off is None:
            self._off = self.expected.mismatch(self.seen, self.masked, self.base)
        return self._off

    @property
    def last_event(self) -> float:
        """Return the time of the last change, or of the last expectation."""
        return self.hands.last

    def tapped(self, node: str) -> bool:
        """Tell whether a node was lifted and put back since the base was set."""
        return node in self.hands.taps

    # -- the judgement -------------------------------------------------------------------------------------------

    def judge(self) -> Verdict:
        """Explain the board. Depends only on what was sensed, with its times, and what is expected."""
        if self._verdict is None:
            self._verdict = self._judge()
        return self._verdict

    def _judge(self) -> Verdict:
        differing = self.differing
        complete = self.expected.complete(self.seen, self.masked, differing)
        shown = [one for one in complete if self.seen_to_arrive(one)]
        verdict = done.seen(self, shown) if shown else done.unseen(self, complete)
        if verdict is not None:
            return verdict
        if not differing:
            return done.tapped_twice(self) or Verdict("quiet")
        live = self.live(differing)
        if live:
            return self._moving(live)
        return beyond.taken_back(self) or beyond.first_of_two(self) or self._wrong(differing)

    def is_hidden(self, one: Candidate) -> bool:
        """Tell whether no sensor shows that the step's stones have arrived (stacked, or a masked node)."""
        return not self.expected.arrival_shown(one, self.masked)

    def seen_to_arrive(self, one: Candidate) -> bool:
        """Tell whether a sensor shows that the step's stones have arrived, not taken off again at once as dead ones."""
        gone = (node for node in one.step.removed if self.seen[node] == NOTHING)
        return self.expected.arrival_shown(one, self.masked.union(gone))

    def hidden(self, step: Step) -> bool:
        """Tell the same of one of the steps."""
        return self.is_hidden(self.expected.by_action.get(step.action) or Candidate(step, self.base))

    def can_confirm(self, action: str) -> bool:
        """Tell whether the board, as far as it is seen, is as this action leaves it, or whether it is asked for."""
        one = self.expected.by_action.get(action)
        if one is None:
            return not self.differing and any(step.action == action for step in self.steps)
        asked = {step.action for step in self.judge().choices}
        return action in asked or not self.rest(one) or (one.step.partial and beyond.goes_on(self, one))

    def rest(self, one: Candidate) -> list[str]:
        """Return the nodes that don't look as they do after a step."""
        return self.expected.rest(one, self.seen, self.masked, self.differing)

    def suspects(self) -> tuple[str, ...]:
        """Return the nodes whose sensor alone may keep the board from being explained; none while it is in order."""
        differing = self.differing
        found = dict.fromkeys(differing if len(differing) <= MOST_SUSPECTS else ())
        tap = self.hands.last_tap()
        for one in self.expected.candidates:
            if not differing and tap not in one.targets:
                continue
            rest = self.rest(one)
            if len(rest) == 1:
                found.setdefault(rest[0])
        named = self.expected.by_action.get(self.named or "")
        rest = self.rest(named) if named is not None else []
        if len(rest) == 1:  # Whoever has said what he does, and has done it, may have done it over a dead sensor.
            found.setdefault(rest[0])
        return tuple(found)[: 2 * MOST_SUSPECTS]

    def moved_on(self, node: str) -> tuple[str, ...]:
        """Return the actions that count at once because the hands have turned to a node that they don't touch."""
        verdict = self.judge()
        if verdict.kind != "settling" or verdict.back:
            return ()
        lies = self.expected.by_action.get(verdict.actions[0])
        if lies is None or self.is_hidden(lies) or node in lies.reach:
            return ()
        sources, off = frozenset(lies.sources), frozenset(self.differing)
        for one in self.expected.candidates:
            if node in one.reach and (off <= one.reach or not sources.isdisjoint(one.sources)):
                return ()  # Not yet: the hands may be doing this one.
        return verdict.actions

    def guesses(self, one: Candidate) -> bool:
        """Tell whether a masked sensor leaves open if this step was made: then somebody has to say so."""
        return not self.bound and not self.masked.isdisjoint((*one.sources, *one.targets))

    def may_be_added(self, one: Candidate) -> bool:
        """Tell whether what a step adds can have come from beside the board, and not from another node."""
        return bool(one.sources) or self.lying is None or self.lying.supplied(len(one.targets))

    # -- steps under way -----------------------------------------------------------------------------------------

    def live(self, differing: Sequence[str]) -> list[Candidate]:
        """Return the steps that may be under way; steps whose own stone is in the air before those it only touches."""
        off = frozenset(differing)
        live = [one for one in self.expected.candidates if off <= one.reach and self._under_way(one, off)]
        return [one for one in live if not off.isdisjoint(one.sources)] or live

    def _under_way(self, one: Candidate, differing: frozenset[str]) -> bool:
        """Tell whether every difference may be a moment of this step: no stone arrives before it has left."""
        if not all(self._plausible(one, node) for node in differing):
            return False
        return all(
            move.source is None
            or move.source in differing
            or move.target not in differing
            or self.seen.get(move.target or "") == NOTHING
            or not self.shows(one, move.source)
            for move in one.step.moves
        )

    def shows(self, one: Candidate, node: str) -> bool:
        """Tell whether the sensor of a node surely sees that this step is done."""
        return node not in self.masked and self.expected.shows(one, node)

    def reads_tile(self, node: str) -> bool:
        """Tell whether a well shows a whole tile, which no single sensor that lies can feign."""
        return self.senses.kind == "coded" and node in self.senses.wells and self.seen[node] not in {NOTHING, "?"}

    def _plausible(self, one: Candidate, node: str) -> bool:
        sight = self.seen[node]
        if sight == NOTHING or sight in self.looks.sights(node, one.step.after.get(node)):
            return True
        base = self.base.get(node, ())
        return any(
            sight in self.looks.sights(node, stack)
            for move in one.step.moves
            if node in {move.source, move.target}
            for stack in part_stacks(base, move.pieces, leaving=node == move.source)
        )

    def _moving(self, live: Sequence[Candidate]) -> Verdict:
        return Verdict("moving", live=tuple(one.step for one in live), lifted=self.lifted(live))

    def lifted(self, live: Sequence[Candidate]) -> tuple[str, ...]:
        """Return the nodes from which steps under way have taken their stones."""
        sources, off = dict.fromkeys(source for one in live for source in one.sources), frozenset(self.differing)
        return tuple(node for node in sources if self.seen[node] == NOTHING or node in off)

    def preferred(self, group: Sequence[Candidate]) -> Candidate:
        """Of steps that leave the same board, prefer the one whose partners were touched, then the one lifted first."""
        lifted = self.hands.lifted
        order = list(lifted)

        def rank(one: Candidate) -> tuple[bool, int]:
            first = min((order.index(node) for node in one.sources if node in lifted), default=len(order))
            return not lifted.keys().isdisjoint(one.step.partners), -first

        return max(group, key=rank)

    def _wrong(self, differing: Sequence[str]) -> Verdict:
        """Nothing legal explains the board: say which nodes are wrong and which stone can still go on."""
        gone = frozenset(node for node in differing if self.seen[node] == NOTHING)
        movable = [one for one in self.expected.candidates if not gone.isdisjoint(one.sources)]
        explained = dict.fromkeys(node for one in movable for node in one.sources)
        foreign = tuple(node for node in differing if node not in explained)
        if not foreign:  # Two stones of different steps are in the air: only one of them can be meant.
            foreign = tuple(differing)
        lifted = tuple(node for node in explained if node in differing)
        return Verdict("wrong", live=tuple(one.step for one in movable), lifted=lifted, foreign=foreign)

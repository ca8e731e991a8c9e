"""From stable sights to actions: what the hands did, what they may still be doing, what has to be asked.

The position is the only authority. The tracker holds the occupancy that it implies (the *base*), the legal steps from
there, and the steps of the position before. Every sight that differs is explained as a part or the completion of legal
steps; an action is committed when the whole board equals the occupancy after it and nothing else explains board and
events as well. Events break ties (:mod:`evidence`), they never change the game by themselves. What the present steps
don't explain may be one step back, or two at once (:mod:`beyond`).
"""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.game import Occupancy, Step
from firmware_host.table import beyond
from firmware_host.table.evidence import DoubleTaps, Lying, Touches
from firmware_host.table.expected import Candidate, Expected, Follow, Looks, by_outcome, part_stacks
from firmware_host.table.senses import NOTHING, Senses
from firmware_host.table.verdict import Earlier, Verdict, Waits

__all__ = ["Earlier", "Tracker", "Verdict", "Waits"]

MOST_SUSPECTS = 3
"""Where more nodes than this differ it is not a stuck sensor that keeps the board wrong."""
TOGETHER_S = 0.12
"""Changes so close may come from one push of a whole line, whichever sensor speaks first."""


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
        self.looks = Looks.of(senses)
        self.expected = Expected(self.looks, {}, ())
        self.hands = Touches()
        self._masked: frozenset[str] = frozenset()
        self._lying: Lying | None = None
        self._taps = DoubleTaps(waits.taps)
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
        self._taps = DoubleTaps(self.waits.taps)
        self.forget_hands(at)

    def forget_hands(self, at: float) -> None:
        """Begin anew with what differs now: what is in the air when the base changes was lifted for what comes next."""
        self._stale()
        self._begin(at, self.differing if self.steps else ())

    def _begin(self, at: float, off: Sequence[str] = ()) -> None:
        self.hands = Touches(dict.fromkeys(off, at), last=at)
        self._lying = None
        if self.expected.single:
            self._lying = Lying(self.looks, self.base, {node: self.seen[node] for node in off}, at)

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
                self._begin(at)
                self.hands.last = at
            self.hands.lifted.setdefault(node, at)
        elif before == NOTHING and node in self.hands.lifted:
            self.hands.taps.append(node)
        if passed is not None:
            self.hands.passed = passed
        if self._lying is not None and not (fits and not was_off):
            self._lying.note(node, sight, at)
        self._taps.note(node, sight, self.differing, at, was_off=bool(was_off))

    def _sure(self) -> str | None:
        """Return the one step that has lain on the board for a while, seen and not only inferred."""
        verdict = self._verdict
        if verdict is None or verdict.kind != "settling" or verdict.back:
            return None
        one = self.expected.by_action.get(verdict.actions[0])
        return one.step.action if one is not None and (not self.is_hidden(one) or self._proved(one)) else None

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
        verdict = self._completed(shown, differing) if shown else None
        if not shown:
            concealed = self._evident(complete)
            verdict = self._concealed(concealed, differing) if concealed else None
        if verdict is not None:
            return verdict
        if not differing:
            return self._tapped_twice() or Verdict("quiet")
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
        return action in asked or not self.rest(one)

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
        return tuple(found)[: 2 * MOST_SUSPECTS]

    def moved_on(self, node: str) -> tuple[str, ...]:
        """Return the actions that count at once because the hands have turned to a node that they don't touch."""
        verdict = self.judge()
        if verdict.kind != "settling" or verdict.back:
            return ()
        done = self.expected.by_action.get(verdict.actions[0])
        if done is None or self.is_hidden(done) or node in done.reach:
            return ()
        sources, off = frozenset(done.sources), frozenset(self.differing)
        for one in self.expected.candidates:
            if node in one.reach and (off <= one.reach or not sources.isdisjoint(one.sources)):
                return ()  # Not yet: the hands may be doing this one.
        return verdict.actions

    # -- steps that lie on the board -----------------------------------------------------------------------------

    def _completed(self, shown: list[Candidate], differing: Sequence[str]) -> Verdict | None:
        groups = by_outcome(shown)
        if self.bound:
            return self._settling(groups[0])
        if any(self.guesses(one) for one in shown):
            return self._ask(groups)
        groups = by_outcome(one for one in shown if self._possible(one))
        if not groups:
            return self._unlikely(shown, differing)
        if self._lying is None:
            if len(groups) > 1:  # The stones of one of them were lifted; stacks keep that from telling more.
                touched = [group for group in groups if not self.hands.lifted.keys().isdisjoint(group[0].sources)]
                groups = touched if len(touched) == 1 else groups
        elif not self._explains_touches(groups[0][0]) and self._rivals(shown, differing):
            return self._ask(groups, self.waits.stack)
        return self._decided(groups)

    def _decided(self, groups: Sequence[list[Candidate]]) -> Verdict:
        if not self.waits.one_sensor:
            others = self.but_for_one_sensor(groups)
            if others or self.shown_by_one(groups[0][0]):
                return self._ask([*groups, *others])
        return self._ask(groups) if len(groups) > 1 else self._settling(groups[0])

    def but_for_one_sensor(self, groups: Sequence[list[Candidate]]) -> list[list[Candidate]]:
        """Return the steps that would lie on the board as well if one sensor that differs were wrong."""
        done, off = {group[0].outcome for group in groups}, frozenset(self.differing)
        near = (one for one in self.expected.candidates if len(off - one.covers) < 2 and len(self.rest(one)) == 1)
        return by_outcome(one for one in near if one.outcome not in done and self.rest(one)[0] in off)

    def _settling(self, group: list[Candidate]) -> Verdict:
        one = self.preferred(group)
        wait = self.waits.extendable if self._extendable(one) else self.waits.settle
        return Verdict("settling", (one.step.action,), due=self.hands.last + wait, live=(one.step,))

    def _ask(self, groups: Sequence[list[Candidate]], wait: float | None = None) -> Verdict:
        due = self.hands.last + (self.waits.settle if wait is None else wait)
        choices = tuple(group[0].step for group in groups)
        return Verdict("ask", due=due, choices=choices, live=tuple(one.step for group in groups for one in group))

    def shown_by_one(self, one: Candidate) -> bool:
        """Tell whether one sensor alone shows a step."""
        return sum(node not in self.masked and self.expected.shows(one, node) for node in one.changes) < 2

    def _possible(self, one: Candidate) -> bool:
        """Tell whether hands that did what was seen may have done this step."""
        lifted = self.hands.lifted
        if len(one.step.moves) == 1 and one.sources and one.targets:
            source, target = one.sources[0], one.targets[0]
            if source in lifted and target in lifted and lifted[target] < lifted[source]:
                return False  # What has arrived there is another stone.
        return self._lying is None or self._lying.allows(one) or self._unseen(one)

    def _proved(self, one: Candidate) -> bool:
        """Tell whether more was seen of a step than that stones are gone."""
        if self._lying is None or not self._lying.allows(one):
            return False
        return not self.hands.lifted.keys() <= one.left

    def _unseen(self, one: Candidate) -> bool:
        """Tell whether a line may have been slid while some sensor on the way saw no gap between its stones."""
        if len(one.step.moves) < 2 or not self._explains_touches(one):
            return False
        lifted = self.hands.lifted
        if all(node in lifted for node in one.changes if node in self.base):
            return False
        left = min((lifted[node] for node in one.left if node in lifted), default=0.0)
        landed = (lifted[node] for node in one.targets if node in lifted and node not in self.base)
        return all(left - at < TOGETHER_S for at in landed)

    def may_be_added(self, one: Candidate) -> bool:
        """Tell whether what a step adds can have come from beside the board, and not from another node."""
        return bool(one.sources) or self._lying is None or self._lying.supplied(len(one.targets))

    def _explains_touches(self, one: Candidate) -> bool:
        return self.hands.lifted.keys() <= one.reach

    def _rivals(self, shown: Sequence[Candidate], differing: Sequence[str]) -> list[Candidate]:
        """Return the steps that may be under way and explain all that was touched, beside those that seem done."""
        done = {one.outcome for one in shown}
        return [one for one in self.live(differing) if self._explains_touches(one) and one.outcome not in done]

    def _unlikely(self, shown: list[Candidate], differing: Sequence[str]) -> Verdict | None:
        """The picture fits, but these hands can't have done it: they do something else, or not all was seen."""
        rivals = self._rivals(shown, differing)
        groups = by_outcome(shown)
        if rivals:
            live = tuple(one.step for one in rivals)
            choices = tuple(group[0].step for group in groups)
            due = self.hands.last + self.waits.repair
            return Verdict("ask", due=due, choices=choices, live=live, lifted=self._lifted(rivals))
        two = beyond.first_of_two(self)
        if two is not None:
            return two
        if len(groups) == 1 and self._explains_touches(groups[0][0]) and self.waits.one_sensor:
            return self._settling(groups[0])
        return self._ask(groups)

    # -- steps that no sensor shows ------------------------------------------------------------------------------

    def _concealed(self, concealed: list[Candidate], differing: Sequence[str]) -> Verdict | None:
        groups = by_outcome(concealed)
        tap = self.hands.last_tap()
        tapped = [group for group in groups if tap is not None and tap in group[0].targets]
        if self._lying is None and len(tapped) == 1 and not self.guesses(tapped[0][0]):
            action = self.preferred(tapped[0]).step
            return Verdict("settling", (action.action,), due=self.hands.last + self.waits.settle, live=(action,))
        if not differing:
            return None  # Nothing was seen to happen: the stacks wait for a tap or the phone.
        live = self.live(differing)
        proved = [group for group in groups if self._proved(group[0]) and not self.guesses(group[0])]
        if len(proved) == 1:
            sure, steps = True, [self.preferred(proved[0]).step]
        else:
            sure = len(by_outcome(live)) == 1 and not self.guesses(live[0]) and (self.bound or self.waits.one_sensor)
            steps = [one.step for one in live]
        due, lifted = self.hands.last + self.waits.stack, self._lifted(live)
        if sure:
            return Verdict("settling", (steps[0].action,), due=due, live=tuple(steps), lifted=lifted)
        choices = tuple(group[0].step for group in groups)
        return Verdict("ask", due=due, choices=choices, live=tuple(steps), lifted=lifted)

    def guesses(self, one: Candidate) -> bool:
        """Tell whether a masked sensor leaves open if this step was made: then somebody has to say so."""
        return not self.bound and not self.masked.isdisjoint((*one.sources, *one.targets))

    def _evident(self, concealed: list[Candidate]) -> list[Candidate]:
        """Keep the hidden steps that something speaks for: their stone is gone, or their stack was tapped."""
        tap = self.hands.last_tap()
        return [
            one
            for one in concealed
            if any(self.shows(one, node) for node in one.sources)
            or (tap is not None and self._lying is None and tap in one.targets)
        ]

    def _tapped_twice(self) -> Verdict | None:
        node = self._taps.twice
        steps = [step for step in self.steps if node is not None and node in step.tap_twice]
        if not steps:
            return None
        if len(steps) > 1 or not (self.bound or self.waits.one_sensor):
            return Verdict("ask", due=self.hands.last + self.waits.settle, choices=tuple(steps))
        return Verdict("settling", (steps[0].action,), due=self.hands.last + self.waits.extendable)

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
        return Verdict("moving", live=tuple(one.step for one in live), lifted=self._lifted(live))

    def _lifted(self, live: Sequence[Candidate]) -> tuple[str, ...]:
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

    def _extendable(self, one: Candidate) -> bool:
        """Tell whether the stones may still be on their way to somewhere else."""
        sources, added = frozenset(one.sources), not one.sources
        for other in self.expected.candidates:
            shared = not other.sources if added else not sources.isdisjoint(other.sources)
            if shared and other is not one and other.step.after != one.step.after:
                return True
        if self.follow is None or added:
            return False
        targets = frozenset(one.targets)
        return any(move.source in targets for later in self.follow(one.step) for move in later.moves)

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

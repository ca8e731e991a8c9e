"""From stable sights to actions: what the hands did, what they may still be doing, what has to be asked.

The position is the only authority. The tracker holds the occupancy that it implies (the *base*), the legal steps from
there, and the steps of the position before. Every sight that differs is explained as a part or the completion of legal
steps; an action is committed when the whole board equals the occupancy after it and nothing else explains board and
events as well. Events break ties, they never change the game by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firmware_host.games.game import Occupancy, Step
from firmware_host.table.senses import NOTHING, Senses

MOST_SUSPECTS = 3
"""Where more nodes than this differ it is not a stuck sensor that keeps the board wrong."""


@dataclass(frozen=True)
class Waits:
    """How long the table waits, seconds."""

    settle: float = 0.15
    """Before a step is committed that nothing can continue."""
    extendable: float = 0.4
    """Before a step is committed that a hand may still turn into another."""
    stack: float = 1.5
    """Before a stone that stays away is taken to lie on the only stack it can lie on."""
    wrong_node: float = 1.0
    """Before a stone on a wrong node is shown as an error."""
    repair: float = 4.0
    """Before an unexplained board gets the repair view."""
    one_sensor: bool = True
    """Whether one sensor alone may decide that a stone which stays away lies on the only stack it can lie on, and that
    such a step was taken back. Without it people are asked: where sensors can't see stacks a dead one looks alike."""
    suspect: float = 8.0
    """Without any change, before people are asked whether a sensor is stuck."""


@dataclass(frozen=True)
class Earlier:
    """The position before the last action, while that action can be taken back by hand."""

    base: Occupancy
    steps: Sequence[Step]


@dataclass(frozen=True)
class Verdict:
    """What the tracker makes of the board now.

    ``kind``: ``quiet`` (the board is as the position says), ``moving`` (a legal step is under way), ``settling``
    (``actions`` lie on the board and count at ``due``), ``ask`` (``choices`` can't be told apart; asked at ``due``),
    ``wrong`` (``foreign`` nodes differ and no legal step explains them). ``back`` with ``settling``: the last action
    is taken back first. ``live`` are the steps under way; ``lifted`` the nodes where their stones are missing.
    """

    kind: str
    actions: tuple[str, ...] = ()
    back: bool = False
    due: float | None = None
    live: tuple[Step, ...] = ()
    lifted: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    choices: tuple[Step, ...] = ()


@dataclass
class _Hands:
    """What was touched since the base was set."""

    lifted: dict[str, None] = field(default_factory=dict)
    """Nodes in the order in which they were first touched."""
    taps: list[str] = field(default_factory=list)
    last: float = 0.0

    def last_tap(self) -> str | None:
        return self.taps[-1] if self.taps else None


class Tracker:
    """The board as seen, against the board as it should be."""

    def __init__(self, senses: Senses, nodes: Sequence[str], waits: Waits) -> None:
        """Start with an empty board, nothing expected; ``nodes`` are all nodes of the layout."""
        self.senses = senses
        self.waits = waits
        self.seen: dict[str, str] = dict.fromkeys(nodes, NOTHING)
        self.masked: frozenset[str] = frozenset()
        self.base: Occupancy = {}
        self.steps: Sequence[Step] = ()
        self.earlier: Earlier | None = None
        self.follow: Callable[[Step], Sequence[Step]] | None = None
        self.bound = False
        """Whether the one who acts has named the only step beforehand, as computers do."""
        self._hands = _Hands()

    def expect(
        self,
        base: Occupancy,
        steps: Sequence[Step],
        at: float,
        *,
        earlier: Earlier | None = None,
        follow: Callable[[Step], Sequence[Step]] | None = None,
    ) -> None:
        """Set the base and the legal steps from it; ``follow`` gives the steps after a step, for quick hands."""
        self.base = base
        self.steps = steps
        self.earlier = earlier
        self.follow = follow
        self.forget_hands(at)

    def forget_hands(self, at: float) -> None:
        """Begin anew with what differs now: what is in the air when the base changes was lifted for what comes next."""
        self._hands = _Hands(dict.fromkeys(self.mismatch(self.base)) if self.steps else {}, last=at)

    def sense(self, node: str, sight: str, at: float) -> None:
        """Note that a node's stable sight has changed."""
        before = self.seen[node]
        fresh = not self.mismatch(self.base)
        self.seen[node] = sight
        self._hands.last = at
        if node in self.masked:
            return
        if sight not in self.senses.at(node).sights(self.base.get(node)):
            if fresh:  # What was touched before the board was last in order says nothing about what comes now.
                self._hands = _Hands(last=at)
            self._hands.lifted.setdefault(node)
        elif before == NOTHING and node in self._hands.lifted:
            self._hands.taps.append(node)

    def mismatch(self, occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sight doesn't fit, masked nodes left out."""
        return tuple(
            node
            for node, sight in self.seen.items()
            if node not in self.masked and sight not in self.senses.at(node).sights(occupancy.get(node))
        )

    @property
    def last_event(self) -> float:
        """Return the time of the last change, or of the last expectation."""
        return self._hands.last

    def tapped(self, node: str) -> bool:
        """Tell whether a node was lifted and put back since the base was set."""
        return node in self._hands.taps

    # -- the judgement -------------------------------------------------------------------------------------------

    def judge(self) -> Verdict:
        """Explain the board. Pure: depends only on what was sensed, with its times, and what is expected."""
        differing = self.mismatch(self.base)
        complete = [step for step in self.steps if not self.mismatch(step.after)]
        shown = [step for step in complete if not self.hidden(step)]
        if shown:
            return self._completed(shown)
        concealed = self._evident([step for step in complete if self.hidden(step)])
        if concealed:
            verdict = self._concealed(concealed, differing)
            if verdict is not None:
                return verdict
        if not differing:
            return Verdict("quiet")
        live = self._live(differing)
        if live:
            return Verdict("moving", live=tuple(live), lifted=self._lifted(live))
        return self._taken_back() or self._first_of_two() or self._wrong(differing)

    def hidden(self, step: Step) -> bool:
        """Tell whether no sensor shows that the step's stones have arrived (stacked, or a masked node)."""
        in_hand = _in_hand(self.base, step)
        return not any(
            node not in self.masked and self.senses.at(node).tells(in_hand.get(node), step.after.get(node))
            for node in _targets(step)
        )

    def can_confirm(self, action: str) -> bool:
        """Tell whether the board, as far as it is seen, is as this action leaves it."""
        return any(step.action == action and not self.mismatch(step.after) for step in self.steps)

    def suspects(self) -> tuple[str, ...]:
        """Return the nodes whose sensor alone may keep the board from being explained; none while it is in order."""
        differing = self.mismatch(self.base)
        found = dict.fromkeys(differing if len(differing) <= MOST_SUSPECTS else ())
        tap = self._hands.last_tap()
        for step in self.steps:
            rest = self.mismatch(step.after)
            if len(rest) == 1 and (differing or tap in _targets(step)):
                found.setdefault(rest[0])
        return tuple(found)[: 2 * MOST_SUSPECTS]

    def moved_on(self, node: str) -> tuple[str, ...]:
        """Return the actions that count at once because the hands have turned to a node that they don't touch."""
        verdict = self.judge()
        if verdict.kind != "settling" or verdict.back:
            return ()
        done = {step.action: step for step in self.steps}
        if any(action not in done or self.hidden(done[action]) for action in verdict.actions):
            return ()
        sources = {source for action in verdict.actions for source in _sources(done[action])}
        touched = {n for step in self.steps if sources & set(_sources(step)) for n in step.touches}
        return () if node in touched else verdict.actions

    def _completed(self, shown: list[Step]) -> Verdict:
        groups = _by_outcome(shown)
        if len(groups) > 1:
            touched = [group for group in groups if self._hands.lifted.keys() & set(_sources(group[0]))]
            if len(touched) != 1:
                due = self._hands.last + self.waits.settle
                return Verdict("ask", due=due, choices=tuple(group[0] for group in groups), live=tuple(shown))
            groups = touched
        if any(self._guesses(step) for step in shown):
            due = self._hands.last + self.waits.settle
            choices = tuple(group[0] for group in _by_outcome(shown))
            return Verdict("ask", due=due, choices=choices, live=tuple(shown))
        step = self._preferred(groups[0])
        wait = self.waits.extendable if self._extendable(step) else self.waits.settle
        return Verdict("settling", (step.action,), due=self._hands.last + wait, live=(step,))

    def _concealed(self, concealed: list[Step], differing: Sequence[str]) -> Verdict | None:
        groups = _by_outcome(concealed)
        tap = self._hands.last_tap()
        tapped = [group for group in groups if tap is not None and tap in _targets(group[0])]
        if len(tapped) == 1 and not self._guesses(tapped[0][0]):
            step = self._preferred(tapped[0])
            return Verdict("settling", (step.action,), due=self._hands.last + self.waits.settle, live=(step,))
        if not differing:
            return None  # Nothing was seen to happen: the stacks wait for a tap or the phone.
        live = self._live(differing)
        if len(_by_outcome(live)) == 1 and not self._guesses(live[0]) and (self.bound or self.waits.one_sensor):
            due = self._hands.last + self.waits.stack
            return Verdict("settling", (live[0].action,), due=due, live=tuple(live), lifted=self._lifted(live))
        choices = tuple(group[0] for group in groups)
        due = self._hands.last + self.waits.stack
        return Verdict("ask", due=due, choices=choices, live=tuple(live), lifted=self._lifted(live))

    def _guesses(self, step: Step) -> bool:
        """Tell whether a masked sensor leaves open if this step was made: then somebody has to say so."""
        return not self.bound and not self.masked.isdisjoint((*_sources(step), *_targets(step)))

    def _evident(self, concealed: list[Step]) -> list[Step]:
        """Keep the hidden steps that something speaks for: their stone is gone, or their stack was tapped."""
        tap = self._hands.last_tap()
        return [
            step
            for step in concealed
            if any(self._shows(step, node) for node in _sources(step)) or (tap is not None and tap in _targets(step))
        ]

    def _live(self, differing: Sequence[str]) -> list[Step]:
        """Return the steps that may be under way; steps whose own stone is in the air before those it only touches."""
        live = [step for step in self.steps if self._under_way(step, differing)]
        return [step for step in live if any(node in differing for node in _sources(step))] or live

    def _under_way(self, step: Step, differing: Sequence[str]) -> bool:
        """Tell whether every difference may be a moment of this step: no stone arrives before it has left."""
        if not all(node in step.touches and self._plausible(step, node) for node in differing):
            return False
        return all(
            move.source is None
            or move.source in differing
            or move.target not in differing
            or self.seen.get(move.target or "") == NOTHING
            or not self._shows(step, move.source)
            for move in step.moves
        )

    def _shows(self, step: Step, node: str) -> bool:
        """Tell whether the sensor of a node surely sees that this step is done."""
        return node not in self.masked and self.senses.at(node).tells(self.base.get(node), step.after.get(node))

    def _plausible(self, step: Step, node: str) -> bool:
        sight = self.seen[node]
        if sight == NOTHING or sight in self.senses.at(node).sights(step.after.get(node)):
            return True
        moved = [move.pieces for move in step.moves if node in {move.source, move.target}]
        return any(
            self.senses.at(node).fits(stack, sight)
            for pieces in moved
            for stack in _part_stacks(self.base.get(node, ()), pieces, node in _sources(step))
        )

    def _lifted(self, live: Sequence[Step]) -> tuple[str, ...]:
        sources = dict.fromkeys(source for step in live for source in _sources(step))
        return tuple(node for node in sources if self.seen[node] == NOTHING or node in self.mismatch(self.base))

    def _preferred(self, group: Sequence[Step]) -> Step:
        """Of steps that leave the same board, prefer the one whose partners were touched, then the first."""
        return max(group, key=lambda step: (bool(self._hands.lifted.keys() & set(step.partners)), -group.index(step)))

    def _extendable(self, step: Step) -> bool:
        sources = set(_sources(step))
        if any(other.after != step.after and sources & set(_sources(other)) for other in self.steps):
            return True
        targets = set(_targets(step))
        return self.follow is not None and any(targets & set(_sources(later)) for later in self.follow(step))

    def _taken_back(self) -> Verdict | None:
        """The last step slid on, was changed, or was taken back by hand."""
        earlier = self.earlier
        if earlier is None or any(earlier.base.get(node) != self.base.get(node) for node in self.masked):
            return None  # What is masked can't show that it lies as before.
        told = [node for node in self.seen if self.senses.at(node).tells(self.base.get(node), earlier.base.get(node))]
        if len(told) < 2 and not self.waits.one_sensor:
            return None
        due = self._hands.last + self.waits.extendable
        if not self.mismatch(earlier.base):
            return Verdict("settling", back=True, due=due)
        changed = [step for step in earlier.steps if step.after != self.base and not self.mismatch(step.after)]
        groups = _by_outcome([step for step in changed if any(self._shows(step, node) for node in _targets(step))])
        if len(groups) != 1:
            return None
        return Verdict("settling", (self._preferred(groups[0]).action,), back=True, due=due, live=tuple(groups[0]))

    def _first_of_two(self) -> Verdict | None:
        """Quick hands: a step lies on the board, and the stones of a next one are under way already."""
        if self.follow is None:
            return None
        begun: list[Step] = []
        for first in self.steps:
            rest = self.mismatch(first.after)
            shown = not self.hidden(first) and not self._guesses(first)
            arrived = shown and all(target not in rest for target in _targets(first))
            if arrived and not any(node in rest for node in _sources(first)) and self._goes_on(first, rest):
                begun.append(first)
        if not begun:
            return None
        # Two steps that could have come in either order: the stone that was lifted first came first.
        order = list(self._hands.lifted)
        groups = _by_outcome(begun)
        first_lifted = min(groups, key=lambda group: [order.index(n) for n in _sources(group[0]) if n in order] or [99])
        step = self._preferred(first_lifted)
        return Verdict("settling", (step.action,), due=self._hands.last, live=(step,))

    def _goes_on(self, first: Step, rest: Sequence[str]) -> bool:
        """Tell whether what differs after a step may be a moment of a step that follows it."""
        return self.follow is not None and any(
            all(
                node in later.touches
                and (self.seen[node] == NOTHING or self.senses.at(node).fits(later.after.get(node), self.seen[node]))
                for node in rest
            )
            for later in self.follow(first)
        )

    def _wrong(self, differing: Sequence[str]) -> Verdict:
        """Nothing legal explains the board: say which nodes are wrong and which stone can still go on."""
        movable = [
            step for step in self.steps if any(self.seen[n] == NOTHING and n in differing for n in _sources(step))
        ]
        explained = {node for step in movable for node in _sources(step)}
        foreign = tuple(node for node in differing if node not in explained)
        if not foreign:  # Two stones of different steps are in the air: only one of them can be meant.
            foreign = tuple(differing)
        return Verdict("wrong", live=tuple(movable), lifted=tuple(explained & set(differing)), foreign=foreign)


def _sources(step: Step) -> tuple[str, ...]:
    return tuple(move.source for move in step.moves if move.source is not None)


def _targets(step: Step) -> tuple[str, ...]:
    return tuple(move.target for move in step.moves if move.target is not None)


def _in_hand(base: Occupancy, step: Step) -> Occupancy:
    """Return the board while the step's pieces are in the air."""
    board = dict(base)
    for node in _sources(step):
        if node in step.after:
            board[node] = step.after[node]
        else:
            board.pop(node, None)
    return board


def _part_stacks(base: tuple[str, ...], pieces: tuple[str, ...], is_source: bool) -> list[tuple[str, ...]]:
    """Return the stacks that a node may show for a moment while pieces leave it or arrive one by one."""
    if is_source:
        rest = list(base)
        stacks = []
        for piece in pieces:
            if piece in rest:
                rest.remove(piece)
            stacks.append(tuple(rest))
        return [stack for stack in stacks if stack] + [(piece,) for piece in base]
    return [(*base, piece) for piece in pieces] + [(piece,) for piece in pieces]


def _key(occupancy: Occupancy) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(sorted(occupancy.items()))


def _by_outcome(steps: Sequence[Step]) -> list[list[Step]]:
    """Group steps that leave the same board: it doesn't matter which of them was meant."""
    groups: dict[tuple[tuple[str, tuple[str, ...]], ...], list[Step]] = {}
    for step in steps:
        groups.setdefault(_key(step.after), []).append(step)
    return list(groups.values())

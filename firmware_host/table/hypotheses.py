"""What hands can have done since the board was last in order.

The hypotheses are: each legal step, the step back, and the step back followed by another step. Each predicts what every
sensor reports when it is done and on the way. (The base itself stands for "nothing was done"; two steps at once are
combined by :mod:`firmware_host.table.judgement` where one step does not explain the board.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from firmware_host.games.game import Occupancy, PieceMove, Stack, Step
from firmware_host.table.senses import NOTHING
from firmware_host.table.sensor_model import SensorModel
from firmware_host.text.words import say

Outcome = frozenset[tuple[str, Stack]]
"""What is left on the board once what the rules remove is gone."""

Follow = Callable[[Step], Sequence[Step]]
"""Returns the legal steps after a step."""

Ending = Callable[["Done"], str]
"""Returns what these actions end: ``game``, ``turn`` (also a phase), or nothing."""

TAKEN_BACK = "take-back"
"""The name of the step back in questions on a phone."""


@dataclass(frozen=True)
class Earlier:
    """The position before the last action, while that action can be taken back by hand.

    ``last`` is what the hands did for the last action; ``steps`` returns the legal steps before it, which are rarely
    needed.
    """

    base: Occupancy
    last: Step
    steps: Callable[[], Sequence[Step]]


@dataclass(frozen=True)
class Done:
    """What counts now: take the last action back first (``undo``), then commit ``actions`` in order."""

    actions: tuple[str, ...] = ()
    undo: bool = False
    unsure: bool = False
    """Whether only a piece's absence says so: the piece that comes back undoes it without a question."""


class Hypothesis:
    """One explanation of the board: hands do, or have done, this ``step``, seen from the present base."""

    def __init__(self, step: Step, base: Occupancy, done: Done, *, actions: int = 1, rank: int = 1) -> None:
        """Take a step; ``actions`` is its cost in actions, ``rank`` orders explanations of the same board."""
        self.step = step
        """Its action's text names the explanation when a phone answers a question."""
        self.done = done
        self.cost = actions
        self.rank = rank
        # Lists are built faster than generators run, and there are as many hypotheses as legal steps.
        moves, removed, was, will = step.moves, step.removed, base.get, step.after.get
        self.sources = tuple([move.source for move in moves if move.source is not None])
        self.targets = tuple([move.target for move in moves if move.target is not None])
        nodes = dict.fromkeys((*self.sources, *self.targets))
        self.changes = tuple([node for node in nodes if was(node) != will(node)])
        """Nodes where other pieces lie afterwards."""
        self.covers = removed.union(self.changes)
        """Nodes that may differ from the base when the step is done: removed pieces may be off already."""
        self.reach = step.touches | removed if removed else step.touches
        """Nodes that may differ while the step is under way."""

    @classmethod
    def said(cls, step: Step, base: Occupancy) -> Hypothesis:
        """Return a step without moves: it can be chosen or confirmed, but the board stays as it is."""
        return cls(step, base, Done((step.action,)))

    @cached_property
    def outcome(self) -> Outcome:
        """Return what lies on the changed nodes in the end."""
        return frozenset(item for item in self.step.after.items() if item[0] not in self.step.removed)

    @cached_property
    def added(self) -> Counter[str]:
        """Return the pieces that come from the supply."""
        return Counter(piece for move in self.step.moves if move.source is None for piece in move.pieces)

    @cached_property
    def stacks(self) -> tuple[str, ...]:
        """Return the targets on which a piece comes to lie on others."""
        after, lying = self.step.after, self.step.moves
        leaving = Counter(move.source for move in lying)
        return tuple(node for node in dict.fromkeys(self.targets) if len(after.get(node, ())) > 1 and not leaving[node])

    @cached_property
    def takes_off(self) -> bool:
        """Return whether hands take a piece off the board, which looks the same as holding it."""
        return any(move.target is None for move in self.step.moves)


class Hypotheses:
    """Everything that is legal from a base, prepared for quick comparison with sensed states.

    A hypothesis is compared only at the nodes that it changes, and rejected by one set comparison if another node
    differs. ``gone`` are nodes of the base that may be empty already, as the rules clear them.
    """

    def __init__(
        self,
        model: SensorModel,
        base: Occupancy,
        steps: Sequence[Step],
        earlier: Earlier | None = None,
        gone: frozenset[str] = frozenset(),
    ) -> None:
        """Prepare a position. Steps without moves explain no board: they can only be chosen or confirmed."""
        self.model = model
        self.base = base
        self.steps = steps
        self.gone = gone
        self.earlier = earlier
        legal = [Hypothesis(step, base, Done((step.action,))) for step in steps if step.moves]
        self._traceless: tuple[frozenset[str], tuple[Step, ...]] | None = None
        self.by_action = {one.step.action: one for one in legal}
        self.back = None if earlier is None else _step_back(base, earlier)
        self.near = legal if self.back is None else [self.back, *legal]
        """The explanations by one action: legal steps and the step back."""

    def after_back(
        self, seen: Mapping[str, str], masked: Collection[str], differing: Collection[str], *, same: bool
    ) -> list[Hypothesis]:
        """Return the steps back followed by a step that seems to lie on the board while nothing else differs.

        A step of the same piece (``same``) makes one action: the piece moves on. A step of another piece makes two.
        """
        if self.earlier is None:
            return []
        last = self.earlier.last
        own, back = frozenset(move.source for move in last.moves), ends(last)
        besides = frozenset(differing) - back
        found = []
        for step in self.earlier.steps():
            if not step.moves or (frozenset(move.source for move in step.moves) == own) is not same:
                continue
            there = ends(step)
            if not besides <= there or not self.looks_like(step.after, there, step.removed, seen, masked):
                continue
            if step.action == last.action or _ends_where_it_began(step):
                continue
            net = _net_step(self.base, step.after, step, back | there)
            words = say("instead of that: {step}", step=step.words)
            net = replace(net, action=f"{TAKEN_BACK}+{step.action}", words=words)
            done = Done((step.action,), undo=True)
            found.append(Hypothesis(net, self.base, done, actions=1 if same else 2, rank=2))
        return found

    @cached_property
    def tallest(self) -> int:
        """Return the height of the tallest stack, now or after any step."""
        stacks = [*self.base.values(), *(one.step.after.get(n, ()) for one in self.near for n in one.changes)]
        return max((len(stack) for stack in stacks), default=1)

    def differing(self, seen: Mapping[str, str], masked: Collection[str]) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit the base."""
        found = self.model.mismatch(seen, masked, self.base)
        return tuple(n for n in found if n not in self.gone or seen[n] != NOTHING) if self.gone else found

    def rest(
        self, one: Hypothesis, seen: Mapping[str, str], masked: Collection[str], differing: Iterable[str]
    ) -> list[str]:
        """Return the nodes that don't look as they do after a step, among those that differ from the base."""
        surplus = (n for n in differing if n not in one.changes and (n not in one.covers or seen[n] != NOTHING))
        return [*self.undone(one, seen, masked), *surplus]

    def undone(self, one: Hypothesis, seen: Mapping[str, str], masked: Collection[str]) -> list[str]:
        """Return the nodes that a step changes and that don't look as they do after it."""
        after, removed, sensed_states = one.step.after.get, one.step.removed, self.model.sensed_states
        return [
            node
            for node in one.changes
            if node not in masked
            and seen[node] not in sensed_states(node, after(node))
            and not (node in removed and seen[node] == NOTHING)
        ]

    def looks_like(
        self,
        after: Occupancy,
        nodes: Iterable[str],
        removed: Collection[str],
        seen: Mapping[str, str],
        masked: Collection[str],
    ) -> bool:
        """Return whether some nodes look as they do on a board, where ``removed`` ones may be empty already."""
        sensed_states = self.model.sensed_states
        return all(
            node in masked
            or seen[node] in sensed_states(node, after.get(node))
            or (node in removed and seen[node] == NOTHING)
            for node in nodes
        )

    def complete(
        self,
        among: Iterable[Hypothesis],
        seen: Mapping[str, str],
        masked: Collection[str],
        differing: Collection[str],
    ) -> list[Hypothesis]:
        """Return the hypotheses whose prediction the whole board matches."""
        off = frozenset(differing)
        return [one for one in among if one.changes and off <= one.covers and not self.rest(one, seen, masked, off)]

    def shows(self, one: Hypothesis, node: str) -> bool:
        """Return whether the sensor of a node, if it works, proves that a step is done."""
        return self.model.tells(node, self.base.get(node), one.step.after.get(node))

    def arrival_shown(self, one: Hypothesis, masked: Collection[str]) -> bool:
        """Return whether some sensor shows that a step's pieces have arrived, not only that some have left."""
        return any(node not in masked and self.shows(one, node) for node in one.targets)

    def is_hidden(self, step: Step, masked: Collection[str]) -> bool:
        """Return whether no sensor shows that the step's pieces have arrived (stacked, or on a masked node)."""
        return not self.arrival_shown(self.by_action.get(step.action) or Hypothesis.said(step, self.base), masked)

    def traceless(self, masked: frozenset[str]) -> tuple[Step, ...]:
        """Return the whole actions after which the sensors report the same: people must confirm them."""
        if self._traceless is None or self._traceless[0] != masked:
            found = (one for one in self.by_action.values() if not one.step.partial)
            unseen = (one for one in found if not any(n not in masked and self.shows(one, n) for n in one.changes))
            self._traceless = masked, tuple(one.step for one in unseen)
        return self._traceless[1]


def by_outcome(hypotheses: Iterable[Hypothesis]) -> list[list[Hypothesis]]:
    """Group hypotheses with the same final board; each group is ordered by rank."""
    groups: dict[Outcome, list[Hypothesis]] = {}
    for one in hypotheses:
        groups.setdefault(one.outcome, []).append(one)
    return [sorted(group, key=lambda one: (one.cost, one.rank)) for group in groups.values()]


def _step_back(base: Occupancy, earlier: Earlier) -> Hypothesis:
    """Return the reversed last action as a step like any other."""
    last = earlier.last
    step = replace(_net_step(base, earlier.base, last, ends(last)), removed=frozenset())
    if len(last.moves) > 1:  # A line is slid back in the same way.
        step = replace(step, line=tuple(reversed(last.line)), touches=step.touches | last.touches)
    words = say("take back: {step}", step=last.words)
    return Hypothesis(replace(step, action=TAKEN_BACK, words=words), base, Done(undo=True), rank=0)


def _ends_where_it_began(step: Step) -> bool:
    """Return whether a piece ends where it began: it looks the same as one that was put back."""
    return any(move.source == move.target for move in step.moves)


def ends(step: Step) -> frozenset[str]:
    """Return the nodes where a step, with what the rules remove, may leave other pieces."""
    return step.removed.union(node for move in step.moves for node in (move.source, move.target) if node is not None)


def chain(base: Occupancy, first: Step, later: Step) -> Hypothesis:
    """Return two steps in sequence as one explanation of a board."""
    net = _net_step(base, later.after, later, ends(first) | ends(later))
    both = replace(net, action=f"{first.action}+{later.action}", touches=first.touches | later.touches)
    return Hypothesis(both, base, Done((first.action, later.action)), actions=2, rank=3)


def _net_step(base: Occupancy, after: Occupancy, step: Step, nodes: frozenset[str]) -> Step:
    """Return what hands do from one occupancy to another that differs at some of these nodes only."""
    moves = between(base, after, nodes, step.moves)
    touched = frozenset(node for move in moves for node in (move.source, move.target) if node is not None)
    return Step(
        step.action,
        step.words,
        moves,
        after,
        touched,
        removed=step.removed & frozenset(after),
    )


def between(
    base: Occupancy, after: Occupancy, nodes: Iterable[str], like: Sequence[PieceMove]
) -> tuple[PieceMove, ...]:
    """Return moves that turn one occupancy into another, which differ at some of these nodes only.

    A piece goes to a node where one of its kind is missing; the rest leaves the board or comes from the supply.
    Ambiguous ends are paired as in the moves ``like``, in either direction.
    """
    leaving: dict[str, list[str]] = {}
    coming: dict[str, list[str]] = {}
    for node in sorted(nodes):
        was, now = base.get(node, ()), after.get(node, ())
        if was != now:
            for piece in without(was, now):
                leaving.setdefault(piece, []).append(node)
            for piece in without(now, was):
                coming.setdefault(piece, []).append(node)
    moves = []
    for piece, sources in leaving.items():
        targets = coming.pop(piece, [])
        _pair(sources, targets, like)
        moves += [PieceMove((piece,), *ends) for ends in zip(sources, targets, strict=False)]
        moves += [PieceMove((piece,), node, None) for node in sources[len(targets) :]]
        coming[piece] = targets[len(sources) :]
    return (*moves, *(PieceMove((piece,), None, node) for piece, targets in coming.items() for node in targets))


def without(stack: Stack, other: Stack) -> Stack:
    """Return the pieces of a stack that another one does not have, in the order of the stack."""
    if not other:
        return stack
    more = list(stack)
    for piece in other:
        if piece in more:
            more.remove(piece)
    return tuple(more)


def _pair(sources: list[str], targets: list[str], like: Sequence[PieceMove]) -> None:
    """Bring the ends of known moves to the front of both lists, in the same order."""
    known = [pair for move in like for pair in ((move.source, move.target), (move.target, move.source))]
    pairs = [(one, other) for one, other in known if one in sources and other in targets]
    sources.sort(key=lambda node: min((n for n, pair in enumerate(pairs) if node == pair[0]), default=len(pairs)))
    targets.sort(key=lambda node: min((n for n, pair in enumerate(pairs) if node == pair[1]), default=len(pairs)))

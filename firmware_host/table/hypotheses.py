"""What hands can have done since the board was last in order: the hypotheses, and the evidence for each.

A person who makes a move lifts and puts pieces, in any order, with either hand, and now and then touches something
else. The sensors report some of that. Which move was it? This is *plan recognition*: explaining observations by an
agent's plan. Kautz and Allen ("Generalized plan recognition", AAAI 1986) explain them by the smallest set of plans from
a library. Here the library is complete and small, since the rules of the game list every legal action of the position.
So nothing is classified or learned: each explanation of the board *is* a legal action, predicts what every sensor
reports once it is done and on the way, and is compared with what they report. (As in Ramírez and Geffner, "Plan
recognition as planning", IJCAI 2009, explanations are compared by what they leave over.)

:class:`Hypothesis` is one explanation. :class:`Hypotheses` are all of one position: each legal step, the step back, and
the step back followed by another step. The base itself stands for "nothing was done"; two steps at once are tried by
:mod:`firmware_host.table.watch` where no single one explains the board. :class:`Touches` is what hands touched, and
:class:`Evidence` puts all of it together, with the questions that a judgement asks. All are values: a change of a
sensor makes new ones, so that a change of the table that fails is undone by keeping the old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any

from firmware_host.games.game import Occupancy, PieceMove, Stack, Step
from firmware_host.table.sensor_model import (
    NOTHING,
    ROUNDING_S,
    SLIDE_S,
    PossibleBoard,
    PossibleBoards,
    SensorModel,
    Taps,
    with_fields,
    without,
)
from firmware_host.text.words import say

Outcome = frozenset[tuple[str, Stack]]
"""What is left on the board once what the rules remove is gone."""

Follow = Callable[[Step, frozenset[str]], Sequence[Step]]
"""Returns the legal steps after a step that touch or clear all of some nodes."""

Ending = Callable[["Done"], str]
"""Returns what these actions end: ``game``, ``turn`` (also a phase), or nothing."""

TAKEN_BACK = "take-back"
"""The name of the step back in questions on a phone."""
NO_ACTION = "nothing"
"""The answer that no action was meant: the pieces go back."""


@dataclass(frozen=True)
class Timings:
    """Times of a table, seconds, each from the last change of a sensor."""

    settle: float = 0.15
    """Before a step counts that has no equally good alternative."""
    extendable: float = 0.4
    """Before a step counts that may still be a part of another one, or that takes the last action back."""
    stack: float = 1.5
    """Before a piece that stays away is assumed to lie where no sensor shows it, or off the board."""
    wrong_node: float = 1.0
    """Before a piece on a wrong node is shown as an error."""
    repair: float = 4.0
    """Before an unexplained board gets the repair view."""
    suspect: float = 30.0
    """Without any change, before the acting player is asked whether a sensor is stuck."""
    taps: float = 2.0
    """The longest duration of one tap, and the time within which a second tap of the same piece makes two."""
    spoken: float = 2.0
    """Before two taps count that nobody asked for: they can happen by accident, so the step is shown first."""
    together: float = 0.12
    """Changes within this time may come from one push of a whole line, in any order of the sensors."""
    one_sensor: bool = True
    """Whether the report of one sensor alone may decide. Without it people are asked: a dead sensor looks like a piece
    that was lifted, a stuck or flapping one like a piece that was put down."""


@dataclass(frozen=True)
class Earlier:
    """The position before the last action, while that action can be taken back by hand.

    ``last`` is what the hands did for the last action; ``steps`` returns the legal steps before it, which are rarely
    needed, and ``follow`` the steps after one of them that is a part of an action.
    """

    base: Occupancy
    last: Step
    steps: Callable[[], Sequence[Step]]
    follow: Follow | None = None


@dataclass(frozen=True)
class Done:
    """What counts now: take the last action back first (``undo``), then commit ``actions`` in order."""

    actions: tuple[str, ...] = ()
    undo: bool = False
    unsure: bool = False
    """Whether only a piece's absence says so: the piece that comes back undoes it without a question."""


NOTHING_DONE = Done()


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
    def without_moves(cls, step: Step, base: Occupancy) -> Hypothesis:
        """Return a step without moves: it can be chosen or confirmed, but the board stays as it is."""
        return cls(step, base, Done((step.action,)))

    @cached_property
    def outcome(self) -> Outcome:
        """Return what lies on the changed nodes in the end."""
        return frozenset(item for item in self.step.after.items() if item[0] not in self.step.removed)

    @cached_property
    def supply(self) -> Counter[str]:
        """Return the pieces that come from the supply."""
        return Counter(piece for move in self.step.moves if move.source is None for piece in move.pieces)

    @cached_property
    def stacks(self) -> tuple[str, ...]:
        """Return the targets on which a piece comes to lie on others."""
        after, lying = self.step.after, self.step.moves
        leaving = Counter(move.source for move in lying)
        return tuple(node for node in dict.fromkeys(self.targets) if len(after.get(node, ())) > 1 and not leaving[node])

    @cached_property
    def parts(self) -> tuple[PieceMove, ...]:
        """Return the moves that hands make one by one, in any order (put a piece, take another off); else nothing.

        Pieces that are slid together or change places, stages, and what is taken back have no parts.
        """
        moves, nodes = self.step.moves, (*self.sources, *self.targets)
        whole = len(moves) < 2 or self.step.line or self.step.partial or self.done.undo or len(set(nodes)) < len(nodes)
        return () if whole else moves

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

    @cached_property
    def exchange(self) -> bool:
        """Return whether some step puts a piece from the supply and takes another one off the board."""
        return any(one.takes_off and one.supply for one in self.in_parts)

    @cached_property
    def in_parts(self) -> tuple[Hypothesis, ...]:
        """Return the steps that hands make part by part."""
        several = [one for one in self.by_action.values() if len(one.step.moves) > 1 and not one.step.partial]
        return tuple(one for one in several if one.parts)

    @cached_property
    def tallest(self) -> int:
        """Return the height of the tallest stack, now or after any step."""
        stacks = [*self.base.values(), *(one.step.after.get(n, ()) for one in self.near for n in one.changes)]
        return max((len(stack) for stack in stacks), default=1)

    def shows(self, one: Hypothesis, node: str) -> bool:
        """Return whether the sensor of a node, if it works, proves that a step is done."""
        return self.model.tells(node, self.base.get(node), one.step.after.get(node))

    def arrival_shown(self, one: Hypothesis, masked: Collection[str]) -> bool:
        """Return whether some sensor shows that a step's pieces have arrived, not only that some have left."""
        return any(node not in masked and self.shows(one, node) for node in one.targets)

    def is_hidden(self, step: Step, masked: Collection[str]) -> bool:
        """Return whether no sensor shows that the step's pieces have arrived (stacked, or on a masked node)."""
        known = self.by_action.get(step.action) or Hypothesis.without_moves(step, self.base)
        return not self.arrival_shown(known, masked)

    def traceless(self, masked: frozenset[str]) -> tuple[Step, ...]:
        """Return the steps after which the sensors report the same: people must confirm them."""
        if self._traceless is None or self._traceless[0] != masked:
            found = self.by_action.values()  # In a well that is not masked the tile is felt on its way.
            same = (o for o in found if all(n in masked or not (o.step.partial or self.shows(o, n)) for n in o.changes))
            self._traceless = masked, tuple(one.step for one in same)
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


def chain(base: Occupancy, before: Hypothesis, later: Step) -> Hypothesis:
    """Return two steps in sequence as one explanation of a board."""
    first = before.step
    net = _net_step(base, later.after, later, ends(first) | ends(later))
    both = replace(net, action=f"{first.action}+{later.action}", touches=first.touches | later.touches)
    done = replace(before.done, actions=(*before.done.actions, later.action))
    return Hypothesis(both, base, done, actions=before.cost + 1, rank=3)


def _net_step(base: Occupancy, after: Occupancy, step: Step, nodes: frozenset[str]) -> Step:
    """Return what hands do from one occupancy to another that differs at some of these nodes only."""
    moves = between(base, after, nodes, step.moves)
    touched = frozenset(node for move in moves for node in (move.source, move.target) if node is not None)
    return Step(step.action, step.words, moves, after, touched, removed=step.removed & frozenset(after))


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


def _pair(sources: list[str], targets: list[str], like: Sequence[PieceMove]) -> None:
    """Bring the ends of known moves to the front of both lists, in the same order."""
    known = [pair for move in like for pair in ((move.source, move.target), (move.target, move.source))]
    pairs = [(one, other) for one, other in known if one in sources and other in targets]
    sources.sort(key=lambda node: min((n for n, pair in enumerate(pairs) if node == pair[0]), default=len(pairs)))
    targets.sort(key=lambda node: min((n for n, pair in enumerate(pairs) if node == pair[1]), default=len(pairs)))


# -- what hands touched -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Touches:
    """Touches since the board was last in order."""

    first: Mapping[str, float] = field(default_factory=dict)
    """Nodes in the order in which they were first touched, with the time."""
    refilled: frozenset[str] = frozenset()
    """Nodes that were emptied and filled again, after whatever time."""
    emptied: Mapping[str, float] = field(default_factory=dict)
    """When nodes were emptied."""
    last: float = 0.0
    """The time of the last change."""
    passed: Hypothesis | None = None
    """The step that lay on the board, fully seen, before the hands went on."""
    passed_for: float = 0.0
    """How long it lay, seconds."""
    before: frozenset[str] = frozenset()
    """Nodes that differed already before somebody resigned, chose, or masked a sensor: a piece that is missing there
    was perhaps lifted for something else."""
    since: frozenset[str] = frozenset()
    """Nodes whose sensors have changed since the last action counted, also while the board was in order between."""
    replaced: frozenset[str] = frozenset()
    """Nodes emptied and filled again earlier, where one piece may have replaced another unseen."""
    guided: Mapping[str, bool] = field(default_factory=dict)
    """Nodes that have changed since something was asked for, the last one last, and whether that asked for it."""

    def all_replaced(self) -> frozenset[str]:
        """Return the nodes that were emptied and filled again since the base was set."""
        return self.replaced | self.refilled

    def count_unexplained(self, one: Hypothesis) -> int:
        """Return how many touched nodes a hypothesis does not explain."""
        return len(self.first.keys() - one.reach)

    def explained_by(self, one: Hypothesis) -> bool:
        """Return whether a hypothesis explains every touch."""
        return self.first.keys() <= one.reach

    def out_of_order(self, one: Hypothesis, together: float) -> bool:
        """Return whether the piece that lies at a target arrived while the source's own piece was still lying."""
        if len(one.step.moves) != 1 or not one.sources or not one.targets:
            return False
        left, arrived = self.first.get(one.sources[0]), self.first.get(one.targets[0])
        return left is not None and arrived is not None and left - arrived > together


UNTOUCHED = Touches()
"""No touch so far."""


# -- the evidence ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """All that a judgement of the board depends on: what is sensed, what was touched, and what is legal.

    Its methods that begin with a change return the evidence after it; the others are the questions of a judgement.
    """

    model: SensorModel
    timings: Timings
    sensed: Mapping[str, str]
    """Node → its sensed state, in the order of the layout."""
    hypotheses: Hypotheses
    boards: PossibleBoards
    taps: Taps
    touches: Touches
    order: Mapping[str, int]
    """The number of each node, in the order of the layout."""
    differing: tuple[str, ...] = ()
    """The nodes whose sensed state doesn't fit the base."""
    masked: frozenset[str] = frozenset()
    """The nodes whose sensors are not believed."""
    follow: Follow | None = None
    """Returns the steps after a step."""
    allowed: Callable[[Done], bool] = lambda _done: True
    """Returns whether hands may do these actions one after another: they choose for nobody who is played for."""
    ending: Ending | None = None
    """Returns what actions end."""
    unsure: bool = False
    """Whether only a piece's absence said that the last action was done."""
    bound: bool = False
    """Whether the only step was named beforehand, as computers do: no question is needed."""
    named: str | None = None
    """The step that was chosen on a phone, while hands may still do another one."""
    over: bool = False
    """Whether the game is over: the board may be packed up, and the last action may still be taken back."""

    @classmethod
    def of_empty_board(cls, model: SensorModel, nodes: Sequence[str], timings: Timings) -> Evidence:
        """Return the evidence of an empty board with nothing expected; ``nodes`` are all nodes of the layout."""
        none, order = Hypotheses(model, {}, ()), {node: number for number, node in enumerate(nodes)}
        boards, taps = PossibleBoards(model, {}, 1), Taps(timings.taps)
        return cls(model, timings, dict.fromkeys(nodes, NOTHING), none, boards, taps, Touches(), order)

    @property
    def base(self) -> Occupancy:
        """Return the occupancy that the position implies."""
        return self.hypotheses.base

    @property
    def is_muddled(self) -> bool:
        """Return whether so much has happened that the events don't tell which piece lies where."""
        return not self.bound and self.boards.now() is None

    def mismatch(self, occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit an occupancy, masked nodes left out."""
        if occupancy is self.base and not self.hypotheses.gone:
            return self.differing
        return self.model.mismatch(self.sensed, self.masked, occupancy)

    def ends(self, done: Done) -> str:
        """Return what these actions end: ``game``, ``turn`` (also a phase), or nothing."""
        return self.ending(done) if self.ending is not None and done.actions else ""

    # -- changes -------------------------------------------------------------------------------------------------

    def expect(
        self,
        base: Occupancy,
        steps: Sequence[Step],
        at: float,
        *,
        earlier: Earlier | None = None,
        gone: frozenset[str] = frozenset(),
        follow: Follow | None = None,
        allowed: Callable[[Done], bool] = lambda _done: True,
        ending: Ending | None = None,
        unsure: bool = False,
        bound: bool = False,
        named: str | None = None,
        over: bool = False,
    ) -> Evidence:
        """Return the evidence with another base, and the legal steps from it.

        ``earlier`` is what can be taken back by hand, ``gone`` are nodes that may be empty already; the others are the
        fields of these names.
        """
        begun = with_fields(
            self,
            hypotheses=Hypotheses(self.model, base, steps, earlier, gone),
            taps=self.taps.anew(),
            follow=follow,
            allowed=allowed,
            ending=ending,
            unsure=unsure,
            bound=bound,
            named=named,
            over=over,
        )
        if base == self.base:
            return begun.forget_hands(at)
        begun = begun.forget_hands(at, self._replaced_since(base))
        # An action has counted, so a piece in the air was lifted for the next one.
        return with_fields(begun, touches=with_fields(begun.touches, before=frozenset(), since=frozenset()))

    def _replaced_since(self, base: Occupancy) -> frozenset[str]:
        """Return the nodes that were emptied and filled again after an action that leaves this base had come down."""
        touches, was = self.touches, self.base
        landed = max((at for node, at in touches.first.items() if base.get(node) != was.get(node)), default=inf)
        return frozenset(node for node in touches.refilled if touches.emptied.get(node, 0.0) > landed)

    def forget_hands(self, at: float, replaced: frozenset[str] = frozenset()) -> Evidence:
        """Return the evidence that begins with the present differences; in ``replaced`` wells another tile may lie."""
        hypotheses = self.hypotheses
        found = self.model.mismatch(self.sensed, self.masked, hypotheses.base)
        if hypotheses.gone:
            found = tuple(n for n in found if n not in hypotheses.gone or self.sensed[n] != NOTHING)
        off = found if hypotheses.near else ()
        first, since = dict.fromkeys(off, at), self.touches.since
        before = frozenset(off)
        touches = with_fields(UNTOUCHED, first=first, last=at, before=before, since=since, replaced=replaced)
        boards = self._first_boards(replaced)
        for node in off:
            boards = boards.with_change(node, self.sensed[node], at)
        return with_fields(self, differing=found, touches=touches, boards=boards)

    def mask(self, nodes: frozenset[str], at: float) -> Evidence:
        """Return the evidence without the sensors of these nodes, and without earlier touches."""
        return with_fields(self, masked=nodes).forget_hands(at)

    def sense(
        self, node: str, sensed: str, at: float, passed: tuple[Hypothesis, float] | None, guided: bool | None = None
    ) -> Evidence:
        """Return the evidence after a change of a node; ``passed``: the step that lay until then, and how long.

        ``guided``: whether what is shown asks for this change; None if nothing does for any.
        """
        before, was_off, gone = self.sensed[node], self.differing, self.hypotheses.gone
        seen = {**self.sensed, node: sensed}
        if node in self.masked:
            return with_fields(self, sensed=seen, touches=with_fields(self.touches, last=at))
        fits = self.model.fits(node, self.base.get(node), sensed)
        off = was_off
        if fits or (sensed == NOTHING and node in gone):
            off = tuple(other for other in was_off if other != node)
        elif node not in was_off:
            off = tuple(sorted((*was_off, node), key=self.order.__getitem__))
        touches, boards = self.touches, self.boards
        news: dict[str, Any] = {"last": at, "since": touches.since | {node}}
        if not fits and not was_off:  # Touches before the board was last in order say nothing about the next step.
            news["replaced"] = touches.all_replaced()
            touches, boards = UNTOUCHED, self._first_boards(news["replaced"])
        if not fits:
            if node not in touches.first:
                news["first"] = {**touches.first, node: at}
            if sensed == NOTHING:
                news["emptied"] = {**touches.emptied, node: at}
        elif before == NOTHING and node in touches.first:
            news["refilled"] = touches.refilled | {node}
        if passed is not None:
            news["passed"], news["passed_for"] = passed
        if guided is not None:
            others = {other: asked for other, asked in touches.guided.items() if other != node}
            news["guided"] = {**others, node: guided}
        if was_off or not fits:
            boards = boards.with_change(node, sensed, at)
        offers = fits and was_off == (node,) and any(node in one.step.tap_twice for one in self.hypotheses.near)
        taps = self.taps.after(node, before, sensed, at, playing=bool(self.hypotheses.near), offers=offers)
        return with_fields(
            self, sensed=seen, differing=off, touches=with_fields(touches, **news), boards=boards, taps=taps
        )

    def _first_boards(self, replaced: frozenset[str] = frozenset()) -> PossibleBoards:
        """Return the boards that are possible before hands begin."""
        legal = self.hypotheses
        also = self._still_in_hand()
        return PossibleBoards(
            self.model, self.base, legal.tallest, replaced=replaced, also=also, exchanged=legal.exchange
        )

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

    # -- what lies -----------------------------------------------------------------------------------------------

    def rest(self, one: Hypothesis) -> list[str]:
        """Return the nodes that don't look as they do once a hypothesis is done."""
        changes, covers, seen = one.changes, one.covers, self.sensed
        surplus = (n for n in self.differing if n not in changes and (n not in covers or seen[n] != NOTHING))
        return [*self.undone(one), *surplus]

    def undone(self, one: Hypothesis) -> list[str]:
        """Return the nodes that a step changes and that don't look as they do after it."""
        after, removed, sensed_states = one.step.after.get, one.step.removed, self.model.sensed_states
        seen, masked = self.sensed, self.masked
        return [
            node
            for node in one.changes
            if node not in masked
            and seen[node] not in sensed_states(node, after(node))
            and not (node in removed and seen[node] == NOTHING)
        ]

    def looks_like(self, after: Occupancy, nodes: Iterable[str], removed: Collection[str]) -> bool:
        """Return whether some nodes look as they do on a board, where ``removed`` ones may be empty already."""
        return all(
            node in self.masked
            or self.sensed[node] in self.model.sensed_states(node, after.get(node))
            or (node in removed and self.sensed[node] == NOTHING)
            for node in nodes
        )

    def complete(self, among: Iterable[Hypothesis]) -> list[Hypothesis]:
        """Return the hypotheses whose prediction the whole board matches."""
        off = frozenset(self.differing)
        return [one for one in among if one.changes and off <= one.covers and not self.rest(one)]

    def after_back(self, *, same: bool) -> list[Hypothesis]:
        """Return the steps back followed by a step that seems to lie on the board while nothing else differs.

        A step of the same piece (``same``) makes one action: the piece moves on. A step of another piece makes two.
        """
        earlier = self.hypotheses.earlier
        if earlier is None:
            return []
        last = earlier.last
        own, back = frozenset(move.source for move in last.moves), ends(last)
        besides = frozenset(self.differing) - back
        return [
            self._instead(earlier, step, actions=1 if same else 2)
            for step in earlier.steps()
            if step.moves
            and (frozenset(move.source for move in step.moves) == own) is same
            and besides <= ends(step)
            and self._lies_instead(earlier, step)
        ]

    def laid_anew(self) -> list[Hypothesis]:
        """Return the parts of an action that seem to lie in place of the last one, whatever else differs."""
        earlier = self.hypotheses.earlier
        if earlier is None or not earlier.last.partial or frozenset(self.differing).isdisjoint(ends(earlier.last)):
            return []
        parts = (step for step in earlier.steps() if step.partial and self._lies_instead(earlier, step))
        return [self._instead(earlier, step, actions=1) for step in parts]

    def _lies_instead(self, earlier: Earlier, step: Step) -> bool:
        """Return whether a step seems to lie in place of the last action, at its own nodes."""
        other = step.action != earlier.last.action and not _ends_where_it_began(step)
        return other and self.looks_like(step.after, ends(step), step.removed)

    def _instead(self, earlier: Earlier, step: Step, *, actions: int) -> Hypothesis:
        net = _net_step(self.base, step.after, step, ends(earlier.last) | ends(step))
        words = say("instead of that: {step}", step=step.words)
        net = replace(net, action=f"{TAKEN_BACK}+{step.action}", words=words)
        return Hypothesis(net, self.base, Done((step.action,), undo=True), actions=actions, rank=2)

    # -- done, by what was seen -----------------------------------------------------------------------------------

    def unseen(self, one: Hypothesis, besides: frozenset[str] = frozenset()) -> int | None:
        """Return how many pieces of a hypothesis that looks done no sensor can have shown being lifted or put down.

        ``besides`` are nodes where something else is going on. None if the order of events rules the hypothesis out.
        """
        if self.bound or not self.masked.isdisjoint(one.changes):
            return 0
        if self.touches.out_of_order(one, self.timings.together) or self._cleared_too_early(one):
            return None
        if self._slid(one):
            return 0 if self.arrival_shown(one) else 1
        return self.boards.unseen(one.step, one.changes, one.supply, self.sensed, self.masked | besides)

    def _cleared_too_early(self, one: Hypothesis) -> bool:
        """Return whether a piece that this step would remove was lifted before the step's own piece had come down."""
        first, landed = self.touches.first, self._landing_time(one)
        own = {*one.changes, *(move.source for move in one.step.moves)}  # A line is pushed over its last node.
        return any(first[node] < landed for node in one.step.removed if node in first and node not in own)

    def _landing_time(self, one: Hypothesis) -> float:
        """Return when the last piece of a step has come down, as far as that was seen."""
        first = self.touches.first
        return max((first[node] for node in one.targets if node in first), default=0.0)

    def went_on(self, one: Hypothesis) -> bool:
        """Return whether hands have touched all that differs beside a step only after its pieces had come down."""
        return all(self.touches.first.get(node, -inf) >= self._landing_time(one) for node in self.rest(one))

    def never_landed(self, one: Hypothesis) -> bool:
        """Return whether a step's own pieces, which the rules would remove, have not been seen where they end.

        That their nodes are empty says nothing then: they are in the hand.
        """
        gone = self.not_landed(one)
        return bool(gone) and len(gone) == len(one.targets)

    def not_landed(self, one: Hypothesis) -> list[str]:
        """Return the nodes where a step's pieces end that the rules remove, and where none was seen: it may come."""
        removed, first = one.step.removed, self.touches.first
        return [n for n in one.targets if n in removed and n not in first and self.sensed[n] == NOTHING]

    def _slid(self, one: Hypothesis) -> bool:
        """Return whether a whole line may have been slid while some sensor on the way saw no gap between its pieces."""
        first, moves = self.touches.first, one.step.moves
        if len(moves) < 2 or not one.step.line or any(move.source is None for move in moves):
            return False
        if not self.touches.explained_by(one):
            return False
        if all(node in first for node in one.changes if node in self.base):
            return False
        ends = [node for node in one.sources if node not in one.targets]
        left = min((first[node] for node in ends if node in first), default=0.0)
        landed = (first[node] for node in one.targets if node in first and node not in self.base)
        return all(left - at < self.timings.together for at in landed)

    def cleared_nodes(self, step: Step) -> frozenset[str]:
        """Return the empty nodes of pieces that the rules remove; these pieces may be in the hand as well."""
        return frozenset(node for node in step.removed if self.sensed[node] == NOTHING)

    def count_cleared(self, one: Hypothesis) -> int:
        """Return how many pieces that the rules remove would have to be off the board already."""
        return len(self.cleared_nodes(one.step) - self.masked)

    def arrival_shown(self, one: Hypothesis) -> bool:
        """Return whether a sensor shows that the step's pieces have arrived (not pieces that the rules remove)."""
        return self.hypotheses.arrival_shown(one, self.masked | self.cleared_nodes(one.step))

    def shows(self, one: Hypothesis, node: str) -> bool:
        """Return whether the sensor of a node proves that this step is done."""
        return node not in self.masked and self.hypotheses.shows(one, node)

    def guesses(self, one: Hypothesis) -> bool:
        """Return whether a masked sensor leaves open if this step was made: then a person has to confirm it."""
        return not self.bound and not self.masked.isdisjoint((*one.sources, *one.targets))

    def unread(self, steps: Sequence[Step]) -> bool:
        """Return whether these are stages whose tile no sensor has read: which it is, and how it is turned."""
        wells = [move.target for step in steps for move in step.moves if move.target and move.target not in self.masked]
        read = any(self.model.is_whole_tile(well, self.sensed[well]) for well in wells)
        return all(step.partial for step in steps) and not read

    def slides_on(self, one: Hypothesis) -> bool:
        """Return whether the piece of the last action goes on so soon that it has only rested on its way."""
        first, landed, earlier = self.touches.first, self.taps.landed, self.hypotheses.earlier
        if not one.done.undo or not one.done.actions or earlier is None or earlier.last.partners:
            return False
        slid = all(move.source is not None for move in earlier.last.moves)
        return slid and all(first.get(node, inf) - landed.get(node, -inf) < SLIDE_S for node in one.sources)

    def is_guided(self, one: Hypothesis) -> bool:
        """Return whether what looks like a step was completed because a repair asked for that.

        Not if it was chosen on a phone, or had lain there before.
        """
        touches, lay = self.touches, self.touches.passed_for >= self.timings.together - ROUNDING_S
        if self.bound or one.step.action == self.named or (lay and one is touches.passed):
            return False
        return next((touches.guided[node] for node in reversed([*touches.guided]) if node in one.changes), False)

    def has_begun(self, one: Hypothesis) -> bool:
        """Return whether a piece of a step has gone all of its way, by what was seen, and of its own accord.

        What the rules had removed and lies there again takes no action back: the piece that acted has to go back.
        """
        first, off = self.touches.first, self.differing
        back = one.done.undo and any(move.source for move in one.step.moves)
        return not self.is_guided(one) and any(
            move.target is not None
            and move.target in off
            and not (back and move.source is None)
            and (move.source is None or (move.source in off and first[move.source] <= first[move.target]))
            and self.looks_like(one.step.after, (move.target,), ())
            for move in one.step.moves
        )

    def may_be_replaced(self, one: Hypothesis) -> bool:
        """Return whether a part of an action may lie on the board unseen, in place of what lay there before."""
        return one.step.partial and not self.touches.all_replaced().isdisjoint(one.targets)

    def only_felt_besides(self, one: Hypothesis) -> bool:
        """Return whether no step takes another touched piece to a node where the pieces of this step come to lie."""
        felt, targets = self.touches.first.keys() - one.reach, set(one.targets)
        return all(
            felt.isdisjoint(other.sources) or targets.isdisjoint(other.targets) for other in self.hypotheses.near
        )

    # -- under way -----------------------------------------------------------------------------------------------

    def done_parts(self, one: Hypothesis) -> tuple[PieceMove, ...]:
        """Return the parts of a step that lie on the board, while others are still to be done."""
        off, after = self.differing, one.step.after
        return tuple(
            move
            for move in one.parts
            if (move.source is None or move.source in off)
            and (move.target is None or (move.target in off and self.looks_like(after, (move.target,), ())))
        )

    def live(self) -> list[Hypothesis]:
        """Return the steps that may be under way, starting with those whose own piece is in the air."""
        off = frozenset(self.differing)
        live = self._live_at(off)
        arrived = any(self.sensed[node] != NOTHING for node in off)
        return [
            one for one in live if not off.isdisjoint(one.sources) or (arrived and _goes_piece_by_piece(one))
        ] or live

    def live_but_for(self, node: str) -> list[Hypothesis]:
        """Return the steps that may be under way if the sensor of a node, which they do not touch, were wrong."""
        off = frozenset(self.differing) - {node}
        return [one for one in self._live_at(off) if node not in one.reach] if off else []

    def _live_at(self, off: frozenset[str]) -> list[Hypothesis]:
        """Return the steps that may be under way where these nodes differ."""
        return [one for one in self.hypotheses.near if off <= one.reach and self._under_way(one, off)]

    def _under_way(self, one: Hypothesis, off: frozenset[str]) -> bool:
        """Return whether every difference may be a moment of this step: no piece arrives before it has left."""
        if not all(self._plausible(one, node) for node in off):
            return False
        if _goes_piece_by_piece(one):
            return any(self.sensed[node] == NOTHING for node in off)
        return all(
            move.source is None
            or move.source in off
            or move.target not in off
            or self.sensed.get(move.target or "") == NOTHING
            or not self.shows(one, move.source)
            for move in one.step.moves
        )

    def _plausible(self, one: Hypothesis, node: str) -> bool:
        sensed = self.sensed[node]
        if sensed == NOTHING or sensed in self.model.sensed_states(node, one.step.after.get(node)):
            return True
        base = self.base.get(node, ())
        return any(
            sensed in self.model.sensed_states(node, stack)
            for move in one.step.moves
            if node in {move.source, move.target}
            for stack in _parts(base, move.pieces, leaving=node == move.source)
        )

    def following(self, first: Hypothesis, rest: frozenset[str]) -> Iterator[Step]:
        """Yield the steps after a step that touch all other differing nodes."""
        follow, earlier = self.follow, self.hypotheses.earlier
        step = first.step
        if first.done.undo and earlier is not None:
            follow = earlier.follow
            step = next(step for step in earlier.steps() if (step.action,) == first.done.actions)
        if follow is not None:
            yield from (later for later in follow(step, rest) if later.moves)

    def may_be_moment(self, step: Step, nodes: Iterable[str]) -> bool:
        """Return whether the differences at some nodes may be a moment of a step."""
        fits, seen, after = self.model.fits, self.sensed, step.after
        return all(seen[node] == NOTHING or fits(node, after.get(node), seen[node]) for node in nodes)

    def lifted_nodes(self, live: Sequence[Hypothesis]) -> tuple[str, ...]:
        """Return the nodes from which steps under way have taken their pieces."""
        sources, off = dict.fromkeys(source for one in live for source in one.sources), frozenset(self.differing)
        return tuple(node for node in sources if self.sensed[node] == NOTHING or node in off)


def _goes_piece_by_piece(one: Hypothesis) -> bool:
    """Return whether a whole line is put back: moves give only its ends, each piece goes to its neighbour's node."""
    return one.done.undo and not one.done.actions and len(one.step.line) > 1


def _parts(base: tuple[str, ...], pieces: tuple[str, ...], *, leaving: bool) -> list[tuple[str, ...]]:
    """Return the stacks that a node may show for a moment while pieces leave it or arrive one by one."""
    if not leaving:
        return [(*base, piece) for piece in pieces] + [(piece,) for piece in pieces]
    rest = list(base)
    stacks = []
    for piece in pieces:
        if piece in rest:
            rest.remove(piece)
        stacks.append(tuple(rest))
    return [stack for stack in stacks if stack] + [(piece,) for piece in base]

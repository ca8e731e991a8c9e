"""What a sensed board says about pieces: readings that stacks can give, boards that readings allow, and gestures.

**Sensed states.** A node's sensor reports a *sensed state*, its reading after debouncing:

============= ====================================================================================
sensed state  meaning
============= ====================================================================================
``""``        nothing
``x``         something (``presence``)
``N`` ``S``   a stone alone, or the lower stone of a stack (``polarity``); a stone alone (``level``)
``N<`` ``S<`` weaker than a stone alone: opposite poles stacked, the lower stone's pole given (``level``)
``N>`` ``S>`` stronger: like poles stacked (``level``)
``?``         a fault that the sensor itself reports; in a well, anything but a whole tile
``7r5``       tile 7, turned five eighths clockwise (``coded``, in wells)
============= ====================================================================================

Each stack maps to the *set* of states that it may give, since a position does not say which stone of a mixed stack is
the lower one, and a magnet on another one may push the field either way. A sensor tells two stacks apart only where
these sets are disjoint. Everything above rests on that one relation, so a kind of sensing needs no code anywhere else.

**Possible boards.** Where a sensor reports a piece but not which one, several boards give the same readings. Time tells
them apart: the piece that was lifted is known, so only it, or one from the supply, can have come down. This is the
belief state of planning with sensors that see only a part (Russell and Norvig, *Artificial Intelligence: A Modern
Approach*, chapter "Search in partially observable environments"): the set of all boards that the events so far allow.
:class:`PossibleBoards` carries that set from change to change, instead of guessing one board and mending the guess
later. It stays small, as hands hold few pieces; where it grows beyond :data:`MOST` nothing is concluded from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement, permutations
from math import inf
from typing import Any, TypeVar

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, Occupancy, Stack, Step

NOTHING = ""
UNKNOWN = "?"
"""A tile that no sensor has read."""

_SOMETHING = frozenset({"x"})
_EMPTY = frozenset({NOTHING})
_UNREADABLE = frozenset({"?"})
SHARES = (1.0, 0.47, 0.2, 0.1)
"""Share of each stone's field that reaches a linear sensor, from the lowest stone of a stack up."""
_SLACK = 0.1
_WEAKEST, _STRONGEST = (SHARES[0] - SHARES[1] / 2, SHARES[0] + SHARES[1] / 2)
"""The thresholds: half-way between an opposite stack, a stone alone, and a like stack."""
_BANDS = {"<": (0.0, _WEAKEST + _SLACK), "": (_WEAKEST - _SLACK, _STRONGEST + _SLACK), ">": (_STRONGEST - _SLACK, inf)}


@dataclass(frozen=True)
class SensorModel:
    """One kind of sensing with the magnets of one game's pieces.

    ``kind`` is ``presence``, ``polarity``, ``level`` or ``coded``; ``poles`` maps a piece letter to ``N`` or ``S``.
    """

    kind: str
    poles: Mapping[str, str]
    ambiguous_stacks: frozenset[str] = frozenset()
    """Nodes with ``level`` where stacks can't be distinguished from stones: they show the lowest stone's pole only."""
    wells: frozenset[str] = frozenset()
    """Nodes that take only tiles; all others take no tile."""
    tiles: frozenset[str] = frozenset()
    """The pieces that are tiles."""
    _known: dict[tuple[bool, bool, Stack | None], frozenset[str]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """The states of stacks found so far: the same few are looked up at each change of a sensor."""

    def sensed_states(self, node: str, stack: Stack | None) -> frozenset[str]:
        """Return every state that a stack (None: nothing) may give at a node; none if it can't lie there."""
        key = (node in self.ambiguous_stacks, node in self.wells, stack)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._states(*key)
        return found

    def _states(self, ambiguous: bool, well: bool, stack: Stack | None) -> frozenset[str]:
        if not stack:
            return _EMPTY
        tiled = not self.tiles.isdisjoint(stack)
        if self.wells and tiled != well:
            return frozenset()
        if self.kind in {"presence", "coded"}:
            coded = _UNREADABLE if len(stack) > 1 else frozenset(stack)
            return coded if self.kind == "coded" and tiled else _SOMETHING
        poles = {self.poles[piece] for piece in stack}
        if self.kind == "polarity" or ambiguous or len(stack) == 1:
            return frozenset(poles)
        return frozenset(state for order in set(permutations(stack)) for state in self._levels(order))

    def _levels(self, order: Stack) -> Iterator[str]:
        """Yield what a linear sensor may report of a stack, from the lowest stone up."""
        sign = {pole: 1 if pole == self.poles[order[0]] else -1 for pole in ("N", "S")}
        strength = sum(sign[self.poles[piece]] * share for piece, share in zip(order, SHARES, strict=False))
        for mark, (least, most) in _BANDS.items():
            if least <= strength <= most:
                yield self.poles[order[0]] + mark

    def fits(self, node: str, stack: Stack | None, sensed: str) -> bool:
        """Return whether a stack can give a sensed state at a node."""
        return sensed in self.sensed_states(node, stack)

    def tells(self, node: str, one: Stack | None, other: Stack | None) -> bool:
        """Return whether the sensor of a node surely distinguishes two stacks."""
        return self.sensed_states(node, one).isdisjoint(self.sensed_states(node, other))

    def mismatch(self, seen: Mapping[str, str], masked: Collection[str], occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit an occupancy, masked nodes left out."""
        sensed_states, of = self.sensed_states, occupancy.get
        return tuple(
            node for node, sensed in seen.items() if sensed not in sensed_states(node, of(node)) and node not in masked
        )

    def is_whole_tile(self, node: str, sensed: str) -> bool:
        """Return whether a well reports a whole tile: no single faulty sensor can cause that."""
        return self.kind == "coded" and node in self.wells and sensed not in {NOTHING, "?"}


def sensor_model(game: Game[Any], kind: str, ambiguous_stacks: Collection[str] = ()) -> SensorModel:
    """Return what a board's sensors see of a game's pieces; ``ambiguous_stacks`` as in :class:`SensorModel`."""
    tiled = capabilities_of(game).tiles
    names = tiled.tiles if tiled else ()
    tiles = frozenset(piece for piece in game.pieces if piece.rpartition("r")[0] in names)
    return SensorModel(kind, game.poles, frozenset(ambiguous_stacks), game.layout().wells, tiles)


V = TypeVar("V")


def with_fields(value: V, **fields: Any) -> V:
    """Return a value of a frozen class with other fields, in a tenth of the time of ``dataclasses.replace``."""
    after = object.__new__(type(value))
    after.__dict__.update(value.__dict__, **fields)
    return after


def without(stack: Stack, other: Stack) -> Stack:
    """Return the pieces of a stack that another one does not have, in the order of the stack."""
    if not other:
        return stack
    more = list(stack)
    for piece in other:
        if piece in more:
            more.remove(piece)
    return tuple(more)


# -- the boards that the events allow ----------------------------------------------------------------------------------

MOST = 100
"""Maximum number of boards that are kept. With more, nothing is concluded, and people are asked."""
TOGETHER_S = 0.12
"""Pieces that are lifted within this time were bumped; seconds."""


@dataclass(frozen=True)
class PossibleBoard:
    """A board that is possible now: ``lying`` are nodes that were touched, with their stacks (empty ones, too)."""

    lying: frozenset[tuple[str, Stack]] = frozenset()
    hand: Stack = ()
    """Pieces that were lifted and lie nowhere: in the hands, or off the board."""
    supplied: Stack = ()
    """Pieces that came from the supply."""
    assumed: int = 0
    """How many pieces of the last action are assumed to have been still in the hand when it counted."""

    def at(self, node: str) -> Stack | None:
        """Return the stack on a touched node; None for an untouched node."""
        return next((stack for where, stack in self.lying if where == node), None)


AS_BASE = PossibleBoard()
"""The board on which nothing was touched."""


class PossibleBoards:
    """The boards that the events since the base allow: a value, from which each change makes the next one.

    They are computed on first use: most changes are judged without them.
    """

    def __init__(
        self,
        model: SensorModel,
        base: Occupancy,
        tallest: int,
        *,
        replaced: Collection[str] = (),
        also: Collection[PossibleBoard] = (),
        exchanged: bool = False,
    ) -> None:
        """Begin at a base, or at other boards that look like it; no stack grows higher than ``tallest``.

        In ``replaced`` wells a tile other than the base's may lie. ``exchanged``: a legal action puts a piece from the
        supply and takes another one off, so that what comes down is not sure to be what was lifted.
        """
        self._model = model
        self._base = base
        self._tallest = tallest
        self._exchanged = exchanged
        exchanged_tiles = model.wells.intersection(replaced)
        first = PossibleBoard(frozenset((node, (UNKNOWN,)) for node in exchanged_tiles)) if exchanged_tiles else AS_BASE
        self._moments: tuple[tuple[float, Mapping[str, str]], ...] = ()
        self._bumped: frozenset[str] = frozenset()
        """Nodes that were emptied together with others: what comes back there is no stack that somebody has built."""
        self._after: tuple[frozenset[PossibleBoard] | None, ...] = (frozenset({first, *also}),)

    def with_change(self, node: str, sensed: str, at: float) -> PossibleBoards:
        """Return the boards after a change. Changes at the same instant have no order."""
        moments, bumped = self._moments, self._bumped
        if moments and moments[-1][0] == at and node not in moments[-1][1]:
            moments = (*moments[:-1], (at, {**moments[-1][1], node: sensed}))
        else:
            moments = (*moments, (at, {node: sensed}))
        if sensed == NOTHING:
            recent = {n for when, new in moments if at - when < TOGETHER_S for n, s in new.items() if s == NOTHING}
            bumped = bumped.union(recent if len(recent) > 1 else ())
        return with_fields(self, _moments=moments, _bumped=bumped, _after=self._after[: len(moments)])

    def now(self) -> frozenset[PossibleBoard] | None:
        """Return the boards; None if there are too many."""
        for _, changes in self._moments[len(self._after) - 1 :]:
            before = self._after[-1]
            self._after = (*self._after, None if before is None else self._change(before, changes))
        return self._after[-1]

    def unseen(
        self,
        step: Step,
        changes: Collection[str],
        added: Counter[str],
        seen: Mapping[str, str],
        unjudged: Collection[str],
    ) -> int | None:
        """Return how many pieces of a done step must have been lifted or put down where no sensor shows it.

        ``changes`` are the nodes that the step changes, ``added`` the pieces that it takes from the supply,
        ``unjudged`` nodes that are not compared. None where the events rule the step out.
        """
        boards = self.now()
        if boards is None:
            return 0
        counts = (self._unseen(board, step, changes, added, seen, unjudged) for board in boards)
        return min((count for count in counts if count is not None), default=None)

    def _unseen(
        self,
        board: PossibleBoard,
        step: Step,
        changes: Collection[str],
        added: Counter[str],
        seen: Mapping[str, str],
        unjudged: Collection[str],
    ) -> int | None:
        if not set(board.hand).isdisjoint(board.supplied):
            return None  # Something was put down while that piece was still lying.
        supplied = Counter(board.supplied)
        if unjudged and any(added[piece] > supplied[piece] for piece in added if piece not in self._model.tiles):
            return None  # What was put down came from the board.
        count = board.assumed
        lying = dict(board.lying)
        for node in {*lying, *changes}:
            have = lying[node] if node in lying else self._base.get(node, ())
            want = step.after.get(node, ())
            if have == want or node in unjudged or have == (UNKNOWN,) or (node in step.removed and not have):
                continue
            moved = self._added_or_removed(node, have, want, seen[node])
            if moved is None:
                return None
            count += moved
        return count

    def _added_or_removed(self, node: str, have: Stack, want: Stack, sensed: str) -> int | None:
        """Return how many pieces must be added or removed without a change in what the sensor reports."""
        if not have or not want or sensed not in self._model.sensed_states(node, want):
            return None
        more, less = Counter(want) - Counter(have), Counter(have) - Counter(want)
        return None if more and less else more.total() + less.total()

    # -- one moment ----------------------------------------------------------------------------------------------

    def _change(self, before: frozenset[PossibleBoard], changes: Mapping[str, str]) -> frozenset[PossibleBoard] | None:
        """Return the boards after a moment: first all pieces that left are in the hands, then some arrive."""
        found: set[PossibleBoard] = set()
        for board in before:
            lying, hand, arrivals = dict(board.lying), list(board.hand), []
            for node, sensed in changes.items():
                stack = lying.get(node, self._base.get(node, ()))
                if node in self._model.wells:
                    lying[node] = self._tile(sensed)
                elif sensed == NOTHING or len(stack) == 1:
                    hand += stack
                    lying[node] = ()
                if sensed != NOTHING and node not in self._model.wells:
                    arrivals.append(node)
            lifted = PossibleBoard(frozenset(lying.items()), tuple(sorted(hand)), board.supplied, board.assumed)
            self._arrive(arrivals, changes, lifted, found)
            if len(found) > MOST:
                return None
        return frozenset(found)

    def _tile(self, sensed: str) -> Stack:
        """Return the stack of a well. Tiles are what sensors read of them; hands do not keep tiles for other wells."""
        if sensed == NOTHING:
            return ()
        return (sensed,) if self._model.kind == "coded" and sensed != UNKNOWN else (UNKNOWN,)

    def _arrive(
        self, nodes: list[str], changes: Mapping[str, str], board: PossibleBoard, found: set[PossibleBoard]
    ) -> None:
        if not nodes or len(found) > MOST:
            found.add(board)
            return
        node, *others = nodes
        stack = board.at(node)
        now = self._base.get(node, ()) if stack is None else stack
        rest = frozenset(item for item in board.lying if item[0] != node)
        mixed = self._exchanged or len(nodes) > len(board.hand)  # Which of these was lifted has no order to tell.
        for lies, hand, more in self._ways(node, now, board.hand, changes[node], mixed):
            supplied = tuple(sorted((*board.supplied, *more)))
            stacks = rest | {(node, tuple(sorted(lies)))}
            after = PossibleBoard(stacks, tuple(sorted(hand)), supplied, board.assumed)
            self._arrive(others, changes, after, found)

    def _ways(
        self, node: str, stack: Stack, hand: Stack, sensed: str, mixed: bool
    ) -> Iterator[tuple[Stack, Stack, Stack]]:
        """Yield (stack, hand, supplied) for every way in which a node can come to look as it does.

        ``mixed``: what comes down may be from the supply, though hands hold something.
        """
        fits = self._model.sensed_states
        found = bool(stack) and sensed in fits(node, stack)
        if found:
            yield stack, hand, ()
        for count in range(1, len(stack)):
            for rest in set(combinations(stack, count)):
                if sensed in fits(node, rest):
                    found = True
                    yield rest, (*hand, *without(stack, rest)), ()
        tallest = len(self._base.get(node, ())) or 1 if node in self._bumped else self._tallest
        for count in range(1, min(len(hand), tallest - len(stack)) + 1):
            for more in set(combinations(hand, count)):
                if sensed in fits(node, tuple(sorted((*stack, *more)))):
                    found = True
                    yield (*stack, *more), without(hand, more), ()
        if not found or (mixed and hand and not stack):
            yield from self._with_supply(node, stack, hand, sensed)

    def _with_supply(self, node: str, stack: Stack, hand: Stack, sensed: str) -> Iterator[tuple[Stack, Stack, Stack]]:
        """Yield the same with as few pieces as possible from the supply, or from where no sensor saw them go."""
        room, poles = max(1, self._tallest - len(stack)), tuple(self._model.poles)
        for size in range(1, room + 1):
            for new in range(1, size + 1):
                fitting = [
                    (lies, without(hand, more), pieces)
                    for more in set(combinations(hand, size - new))
                    for pieces in combinations_with_replacement(poles, new)
                    if sensed in self._model.sensed_states(node, lies := tuple(sorted((*stack, *more, *pieces))))
                ]
                yield from fitting
                if fitting:
                    return


# -- gestures, told from a sensor that drops out -----------------------------------------------------------------------


ROUNDING_S = 1e-6
"""Sums and differences of times agree up to this, seconds."""
SHORTEST_TAP_S = 0.15
"""A piece that is away for less was lifted by no hand: its sensor has dropped out; seconds."""
QUIET_S, RESTED_S = 10.0, 4.0
"""For how long nothing must have been lifted and put back on a node before a gesture there, or put down; seconds."""
SLIDE_S = 1.0
"""A piece that is lifted again this soon after it came down may have rested on its way only; seconds."""
STILL_S = 0.5
"""A piece that is lifted this soon after another one has moved is part of what hands do there, and no gesture."""
RUN_S = 0.5
"""A piece that is away for so long may have gone round a loop; seconds."""
MAX_TAPS = 3
"""No hand means anything by more taps in a row: the sensor drops out."""
MAX_DROPOUTS, DROPOUTS_S = 3, 600.0
"""This number of drop-outs under one piece within this time, seconds, names its sensor: no gesture is read there."""


@dataclass(frozen=True)
class Taps:
    """Gestures: a piece lifted a little and put back, once or twice, while nothing else moves.

    A magnet that is too weak makes its sensor drop out, which looks much the same, and is the commonest fault of such
    boards. A gesture is never made of what that fault looks like: a hand is slower, does it just once, and has left the
    sensor alone before.
    """

    longest: float
    """The longest duration of a tap, and between two of them, seconds."""
    landed: Mapping[str, float] = field(default_factory=dict)
    """When a piece came to lie on a node while something could be done."""
    back: Mapping[str, float] = field(default_factory=dict)
    """When a piece was put back on a node."""
    dropouts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """When the sensor of a node dropped out under the piece that lies there."""
    moved: Mapping[str, float] = field(default_factory=dict)
    """The nodes that have changed just now, and when."""
    node: str | None = None
    """The node of the present gesture."""
    shown: str = NOTHING
    """Its sensed state before."""
    quiet: bool = False
    """Whether its piece had lain there untouched for long, and nothing else had just moved."""
    calm: bool = False
    """Whether its sensor had not dropped out for long."""
    lifted: float | None = None
    """Since when its piece is off, None while it lies."""
    count: int = 0
    """The number of taps so far."""
    at: float = 0.0
    """The time of the last one."""
    offered: str | None = None
    """The node to which a piece that may go round a loop has just come back: two taps there are an answer."""
    asked: bool = False
    """Whether it had come back before the present gesture."""
    runs: int = 0
    """How many taps, the first of the gesture, were long enough for the round itself."""
    felt: frozenset[str] = frozenset()
    """Nodes where one or two taps since the base was set mean something."""

    def after(self, node: str, before: str, sensed: str, at: float, *, playing: bool, offers: bool = False) -> Taps:
        """Return the taps after a change; ``playing``: steps are legal; ``offers``: what came back may go round."""
        own, offered = node == self.node, self.offered if node == self.offered else None
        others = {other: when for other, when in self.moved.items() if other != node and at - when < STILL_S}
        moved = {**others, node: at}
        if sensed == NOTHING:
            if own and self.lifted is None and at - self.at <= self.longest:
                return with_fields(self, lifted=at, moved=moved)
            news: dict[str, Any] = {"count": 0, "runs": 0, "moved": moved, "offered": offered, "asked": bool(offered)}
            calm = at - max(self.dropouts.get(node, (-inf,))) >= QUIET_S
            rested = at - self.back.get(node, -inf) >= QUIET_S and at - self.landed.get(node, -inf) >= RESTED_S
            quiet = rested and not others
            return with_fields(self, node=node, shown=before, quiet=quiet, calm=calm, lifted=at, **news)
        away = at - self.lifted if own and self.lifted is not None and sensed == self.shown else inf
        ran = offers and away >= RUN_S - ROUNDING_S
        news = {"node": None, "lifted": None, "moved": moved, "offered": node if ran else offered}
        if away > self.longest + ROUNDING_S:  # A piece is put down, perhaps another one.
            news["dropouts"] = {other: times for other, times in self.dropouts.items() if other != node}
            news["landed"] = {**self.landed, node: at} if playing else self.landed
            return with_fields(self, **news)
        news["back"] = {**self.back, node: at}
        by_hand = away >= SHORTEST_TAP_S - ROUNDING_S
        if by_hand:
            runs = self.runs + 1 if ran and self.runs == self.count else self.runs
            news |= {"node": node, "count": self.count + 1, "runs": runs, "at": at}
        if not by_hand or self.count >= MAX_TAPS:
            news["dropouts"] = {**self.dropouts, node: (*self.dropouts.get(node, ()), at)[-MAX_DROPOUTS:]}
        means = by_hand and self.calm and self.count < 2 and not self.drops_out(node)
        news["felt"] = self.felt | {node} if means else self.felt - {node}
        return with_fields(self, **news)

    def anew(self) -> Taps:
        """Return the taps where another base is set: what sensors have done before is kept."""
        return Taps(self.longest, self.landed, self.back, self.dropouts, self.moved)

    def drops_out(self, node: str) -> bool:
        """Return whether the sensor of a node has dropped out often enough lately to be named."""
        times = self.dropouts.get(node, ())
        return len(times) == MAX_DROPOUTS and times[-1] - times[0] <= DROPOUTS_S

    @property
    def unsteady(self) -> tuple[str, ...]:
        """Return the nodes whose sensors drop out."""
        return tuple(node for node in self.dropouts if self.drops_out(node))

    @property
    def tapped_node(self) -> str | None:
        """Return the node of a gesture that has just been made, once or twice."""
        made = self.node is not None and self.lifted is None and self.count in {1, 2}
        return self.node if made and not self.drops_out(self.node or "") else None

    @property
    def twice(self) -> str | None:
        """Return the node that was tapped twice while nothing had asked for it."""
        return self.tapped_node if self.count == 2 and self.quiet else None

    @property
    def round(self) -> str | None:
        """Return the node that was tapped twice after its piece could go round a loop: the round was offered there."""
        made = self.node is not None and self.node == self.offered and self.lifted is None and self.calm
        taps = range(self.count - self.runs, self.count + self.asked)  # The round itself is no tap.
        return self.node if made and 2 in taps and not self.drops_out(self.node or "") else None

    def answers(self, nodes: Collection[str]) -> int:
        """Return how often one of some nodes was tapped as an answer."""
        return self.count if self.tapped_node in nodes and self.calm else 0

"""The boards that the sensed changes allow: what can lie where, and what can be in the hands.

Where sensors report a piece but not which one, several boards can give the same readings. The order of events rules
most of them out: the identity of each lifted piece is known, so only some pieces can have come to each node, and
nothing comes from the supply while a lifted piece would do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

from firmware_host.games.game import Occupancy, Stack
from firmware_host.table.hypotheses import Hypothesis, without
from firmware_host.table.senses import NOTHING
from firmware_host.table.sensor_model import SensorModel

MOST = 100
"""Maximum number of boards that are kept. With more, nothing is concluded, and people are asked."""
TOGETHER_S = 0.12
"""Pieces that are lifted within this time were bumped; seconds."""
UNKNOWN = "?"
"""A tile that no sensor has read."""


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


class PossibleBoards:
    """The boards that the events since the base allow. They are computed on first use."""

    def __init__(
        self,
        model: SensorModel,
        base: Occupancy,
        tallest: int,
        *,
        replaced: Collection[str] = (),
        also: Collection[PossibleBoard] = (),
    ) -> None:
        """Begin at a base, or at other boards that look like it; no stack grows higher than ``tallest``.

        In ``replaced`` wells a tile other than the base's may lie.
        """
        self._model = model
        self._base = base
        self._tallest = tallest
        first = PossibleBoard(frozenset((node, (UNKNOWN,)) for node in model.senses.wells.intersection(replaced)))
        self._moments: tuple[tuple[float, Mapping[str, str]], ...] = ()
        self._bumped: frozenset[str] = frozenset()
        """Nodes that were emptied together with others: what comes back there is no stack that somebody has built."""
        self._after: tuple[frozenset[PossibleBoard] | None, ...] = (frozenset({first, *also}),)

    def note(self, node: str, sensed: str, at: float) -> None:
        """Note a change. Changes at the same instant have no order."""
        last = self._moments[-1:]
        same = last and last[0][0] == at and node not in last[0][1]
        changes = {**last[0][1], node: sensed} if same else {node: sensed}
        self._moments = (*(self._moments[:-1] if same else self._moments), (at, changes))
        if sensed == NOTHING:
            recent = [
                n for when, new in self._moments if at - when < TOGETHER_S for n, s in new.items() if s == NOTHING
            ]
            self._bumped = self._bumped.union(recent if len(set(recent)) > 1 else ())
        self._after = self._after[: len(self._moments)]

    def now(self) -> frozenset[PossibleBoard] | None:
        """Return the boards; None if there are too many."""
        for _, changes in self._moments[len(self._after) - 1 :]:
            before = self._after[-1]
            self._after = (*self._after, None if before is None else self._change(before, changes))
        return self._after[-1]

    def unseen(self, one: Hypothesis, seen: Mapping[str, str], unjudged: Collection[str]) -> int | None:
        """Return how many pieces of a done hypothesis must have been lifted or put down where no sensor shows it.

        ``unjudged`` are nodes that are not compared. None where the events rule the hypothesis out.
        """
        boards = self.now()
        if boards is None:
            return 0
        counts = (self._unseen(board, one, seen, unjudged) for board in boards)
        return min((count for count in counts if count is not None), default=None)

    def _unseen(
        self, board: PossibleBoard, one: Hypothesis, seen: Mapping[str, str], unjudged: Collection[str]
    ) -> int | None:
        if not set(board.hand).isdisjoint(board.supplied):
            return None  # Something was put down while that piece was still lying.
        supplied = Counter(board.supplied)
        if unjudged and any(one.added[p] > supplied[p] for p in one.added if p not in self._model.senses.tiles):
            return None  # What was put down came from the board.
        count = board.assumed
        lying = dict(board.lying)
        for node in {*lying, *one.changes}:
            have = lying[node] if node in lying else self._base.get(node, ())
            want = one.step.after.get(node, ())
            if have == want or node in unjudged or have == (UNKNOWN,) or (node in one.step.removed and not have):
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
                if node in self._model.senses.wells:
                    lying[node] = self._tile(sensed)
                elif sensed == NOTHING or len(stack) == 1:
                    hand += stack
                    lying[node] = ()
                if sensed != NOTHING and node not in self._model.senses.wells:
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
        return (sensed,) if self._model.senses.kind == "coded" and sensed != UNKNOWN else (UNKNOWN,)

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
        for lies, hand, more in self._ways(node, now, board.hand, changes[node]):
            supplied = tuple(sorted((*board.supplied, *more)))
            stacks = rest | {(node, tuple(sorted(lies)))}
            after = PossibleBoard(stacks, tuple(sorted(hand)), supplied, board.assumed)
            self._arrive(others, changes, after, found)

    def _ways(self, node: str, stack: Stack, hand: Stack, sensed: str) -> Iterator[tuple[Stack, Stack, Stack]]:
        """Yield (stack, hand, supplied) for every way in which a node can come to look as it does."""
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
        if not found:
            yield from self._supplied(node, stack, hand, sensed)

    def _supplied(self, node: str, stack: Stack, hand: Stack, sensed: str) -> Iterator[tuple[Stack, Stack, Stack]]:
        """Yield the same with as few pieces as possible from the supply, or from where no sensor saw them go."""
        room, poles = max(1, self._tallest - len(stack)), tuple(self._model.senses.poles)
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

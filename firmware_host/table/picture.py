"""The sensed board and the hypotheses about it: all that a judgement depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firmware_host.games.game import Occupancy, Step
from firmware_host.table.hypotheses import Done, Ending, Follow, Hypotheses, Hypothesis
from firmware_host.table.possible_boards import PossibleBoards
from firmware_host.table.senses import NOTHING, Senses
from firmware_host.table.sensor_model import SensorModel
from firmware_host.table.timing import Timings
from firmware_host.table.touches import DoubleTaps, Touches


class Picture:
    """Sensed states, touches and hypotheses, with the questions that a judgement asks about them."""

    def __init__(self, senses: Senses, nodes: Sequence[str], timings: Timings) -> None:
        """Start with an empty board and nothing expected; ``nodes`` are all nodes of the layout."""
        self.senses = senses
        self.timings = timings
        self.model = SensorModel(senses)
        self.seen: Mapping[str, str] = dict.fromkeys(nodes, NOTHING)
        self.order = {node: number for number, node in enumerate(nodes)}
        self.hypotheses = Hypotheses(self.model, {}, ())
        self.boards = PossibleBoards(self.model, {}, 1)
        self.touches = Touches()
        self.taps = DoubleTaps(timings.taps)
        self.follow: Follow | None = None
        self.ending: Ending | None = None
        self.unsure = False
        """Whether only a piece's absence said that the last action was done."""
        self.bound = False
        """Whether the only step was named beforehand, as computers do: no question is needed."""
        self.named: str | None = None
        """The step that was chosen on a phone, while hands may still do another one."""
        self.over = False
        """Whether the game is over: the board may be packed up, and the last action may still be taken back."""
        self._masked: frozenset[str] = frozenset()
        self._off: tuple[str, ...] | None = None

    @property
    def base(self) -> Occupancy:
        """Return the occupancy that the position implies."""
        return self.hypotheses.base

    @property
    def steps(self) -> Sequence[Step]:
        """Return the legal steps."""
        return self.hypotheses.steps

    @property
    def masked(self) -> frozenset[str]:
        """Return the nodes whose sensors are not believed."""
        return self._masked

    @property
    def differing(self) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit the base."""
        if self._off is None:
            self._off = self.hypotheses.differing(self.seen, self._masked)
        return self._off

    @property
    def muddled(self) -> bool:
        """Return whether so much has happened that the events don't tell which piece lies where."""
        return not self.bound and self.boards.now() is None

    def mismatch(self, occupancy: Occupancy) -> tuple[str, ...]:
        """Return the nodes whose sensed state doesn't fit an occupancy, masked nodes left out."""
        if occupancy is self.base and not self.hypotheses.gone:
            return self.differing
        return self.model.mismatch(self.seen, self._masked, occupancy)

    def ends(self, done: Done) -> str:
        """Return what these actions end: ``game``, ``turn`` (also a phase), or nothing."""
        return self.ending(done) if self.ending is not None and done.actions else ""

    def rest(self, one: Hypothesis) -> list[str]:
        """Return the nodes that don't look as they do once a hypothesis is done."""
        return self.hypotheses.rest(one, self.seen, self._masked, self.differing)

    # -- done ----------------------------------------------------------------------------------------------------

    def unseen(self, one: Hypothesis, besides: frozenset[str] = frozenset()) -> int | None:
        """Return how many pieces of a hypothesis that looks done no sensor can have shown being lifted or put down.

        ``besides`` are nodes where something else is going on. None if the order of events rules the hypothesis out.
        """
        if self.bound or not self._masked.isdisjoint(one.changes):
            return 0
        if self.touches.out_of_order(one, self.timings.together) or self._cleared_too_early(one):
            return None
        if self._slid(one):
            return 0 if self.arrival_shown(one) else 1
        return self.boards.unseen(one, self.seen, self._masked | besides)

    def _cleared_too_early(self, one: Hypothesis) -> bool:
        """Return whether a piece that this step would remove was lifted before the step's own piece had come down."""
        first = self.touches.first
        landed = max((first[node] for node in one.targets if node in first), default=0.0)
        return any(first[node] < landed for node in one.step.removed if node in first and node not in one.changes)

    def never_landed(self, one: Hypothesis) -> bool:
        """Return whether a step's own pieces, which the rules would remove, have not been seen where they end.

        That their nodes are empty says nothing then: they are in the hand.
        """
        gone = self.not_landed(one)
        return bool(gone) and len(gone) == len(one.targets)

    def not_landed(self, one: Hypothesis) -> list[str]:
        """Return the nodes where a step's pieces end that the rules remove, and where none was seen: it may come."""
        removed, first = one.step.removed, self.touches.first
        return [n for n in one.targets if n in removed and n not in first and self.seen[n] == NOTHING]

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

    def cleared(self, one: Hypothesis) -> int:
        """Return how many pieces that the rules remove would have to be off the board already."""
        return sum(self.seen[node] == NOTHING and node not in self._masked for node in one.step.removed)

    def arrival_shown(self, one: Hypothesis) -> bool:
        """Return whether a sensor shows that the step's pieces have arrived (not pieces that the rules remove)."""
        gone = (node for node in one.step.removed if self.seen[node] == NOTHING)
        return self.hypotheses.arrival_shown(one, self._masked.union(gone))

    def shows(self, one: Hypothesis, node: str) -> bool:
        """Return whether the sensor of a node proves that this step is done."""
        return node not in self._masked and self.hypotheses.shows(one, node)

    def guesses(self, one: Hypothesis) -> bool:
        """Return whether a masked sensor leaves open if this step was made: then a person has to confirm it."""
        return not self.bound and not self._masked.isdisjoint((*one.sources, *one.targets))

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

    def live(self) -> list[Hypothesis]:
        """Return the steps that may be under way, starting with those whose own piece is in the air."""
        off = frozenset(self.differing)
        live = [one for one in self.hypotheses.near if off <= one.reach and self._under_way(one, off)]
        arrived = any(self.seen[node] != NOTHING for node in off)
        return [
            one for one in live if not off.isdisjoint(one.sources) or (arrived and _goes_piece_by_piece(one))
        ] or live

    def _under_way(self, one: Hypothesis, off: frozenset[str]) -> bool:
        """Return whether every difference may be a moment of this step: no piece arrives before it has left."""
        if not all(self._plausible(one, node) for node in off):
            return False
        if _goes_piece_by_piece(one):
            return any(self.seen[node] == NOTHING for node in off)
        return all(
            move.source is None
            or move.source in off
            or move.target not in off
            or self.seen.get(move.target or "") == NOTHING
            or not self.shows(one, move.source)
            for move in one.step.moves
        )

    def _plausible(self, one: Hypothesis, node: str) -> bool:
        sensed = self.seen[node]
        if sensed == NOTHING or sensed in self.model.sensed_states(node, one.step.after.get(node)):
            return True
        base = self.base.get(node, ())
        return any(
            sensed in self.model.sensed_states(node, stack)
            for move in one.step.moves
            if node in {move.source, move.target}
            for stack in _parts(base, move.pieces, leaving=node == move.source)
        )

    def lifted(self, live: Sequence[Hypothesis]) -> tuple[str, ...]:
        """Return the nodes from which steps under way have taken their pieces."""
        sources, off = dict.fromkeys(source for one in live for source in one.sources), frozenset(self.differing)
        return tuple(node for node in sources if self.seen[node] == NOTHING or node in off)


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

"""The table's eye on the board: either towards a known target, or open to the steps of whoever acts.

``setup`` brings the board to the position, ``placing`` to the revealed placements, ``clearing`` to what is left after
a loop; ``play`` watches for legal steps (none while players seal). One stage at a time; time comes in with each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firmware_host.games.game import Layout, Occupancy, PieceMove, Step
from firmware_host.table.repair import Fix, distances, plan
from firmware_host.table.senses import NOTHING, Senses
from firmware_host.table.tracker import Earlier, Tracker, Verdict, Waits

SLEEVE = 4
"""So many wrong nodes at once are a sleeve across the board: the repair view comes as soon as it is still."""


@dataclass(frozen=True)
class Problem:
    """What is wrong on the board: ``kind`` is ``lifted``, ``node`` or ``repair``; ``since`` its time."""

    kind: str
    nodes: tuple[str, ...]
    since: float
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class Arrived:
    """The board has reached the stage's target."""


@dataclass(frozen=True)
class Done:
    """Steps lie on the board: take the last action back first (``back``), then commit ``actions`` in order."""

    actions: tuple[str, ...]
    back: bool = False


class Watch:
    """Tracker and stage together. Ask :meth:`look` after every event and now and then between them."""

    def __init__(self, senses: Senses, layout: Layout, waits: Waits) -> None:
        """Begin with an empty board in ``play`` with nothing expected."""
        self.tracker = Tracker(senses, tuple(layout.nodes), waits)
        self.waits = waits
        self.stage = "play"
        self.target: Occupancy = {}
        self.placements: tuple[tuple[int, PieceMove], ...] = ()
        self.verdict = Verdict("quiet")
        self.problem: Problem | None = None
        self.asking = False
        """Whether the choices of the verdict are to be put to the acting seat now."""
        self.suspects: tuple[str, ...] = ()
        """Nodes whose sensor may be stuck: nothing has moved for long, and one of them alone keeps the board wrong."""
        self.lost = False
        """Whether a piece that was lifted for a step has not come back for long: it may have got lost on the way."""
        self._ways = distances(layout)
        self._wrong_since: float | None = None
        self._suspected: tuple[float, frozenset[str]] | None = None
        self._idle, self._stale = False, True

    # -- what to watch for ---------------------------------------------------------------------------------------

    def aim(self, stage: str, target: Occupancy, at: float, placements: Sequence[tuple[int, PieceMove]] = ()) -> None:
        """Watch for the board to reach a target (``setup``, ``placing``, ``clearing``)."""
        self.stage = stage
        self.target = target
        self.placements = tuple(placements)
        self._begin()
        self.tracker.expect(target, (), at)

    def follow(
        self,
        base: Occupancy,
        steps: Sequence[Step],
        at: float,
        *,
        earlier: Earlier | None = None,
        then: Callable[[Step], Sequence[Step]] | None = None,
        bound: bool = False,
    ) -> None:
        """Watch for legal steps from a base; ``bound``: the only one was named beforehand, nothing has to be asked."""
        self.stage = "play"
        self.target = base
        self.placements = ()
        self._begin()
        self.tracker.expect(base, steps, at, earlier=earlier, follow=then)
        self.tracker.bound = bound

    def mask(self, masked: Mapping[str, str], at: float) -> None:
        """Believe no sensor of these nodes."""
        self.tracker.masked = frozenset(masked)
        self.begin_anew(at)

    def begin_anew(self, at: float) -> None:
        """Count no time and no touch from before: what was seen then may have been looked at with other eyes."""
        self.tracker.forget_hands(at)
        self._idle, self._stale = False, True

    # -- what happens --------------------------------------------------------------------------------------------

    def sense(self, node: str, sight: str, at: float) -> Done | None:
        """Note a change; return the step that counts at once because the hands have turned elsewhere."""
        self._idle, self._stale = False, True
        early = self.tracker.moved_on(node) if self.stage == "play" else ()
        self.tracker.sense(node, sight, at)
        return Done(early) if early else None

    def look(self, at: float) -> Done | Arrived | None:
        """Judge the board at a time; cheap while nothing can have changed."""
        self._suspect(at)
        still = at >= self.tracker.last_event + self.waits.repair
        self.lost = self.verdict.kind == "moving" and (self.lost or still)
        if self._idle:
            return None
        if self.stage == "play":
            return self._look_at_steps(at)
        return self._look_at_target(at)

    def _suspect(self, at: float) -> None:
        """Once nothing has moved for long, ask which sensor may be stuck; again only after something has changed."""
        tracker = self.tracker
        still = at >= tracker.last_event + self.waits.suspect
        state = (tracker.last_event, tracker.masked) if still else None
        if state != self._suspected:
            self._suspected = state
            self.suspects = tracker.suspects() if still else ()

    def picture(self) -> tuple[object, ...]:
        """Return what people see of the watch: equal pictures need no new view."""
        seen = tuple(self.tracker.seen.values()) if self.stage != "play" else ()
        return (self.stage, self.verdict, self.problem, self.asking, self.suspects, self.lost, seen)

    # -- towards a target ----------------------------------------------------------------------------------------

    def missing_pieces(self) -> list[tuple[int, PieceMove]]:
        """Return the placements that don't seem to lie yet, in seat order (of a stack that shows one, the others)."""
        shown: dict[str, int] = {}
        waiting = []
        for seat, move in self.placements:
            node = move.target or ""
            sight = self.tracker.seen[node]
            complete = node in self.tracker.masked or self.tracker.senses.at(node).fits(self.target[node], sight)
            if complete and not self._unseen_stack(node):
                continue
            if sight != NOTHING and not shown.get(node):
                shown[node] = 1  # One stone of this node lies there already.
                continue
            waiting.append((seat, move))
        return waiting

    def _unseen_stack(self, node: str) -> bool:
        """Tell whether the sensors can't tell a lone stone from the whole stack that was placed here."""
        pieces = [move.pieces for _, move in self.placements if move.target == node]
        senses = self.tracker.senses.at(node)
        return len(pieces) > 1 and any(not senses.tells(one, self.target[node]) for one in pieces)

    def unseen_stacks(self) -> tuple[str, ...]:
        """Return the nodes that should carry several new stones, and the sensors can't show that they do."""
        nodes = dict.fromkeys(move.target for _, move in self.placements if move.target is not None)
        return tuple(node for node in nodes if node in self.tracker.masked or self._unseen_stack(node))

    def untapped_stacks(self) -> tuple[str, ...]:
        """Return the nodes where somebody has to tap, or to say, that all new stones lie: a single one looks the same.

        Not those that are masked, where tapping would tell nothing.
        """
        return tuple(n for n in self.unseen_stacks() if n not in self.tracker.masked and not self.tracker.tapped(n))

    def _look_at_target(self, at: float) -> Arrived | None:
        differing = self.tracker.mismatch(self.target)
        ours = {move.target for _, move in self.placements}
        foreign = tuple(node for node in differing if node not in ours or self._strange(node))
        if self.stage == "setup":
            self.problem = self._repair(differing, at) if differing else None
        elif self.stage == "clearing":
            lost = tuple(node for node in differing if node in self.target)
            self.problem = self._repair(lost, at) if lost else None
        else:
            self._note_wrong(foreign, at)
        if differing or self.untapped_stacks():
            return None
        wait = self.waits.settle
        if any(not self.tracker.tapped(node) for node in self.unseen_stacks()):
            wait = self.waits.stack
        return Arrived() if at >= self.tracker.last_event + wait else None

    def _strange(self, node: str) -> bool:
        """Tell whether a node of the placements shows what none of its stones can show."""
        sight = self.tracker.seen[node]
        pieces = [move.pieces for _, move in self.placements if move.target == node]
        return sight != NOTHING and not any(self.tracker.senses.at(node).fits(one, sight) for one in pieces)

    # -- open to steps -------------------------------------------------------------------------------------------

    def _look_at_steps(self, at: float) -> Done | None:
        if self._stale:
            self.verdict = self.tracker.judge()
            self._stale = False
        verdict = self.verdict
        self._note_wrong(verdict.foreign, at)
        due = verdict.due is not None and at >= verdict.due
        self.asking = verdict.kind == "ask" and due
        self._idle = verdict.kind in {"quiet", "moving"} or self.asking
        return Done(verdict.actions, verdict.back) if verdict.kind == "settling" and due else None

    # -- what is wrong -------------------------------------------------------------------------------------------

    def _note_wrong(self, foreign: tuple[str, ...], at: float) -> None:
        """A wrong stone in the hand shows at once, a wrong node after a second, the repair view after four."""
        if not foreign:
            self._wrong_since = self.problem = None
            return
        if self._wrong_since is None:
            self._wrong_since = at
        age = at - self._wrong_since
        lifted = tuple(node for node in foreign if self.tracker.seen[node] == NOTHING)
        sleeve = len(foreign) >= SLEEVE and at - self.tracker.last_event >= self.waits.wrong_node
        if age >= self.waits.repair or sleeve:
            self.problem = self._repair(foreign, self._wrong_since)
        elif age >= self.waits.wrong_node and len(lifted) < len(foreign):
            self.problem = Problem("node", foreign, self._wrong_since)
        elif lifted:
            self.problem = Problem("lifted", lifted, self._wrong_since)
        else:
            self.problem = None

    def _repair(self, nodes: tuple[str, ...], since: float) -> Problem:
        if self.problem and self.problem.kind == "repair":
            since = self.problem.since
        return Problem("repair", nodes, since, self._plan(self.target, nodes))

    def way_to(self, occupancy: Occupancy) -> tuple[Fix, ...]:
        """Return what brings the board, as it is seen, to an occupancy."""
        return self._plan(occupancy, self.tracker.mismatch(occupancy))

    def _plan(self, occupancy: Occupancy, nodes: Sequence[str]) -> tuple[Fix, ...]:
        tracker = self.tracker
        return tuple(plan(occupancy, tracker.seen, nodes, tracker.senses, self._ways))

    def _begin(self) -> None:
        self.verdict = Verdict("quiet")
        self.problem = None
        self.asking = self.lost = False
        self._wrong_since = None
        self._idle, self._stale = False, True

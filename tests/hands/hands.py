"""Hands that do a step in some order, and what else hands do to pieces."""

from __future__ import annotations

from collections.abc import Callable

from firmware_host.games.game import PieceMove, Step
from tests.hands.mending import Mending

Deed = tuple[str, int]
"""``lift`` or ``put``, and which of a step's moves it belongs to."""


class Hands(Mending):
    """Pieces lifted and put, one after the other, with pauses that differ."""

    def do(
        self, step: Step, between: Callable[[], None] | None = None, pauses: tuple[float, float] = (0.06, 0.5)
    ) -> None:
        """Mean a step, do it, and wait until it counts."""
        self.expect(step)
        self.make(step, between, pauses)
        self.finish(step)

    def make(
        self, step: Step, between: Callable[[], None] | None = None, pauses: tuple[float, float] = (0.06, 0.5)
    ) -> None:
        """Do a step with as many hands as it needs; ``between`` happens once, somewhere on the way."""
        if any(move.source == move.target for move in step.moves):
            self._run_round(step)
            return
        deeds = self.deeds(step)
        when = self.random.randrange(len(deeds) + 1) if between is not None else -1
        held: dict[int, list[str]] = {}
        for number, (what, n) in enumerate(deeds):
            if number == when and between is not None:
                between()
            move = step.moves[n]
            if what == "lift":
                held[n] = self.world.lift(str(move.source), move.pieces)
            else:
                self.world.put(str(move.target), held.get(n, list(move.pieces)))
            self.soon(*pauses)
            if what == "put" and move.pieces[0] in self.tiles and self.kind != "coded" and self.random.random() < 0.7:
                self.wait(0.5)
                self.answer(step)
        if when == len(deeds) and between is not None:
            between()

    def deeds(self, step: Step) -> list[Deed]:
        """Return some order of lifts and puts: each piece leaves before it comes, onto a node that is free by then."""
        todo: list[Deed] = [("lift", n) for n, move in enumerate(step.moves) if move.source is not None]
        held = {n for n, move in enumerate(step.moves) if move.source is None}
        waiting = [n for n, move in enumerate(step.moves) if move.target is not None]
        lying = [move.source for move in step.moves if move.source is not None]
        order: list[Deed] = []
        while todo or waiting:
            free: list[Deed] = [("put", n) for n in waiting if n in held and step.moves[n].target not in lying]
            deed = self.random.choice([*todo, *free, *free, *free])
            order.append(deed)
            what, n = deed
            if what == "lift":
                todo.remove(deed)
                held.add(n)
                lying.remove(str(step.moves[n].source))
            else:
                waiting.remove(n)
        return order

    def _run_round(self, step: Step) -> None:
        """A runner that runs round a loop is tapped twice once the tile lies."""
        for move in step.moves[:-1]:
            self.carry(move)
            self.soon()
        self.wait(0.6)
        if self.door.look()["asked"] is not None:
            self.answer(step)
        node = str(step.moves[-1].source)
        for _ in range(2):
            self.tap(node)
            self.wait(0.3)

    @property
    def tiles(self) -> frozenset[str]:
        return frozenset(self.table.watch.tracker.model.tiles)

    def tap(self, node: str) -> None:
        """Lift what lies on a node and put it back."""
        stack = list(self.world.stacks[node])
        self.world.lift(node, stack)
        self.wait(self.random.choice((0.2, 0.3, 0.4)))
        self.world.put(node, stack)

    # -- which nodes -----------------------------------------------------------------------------------------------

    def some(self, *besides: str) -> str | None:
        """Return a random occupied node that takes no tile, none of these; None where there is none."""
        nodes = [n for n, stack in self.world.stacks.items() if stack and n not in {*besides, *self.world.wells}]
        return self.random.choice(nodes) if nodes else None

    def several(self, count: int, *besides: str) -> list[str]:
        """Return up to so many random occupied nodes, none twice."""
        return list(dict.fromkeys(node for node in (self.some(*besides) for _ in range(count)) if node))

    def empty(self, *besides: str) -> str:
        """Return a random empty node that takes no tile, none of these."""
        nodes = [n for n, stack in self.world.stacks.items() if not stack and n not in {*besides, *self.world.wells}]
        return self.random.choice(nodes)

    def steps_to(self) -> set[str]:
        """Return the nodes on which some piece may be put now, or for the last action: back, or a changed mind."""
        before = [step for moment in self.table.ledger.moments[-2:-1] for step in self._steps(moment.position)]
        moves = [move for step in (*self.legal, *before) for move in step.moves]
        return {node for move in moves for node in (move.source, move.target) if node is not None}

    def telling(self, step: Step) -> set[str]:
        """Return the nodes whose touch tells something of a step: its own, and stacks that its piece may be put on.

        To tap such a stack is to say that the piece lies there; that from which the last piece came, that it is back.
        """
        own = {move.source for move in step.moves if move.source is not None}
        moves = [move for one in self.legal for move in one.moves if move.source in own]
        back = {node for board in self.earlier() for node, stack in board.items() if self.wanted().get(node) != stack}
        return {*nodes_of(step), *back, *(move.target for move in moves if move.target is not None)}

    def same_from(self, other: str, step: Step) -> bool:
        """Tell whether another piece could legally go where this step puts one, or by a change of mind."""
        if any(other not in board for board in self.earlier()):
            return True
        targets = {move.target for move in step.moves}
        return any(m.source == other and m.target in targets for s in self.legal for m in s.moves)

    def astray(self, node: str) -> None:
        """Carry what lies on a node to where no legal step ends, nor the last one began.

        Not the piece that was moved last: it would be on its way to somewhere else, a changed mind.
        """
        earlier = self.earlier()
        last = self.table.ledger.moments[-1].placed.items()
        if any(n == node and board.get(n) != stack for board in earlier for n, stack in last):
            return
        legal = {m.target for step in self.legal for m in step.moves if m.source and m.target}
        self.world.put(self.empty(*legal, *(n for board in earlier for n in board)), self.world.lift(node))

    def scatter(self, count: int) -> None:
        """Carry some pieces astray."""
        for _ in range(count):
            node = self.some()
            if node is not None:
                self.astray(node)


def nodes_of(step: Step) -> tuple[str, ...]:
    """Return all nodes that take part in a step."""
    return tuple(sorted({*step.touches, *step.removed, *step.line}))


def one_piece(step: Step) -> PieceMove | None:
    """Return the move of a step that carries one piece from a node to another; None for every other step."""
    if len(step.moves) != 1:
        return None
    (move,) = step.moves
    return move if move.source and move.target and move.source != move.target else None


def backwards(step: Step) -> list[PieceMove]:
    """Return what puts the pieces of a step back, the last one first."""
    return [PieceMove(move.pieces, move.target, move.source) for move in reversed(step.moves)]

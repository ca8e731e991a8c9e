"""Evenings of people whose hands do right things in strange order, and wrong things, and mend them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from firmware_host.games.game import PieceMove, Step
from firmware_host.games.registry import game as find_game
from tests.hands.people import Account, Lost, People

Op = tuple[str, int]


class Evening(People):
    """Play some actions, most of them with a mishap."""

    def play(self, count: int) -> Account:
        for _ in range(count):
            self.to_actions()
            if self.phase != "resolving":
                break
            step = self.choose()
            if step is None:
                self.say_it()
                continue
            mishap = self.random.choice(MISHAPS)
            self.account.done[mishap.__name__.strip("_")] += 1
            try:
                mishap(self, step)
            except Lost as lost:
                self.account.faults.append(f"{mishap.__name__.strip('_')} {step.action}: {lost}")
                break
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of the table
                self.account.faults.append(f"{mishap.__name__.strip('_')} {step.action}: {error!r}")
                break
        self.account.verdicts = self.door.verdicts
        return self.account

    def to_actions(self) -> None:
        """Seal and place until somebody acts."""
        for _ in range(4):
            if self.phase == "sealing":
                actions = self.game.actions(self.position)
                for seat, offered in actions.items():
                    self.phone("seal", seat=seat, action=self.random.choice(list(offered)))
            if self.phase in {"placing", "setup"}:
                for node, stack in self.wanted().items():
                    self.world.set(node, stack)
                self.wait(2.5)
            self.clear_away()
            if self.phase in {"resolving", "over"}:
                break
        self.meant = self.in_force()

    def say_it(self) -> None:
        """Do what needs no hands: a pass, the end of a turn."""
        actor = self.table.actor
        action = str(self.random.choice(list(self.game.actions(self.position)[actor])))
        self.coming = {(action,)}
        self.phone("choose", action=action)
        self.meant, self.coming = self.in_force(), set()

    # -- making a step ---------------------------------------------------------------------------------------------

    def orders(self, step: Step) -> list[Op]:
        """Return some order of lifts and puts: each piece leaves before it comes, onto a node that is free by then."""
        todo: list[Op] = [("lift", n) for n, move in enumerate(step.moves) if move.source is not None]
        lifted = {n for n, move in enumerate(step.moves) if move.source is None}
        waiting = [n for n, move in enumerate(step.moves) if move.target is not None]
        lying = [move.source for move in step.moves if move.source is not None]
        order: list[Op] = []
        while todo or waiting:
            free = [("put", n) for n in waiting if n in lifted and step.moves[n].target not in lying]
            op = self.random.choice([*todo, *free, *free, *free])
            order.append(op)
            if op[0] == "lift":
                todo.remove(op)
                lifted.add(op[1])
                lying.remove(step.moves[op[1]].source)
            else:
                waiting.remove(op[1])
        return order

    def make(
        self, step: Step, between: Callable[[], None] | None = None, pauses: tuple[float, float] = (0.06, 0.5)
    ) -> None:
        """Do a step with as many hands as it needs; ``between`` happens once, somewhere on the way."""
        if any(move.source == move.target for move in step.moves):
            self.run_round(step)
            return
        order = self.orders(step)
        when = self.random.randrange(len(order) + 1) if between is not None else -1
        hands: dict[int, list[str]] = {}
        for number, (what, n) in enumerate(order):
            if number == when and between is not None:
                between()
            move = step.moves[n]
            if what == "lift":
                hands[n] = self.world.lift(str(move.source), move.pieces)
            else:
                self.world.put(str(move.target), hands.get(n, list(move.pieces)))
            self.soon(*pauses)
            if move.pieces[0] in self.tiles and what == "put" and self.kind != "coded" and self.random.random() < 0.7:
                self.wait(0.5)
                self.answer(step)
        if when == len(order) and between is not None:
            between()

    @property
    def tiles(self) -> frozenset[str]:
        return frozenset(self.table.watch.tracker.senses.tiles)

    def run_round(self, step: Step) -> None:
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

    def tap(self, node: str) -> None:
        stack = list(self.world.stacks[node])
        self.world.lift(node, stack)
        self.wait(self.random.choice((0.1, 0.2, 0.4)))
        self.world.put(node, stack)

    def some(self, *besides: str) -> str | None:
        """Return a random occupied node that no tile lies in, none of these."""
        nodes = [
            n for n, stack in self.world.stacks.items() if stack and n not in besides and n not in self.world.wells
        ]
        return self.random.choice(nodes) if nodes else None

    def empty(self, *besides: str) -> str:
        nodes = [
            n for n, stack in self.world.stacks.items() if not stack and n not in besides and n not in self.world.wells
        ]
        return self.random.choice(nodes)

    def same_from(self, other: str, step: Step) -> bool:
        """Tell whether another piece could legally go where this step puts one, or by a change of mind."""
        moments = self.table.ledger.moments
        if len(moments) > 1 and other not in self.game.occupancy(moments[-2].position):
            return True
        targets = {move.target for move in step.moves}
        return any(m.source == other and m.target in targets for s in self.game.steps(self.position) for m in s.moves)

    def astray(self, node: str) -> None:
        """Carry what lies on a node to where no legal step ends, nor the last one began."""
        steps = self.game.steps(self.position)
        earlier = [self.game.occupancy(moment.position) for moment in self.table.ledger.moments[-2:-1]]
        last = self.table.ledger.moments[-1].placed.items()
        own = {n for n, stack in last if earlier and earlier[0].get(n) != stack}
        if node in own:
            return  # On it goes: that is a changed mind.
        legal = {move.target for step in steps for move in step.moves if move.source} | {n for b in earlier for n in b}
        self.world.put(self.empty(*(n for n in legal if n)), self.world.lift(node))

    def nodes_of(self, step: Step) -> tuple[str, ...]:
        return tuple({*step.touches, *step.removed, *step.line})


# -- mishaps -----------------------------------------------------------------------------------------------------------


def _clean(self: Evening, step: Step) -> None:
    self.expect(step)
    self.make(step)
    self.finish(step)


def _quick(self: Evening, step: Step) -> None:
    self.expect(step)
    self.make(step, pauses=(0.06, 0.1))
    self.finish(step)


def _partner_first(self: Evening, step: Step) -> None:
    self.expect(step)
    for node in step.partners[:1]:
        self.tap(node)
        self.soon(0.06, 0.4)
    self.make(step)
    self.finish(step)


def _another_touched(self: Evening, step: Step) -> None:
    """Another piece is felt and put back, before, between or after."""
    self.expect(step)
    other = self.some(*self.nodes_of(step))
    self.make(step, (lambda: self.tap(other)) if other else None)
    self.finish(step)


def _two_in_the_air(self: Evening, step: Step) -> None:
    """Another piece is lifted on the way and comes back only at the end."""
    self.expect(step)
    other = self.some(*self.nodes_of(step))
    if other is not None and self.same_from(other, step):
        other = None  # No sensor could tell which of the two pieces has come to the target.
    held: list[str] = []

    def lift() -> None:
        if other is not None:
            held.extend(self.world.lift(other, list(self.world.stacks[other])))
            self.soon(0.06, 0.3)

    self.make(step, lift)
    if other is not None and held:
        self.soon(0.06, 1.0)
        self.world.put(other, held)
    self.finish(step)


def _wrong_node(self: Evening, step: Step) -> None:
    """The first piece is laid on a wrong node, then where it belongs."""
    self.expect(step)
    move = step.moves[-1] if self.world.wells else step.moves[0]
    if len(step.moves) > 1 or move.source is None or move.target is None or move.source == move.target:
        _clean(self, step)
        return
    targets = {m.target for s in self.game.steps(self.position) for m in s.moves}
    wrong = self.empty(*(t for t in targets if t))
    pieces = self.world.lift(move.source, move.pieces)
    self.soon(0.1, 0.4)
    self.world.put(wrong, pieces)
    self.soon(0.2, 6.0)
    if self.random.random() < 0.5:
        self.follow()
        self.make(step)
    else:
        pieces = self.world.lift(wrong, pieces)
        self.soon(0.1, 0.4)
        self.world.put(move.target, pieces)
    self.finish(step)


def _slides_over(self: Evening, step: Step) -> None:
    """The piece touches another legal node on its way, too briefly to be meant."""
    self.expect(step)
    move = step.moves[0]
    others = [
        s.moves[0].target
        for s in self.game.steps(self.position)
        if len(s.moves) == 1
        and s.moves[0].source == move.source
        and s.moves[0].target not in {move.target, move.source}
    ]
    others = [node for node in others if node and not self.world.stacks[node]]
    if len(step.moves) > 1 or not others or move.target is None:
        _clean(self, step)
        return
    over = self.random.choice(others)
    pieces = self.world.lift(move.source, move.pieces) if move.source else list(move.pieces)
    self.soon(0.1, 0.3)
    self.world.put(over, pieces)
    self.wait(0.1)
    self.world.lift(over, pieces)
    self.soon(0.06, 0.2)
    self.world.put(move.target, pieces)
    self.finish(step)


def _taken_back_by_hand(self: Evening, step: Step) -> None:
    """The action counts, and is put back as it was; then another one follows."""
    _clean(self, step)
    if self.phase != "resolving" or self.table.is_computer(self.table.actor) or step.removed:
        return
    inverse = [PieceMove(m.pieces, m.target, m.source) for m in reversed(step.moves)]
    if ":" in step.action:
        return
    self.near = {(step.action,)}
    self.coming = set()
    meant = self.meant
    self.meant = meant[:-1]
    self.coming = {(meant[-1],)}
    for move in inverse:
        self.carry(move, 0.2)
        self.soon(0.06, 0.3)
    self.settle()
    self.ask_for_back()
    if self.in_force() != self.meant:
        if any(self.in_doubt(move) for move in inverse):
            self.mend()
        else:
            raise Lost(f"{step.action} was put back and is in force: {self.door.look()['message']}")
    self.near, self.coming = set(), set()
    self.meant = self.in_force()


def _proposed_back(self: Evening, step: Step) -> None:
    """The action counts, all agree to take it back, and the lights lead the board back."""
    _clean(self, step)
    if self.phase not in {"resolving", "sealing", "clearing"}:
        return
    before = self.meant[:-1]
    self.coming = set()
    first, *others = sorted(self.table.ledger.sittings)
    if self.random.random() < 0.3 and len(step.moves) == 1 and step.moves[0].source and step.moves[0].target:
        self.coming, self.meant = {(self.meant[-1],)}, before  # Somebody has put it back already.
        if self.phone("propose", seat=first, proposal="take-back") is None:
            move = step.moves[0]
            if move.pieces[-1] in self.world.stacks[str(move.target)]:
                self.carry(PieceMove(move.pieces, move.target, move.source), 0.1)
            self.soon(0.05, 1.0)
            for seat in others:
                self.phone("agree", seat=seat, proposal="take-back")
            self.settle()
            self.ask_for_back()
    else:
        self.meant, self.coming = before, {(self.meant[-1],)}
        if self.phone("propose", seat=first, proposal="take-back") is None:
            self.soon(0.1, 1.0)
            for seat in others:
                self.phone("agree", seat=seat, proposal="take-back")
    self.mend()


def _swept(self: Evening, step: Step) -> None:
    """A sleeve moves some pieces; they are put back as the lights say."""
    self.coming = set()
    for _ in range(self.random.randrange(2, 6)):
        node = self.some()
        if node is None:
            break
        self.astray(node)
    self.wait(0.3)
    self.mend()
    self.next_step()


def _bumped(self: Evening, step: Step) -> None:
    self.expect(step)

    def bump() -> None:
        nodes = [node for node in {self.some(*self.nodes_of(step)) for _ in range(3)} if node]
        held = {node: self.world.lift(node, list(self.world.stacks[node])) for node in nodes}
        self.wait(0.12)
        for node, pieces in held.items():
            self.world.put(node, pieces)

    self.make(step, bump)
    self.finish(step)


def _fluttering(self: Evening, step: Step) -> None:
    self.expect(step)
    node = self.some(*self.nodes_of(step))
    self.make(step, (lambda: self.world.flutter(node)) if node else None)
    self.finish(step)


def _held_long(self: Evening, step: Step) -> None:
    """A piece stays in the hand for a minute, over a node that sensors see it leave."""
    self.expect(step)
    if not self.shown(step):
        _clean(self, step)
        return
    self.make(step, lambda: self.wait(60.0))
    self.finish(step)


def _paused(self: Evening, step: Step) -> None:
    self.expect(step)

    def pause() -> None:
        self.door.deed(self.world.at, "pause")
        self.soon(0.1, 2.0)
        self.door.deed(self.world.at, "resume")

    pause()
    self.mend()
    self.next_step()


def _restarted(self: Evening, step: Step) -> None:
    """The power fails; meanwhile somebody has moved pieces."""
    self.coming = set()
    if self.random.random() < 0.5 and step.moves[0].source:
        self.coming = {(step.action,)}
        self.world.lift(str(step.moves[0].source), step.moves[0].pieces)
        self.soon(0.06, 0.3)
        self.world.put(str(step.moves[0].source), step.moves[0].pieces)
    for _ in range(self.random.randrange(4)):
        node = self.some()
        if node is not None:
            self.astray(node)
    self.wait(0.3)
    if self.in_force() != self.meant:
        return
    self.door.restart(self.world.at)
    self.mend()
    self.next_step()


def _phone_contradicts(self: Evening, step: Step) -> None:
    """Another action is chosen on the phone than the hands do."""
    self.expect(step)
    others = [s for s in self.game.steps(self.position) if s.moves and s.after != step.after]
    if self.world.wells:  # How a tile is turned sensors may learn from the phone only: nobody is believed to lie there.
        others = [s for s in others if s.action.partition("r")[0] != step.action.partition("r")[0]]
    if others:
        self.phone("choose", action=self.random.choice(others).action)
        self.soon(0.1, 0.5)
    self.make(step)
    self.finish(step)


def _chosen(self: Evening, step: Step) -> None:
    self.expect(step)
    self.phone("choose", action=step.action)
    self.soon(0.1, 0.5)
    self.make(step)
    self.finish(step)


def _contrary(self: Evening, step: Step) -> None:
    """While the board is mended, somebody makes it worse."""
    self.coming = set()
    for _ in range(2):
        node = self.some()
        if node is not None:
            self.astray(node)
    self.wait(5.0)
    node = self.some()
    if node is not None:
        self.astray(node)
    self.wait(1.0)
    self.mend()
    self.next_step()


def _slid_at_once(self: Evening, step: Step) -> None:
    """A whole line is slid: all its sensors change with a scan or two."""
    self.expect(step)
    if len(step.moves) < 2 or not step.line or self.world.wells:
        _clean(self, step)
        return
    for node in step.touches:
        self.world.set(node, step.after.get(node, ()))
    self.wait(0.06)
    self.finish(step)


def _next_is_quick(self: Evening, step: Step) -> None:
    """The next action begins before this one has settled."""
    follow = self.table.watch.tracker.follow
    own = {n for m in step.moves for n in (m.source, m.target)}
    later = [
        s
        for s in (follow(step) if follow else ())
        if s.moves
        and not s.partial
        and own.isdisjoint({n for m in s.moves for n in (m.source, m.target)})
        and not s.removed
    ]
    if not later or ":" in step.action or not self.shown(step):
        _clean(self, step)
        return
    second = self.random.choice(later)
    self.expect(step, second)
    asked = self.account.questions
    self.make(step, pauses=(0.06, 0.1))
    self.make(second, pauses=(0.06, 0.1))
    self.settle()
    for _ in range(6):
        if len(done := self.in_force()[len(self.meant) :]) == 2:
            break
        self.answer(second if done == [step.action] else step)
        self.settle()
    done = self.in_force()[len(self.meant) :]
    if not self.counted(step):
        raise Lost(f"{step.action} and {second.action} at once gave {done}: {self.door.look()['message']}")
    del asked
    self.meant, self.coming = self.in_force(), set()
    self.account.actions += 2
    self.clear_away()


MISHAPS: tuple[Callable[[Evening, Step], None], ...] = (
    _clean,
    _quick,
    _partner_first,
    _another_touched,
    _two_in_the_air,
    _wrong_node,
    _slides_over,
    _taken_back_by_hand,
    _proposed_back,
    _swept,
    _bumped,
    _fluttering,
    _held_long,
    _paused,
    _restarted,
    _phone_contradicts,
    _chosen,
    _contrary,
    _slid_at_once,
    _next_is_quick,
)


def a_position(name: str, mode: str, seed: int) -> str:
    """Return a position from random play in which somebody acts with hands."""
    game: Any = find_game(name)
    rng = Random(seed)
    while True:
        position = game.start(mode)
        for _ in range(rng.randrange(60)):
            offered = game.actions(position)
            if not offered:
                break
            chosen = {seat: game.random_action(position, seat, rng) for seat in offered}
            position = game.apply(position, chosen).position
        if not game.status(position).over and game.steps(position):
            return str(game.text(position))


def run(name: str, mode: str, kind: str, seed: int, actions: int = 15, **more: Any) -> Account:
    """Play one evening from a random position."""
    return Evening(name, mode, kind, a_position(name, mode, seed), seed, **more).play(actions)

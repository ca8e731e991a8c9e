"""People who play Octiles by hand: they lay tiles and move runners, make errors and mend them.

They know what they mean; whatever the table commits in the meantime, and after each turn, is compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from firmware_host.games.game import PieceMove, Step
from firmware_host.table import events as ev
from tests.table.evening import Evening

KINDS = ("presence", "coded")
SETTLED_S = 0.7
NAMES = ("Ada", "Bob", "Cleo", "Dan")


class Octiles:
    """A game of Octiles at a table, with the hands that play it."""

    def __init__(self, kind: str, mode: str, seed: int, *, position: str = "") -> None:
        self.evening = Evening("octiles", mode, kind)
        self.random = Random(seed)
        self.meant: list[str] = []
        """The actions that are to be in force."""
        self.coming: str | None = None
        """The action that the hands are doing."""
        self.asked = 0
        for seat in self.evening.table.ledger.all_seats:
            self.evening.say(ev.SeatTaken(at=0.0, seat=seat, name=NAMES[seat - 1], claim=f"c{seat}"))
        self.evening.say(ev.GameStarted(at=0.0, seed=seed))
        if position:
            self.evening.begin_at(position)
        else:
            self.mend()

    # -- what is so ------------------------------------------------------------------------------------------------

    @property
    def position(self) -> Any:
        return self.evening.table.ledger.now.position

    @property
    def over(self) -> bool:
        return self.evening.phase == "over"

    @property
    def stage(self) -> list[str]:
        return list(self.evening.view()["stage"])

    @property
    def seat(self) -> int:
        return self.evening.table.actor or 0

    def free(self) -> list[str]:
        """Return the wells in which nothing lies."""
        layout = self.evening.game.layout()
        return [node for node in layout.nodes if node in layout.wells and not self.evening.stones.get(node)]

    def step(self, action: str) -> Step:
        """Return a whole turn as hands do it."""
        return next(step for step in self.evening.game.steps(self.position) if step.action == action)

    def carried(self) -> list[Step]:
        """Return the legal turns in which a runner is carried to another node."""
        steps = self.evening.game.steps(self.position)
        return [step for step in steps if step.moves and step.moves[-1].source != step.moves[-1].target]

    def check(self) -> None:
        """What is in force is what was meant, whatever is on its way."""
        done = self.evening.done()
        assert done == self.meant or done == [*self.meant, self.coming], (done[-2:], self.meant[-2:], self.coming)

    def wait(self, seconds: float) -> None:
        self.evening.wait(seconds)
        self.check()

    def soon(self, shortest: float = 0.05, longest: float = 0.5) -> None:
        self.wait(self.random.uniform(shortest, longest))

    # -- hands -----------------------------------------------------------------------------------------------------

    def away(self, node: str) -> None:
        """Take off what lies uppermost on a node."""
        self.evening.lift(node)
        self.evening.hand = []

    def deed(self, move: PieceMove) -> None:
        """Carry one piece: off the board, from the supply, or from node to node."""
        if move.source is not None and move.target is not None:
            self.evening.lift(move.source)
            self.soon(0.05, 0.3)
            self.evening.put(move.target)
        elif move.source is not None:
            self.away(move.source)
        else:
            self.evening.put(str(move.target), move.pieces[0])
        self.check()

    def answer(self, stage: str, *, others: bool = False) -> None:
        """Say on the phone how the tile lies, once that is asked; it must be among what is offered."""
        question = self.evening.view()["question"]
        if question is None:
            return
        offered = [choice["action"] for choice in question["choices"]]
        assert stage in offered or others, (stage, question)
        self.asked += 1
        said = stage if stage in offered else offered[0]
        self.evening.say(ev.Confirmed(at=self.evening.at, seat=self.seat, action=said))
        self.check()

    # -- a turn ----------------------------------------------------------------------------------------------------

    def turn(self, *errors: str) -> str:
        """Play one turn, with errors of these names made and mended on the way; return it."""
        game, position = self.evening.game, self.position
        greedy = self.random.random() < 0.7
        choose = game.greedy_action if greedy else game.random_action  # type: ignore[attr-defined]
        action = str(choose(position, position.seat, self.random))
        return self.play(action, *errors)

    def play(self, action: str, *errors: str) -> str:
        self.coming = action
        if action == "pass":
            self.evening.say(ev.ActionChosen(at=self.evening.at, seat=self.seat, action=action))
        else:
            step = self.step(action)
            *tile, runner = step.moves
            for name in errors:
                if name in BEFORE_TILE:
                    BEFORE_TILE[name](self, step)
            self.lay(tile, action)
            for name in errors:
                if name in BEFORE_RUNNER:
                    BEFORE_RUNNER[name](self, step)
            assert self.stage == [stage_of(action)], (self.stage, action, self.evening.view()["message"])
            self.run(runner)
        self.finish()
        return action

    def lay(self, moves: Sequence[PieceMove], action: str) -> None:
        for move in moves:
            self.deed(move)
            self.soon(0.08, 0.4)
        self.wait(0.5)
        self.answer(stage_of(action))
        assert self.stage == [stage_of(action)], (self.stage, action, self.evening.view()["message"])

    def run(self, runner: PieceMove) -> None:
        if runner.source == runner.target:
            for _ in range(2):
                self.evening.tap(str(runner.source))
                self.soon(0.1, 0.3)
        else:
            self.deed(runner)

    def finish(self) -> None:
        """Wait until the turn counts."""
        self.wait(SETTLED_S)
        self.meant.append(self.coming or "")
        done, view = self.evening.done(), self.evening.view()
        assert done == self.meant, (done[-1:], self.coming, view["message"], view["question"])
        self.coming = None
        assert self.over or (view["stage"] == [] and view["problem"] is None), view["message"]

    def at_once(self, step: Step) -> None:
        """Let two hands do tile and runner at once: any interleaving of lifts and puts that hands can do."""
        action, self.coming = step.action, step.action
        *tile, runner = step.moves
        rows: list[list[tuple[str, str, str]]] = [
            [("away", str(m.source), "") if m.target is None else ("put", str(m.target), m.pieces[0]) for m in tile],
            [("lift", str(runner.source), ""), ("drop", str(runner.target), "")],
        ]
        while any(rows):
            what, node, piece = self.random.choice([row for row in rows if row]).pop(0)
            if what == "put":
                self.evening.put(node, piece)
            elif what == "away":
                self.evening.lift(node)
                self.evening.hand.pop(0)
            elif what == "lift":
                self.evening.lift(node)
            else:
                self.evening.put(node)
            self.check()
            if self.random.random() < 0.7:
                self.soon(0.03, 0.3)
        self.wait(0.8)
        self.answer(stage_of(action))
        self.wait(0.5)
        view = self.evening.view()
        if view["question"] is not None:
            self.answer(action)
        self.finish()

    # -- back ------------------------------------------------------------------------------------------------------

    def undo_by_hand(self, step: Step) -> None:
        """Put everything back as it was before the last turn, before anybody else moves."""
        *tile, runner = step.moves
        self.coming = None
        for move in (runner, *reversed(tile)):
            if move.source == move.target:
                continue
            if move.source is None:
                self.evening.lift(str(move.target))
                self.evening.hand = []
            elif move.target is None:
                self.evening.put(move.source, move.pieces[0])
            else:
                self.evening.carry(move.target, move.source)
            self.evening.wait(0.15)
        self.evening.wait(SETTLED_S)
        self.meant.pop()
        self.check()

    def restart(self) -> None:
        """Cut the power, bring it back, and do what the lights then ask for."""
        self.evening = self.evening.restarted()
        self.mend()
        self.check()

    def mend(self) -> None:
        """Do what the phones ask for, one deed at a time, until play goes on."""
        for _ in range(80):
            self.evening.wait(0.3)
            tasks = self.evening.view()["tasks"]
            if self.evening.phase == "resolving" and self.evening.view()["problem"] is None:
                return
            if tasks:
                self.task(tasks[0])
        raise AssertionError(f"not mended: {self.evening.phase}, {self.evening.view()['message']}, {tasks}")

    def task(self, task: dict[str, Any]) -> None:
        evening = self.evening
        if task["do"] == "put":
            evening.put(task["node"], task["piece"])
        elif task["do"] == "take":
            self.away(task["node"])
        elif task["do"] == "turn":
            evening.stones[task["node"]] = [task["piece"]]
            evening.feel(task["node"])
        else:
            evening.carry(task["from"], task["to"])


def stage_of(action: str) -> str:
    return action.partition(":")[0]


# -- errors before the tile lies ---------------------------------------------------------------------------------------


def _well(step: Step) -> str:
    return str(step.moves[-2].target)


def _wrong_tile(hands: Octiles, _step: Step) -> None:
    """Lay another tile of the stack, and take it up again."""
    others = hands.position.stack[1:]
    if hands.evening.kind == "coded" and others and hands.free():
        wrong = f"{hands.random.choice(others)}r{hands.random.randrange(8)}"
        node = hands.random.choice(hands.free())
        hands.evening.put(node, wrong)
        hands.soon(0.1, 2.0)
        assert hands.stage == []
        hands.away(node)
        hands.wait(0.3)


def _wrong_well(hands: Octiles, step: Step) -> None:
    """Lay the tile where it works no turn, or elsewhere, and take it up again."""
    if hands.free():
        node = hands.random.choice(hands.free())
        hands.evening.put(node, step.moves[-2].pieces[0])
        hands.soon(0.1, 2.0)
        hands.answer(stage_of(step.action), others=True)
        hands.away(node)
        hands.wait(0.3)
        assert hands.stage == []


def _on_top(hands: Octiles, step: Step) -> None:
    """Lay the tile upon the one that is to be taken out first."""
    if len(step.moves) == 3:
        hands.evening.put(_well(step), step.moves[1].pieces[0])
        hands.soon(0.1, 2.0)
        assert hands.stage == []
        hands.evening.lift(_well(step))
        hands.evening.hand = []
        hands.soon(0.1, 0.4)


def _wrong_turning(hands: Octiles, step: Step) -> None:
    """Lay the tile as it works no turn, and turn it in the well."""
    if hands.evening.kind != "coded":
        return
    *away, tile, _ = step.moves
    legal = {stage_of(one.action) for one in hands.evening.game.steps(hands.position)}
    name = tile.pieces[0].partition("r")[0]
    wrong = [r for r in range(8) if f"{tile.target}r{r}" not in legal]
    if wrong:
        for move in away:
            hands.deed(move)
        hands.evening.put(str(tile.target), f"{name}r{hands.random.choice(wrong)}")
        hands.soon(0.1, 1.5)
        assert hands.stage == []
        hands.away(str(tile.target))
        hands.soon(0.05, 0.4)
        for move in away:
            hands.evening.put(str(move.source), move.pieces[0])
        hands.wait(0.3)


def _runner_first(hands: Octiles, step: Step) -> None:
    """Lift the runner before the tile lies, and put it back."""
    hands.evening.tap(str(step.moves[-1].source))
    hands.soon(0.05, 1.0)


def _other_runner(hands: Octiles, step: Step) -> None:
    """Lift somebody's runner, and put it back."""
    wells = hands.evening.game.layout().wells
    node = hands.random.choice([node for node in hands.evening.stones if node not in wells])
    hands.evening.lift(node)
    hands.soon(0.1, 1.3)
    hands.evening.put(node)
    hands.wait(2.2)  # Long enough not to be one of two taps.


# -- errors once the tile lies -----------------------------------------------------------------------------------------


def _nodes(hands: Octiles) -> list[str]:
    layout = hands.evening.game.layout()
    return [node for node in layout.nodes if node not in layout.wells and node not in hands.evening.stones]


def _wrong_node(hands: Octiles, step: Step) -> None:
    """Move the runner to where no line leads, and back."""
    source = step.moves[-1].source
    ends = {one.moves[0].target for one in hands.evening.table.watch.tracker.steps if one.moves[0].source == source}
    wrong = [node for node in _nodes(hands) if node not in ends]
    if wrong:
        node = hands.random.choice(wrong)
        hands.evening.carry(str(source), node)
        hands.soon(0.1, 2.0)
        hands.evening.carry(node, str(source))
        hands.wait(2.2)


def _changed_mind(hands: Octiles, step: Step) -> None:
    """Touch another end of a line, and go back at once."""
    runner = step.moves[-1]
    ends = [one.moves[0] for one in hands.evening.table.watch.tracker.steps if one.moves[0] != runner]
    ends = [move for move in ends if move.source != move.target]
    if ends:
        move = hands.random.choice(ends)
        hands.evening.carry(str(move.source), str(move.target), pause=0.1)
        hands.wait(0.06)
        hands.evening.carry(str(move.target), str(move.source), pause=0.1)
        hands.wait(2.2)


def _tile_again(hands: Octiles, step: Step) -> None:
    """Take the tile up and lay it again."""
    hands.evening.lift(_well(step))
    assert hands.stage == []
    hands.soon(0.05, 0.8)
    hands.evening.put(_well(step))
    hands.wait(0.5)
    hands.answer(stage_of(step.action))


def _tile_after_runner(hands: Octiles, step: Step) -> None:
    """Take the tile up while the runner is in the other hand, lay it again, put the runner back."""
    runner = str(step.moves[-1].source)
    evening = hands.evening
    evening.lift(runner)
    hands.soon(0.1, 0.5)
    held, evening.hand = evening.hand, []
    evening.lift(_well(step))
    hands.soon(0.1, 0.8)
    evening.put(_well(step))
    hands.soon(0.1, 0.8)
    hands.answer(stage_of(step.action))
    evening.hand = held
    evening.put(runner)
    hands.wait(0.6)
    hands.answer(stage_of(step.action))
    hands.wait(1.6)


def _turned_in_place(hands: Octiles, step: Step) -> None:
    """Turn the tile where it lies, or on the phone, to another turning that works, and back."""
    tracker_steps = hands.evening.game.steps(hands.position)
    others = sorted({stage_of(one.action) for one in tracker_steps if _well(one) == _well(step)})
    other, right = hands.random.choice(others), stage_of(step.action)
    name = step.moves[-2].pieces[0].partition("r")[0]
    for stage in (other, right):
        if hands.evening.kind == "coded":
            hands.evening.stones[_well(step)] = [f"{name}r{stage[-1]}"]
            hands.evening.feel(_well(step))
            hands.wait(0.6)
        else:
            hands.evening.say(ev.ActionChosen(at=hands.evening.at, seat=hands.seat, action=stage))
        assert hands.stage == [stage]


def _power_cut(hands: Octiles, step: Step) -> None:
    """After a power cut the turn begins anew."""
    coming, hands.coming = hands.coming, None
    if hands.random.random() < 0.5:
        hands.evening.lift(str(step.moves[-1].source))
        hands.soon(0.1, 0.4)
    hands.restart()
    assert hands.stage == []
    hands.coming = coming
    hands.lay(step.moves[:-1], step.action)


def _named(hands: Octiles, step: Step) -> None:
    """Say the whole turn on the phone before doing it."""
    hands.evening.say(ev.ActionChosen(at=hands.evening.at, seat=hands.seat, action=step.action))


def _another_named(hands: Octiles, step: Step) -> None:
    """Say another turn on the phone, and do this one nevertheless."""
    other = hands.evening.game.random_action(hands.position, hands.seat, hands.random)
    hands.evening.say(ev.ActionChosen(at=hands.evening.at, seat=hands.seat, action=other))


BEFORE_TILE = {
    "wrong tile": _wrong_tile,
    "wrong well": _wrong_well,
    "tile on top": _on_top,
    "wrong turning": _wrong_turning,
    "runner first": _runner_first,
    "other runner": _other_runner,
    "named": _named,
}
BEFORE_RUNNER = {
    "wrong node": _wrong_node,
    "changed mind": _changed_mind,
    "tile again": _tile_again,
    "tile after runner": _tile_after_runner,
    "turned in place": _turned_in_place,
    "power cut": _power_cut,
}
ERRORS = (*BEFORE_TILE, *BEFORE_RUNNER)

"""Whole games by simulated people on a board that breaks again and again, on a clock of its own.

Everything is real but the time: drivers over simulated chips, judging, debouncing, table, journal, lights. The people
know what they did, the table does not: whatever it commits is compared with that. Where it can't see what was done
they answer as people would, by what they see on their phones and on the board.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_host.games.capabilities import HasTiles
from firmware_host.games.game import PieceMove, Step
from firmware_host.games.phalanx.phalanx import Phalanx
from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.hypotheses import Timings
from firmware_host.table.sealing import commitment
from tests.faulty_table import ASKING, Account, FaultyTable, Stuck, WrongAction
from tests.games.octiles_positions import greedy_action
from tests.games.phalanx_positions import armies
from tests.mishaps import FAULTS, Mishaps

__all__ = ["ASKING", "Account", "FaultyTable", "Mishaps", "People", "Stuck", "WrongAction", "evening"]

NONCE = "0123456789abcdef0123456789abcdef"
ENOUGH_S = 45.0
"""When something takes so long nothing more breaks until it is done."""
PATIENCE_S = 90.0
"""Nothing happens for so long although everything is mended: the table is stuck."""
REPAIR_S = 2.0
"""After so long people do what the table asks them to put right, unless a sensor lies."""
MOST_STEPS = 25
"""After so many steps of one phase somebody resigns: random play may circle for ever."""


class People:
    """The players: they seal, put stones down, make steps, and answer what their phones ask."""

    def __init__(self, table: FaultyTable) -> None:
        self.table, self.random = table, table.random
        self.game = table.runtime.setting.game
        self.seats = self.game.seats(str(table.view["game"]["mode"]))  # type: ignore[index]
        self.undoing: Any = None
        """How the pieces lay before the last step: whoever brings that about takes it back, by hand."""
        self.laid: set[str] = set()
        """The nodes of the last step: to lift a piece there may take it back."""

    # -- a game ----------------------------------------------------------------------------------------------------

    def play(self, turns: int) -> None:
        """Play so many turns, in as many games as it takes."""
        for seat in self.seats:
            self.table.say(ev.SeatTaken(at=self.now, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
        self._begin()
        while self.table.account.turns < turns:
            if self._turn():
                self.table.account.turns += 1
            else:
                self._next_game()

    @property
    def now(self) -> float:
        return self.table.clock.now

    def _begin(self) -> None:
        table = self.table
        table.account.games += 1
        table.allowed = set()
        if not table.say(ev.GameStarted(at=self.now, seed=self.random.randrange(1000))):
            raise Stuck("the game can't be started")
        if isinstance(self.game, Phalanx):  # From the set-up the armies hardly ever meet by chance.
            self._begin_at(armies(self.random))
        self.position = table.position
        self.undoing, self.laid = None, set()
        table.allowed = {self.position}
        for node, stack in self.game.occupancy(self.position).items():
            table.wait(self.random.uniform(0.05, 0.3))
            table.hand.put(node, stack[0])
        self._until(lambda: table.table.phase in {"sealing", "resolving"}, "set up")

    def _begin_at(self, position: Any) -> None:
        """Let the game that has just begun begin with another position."""
        table = self.table.table
        occupancy = self.game.occupancy(position)
        now = replace(table.ledger.now, position=position, status=self.game.status(position), placed=occupancy)
        table.ledger.moments = (*table.ledger.moments[:-1], now)
        Change(table).set_up()

    def _next_game(self) -> None:
        table = self.table
        table.allowed = set()
        if table.table.phase not in {"over", "clearing"}:
            table.say(ev.Resigned(at=self.now, seat=self.seats[0]))
            for seat in self.seats[1:-1]:
                table.say(ev.Resigned(at=self.now, seat=seat))
            table.wait(0.1)
        for node, stack in table.parts.world.stones().items():
            for _ in stack:
                table.hand.take_off(node)
            table.wait(0.1)
        table.wait(1)
        table.runtime.new_game()
        self._begin()

    # -- a turn ----------------------------------------------------------------------------------------------------

    def _turn(self) -> bool:
        """Play one turn; False when the game is over or goes round in circles."""
        table, game = self.table, self.game
        if table.table.phase == "over":
            return False
        if not game.simultaneous(self.position):
            self._step()
            return bool(table.table.phase != "over")
        actions = {seat: game.random_action(self.position, seat, self.random) for seat in game.actions(self.position)}
        moves = [move for _, move in game.placements(self.position, actions)]
        after = game.apply(self.position, actions)
        self._seal(actions, after.position)
        self.position = after.position
        self.undoing, self.laid = None, {str(move.target) for move in moves}
        for move in self.random.sample(moves, len(moves)):
            table.busy = (str(move.target),)
            table.wait(self.random.uniform(0.05, 0.4))
            table.hand.put(str(move.target), move.pieces[0])
        self._until(lambda: table.table.phase != "placing", "placing", self._placed)
        self._clear(after.removed)
        for _ in range(MOST_STEPS):
            if table.table.phase != "resolving":
                return bool(table.table.phase == "sealing")
            self._step()
        return False

    def _seal(self, actions: dict[int, str], after: Any) -> None:
        table = self.table
        info: Any = table.view["seal"]
        for seat, action in actions.items():
            digest = commitment(info["game"], info["turn"], seat, info["history"], action, NONCE)
            table.say(ev.SealCommitted(at=self.now, seat=seat, turn=info["turn"], commitment=digest))
            table.wait(0.02)
        table.allowed = {self.position, after}
        for seat in actions:
            table.say(ev.SealReady(at=self.now, seat=seat, turn=info["turn"]))
        for seat, action in actions.items():
            table.say(ev.SealOpened(at=self.now, seat=seat, turn=info["turn"], action=action, nonce=NONCE))
        if table.position != after:
            raise Stuck("the placements were not revealed")
        table.allowed = {after}

    def _clear(self, nodes: tuple[str, ...]) -> None:
        """Take off what the rules remove: of a loop every stone that moves lies on one of its nodes."""
        expected = self.game.occupancy(self.position)
        for node in nodes:
            for _ in range(len(self.table.parts.world.stones().get(node, ())) - len(expected.get(node, ()))):
                self.table.wait(0.1)
                self.table.hand.take_off(node)
        if nodes:
            self._until(lambda: self.table.table.phase != "clearing", "clearing")

    def _placed(self) -> None:
        """All stones lie: tell it to a phone where a stack (or a masked sensor) hides it."""
        for node in self.table.table.watch.unseen_stacks():
            if self.random.random() < 0.5 and self.table.parts.world.stones().get(node):
                self.table.hand.tap(node)
        if self.table.table.phase == "placing":
            self.table.say(ev.Confirmed(at=self.now, seat=self.seats[0], action=""))

    def _step(self) -> None:
        """Make one step by hand, after some dithering."""
        table, game = self.table, self.game
        if self.random.random() < 0.15:
            self._dither()
        step = self._chosen()
        seat = game.actor(self.position)
        assert seat is not None
        after = game.apply(self.position, {seat: step.action})
        before, self.position = self.position, after.position
        table.busy = tuple(node for move in step.moves for node in (move.source, move.target) if node)
        table.allowed = {before, after.position}  # The hand makes this step and no other.
        self.laid = {node for move in step.moves for node in (move.source, move.target) if node}
        self.undoing = self.game.occupancy(before)
        for move in step.moves:
            self._carry(move)
        early = [node for node in after.removed if self.random.random() < 0.3]
        for node in early:  # Dead ones may go at once.
            table.wait(0.1)
            table.hand.take_off(node)
        self._until(lambda: table.position == after.position, step.words, lambda: self._insist(step, seat))
        table.allowed = {after.position}
        table.account.steps += 1
        table.account.lines += len(step.moves) > 1
        self._clear(after.removed)

    def _chosen(self) -> Step:
        """Choose a step at random, most often one of several stones, or what leads to some."""
        steps = list(self.game.steps(self.position))
        steps = [step for step in steps if not self._undoes(step)] or steps
        lines = [step for step in steps if len(step.moves) > 1]
        if lines and self.random.random() < 0.7:
            return self.random.choice(lines)
        if self.game.simultaneous(self.game.start(self.game.modes[0])) or self.random.random() < 0.3:
            return self.random.choice(steps)
        seat = self.game.actor(self.position)
        return max(self.random.sample(steps, min(4, len(steps))), key=lambda step: self._lines_after(step, seat))

    def _undoes(self, step: Step) -> bool:
        """Return whether the pieces would lie as before the last step: by hand that is a step back."""
        return bool(step.moves) and dict(step.after) == dict(self.undoing or {})

    def _lines_after(self, step: Step, seat: int | None) -> int:
        assert seat is not None
        after = self.game.apply(self.position, {seat: step.action})
        return 0 if after.status.over else sum(len(one.moves) > 1 for one in self.game.steps(after.position))

    def _carry(self, move: PieceMove) -> None:
        table = self.table
        if move.source is None:
            table.hand.put(str(move.target), move.pieces[0])
        else:
            table.hand.lift(move.source, move.pieces)
            table.wait(self.random.uniform(0.06, 0.6))
            if move.target is None:
                table.hand.drop()
            else:
                table.hand.put(move.target)
        table.wait(self.random.uniform(0.02, 0.3))

    def _dither(self) -> None:
        """Lift a stone and put it back; not where a stack can be made, for that would be the tap that says so."""
        taps = {move.target for step in self.game.steps(self.position) for move in step.moves}
        stones = [node for node in self.table.parts.world.stones() if node not in taps | self.laid]
        if stones:
            node = self.random.choice(stones)
            self.table.hand.lift(node)
            self.table.wait(self.random.uniform(0.06, 0.9))
            self.table.hand.put(node)
            self.table.wait(self.random.uniform(0.1, 0.5))

    def _insist(self, step: Step, seat: int) -> None:
        """Tell the table what was done; do it again where a repair has led back to the position before."""
        table = self.table
        wanted = table.table.watch.target
        if step.moves and table.position != self.position and not self._unlike(wanted) and not table.table.done_stages:
            for move in step.moves:
                self._carry(move)
        else:
            self._show(step, seat)

    def _show(self, step: Step, seat: int) -> None:
        """Tell the table what was done: by a tap where the stack is new, else on the phone."""
        if not step.moves:
            self.table.say(ev.ActionChosen(at=self.now, seat=seat, action=step.action))
            return
        target = str(step.moves[-1].target)
        if self.random.random() < 0.5 and len(self.table.parts.world.stones().get(target, ())) > 1:
            self.table.hand.tap(target)
            self.table.wait(0.5)
        question = self.table.table.watch.asking
        if self.table.position != self.position and (question or self.random.random() < 0.7):
            self.table.say(ev.Confirmed(at=self.now, seat=seat, action=step.action))

    # -- patience --------------------------------------------------------------------------------------------------

    def _until(self, done: Callable[[], bool], what: str, help_: Callable[[], None] = lambda: None) -> None:
        """Wait for the table, help it, look after sensors that lie; give up long after all is mended."""
        table = self.table
        mishaps = table.mishaps
        assert mishaps is not None
        began, calm, asked, since = self.now, None, None, self.now
        table.wait(0.7)
        while not done():
            table.wait(0.25)
            if done():
                break
            if calm is None and self.now - began > ENOUGH_S:
                calm = self.now
                mishaps.stop()
            if calm is not None and self.now - calm > PATIENCE_S:
                raise Stuck(f"{what}: {table.table.phase}, {table.view['message']}")
            if table.table.board_lost is None:
                self._look_after_sensors()
                tasks = table.view["tasks"] if table.table.watch.problem is not None else None
                if tasks != asked:
                    asked, since = tasks, self.now
                if tasks and self.now - since > REPAIR_S and not dict(self._lies()):
                    self._put_right(list(tasks))  # type: ignore[call-overload]
                elif not tasks and self.now - began > 1.5:
                    help_()
        if calm is not None:
            mishaps.plan()
        self._note(mishaps)

    def _put_right(self, tasks: list[dict[str, Any]]) -> None:
        """Do the first of the table's tasks that changes anything, by what should lie; then what only eyes can tell."""
        wanted = self.table.table.watch.target
        hand = self.table.hand
        for task in tasks:
            node = task.get("node") or task["to"]
            missing, surplus = self._unlike(wanted).get(node, (Counter(), Counter()))
            if task["do"] == "take" and surplus:
                hand.lift(node, [next(surplus.elements())])
                hand.drop()
                return
            if task["do"] in {"put", "move"} and missing:
                self._bring(node, task.get("piece") or next(missing.elements()), task.get("from"))
                return

    def _bring(self, node: str, piece: str, source: str | None) -> None:
        """Bring a piece to where it is missing: from the node named, from one that has too many, or from the tray."""
        hand, stacks = self.table.hand, self.table.parts.world.stones()
        unlike = self._unlike(self.table.table.watch.target)
        source = source or next((one for one, (_, surplus) in unlike.items() if piece in surplus), None)
        if source is None:
            hand.put(node, piece)
            return
        hand.lift(source, [piece] if piece in stacks.get(source, ()) else None)
        self.table.wait(0.3)
        hand.put(node)

    def _unlike(self, wanted: Mapping[str, Sequence[str]]) -> dict[str, tuple[Counter[str], Counter[str]]]:
        """Return node → pieces that are missing there, and those that are too much, for all that lies otherwise."""
        stacks = self.table.parts.world.stones()
        pairs = {node: (Counter(wanted.get(node, ())), Counter(stacks.get(node, ()))) for node in {*wanted, *stacks}}
        return {node: (right - lying, lying - right) for node, (right, lying) in pairs.items() if right != lying}

    def _look_after_sensors(self) -> None:
        """Mask the sensors that lie, as the phones offer it; believe again those that are right."""
        table = self.table
        lying = dict(self._lies())
        for node in table.table.watch.suspects:
            if node in lying:
                table.say(ev.SensorMasked(at=self.now, node=node, reason="a player says so", seat=self.seats[0]))
                table.account.noticed["stuck sensor masked by a player"] += 1
        mishaps = table.mishaps
        assert mishaps is not None
        for node in list(table.table.ledger.masked):
            if node not in lying and not (mishaps.broken and mishaps.kind != "none") and self.random.random() < 0.1:
                table.say(ev.SensorUnmasked(at=self.now, node=node, seat=self.seats[0]))

    def _lies(self) -> Iterator[tuple[str, str]]:
        for node, sensed in self.table.table.watch.tracker.sensed.items():
            if self.table.lies(node, sensed):
                yield node, sensed

    def _note(self, mishaps: Mishaps) -> None:
        for node, mask in self.table.table.ledger.masked.items():
            if mask.reason != "player":
                self.table.account.noticed[f"{mask.words.split(' ')[0]} masked by itself"] += bool(node)


class TilePeople(People):
    """Players whose turns are a tile and a runner; what no sensor reads they say on their phones."""

    def _chosen(self) -> Step:
        """Choose a turn, mostly one that brings a runner on."""
        game: Any = self.game
        choose = greedy_action if self.random.random() < 0.6 else game.random_action
        action = choose(self.position, self.position.seat, self.random)
        return next(step for step in game.steps(self.position) if step.action == action)

    def _dither(self) -> None:
        """Lift a runner and put it back."""
        wells = self.game.layout().wells
        stones = [node for node in self.table.parts.world.stones() if node not in wells and node not in self.laid]
        node = self.random.choice(stones)
        self.table.hand.lift(node)
        self.table.wait(self.random.uniform(0.06, 0.9))
        self.table.hand.put(node)
        self.table.wait(self.random.uniform(0.1, 0.5))

    def _insist(self, step: Step, seat: int) -> None:
        """Say what was done, as no sensor tells how a tile is turned; bring again what a repair has led back."""
        runner = step.moves[-1] if step.moves else None
        stones, table = self.table.parts.world.stones(), self.table.table
        if table.done_stages and runner and runner.source in stones and runner.target not in stones:
            self._carry(runner)
        elif step.moves and not table.done_stages and not self._unlike(table.watch.target):
            for move in step.moves:
                self._carry(move)
        else:
            self._show(step, seat)

    def _show(self, step: Step, seat: int) -> None:
        """Say how the tile lies, where it was taken otherwise so; then what the runner did."""
        table, stage = self.table, step.action.partition(":")[0]
        if not step.moves or (table.table.done_stages and table.table.done_stages != (stage,)):
            table.say(ev.ActionChosen(at=self.now, seat=seat, action=stage))
            return
        if not table.table.done_stages:
            if not table.say(ev.Confirmed(at=self.now, seat=seat, action=stage)):
                table.say(ev.ActionChosen(at=self.now, seat=seat, action=stage))
            table.wait(0.3)
        if table.table.done_stages and table.position != self.position:
            table.say(ev.Confirmed(at=self.now, seat=seat, action=step.action))


def evening(
    folder: Path,
    turns: int,
    *,
    kind: str,
    mode: str,
    seed: int,
    kinds: tuple[str, ...] = FAULTS,
    timings: Timings = ASKING,
    game: str = "spokes",
) -> Account:
    """Play so many turns and return what came of it; a wrong action or a stuck table ends it early."""
    table = FaultyTable(folder, kind=kind, mode=mode, kinds=kinds, seed=seed, timings=timings, game=game)
    where = f"{game}, {kind}, {mode} players, seed {seed}"
    try:
        people = TilePeople if isinstance(table.runtime.setting.game, HasTiles) else People
        people(table).play(turns)
    except WrongAction as error:
        table.account.wrong.append(f"{where}, {table.mishaps and table.mishaps.kind}: {error}")
    except Stuck as error:
        table.account.stuck.append(f"{where}, {table.mishaps and table.mishaps.kind}: {error}")
    finally:
        table.close()
    return table.account

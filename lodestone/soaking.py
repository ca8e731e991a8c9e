"""Evenings at simulated tables whose parts break again and again, and whose people have strange hands.

Everything is real but the time: drivers over simulated chips, judging, debouncing, table, journal, lights. One part
breaks at a time, at any moment, and is mended again. The people know what they did, the table does not: whatever it
commits is compared with that. Where it can't see what was done they answer as people would, by what they see on their
phones and on the board. ``lodestone soak`` plays such evenings by thousands: :func:`play_evening` is its unit of work.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.boardfile.load import load_board, shipped_boards
from firmware_host.games.capabilities import HasTiles
from firmware_host.games.game import Game, PieceMove, Step
from firmware_host.games.seals import commitment
from firmware_host.games.thinking import choose
from firmware_host.link.weak_games import game_positions
from firmware_host.searching.playouts import computer_player_of
from firmware_host.table import events as ev
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.hypotheses import Timings
from firmware_host.table.subjects import masks
from firmware_host.table.subjects.masks import SensorMasked, SensorUnmasked
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from lodestone.tables import NONCE, SimulatedTable
from simulator.faults import LINE_FAULTS, SENSOR_FAULTS
from simulator.hand import Hand

STRIP_FAULTS = ("strip-dead", "pixel-broken")
FAULTS = ("none", *SENSOR_FAULTS, *LINE_FAULTS, "lost", *STRIP_FAULTS)
Row = dict[str, Any]

ASKING = Timings(one_sensor=False)
"""No sensor decides alone: one that dies under a stone with one stack to go to would move that stone."""
ENOUGH_S = 45.0
"""When something takes so long nothing more breaks until it is done."""
PATIENCE_S = 90.0
"""Nothing happens for so long although everything is mended: the table is stuck."""
REPAIR_S = 2.0
"""After so long people do what the table asks them to put right, unless a sensor lies."""
OBEY_S = 10.0
"""After so long they do what the table asks even where nothing is wrong: a dead piece may be gone before its time."""
MAX_STEPS = 25
"""Number of steps of one phase after which somebody resigns: random play may circle for ever."""
STRANGE = 0.5
"""How often strange hands dither before a step; others in 15 of 100 steps."""
MIDDLE = 20, 60
"""Least and greatest number of actions before a game begins with pieces on the board: by chance they hardly meet."""


def evening(
    folder: Path,
    turns: int,
    *,
    kind: str,
    mode: str,
    seed: int,
    kinds: tuple[str, ...] = FAULTS,
    timings: Timings = ASKING,
    game: str,
    strange: bool = False,
) -> Account:
    """Play so many turns and return what came of it; a wrong action or a stuck table ends it early."""
    table = FaultyTable(folder, kind=kind, mode=mode, kinds=kinds, seed=seed, timings=timings, game=game)
    where = f"{game}, {kind}, {mode} players, seed {seed}"
    try:
        people = TilePeople if isinstance(table.runtime.setting.game, HasTiles) else People
        people(table, strange=strange).play(turns)
    except WrongAction as error:
        table.account.wrong.append(f"{where}, {table.mishaps.words}: {error}")
    except Stuck as error:
        table.account.stuck.append(f"{where}, {table.mishaps.words}: {error}")
    finally:
        table.close()
    return table.account


def play_evening(game: str, kind: str, mode: str, seed: int, turns: int, faults: Sequence[str], strange: bool) -> Row:
    """Play one evening of ``lodestone soak`` in a folder of its own; return an :class:`Account` as plain data.

    ``crashed`` is what was raised, if anything was.
    """
    crashed, account = "", Account()
    with tempfile.TemporaryDirectory(prefix="lodestone-soak-") as folder:
        try:
            account = evening(
                Path(folder), turns, kind=kind, mode=mode, seed=seed, kinds=tuple(faults), game=game, strange=strange
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            where = error.__traceback__
            while where is not None and where.tb_next is not None:
                where = where.tb_next
            place = f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}" if where else ""
            crashed = f"{game}, {kind}, {mode} players, seed {seed}: {type(error).__name__} at {place}: {error}"
    return {**vars(account), "crashed": crashed}


@cache
def board_with(game: str, kind: str) -> str | None:
    """Return a shipped board of a game whose sensors may be of a kind; None where there is none."""
    boards = {path.stem: load_board(path, backend="sim") for path in shipped_boards()}
    fitting = [one for one, made in boards.items() if made.game == game and (made.kind == "coded") == (kind == "coded")]
    return min(fitting, key=len, default=None)  # The plainest wiring has the shortest name.


@dataclass
class Account:
    """What came of it."""

    turns: int = 0
    steps: int = 0
    lines: int = 0
    """Steps of several stones."""
    games: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    noticed: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)

    def add(self, other: Account) -> None:
        """Sum up."""
        self.turns += other.turns
        self.steps += other.steps
        self.lines += other.lines
        self.games += other.games
        self.faults += other.faults
        self.noticed += other.noticed
        self.wrong += other.wrong
        self.stuck += other.stuck


class WrongAction(AssertionError):
    """The table has committed what nobody did."""


class Stuck(AssertionError):
    """The table does not go on."""


class FaultyTable(SimulatedTable):
    """A running table whose parts break, and which is watched for committing what nobody did."""

    def __init__(
        self,
        folder: Path,
        *,
        kind: str,
        mode: str,
        kinds: tuple[str, ...],
        seed: int,
        timings: Timings = ASKING,
        game: str,
    ) -> None:
        self.account = Account()
        self.random = Random(seed)
        self.busy: tuple[str, ...] = ()
        """Nodes that hands are dealing with."""
        self.allowed: set[Any] = set()
        """The positions that the table may hold by what the people have done."""
        self._looked: Any = None
        board = board_with(game, kind)
        fixed = None if kind == "coded" else kind
        super().__init__(folder, game=game, board=board, kind=fixed if board else kind, mode=mode, timings=timings)
        self.mishaps = Mishaps(self, kinds, self.random)

    def lies(self, node: str, sensed: str) -> bool:
        """Tell whether a sensed state is not what the pieces on a node give."""
        stack = self.parts.world.stones().get(node, [])
        if self.description.kind == "coded" and node in self.runtime.setting.game.layout().wells:
            return sensed != (stack[0] if len(stack) == 1 else "?" if stack else "")
        return bool(sensed) != bool(stack)

    @property
    def table(self) -> Any:
        """The table's state."""
        return self.runtime._table

    @property
    def position(self) -> Any:
        """The position that counts."""
        return self.table.ledger.now.position

    def wait(self, seconds: float) -> None:
        """Let time pass, and parts break. Raise WrongAction for what is committed and nobody did."""
        period = 1 / self.description.scan_hz
        for _ in range(max(1, round(seconds / period))):
            self.clock.now += period
            self.mishaps.pass_time()
            self.runtime.step()
            moments = self.table.ledger.moments if self.table is not None else None
            if moments and moments[-1] is not self._looked:
                self._looked = moments[-1]
                if self.allowed and self._looked.position not in self.allowed:
                    raise WrongAction(f"{self._looked.kind} {dict(self._looked.actions)}")

    def say(self, event: ev.Event) -> bool:
        """Let a phone say something; a refusal is shown on it, and that is all."""
        try:
            self.runtime.submit(event)
        except TableError:
            return False
        return True


class Mishaps:
    """Breaks one part at a time, at any moment, and mends it again."""

    def __init__(self, table: FaultyTable, kinds: tuple[str, ...], random: Random) -> None:
        self.table, self.kinds, self.random = table, kinds, random
        self.kind, self.node = "none", ""
        self.begins = self.ends = 0.0
        self.broken = False
        self.plan()

    @property
    def words(self) -> str:
        """Return what is broken, and where."""
        return f"{self.kind} at {self.node}" if self.kind in SENSOR_FAULTS else self.kind

    def plan(self) -> None:
        """Choose what breaks next, when, and for how long."""
        self.kind, self.node = self.random.choice(self.kinds), ""
        self.begins = self.table.clock.now + self.random.uniform(0, 6)
        long = 5.0 if self.kind == "lost" else self.random.choice((0.03, 0.3, 2.0, 6.0, 15.0))
        self.ends = self.begins + long * self.random.uniform(0.8, 1.2)

    def pass_time(self) -> None:
        """Break and mend what is due."""
        now = self.table.clock.now
        if not self.broken and now >= self.begins:
            self.broken = True
            self.table.account.faults[self.kind] += 1
            self._break()
        elif self.broken and now >= self.ends:
            self.mend()
            self.plan()

    def stop(self) -> None:
        """Mend everything, and break nothing before the next plan."""
        self.mend()
        self.kind, self.begins = "none", float("inf")

    def mend(self) -> None:
        """Mend what is broken."""
        self.broken = False
        self.table.parts.world.clear_faults()
        self._wire().dead = False
        self._wire().broken_from = None

    def _wire(self) -> Any:
        """Return the wire of the strip; evenings are at boards with one."""
        return self.table.parts.wire

    def _break(self) -> None:
        world, wire = self.table.parts.world, self._wire()
        if self.kind in SENSOR_FAULTS:
            near = [*self.table.busy, *world.stones()] if self.random.random() < 0.7 else []
            self.node = self.random.choice(near or list(world.nodes))
            world.set_fault(self.kind, self.node)
        elif self.kind == "strip-dead":
            wire.dead = True
        elif self.kind == "pixel-broken":
            wire.broken_from = self.random.randrange(wire.length)
        elif self.kind != "none":
            world.set_fault(self.kind)


def middle(game: Game[Any], start: Any, random: Random) -> Any:
    """Return a position of a game between the weakest computers, after the first actions and before the end."""
    wanted, position = random.randint(*MIDDLE), start
    for number, reached in enumerate(game_positions(game, start, random)):
        position = reached
        if number == wanted:
            break
    return position


class People:
    """The players: they seal, put stones down, make steps, and answer what their phones ask."""

    def __init__(self, table: FaultyTable, *, strange: bool = False) -> None:
        self.table, self.random, self._strange = table, table.random, strange
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
            self.table.say(SeatTaken(at=self.now, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
        self._begin()
        while self.table.account.turns < turns:
            if self._turn():
                self.table.account.turns += 1
            else:
                self._next_game()

    @property
    def now(self) -> float:
        """The table's time, in seconds."""
        return self.table.clock.now

    def _begin(self) -> None:
        table = self.table
        table.account.games += 1
        table.allowed = set()
        if not table.say(GameStarted(at=self.now, seed=self.random.randrange(1000))):
            raise Stuck("the game can't be started")
        if self._begins_in_the_middle():
            self._begin_at(middle(self.game, table.position, self.random))
        self.position = table.position
        self.undoing, self.laid = None, set()
        table.allowed = {self.position}
        for node, stack in self.game.occupancy(self.position).items():
            table.wait(self.random.uniform(0.05, 0.3))
            table.hand.put(node, stack[0])
        self._until(lambda: table.table.phase in {"sealing", "resolving"}, "set up")

    def _begins_in_the_middle(self) -> bool:
        return bool(self.game.occupancy(self.table.position))

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
            table.say(Resigned(at=self.now, seat=self.seats[0]))
            for seat in self.seats[1:-1]:
                table.say(Resigned(at=self.now, seat=seat))
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
        for _ in range(MAX_STEPS):
            if table.table.phase != "resolving":
                return bool(table.table.phase == "sealing")
            self._step()
        return False

    def _seal(self, actions: dict[int, str], after: Any) -> None:
        table = self.table
        info: Any = table.view["seal"]
        for seat, action in actions.items():
            digest = commitment(info["game"], info["turn"], seat, info["history"], action, NONCE)
            table.say(SealCommitted(at=self.now, seat=seat, turn=info["turn"], commitment=digest))
            table.wait(0.02)
        table.allowed = {self.position, after}
        for seat in actions:
            table.say(SealReady(at=self.now, seat=seat, turn=info["turn"]))
        for seat, action in actions.items():
            table.say(SealOpened(at=self.now, seat=seat, turn=info["turn"], action=action, nonce=NONCE))
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
            self.table.say(Confirmed(at=self.now, seat=self.seats[0], action=""))

    def _step(self) -> None:
        """Make one step by hand, after some dithering."""
        table, game = self.table, self.game
        if self.random.random() < (STRANGE if self._strange else 0.15):
            self._dither()
        step = self._chosen()
        seat = self._actor()
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
        seat = self._actor()
        return max(self.random.sample(steps, min(4, len(steps))), key=lambda step: self._lines_after(step, seat))

    def _actor(self) -> int:
        """Return the seat whose step is to be made."""
        return int(self.game.actor(self.position) or 0)

    def _undoes(self, step: Step) -> bool:
        """Return whether the pieces would lie as before the last step: by hand that is a step back."""
        return bool(step.moves) and dict(step.after) == dict(self.undoing or {})

    def _lines_after(self, step: Step, seat: int) -> int:
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
        self._lift_and_return([node for node in self.table.parts.world.stones() if node not in taps | self.laid])

    def _lift_and_return(self, nodes: list[str]) -> None:
        """Lift a piece of these nodes and put it back; strange hands hesitate, and the other one takes one, too."""
        if not nodes:
            return
        node, *others = self.random.sample(nodes, min(2, len(nodes)))
        self.table.hand.lift(node)
        self.table.wait(self.random.uniform(0.06, 0.9))
        if self._strange and others:
            second = Hand(self.table.parts.world, "second", sleep=self.table.wait)
            second.lift(others[0])
            self.table.wait(self.random.uniform(0.1, 4.0))
            second.put(others[0])
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
            self.table.say(ActionChosen(at=self.now, seat=seat, action=step.action))
            return
        target = str(step.moves[-1].target)
        if self.random.random() < 0.5 and len(self.table.parts.world.stones().get(target, ())) > 1:
            self.table.hand.tap(target)
            self.table.wait(0.5)
        question = self.table.table.watch.asking
        if self.table.position != self.position and (question or self.random.random() < 0.7):
            self.table.say(Confirmed(at=self.now, seat=seat, action=step.action))

    # -- patience --------------------------------------------------------------------------------------------------

    def _until(self, done: Callable[[], bool], what: str, help_: Callable[[], None] = lambda: None) -> None:
        """Wait for the table, help it, look after sensors that lie; give up long after all is mended."""
        table = self.table
        mishaps = table.mishaps
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
                    self._put_right(list(tasks), obey=self.now - since > OBEY_S)  # type: ignore[call-overload]
                elif not tasks and self.now - began > 1.5:
                    help_()
        if calm is not None:
            mishaps.plan()
        self._note()

    def _put_right(self, tasks: list[dict[str, Any]], *, obey: bool) -> None:
        """Do the first of the table's tasks that changes anything, by what should lie; ``obey``: just as it says."""
        wanted = self.table.table.watch.target
        hand = self.table.hand
        for task in tasks:
            node = task.get("node") or task["to"]
            missing, surplus = self._unlike(wanted).get(node, (Counter(), Counter()))
            if task["do"] == "take" and surplus:
                self._take_away(node, next(surplus.elements()))
                return
            if task["do"] in {"put", "move"} and missing:
                self._bring(node, task.get("piece") or next(missing.elements()), task.get("from"))
                return
        if obey and tasks[0]["do"] == "put" and not self.table.parts.world.stones().get(tasks[0]["node"]):
            hand.put(tasks[0]["node"], tasks[0]["piece"])

    def _take_away(self, node: str, piece: str) -> None:
        """Take a piece off; who knows that it came from a stack, where no sensor misses it, puts it back there."""
        stacks, unlike = self.table.parts.world.stones(), self._unlike(self.table.table.watch.target)
        home = next((one for one, (missing, _) in unlike.items() if piece in missing and stacks.get(one)), None)
        if home is not None:
            self._bring(home, piece, node)
            return
        self.table.hand.lift(node, [piece])
        self.table.hand.drop()

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
                table.say(SensorMasked(at=self.now, node=node, reason="a player says so", seat=self.seats[0]))
                table.account.noticed["stuck sensor masked by a player"] += 1
        mishaps = table.mishaps
        for node in list(masks.KEPT.of(table.table.ledger)):
            if node not in lying and not (mishaps.broken and mishaps.kind != "none") and self.random.random() < 0.1:
                table.say(SensorUnmasked(at=self.now, node=node, seat=self.seats[0]))

    def _lies(self) -> Iterator[tuple[str, str]]:
        for node, sensed in self.table.table.watch.tracker.sensed.items():
            if self.table.lies(node, sensed):
                yield node, sensed

    def _note(self) -> None:
        for node, mask in masks.KEPT.of(self.table.table.ledger).items():
            if mask.reason != "player":
                self.table.account.noticed[f"{mask.words.split(' ')[0]} masked by itself"] += bool(node)


class TilePeople(People):
    """Players whose turns are a tile and a runner; what no sensor reads they say on their phones."""

    def _begins_in_the_middle(self) -> bool:
        return False

    def _chosen(self) -> Step:
        """Choose a turn, mostly one that brings a runner on."""
        game: Any = self.game
        seat = self._actor()
        if self.random.random() < 0.6:
            weakest = computer_player_of(game).strengths[0]
            thought = computer_player_of(game).think(self.position, seat, weakest.budget, self.random)
            action = choose(thought, weakest.spread, self.random).action
        else:
            action = game.random_action(self.position, seat, self.random)
        steps: Iterator[Step] = iter(game.steps(self.position))
        return next(step for step in steps if step.action == action)

    def _dither(self) -> None:
        """Lift a runner and put it back."""
        wells = self.game.layout().wells
        stones = self.table.parts.world.stones()
        self._lift_and_return([node for node in stones if node not in wells and node not in self.laid])

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
            table.say(ActionChosen(at=self.now, seat=seat, action=stage))
            return
        if not table.table.done_stages:
            if not table.say(Confirmed(at=self.now, seat=seat, action=stage)):
                table.say(ActionChosen(at=self.now, seat=seat, action=stage))
            table.wait(0.3)
        if table.table.done_stages and table.position != self.position:
            table.say(Confirmed(at=self.now, seat=seat, action=step.action))

"""An evening at a table without a board: hands, seals and time by the call, in milliseconds.

Stones lie in a small world that ideal sensors of one kind read, already debounced. Where chips, drivers, bounce or the
program's loop matter, take :class:`lodestone.tables.SimulatedTable`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from firmware_host.games.game import Analysis, Game, PieceMove, Step
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import commitment
from firmware_host.table import events as ev
from firmware_host.table import guide
from firmware_host.table.change import Change
from firmware_host.table.errors import TableError
from firmware_host.table.events import AppendEntry, Effect
from firmware_host.table.hypotheses import Done, Timings
from firmware_host.table.sensor_model import STILL_S
from firmware_host.table.state import Table
from firmware_host.table.subjects.proposals import Agreed, Proposed
from firmware_host.table.subjects.resolving import ActionChosen, AnalysisFound, SensorChanged
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady, may_open, ready_phones
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.table.table import handle, restore, transitions
from firmware_host.table.view import public_view

NONCE = "0123456789abcdef0123456789abcdef"
TICK = 0.02
SETTLED_S = 0.6
"""After this time the table has taken note of a piece that was put down."""
BOARD = {"board": "test", "version": "0"}


def first_tasks(tasks: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the first task, with the rest of a stack that it begins: a sensor may not see all pieces of it."""
    first, *others = tasks
    return [first, *takewhile(lambda one: first["do"] == one["do"] == "put" and first["node"] == one["node"], others)]


class Stones:
    """Stacks in the order in which they were really put; :meth:`feel` hears of every node that a hand has touched."""

    def __init__(self, game: Game[Any], kind: str) -> None:
        """Begin with an empty board, read by sensors of a ``kind``."""
        self.game = game
        self.kind = kind
        self.stones: dict[str, list[str]] = {}
        self.hand: list[str] = []

    def feel(self, node: str) -> None:
        """Hear that a hand has touched a node."""
        raise NotImplementedError

    def lift(self, node: str, pieces: int | Sequence[str] = 1) -> None:
        """Lift so many from the top, or just these pieces (a person picks the right stone out of a stack)."""
        stack = self.stones[node]
        taken = stack[-pieces:] if isinstance(pieces, int) else list(pieces)
        for piece in taken:
            stack.remove(piece)
        self.hand = taken + self.hand
        if not stack:
            del self.stones[node]
        self.feel(node)

    def put(self, node: str, piece: str | None = None) -> None:
        """Put what is in the hand (or a piece from the supply) onto a node."""
        pieces = [piece] if piece else self.hand
        assert pieces, "the hand is empty"
        self.stones.setdefault(node, []).extend(pieces)
        if not piece:
            self.hand = []
        self.feel(node)

    def take_off(self, node: str) -> None:
        """Take all that lies on a node off the board."""
        self.lift(node, len(self.stones[node]))
        self.hand = []

    def sensed(self, node: str) -> str:
        """Return what a real sensor would show: the magnets' sum, the lower stone first."""
        stack = self.stones.get(node, [])
        if not stack:
            return ""
        poles = [self.game.poles[piece] for piece in stack]
        if self.kind == "coded" and node in self.game.layout().wells:
            return stack[0] if len(stack) == 1 else "?"
        if self.kind in {"presence", "coded"}:
            return "x"
        if self.kind == "polarity" or len(stack) == 1:
            return poles[0]
        return poles[0] + (">" if len(set(poles)) == 1 else "<")


class Evening(Stones):
    """A table, its physical board and the time of day."""

    def __init__(
        self,
        game: str | Game[Any] = "spokes",
        mode: str = "2",
        kind: str = "presence",
        *,
        game_id: str = "g1",
        rules: Mapping[str, bool] | None = None,
        timings: Timings | None = None,
    ) -> None:
        """Open a lobby; the game is a name or an object."""
        super().__init__(find_game(game, rules) if isinstance(game, str) else game, kind)
        self.rules = dict(rules or {})
        self.table = Table(self.game, game_id, mode, kind=kind, timings=timings)
        self.at = 0.0
        self.effects: list[Effect] = []
        self.entries: list[tuple[str, Mapping[str, Any]]] = [
            ("game", {"id": game_id, "game": self.game.name, "mode": mode, "rules": self.rules, **BOARD})
        ]

    # -- people ----------------------------------------------------------------------------------------------------

    def sit_and_start(self, *names: str, computers: tuple[int, ...] = ()) -> Evening:
        """Seat people, and computers on these seats, and start."""
        for seat in self.table.ledger.all_seats:
            name = names[seat - 1] if seat <= len(names) else f"P{seat}"
            self.say(SeatTaken(at=self.at, seat=seat, name=name, claim=f"c{seat}", computer=seat in computers))
        self.say(GameStarted(at=self.at))
        self.wait(0.3)
        return self

    def begin_at(self, text: str) -> Evening:
        """Start from any position, with its stones lying on the board."""
        if not self.table.ledger.started:
            self.sit_and_start()
        position = self.game.parse(text)
        moment = self.table.ledger.moments[-1]
        changes = {
            "position": position,
            "status": self.game.status(position),
            "placed": self.game.occupancy(position),
        }
        self.table.ledger.moments = [replace(moment, **changes)]
        self.table.ledger._open_round()
        for node, stack in self.game.occupancy(position).items():
            self.stones[node] = list(stack)
        Change(self.table).set_up()
        for node in self.stones:
            self.feel(node)
        self.wait(0.3)
        return self

    def seal_all(self, actions: Mapping[int, str]) -> None:
        """Seal an action for each of these seats, then open all."""
        for seat, action in actions.items():
            self.commit(seat, action)
        for seat, action in actions.items():
            self.open(seat, action)

    def commit(self, seat: int, action: str) -> None:
        """Seal an action."""
        sealing = self.table.ledger.round
        assert sealing is not None
        digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, NONCE)
        self.say(SealCommitted(at=self.at, seat=seat, turn=sealing.turn, commitment=digest))

    def wake(self) -> None:
        """Let every phone say that it is awake, as far as the table waits for it."""
        sealing = self.table.ledger.round
        assert sealing is not None
        for seat in sealing.seats:
            if self.phase == "revealing" and not may_open(self.table) and seat not in ready_phones(self.table):
                self.say(SealReady(at=self.at, seat=seat, turn=sealing.turn))

    def open(self, seat: int, action: str) -> None:
        """Open a seal, once all phones are awake."""
        sealing = self.table.ledger.round
        assert sealing is not None
        self.wake()
        self.say(SealOpened(at=self.at, seat=seat, turn=sealing.turn, action=action, nonce=NONCE))

    def say(self, event: ev.Event) -> None:
        """Let the table process an event, and keep its entries. Raise TableError if it refuses."""
        before = self.table.phase
        self.effects = handle(self.table, event)
        after = self.table.phase
        led = transitions().get(type(event), {}).get(before, "").split()
        assert after in {before, *led}, f"{type(event).__name__} leads from {before} to {after}"
        for effect in self.effects:
            if isinstance(effect, AppendEntry):
                self.entries.append((effect.kind, effect.data))

    def foresee(self, analysis: Analysis, *, seconds: float = 0.3, position: str | None = None) -> None:
        """Let a search answer, about the present position or another one."""
        self.say(AnalysisFound(at=self.at, position=position or self.text(), analysis=analysis, seconds=seconds))

    def agree_on(self, what: str) -> None:
        """Let the first seat propose something, and all others agree."""
        first, *others = sorted(self.table.ledger.sittings)
        self.say(Proposed(at=self.at, seat=first, what=what))
        for seat in others:
            self.say(Agreed(at=self.at, seat=seat, what=what))

    def refused(self, event: ev.Event) -> str:
        """Return the code of the refusal, having checked that nothing has changed."""
        before = self.picture()
        try:
            self.say(event)
        except TableError as error:
            assert self.picture() == before, "a refused event has changed the table"
            return error.code
        raise AssertionError(f"{event} was not refused")

    # -- hands -----------------------------------------------------------------------------------------------------

    def carry(self, source: str, target: str, pieces: int | Sequence[str] = 1, pause: float = 0.1) -> None:
        """Lift pieces, wait and put them elsewhere."""
        self.lift(source, pieces)
        self.wait(pause)
        self.put(target)

    def tap(self, node: str) -> None:
        """Lift all of a node and put it back."""
        self.carry(node, node, len(self.stones[node]), pause=0.2)

    def put_down_all(self) -> None:
        """Put the revealed stones where the table asks for them."""
        for seat, move in list(self.table.watch.placements):
            assert move.target is not None
            assert seat
            self.put(move.target, move.pieces[0])
            self.wait(0.1)
        self.wait(2.0)

    def set_up(self) -> None:
        """Put down what the table asks for, until the game goes on."""
        while self.phase == "setup":
            self.follow()

    def is_built(self, node: str) -> bool:
        """Return whether all of a stack lies: no sensor may show that, eyes do."""
        return len(self.stones.get(node, ())) >= len(self.table.watch.target.get(node, ())) > 1

    def follow(self) -> None:
        """Do all that the table asks hands for, task by task. Raise AssertionError where that leads nowhere."""
        for _ in range(4 * len(self.game.layout().nodes)):
            if not self.view()["tasks"]:  # It has yet to take note of what hands have just done.
                self.wait(SETTLED_S)
            tasks = self.view()["tasks"]
            if not tasks:
                return
            for task in first_tasks(tasks):
                if task["do"] == "put" and not self.is_built(task["node"]):
                    self.put(task["node"], task["piece"])
                elif task["do"] == "move":
                    self.carry(task["from"], task["to"], task["pieces"])
                elif task["do"] == "take":
                    self.lift(task["node"])
                    self.hand = []
                else:
                    self.tap(task["node"])
            self.wait(SETTLED_S)
        raise AssertionError(f"the table asks for ever more: {self.view()['message']}")

    def do(self, action: str, pause: float = 0.1) -> None:
        """Make a step as the table describes it: by hand, or by saying it where there is nothing to do by hand."""
        step = self.step(action)
        if not step.moves:
            actor = self.table.actor
            assert actor is not None
            self.say(ActionChosen(at=self.at, seat=actor, action=action))
            return
        tracker = self.table.watch.tracker
        hidden, unseen = tracker.is_hidden(step), not tracker.mismatch(step.after)
        twice = unseen or bool(tracker.evidence.ends(Done((action,))))
        for move in step.moves:
            self.make(move, pause)
            if hidden and move.target is not None and len(step.moves) == 1:
                if (
                    unseen
                ):  # Nothing has asked for these taps: the board is still before, and the step shown after them.
                    self.wait(STILL_S)
                for _ in range(2 if twice else 1):
                    self.wait(0.1)
                    self.tap(move.target)
                if unseen:
                    self.wait(tracker.evidence.timings.spoken)
        self.wait(0.6)

    def step(self, action: str) -> Step:
        """Return one of the legal steps."""
        return next(step for step in self.table.watch.tracker.steps if step.action == action)

    def make(self, move: PieceMove, pause: float = 0.1) -> None:
        """Carry pieces, from the supply or off the board where the move says so."""
        if move.source is not None:
            self.lift(move.source, move.pieces)
            self.wait(pause)
        if move.target is None:
            self.hand = []
        elif move.source is None:
            self.put(move.target, *move.pieces)
        else:
            self.put(move.target)

    def feel(self, node: str) -> None:
        """Report a node's reading where it has changed."""
        sensed = self.sensed(node)
        if sensed != self.table.watch.tracker.sensed[node]:
            self.say(SensorChanged(at=self.at, node=node, sensed=sensed))

    def wait(self, seconds: float) -> None:
        """Let time pass, tick by tick."""
        end = self.at + seconds
        while self.at < end - 1e-9:
            self.at = min(end, self.at + TICK)
            self.say(ev.Tick(at=self.at))

    # -- what is seen ----------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """The table's phase."""
        return self.table.phase

    def lights(self) -> dict[str, str]:
        """Return node → what its light means."""
        return {node: lamp.meaning for node, lamp in guide.lamps(self.table).items()}

    def view(self) -> dict[str, Any]:
        """Return what every phone sees (docs/view.md)."""
        return {**public_view(self.table)}

    def text(self) -> str:
        """Return the position as text."""
        return self.game.text(self.table.ledger.now.position)

    def done(self) -> list[str]:
        """Return the actions in force, reveals left out."""
        return [action for m in self.table.ledger.moments if m.kind == "action" for action in m.actions.values()]

    def picture(self) -> object:
        """Return all that a refused event must leave as it was."""
        ledger = self.table.ledger
        return (self.view(), len(ledger.moments), dict(ledger.sittings), ledger.round, len(self.entries))

    def restarted(self) -> Evening:
        """Return the same evening after a power cut: a new table from the journal, the stones as they lie."""
        ledger = self.table.ledger
        again = type(self)(self.game, ledger.mode, self.kind, game_id=ledger.game_id, rules=self.rules)
        again.at = self.at
        again.entries = list(self.entries)
        again.stones = {node: list(stack) for node, stack in self.stones.items()}
        mode = self.entries[0][1]["mode"]
        again.table = Table(self.game, self.table.ledger.game_id, mode, kind=self.kind)
        restore(again.table, self.entries, self.at)
        for node in again.stones:
            again.feel(node)
        return again

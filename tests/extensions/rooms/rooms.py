"""Rooms in one process: simulated tables on simulated time, and a broker that a test rules over."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from typing import Any

from firmware_host.extensions.rooms.membership import join, open_new
from firmware_host.extensions.rooms.room import Room
from firmware_host.games.seals import commitment
from firmware_host.link.broker import Packet
from firmware_host.link.common_log import RoomFile
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.stages import chosen_step
from firmware_host.table.subjects.resolving import ActionChosen, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady
from lodestone.tables import SETTLED_S, NotAsExpected, SimulatedTable

Meddle = Callable[[str, bytes], list[tuple[str, bytes]]]


TRAVEL_S = 0.2


class Bus:
    """A broker in memory: it keeps retained messages, and a test may meddle with all that passes."""

    def __init__(self) -> None:
        self.retained: dict[str, bytes] = {}
        self.passed: list[tuple[str, bytes]] = []
        self.members: list[Line] = []
        self.meddle: Meddle = lambda topic, payload: [(topic, payload)]

    def publish(self, topic: str, payload: bytes, *, kept: bool) -> None:
        """Deliver a message to all lines that are up."""
        self.passed.append((topic, payload))
        for where, what in self.meddle(topic, payload):
            if kept:
                self.retained[where] = what
            for line in self.members:
                if line.is_up:
                    line.come.append(Packet(where, what))

    def restart(self) -> None:
        """Forget everything, and cut all lines; each comes back with :meth:`Line.up`."""
        self.retained.clear()
        for line in self.members:
            line.down(tell=False)


class Line:
    """A table's connection to the bus."""

    def __init__(self, bus: Bus, room: Room) -> None:
        self.bus, self.room = bus, room
        self.is_up = False
        self.come: deque[Packet] = deque()
        bus.members.append(self)
        self.up()

    def up(self) -> None:
        """Connect."""
        self._will = self.room.will()
        self.is_up = True
        self.come.append(Packet("", b"up"))
        self.come.extend(Packet(topic, payload) for topic, payload in self.bus.retained.items())

    def down(self, *, tell: bool = True) -> None:
        """Cut the connection; the broker tells the others."""
        if self.is_up:
            self.is_up = False
            self.come.clear()
            self.come.append(Packet("", b""))
            if tell:
                self.bus.publish(*self._will, kept=True)

    def send(self, topic: str, payload: bytes, *, kept: bool) -> None:
        """Publish, if the line is up."""
        if self.is_up:
            self.bus.publish(topic, payload, kept=kept)

    def take(self) -> Packet | None:
        """Return the next message."""
        return self.come.popleft() if self.come else None

    def close(self) -> None:
        """Leave the bus."""
        self.down()
        self.bus.members.remove(self)


PLACES: list[Place] = []
"""Those that tests have made, to be closed after each."""


class Place:
    """One home: a simulated table with its room, which can be killed and started again."""

    def __init__(
        self, bus: Bus, folder: Path, name: str, link: str | None = None, kept: RoomFile | None = None, **table: Any
    ) -> None:
        """Open a room; join it with a ``link``; come back with the ``kept`` file of a copied folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.bus, self.folder, self.name, self.options = bus, folder, name, table
        if kept is None:
            kept = RoomFile(folder / "room.sqlite")
            if link is None:
                open_new(kept, "mqtt://broker.example", name)
            else:
                join(kept, link, name)
        self.table = SimulatedTable(folder, **table)
        self._enter(kept)

    def _enter(self, kept: RoomFile) -> None:
        PLACES.append(self)
        self.room = Room(kept, lambda room: Line(self.bus, room), "test")
        self.table.runtime.enter_room(self.room)

    def close(self) -> None:
        """Close its files, whatever is open still: a test process has a limited number of them."""
        if self.room is not None:
            self.room._kept.close()
        self.table.close()

    @property
    def line(self) -> Line:
        """The connection."""
        return next(line for line in self.bus.members if line.room is self.room)

    @property
    def link(self) -> str:
        """The invitation to play."""
        return self.room.invitation.link

    def kill(self) -> None:
        """End the program without a word; its journal and its pieces stay."""
        self.line.down()
        self.bus.members.remove(self.line)
        self.room._kept.close()
        self.room = None  # type: ignore[assignment]
        self.table.runtime.room = None

    def start(self) -> None:
        """Start the program again."""
        try:
            self.table.power_cut()
        except NotAsExpected:  # The game is over: the program opens the lobby of the next one.
            self.table.runtime.new_lobby(self.table._game.modes[0])
        self._enter(RoomFile(self.folder / "room.sqlite"))

    @property
    def view(self) -> Mapping[str, Any]:
        """What this table shows."""
        return self.table.view


def settle(*places: Place, rounds: int = 40) -> None:
    """Let all tables run for a while, in turn."""
    for _ in range(rounds):
        for place in places:
            place.table.wait(0.02)


def until(holds: Callable[[], object], *places: Place, seconds: float = 60.0) -> None:
    """Let all tables run until something holds. Raise AssertionError with what they show."""
    for _ in range(round(seconds / 0.1)):
        if holds():
            return
        settle(*places, rounds=5)
    raise AssertionError("waited in vain:\n" + "\n\n".join(f"{one.name}\n{one.table.report()}" for one in places))


def topics(pattern: str, bus: Bus) -> list[str]:
    """Return the topics that have passed and fit a pattern."""
    return [topic for topic, _ in bus.passed if fnmatch(topic, pattern)]


class Guests:
    """The people at one table: they seal, open, choose and move what the lights ask for, by chance."""

    def __init__(self, place: Place, seats: tuple[int, ...], seed: int, patience: int = 10_000) -> None:
        """They resign after ``patience`` moments of the game."""
        self.place, self.seats, self._rng, self._patience = place, seats, Random(seed), patience
        self._sealed: dict[tuple[int, str], str] = {}
        """(seat, history) → what was sealed; phones keep it when the table is killed."""

    def act(self) -> None:
        """Do one thing that is due here, if anything is."""
        if self.place.room is None:
            return
        table = self.place.table
        view: Any = table.view
        if view["tasks"] and view["phase"] != "over":
            self._follow(view["tasks"])
            table.wait(SETTLED_S)
        elif view["phase"] == "sealing":
            self._seal(view["seal"])
        elif view["phase"] == "revealing":
            self._open(view["seal"])
        elif view["phase"] == "resolving" and view["resolver"] in self.seats and not view["wanted"]:
            self._choose(view)

    def _follow(self, tasks: Any) -> None:
        """Make the board what it should be; where all lies already and no sensor shows it, tap."""
        table, runtime = self.place.table, self.place.table.runtime.table()
        step = chosen_step(runtime) if runtime.phase == "resolving" else None
        wanted = {
            node: Counter(stack) for node, stack in (step.after if step else runtime.watch.target).items() if stack
        }
        lying = {node: Counter(stack) for node, stack in table.stones.items()}
        if lying == wanted:
            for task in (task for task in tasks if task["do"] == "tap"):
                table.hand.tap(task["node"])
            return
        if step and lying == {node: Counter(stack) for node, stack in runtime.watch.target.items() if stack}:
            for move in step.moves:
                if move.source is None:
                    table.hand.put(move.target or "", move.pieces[0])
                    continue
                table.hand.lift(move.source, move.pieces)
                table.wait(TRAVEL_S)
                if move.target:
                    table.hand.put(move.target)
                table.hand.drop() if table.parts.world.holding(table.hand.name) else None
                table.wait(TRAVEL_S)
            return
        nodes = [*lying, *wanted]
        surplus = [(n, p) for n in nodes for p in lying.get(n, Counter()) - wanted.get(n, Counter())]
        missing = [(n, p) for n in nodes for p in wanted.get(n, Counter()) - lying.get(n, Counter())]
        if surplus:
            table.hand.lift(surplus[0][0], [surplus[0][1]])
            table.hand.drop()
        else:
            table.hand.put(*missing[0])

    def _submit(self, event: ev.Event) -> None:
        with suppress(TableError):
            self.place.table.runtime.submit(event)

    def _seal(self, info: Any) -> None:
        ledger = self.place.table.runtime.table().ledger
        assert ledger.round is not None
        for seat in set(self.seats) & set(ledger.round.seats) - set(ledger.round.commitments):
            game, position = ledger.game, ledger.now.position
            key = (seat, info["history"])
            action = self._sealed.setdefault(key, game.random_action(position, seat, self._rng))
            digest = commitment(info["game"], info["turn"], seat, info["history"], action, nonce(seat))
            self._submit(SealCommitted(at=self._now, seat=seat, turn=info["turn"], commitment=digest))

    def _open(self, info: Any) -> None:
        for seat in self.seats:
            action = self._sealed.get((seat, info["history"]))
            if action is not None:
                self._submit(SealReady(at=self._now, seat=seat, turn=info["turn"]))
                turn = info["turn"]
                self._submit(SealOpened(at=self._now, seat=seat, turn=turn, action=action, nonce=nonce(seat)))

    def _choose(self, view: Any) -> None:
        table = self.place.table.runtime.table()
        if len(table.ledger.moments) > self._patience:
            self._submit(Resigned(at=self._now, seat=view["resolver"]))
        elif table.in_order and table.waits_for_tables is None:
            action = table.game.random_action(table.ledger.now.position, view["resolver"], self._rng)
            self._submit(ActionChosen(at=self._now, seat=view["resolver"], action=action))

    @property
    def _now(self) -> float:
        return self.place.table.runtime.now()


def nonce(seat: int) -> str:
    """Return the nonce of a seat's seals."""
    return f"{seat:032x}"


def play(guests: Sequence[Guests], holds: Callable[[], object], *, rounds: int = 20_000) -> None:
    """Let everybody play until something holds. Raise AssertionError with what the tables show."""
    for _ in range(rounds):
        if holds():
            return
        play_for(guests, 1)
    raise AssertionError("played in vain:\n" + "\n\n".join(f"{g.place.name}\n{g.place.table.report()}" for g in guests))


def play_for(guests: Sequence[Guests], rounds: int) -> None:
    """Let everybody play for some rounds."""
    for _ in range(rounds):
        for one in guests:
            if one.place.room is not None:
                one.act()
                one.place.table.wait(0.02)

"""The only loop and the only clock: sensors → table → journal → lights and phones.

One thread owns table, journal, sensors and strip. Everybody else speaks through the door: events go into a queue and
come back when they are journalled and shown; views are immutable snapshots.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from firmware_host.computer import ComputerPlayers
from firmware_host.eyes import Eyes
from firmware_host.games.game import Foresight, Game, GameError
from firmware_host.games.offers import rules_of
from firmware_host.journal import Journal, utc_now
from firmware_host.lamplighter import Lamplighter
from firmware_host.table import effects as ef
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import TAKEN_UP, LedgerError
from firmware_host.table.outlook import open_question
from firmware_host.table.proof import Proof
from firmware_host.table.seats import kept_seats, moved_since
from firmware_host.table.table import Table
from firmware_host.table.tracker import Waits
from firmware_host.table.view import public_view
from firmware_host.words import say
from hw.ports import OpenBoard

Job = tuple[Callable[[], None], "Future[None]"]
Entry = tuple[str, Mapping[str, Any]]

PATIENCE_S = 30.0
"""So long whoever asks waits for the loop."""

_log = logging.getLogger(__name__)


class Advises(Protocol):
    """Somebody who looks ahead beside the table, and answers through :meth:`Runtime.foreseen`."""

    def ask(self, position: str | None) -> None:
        """Look ahead from this position (None: from nowhere) from now on. Must return at once."""
        ...


@dataclass(frozen=True)
class SetAside:
    """A journalled game that is to be gone on with: its id, and its entries, the first its head.

    ``moved``: claims that are worth nothing since, in whichever game, their seat moved to another phone → that one's.
    """

    id: str
    entries: Sequence[Entry]
    moved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """What stays the same from game to game at one table, until its host chooses another game or board."""

    game: Game[Any]
    board: OpenBoard
    key: bytes
    version: str
    waits: Waits = field(default_factory=Waits)
    computer_pause: float = 0.8


class Runtime:
    """A running table. Call :meth:`start` for a thread of its own, or :meth:`step` yourself with a clock of yours."""

    def __init__(self, setting: Setting, journal: Journal, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing runs, and there is no game, until :meth:`new_lobby` or :meth:`resume`, then :meth:`start`."""
        self.setting = setting
        self.failure: BaseException | None = None
        """What stopped the loop, if it stopped by itself."""
        self.listeners: list[Callable[[Mapping[str, Any]], None]] = []
        """Called with every new public view, on the loop's thread: be quick."""
        self.adviser: Advises | None = None
        """Asked about every position that is resolved; nothing waits for it."""
        self._journal = journal
        self._clock = clock
        self._eyes = Eyes(setting.board, lambda: self._table)
        self._lights = Lamplighter(setting.board, setting.game.layout())
        self._computers = ComputerPlayers(setting.key, setting.computer_pause)
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        # One place: of answers that come faster than they are looked at only the last one counts.
        self._answers: deque[tuple[str, Foresight, float]] = deque(maxlen=1)
        self._changed = threading.Condition()
        self._seq = 0
        self._view: Mapping[str, Any] = {}
        self._claims: Mapping[int, str] = {}
        self._lights_trouble: str | None = None
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._table: Table | None = None
        self._proof: Proof | None = None

    # -- games ---------------------------------------------------------------------------------------------------

    def new_lobby(self, mode: str) -> None:
        """Open the lobby of a new game. Raise GameError for an unknown mode."""
        self._open_lobby(self.setting, mode, None)

    def resume(self, game_id: str, mode: str, entries: Sequence[Entry], moved: Mapping[str, str] | None = None) -> None:
        """Take up a journalled game; ``moved`` is that of :class:`SetAside`.

        Raise LedgerError when the journal and the rules disagree.
        """
        table = _fresh_table(self.setting, game_id, mode)
        table.open(entries, self._clock())
        self._write(table, _moved(table, moved or {}))
        self._seat_table(table)

    def change(self, setting: Setting, adviser: Advises | None, what: str | SetAside) -> None:
        """Play something else from now on, from any thread: a new game in a mode, or one that was set aside.

        The game that runs stays as it is in the journal. Where TableError (GameError for an unknown mode) is raised
        nothing has changed. Who has handed in another board or adviser closes the ones before.
        """
        if isinstance(what, SetAside):
            # Here: the loop has better things to do than to play it again.
            table, entries = self._taken_up(setting, what)
            self._call(lambda: self._change(setting, adviser, table, entries))
        else:
            setting.game.seats(what)  # A mode that is none is refused here, not on the loop.
            self._call(lambda: self._change(setting, adviser, *self._lobby(setting, what, self._table)))

    def _taken_up(self, setting: Setting, what: SetAside) -> tuple[Table, list[Entry]]:
        try:
            table = _fresh_table(setting, what.id, what.entries[0][1]["mode"])
            table.open([*what.entries, (TAKEN_UP, {})], self._clock())
        except (GameError, LedgerError) as error:
            raise TableError("bad_game", str(error)) from error
        return table, [(TAKEN_UP, {}), *_moved(table, what.moved)]

    def _change(self, setting: Setting, adviser: Advises | None, table: Table, entries: Sequence[Entry]) -> None:
        self._write(table, entries)
        if setting.board is not self.setting.board:
            self._eyes = Eyes(setting.board, lambda: self._table)
        self.setting, self.adviser = setting, adviser
        self._lights = Lamplighter(setting.board, setting.game.layout())
        self._answers.clear()
        self._seat_table(table)

    def _open_lobby(self, setting: Setting, mode: str, before: Table | None) -> None:
        table, entries = self._lobby(setting, mode, before)
        self._write(table, entries)
        self._seat_table(table)

    def _lobby(self, setting: Setting, mode: str, before: Table | None) -> tuple[Table, list[Entry]]:
        """Return the table of a new game and its first entries; who sat at the one before keeps seat and colour."""
        game_id = f"{setting.game.name}-{secrets.token_hex(4)}"
        table = _fresh_table(setting, game_id, mode)
        head: dict[str, Any] = {
            "id": game_id,
            "game": setting.game.name,
            "mode": mode,
            "rules": rules_of(setting.game),
            "board": setting.board.description.name,
            "version": setting.version,
        }
        entries: list[Entry] = [("game", head)]
        if before is not None:
            entries += kept_seats(before.ledger, table.ledger)
        table.open(entries, self._clock())
        return table, entries

    def _seat_table(self, table: Table) -> None:
        proof = Proof(table.game, table.ledger.game_id, table.ledger.mode)
        proof.feed((entry.kind, entry.data, entry.at) for entry in self._journal.entries(proof.game_id))
        self._table, self._proof = table, proof
        self._lights_trouble = None  # The new table has not heard of it.
        for event in self._eyes.standing(self._clock()):
            self._happen(event)
        self._publish()

    # -- the door (any thread) -----------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the loop's time, seconds."""
        return self._clock()

    def submit(self, event: ev.Event) -> None:
        """Let an event happen; return when it is journalled and shown. Raise TableError when it is refused."""
        self._call(lambda: self._happen(event))

    def view(self, seat: int | None) -> tuple[int, Mapping[str, Any]]:
        """Return (sequence number, view) for a seat or for anybody."""
        with self._changed:
            you = None if seat is None else {"seat": seat, "claim_ok": True}
            return self._seq, {"seq": self._seq, "you": you, **self._view}

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after``, or for ``timeout`` seconds; return it."""
        with self._changed:
            self._changed.wait_for(lambda: self._seq > after or self._stopping, timeout)
            return self._seq

    def foreseen(self, position: str, foresight: Foresight, seconds: float) -> None:
        """Take what a search of some seconds knows of a position; the loop looks at it in its next round."""
        self._answers.append((position, foresight, seconds))

    def closing(self) -> bool:
        """Tell whether the loop is stopping or has failed."""
        return self._stopping

    def claim(self, seat: int) -> str | None:
        """Return the claim of whoever sits there."""
        with self._changed:
            return self._claims.get(seat)

    def proof(self) -> Mapping[str, Any]:
        """Return every seal of the game at the table; openings only of turns that were revealed."""
        if self._proof is None:
            raise TableError("no_game", say("there is no game at this table yet"))
        return self._proof.shown()

    def new_game(self, seat: int | None, mode: str | None = None) -> None:  # noqa: ARG002 - who asked matters later
        """After the end, open the next lobby; people keep their seats. Raise TableError while a game runs."""
        self._call(lambda: self._next_lobby(mode))

    def _next_lobby(self, mode: str | None) -> None:
        table = self._need_table()
        if not table.ledger.over:
            raise TableError("wrong_phase", say("a game is still being played"))
        chosen = mode or table.ledger.mode
        modes = self.setting.game.modes
        if chosen not in modes:
            raise TableError("bad_mode", say("mode: expected one of {modes}", modes=", ".join(modes)))
        self._open_lobby(self.setting, chosen, table)

    def _call(self, deed: Callable[[], None]) -> None:
        if self._thread is None or threading.current_thread() is self._thread:
            deed()
            return
        if self._stopping or self.failure is not None:
            raise TableError("no_game", say("the table is being closed"))
        done: Future[None] = Future()
        self._jobs.put((deed, done))
        try:
            done.result(timeout=PATIENCE_S)
        except TimeoutError:
            if done.cancel():  # Now it never happens, and whoever asked may rely on that.
                raise
            done.result(timeout=PATIENCE_S)

    @property
    def lights_trouble(self) -> str | None:
        """Return why the lights show nothing, in words; None while they do."""
        return self._lights_trouble

    # -- the loop ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the loop on a thread of its own."""
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the loop, wake all waiting phones; the game stays as it is in the journal."""
        self._stopping = True
        self._jobs.put(None)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)
        with self._changed:
            self._changed.notify_all()

    def _run(self) -> None:
        due = self._clock()
        try:
            while not self._stopping:
                self.step()
                due = max(due + 1.0 / self.setting.board.description.scan_hz, self._clock())
                self._work_until(due)
        except BaseException as error:  # noqa: BLE001 - whatever it was, the program must say so and end
            self.failure = error
            self._stopping = True
            with self._changed:
                self._changed.notify_all()
        finally:
            self._refuse_waiting()

    def step(self) -> None:
        """Do one round: scan, tell the table, let computers act, light the board."""
        at = self._clock()
        for event in self._eyes.look(at):
            if self._table is not None:
                self._happen(event)
        if self._table is not None:
            self._happen(ev.Tick(at=at))
            self._hear_answer(at)
            for event in self._computers.act(self._table, at):
                self._happen(event)
            self._lights.refresh(self._table, at)
            self._tell_of_lights(at)

    def _hear_answer(self, at: float) -> None:
        try:
            position, foresight, seconds = self._answers.popleft()
        except IndexError:
            return
        try:
            self._happen(ev.Foreseen(at=at, position=position, foresight=foresight, seconds=seconds))
        except TableError as error:  # Advice is only advice: what can't be is not followed.
            _log.warning("A search says what can't be of %s: %s", position, error)

    def _tell_of_lights(self, at: float) -> None:
        """Lights that are lost stop nobody: people are told, and the lamplighter tries again."""
        if self._lights.trouble != self._lights_trouble:
            self._lights_trouble = self._lights.trouble
            self._happen(ev.Noticed(at=at, what="lights", text=self._lights_trouble))

    def _work_until(self, due: float) -> None:
        """Serve phones until the next scan is due."""
        while not self._stopping:
            try:
                job = self._jobs.get(timeout=max(0.0, due - self._clock()))
            except queue.Empty:
                return
            if job is not None:
                _run_job(*job)

    def _refuse_waiting(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return
            if job is not None and job[1].set_running_or_notify_cancel():
                job[1].set_exception(TableError("no_game", say("the table is being closed")))

    def _happen(self, event: ev.Event) -> None:
        """The table decides; what it commits is in the journal before anybody sees it."""
        table = self._need_table()
        effects = table.handle(event)
        self._write(table, [(effect.kind, effect.data) for effect in effects if isinstance(effect, ef.Journal)])
        if any(isinstance(effect, ef.Show) for effect in effects):
            self._publish()

    def _write(self, table: Table, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append all entries of one event together: after a kill there are all of them or none."""
        if entries:
            stamp = utc_now()
            self._journal.append_all([(table.ledger.game_id, kind, data, stamp) for kind, data in entries])
            if self._proof is not None and self._proof.game_id == table.ledger.game_id:
                self._proof.feed((kind, data, stamp) for kind, data in entries)

    def _publish(self) -> None:
        table = self._need_table()
        self._lights.refresh(table, self._clock(), changed=True)
        view = public_view(table)
        claims = {seat: sitting.claim for seat, sitting in table.ledger.sittings.items()}
        with self._changed:
            self._seq += 1
            self._view = view
            self._claims = claims
            self._changed.notify_all()
        for listener in self.listeners:
            listener(view)
        if self.adviser is not None:
            self.adviser.ask(open_question(table))

    def _need_table(self) -> Table:
        if self._table is None:
            raise TableError("no_game", say("there is no game at this table yet"))
        return self._table


def _fresh_table(setting: Setting, game_id: str, mode: str) -> Table:
    board = setting.board.description
    blurred = [node for node, levels in board.calibration.items() if not levels.stacks]
    usable = blurred if board.kind == "level" else ()
    table = Table(
        setting.game, game_id, mode, kind=board.kind, waits=setting.waits, blurred=usable, seed=secrets.token_hex(16)
    )
    table.channels = {node: wiring.channel for node, wiring in board.nodes.items() if not wiring.ring}
    return table


def _moved(table: Table, moved: Mapping[str, str]) -> list[Entry]:
    """Let the seats of a game go to the phones that they have moved to in others; return the entries that say so."""
    moves: list[Entry] = list(moved_since(table.ledger, moved))
    for kind, data in moves:
        table.ledger.apply(kind, data)
    return moves


def _run_job(deed: Callable[[], None], done: Future[None]) -> None:
    """Do what a phone asked; a refusal is the phone's, anything else ends the loop (and the phone is told)."""
    if not done.set_running_or_notify_cancel():
        return
    try:
        deed()
    except TableError as error:
        done.set_exception(error)
    except BaseException as error:
        done.set_exception(error)
        raise
    else:
        done.set_result(None)

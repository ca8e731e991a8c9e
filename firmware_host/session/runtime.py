"""The only loop and the only clock: sensors → table → journal → lights and phones.

One thread owns table, journal, sensors and strip. Other threads use its public methods: events go into a queue, and
the call returns when they are journalled and shown; views are immutable snapshots.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.proof import Proof
from firmware_host.games.game import Analysis, GameError
from firmware_host.games.offers import Attempt
from firmware_host.sensing.pipeline import SensorPipeline
from firmware_host.session.advises import Advises
from firmware_host.session.computer import ComputerPlayers
from firmware_host.session.entry_writer import EntryWriter
from firmware_host.session.faults import Faults
from firmware_host.session.hints import Hints
from firmware_host.session.jobs import Jobs, closing
from firmware_host.session.lessons import Lessons
from firmware_host.session.light_renderer import LightRenderer
from firmware_host.session.published import Published
from firmware_host.session.resting import RestSetting
from firmware_host.session.reviewing import Reviewing
from firmware_host.session.standstill import Standstill
from firmware_host.session.table_setup import Entry, Setting, SuspendedGame, fresh_table, lobby, moved_seats, taken_up
from firmware_host.table import events as ef
from firmware_host.table import events as ev
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.events import ALLOWED
from firmware_host.table.pieces import why_not_now
from firmware_host.table.resolving import open_question
from firmware_host.table.state import Table
from firmware_host.table.table import handle, resume
from firmware_host.table.view import public_view
from firmware_host.text.words import joined, say

LOOK_S = 2.0
"""How often the loop checks whether the journal's files are still there, seconds."""

R = TypeVar("R")

_log = logging.getLogger(__name__)


class Runtime:
    """A running table. Call :meth:`start` for a new thread, or :meth:`step` with a clock of your own."""

    def __init__(self, setting: Setting, journal: Journal, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing runs, and there is no game, until :meth:`new_lobby` or :meth:`resume`, then :meth:`start`."""
        self.setting = setting
        self.failure: BaseException | None = None
        """What stopped the loop, if it stopped by itself."""
        self.listeners: list[Callable[[Mapping[str, Any]], None]] = []
        """Called with every new public view, on the loop's thread: they must return quickly."""
        self.rest = RestSetting()
        self.adviser: Advises | None = None
        """Asked about every position that is resolved; nothing waits for it."""
        self._journal = journal
        self._writer = EntryWriter(journal)
        self._clock = clock
        self._eyes = SensorPipeline(setting.board, lambda: self._table)
        self._lights = LightRenderer(setting.board, setting.game.layout())
        self.computers = ComputerPlayers(setting.key, setting.computer_pause)
        self.lessons = Lessons(self)
        hints = Hints(self.computers, self.present, self._happen, self._asked)
        self.reviews = Reviewing(self.computers)
        self.hint, self.review = hints.hint, self.reviews.shown
        self.computers.others = lambda table: [*hints.wanted(table), *self.reviews.wanted(table)]
        self._jobs, self._faults = Jobs(self._do), Faults()
        # Size 1: only the last of several fast answers counts.
        self._answers: deque[tuple[str, Analysis, float]] = deque(maxlen=1)
        self._published = Published()
        self.lights_trouble: str | None = None  # Why the lights show nothing, in words; None while they do.
        self._standstill, self._look_at = Standstill(), 0.0
        self._table: Table | None = None

    # -- games ---------------------------------------------------------------------------------------------------

    def resume(self, game_id: str, mode: str, entries: Sequence[Entry], moved: Mapping[str, str] | None = None) -> None:
        """Resume a journalled game; ``moved`` as in :class:`SuspendedGame`.

        Raise LedgerError if the journal and the rules disagree.
        """
        table = fresh_table(self.setting, game_id, mode)
        resume(table, entries, self._clock())
        self._writer.write(table, moved_seats(table, moved or {}))
        self.sit_at(table)

    def change(self, setting: Setting, adviser: Advises | None, what: str | SuspendedGame) -> None:
        """Change the game, from any thread: a new game in a mode, or a suspended one.

        The running game stays in the journal. After TableError (GameError for an unknown mode) nothing
        has changed. The caller closes the former board or adviser after replacing it.
        """
        if isinstance(what, SuspendedGame):  # Folded on this thread, to keep the loop free.
            table, entries = taken_up(setting, what, self._clock())
            self.do(lambda: self._change(setting, adviser, table, entries))
        else:
            setting.game.seats(what)  # An unknown mode is refused here, not on the loop.

            def begin() -> None:
                before = self.lessons.game_table(self._table)
                self._change(setting, adviser, *lobby(setting, what, before, self._clock()))

            self.do(begin)

    def _change(self, setting: Setting, adviser: Advises | None, table: Table, entries: Sequence[Entry]) -> None:
        public_view(table)  # A game that can't be shown is refused here, while nothing has changed.
        self.keep_clocks()
        self._writer.write(table, entries)
        proof = self._writer.proof_of(table)  # All that can fail is done before anything changes.
        if setting.board is not self.setting.board:
            self._eyes = SensorPipeline(setting.board, lambda: self._table)
        self.setting, self.adviser = setting, adviser
        self._lights = LightRenderer(setting.board, setting.game.layout())
        self._answers.clear()
        self.lessons.leave()
        self.sit_at(table, proof)

    def told(self, table: Table) -> SuspendedGame:
        """Return a table's game as it is in the journal. Raise JournalError."""
        return self._writer.told(table)

    def keep_clocks(self) -> None:
        """Journal the clocks before the table is left, if the journal accepts entries."""
        if self._table is not None and self.failure is None:
            with suppress(JournalError):
                self._try("the clocks", ev.ClocksStopped(at=self._clock()))

    def new_lobby(self, mode: str, before: Table | None = None, *, turned: bool = False) -> None:
        """Open the lobby of a new game, with the people of the one before. Raise GameError for an unknown mode."""
        table, entries = lobby(self.setting, mode, before, self._clock(), turned=turned)
        public_view(table)
        self._writer.write(table, entries)
        self.sit_at(table)

    def sit_at(self, table: Table, proof: Proof | None = None) -> None:
        """Continue with another table, on the loop's thread, or publish this one again."""
        self._table, self._writer.proof = table, proof or self._writer.proof_of(table)
        self.lights_trouble = None  # The new table has no such notice yet.
        for event in () if self.lessons.on_phone else self._eyes.standing(self._clock()):
            self._happen(event)
        self.publish()

    # -- public methods (any thread) -----------------------------------------------------------------------------

    def now(self) -> float:
        """Return the loop's time, seconds."""
        return self._clock()

    def submit(self, event: ev.Event) -> None:
        """Process an event; return when it is journalled and shown. Raise TableError if it is refused."""
        self.do(lambda: self._happen(event))

    def view(self, seat: int | None) -> tuple[int, Mapping[str, Any]]:
        """Return (sequence number, view) for a seat or, with None, for people without one."""
        return self._published.of(seat)

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after``, or for ``timeout`` seconds; return it."""
        return self._published.wait(after, timeout, self.closing)

    def foreseen(self, position: str, foresight: Analysis, seconds: float) -> None:
        """Queue a search's analysis of a position, for the loop's next round; ``seconds`` is the time searched."""
        self._answers.append((position, foresight, seconds))

    def closing(self) -> bool:
        """Return whether the loop is stopping or has failed."""
        return self._jobs.closed

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        return self._published.claims.get(seat)

    def why_not(self, attempt: Attempt) -> str | None:
        """Return the rule that forbids an attempt of the acting seat; None if none does or no seat acts alone."""
        return self._asked(lambda: why_not_now(self.present(), attempt))

    def hurry(self) -> None:
        """Make a thinking computer act soon."""
        self.do(self.computers.hurry)

    def proof(self) -> Mapping[str, Any]:
        """Return every seal of the game at the table; openings only of turns that were revealed."""
        return self._writer.shown()

    def new_game(self, mode: str | None = None, *, turned: bool = False) -> None:
        """After the end, open the next lobby; people keep their seats. Raise TableError while a game runs."""
        self.do(lambda: self._next_lobby(mode, turned))

    def _next_lobby(self, mode: str | None, turned: bool) -> None:
        table = self.present()
        if not table.ledger.over or table.lesson is not None:
            raise TableError("wrong_phase", say("a game is still being played"))
        chosen = mode or table.ledger.mode
        modes = self.setting.game.modes
        if chosen not in modes:
            raise TableError("bad_mode", say("mode: expected one of {modes}", modes=", ".join(modes)))
        self.new_lobby(chosen, table, turned=turned)

    def can_repair(self) -> bool:
        """Return whether the journal is damaged and can be repaired while the table is open."""
        return self._journal.is_damaged

    def repair(self) -> None:
        """Save what is whole of a damaged game. Raise TableError except in a lobby, and if there is nothing to save."""
        self.do(self._repair)

    def _repair(self) -> None:
        table = self.present()
        if table.phase != "lobby" or table.lesson is not None:
            raise TableError("wrong_phase", say("a game is still being played"))
        if not self._journal.repair():
            raise TableError("not_damaged", say("The last game is saved in full: there is nothing to repair."))
        self.new_lobby(table.ledger.mode, table)  # The former one's entries came after the damage.
        self.tell_of_journal()

    def _asked(self, ask: Callable[[], R]) -> R:
        found: list[R] = []
        self.do(lambda: found.append(ask()))
        return found[0]

    def do(self, job: Callable[[], None]) -> None:
        """Run a job on the loop's thread and wait for it. Raise its exceptions."""
        if self.failure:
            raise closing()
        self._jobs.call(job)

    def _do(self, job: Callable[[], None]) -> None:
        """Run a caller's job. If the journal refuses its entries it has not happened, and play stands still.

        An unexpected error is logged, and the caller gets a refusal.
        """
        self._standstill.refuse()
        try:
            job()
        except JournalError as error:
            if self._table is None:  # Nothing has begun: the caller that opens the table gets the error.
                raise
            self._stand_still(error)
            self._standstill.refuse()
        except InternalError as error:
            self._faults.note("a request", error.__cause__ or error, self._clock())
            raise
        except (TableError, GameError):
            raise
        except Exception as error:
            self._faults.note("a request", error, self._clock())
            raise InternalError from error

    # -- the loop ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the loop in a new thread."""
        self._jobs.thread = threading.Thread(target=self._run, name="table", daemon=True)
        self._jobs.thread.start()

    def stop(self) -> None:
        """Stop the loop, wake all waiting phones; the game stays in the journal."""
        self._jobs.close()
        if self._jobs.thread is not None and self._jobs.thread is not threading.current_thread():
            self._jobs.thread.join(timeout=5)
        self.keep_clocks()
        self._published.wake()

    def _run(self) -> None:
        due = self._clock()
        try:
            while not self._jobs.closed:
                self.step()
                due = max(due + 1.0 / self.setting.board.description.scan_hz, self._clock())
                while not self._jobs.closed and self._jobs.serve(max(0.0, due - self._clock())):
                    pass  # Phones are served until the next scan is due.
        except BaseException as error:  # noqa: BLE001 - whatever it was, the program must say so and end
            self.failure = error
            self._jobs.close()
            self._published.wake()
        finally:
            self._jobs.refuse_waiting()

    def step(self) -> None:
        """Do one round: scan, update the table, let computers act, light the board."""
        at = self._clock()
        try:
            if self._may_go_on(at):
                self._round(at)
        except JournalError as error:
            self._stand_still(error)

    def _round(self, at: float) -> None:
        for event in self._eyes.look(at):
            if self._table is not None and not self.lessons.on_phone:
                self._try("the board", event)
        table = self._table
        if table is not None:
            self._try("the board", ev.Tick(at=at))
            self._hear_answer(at)
            self._faults.guard("computers", at, partial(self._let_computers_act, table, at))
            again = self._faults.due("lights", at)
            self._faults.guard("lights", at, partial(self._lights.refresh, table, at, changed=again, rest=self.rest))
            self._tell_of_lights(at)
            if self._faults.due("the view", at):
                self.publish()

    def _try(self, part: str, event: ev.Event) -> None:
        """Process an event of the loop itself. If the table refuses it, it is dropped, and play goes on."""
        try:
            self._happen(event)
        except TableError as error:
            self._faults.note(part, error.__cause__ or error, event.at)

    def _let_computers_act(self, table: Table, at: float) -> None:
        for event in self.lessons.events(at) if table.lesson else self.computers.act(table, at):
            self._happen(event)

    def _hear_answer(self, at: float) -> None:
        if self._answers:
            position, foresight, seconds = self._answers.popleft()
            self._try("the adviser", ev.Foreseen(at=at, position=position, foresight=foresight, seconds=seconds))

    def _tell_of_lights(self, at: float) -> None:
        """Notify people of lost lights; play goes on, and the light renderer tries again."""
        if self._lights.trouble != self.lights_trouble:
            self.lights_trouble = self._lights.trouble
            self._try("lights", ev.Noticed(at=at, what="lights", text=self.lights_trouble))

    def _happen(self, event: ev.Event) -> None:
        """Let the table process an event; its entries are in the journal before anybody sees the result."""
        self.lessons.check(event)
        table = self.present()
        effects = handle(table, event)
        for effect in effects:
            if isinstance(effect, ef.Failed):
                self._faults.note("the board", effect.error, event.at)
        self._writer.write(table, [(effect.kind, effect.data) for effect in effects if isinstance(effect, ef.Journal)])
        if any(isinstance(effect, ef.Show) for effect in effects):
            self.publish()
            self._faults.guard("the lesson", event.at, lambda: self.lessons.follow(event.at))

    def publish(self) -> None:
        """Publish the table's view, on the loop's thread."""
        table, at = self.present(), self._clock()
        self._faults.guard("lights", at, partial(self._lights.refresh, table, at, changed=True, rest=self.rest))
        claims = {seat: one.claim for seat, one in table.ledger.sittings.items()}
        self._show(self._published.view_of(table, self._faults, at), claims)
        if (adviser := self.adviser) is not None:
            self._faults.guard("the adviser", at, lambda: adviser.ask(None if table.lesson else open_question(table)))

    def _show(self, view: Mapping[str, Any], claims: Mapping[int, str]) -> None:
        self._published.show(view, claims)
        for listener in self.listeners:
            listener(view)

    def present(self) -> Table:
        """Return the table, on the loop's thread. Raise TableError if there is none."""
        if self._table is None:
            raise TableError("no_game", say("there is no game at this table yet"))
        return self._table

    # -- when the journal can't be written -----------------------------------------------------------------------

    def _stand_still(self, error: JournalError) -> None:
        """Show the last journalled state, and why play stands still. The table itself is ahead of it."""
        known = self._standstill.reason
        self._standstill.begin(error.reason, self._clock())
        if error.reason != known:
            _log.warning("Play stands still: %s", error)
            self._show(self._standstill.shown(self._published.view), self._published.claims)

    def _may_go_on(self, at: float) -> bool:
        """Return whether the journal accepts entries; check it regularly, and after a failure try again."""
        if self._standstill.reason is None:
            if at >= self._look_at and self._table is not None:
                self._look_at = at + LOOK_S
                self._journal.check_files()
            return True
        return self._standstill.due(at) and self._take_up_again(at)

    def _take_up_again(self, at: float) -> bool:
        """Reopen the journal and, if it accepts an entry again, continue from its contents, as after a restart."""
        before = self.lessons.game_table(self._table) or self.present()
        try:
            self._journal.mend()
            table, more = taken_up(self.setting, self._writer.told(before), at)
            self._writer.write(table, more)
            proof = self._writer.proof_of(table)
        except (JournalError, TableError) as error:
            self._stand_still(error if isinstance(error, JournalError) else JournalError(str(error)))
            return False
        self._standstill.end()
        self.lessons.leave()
        self._answers.clear()
        _log.warning("%s", joined(["Play goes on: the journal is written again.", *self._journal.found], " "))
        self.sit_at(table, proof)
        self.tell_of_journal()
        if before.held and not table.held:
            self._happen(ev.GamePaused(at=at))
        return True

    def tell_of_journal(self) -> None:
        """Notify people of a fault of the journal's files, and pause the game until its host has read it."""
        told = self._journal.told()
        if not told:
            return
        at, text = self._clock(), joined(told, " ")
        self._happen(ev.Noticed(at=at, what="journal", text=text))
        if self.present().phase in ALLOWED[ev.GamePaused]:
            self._happen(ev.GamePaused(at=at, reason=text))

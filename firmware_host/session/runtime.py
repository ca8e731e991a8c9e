"""The loop of a running table: sensors → table → journal → phones and lights.

One thread owns the table, the journal, the sensors and the strip, and has the only clock. Everything else happens on
other threads: phones ask through the panel, searches run in a child process, backups are made, sentences are spoken.
They meet the loop in three places, and need no lock of their own there:

- **Requests** (:meth:`Runtime.submit`, :meth:`Runtime.do`) wait in a queue (:mod:`firmware_host.session.runtime`). The
  loop serves them between two scans; a call returns when what it did is journalled and shown, or raises its refusal.
  Until then anything may happen. So a player's request says in whose name it acts (``by``), and the loop looks whether
  that seat is still this phone's at the moment at which it acts.
- **Views** are immutable. The loop replaces the last one (:class:`PublishedView`) and wakes those who wait for a newer.
- **Answers** of the search (:mod:`firmware_host.session.analysis`) are looked up at each round. Nothing ever waits for
  a search.

A round of the loop (:meth:`Runtime.step`) scans the sensors, lets the table handle what has changed and that time has
passed, lets computers act, gives the search its questions, and lights the board. ``Table.handle`` returns effects;
their entries are appended to the journal *before* anything is shown (:meth:`Runtime._handle`). So whatever a screen has
shown survives a power cut.

Three kinds of faults are kept apart:

- What the table refuses (``TableError``) goes to whoever asked. An event of the loop itself is dropped.
- An unexpected error in a part of the loop (:class:`LoopFaults`) is logged once, and this part pauses for a second.
- A journal that can't be written (``JournalError``) stops play: the table is ahead of what is on disk, so it is
  discarded. Screens show the last journalled state and why play stands still. Once an entry can be written again, play
  goes on from the journal as after a restart.

Changing the game, beginning a lesson and going on after a fault all are the same act: another table is prepared
(:mod:`firmware_host.session.table_setup`) while the present one still stands, its first entries are written, and then
:meth:`Runtime.use_table` takes it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from firmware_host import platform
from firmware_host.analysis.questions import Analyser, Asking
from firmware_host.archive.journal import Journal, JournalError, utc_now
from firmware_host.games.capabilities import Attempt
from firmware_host.games.game import GameError
from firmware_host.sensing.pipeline import SensorPipeline
from firmware_host.session.analysis import Hints, TableAnalysis
from firmware_host.session.computers import CompanySetting, ComputerPlayers
from firmware_host.session.lessons import Lessons
from firmware_host.session.light_renderer import LightRenderer, LightSetting
from firmware_host.session.loop import Jobs, LoopFaults, PublishedView, Standstill, View, closing
from firmware_host.session.table_setup import Entry, Setting, SuspendedGame, lobby, resume
from firmware_host.table import events as ev
from firmware_host.table.errors import InternalError, TableError
from firmware_host.table.pieces import why_not_now
from firmware_host.table.state import Table, notice
from firmware_host.table.subjects import company
from firmware_host.table.subjects.company import CompanyChosen
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.table.subjects.proposals import GamePaused
from firmware_host.table.subjects.resolving import Noticed
from firmware_host.table.subjects.seats import ComputerSeated, GameStarted, SeatClaim, check_claim
from firmware_host.table.subjects.timekeeping import ClocksStopped
from firmware_host.table.table import handle
from firmware_host.table.view import public_view
from firmware_host.text.words import Text, join_sentences, say

if TYPE_CHECKING:
    from firmware_host.session.loop import Notes, SharedRoom

CHECK_S = 2.0
"""How often the loop checks whether the journal's files are still there, seconds."""

R = TypeVar("R")
Listener = Callable[[View], None]
EventSource = Callable[[Table, float], Iterable[ev.Event]]
"""(table, seconds of the loop) → what an extension tells the table."""

_log = logging.getLogger(__name__)


class Runtime:
    """A running table. Call :meth:`start` for a new thread, or :meth:`step` with a clock of your own."""

    def __init__(
        self,
        setting: Setting,
        journal: Journal,
        *,
        analyser: Analyser | None = None,
        light_setting: LightSetting | None = None,
        clock: Callable[[], float] = platform.now,
    ) -> None:
        """Nothing runs, and there is no game, until :meth:`new_lobby` or :meth:`resume`, then :meth:`start`.

        ``analyser`` searches beside the table; without it computers play at random, and there are no hints.
        """
        self.setting = setting
        self.company = CompanySetting()
        self.light_setting = light_setting or LightSetting()
        self.failure: BaseException | None = None
        """What stopped the loop, if it stopped by itself."""
        self.lights_trouble: str | None = None
        """Why the lights show nothing, in words; None while they do."""
        self._clock = clock
        self._journal = journal
        self._writer = EntryWriter(journal)
        self._table: Table | None = None
        self._published = PublishedView()
        self._remarks: Mapping[str, Text] = {}
        self._listeners: list[Listener] = []
        self._sources: list[EventSource] = []
        self._faults = LoopFaults()
        self._standstill = Standstill()
        self._check_at = 0.0
        """When the journal's files are checked again."""
        self._jobs = Jobs(self._run_job)
        self._stopped = False
        self._pipeline = SensorPipeline(setting.board, lambda: self._table)
        self._lights = LightRenderer(setting.board, setting.game.layout())
        self.computers = ComputerPlayers(setting.key, setting.computer_pause, analyser)
        self.lessons = Lessons(self)
        self.room: SharedRoom | None = None
        """The room in which this table plays with others; None: it plays by itself."""
        self.evening: Notes | None = None
        """What keeps the running game's events for a report; None: nothing does."""
        hints = Hints(self.computers, self.table, self._handle, self.ask)
        self._analysis = TableAnalysis(self.computers, hints)
        self.hint = hints.hint

    def search_for(self, questions: Asking, *, idle: bool = False) -> None:
        """Search for what an extension asks, behind everything that a game needs; ``questions`` returns it, quickly.

        ``idle``: nobody waits for it, so that it comes behind what other extensions ask, too.
        """
        if idle:
            self._analysis.idle = (*self._analysis.idle, questions)
        else:
            self._analysis.others = (*self._analysis.others, questions)

    def hear(self, source: EventSource) -> None:
        """Ask an extension at each round for what the table has to know: it is called on the loop's thread, quickly."""
        self._sources.append(source)

    # -- any thread ----------------------------------------------------------------------------------------------

    def now(self) -> float:
        """Return the loop's time, seconds."""
        return self._clock()

    def submit(self, event: ev.Event, by: SeatClaim | None = None) -> None:
        """Process an event; return when it is journalled and shown. Raise TableError if it is refused.

        ``by`` is as in :meth:`do`.
        """
        self.do(lambda: self._handle(event), by)

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat or, with None, for people without one."""
        return self._published.of(seat)

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after``, or for ``timeout`` seconds; return it."""
        return self._published.wait(after, timeout, self.closing)

    def follow(self, listener: Listener) -> None:
        """Call a function with the present view, if there is one, and with every new one on the loop's thread.

        It must return quickly.
        """
        self._listeners.append(listener)
        if self._published.view:
            listener(self._published.view)

    def closing(self) -> bool:
        """Return whether the loop is stopping or has failed."""
        return self._jobs.closed

    def alive(self) -> bool:
        """Ask the loop for a sign of life, and wait for it. False: it hangs or is being closed."""
        try:
            self.do(lambda: None)
        except TimeoutError:
            return False
        except TableError:  # Play stands still, as nothing can be written down, or the table is being closed.
            return not self.closing()
        return True

    def claim(self, seat: int) -> str | None:
        """Return the claim of the seat's player, None for an open seat."""
        return self._published.claims.get(seat)

    def why_not(self, attempt: Attempt, by: SeatClaim | None = None) -> str | None:
        """Return the rule that forbids an attempt of the acting seat, as a clause.

        None if the attempt is possible, if no seat acts alone, or if the game gives no reasons. Raise TableError for a
        node or a piece that the game does not have.
        """
        return self.ask(lambda: why_not_now(self.table(), attempt), by)

    def hurry(self, by: SeatClaim | None = None) -> None:
        """Make a thinking computer act soon; nothing happens if none thinks."""
        self.do(self.computers.hurry, by)

    def remark(self, what: str, text: Text | None) -> None:
        """Show people what is wrong with the machine, at this table and at all that follow until the program ends.

        None: it is right again.
        """
        others = {name: words for name, words in self._remarks.items() if name != what}
        self._remarks = others if text is None else {**others, what: text}
        if self._table is not None:
            self.submit(Noticed(at=self.now(), what=what, text=text))

    def set_lights(self, setting: LightSetting) -> None:
        """Use another setting of the lights from the next frame on."""
        self.light_setting = setting

    def set_company(self, setting: CompanySetting) -> None:
        """Allow or forbid words of computers and signs of people from now on."""
        self.company = setting
        if self._table is not None:
            self.submit(CompanyChosen(at=self.now(), words=setting.words, signs=setting.signs))

    def do(self, job: Callable[[], None], by: SeatClaim | None = None) -> None:
        """Run a job on the loop's thread and wait for it. Raise its exceptions.

        ``by``: in whose name it is done. If another phone holds this seat when the job's turn comes it is not done, and
        TableError is raised. None: it is nobody's own, such as what the host does.
        """
        if self.failure:
            raise closing()
        self._jobs.call(partial(self._do_for, by, job))

    def ask(self, question: Callable[[], R], by: SeatClaim | None = None) -> R:
        """Run a function on the loop's thread and return its result. Raise its exceptions; ``by`` as in :meth:`do`."""
        found: list[R] = []
        self.do(lambda: found.append(question()), by)
        return found[0]

    # -- games, any thread ---------------------------------------------------------------------------------------

    def resume(self, game: SuspendedGame) -> None:
        """Bring the unfinished game to the table once the program has started. Raise TableError or JournalError."""
        table, entries = resume(self.setting, game, self._clock(), restarted=True)
        self._writer.write(table, entries)
        self.use_table(table)

    def change(self, setting: Setting, what: str | SuspendedGame) -> None:
        """Change the game or the board: a new game in a mode, or a suspended one.

        The running game stays in the journal. After TableError (GameError for an unknown mode) nothing
        has changed. The caller closes the former board.
        """
        if isinstance(what, str):
            setting.game.seats(what)  # An unknown mode is refused here, not on the loop.
            prepared = None
        else:
            prepared = resume(setting, what, self._clock())  # Folded on this thread, to keep the loop free.
        self.do(lambda: self._change(setting, prepared or self._lobby(setting, str(what))))

    def new_lobby(self, mode: str, *, turned: bool = False) -> None:
        """Open the lobby of a new game, with the people of the one before. Raise GameError for an unknown mode."""
        table, entries = self._lobby(self.setting, mode, turned=turned)
        public_view(table)
        self._writer.write(table, entries)
        self.use_table(table)

    def new_game(
        self, mode: str | None = None, *, after: str | None = None, turned: bool = False, by: SeatClaim | None = None
    ) -> None:
        """After the end, open the next lobby; people keep their seats. Raise TableError while a game runs.

        With ``after``, the game that is over, only while that one runs: nothing is done where another has followed it.
        """
        self._follow(after, lambda: self._next_lobby(mode, turned), by)

    def rematch(self, *, after: str | None = None, turned: bool | None = None, by: SeatClaim | None = None) -> None:
        """After the end, begin the same game again at once, with everybody on a seat, clocks and hints as they were.

        ``turned``: everybody moves on by one seat; None: where somebody begins. Else as :meth:`new_game`.
        """
        self._follow(after, lambda: self._rematch(turned), by)

    def _follow(self, after: str | None, begin: Callable[[], None], by: SeatClaim | None) -> None:
        def is_over() -> bool:
            return self.table().ledger.game_id == after

        try:
            self.do(lambda: begin() if after is None or is_over() else None, by)
        except TableError:
            if after is None or self.ask(is_over):
                raise  # Else somebody else has begun the next game, in which the seats may have changed.

    def enter_room(self, room: SharedRoom) -> None:
        """Play with the tables of a room from now on."""
        self.do(lambda: self._enter_room(room))

    def leave_room(self) -> SharedRoom | None:
        """Play by itself again; return the room that was left, to be closed by the caller, None if there was none."""
        room = self.room
        self.do(self._leave_room)
        return room

    def can_repair(self) -> bool:
        """Return whether the journal is damaged and can be repaired while the table is open."""
        return self._journal.is_damaged

    def repair(self) -> None:
        """Save what is whole of a damaged game. Raise TableError except in a lobby, and if there is nothing to save."""
        self.do(self._repair)

    # -- games, on the loop's thread -----------------------------------------------------------------------------

    def table(self) -> Table:
        """Return the table. Raise TableError if there is none."""
        if self._table is None:
            raise TableError("no_game", say("there is no game at this table yet"))
        return self._table

    def use_table(self, table: Table) -> None:
        """Go on with another table, whose entries are written, or publish this one again."""
        self._table = table
        company.allow(table, words=self.company.words, signs=self.company.signs)
        for what, text in self._remarks.items():
            notice(table, what, text)
        self.lights_trouble = None  # The new table has no such notice yet.
        if self.room is not None and table.lesson is None:
            self.room.use_table(table, self._writer.suspended_game(table).entries)
        if self.evening is not None:
            self.evening.resume(table, self._clock())
        for event in self._pipeline.standing(self._clock()):
            self._handle(event)
        self.publish()

    def suspended_game(self, table: Table) -> SuspendedGame:
        """Return a table's game as it is in the journal. Raise JournalError."""
        return self._writer.suspended_game(table)

    def save_clocks(self) -> None:
        """Journal the clocks before the table is left, if the journal accepts entries."""
        if self._table is not None and self.failure is None:
            with suppress(JournalError):
                self._attempt("the clocks", ClocksStopped(at=self._clock()))

    def publish(self) -> None:
        """Publish the table's view, and light the board."""
        table, at = self.table(), self._clock()
        if self.room is not None:
            self.room.stir()
        self._refresh_lights(table, at, changed=True)
        claims = {seat: one.claim for seat, one in table.ledger.sittings.items()}
        self._show(self._published.view_of(table, self._faults, at), claims)

    def _enter_room(self, room: SharedRoom | None) -> None:
        self.room = room
        table = self.lessons.game_table(self._table)
        if room is not None and table is not None:
            room.use_table(table, self._writer.suspended_game(table).entries)
        if self._table is not None:  # Its screens show no more what another room has said.
            self._handle(FarTablesChanged(at=self._clock(), far=self._table.far if room is not None else None))

    def _leave_room(self) -> None:
        """Go on alone: what computers have played at other tables, computers play here."""
        computers = self.room.far_computers() if self.room is not None else {}
        self._enter_room(None)
        for seat, level in computers.items():
            with suppress(TableError):  # Its seal is being opened: that turn can only be void.
                self._handle(ComputerSeated(at=self._clock(), seat=seat, level=level))

    def _meet(self, at: float) -> None:
        """Let the other tables of the room take part."""
        room, table = self.room, self.table()
        if room is None or table.lesson is not None:
            return
        for event in room.act(table, at):
            try:
                self._handle(event)
            except TableError as error:
                room.note_refusal(event, error)
        if room.wanted_lobby is not None:
            (game_id, mode), room.wanted_lobby = room.wanted_lobby, None
            try:
                fresh, entries = self._shared_table(room, table, game_id, mode, at)
            except (TableError, GameError) as error:
                room.stop(str(error))
                return
            self._writer.write(fresh, entries)
            self.use_table(fresh)

    def _shared_table(
        self, room: SharedRoom, before: Table, game_id: str, mode: str, at: float
    ) -> tuple[Table, list[Entry]]:
        """Return the table of a game that other tables play: the journal's, if this table has played in it already.

        Raise TableError for a game that it has played without them: that is none of their business.
        """
        if self._journal.entries(game_id):
            found = resume(self.setting, SuspendedGame.read(self._journal, game_id), at, restarted=True)
            if found[0].ledger.started and not room.has_played(game_id):
                raise TableError("bad_game", say("another table names a game that was played here without it"))
            return found
        return lobby(self.setting, mode, before, at, game_id=game_id)

    def _check_leads(self) -> None:
        """Raise TableError if another table of the room opens the next game."""
        if self.room is not None and not self.room.is_opener and self.table().far is not None:
            raise TableError("not_here", say("the table that has opened the room opens the next game, too"))

    def _lobby(self, setting: Setting, mode: str, *, turned: bool = False) -> tuple[Table, list[Entry]]:
        return lobby(setting, mode, self.lessons.game_table(self._table), self._clock(), turned=turned)

    def _change(self, setting: Setting, prepared: tuple[Table, list[Entry]]) -> None:
        table, entries = prepared
        public_view(table)  # A game that can't be shown is refused here, while nothing has changed.
        self.save_clocks()
        self._writer.write(table, entries)
        if setting.board is not self.setting.board:
            self._pipeline = SensorPipeline(setting.board, lambda: self._table)
        self.setting = setting
        self._lights = LightRenderer(setting.board, setting.game.layout())
        self.lessons.leave()
        self.use_table(table)

    def _next_lobby(self, mode: str | None, turned: bool) -> None:
        table = self.table()
        if not table.ledger.over or table.lesson is not None:
            raise TableError("wrong_phase", say("a game is still being played"))
        self._check_leads()
        chosen = mode or table.ledger.mode
        modes = self.setting.game.modes
        if chosen not in modes:
            raise TableError("bad_mode", say("mode: expected one of {modes}", modes=", ".join(modes)))
        self.new_lobby(chosen, turned=turned)

    def _rematch(self, turned: bool | None) -> None:
        game, mode = self.setting.game, self.table().ledger.mode
        begins = not game.simultaneous(game.start(mode)) and len(game.teams(mode)) == len(game.seats(mode))
        self._next_lobby(None, begins if turned is None else turned)
        self._handle(GameStarted(at=self._clock()))

    def _repair(self) -> None:
        table = self.table()
        if table.phase != "lobby" or table.lesson is not None:
            raise TableError("wrong_phase", say("a game is still being played"))
        if not self._journal.repair():
            raise TableError("not_damaged", say("The last game is saved in full: there is nothing to repair."))
        self.new_lobby(table.ledger.mode)  # The former one's entries came after the damage.
        self.report_journal()

    # -- the loop ------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Run the loop in a new thread."""
        self._jobs.start(self._run)

    def stop(self) -> None:
        """Stop the loop, wake all waiting phones; the game stays in the journal.

        Stopping again does nothing.
        """
        if self._stopped:
            return
        self._stopped = True
        self._jobs.close()
        self._jobs.join(timeout=5)
        self.save_clocks()
        self._published.wake()

    def scans_per_s(self) -> float | None:
        """Return how often the sensors of the open board are scanned, None before the second scan. Any thread."""
        return self._pipeline.rate.per_s()

    def step(self) -> None:
        """Do one round: scan, update the table, let computers act, light the board."""
        at = self._clock()
        try:
            if self._may_go_on(at):
                self._round(at)
        except JournalError as error:
            self._stand_still(error)

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

    def _round(self, at: float) -> None:
        self._faults.guard("the sensors", at, partial(self._scan, at))
        table = self._table
        if table is None:
            return
        self._attempt("the board", ev.Tick(at=at))
        self._faults.guard("computers", at, partial(self._let_computers_act, table, at))
        self._faults.guard("the other tables", at, partial(self._meet, at))
        self._faults.guard("lessons on phones", at, partial(self.lessons.alone.pass_time, at))
        table = self.table()
        self._faults.guard("an extension", at, partial(self._hear, table, at))
        self._faults.guard("the analysis", at, partial(self._analyse, table, at))
        self._refresh_lights(table, at, changed=self._faults.due("lights", at))
        if self._lights.trouble != self.lights_trouble:  # Play goes on, and the light renderer tries again.
            self.lights_trouble = self._lights.trouble
            self._attempt("lights", Noticed(at=at, what="lights", text=self.lights_trouble))
        if self._faults.due("the view", at):
            self.publish()

    def _scan(self, at: float) -> None:
        for event in self._pipeline.look(at):
            if self._table is not None:
                self._attempt("the board", event)

    def _hear(self, table: Table, at: float) -> None:
        for source in self._sources:
            for event in source(table, at):
                self._attempt("an extension", event)

    def _let_computers_act(self, table: Table, at: float) -> None:
        for event in self.lessons.events(at) if table.lesson else self.computers.act(table, at):
            self._handle(event)

    def _analyse(self, table: Table, at: float) -> None:
        """Ask what the table wants to know now, and let it learn what a search has found."""
        self._analysis.ask(table)
        if (news := self._analysis.news(table, at)) is not None:
            self._attempt("the analysis", news)

    def _refresh_lights(self, table: Table, at: float, *, changed: bool) -> None:
        setting = self.light_setting
        self._faults.guard("lights", at, lambda: self._lights.refresh(table, at, changed=changed, setting=setting))

    def _handle(self, event: ev.Event) -> None:
        """Let the table process an event; its entries are in the journal before anybody sees the result."""
        self.lessons.check(event)
        table = self.table()
        try:
            effects = handle(table, event)
        except InternalError:
            self._note(table, event, [])
            raise
        for effect in effects:
            if isinstance(effect, ev.Failed):
                self._faults.note("the board", effect.error, event.at)
        entries = [(effect.kind, effect.data) for effect in effects if isinstance(effect, ev.AppendEntry)]
        self._writer.write(table, entries)
        self._note(table, event, entries)
        if entries and self.room is not None and table.lesson is None:
            self._faults.bear("the other tables", event.at, partial(self.room.note, table, entries))
        if any(isinstance(effect, ev.ShowView) for effect in effects):
            self.publish()
            self._faults.guard("the lesson", event.at, lambda: self.lessons.follow(event.at))

    def _note(self, table: Table, event: ev.Event, entries: Sequence[Entry]) -> None:
        if self.evening is not None and (entries or not isinstance(event, ev.Tick)):
            self.evening.note(table, event, entries)

    def _attempt(self, part: str, event: ev.Event) -> None:
        """Process an event of the loop itself. If the table refuses it, it is dropped, and play goes on."""
        try:
            self._handle(event)
        except TableError as error:
            self._faults.note(part, error.__cause__ or error, event.at)

    def _do_for(self, by: SeatClaim | None, job: Callable[[], None]) -> None:
        """Run a job in somebody's name. Raise TableError if the seat is another phone's by now."""
        if by is not None:
            check_claim(self.table().ledger, by)
        job()

    def _run_job(self, job: Callable[[], None]) -> None:
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

    def _show(self, view: View, claims: Mapping[int, str]) -> None:
        self._published.show(view, claims)
        for listener in self._listeners:
            self._faults.bear(f"a listener, {listener!r}", self._clock(), partial(listener, view))

    # -- when the journal can't be written -----------------------------------------------------------------------

    def _stand_still(self, error: JournalError) -> None:
        """Show the last journalled state, and why play stands still. The table itself is ahead of it."""
        known = self._standstill.reason
        self._standstill.begin(error.reason, self._clock())
        if error.reason != known:
            _log.warning("Play stands still: %s", error)
            self._show(self._standstill.view_of(self._published.view), self._published.claims)

    def _may_go_on(self, at: float) -> bool:
        """Return whether the journal accepts entries; check it regularly, and after a failure try again."""
        if self._standstill.reason is None:
            if at >= self._check_at and self._table is not None:
                self._check_at = at + CHECK_S
                self._journal.check_files()
            return True
        return self._standstill.due(at) and self._take_up_again(at)

    def _take_up_again(self, at: float) -> bool:
        """Reopen the journal and, if it accepts an entry again, continue from its contents, as after a restart."""
        before = self.lessons.game_table(self._table) or self.table()
        try:
            self._journal.mend()
            table, entries = resume(self.setting, self._writer.suspended_game(before), at)
            self._writer.write(table, entries)
        except (JournalError, TableError) as error:
            self._stand_still(error if isinstance(error, JournalError) else JournalError(str(error)))
            return False
        self._standstill.end()
        self.lessons.leave()
        _log.warning("%s", join_sentences(["Play goes on: the journal is written again.", *self._journal.faults], " "))
        self.use_table(table)
        self.report_journal()
        if before.paused and not table.paused:
            self._handle(GamePaused(at=at))
        return True

    def report_journal(self, *more: Text) -> None:
        """Notify people of faults of the journal's files, and pause the game until its host has read them."""
        faults = [*self._journal.take_faults(), *more]
        if not faults:
            return
        at, text = self._clock(), join_sentences(faults, " ")
        self._handle(Noticed(at=at, what="journal", text=text))
        if self.table().phase in GamePaused.phases:
            self._handle(GamePaused(at=at, reason=text))


class EntryWriter:
    """The only way from a table's entries into the journal."""

    def __init__(self, journal: Journal) -> None:
        """``journal`` takes the entries."""
        self._journal = journal

    def write(self, table: Table, entries: Sequence[Entry]) -> None:
        """Append all entries of one event together: after a kill all of them are there or none. Raise JournalError.

        Entries of a lesson are not written: after a kill the suspended game is there.
        """
        if not entries or table.lesson is not None:
            return
        game_id, stamp = table.ledger.game_id, utc_now()
        try:
            self._journal.append_all([(game_id, kind, data, stamp) for kind, data in entries])
        except (TypeError, ValueError) as error:  # A game's text of its position is invalid.
            raise JournalError(f"entries that can't be written: {error}") from error

    def suspended_game(self, table: Table) -> SuspendedGame:
        """Return a table's game as it is in the journal. Raise JournalError."""
        game_id = table.ledger.game_id
        return SuspendedGame(game_id, [(entry.kind, entry.data) for entry in self._journal.trusted_entries(game_id)])

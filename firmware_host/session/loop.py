"""The loop of a running table, as its parts see it: its jobs, how it bears faults, what screens see, a shared room."""

from __future__ import annotations

import logging
import queue
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

from firmware_host import platform
from firmware_host.archive.journal import JournalError
from firmware_host.session.table_setup import Entry, Setting, SuspendedGame
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.events import Event
from firmware_host.table.state import Table
from firmware_host.table.subjects.seats import SeatClaim
from firmware_host.table.view import public_view
from firmware_host.text.words import Text, say

R = TypeVar("R")
_log = logging.getLogger(__name__)


class RunningLoop(Protocol):
    """What lessons and positions ask of the loop that runs them (:class:`firmware_host.session.runtime.Runtime`)."""

    setting: Setting

    def now(self) -> float:
        """Return the loop's time, seconds."""
        ...

    def do(self, job: Callable[[], None], by: SeatClaim | None = None) -> None:
        """Run a job on the loop's thread and wait for it. Raise its exceptions.

        ``by``: in whose name it is done; the job is refused if another phone holds the seat by then.
        """
        ...

    def ask(self, question: Callable[[], R], by: SeatClaim | None = None) -> R:
        """Run a function on the loop's thread and return its result. Raise its exceptions; ``by`` is as above."""
        ...

    def submit(self, event: Event, by: SeatClaim | None = None) -> None:
        """Process an event; return when it is journalled and shown. Raise TableError if it is refused."""
        ...

    def closing(self) -> bool:
        """Return whether the loop is stopping or has failed."""
        ...

    def table(self) -> Table:
        """Return the table. Raise TableError if there is none."""
        ...

    def use_table(self, table: Table) -> None:
        """Go on with another table, whose entries are written, or publish this one again."""
        ...

    def publish(self) -> None:
        """Publish the table's view, and light the board."""
        ...

    def new_game(self, mode: str | None = None) -> None:
        """After the end, open the next lobby; people keep their seats. Raise TableError while a game runs."""
        ...

    def suspended_game(self, table: Table) -> SuspendedGame:
        """Return a table's game as it is in the journal. Raise JournalError."""
        ...

    def save_clocks(self) -> None:
        """Journal the clocks before the table is left, if the journal accepts entries."""
        ...


PAUSE_S = 1.0
"""How long a failed part of the loop pauses, seconds."""


class LoopFaults:
    """Which parts of the loop have failed unexpectedly, and when each of them is tried again."""

    def __init__(self) -> None:
        """Begin without faults."""
        self._again: dict[str, float] = {}
        self._logged: dict[str, str] = {}

    def note(self, part: str, error: BaseException, at: float) -> None:
        """Log an error of a part, a repeated error once, and let the part pause."""
        self._again[part] = at + PAUSE_S
        text = "".join(traceback.format_exception(error))
        if self._logged.get(part) != text:
            self._logged[part] = text
            _log.error("An unexpected error (%s); play goes on without what it was about to do.\n%s", part, text)

    def due(self, part: str, at: float) -> bool:
        """Return whether to try a failed part again; if so, it counts as working until its next failure."""
        if at < self._again.get(part, at + 1):
            return False
        del self._again[part]
        return True

    def guard(self, part: str, at: float, do: Callable[[], None]) -> None:
        """Run a job that no caller waits for; after an unexpected error the part pauses for a while."""
        if at >= self._again.get(part, at):
            self.bear(part, at, do)

    def bear(self, part: str, at: float, do: Callable[[], None]) -> None:
        """Run a job that no caller waits for, and note an unexpected error, without a pause.

        A JournalError is passed on: it is not the part's fault.
        """
        try:
            do()
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - a part that fails must not end the game
            self.note(part, error.__cause__ or error, at)


FIRST_RETRY_S, MAX_RETRY_S = 1.0, 30.0
"""Time until the next attempt to write, after the first failure and at most, seconds."""


class Standstill:
    """Whether play stands still because the journal can't be written, and why."""

    def __init__(self) -> None:
        """Begin with play going on."""
        self.reason: str | None = None
        """Why nothing can be written, in a few words; None while play goes on."""
        self._again = 0.0
        self._wait = FIRST_RETRY_S

    def begin(self, reason: str, at: float) -> None:
        """Stand still, and try again at once; after a failed attempt, later."""
        if self.reason is None:
            self._again, self._wait = at, FIRST_RETRY_S
        else:
            self._again, self._wait = at + self._wait, min(MAX_RETRY_S, 2 * self._wait)
        self.reason = reason

    def end(self) -> None:
        """Go on."""
        self.reason = None

    def due(self, at: float) -> bool:
        """Return whether it is time to try again."""
        return at >= self._again

    def refuse(self) -> None:
        """Raise TableError for any event that needs an entry."""
        if self.reason is not None:
            words = say("this does not count, because the game can't be saved: {reason}", reason=self.reason)
            raise TableError("no_journal", words)

    def view_of(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return the view meanwhile: the last journalled state of the game, and why play stands still."""
        words: Text = say(
            "the game can't be saved ({reason}). Once that is mended, play goes on by itself.", reason=self.reason
        )
        return {
            **view,
            "standstill": words,
            "message": say("Play stands still: {reason}", reason=words),
            **{"arrows": [], "tasks": [], "steps": [], "question": None, "problem": None},
            "can": dict.fromkeys(view["can"], False),
        }


PATIENCE_S = 30.0
"""How long a caller waits for the loop, seconds."""


class Jobs:
    """The queue between callers on any thread and the one thread that may touch the table."""

    def __init__(self, do: Callable[[Callable[[], None]], None]) -> None:
        """``do`` runs a job on the loop's thread; its exceptions go to the caller."""
        self._do = do
        self._waiting: queue.SimpleQueue[tuple[Callable[[], None], Future[None]] | None] = queue.SimpleQueue()
        self.closed = False
        self._thread: threading.Thread | None = None
        """The loop's own thread, None while callers run the loop themselves."""

    def start(self, loop: Callable[[], None]) -> None:
        """Run the loop in a thread of its own, which serves the jobs from now on."""
        self._thread = threading.Thread(target=loop, name="table", daemon=True)
        self._thread.start()

    def join(self, timeout: float) -> None:
        """Wait until the loop has ended, unless this is its own thread."""
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)

    def call(self, job: Callable[[], None]) -> None:
        """Have a job done and wait for it. Raise its exceptions, or TableError when the table is being closed."""
        if self._thread is None or threading.current_thread() is self._thread:
            self._do(job)
            return
        if self.closed:
            raise closing()
        done: Future[None] = Future()
        self._waiting.put((job, done))
        try:
            done.result(timeout=PATIENCE_S)
        except TimeoutError:
            if done.cancel():  # Now it never happens, and the caller may rely on that.
                raise
            done.result(timeout=PATIENCE_S)

    def serve(self, seconds: float) -> bool:
        """Wait for one job and do it; return False if none has come within ``seconds``."""
        try:
            job = self._waiting.get(timeout=seconds)
        except queue.Empty:
            return False
        if job is not None:
            self._run(*job)
        return True

    def close(self) -> None:
        """Refuse new jobs, and wake the loop."""
        self.closed = True
        self._waiting.put(None)

    def refuse_waiting(self) -> None:
        """Refuse the jobs that are left."""
        while True:
            try:
                job = self._waiting.get_nowait()
            except queue.Empty:
                return
            if job is not None and job[1].set_running_or_notify_cancel():
                job[1].set_exception(closing())

    def _run(self, job: Callable[[], None], done: Future[None]) -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            self._do(job)
        except Exception as error:  # noqa: BLE001 - the caller raises it
            done.set_exception(error)
        except BaseException as error:
            done.set_exception(error)
            raise
        else:
            done.set_result(None)


def closing() -> TableError:
    """Return the refusal of a table that is being closed."""
    return TableError("no_game", say("the table is being closed"))


# -- what screens see --------------------------------------------------------------------------------------------------


View = Mapping[str, Any]
"""What one phone may see, ready for JSON: docs/view.md."""
STALE = say("An error in the program: what is shown here may be out of date. The program's log names the error.")


class PublishedView:
    """The last view, with a number that grows with each, and the seats' claims; written by the loop's thread alone.

    Any thread reads it and waits for the next one.
    """

    def __init__(self) -> None:
        """Begin with nothing published."""
        self.view: View = {}
        self.claims: Mapping[int, str] = {}
        self._seq = 0
        self._changed = threading.Condition()

    def view_of(self, table: Table, faults: LoopFaults, at: float) -> View:
        """Return the view; after an unexpected error the last view of this game, with a notice."""
        try:
            return public_view(table)
        except Exception as error:
            if not self.view or self.view["game"]["id"] != table.ledger.game_id:
                raise  # Nothing of this game has been seen: it does not come to the table.
            faults.note("the view", error, at)
            return {**self.view, "notices": [*(one for one in self.view["notices"] if one != STALE), STALE]}

    def show(self, view: View, claims: Mapping[int, str]) -> None:
        """Publish a view; ``claims`` are the seats' claims."""
        with self._changed:
            self._seq += 1
            self.view, self.claims = view, claims
            self._changed.notify_all()

    def of(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat or, with None, for people without one."""
        with self._changed:
            you = None if seat is None else {"seat": seat, "claim_ok": True}
            return self._seq, {"seq": self._seq, "you": you, **self.view}

    def wait(self, after: int, timeout: float, closing: Callable[[], bool]) -> int:
        """Block until the number is above ``after``, for ``timeout`` seconds, or until ``closing``; return it."""
        with self._changed:
            self._changed.wait_for(lambda: self._seq > after or closing(), platform.patience(timeout))
            return self._seq

    def wake(self) -> None:
        """Wake all waiting threads."""
        with self._changed:
            self._changed.notify_all()


# -- the room in which a table meets others ----------------------------------------------------------------------------


class SharedRoom(Protocol):
    """What other tables do comes in as events, and they are told what happens here."""

    wanted_lobby: tuple[str, str] | None
    """The game that the others play, and its mode, where this table is to come along; set back when it does."""

    @property
    def is_opener(self) -> bool:
        """Return whether this table opens the games."""
        ...

    def use_table(self, table: Table, entries: Sequence[Entry], /) -> None:
        """Take up a table that another one has made way for, with what its ledger has written."""
        ...

    def note(self, table: Table, entries: Sequence[Entry], /) -> None:
        """Be told what the ledger has just written. Nothing that can fail is done here: the entries count already."""
        ...

    def act(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Yield what other tables do; called in each round. Each event is handled before the next one is asked for."""
        ...

    def note_refusal(self, event: ev.Event, error: TableError, /) -> None:
        """Be told that the table has refused an event."""
        ...

    def has_played(self, game_id: str, /) -> bool:
        """Return whether this table has played in a game of the room."""
        ...

    def far_computers(self) -> dict[int, int]:
        """Return seat → level of the computers that play at other tables."""
        ...

    def stir(self) -> None:
        """Let the next round compare at once."""
        ...

    def stop(self, why: str, /) -> None:
        """Stop the game between the tables."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Return what the host sees."""
        ...

    def close(self) -> None:
        """End the connection."""
        ...


class Notes(Protocol):
    """What keeps the events of the running game for a report."""

    def resume(self, table: Table, at: float) -> None:
        """Go on with a table that has taken another's place."""
        ...

    def note(self, table: Table, event: Event, entries: Sequence[Entry]) -> None:
        """Be told of an event that the table has processed, with these entries."""
        ...

"""Lessons and puzzles at a running table: its game is suspended, and comes back as after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from firmware_host.games.lesson_files import lessons_of
from firmware_host.games.lessons import Lesson
from firmware_host.games.puzzles import Puzzle
from firmware_host.games.registry import game as find_game
from firmware_host.puzzles.judging import as_lesson, fits_board
from firmware_host.session.practice import Practice
from firmware_host.session.table_setup import Setting, SuspendedGame, fresh_table, taken_up
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.state import Table
from firmware_host.text.words import say

NOT_IN_LESSONS = (
    ev.ComputerSeated,
    ev.SeatAsked,
    ev.SeatMoved,
    ev.ActionUndone,
    ev.TurnVoided,
    ev.Resigned,
    ev.Proposed,
)
"""Events that a lesson refuses: it has buttons of its own for going back and for stopping."""


class Loop(Protocol):
    """The part of the runtime that lessons use."""

    setting: Setting

    def do(self, job: Callable[[], None]) -> None:
        """Run a job on the loop's thread, and wait for it."""
        ...

    def present(self) -> Table:
        """Return the table. Raise TableError if there is none."""
        ...

    def sit_at(self, table: Table) -> None:
        """Continue with another table."""
        ...

    def publish(self) -> None:
        """Publish the view of the table."""
        ...

    def keep_clocks(self) -> None:
        """Journal the clocks before the table is left."""
        ...

    def told(self, table: Table) -> SuspendedGame:
        """Return a table's game as it is in the journal."""
        ...

    def now(self) -> float:
        """Return the loop's time, seconds."""
        ...


class Lessons:
    """See :class:`firmware_host.table.service.LessonService`; methods without a lock run on the loop's thread only."""

    def __init__(self, loop: Loop) -> None:
        """Begin without a lesson."""
        self._loop = loop
        self._running: Practice | None = None
        self._aside: Table | None = None
        """The suspended game's table; only its id, seats and deal are used: the rest is in the journal."""
        self._by_host = False
        """Whether the host has begun the lesson."""
        self._open = True

    # -- any thread --------------------------------------------------------------------------------------------------

    def offered(self) -> list[dict[str, Any]]:
        """Return the lessons of the game at the table: ``name``, ``title``."""
        return [{"name": lesson.name, "title": lesson.title} for lesson in lessons_of(self._loop.setting.game)]

    def begin(self, name: str, claim: str, *, host: bool, phone: bool = False) -> int:
        """Begin a lesson for the phone with a claim; return its seat. Raise TableError."""
        setting = self._loop.setting
        lessons = lessons_of(setting.game)
        if name not in [lesson.name for lesson in lessons]:
            raise TableError("bad_lesson", say("there is no lesson {name!r}", name=name[:40]))
        fresh = partial(fresh_table, setting, ideal=phone)
        running = Practice(setting.game, lessons, name, fresh, claim, setting.draw, phone=phone)
        return self._begun(running, host)

    def begin_puzzle(self, puzzle: Puzzle, claim: str, *, host: bool) -> int:
        """Begin a puzzle for the phone with a claim; return its seat. Raise TableError."""
        setting = self._loop.setting
        if puzzle.game != setting.game.name:
            raise TableError("bad_puzzle", say("this puzzle is of another game than the one at the table"))
        plain = find_game(puzzle.game)  # Its solution was proved without any options of the rules.
        if not fits_board(plain, puzzle):
            raise TableError("bad_puzzle", say("this puzzle is solved on a phone: there is nothing to do on the board"))
        lesson: Lesson = as_lesson(plain, puzzle)
        fresh = partial(fresh_table, replace(setting, game=plain))
        return self._begun(Practice(plain, [lesson], lesson.name, fresh, claim, setting.draw), host)

    def _begun(self, running: Practice, host: bool) -> int:
        self._loop.do(lambda: self._begin(running, host))
        return running.exercise.seat

    def next(self) -> None:
        """Go on to the next exercise."""
        self._loop.do(lambda: self._turn(lambda running: running.next(self._loop.now())))

    def back(self) -> None:
        """Begin the exercise again, or go back to the one before."""
        self._loop.do(lambda: self._turn(lambda running: running.back(self._loop.now())))

    def show(self) -> None:
        """Show the answer."""
        self._loop.do(lambda: self._turn(lambda running: running.show(self._loop.now())))

    def stop(self, *, by_host: bool = False) -> None:
        """End the lesson: the suspended game is at the table again. Nothing happens without a lesson.

        ``by_host``: the host ends it, not the learner. Else whoever has begun it could begin it again at once, and the
        host could do no more than to start a game; so until one has begun, or :meth:`allow`, only the host begins.
        """
        self._loop.do(lambda: self._stop(by_host))

    @property
    def open(self) -> bool:
        """Return whether others than the host may begin lessons and puzzles between games."""
        return self._open

    def allow(self) -> None:
        """Let everybody begin lessons and puzzles again."""
        self._loop.do(self._allow)

    @property
    def on_phone(self) -> bool:
        """Return whether the lesson runs on the phone only: the board's sensors and lights are not used."""
        return self._running is not None and self._running.phone

    # -- the loop's thread -------------------------------------------------------------------------------------------

    def follow(self, at: float) -> None:
        """Judge what has happened at the table."""
        running, present = self._running, self._loop.present()
        if running is None or present is not running.table:
            self._open = self._open or present.phase not in {"lobby", "over"}
            return
        shown = running.table.lesson
        other = running.follow(at)
        if other is not None:
            self._loop.sit_at(other)
        elif running.table.lesson is not shown:
            self._loop.publish()

    def events(self, at: float) -> Iterator[ev.Event]:
        """Return the lesson's own events."""
        return self._running.events(at) if self._running else iter(())

    def check(self, event: ev.Event) -> None:
        """Raise TableError for an event that a lesson refuses."""
        if self._running is not None and isinstance(event, NOT_IN_LESSONS):
            words = say("this is a lesson or a puzzle: go on with its own buttons, or stop it first")
            raise TableError("lesson", words)

    def game_table(self, present: Table | None) -> Table | None:
        """Return the table of the game, which a lesson may have suspended."""
        return self._aside or present

    def leave(self) -> None:
        """Forget the lesson: another game comes to the table."""
        self._running = self._aside = None

    def _begin(self, running: Practice, host: bool) -> None:
        loop, present = self._loop, self._loop.present()
        if self._running is None:
            playing = present.phase not in {"lobby", "over"}
            if playing and not host:
                raise TableError(
                    "wrong_phase", say("a game is being played: only the host can let it wait for a lesson or a puzzle")
                )
            if present.held:
                raise TableError("held", say("the host has paused the game"))
            if not (self._open or host):
                words = say(
                    "the host has ended the lesson or the puzzle: until a game has begun only the host begins one"
                )
                raise TableError("wrong_phase", words)
        elif not host and self._running.claim != running.claim:
            words = say("somebody is taking a lesson or solving a puzzle at this table: wait until it is over")
            raise TableError("wrong_phase", words)
        table = running.begin(loop.now())
        if self._aside is None:
            loop.keep_clocks()
        self._aside = self._aside or present
        self._running, self._by_host = running, host
        loop.sit_at(table)

    def _turn(self, act: Callable[[Practice], Table | None]) -> None:
        running = self._running
        if running is None:
            raise TableError("wrong_phase", say("there is no lesson at this table now"))
        other = act(running)
        if other is not None:
            self._loop.sit_at(other)
        else:
            self._loop.publish()

    def _allow(self) -> None:
        self._open = True

    def _stop(self, by_host: bool) -> None:
        if self._aside is not None:
            self._open = self._open and (self._by_host or not by_host)
            table = taken_up(self._loop.setting, self._loop.told(self._aside), self._loop.now())[0]
            table.seed = self._aside.seed
            self.leave()
            self._loop.sit_at(table)

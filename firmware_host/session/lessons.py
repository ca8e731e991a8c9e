"""Lessons, and exercises of extensions, at a running table.

Each exercise is an ordinary table that begins in the given position (:mod:`firmware_host.session.practice`), and an
exercise of an extension is a lesson of one. So lights, phones, reasons and repair work as in a game.

Nothing of it is journalled. The running game waits in the journal, and comes back as after a restart when the lesson
ends, or when the program is killed during it (:class:`Lessons`). On a phone alone the lesson has a table of its own
beside the real one (:mod:`firmware_host.session.alone`): ideal sensors report the position that it wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from firmware_host.games.lessons import Lesson
from firmware_host.games.registry import game as find_game
from firmware_host.session.alone import LessonsAlone
from firmware_host.session.loop import RunningLoop
from firmware_host.session.practice import Practice, check_event, known_lessons
from firmware_host.session.table_setup import fresh_table, resume
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.state import Table
from firmware_host.text.words import say


class Lessons:
    """Lessons and puzzles at a table. Requests are thread-safe, and raise TableError if the table refuses them."""

    def __init__(self, loop: RunningLoop) -> None:
        """Begin without a lesson."""
        self._loop = loop
        self.alone = LessonsAlone(loop)
        """The lessons on phones alone, which have no part in the table."""
        self._running: Practice | None = None
        self._aside: Table | None = None
        """The suspended game's table; only its id, seats and deal are used: the rest is in the journal."""
        self._by_host = False
        """Whether the host has begun the lesson."""
        self._open = True

    # -- any thread --------------------------------------------------------------------------------------------------

    def begin(self, name: str, claim: str, *, host: bool) -> int:
        """Begin a lesson for the phone that holds a claim, and return its seat; the game at the table waits.

        A running game is suspended only for the ``host``.
        """
        setting = self._loop.setting
        fresh = partial(fresh_table, setting)
        lessons = known_lessons(setting.game, name)
        return self._start(Practice(setting.game, lessons, name, fresh, claim, setting.draw), host)

    def begin_exercise(self, lesson: Lesson, claim: str, *, host: bool) -> int:
        """Set an extension's lesson of the game at the table up on its board, as :meth:`begin` does one of the game's.

        No options of the rules are on in it.
        """
        setting = self._loop.setting
        plain = find_game(setting.game.name)
        fresh = partial(fresh_table, replace(setting, game=plain))
        return self._start(Practice(plain, [lesson], lesson.name, fresh, claim, setting.draw), host)

    def _start(self, running: Practice, host: bool) -> int:
        self._loop.do(lambda: self._begin(running, host))
        return running.exercise.seat

    def next(self) -> None:
        """Go on to the next exercise once this one is done."""
        self._loop.do(lambda: self._turn(lambda running: running.next(self._loop.now())))

    def back(self) -> None:
        """Begin the exercise again; if nothing was done in it, the exercise before."""
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

    # -- the loop's thread -------------------------------------------------------------------------------------------

    def follow(self, at: float) -> None:
        """Judge what has happened at the table."""
        running, present = self._running, self._loop.table()
        if running is None or present is not running.table:
            self._open = self._open or present.phase not in {"lobby", "over"}
            return
        shown = running.table.lesson
        other = running.follow(at)
        if other is not None:
            self._loop.use_table(other)
        elif running.table.lesson is not shown:
            self._loop.publish()

    def events(self, at: float) -> Iterator[ev.Event]:
        """Return the lesson's own events."""
        return self._running.events(at) if self._running else iter(())

    def check(self, event: ev.Event) -> None:
        """Raise TableError for an event that a lesson refuses."""
        if self._running is not None:
            check_event(event)

    def game_table(self, present: Table | None) -> Table | None:
        """Return the table of the game, which a lesson may have suspended."""
        return self._aside or present

    def leave(self) -> None:
        """Forget the lesson: another game comes to the table."""
        self._running = self._aside = None

    def _begin(self, running: Practice, host: bool) -> None:
        loop, present = self._loop, self._loop.table()
        if self._running is None:
            playing = present.phase not in {"lobby", "over"}
            if playing and not host:
                raise TableError(
                    "wrong_phase", say("a game is being played: only the host can let it wait for a lesson or a puzzle")
                )
            if present.paused:
                raise TableError("paused", say("the host has paused the game"))
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
            loop.save_clocks()
        self._aside = self._aside or present
        self._running, self._by_host = running, host
        loop.use_table(table)

    def _turn(self, act: Callable[[Practice], Table | None]) -> None:
        running = self._running
        if running is None:
            raise TableError("wrong_phase", say("there is no lesson at this table now"))
        other = act(running)
        if other is not None:
            self._loop.use_table(other)
        else:
            self._loop.publish()

    def _allow(self) -> None:
        self._open = True

    def _stop(self, by_host: bool) -> None:
        if self._aside is not None:
            self._open = self._open and (self._by_host or not by_host)
            loop, aside = self._loop, self._aside
            table, _ = resume(loop.setting, loop.suspended_game(aside), loop.now(), seed=aside.seed)
            self.leave()
            loop.use_table(table)

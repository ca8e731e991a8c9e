"""Lessons on phones alone: each phone has a table of its own, beside the one that everybody shares.

Nothing of such a lesson reaches the table: not its view, its lights, its sensors or its journal. So it may go on
whatever is played meanwhile, and several people may learn at once. Requests of the phone's page name it
(:mod:`web_panel.panel`); the loop's thread handles them, as it owns all tables.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from firmware_host.games.capabilities import Attempt
from firmware_host.games.game import Game
from firmware_host.session.loop import RunningLoop
from firmware_host.session.practice import Practice, check_event, known_lessons
from firmware_host.session.published import PublishedView, View
from firmware_host.session.table_setup import fresh_table
from firmware_host.table import events as ev
from firmware_host.table.pieces import why_not_now
from firmware_host.table.state import Table
from firmware_host.table.table import handle
from firmware_host.table.view import public_view

MOST = 24
"""Maximum number of lessons on phones; of more, the one that began first ends."""
TICK_S = 0.1
"""How often time passes in them, seconds: their pieces lie at once, and nobody waits for a sensor."""


class LessonAlone:
    """One phone's lesson, to its pages what the table is to all (:class:`web_panel.streams.Viewed`).

    Thread-safe.
    """

    def __init__(self, loop: RunningLoop, running: Practice) -> None:
        """Prepare a lesson that :meth:`begin` begins."""
        self._loop = loop
        self._running = running
        self._published = PublishedView()
        self._ended = False

    # -- any thread --------------------------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """Return the learner's present seat."""
        return self._running.exercise.seat

    @property
    def game(self) -> Game[Any]:
        """Return the game that is learned."""
        return self._running.game

    def view(self, seat: int | None) -> tuple[int, View]:
        """Return (sequence number, view) for a seat or, with None, for people without one."""
        return self._published.of(seat)

    def wait(self, after: int, timeout: float) -> int:
        """Block until the sequence number is above ``after``, or for ``timeout`` seconds; return it."""
        return self._published.wait(after, timeout, self.closing)

    def closing(self) -> bool:
        """Return whether the lesson has ended, or the table is being closed."""
        return self._ended or self._loop.closing()

    def submit(self, event: ev.Event) -> None:
        """Process an event of the learner. Raise TableError if it is refused."""
        check_event(event)
        self._loop.do(lambda: self._handle(event))

    def why_not(self, attempt: Attempt) -> str | None:
        """Return the rule that forbids an attempt of the learner, as a clause; None if it is possible."""
        return self._loop.ask(lambda: why_not_now(self._running.table, attempt))

    def next(self) -> None:
        """Go on to the next exercise once this one is done."""
        self._loop.do(lambda: self._turn(self._running.next))

    def back(self) -> None:
        """Begin the exercise again; if nothing was done in it, the exercise before."""
        self._loop.do(lambda: self._turn(self._running.back))

    def show(self) -> None:
        """Show the answer."""
        self._loop.do(lambda: self._turn(self._running.show))

    # -- the loop's thread -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin with the first exercise."""
        self._turn(self._running.begin)

    def end(self) -> None:
        """End the lesson: its streams end, too."""
        self._ended = True
        self._published.wake()

    def pass_time(self, at: float) -> None:
        """Let time pass, and the pieces lie as the lesson's table wants them."""
        self._handle(ev.Tick(at=at))
        for event in self._running.events(at):
            self._handle(event)

    def _turn(self, act: Callable[[float], Table | None]) -> None:
        act(self._loop.now())
        self._publish()

    def _handle(self, event: ev.Event) -> None:
        effects = handle(self._running.table, event)
        if any(isinstance(effect, ev.ShowView) for effect in effects):
            self._running.follow(event.at)
            self._publish()

    def _publish(self) -> None:
        self._published.show(public_view(self._running.table), {})


class LessonsAlone:
    """All lessons on phones alone, by the claims of their phones."""

    def __init__(self, loop: RunningLoop) -> None:
        """Begin without any."""
        self._loop = loop
        self._all: OrderedDict[str, LessonAlone] = OrderedDict()
        self._due = 0.0

    def begin(self, name: str, claim: str) -> LessonAlone:
        """Begin a lesson of the game that the phone learns already, else of the game at the table.

        Raise TableError if there is none of this name.
        """
        setting, before = self._loop.setting, self._all.get(claim)
        game = before.game if before else setting.game
        fresh = partial(fresh_table, replace(setting, game=game), ideal=True)
        running = Practice(game, known_lessons(game, name), name, fresh, claim, setting.draw, phone=True)
        lesson = LessonAlone(self._loop, running)
        self._loop.do(lambda: self._begin(claim, lesson))
        return lesson

    def of(self, claim: str) -> LessonAlone | None:
        """Return the lesson of a phone, None if it takes none."""
        return self._all.get(claim)

    def stop(self, claim: str) -> None:
        """End a phone's lesson. Nothing happens without one."""
        self._loop.do(lambda: self._stop(claim))

    def pass_time(self, at: float) -> None:
        """Let time pass in all of them."""
        if at < self._due:
            return
        self._due = at + TICK_S
        for lesson in list(self._all.values()):
            lesson.pass_time(at)

    def _begin(self, claim: str, lesson: LessonAlone) -> None:
        lesson.begin()
        self._stop(claim)
        self._all[claim] = lesson
        while len(self._all) > MOST:
            self._stop(next(iter(self._all)))

    def _stop(self, claim: str) -> None:
        lesson = self._all.pop(claim, None)
        if lesson is not None:
            lesson.end()

"""Lessons, and exercises of extensions, at a running table.

Each exercise is an ordinary table that begins in the given position (:class:`Practice`), and an exercise of an
extension is a lesson of one. So lights, phones, reasons and repair work as in a game.

Nothing of it is journalled. The running game waits in the journal, and comes back as after a restart when the lesson
ends, or when the program is killed during it (:class:`Lessons`). On a phone alone the lesson has a table of its own
beside the real one (:class:`LessonAlone`): ideal sensors report the position that it wants.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from firmware_host.games.capabilities import Attempt, rules_of
from firmware_host.games.game import Game
from firmware_host.games.lessons import Exercise, Lesson, LessonVerdict, judge, lessons_of
from firmware_host.games.registry import game as find_game
from firmware_host.games.seals import commitment
from firmware_host.session.loop import PublishedView, RunningLoop, View
from firmware_host.session.table_setup import fresh_table, resume
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.pieces import why_not_now
from firmware_host.table.stages import leads_to
from firmware_host.table.state import Table
from firmware_host.table.subjects.proposals import ActionUndone, Proposed, TurnVoided
from firmware_host.table.subjects.resolving import ActionChosen, BoardChanged, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, may_open, open_seats
from firmware_host.table.subjects.seats import ComputerSeated, SeatAsked, SeatClaim, SeatMoved, check_claim
from firmware_host.table.table import handle, restore
from firmware_host.table.view import public_view
from firmware_host.table.view_form import LessonShown, PuzzleShown
from firmware_host.text.words import capital, say

NOT_IN_LESSONS = (
    ComputerSeated,
    SeatAsked,
    SeatMoved,
    ActionUndone,
    TurnVoided,
    Resigned,
    Proposed,
)
"""Events that a lesson refuses: it has buttons of its own for going back and for stopping."""


def check_event(event: ev.Event) -> None:
    """Raise TableError for an event that a lesson refuses."""
    if isinstance(event, NOT_IN_LESSONS):
        words = say("this is a lesson or a puzzle: go on with its own buttons, or stop it first")
        raise TableError("lesson", words)


def known_lessons(game: Game[Any], name: str) -> Sequence[Lesson]:
    """Return the lessons of a game. Raise TableError if none has this name."""
    lessons = lessons_of(game)
    if name not in [lesson.name for lesson in lessons]:
        raise TableError("bad_lesson", say("there is no lesson {name!r}", name=name[:40]))
    return lessons


FreshTable = Callable[[str, str], Table]
"""Creates an empty table from an id and a mode."""
LEARNER, SOLVER = say("Learner"), say("Solver")


class Practice:
    """A lesson in progress. ``table`` is its present table; :meth:`follow` returns the next one."""

    def __init__(
        self,
        game: Game[Any],
        lessons: Sequence[Lesson],
        name: str,
        fresh: FreshTable,
        claim: str,
        draw: Callable[[int], str],
        *,
        phone: bool = False,
    ) -> None:
        """Prepare the lesson with this name, which must exist; ``draw`` makes random ids.

        With ``phone`` the pieces exist only in the phone's drawing: they are placed at once.
        """
        self.game = game
        self.number = next(at for at, one in enumerate(lessons) if one.name == name)
        self.lesson = lessons[self.number]
        self.claim = claim
        self.phone = phone
        self._count = len(lessons)
        self._fresh, self._draw = fresh, draw
        self._at = 0
        self._starts: dict[int, str] = {}
        """Exercise → the text of the position in which it began."""
        self._base = self._judged = 1
        """The number of moments at the exercise's start, and of those judged."""
        self._said: str | None = None
        self._right = self._done = self._showing = self._helped = False
        self._since: float | None = None
        """When the first position was set up."""
        self._seconds: int | None = None
        """How long it took from then until all was done, seconds."""
        self.table: Table

    @property
    def exercise(self) -> Exercise:
        """Return the present exercise."""
        return self.lesson.exercises[self._at]

    @property
    def over(self) -> bool:
        """Return whether the last exercise is done."""
        return self._done and self._at == len(self.lesson.exercises) - 1

    # -- the learner's requests --------------------------------------------------------------------------------------

    def begin(self, at: float) -> Table:
        """Return the table of the present exercise, at its beginning."""
        game, exercise = self.game, self.exercise
        text = self._starts.setdefault(self._at, exercise.position or "")
        position = game.parse(text)
        table = self._fresh(f"lesson-{self._draw(4)}", position.mode)
        head = {"id": table.ledger.game_id, "game": game.name, "mode": position.mode, "rules": rules_of(game)}
        seats = [self._seat(seat) for seat in game.seats(position.mode)]
        start = ("start", {"given": True, "position": game.text(position)})
        restore(table, [("game", head), *seats, start], at)
        self._base = self._judged = len(table.ledger.moments)
        self._done = False
        self.table = table
        self._show()
        return table

    def next(self, at: float) -> Table | None:
        """Go on to the next exercise; return its table, None after the last one or if this one is not done."""
        if not self._done or self.over:
            return None
        self._at += 1
        self._reset()
        return self.begin(at)

    def back(self, at: float) -> Table:
        """Begin this exercise again; if nothing was done in it, the one before."""
        if self._at and self._judged == self._base and not self._said:
            self._at -= 1
        self._reset()
        return self.begin(at)

    def show(self, at: float) -> Table | None:
        """Show the answer from now on; return another table if the present line leads elsewhere."""
        if self._done:
            return None
        done = self._actions_made()
        self._showing = self._helped = True
        if list(self.exercise.answer[: len(done)]) == done:
            self._show()
            return None
        return self.begin(at)

    def _reset(self) -> None:
        self._said, self._right, self._showing = None, False, False

    def _seat(self, seat: int) -> tuple[str, Mapping[str, Any]]:
        mine = seat == self.exercise.seat
        others = say("Player {seat}", seat=seat) if self.lesson.grade else say("Partner {seat}", seat=seat)
        name = (SOLVER if self.lesson.grade else LEARNER) if mine else others
        return "seat", {"seat": seat, "name": name, "claim": self.claim if mine else "", "computer": not mine}

    # -- what happens at the table -----------------------------------------------------------------------------------

    def follow(self, at: float) -> Table | None:
        """Judge the changes at the table; return another one if the position goes back."""
        moments = self.table.ledger.moments
        if self._since is None and self.table.phase not in {"lobby", "setup"}:
            self._since = at
        if len(moments) < self._base:  # The action that led to this exercise was taken back by hand.
            return self.begin(at)
        if len(moments) < self._judged:
            self._judged, self._done = len(moments), False
            self._show()
        while self._judged < len(self.table.ledger.moments):
            moment = self.table.ledger.moments[self._judged]
            self._judged += 1
            if self._done:
                continue
            found = judge(self.game, self.exercise, moment.actions.get(self.exercise.seat), moment.position)
            if found.found is LessonVerdict.WRONG:
                self._said, self._right = found.words, False
                return self.begin(at)
            if found.found is LessonVerdict.DONE:
                self._advance(found.words, at)
        return None

    def _advance(self, words: str, at: float) -> None:
        """Go on automatically if the next exercise begins where this one ended."""
        self._said, self._right, self._showing = words or None, True, False
        following = self.lesson.exercises[self._at + 1 : self._at + 2]
        if following and following[0].position is None:
            self._at += 1
            self._starts[self._at] = self.game.text(self.table.ledger.now.position)
            self._base = self._judged
        else:
            self._done = True
            self._seconds = round(at - (at if self._since is None else self._since))
        self._show()

    def events(self, at: float) -> Iterator[ev.Event]:
        """Yield the actions of partners and of the shown answer; each event must be handled before the next."""
        table = self.table
        if self.phone:
            yield from self._drawn_pieces(at)
        if table.paused or self._done:
            return
        if table.phase in {"sealing", "revealing"}:
            yield from self._partners(at)
        elif self.phone:  # There the answer is in words: a chosen step would be done at once.
            return
        elif table.phase == "resolving" and self._showing and table.chosen_action is None and not table.done_stages:
            action = self._answer()
            if action and any(step.moves and leads_to(step, action) for step in table.watch.tracker.steps):
                yield ActionChosen(at=at, seat=self.exercise.seat, action=action)

    def _drawn_pieces(self, at: float) -> Iterator[ev.Event]:
        """Yield the reports of ideal sensors once the pieces match the table's target or the chosen step."""
        table, tracker = self.table, self.table.watch.tracker
        goal = table.watch.target
        if table.phase == "resolving" and table.in_order:
            chosen = [step.after for step in tracker.steps if step.moves and leads_to(step, table.chosen_action)]
            goal = chosen[0] if chosen else goal
        elif table.phase not in {"setup", "placing", "clearing"}:
            return
        lying = {node: tracker.model.sensed_states(node, goal.get(node)) for node in table.layout.nodes}
        sensed_states = tuple((node, min(known)) for node, known in lying.items() if tracker.sensed[node] not in known)
        if sensed_states:
            yield BoardChanged(at=at, sensed_states=sensed_states)

    def _partners(self, at: float) -> Iterator[ev.Event]:
        for seat, action in self.exercise.partner.items():
            sealing = self.table.ledger.round
            if sealing is None:
                return
            nonce = f"{seat:032x}"  # A partner's placement is in the lesson's file: it is no secret.
            if seat not in sealing.commitments:
                digest = commitment(sealing.game, sealing.turn, seat, sealing.history, action, nonce)
                yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=digest)
            elif may_open(self.table) and seat not in open_seats(self.table):
                yield SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=nonce)

    def _actions_made(self) -> list[str]:
        """Return the learner's actions in this exercise."""
        seat = self.exercise.seat
        return [moment.actions[seat] for moment in self.table.ledger.moments[self._base :] if seat in moment.actions]

    def _answer(self) -> str | None:
        """Return the next action of the answer."""
        return next(iter(self.exercise.answer[len(self._actions_made()) :]), None)

    def _show(self) -> None:
        """Put the state of the lesson into the table's view."""
        action = self._answer() if self._showing else None
        shown: LessonShown = {
            "name": self.lesson.name,
            "title": self.lesson.title,
            "number": self.number + 1,
            "count": self._count,
            "exercise": self._at + 1,
            "exercises": len(self.lesson.exercises),
            "phone": self.phone,
            "puzzle": self._puzzle(),
            "task": self.exercise.task or self.lesson.title,
            "words": self.exercise.words,
            "said": self._said,
            "right": self._right,
            "done": self._done,
            "over": self.over,
            "hint": capital(self.game.words(action)) if action else None,
        }
        self.table.lesson = shown

    def _puzzle(self) -> PuzzleShown | None:
        if not self.lesson.grade:
            return None
        return {"grade": self.lesson.grade, "helped": self._helped, "seconds": self._seconds if self.over else None}


class Lessons:
    """Lessons and puzzles at a table. Requests are thread-safe, and raise TableError if the table refuses them.

    ``by``: the learner in whose name a request acts, None for the host.
    """

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

    def next(self, by: SeatClaim | None = None) -> None:
        """Go on to the next exercise once this one is done."""
        self._loop.do(lambda: self._turn(lambda running: running.next(self._loop.now())), by)

    def back(self, by: SeatClaim | None = None) -> None:
        """Begin the exercise again; if nothing was done in it, the exercise before."""
        self._loop.do(lambda: self._turn(lambda running: running.back(self._loop.now())), by)

    def show(self, by: SeatClaim | None = None) -> None:
        """Show the answer."""
        self._loop.do(lambda: self._turn(lambda running: running.show(self._loop.now())), by)

    def stop(self, by: SeatClaim | None = None, *, by_host: bool = False) -> None:
        """End the lesson: the suspended game is at the table again. Nothing happens without a lesson.

        ``by_host``: the host ends it, not the learner. Else whoever has begun it could begin it again at once, and the
        host could do no more than to start a game; so until one has begun, or :meth:`allow`, only the host begins.
        """
        self._loop.do(lambda: self._stop(by_host), by)

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
            self._open = self._open or present.phase not in BETWEEN_GAMES
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
            playing = present.phase not in BETWEEN_GAMES
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


# -- lessons on phones alone -------------------------------------------------------------------------------------------


MAX_ALONE = 24
"""Maximum number of lessons on phones; of more, the first one ends of the address that has most of them."""
TICK_S = 0.1
"""How often time passes in them, seconds: their pieces lie at once, and nobody waits for a sensor."""


class LessonAlone:
    """One phone's lesson, to its pages what the table is to all (:class:`web_panel.streams.Viewed`).

    Thread-safe.
    """

    def __init__(self, loop: RunningLoop, running: Practice, address: str | None = None) -> None:
        """Prepare a lesson that :meth:`begin` begins, for a phone with this address."""
        self._loop = loop
        self.address = address
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

    def do(self, job: Callable[[], None], by: SeatClaim | None = None) -> None:
        """Run a job on the loop's thread, as the table's ``do``; ``by`` is the learner in whose name it is done."""
        self._loop.do(partial(self._do_for, by, job))

    def submit(self, event: ev.Event, by: SeatClaim | None = None) -> None:
        """Process an event of the learner. Raise TableError if it is refused."""
        self.do(partial(self._submit, event), by)

    def why_not(self, attempt: Attempt, by: SeatClaim | None = None) -> str | None:
        """Return the rule that forbids an attempt of the learner, as a clause; None if it is possible."""
        found: list[str | None] = []
        self.do(lambda: found.append(why_not_now(self._running.table, attempt)), by)
        return found[0]

    def next(self, by: SeatClaim | None = None) -> None:
        """Go on to the next exercise once this one is done."""
        self.do(lambda: self._turn(self._running.next), by)

    def back(self, by: SeatClaim | None = None) -> None:
        """Begin the exercise again; if nothing was done in it, the exercise before."""
        self.do(lambda: self._turn(self._running.back), by)

    def show(self, by: SeatClaim | None = None) -> None:
        """Show the answer."""
        self.do(lambda: self._turn(self._running.show), by)

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

    def _do_for(self, by: SeatClaim | None, job: Callable[[], None]) -> None:
        if by is not None:
            check_claim(self._running.table.ledger, by)
        job()

    def _turn(self, act: Callable[[float], Table | None]) -> None:
        act(self._loop.now())
        self._publish()

    def _submit(self, event: ev.Event) -> None:
        check_event(event)
        self._handle(event)

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

    def begin(self, name: str, claim: str, address: str | None = None) -> LessonAlone:
        """Begin a lesson of the game that the phone learns already, else of the game at the table.

        ``address``: where the phone is, None where many share one. Raise TableError if there is none of this name.
        """
        setting, before = self._loop.setting, self._all.get(claim)
        game = before.game if before else setting.game
        fresh = partial(fresh_table, replace(setting, game=game), ideal=True)
        running = Practice(game, known_lessons(game, name), name, fresh, claim, setting.draw, phone=True)
        lesson = LessonAlone(self._loop, running, address)
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
        if len(self._all) > MAX_ALONE:
            ((greediest, _),) = Counter(one.address for one in self._all.values()).most_common(1)
            self._stop(next(claim for claim, one in self._all.items() if one.address == greediest))

    def _stop(self, claim: str) -> None:
        lesson = self._all.pop(claim, None)
        if lesson is not None:
            lesson.end()

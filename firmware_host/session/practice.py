"""A lesson or a puzzle in progress: an ordinary table for each exercise, whose actions are judged.

An exercise (:mod:`firmware_host.games.lessons`) is a position, a seat, a task and its answers. After each event the
learner's action is judged. A wrong one stands for that instant; then a new table at the exercise's beginning guides the
board back, as after a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from firmware_host.games.capabilities import rules_of
from firmware_host.games.game import Game
from firmware_host.games.lesson_files import lessons_of
from firmware_host.games.lessons import Exercise, Lesson, LessonVerdict, judge
from firmware_host.games.seals import commitment
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.stages import leads_to
from firmware_host.table.state import Table
from firmware_host.table.subjects.proposals import ActionUndone, Proposed, TurnVoided
from firmware_host.table.subjects.resolving import ActionChosen, BoardChanged, Resigned
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, may_open, open_seats
from firmware_host.table.subjects.seats import ComputerSeated, SeatAsked, SeatMoved
from firmware_host.table.table import restore
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

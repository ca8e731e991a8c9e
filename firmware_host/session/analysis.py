"""What a table asks its search: what computers do, hints, the ends of a phase, and what extensions ask.

All of it goes to one :class:`firmware_host.analysis.questions.Analyser` in one queue, put together at every round of
the table's loop (:meth:`TableAnalysis.ask`). Nothing waits for an answer: the next rounds look whether it is there.
What comes first in the queue is searched first, and interrupts what comes later:

1. **Computers that act** (:mod:`firmware_host.session.computers`), because the game waits for them.
2. **Hints**, because a person waits. The question is that of a computer of the strongest level.
3. **The ends of the phase** that is being resolved, or will be once its stones lie. Searches of 0.3, then 2, 10 and 60
   seconds, until nothing is left to be known. Each answer becomes an event: the table keeps what is proved and ends a
   phase that is proved to be a loop. While a computer thinks they wait, at most some ten seconds. They go on while
   hands do what it has chosen.
4. What **extensions** wait for, such as positions that people set up by hand.
5. What extensions want to know while nobody waits for anything: rows of short questions.

A search that fails costs what it was for, and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Analyser, Answer, Asking, EndsQuestion, Question
from firmware_host.games.capabilities import capabilities_of, rules_of
from firmware_host.games.game import Analysis, Game
from firmware_host.searching.playouts import computer_player_of
from firmware_host.session.computers import ComputerPlayers
from firmware_host.table.errors import TableError
from firmware_host.table.events import Event
from firmware_host.table.known_analysis import known_of
from firmware_host.table.ledger import Moment
from firmware_host.table.state import Table
from firmware_host.table.subjects import hints
from firmware_host.table.subjects.hints import HintTaken
from firmware_host.table.subjects.resolving import AnalysisFound, open_question
from firmware_host.table.subjects.seats import SeatClaim
from firmware_host.text.words import say

LOOKS = (0.3, 2.0, 10.0, 60.0)
"""Durations, in seconds, of successive searches of a position until its analysis is settled."""
FAILURES = 2
"""Number of failed searches for ends in a row after which a warning is logged, and none is made any more."""

_log = logging.getLogger(__name__)


class TableAnalysis:
    """The questions of a table, on the loop's thread."""

    def __init__(self, computers: ComputerPlayers, hints: Hints) -> None:
        """Use the analyser of the computers."""
        self.others: Sequence[Asking] = ()
        self.idle: Sequence[Asking] = ()
        """What extensions wait for, and what they ask when nothing else is asked; replaced, never changed."""
        self._analyser = computers.analyser
        self._computers = computers
        self._hints = hints
        self._ends = EndsSearch()

    def ask(self, table: Table) -> None:
        """Ask all questions of this moment; called after computers have acted. Returns at once."""
        if self._analyser is None:
            return
        self._ends.follow(table)
        ends = [self._ends.question] if self._ends.question else []
        others = [question for questions in (*self.others, *self.idle) for question in questions()]
        if table.lesson:  # Whoever plays with the learner has his actions from the lesson.
            self._analyser.ask(others)
            return
        people = [*self._computers.questions, *self._hints.questions(table)]
        self._analyser.ask([*people, *ends, *others])

    def news(self, table: Table, at: float) -> AnalysisFound | None:
        """Return the event of a search for the ends of the table's phase that has ended, None without any."""
        return None if self._analyser is None else self._ends.news(table, self._analyser, at)


# -- ends of the phase -------------------------------------------------------------------------------------------------


class EndsSearch:
    """Longer and longer searches for the ends of the phase from the present position."""

    def __init__(self) -> None:
        """Begin with nothing to search."""
        self.question: EndsQuestion | None = None
        """What is to be searched now."""
        self._moment: Moment | None = None
        self._known: Analysis | None = None
        """The moment, and what was known of it, for which the question was made."""
        self._position: str | None = None
        """The position that is searched, and the number of searches of it that have ended."""
        self._looks = 0
        self._failures = 0

    def follow(self, table: Table) -> None:
        """Make the question of the present position. It takes a while only where something has changed."""
        moment = table.ledger.now if table.ledger.started and not table.lesson else None
        known = known_of(table, moment.position) if moment is not None else None
        if moment is not self._moment or known is not self._known:
            self._moment, self._known = moment, known
            is_searched = moment is not None and capabilities_of(table.game).analysis is not None
            position = open_question(table) if is_searched else None
            if position != self._position:
                self._position, self._looks = position, 0
            self._make_question(table)

    def news(self, table: Table, analyser: Analyser, at: float) -> AnalysisFound | None:
        """Return the event of the question's answer, None while there is none."""
        question = self.question
        answer = analyser.answer(question) if question else None
        if question is None or answer is None:
            return None
        if answer.ends is None:
            self._failures += 1
            if self._failures == FAILURES:
                _log.warning("The search beside the table has failed again and again; play goes on without its proofs.")
        else:
            self._failures = 0
        # A position that breaks the search is left alone.
        is_over = answer.ends is None or answer.ends.is_settled
        self._looks = len(LOOKS) if is_over else self._looks + 1
        self._make_question(table)
        if answer.ends is None:
            return None
        return AnalysisFound(at=at, position=question.position, analysis=answer.ends, seconds=question.seconds)

    def _make_question(self, table: Table) -> None:
        self.question = None
        if self._position is not None and self._looks < len(LOOKS) and self._failures < FAILURES:
            rules = tuple(sorted(rules_of(table.game)))
            self.question = EndsQuestion(table.game.name, rules, self._position, LOOKS[self._looks])


# -- hints -------------------------------------------------------------------------------------------------------------


Found = tuple[Game[Any], Any, Answer | None]
"""The game, the position that a hint is about, and the answer, None while the search runs: no part of the table."""


class Hints:
    """The questions of people, kept for the present moment."""

    def __init__(
        self,
        computers: ComputerPlayers,
        table: Callable[[], Table],
        handle: Callable[[Event], None],
        on_loop: Callable[[Callable[[], Found], SeatClaim | None], Found],
    ) -> None:
        """Begin without questions, for a table that handles events.

        ``on_loop`` runs a function on the loop's thread, in somebody's name, and returns its result.
        """
        self._computers, self._table, self._handle, self._on_loop = computers, table, handle, on_loop
        self._moment: tuple[str, int] | None = None
        self._asked: Mapping[int, ActionQuestion] = {}
        """The question of each seat that has asked at this moment of this game."""

    def questions(self, table: Table) -> Sequence[Question]:
        """Return the questions to answer now: those about this moment."""
        moment = (table.ledger.game_id, len(table.ledger.moments))
        if moment != self._moment:
            self._moment, self._asked = moment, {}
        return list(self._asked.values())

    def hint(self, seat: int, level: int, by: SeatClaim | None = None) -> Mapping[str, Any] | None:
        """Return a hint for a seat; None while the search runs: ask again. Any thread.

        ``level``: 1 which piece, 2 up to three actions with their consequences, 3 how its pieces move.
        The request is journalled at once. The answer is for the requesting phone alone. Raise TableError if the host
        allows the seat no hints, if it has nothing to choose now, or if no search is available.

        The table is read on the loop; words are made here, so that the loop does not wait for them.
        """
        game, position, answer = self._on_loop(lambda: self._ask(seat, level), by)
        return hints.hint_view(game, position, seat, answer.choices, level) if answer else None

    def _ask(self, seat: int, level: int) -> Found:
        """Queue a seat's question, and return what is known. Raise TableError if there is no search."""
        analyser = self._computers.analyser
        if analyser is None:
            raise TableError("no_hints", say("there are no hints at this table: no search runs beside it"))
        table = self._table()
        self._handle(HintTaken(at=table.at, seat=seat, level=level))
        self.questions(table)  # Those of other moments are forgotten.
        if seat not in self._asked:
            strongest = len(computer_player_of(table.game).strengths)
            question = self._computers.question(table, seat, f"hint {len(table.ledger.moments)} {seat}", strongest)
            self._asked = {**self._asked, seat: replace(question, ranked=True)}
        answer = analyser.answer(self._asked[seat])
        if answer is not None and not answer.choices:
            raise TableError("no_hints", say("the search has failed here: there is no hint"))
        return table.game, table.ledger.now.position, answer

"""Searches beside a table that can start no process: whoever runs the program carries lines to an engine and back.

In a browser tab the engine is the same program in another worker. It can't be told to stop, so no search takes longer
than :data:`MOST_S`, and what is asked for meanwhile waits. What a question has found counts only if it is still asked.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence

from firmware_host.analysis.questions import Answer, Question, UnreadableAnswer
from firmware_host.text.json_reader import InvalidJson, read_object

MOST_S = 3.0
"""Longest search, seconds."""

_log = logging.getLogger(__name__)


class AnalysisElsewhere:
    """Answers questions, one at a time (:class:`firmware_host.analysis.questions.Analyser`). One thread does it all."""

    def __init__(self, send: Callable[[str], None]) -> None:
        """``send`` carries a line of the engine protocol away; its answer comes by :meth:`take`."""
        self._send = send
        self._asked: Sequence[Question] = ()
        self._answers: Mapping[Question, Answer] = {}
        self._searched: Question | None = None
        """The question that is away."""

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, the most urgent first; all others, and their answers, are forgotten."""
        self._asked = tuple(questions)
        self._answers = {one: found for one, found in self._answers.items() if one in self._asked}
        self._go_on()

    def answer(self, question: Question) -> Answer | None:
        """Return the answer to one of these questions, None while there is none."""
        return self._answers.get(question)

    def take(self, line: str) -> None:
        """Take the answer to the line that was sent last."""
        question, self._searched = self._searched, None
        if question is not None:
            try:
                found = question.read(read_object(line))
            except (InvalidJson, UnreadableAnswer) as error:
                _log.info("The search beside the table failed: %s", error)
                found = Answer()
            self._answers = {**self._answers, question: found}
        self._go_on()

    def close(self) -> None:
        """Ask nothing any more."""
        self._asked = ()

    def _go_on(self) -> None:
        if self._searched is not None:
            return
        self._searched = next((one for one in self._asked if one not in self._answers), None)
        if self._searched is not None:
            request = self._searched.request()
            self._send(json.dumps({**request, "seconds": min(request["seconds"], MOST_S)}))

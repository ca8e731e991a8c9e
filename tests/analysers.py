"""Searches that answer when a test lets them: a real one takes its time, and knows too much."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.analysis.questions import ActionQuestion, Answer, EndsQuestion, Question
from firmware_host.games.game import Analysis
from firmware_host.games.thinking import Choice


class ScriptedAnalyser:
    """Answers each question about an action with the same choice once it is ``ready``, and ends with ``ends``."""

    def __init__(self, action: str = "wD12", ends: Analysis | None = None) -> None:
        self.action, self.ends = action, ends
        self.reasons: Sequence[str] = ()
        self.second_best: str | None = "wA1"
        self.ready = False
        self.queue: Sequence[Question] = ()
        """The questions that are asked now."""
        self.closed = False

    @property
    def asked(self) -> list[ActionQuestion]:
        """The questions about actions that are asked now."""
        return [one for one in self.queue if isinstance(one, ActionQuestion)]

    @property
    def ends_asked(self) -> list[EndsQuestion]:
        """The questions about ends that are asked now."""
        return [one for one in self.queue if isinstance(one, EndsQuestion)]

    def ask(self, questions: Sequence[Question]) -> None:
        self.queue = list(questions)

    def answer(self, question: Question) -> Answer | None:
        if question not in self.queue:
            return None
        if isinstance(question, EndsQuestion):
            return Answer(ends=self.ends) if self.ends else None
        choices = [Choice(self.action, 0.9, reasons=tuple(self.reasons))]
        if self.second_best is not None:
            choices.append(Choice(self.second_best, 0.85))
        return Answer(self.action, self.reasons, choices) if self.ready else None

    def close(self) -> None:
        self.closed = True

"""Searches for computer players: a child process searches, and a thread asks it and keeps the answers.

Asking returns at once; the answer is looked up later. The child gets a position, the moves before it, a seat, a level
and a seed only: it can't know what others have sealed. A search that hangs, dies or gives wrong answers costs a
computer its level for one action; the game goes on.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_host.analysis.adviser import engine_command
from firmware_host.analysis.engine_process import Abandoned, Broken, EngineChild
from firmware_host.analysis.history import Move
from firmware_host.games.thinking import Choice
from firmware_host.text.words import unpacked

SECONDS = 60.0
"""Longest search of the child, unless the question says less."""
MEMORY = 1 << 28
"""Bytes of address space of the child: 256 MB."""
ROUNDING = 1e-6
"""How far a value or a share from 0 to 1 may lie outside."""
TRIES = 2
"""Number of deaths of the child at a question after which the question has no answer."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """A question for the action of a seat at a level. ``seed`` makes the answer reproducible.

    ``nodes`` replace the level's. ``moves`` lead from ``position`` to the one in which the seat acts: none where the
    text of the position is enough. ``ranked`` asks for all choices, best first (a hint, a review), instead of the
    level's action. ``seconds`` may stop the search before its nodes do: then its answer is not reproducible.
    """

    game: str
    rules: tuple[str, ...]
    position: str
    seat: int
    level: int
    seed: int
    nodes: int | None = None
    ranked: bool = False
    moves: tuple[Move, ...] = ()
    seconds: float = SECONDS

    def request(self) -> dict[str, Any]:
        """Return the engine's request, without its id."""
        fields: dict[str, Any] = {"do": "think" if self.ranked else "play", "game": self.game}
        fields |= {
            "position": self.position,
            "seat": self.seat,
            "level": self.level,
            "seed": self.seed,
            "seconds": self.seconds,
        }
        if self.moves:
            fields["moves"] = [{str(seat): action for seat, action in move} for move in self.moves]
        if self.rules:
            fields["rules"] = dict.fromkeys(self.rules, True)
        return fields if self.nodes is None else {**fields, "nodes": self.nodes}


@dataclass(frozen=True)
class Answer:
    """An action and its reasons, in sentences; ``action`` is None if the search has failed.

    ``choices`` belong to a ranked question, best first. ``in_time`` is false if the clock has stopped the search after
    this number of ``nodes``.
    """

    action: str | None
    reasons: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    in_time: bool = True
    nodes: int = 0


class Thinker:
    """Answers questions, one at a time. Any thread may ask."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Start the thread; the child is started at the first question."""
        self._wanted: tuple[Question, ...] = ()
        self._answers: Mapping[Question, Answer] = {}
        self._closing = False
        self._waker, self._wake = os.pipe()
        for end in (self._waker, self._wake):
            os.set_blocking(end, False)
        self._child = EngineChild(command or engine_command(), self._waker, memory=MEMORY)
        self._thread = threading.Thread(target=self._run, name="thinker", daemon=True)
        self._thread.start()

    def want(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, in order; all others, and their answers, are dropped."""
        wanted = tuple(questions)
        if wanted != self._wanted:
            self._wanted = wanted
            with contextlib.suppress(OSError):  # The pipe is full: the thread will wake anyway.
                os.write(self._wake, b"!")

    def found(self, question: Question) -> Answer | None:
        """Return the answer to a wanted question, None while there is none."""
        return self._answers.get(question)

    def close(self) -> None:
        """End the child and the thread."""
        self._closing = True
        self._wanted = ()
        with contextlib.suppress(OSError):
            os.write(self._wake, b"!")
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            os.close(self._wake)
            os.close(self._waker)

    # -- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing:
                question = self._next()
                if question is None:
                    self._child.wait(lambda: self._closing or self._next() is not None)
                else:
                    self._think(question)
        finally:
            self._child.end()

    def _next(self) -> Question | None:
        """Return the first question without an answer, None if all have one."""
        return next((one for one in self._wanted if one not in self._answers), None)

    def _think(self, question: Question) -> None:
        answer = Answer(None)
        for _ in range(TRIES):
            try:
                given = self._child.ask(question.request(), question.seconds, lambda: question not in self._wanted)
                answer = answer_of(given)
                break
            except Abandoned:
                return
            except Broken as error:
                _log.info("A computer's search failed: %s", error)
        kept = {one: known for one, known in self._answers.items() if one in self._wanted}
        self._answers = {**kept, question: answer}


def answer_of(given: Mapping[str, Any]) -> Answer:
    """Return an engine's answer. Raise Broken for a refusal or another shape."""
    try:
        return _answer(given)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Broken(f"an answer of another shape: {type(error).__name__}: {error!s:.100}") from error


def _answer(given: Mapping[str, Any]) -> Answer:
    if given.get("ok") is True and "choices" in given:
        choices = _choices(given["choices"])
        return Answer(choices[0].action, choices[0].reasons, choices)
    action, reasons = given.get("action"), given.get("packed", [])
    if given.get("ok") is not True or not isinstance(action, str) or not isinstance(reasons, list):
        raise Broken(f"the engine refused: {str(given.get('error', given))[:200]}")
    sentences = tuple(unpacked(one) for one in reasons)
    if not all(isinstance(one, str) for one in sentences):
        raise Broken(f"reasons: expected sentences, got {str(reasons)[:200]}")
    nodes = given.get("nodes")
    return Answer(action, sentences, (), given.get("in_time") is not False, nodes if isinstance(nodes, int) else 0)


def _choices(given: object) -> tuple[Choice, ...]:
    """Return ranked choices. Raise Broken if there are none."""
    choices = tuple(_choice(one) for one in given) if isinstance(given, list) else ()
    if not choices:
        raise Broken(f"choices: expected some, got {str(given)[:200]}")
    return choices


def _choice(given: Mapping[str, Any]) -> Choice:
    reasons = tuple(unpacked(one) for one in given["packed"])
    texts = (given["action"], *given["line"], *reasons)
    if not all(isinstance(one, str) for one in texts):
        raise TypeError("expected texts")
    value, share = float(given["value"]), float(given["share"])
    if not all(-ROUNDING <= number <= 1 + ROUNDING for number in (value, share)):
        raise ValueError(f"expected a value and a share from 0 to 1, got {value} and {share}")
    return Choice(given["action"], value, share, tuple(given["line"]), reasons)

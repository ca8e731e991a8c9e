"""The lease of a table's place in a room or a club: of two programs with copies of one folder only one speaks for it.

A copy of a data folder has the same keys, so nobody else can tell its messages from the table's own. Each program
therefore draws a name of its own at its start, which no copy has, and asks on the table's own topic (``lease``) before
it says anything else. Whoever has the place answers; its claim is also kept by the broker, so that a newcomer knows at
once whether there is anybody to wait for. A claim counts no more once the will of its connection (``gone``) has come,
or after :data:`SILENCE_S` without an answer: a restart, a power cut and a folder that was moved to another machine need
nobody's help. Where two have claimed the place, one of them unreachable for a while, the first one keeps it: by the
numbers of their messages, which a copy goes on from, and no clock.

Every question has a random text, and only answers to one's own count: an old message that is sent again says nothing.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from firmware_host.link.announcement import read_text, read_whole

TOPIC = "lease"
ASK_S = 3.0
"""How often a program asks that has not got the place, seconds."""
SILENCE_S = 12.0
"""Seconds without an answer after which nobody has the place any more."""
_REMEMBERED = 64
"""Number of the last questions, which are answered once only, and of ended connections, that are remembered."""


class Send(Protocol):
    """Publishes a message on the table's topic of the lease."""

    def __call__(self, fields: Mapping[str, Any], *, kept: bool) -> None:
        """``kept``: the broker keeps it for whoever comes later."""


class Lease:
    """One program's part in it. One thread at a time calls its methods."""

    def __init__(self, send: Send, session: Callable[[], int], number: Callable[[], int]) -> None:
        """``session`` returns the number of the present connection, which its will names.

        ``number`` returns a higher one each time, and a higher one than any that was heard of this table.
        """
        self.is_held = False
        """Whether this program may speak for the table."""
        self.is_refused = False
        """Whether another program has answered that it has the place."""
        self._send, self._session, self._number = send, session, number
        self._program = secrets.token_hex(8)
        self._since: int | None = None
        """The number with which this program has taken the place, if it has not given way since."""
        self._gone: deque[int] = deque(maxlen=_REMEMBERED)
        self._answered: deque[str] = deque(maxlen=_REMEMBERED)
        self._claimed_at = -ASK_S
        self.begin()

    def begin(self) -> None:
        """Ask anew: the connection is new."""
        self.is_held = self._is_settled = self._hears_itself = False
        self._rival: tuple[int, str, int] | None = None
        """Another program's claim: since when, its name, its connection."""
        self._questions: list[str] = []
        """Those without an answer: the first was asked at ``_asking_since``, the last at ``_asked_at``."""
        self._asking_since = self._asked_at = -ASK_S

    def look(self, at: float) -> None:
        """Ask, or take the place if nobody has it. The connection must be up."""
        if self._is_settled:
            return
        if at >= self._asked_at + ASK_S:
            self._ask(at)
        silent = self._questions and at >= self._asking_since + SILENCE_S
        if self._hears_itself and (silent or not self._has_rival()) and at >= self._claimed_at + ASK_S * self.is_held:
            self._take(at)

    def read(self, what: str, fields: Mapping[str, Any], at: float) -> None:
        """Take a message that has come on the table's own topics. Raise ValueError or KeyError for a useless one."""
        if what == "gone":
            self._gone.append(read_whole(fields["session"]))
        if what != TOPIC:
            return
        program = read_text(fields["program"])
        if "asks" in fields:
            question = read_text(fields["asks"])
            if program != self._program:
                self._answer(question, at)
            self._hears_itself = self._hears_itself or question in self._questions
        elif program != self._program:
            rival = (read_whole(fields["since"]), program, read_whole(fields["session"]))
            self._compare(rival, read_text(fields["answers"]))

    def _has_rival(self) -> bool:
        return self._rival is not None and self._rival[2] not in self._gone and not self._came_before(self._rival)

    def _came_before(self, rival: tuple[int, str, int]) -> bool:
        return self._since is not None and (self._since, self._program) < rival[:2]

    def _ask(self, at: float) -> None:
        if not self._questions:
            self._asking_since = at
        self._asked_at = at
        self._questions.append(secrets.token_hex(8))
        self._send({"program": self._program, "asks": self._questions[-1]}, kept=False)

    def _take(self, at: float) -> None:
        if self._since is None:
            self._since = self._number()
        self.is_held, self.is_refused, self._is_settled = True, False, True
        self._questions, self._rival = [], None
        self._claim("", at)

    def _answer(self, question: str, at: float) -> None:
        if self.is_held and question not in self._answered:
            self._answered.append(question)
            self._claim(question, at)

    def _claim(self, answers: str, at: float) -> None:
        self._claimed_at = at
        said = {"program": self._program, "session": self._session(), "since": self._since, "answers": answers}
        self._send(said, kept=True)

    def _compare(self, rival: tuple[int, str, int], answers: str) -> None:
        """Give way to a program that has just answered and was first; ask one that has not been asked."""
        self._rival, self._is_settled = rival, False
        if answers in self._questions:
            self._questions = []
            if not self._came_before(rival):
                self.is_held, self.is_refused, self._since = False, True, None

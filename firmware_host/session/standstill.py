"""While the journal refuses entries, play stands still: the message for people, and the time of the next attempt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.table.errors import TableError
from firmware_host.text.words import Text, say

FIRST_S, LONGEST_S = 1.0, 30.0
"""Time until the next attempt to write, after the first failure and at most, seconds."""


class Standstill:
    """Whether play stands still because the journal can't be written, and why."""

    def __init__(self) -> None:
        """Begin with play going on."""
        self.reason: str | None = None
        """Why nothing can be written, in a few words; None while play goes on."""
        self._again = 0.0
        self._wait = FIRST_S

    def begin(self, reason: str, at: float) -> None:
        """Stand still, and try again at once; after a failed attempt, later."""
        if self.reason is None:
            self._again, self._wait = at, FIRST_S
        else:
            self._again, self._wait = at + self._wait, min(LONGEST_S, 2 * self._wait)
        self.reason = reason

    def end(self) -> None:
        """Go on."""
        self.reason = None

    def due(self, at: float) -> bool:
        """Return whether it is time to try again."""
        return at >= self._again

    def refuse(self) -> None:
        """Raise TableError for any event that needs an entry."""
        if self.reason is not None:
            words = say("this does not count, because the game can't be saved: {reason}", reason=self.reason)
            raise TableError("no_journal", words)

    def shown(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return the view meanwhile: the last journalled state of the game, and why play stands still."""
        words: Text = say(
            "the game can't be saved ({reason}). Once that is mended, play goes on by itself.", reason=self.reason
        )
        return {
            **view,
            "paused": words,
            "message": say("Play stands still: {reason}", reason=words),
            **{"arrows": [], "tasks": [], "steps": [], "question": None, "problem": None},
            "can": dict.fromkeys(view["can"], False),
        }

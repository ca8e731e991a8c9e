"""While the journal does not take what happens, nothing happens: what people are told, and when it is tried again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.table.errors import TableError
from firmware_host.text.words import Text, say

FIRST_S, LONGEST_S = 1.0, 30.0
"""How long it takes until the journal is tried again, the first time and after many."""


class Standstill:
    """Whether play stands still because nothing can be written down, and why."""

    def __init__(self) -> None:
        """Begin with play going on."""
        self.reason: str | None = None
        """Why nothing can be written, in a few words; None while play goes on."""
        self._again = 0.0
        self._wait = FIRST_S

    def begin(self, reason: str, at: float) -> None:
        """Stand still, and try again at once; or, if it has been tried already, after a while."""
        if self.reason is None:
            self._again, self._wait = at, FIRST_S
        else:
            self._again, self._wait = at + self._wait, min(LONGEST_S, 2 * self._wait)
        self.reason = reason

    def end(self) -> None:
        """Go on."""
        self.reason = None

    def due(self, at: float) -> bool:
        """Tell whether it is time to try again."""
        return at >= self._again

    def refuse(self) -> None:
        """Raise TableError for whatever would have to be written down now."""
        if self.reason is not None:
            words = say("this does not count, as nothing can be written down: {reason}", reason=self.reason)
            raise TableError("no_journal", words)

    def shown(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return what people see meanwhile: the game as it was written down last, and why it stands still."""
        words: Text = say(
            "nothing can be written down ({reason}). Once that is mended, play goes on by itself.", reason=self.reason
        )
        return {
            **view,
            "paused": words,
            "message": say("Play stands still: {reason}", reason=words),
            **{"arrows": [], "tasks": [], "steps": [], "question": None, "problem": None},
            "can": dict.fromkeys(view["can"], False),
        }

"""Unexpected errors while a table runs: they are logged, and the failed part pauses for a while; play goes on."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

from firmware_host.archive.journal import JournalError

REST_S = 1.0
"""How long a failed part of the loop pauses, seconds."""

_log = logging.getLogger(__name__)


class Faults:
    """Which parts of the loop have failed, and when each of them is tried again."""

    def __init__(self) -> None:
        """Begin without faults."""
        self._again: dict[str, float] = {}
        self._logged: dict[str, str] = {}

    def note(self, part: str, error: BaseException, at: float) -> None:
        """Log an error of a part, a repeated error once, and let the part pause."""
        self._again[part] = at + REST_S
        text = "".join(traceback.format_exception(error))
        if self._logged.get(part) != text:
            self._logged[part] = text
            _log.error("An unexpected error (%s); play goes on without what it was about to do.\n%s", part, text)

    def rests(self, part: str, at: float) -> bool:
        """Return whether a part has failed a moment ago."""
        return at < self._again.get(part, at)

    def due(self, part: str, at: float) -> bool:
        """Return whether to try a failed part again; if so, it counts as working until its next failure."""
        if part not in self._again or self.rests(part, at):
            return False
        del self._again[part]
        return True

    def guard(self, part: str, at: float, do: Callable[[], None]) -> None:
        """Run a job that no caller waits for; after an unexpected error the part pauses for a while.

        A JournalError is passed on: it is not the part's fault.
        """
        if self.rests(part, at):
            return
        try:
            do()
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - a part that fails must not end the game
            self.note(part, error.__cause__ or error, at)

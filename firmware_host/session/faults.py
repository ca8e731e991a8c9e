"""Unexpected errors while a table runs: logged, and the part that failed rests for a while; play goes on."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

from firmware_host.archive.journal import JournalError

REST_S = 1.0
"""How long a part of the loop that has failed is left alone, seconds."""

_log = logging.getLogger(__name__)


class Faults:
    """Which parts of the loop have failed, and when each of them is tried again."""

    def __init__(self) -> None:
        """Begin with all parts well."""
        self._again: dict[str, float] = {}
        self._logged: dict[str, str] = {}

    def note(self, part: str, error: BaseException, at: float) -> None:
        """Log an error of a part, an error that comes again and again once, and let the part rest."""
        self._again[part] = at + REST_S
        text = "".join(traceback.format_exception(error))
        if self._logged.get(part) != text:
            self._logged[part] = text
            _log.error("An unexpected error (%s); play goes on without what it was about to do.\n%s", part, text)

    def rests(self, part: str, at: float) -> bool:
        """Tell whether a part has failed a moment ago."""
        return at < self._again.get(part, at)

    def due(self, part: str, at: float) -> bool:
        """Tell whether a part that has failed is to be tried again; it counts as well until it fails again."""
        if part not in self._again or self.rests(part, at):
            return False
        del self._again[part]
        return True

    def guard(self, part: str, at: float, do: Callable[[], None]) -> None:
        """Do something that nobody at the table has asked for; after an unexpected error the part rests for a while.

        What the journal does not take is not the part's error.
        """
        if self.rests(part, at):
            return
        try:
            do()
        except JournalError:
            raise
        except Exception as error:  # noqa: BLE001 - a part that fails must not end the game
            self.note(part, error.__cause__ or error, at)

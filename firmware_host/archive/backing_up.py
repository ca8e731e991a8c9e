"""A backup at the end of each game, made on its own thread: play does not wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from firmware_host.archive.journal_backup import back_up, remove_begun
from firmware_host.archive.journal_form import JournalError
from firmware_host.text.words import Text, say

PATIENCE_S = 30.0
"""Longest time that the program's end waits for a running backup."""


class BackupsAtTheEnd:
    """Makes a backup after each game. ``tell`` is called with the trouble, or None after a success."""

    def __init__(self, journal: Path, tell: Callable[[Text | None], None]) -> None:
        """``journal`` is the file to back up; what a killed program has left of a backup is removed."""
        remove_begun(journal)
        self._journal = journal
        self._tell = tell
        self._done = ""
        self._thread: threading.Thread | None = None
        self._one_at_a_time = threading.Lock()

    def listen(self, view: Mapping[str, Any]) -> None:
        """Take a view of the table; begin a backup if its game has just ended. Returns at once."""
        ended, same = view["phase"] == "over", view["game"]["id"] == self._done
        if same and not ended:
            self._done = ""  # The end was taken back: the next one is another.
        elif ended and not same:
            self._done = view["game"]["id"]
            self._thread = threading.Thread(target=self._make, name="backup")
            self._thread.start()

    def close(self) -> None:
        """Wait for a running backup, at most ``PATIENCE_S``."""
        if self._thread is not None:
            self._thread.join(timeout=PATIENCE_S)

    def _make(self) -> None:
        trouble: Text | None = None
        try:
            with self._one_at_a_time:
                back_up(self._journal)
        except JournalError as error:
            trouble = say("The game is over and saved, but no backup could be made: {reason}.", reason=error.reason)
        self._tell(trouble)

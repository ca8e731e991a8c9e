"""What others have sent, as lines of the log: refusals, and what was caught up with.

The log is small, and whoever knows a broker may flood it. So of each kind one line a minute is written; the next one
says how many were not.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

A_KIND_S = 60.0
MOST_KINDS = 200


class Evidence:
    """Writes such lines, at level INFO."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` returns seconds."""
        self._log, self._clock = log, clock
        self._told: dict[str, tuple[float, int]] = {}
        """Kind → when it was told last, and how many were not since then."""

    def note(self, kind: str, words: str, *parts: object) -> None:
        """Write a line (``words`` with ``parts``, as for logging), unless one of this kind was just written."""
        now = self._clock()
        kind = kind if kind in self._told or len(self._told) < MOST_KINDS else ""
        at, more = self._told.get(kind, (now - A_KIND_S, 0))
        if now < at + A_KIND_S:
            self._told[kind] = at, more + 1
            return
        self._told[kind] = now, 0
        self._log.info(f"{words}; and %d more like it before" if more else words, *parts, *([more] if more else []))

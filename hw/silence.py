"""Why a scanner is lost, in words that say what to do: frames that came damaged are no silence."""

from __future__ import annotations

from collections.abc import Callable

from hw.ports import Message
from hw.scanner_link import Counters

DAMAGED_AT_LEAST = 3
"""Fewer damaged frames before a silence are an accident of the line, not its state."""


class Ear:
    """Listens to one scanner: what came since its last good frame, and until when it worked."""

    def __init__(self, counters: Counters, clock: Callable[[], str]) -> None:
        """``counters`` go on counting; ``clock`` says the time of day as people read it: ``20:14``."""
        self._counters, self._clock = counters, clock
        self._good, self._damaged_before = counters.frames, counters.dropped
        self._worked_until = ""

    def heard(self, *, working: bool) -> None:
        """Look at the counters after every read; ``working`` while the scanner's reports come."""
        if self._counters.frames != self._good:
            self._good, self._damaged_before = self._counters.frames, self._counters.dropped
            if working:
                self._worked_until = self._clock()

    def why(self, reason: str) -> str:
        """Return why the scanner is lost, given what its link says."""
        damaged = self._counters.dropped - self._damaged_before
        if damaged >= DAMAGED_AT_LEAST:
            reason = Message(
                "{count} frames came, all damaged (wrong checksum): check the ground wire between the two, "
                "and that both use the same baud rate",
                count=damaged,
            )
        if not self._worked_until:
            return reason
        return Message(
            "it worked until {time}; {reason}. Unplug it and plug it in again", time=self._worked_until, reason=reason
        )

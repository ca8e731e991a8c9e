"""The reason for a scanner's loss, in words that say what to do; damaged frames are told apart from silence."""

from __future__ import annotations

from collections.abc import Callable

from hw.ports import Message
from hw.scanner_link import Counters

DAMAGED_AT_LEAST = 3
"""Minimum number of damaged frames in a row that point to a faulty line; fewer are chance."""


class Ear:
    """A record of one scanner: the damaged frames since its last good one, and the time until which it worked."""

    def __init__(self, counters: Counters, clock: Callable[[], str]) -> None:
        """``counters`` are live; ``clock`` returns the time of day as people read it: ``20:14``."""
        self._counters, self._clock = counters, clock
        self._good, self._damaged_before = counters.frames, counters.dropped
        self._worked_until = ""

    def heard(self, *, working: bool) -> None:
        """Update from the counters after every read; ``working`` is true while the scanner's reports come."""
        if self._counters.frames != self._good:
            self._good, self._damaged_before = self._counters.frames, self._counters.dropped
            if working:
                self._worked_until = self._clock()

    def why(self, reason: str) -> str:
        """Return the full reason for the loss, given the link's reason."""
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

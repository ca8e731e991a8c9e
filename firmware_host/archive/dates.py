"""The date. A Raspberry Pi without a network has no clock: it begins in 1970, or when it was last switched off.

The host's phone knows the date. It is believed where the system's clock is behind it and no time server has set it.
Only dates come from here: the order of entries is that of their numbers, and times of a game are counted by a steady
clock, so that a jump of the system's clock in a game moves nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
"""There since systemd-timesyncd has heard from a time server."""
BEHIND_S = 300.0
"""So far a system's clock may be behind a phone's before it counts as none; seconds."""
EARLIEST_S = datetime(2025, 1, 1, tzinfo=UTC).timestamp()
LATEST_S = datetime(2100, 1, 1, tzinfo=UTC).timestamp()


class Dates:
    """The present date: the system's, or a phone's and what has passed since."""

    def __init__(
        self,
        system: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        synchronised: Callable[[], bool] = SYNCHRONISED.exists,
    ) -> None:
        self._system, self._steady, self._synchronised = system, steady, synchronised
        self._ahead: float | None = None
        """What has to be added to the steady clock, by a phone."""

    def learn(self, phone_s: float) -> None:
        """Take a phone's date, seconds since 1970; one that no phone of today has is ignored."""
        if EARLIEST_S <= phone_s < LATEST_S:
            behind = not self._synchronised() and self._system() < phone_s - BEHIND_S
            self._ahead = phone_s - self._steady() if behind else None

    def now(self) -> datetime:
        """Return the date: of a phone for as long as the system's clock is behind it."""
        system = self._system()
        if self._ahead is not None and not self._synchronised():
            system = max(system, self._steady() + self._ahead)
        return datetime.fromtimestamp(system, UTC)


DATES = Dates()
"""That of this program."""

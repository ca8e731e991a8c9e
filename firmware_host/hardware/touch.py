"""Which sensors feel a stone: readings and time in, settled answers out. No clock, no I/O.

A board is watched for a moment with nothing on it. From then on a channel *answers* when it differs from what it read
at rest; answers count when they have stayed the same for a while. Channels that say something with nobody there, or
that never keep still, are named and left out.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Sequence

REST_S = 0.6
"""How long the empty board is watched at first, seconds."""
SETTLE_S = 0.1
"""How long answers must stay the same to count."""
STEADY = 0.9
"""The share of scans in which a stuck switch is closed."""
RESTLESS_CHANGES = 12
RESTLESS_WINDOW_S = 3.0
"""A channel that changes more often than this within the window is not touched by a hand."""
LEVEL_STEP = 10
"""Level steps from rest that count as an answer: twice what noise does."""
LEVEL_MIDDLE = range(78, 179)
"""Where a linear sensor may rest."""


class Touch:
    """Feed it every scan of a board of one kind; look at ``answers`` and ``since``."""

    def __init__(self, kind: str, channels: int) -> None:
        """Begin by learning how the board of so many channels reads when it is empty."""
        self.kind = kind
        self.ready = False
        """Whether the board at rest is known."""
        self.answers: frozenset[int] = frozenset()
        """The channels that answer, settled."""
        self.since = 0.0
        """When they began to be these."""
        self.rest: list[int] = [0] * channels
        self.noise: list[int] = [0] * channels
        """Largest distance from ``rest`` seen on the empty board."""
        self.stuck: dict[int, int] = {}
        """Channel → reading of those that feel a stone on the empty board."""
        self.restless: set[int] = set()
        self.last: Sequence[int] = ()
        """The readings of the last scan."""
        self._ignored: set[int] = set()
        self._began: float | None = None
        self._first: list[list[int]] = []
        self._seen: frozenset[int] = frozenset()
        self._seen_since = 0.0
        self._changes: list[deque[float]] = [deque() for _ in range(channels)]

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Take one scan at a time in seconds."""
        self._note_changes(readings, at)
        self.last = readings
        if not self.ready:
            self._learn(readings, at)
            return
        seen = self._active(readings)
        if seen != self._seen:
            self._seen, self._seen_since = seen, at
        elif seen != self.answers and at - self._seen_since >= SETTLE_S:
            self.answers, self.since = seen, self._seen_since

    def ignore(self, channel: int) -> None:
        """Listen to a channel no more."""
        self._ignored.add(channel)
        self.answers -= {channel}
        self._seen -= {channel}

    def away(self, channel: int) -> int:
        """Return how far a channel's last reading is from its rest, in its kind's units."""
        return self.last[channel] - self.rest[channel]

    def _learn(self, readings: Sequence[int], at: float) -> None:
        if self._began is None:
            self._began = self.since = at
        self._first.append(list(readings))
        if at - self._began < REST_S:
            return
        for channel, column in enumerate(zip(*self._first, strict=True)):
            usual = int(statistics.median_low(column))
            self.noise[channel] = max(abs(reading - usual) for reading in column)
            # What comes and goes is not stuck: it will be found restless.
            steady = sum(reading != 0 for reading in column) > STEADY * len(column)
            stuck = usual not in LEVEL_MIDDLE if self.kind == "level" else steady
            self.rest[channel] = usual if self.kind == "level" else 0
            if stuck:
                self.stuck[channel] = usual
                self._ignored.add(channel)
        self._first.clear()
        self.ready = True

    def _active(self, readings: Sequence[int]) -> frozenset[int]:
        heard = [channel for channel in range(len(readings)) if channel not in self._ignored]
        if self.kind != "level":
            return frozenset(channel for channel in heard if readings[channel])
        away = {channel: abs(readings[channel] - self.rest[channel]) for channel in heard}
        # A magnet is felt by the sensors next to it, too: half as strong as the strongest does not count.
        least = max(LEVEL_STEP, max(away.values(), default=0) / 2)
        return frozenset(channel for channel, distance in away.items() if distance >= least)

    def _note_changes(self, readings: Sequence[int], at: float) -> None:
        step = LEVEL_STEP if self.kind == "level" else 1
        for channel, (one, other) in enumerate(zip(self.last, readings, strict=False)):
            if abs(one - other) < step:
                continue
            changes = self._changes[channel]
            changes.append(at)
            while changes[0] < at - RESTLESS_WINDOW_S:
                changes.popleft()
            if len(changes) > RESTLESS_CHANGES and channel not in self.restless:
                self.restless.add(channel)
                self.ignore(channel)

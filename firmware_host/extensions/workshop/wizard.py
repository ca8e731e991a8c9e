"""What all wizards of ``lodestone hardware`` share: their interface, and the stones that sensors feel.

A wizard is a state machine: it takes readings, times and typed lines, and has lights, lines and tasks to show. The
front in ``terminal.py`` passes these to the strip, the terminal and (in simulation) the helper; on the host's page
``service.py`` does.

:class:`TouchSensing` finds stones: readings and time in, settled answers out. First the empty board is watched for a
moment. Then a channel *answers* when it differs from its reading at rest; answers count after they have stayed the same
for some time. Channels that detect a stone on the empty board, or that change too often, are reported and ignored.
"""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hw.ports import Colour

ASKED: Colour = (255, 255, 255)
"""Colour of the place for a stone."""
FELT: Colour = (0, 120, 0)
"""Colour of a detected stone: take it off."""
TROUBLE: Colour = (255, 0, 0)
"""Colour of a place with a fault."""

Task = Mapping[str, Any]
"""A task for the simulated hand: see docs/view.md."""


@dataclass(frozen=True)
class Patience:
    """The waits of a wizard, seconds."""

    hint: float = 15.0
    """Time without an answer before it says what may be wrong."""
    give_up: float | None = None
    """Time before it continues by itself; None: only a person continues."""
    clear: float = 1.5
    """Time for taking off a stone that no sensor detects."""


@dataclass(frozen=True)
class Doing:
    """The present request to a person, as data for fronts that draw it."""

    do: str
    """``wait`` (leave the empty board alone), ``put``, ``wrong`` (take it off and try again) or ``off``."""
    node: str | None = None
    """The node by the board file; None: the place of the light."""
    piece: str = ""
    """The letter of the requested piece."""
    hinted: bool = False
    """Whether the answer takes so long that something may be wrong."""
    done: int = 0
    """Number of finished steps."""
    of: int = 0
    """Number of all steps."""
    stage: str = ""
    """Which of several deeds at one node, where a wizard has such."""
    is_named: bool = False
    """Whether the node is asked for by its name, because its light has led to no answer."""
    strip: str = ""
    """The pin of the strip that is meant, where a board has several."""


class Wizard(Protocol):
    """The part of a wizard that a front uses."""

    is_done: bool

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of the lit pixels."""
        ...

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present tasks for a hand."""
        ...

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan (see :mod:`hw.ports`) at a time in seconds."""
        ...

    def say(self, words: str, at: float) -> None:
        """Process a typed line."""
        ...

    def news(self) -> list[str]:
        """Return the lines to show since the last call."""
        ...

    def saved_state(self) -> Mapping[str, Any]:
        """Return the state for continuing later, ready for JSON."""
        ...


def put(piece: str, step: str, node: str | None = None) -> Task:
    """Return the task to put a stone on a node or, with None, at the light."""
    return {"do": "put", "node": node, "lit": node is None, "piece": piece, "seat": None, "step": step}


def take(step: str, node: str | None = None) -> Task:
    """Return the task to take a stone off a node or, with None, off the place of the light."""
    return {"do": "take", "node": node, "lit": node is None, "seat": None, "step": step}


def channels_text(channels: Sequence[int]) -> str:
    """Return ``channel 3``, or ``channels 3 and 9``."""
    if len(channels) == 1:
        return f"channel {channels[0]}"
    return f"channels {', '.join(map(str, channels[:-1]))} and {channels[-1]}"


def rest_news(stuck: Mapping[int, int], names: Mapping[int, str]) -> list[str]:
    """Return the lines about stuck channels (channel → reading); ``names`` maps channels to their names."""
    return [
        f"channel {channel}{name_note(channel, names)} reads {reading} with nothing there: stuck, or something lies on"
        " it; it is left out"
        for channel, reading in sorted(stuck.items())
    ]


def name_note(channel: int, names: Mapping[int, str]) -> str:
    """Return `` (D12 in the board file)``; empty for an unnamed channel."""
    return f" ({names[channel]} in the board file)" if channel in names else ""


REST_S = 0.6
"""Time for which the empty board is watched first."""
SETTLE_S = 0.1
"""Time for which answers must stay the same to count."""
STEADY = 0.9
"""Least share of scans in which a stuck switch is closed."""
RESTLESS_CHANGES = 12
"""Maximum number of changes by hands within the window; a channel with more is restless."""
RESTLESS_WINDOW_S = 3.0
LEVEL_STEP = 10
"""Least distance from rest that counts as an answer, in level steps: twice the noise."""
LEVEL_MIDDLE = range(78, 179)
"""Rest levels of a working linear sensor."""


class TouchSensing:
    """Takes every scan of a board (:meth:`feed`), and shows its ``answers`` and their time ``since``."""

    def __init__(self, kind: str, channels: int) -> None:
        """Start by learning the readings of the empty board with this number of channels."""
        self.kind = kind
        self.ready = False
        """Whether the readings at rest are known."""
        self.answers: frozenset[int] = frozenset()
        """The settled set of channels that answer."""
        self.since = 0.0
        """Time since which these channels answer, seconds."""
        self.rest: list[int] = [0] * channels
        self.noise: list[int] = [0] * channels
        """Largest distance of each channel from ``rest`` on the empty board."""
        self.stuck: dict[int, int] = {}
        """Channel → reading, for channels that detect a stone on the empty board."""
        self.restless: set[int] = set()
        """Channels that change more often than a hand can."""
        self.last: Sequence[int] = ()
        """The readings of the last scan."""
        self._ignored: set[int] = set()
        self._began: float | None = None
        self._first: list[list[int]] = []
        self._seen: frozenset[int] = frozenset()
        self._seen_since = 0.0
        self._changes: list[deque[float]] = [deque() for _ in range(channels)]

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
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
        """Ignore a channel from now on."""
        self._ignored.add(channel)
        self.answers -= {channel}
        self._seen -= {channel}

    def away(self, channel: int) -> int:
        """Return the signed distance of a channel's last reading from its rest, in units of its kind."""
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
            # A changing channel is not stuck: it will be found restless.
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
        # Neighbouring sensors also detect a magnet: less than half of the strongest does not count.
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

"""The common interface of all wizards of ``lodestone hardware``.

A wizard is a state machine: it takes readings, times and typed lines, and has lights, lines and tasks to show. The
front in :mod:`firmware_host.hardware.terminal` passes these to the strip, the terminal and (in simulation) the helper.
"""

from __future__ import annotations

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


class Wizard(Protocol):
    """The part of a wizard that a front uses."""

    done: bool

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

    def kept(self) -> Mapping[str, Any]:
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
        f"channel {channel}{named(channel, names)} reads {reading} with nothing there: stuck, or something lies on it; "
        "it is left out"
        for channel, reading in sorted(stuck.items())
    ]


def named(channel: int, names: Mapping[int, str]) -> str:
    """Return `` (D12 in the board file)``; empty for an unnamed channel."""
    return f" ({names[channel]} in the board file)" if channel in names else ""

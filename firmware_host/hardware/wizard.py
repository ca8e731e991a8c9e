"""What all wizards of ``lodestone hardware`` have in common: what a front shows, and what a person can say.

A wizard is a state machine: it is fed readings and time and holds what is to be lit, said and done. The front in
:mod:`firmware_host.hardware.terminal` carries that to the strip, the terminal and (in simulation) the helpful hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hw.ports import Colour

ASKED: Colour = (255, 255, 255)
"""A stone is asked for here."""
FELT: Colour = (0, 120, 0)
"""The stone was felt: take it off."""
TROUBLE: Colour = (255, 0, 0)
"""Something is wrong here."""

Task = Mapping[str, Any]
"""What the simulated hand is to do: see simulator/helper.py."""


@dataclass(frozen=True)
class Patience:
    """How long a wizard waits, seconds."""

    hint: float = 15.0
    """Without any answer for so long it says what may be wrong."""
    give_up: float | None = None
    """After so long it goes on by itself; None: a person says when."""
    clear: float = 1.5
    """How long it leaves for taking a stone off that no sensor felt."""


@dataclass(frozen=True)
class Doing:
    """What a person is asked for now, as data: for fronts that draw it."""

    do: str
    """``wait`` (leave the empty board alone), ``put``, ``wrong`` (take it off and try again) or ``off``."""
    node: str | None = None
    """Where, if the board file is to be believed; None: where the light is."""
    piece: str = ""
    """The letter of the piece that is asked for."""
    hinted: bool = False
    """It takes long: something may be wrong."""
    done: int = 0
    of: int = 0
    """So many steps are done, of so many."""
    stage: str = ""
    """Which of several things that are done at one node, where a wizard has such."""


class Wizard(Protocol):
    """What a front needs to know of a wizard."""

    done: bool

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of what is lit now."""
        ...

    @property
    def tasks(self) -> Sequence[Task]:
        """Return what a hand is to do now."""
        ...

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Take one scan (see :mod:`hw.ports`) at a time in seconds."""
        ...

    def say(self, words: str, at: float) -> None:
        """Hear a line that somebody has typed."""
        ...

    def news(self) -> list[str]:
        """Return the lines to be shown since the last call."""
        ...

    def kept(self) -> Mapping[str, Any]:
        """Return what must be kept to go on later, ready for JSON."""
        ...


def put(piece: str, step: str, node: str | None = None) -> Task:
    """Return the task of putting a stone on a node, or (None) where a light is."""
    return {"do": "put", "node": node, "lit": node is None, "piece": piece, "seat": None, "step": step}


def take(step: str, node: str | None = None) -> Task:
    """Return the task of taking a stone off a node, or (None) off where a light is."""
    return {"do": "take", "node": node, "lit": node is None, "seat": None, "step": step}


def channels_text(channels: Sequence[int]) -> str:
    """Return ``channel 3``, or ``channels 3 and 9``."""
    if len(channels) == 1:
        return f"channel {channels[0]}"
    return f"channels {', '.join(map(str, channels[:-1]))} and {channels[-1]}"


def rest_news(stuck: Mapping[int, int], names: Mapping[int, str]) -> list[str]:
    """Say which channels feel a stone on the empty board (``names``: channel → what the board file calls it)."""
    return [
        f"channel {channel}{named(channel, names)} reads {reading} with nothing there: stuck, or something lies on it; "
        "it is left out"
        for channel, reading in sorted(stuck.items())
    ]


def named(channel: int, names: Mapping[int, str]) -> str:
    """Return `` (D12 in the board file)`` or nothing."""
    return f" ({names[channel]} in the board file)" if channel in names else ""

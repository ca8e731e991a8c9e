"""How long the table waits before it counts, asks or warns."""

from __future__ import annotations

from dataclasses import dataclass

ROUNDING_S = 1e-6
"""Sums and differences of times agree up to this, seconds."""


@dataclass(frozen=True)
class Timings:
    """Times of a table, seconds, each from the last change of a sensor."""

    settle: float = 0.15
    """Before a step counts that has no equally good alternative."""
    extendable: float = 0.4
    """Before a step counts that may still be a part of another one, or that takes the last action back."""
    stack: float = 1.5
    """Before a piece that stays away is assumed to lie where no sensor shows it, or off the board."""
    wrong_node: float = 1.0
    """Before a piece on a wrong node is shown as an error."""
    repair: float = 4.0
    """Before an unexplained board gets the repair view."""
    suspect: float = 30.0
    """Without any change, before the acting player is asked whether a sensor is stuck."""
    taps: float = 2.0
    """The longest duration of one tap, and the time within which a second tap of the same piece makes two."""
    spoken: float = 2.0
    """Before two taps end a turn: they can happen by accident, so the step is shown first."""
    together: float = 0.12
    """Changes within this time may come from one push of a whole line, in any order of the sensors."""
    one_sensor: bool = True
    """Whether the report of one sensor alone may decide. Without it people are asked: a dead sensor looks like a piece
    that was lifted, a stuck or flapping one like a piece that was put down."""

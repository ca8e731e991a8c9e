"""What the tracker is told and what it answers: waits, the position before, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_host.games.game import Occupancy, Step


@dataclass(frozen=True)
class Waits:
    """How long the table waits, seconds."""

    settle: float = 0.15
    """Before a step is committed that nothing can continue."""
    extendable: float = 0.4
    """Before a step is committed that a hand may still turn into another."""
    stack: float = 1.5
    """Before a stone that stays away is taken to lie on the only stack it can lie on."""
    wrong_node: float = 1.0
    """Before a stone on a wrong node is shown as an error."""
    repair: float = 4.0
    """Before an unexplained board gets the repair view."""
    one_sensor: bool = True
    """Whether one sensor alone may decide that a stone which stays away lies on the only stack it can lie on, that a
    stone was put down or tapped twice, and that such a step was taken back. Without it people are asked: where sensors
    can't see stacks a dead one looks like the first, and a stuck or flapping one like the others."""
    suspect: float = 30.0
    """Without any change, before people are asked whether a sensor is stuck."""
    taps: float = 2.0
    """The longest that one tap may take, and the time within which a second one of the same stone makes it two."""


@dataclass(frozen=True)
class Earlier:
    """The position before the last action, while that action can be taken back by hand.

    ``steps`` gives the legal ones from there, which are seldom asked for.
    """

    base: Occupancy
    steps: Callable[[], Sequence[Step]]


@dataclass(frozen=True)
class Verdict:
    """What the tracker makes of the board now.

    ``kind``: ``quiet`` (the board is as the position says), ``moving`` (a legal step is under way), ``settling``
    (``actions`` lie on the board and count at ``due``), ``ask`` (``choices`` can't be told apart; asked at ``due``),
    ``wrong`` (``foreign`` nodes differ and no legal step explains them). ``back`` with ``settling``: the last action
    is taken back first. ``live`` are the steps under way; ``lifted`` the nodes where their stones are missing.
    """

    kind: str
    actions: tuple[str, ...] = ()
    back: bool = False
    due: float | None = None
    live: tuple[Step, ...] = ()
    lifted: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    choices: tuple[Step, ...] = ()

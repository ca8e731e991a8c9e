"""Gestures: what a hand says by lifting a piece a little and putting it back, told from a sensor that drops out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from firmware_host.table.sensor_model import NOTHING, with_fields

ROUNDING_S = 1e-6
"""Sums and differences of times agree up to this, seconds."""
SHORTEST_TAP_S = 0.15
"""A piece that is away for less was lifted by no hand: its sensor has dropped out; seconds."""
QUIET_S, RESTED_S = 10.0, 4.0
"""For how long nothing must have been lifted and put back on a node before a gesture there, or put down; seconds."""
SLIDE_S = 1.0
"""A piece that is lifted again this soon after it came down may have rested on its way only; seconds."""
STILL_S = 0.5
"""A piece that is lifted this soon after another one has moved is part of what hands do there, and no gesture."""
MAX_TAPS = 3
"""No hand means anything by more taps in a row: the sensor drops out."""
MAX_DROPOUTS, DROPOUTS_S = 3, 600.0
"""This number of drop-outs under one piece within this time, seconds, names its sensor: no gesture is read there."""


@dataclass(frozen=True)
class Taps:
    """Gestures: a piece lifted a little and put back, once or twice, while nothing else moves.

    A magnet that is too weak makes its sensor drop out, which looks much the same, and is the commonest fault of such
    boards. A gesture is never made of what that fault looks like: a hand is slower, does it just once, and has left the
    sensor alone before.
    """

    longest: float
    """The longest duration of a tap, and between two of them, seconds."""
    landed: Mapping[str, float] = field(default_factory=dict)
    """When a piece came to lie on a node while something could be done."""
    back: Mapping[str, float] = field(default_factory=dict)
    """When a piece was put back on a node."""
    dropouts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """When the sensor of a node dropped out under the piece that lies there."""
    moved: Mapping[str, float] = field(default_factory=dict)
    """The nodes that have changed just now, and when."""
    node: str | None = None
    """The node of the present gesture."""
    shown: str = NOTHING
    """Its sensed state before."""
    quiet: bool = False
    """Whether its piece had lain there untouched for long, and nothing else had just moved."""
    calm: bool = False
    """Whether its sensor had not dropped out for long."""
    lifted: float | None = None
    """Since when its piece is off, None while it lies."""
    count: int = 0
    """The number of taps so far."""
    at: float = 0.0
    """The time of the last one."""
    felt: frozenset[str] = frozenset()
    """Nodes where one or two taps since the base was set mean something."""

    def after(self, node: str, before: str, sensed: str, at: float, *, playing: bool) -> Taps:
        """Return the taps after a change of a node; ``playing``: something can be done now."""
        own = node == self.node
        others = {other: when for other, when in self.moved.items() if other != node and at - when < STILL_S}
        moved = {**others, node: at}
        if sensed == NOTHING:
            if own and self.lifted is None and at - self.at <= self.longest:
                return with_fields(self, lifted=at, moved=moved)
            calm = at - max(self.dropouts.get(node, (-inf,))) >= QUIET_S
            rested = at - self.back.get(node, -inf) >= QUIET_S and at - self.landed.get(node, -inf) >= RESTED_S
            quiet = rested and not others
            return with_fields(self, node=node, shown=before, quiet=quiet, calm=calm, lifted=at, count=0, moved=moved)
        news: dict[str, Any] = {"node": None, "lifted": None, "moved": moved}
        away = at - self.lifted if own and self.lifted is not None and sensed == self.shown else inf
        if away > self.longest + ROUNDING_S:  # A piece is put down, perhaps another one.
            news["dropouts"] = {other: times for other, times in self.dropouts.items() if other != node}
            news["landed"] = {**self.landed, node: at} if playing else self.landed
            return with_fields(self, **news)
        news["back"] = {**self.back, node: at}
        by_hand = away >= SHORTEST_TAP_S - ROUNDING_S
        if by_hand:
            news |= {"node": node, "count": self.count + 1, "at": at}
        if not by_hand or self.count >= MAX_TAPS:
            news["dropouts"] = {**self.dropouts, node: (*self.dropouts.get(node, ()), at)[-MAX_DROPOUTS:]}
        means = by_hand and self.calm and self.count < 2 and not self.drops_out(node)
        news["felt"] = self.felt | {node} if means else self.felt - {node}
        return with_fields(self, **news)

    def anew(self) -> Taps:
        """Return the taps where another base is set: what sensors have done before is kept."""
        return Taps(self.longest, self.landed, self.back, self.dropouts, self.moved)

    def drops_out(self, node: str) -> bool:
        """Return whether the sensor of a node has dropped out often enough lately to be named."""
        times = self.dropouts.get(node, ())
        return len(times) == MAX_DROPOUTS and times[-1] - times[0] <= DROPOUTS_S

    @property
    def unsteady(self) -> tuple[str, ...]:
        """Return the nodes whose sensors drop out."""
        return tuple(node for node in self.dropouts if self.drops_out(node))

    @property
    def tapped(self) -> str | None:
        """Return the node of a gesture that has just been made, once or twice."""
        made = self.node is not None and self.lifted is None and self.count in {1, 2}
        return self.node if made and not self.drops_out(self.node or "") else None

    @property
    def twice(self) -> str | None:
        """Return the node that was tapped twice while nothing had asked for it."""
        return self.tapped if self.count == 2 and self.quiet else None

    def answers(self, nodes: Collection[str]) -> int:
        """Return how often one of some nodes was tapped as an answer."""
        return self.count if self.tapped in nodes and self.calm else 0

"""The state of a replay: a moment, running or not, and the pace. Pure: orders and time are passed in.

All viewers see the same moment; every viewer may give orders.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from firmware_host.text.json_reader import Fields, check_names, one_of, seconds, whole

SHORTEST_S = 0.05
MAX_S = 60.0
PACE_S = 2.0
"""Default pace, seconds per moment."""


@dataclass(frozen=True)
class Reel:
    """A replay of ``count`` moments (at least one) that shows moment ``at``, from 0.

    While it is ``playing`` the next moment comes at the time ``due``, ``pace`` seconds after the one before.
    """

    count: int
    at: int = 0
    playing: bool = False
    pace: float = PACE_S
    due: float = 0.0

    @property
    def at_end(self) -> bool:
        """Whether the last moment is shown."""
        return self.at == self.count - 1

    def tick(self, now: float) -> Reel:
        """Advance the time: at most one moment, so that nothing is skipped after a pause of the machine."""
        if not self.playing or now < self.due:
            return self
        moved = self._to(self.at + 1, now)
        return replace(moved, playing=not moved.at_end)

    def obey(self, order: Fields, now: float) -> Reel:
        """Follow an order of a screen: ``{"do": …}``, with ``moment`` for ``to`` and ``seconds`` for ``pace``.

        A step by hand stops the replay; at the end ``play`` starts again. Raise InvalidField for anything else.
        """
        do = one_of(order, "do", _ORDERS)
        check_names(order, ("do", *_FIELDS.get(do, ())))
        return _ORDERS[do](self, order, now)

    def _to(self, moment: int, now: float) -> Reel:
        return replace(self, at=min(max(moment, 0), self.count - 1), due=now + self.pace)

    def _step(self, moment: int, now: float) -> Reel:
        return replace(self._to(moment, now), playing=False)

    def _play(self, now: float) -> Reel:
        if self.count == 1:
            return self
        return replace(self._to(0 if self.at_end else self.at, now), playing=True)

    def _jump(self, order: Fields, now: float) -> Reel:
        return self._step(whole(order, "moment", None, 0, self.count - 1), now)

    def _set_pace(self, order: Fields, now: float) -> Reel:
        pace = seconds(order, "seconds", math.nan, SHORTEST_S, MAX_S)
        return replace(self, pace=pace, due=now + pace)


_FIELDS = {"to": ("moment",), "pace": ("seconds",)}
_ORDERS: Mapping[str, Callable[[Reel, Fields, float], Reel]] = {
    "first": lambda reel, _order, now: reel._step(0, now),
    "back": lambda reel, _order, now: reel._step(reel.at - 1, now),
    "play": lambda reel, _order, now: reel._play(now),
    "pause": lambda reel, _order, _now: replace(reel, playing=False),
    "on": lambda reel, _order, now: reel._step(reel.at + 1, now),
    "last": lambda reel, _order, now: reel._step(reel.count - 1, now),
    "to": Reel._jump,
    "pace": Reel._set_pace,
}
"""What a screen may order."""

"""The state of a replay: a moment, running or not, and the pace. Pure: orders and time are passed in.

All viewers see the same moment; every viewer may give orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.text.words import say

SHORTEST_S = 0.05
LONGEST_S = 60.0
PACE_S = 2.0
"""Default pace, seconds per moment."""


class BadOrder(ValueError):
    """An invalid order; the message names the field and what was expected."""


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

    def obey(self, order: Mapping[str, Any], now: float) -> Reel:
        """Follow an order of a screen: ``{"do": …}``, with ``moment`` for ``to`` and ``seconds`` for ``pace``.

        A step by hand stops the replay; at the end ``play`` starts again. Raise BadOrder for anything else.
        """
        do = order.get("do")
        if not isinstance(do, str) or do not in _ORDERS:
            known = ", ".join(_ORDERS)
            raise BadOrder(say("do: expected one of {known}, got {given}", known=known, given=repr(str(do)[:40])))
        fields = {"do", *_FIELDS.get(do, ())}
        for name in order:
            if name not in fields:
                known = ", ".join(sorted(fields))
                raise BadOrder(say("{field}: unknown field, expected {fields}", field=name[:40], fields=known))
        return _ORDERS[do](self, order, now)

    def _to(self, moment: int, now: float) -> Reel:
        return replace(self, at=min(max(moment, 0), self.count - 1), due=now + self.pace)

    def _step(self, moment: int, now: float) -> Reel:
        return replace(self._to(moment, now), playing=False)

    def _play(self, now: float) -> Reel:
        if self.count == 1:
            return self
        return replace(self._to(0 if self.at_end else self.at, now), playing=True)

    def _jump(self, order: Mapping[str, Any], now: float) -> Reel:
        moment = order.get("moment")
        if not isinstance(moment, int) or isinstance(moment, bool) or not 0 <= moment < self.count:
            last, given = self.count - 1, repr(str(moment)[:40])
            raise BadOrder(say("moment: expected a whole number from 0 to {last}, got {given}", last=last, given=given))
        return self._step(moment, now)

    def _set_pace(self, order: Mapping[str, Any], now: float) -> Reel:
        seconds = order.get("seconds")
        if not isinstance(seconds, (int, float)) or isinstance(seconds, bool) or not SHORTEST_S <= seconds <= LONGEST_S:
            most, given = f"{LONGEST_S:.0f}", repr(str(seconds)[:40])
            words = say("seconds: expected {least} to {most}, got {given}", least=SHORTEST_S, most=most, given=given)
            raise BadOrder(words)
        return replace(self, pace=float(seconds), due=now + seconds)


_FIELDS = {"to": ("moment",), "pace": ("seconds",)}
_ORDERS: Mapping[str, Callable[[Reel, Mapping[str, Any], float], Reel]] = {
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

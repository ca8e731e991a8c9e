"""When the hotspot opens and closes: rules without a clock and without input or output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

ALONE_S = 20.0
"""Time without any network before the hotspot opens where no wireless network is known, seconds."""
SEARCH_S = 90.0
"""The same where one is known: NetworkManager looks for it, and a router may start more slowly than this machine."""
RETRY_S = 300.0
"""Time after which a hotspot without guests closes to look for a known network again, seconds."""
Deed = Literal["open", "close"]


class Seen(NamedTuple):
    """The state of the network: ``online`` by a cable or a wireless network that is not the hotspot."""

    online: bool
    has_wifi: bool
    hotspot: bool
    knows_a_network: bool
    guests: bool


@dataclass
class Watch:
    """The hotspot's rules."""

    since: float | None = None
    """Since when this machine has been alone, or its hotspot without guests; None: it is neither."""

    def step(self, now: float, seen: Seen) -> Deed | None:
        """Return what to do now, at ``now`` seconds."""
        if seen.hotspot and seen.online:
            self.since = None
            return "close"
        if not seen.has_wifi or seen.online or (seen.hotspot and (seen.guests or not seen.knows_a_network)):
            self.since = None
            return None
        if self.since is None:
            self.since = now
        waits = RETRY_S if seen.hotspot else SEARCH_S if seen.knows_a_network else ALONE_S
        if now - self.since < waits:
            return None
        self.since = None
        return "close" if seen.hotspot else "open"

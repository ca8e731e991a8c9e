"""What the sheets of the games' rules add to the program: pages, and the ways to them from all other pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import PageExtension

if TYPE_CHECKING:
    from web_panel.routes import Routes


class HowToPlayExtension(PageExtension):
    """Each game's rules in pictures, with what its words mean."""

    name = "how_to_play"
    is_portable = True
    has_replays = True
    scripts = {  # noqa: RUF012 - read only
        "host/host.js": "host.js",
        "lobby/lobby.js": "phone.js",
        "play/play.js": "phone.js",
        "positions/position.js": "over.js",
        "puzzles/puzzles.js": "links.js",
        "replay/replay.js": "links.js",
        "tv/tv.js": "screen.js",
    }

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the pages and their requests."""
        from firmware_host.extensions.how_to_play.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)


EXTENSION = HowToPlayExtension()

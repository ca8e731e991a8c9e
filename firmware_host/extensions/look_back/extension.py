"""What the look back adds to the program: a line above the log of a phone's menu, and a request for one moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import PageExtension

if TYPE_CHECKING:
    from web_panel.routes import Routes


class LookBackExtension(PageExtension):
    """What everybody has seen of the running game, once more."""

    name = "look_back"
    is_portable = True
    scripts = {"play/play.js": "past.js"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the request."""
        from firmware_host.extensions.look_back.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)


EXTENSION = LookBackExtension()

"""What notifications add to the program: a switch in the menu of a game, and the phone's call when it is one's turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import PageExtension

if TYPE_CHECKING:
    from web_panel.routes import Routes


class NoticesExtension(PageExtension):
    """A phone calls its player who looks elsewhere."""

    name = "notices"
    is_portable = True
    scripts = {"play/play.js": "notices.js"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the service worker."""
        from firmware_host.extensions.notices.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)


EXTENSION = NoticesExtension()

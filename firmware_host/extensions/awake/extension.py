"""What screens that stay on add to the program: scripts of three pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import PageExtension

if TYPE_CHECKING:
    from web_panel.routes import Routes


class AwakeExtension(PageExtension):
    """The big screen, the virtual board and phones whose turn it is keep themselves on."""

    name = "awake"
    is_portable = True
    has_replays = True
    scripts = {"play/play.js": "phone.js", "tv/tv.js": "screen.js", "virtual/virtual.js": "board.js"}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the files of its folder."""
        from web_panel.routes import Routes  # noqa: PLC0415 - of the panel

        return (Routes("awake", static="/static/awake"),)


EXTENSION = AwakeExtension()

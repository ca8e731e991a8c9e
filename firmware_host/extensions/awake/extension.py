"""What screens that stay on add to the program: scripts of three pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import WITH_PANEL, Attached, Extension, Parts

if TYPE_CHECKING:
    from firmware_host.replay.player import ReplaySession
    from web_panel.routes import Routes


class AwakeExtension(Extension):
    """The big screen, the virtual board and phones whose turn it is keep themselves on."""

    name = "awake"
    is_portable = True
    scripts = {"play/play.js": "phone.js", "tv/tv.js": "screen.js", "virtual/virtual.js": "board.js"}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the files of its folder."""
        from web_panel.routes import Routes  # noqa: PLC0415 - of the panel

        return (Routes("awake", static="/static/awake"),)

    @property
    def replay_routes(self) -> Sequence[Routes]:
        """Return the same: a replay may have a virtual board."""
        return self.routes

    def attach(self, parts: Parts) -> Attached:
        """Keep the screens of any table on."""
        del parts
        return WITH_PANEL

    def attach_replay(self, show: ReplaySession) -> Attached:
        """Keep those of a replay on."""
        del show
        return WITH_PANEL


EXTENSION = AwakeExtension()

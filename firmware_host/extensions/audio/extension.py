"""What sound adds to the program: switches on phones, the big screen and the virtual board, and what these play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import WITH_PANEL, Attached, Extension, Parts

if TYPE_CHECKING:
    from firmware_host.replay.player import ReplaySession
    from web_panel.routes import Routes


class AudioExtension(Extension):
    """Devices sound and speak."""

    name = "audio"
    is_portable = True
    scripts = {"play/play.js": "phone.js", "tv/tv.js": "screen.js", "virtual/virtual.js": "board.js"}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the files of its folder."""
        from web_panel.routes import Routes  # noqa: PLC0415 - of the panel

        return (Routes("audio", static="/static/audio"),)

    @property
    def replay_routes(self) -> Sequence[Routes]:
        """Return the same: a replay may have a virtual board."""
        return self.routes

    def attach(self, parts: Parts) -> Attached:
        """Let the devices of any table sound."""
        del parts
        return WITH_PANEL

    def attach_replay(self, show: ReplaySession) -> Attached:
        """Let those of a replay sound."""
        del show
        return WITH_PANEL


EXTENSION = AudioExtension()

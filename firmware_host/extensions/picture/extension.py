"""What the picture of the end adds to the program: a line of the sheet about a game that is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import WITH_PANEL, Attached, Extension, Parts

if TYPE_CHECKING:
    from web_panel.routes import Routes


class PictureExtension(Extension):
    """Who won, the board and the score, as a picture to share."""

    name = "picture"
    is_portable = True
    scripts = {"play/play.js": "picture.js"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the files of its folder."""
        from web_panel.routes import Routes  # noqa: PLC0415 - of the panel

        return (Routes("picture", static="/static/picture"),)

    def attach(self, parts: Parts) -> Attached:
        """Let phones share the end of any game."""
        del parts
        return WITH_PANEL


EXTENSION = PictureExtension()

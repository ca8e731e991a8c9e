"""What the picture of the end adds to the program: a line of the sheet about a game that is over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import PageExtension

if TYPE_CHECKING:
    from web_panel.routes import Routes


class PictureExtension(PageExtension):
    """Who won, the board and the score, as a picture to share."""

    name = "picture"
    is_portable = True
    scripts = {"play/play.js": "picture.js"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the files of its folder."""
        from web_panel.routes import Routes  # noqa: PLC0415 - of the panel

        return (Routes("picture", static="/static/picture"),)


EXTENSION = PictureExtension()

"""What the big screen adds to the program: a page, and the ways to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.link import SCRIPTS
from firmware_host.plug import PageExtension
from firmware_host.text.words import say

if TYPE_CHECKING:
    from web_panel.routes import Routes


class TvExtension(PageExtension):
    """The table for a television."""

    name = "tv"
    is_portable = True
    shared_scripts = SCRIPTS
    screens = {say("Big view for a TV"): "/tv"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the page."""
        from firmware_host.extensions.tv.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)


EXTENSION = TvExtension()

"""What positions set up by hand add to the program: a page, and its requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import Attached, Extension, Parts
from firmware_host.text.words import say

if TYPE_CHECKING:
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class PositionsExtension(Extension):
    """A position is set up on the board or by tapping."""

    name = "positions"
    is_portable = True
    links = {say("Set up a position"): "/position"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the page and its requests."""
        from firmware_host.extensions.positions.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def attach(self, parts: Parts) -> Attached:
        """Let phones set up positions at any table."""
        del parts
        return attach_positions()


def attach_positions() -> Attached:
    """Return what is added to a table."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.positions.positions import Positions  # noqa: PLC0415 - of the panel
        from firmware_host.extensions.positions.requests import SetUp  # noqa: PLC0415

        return SetUp(panel, Positions(panel.table))

    return Attached(context)


EXTENSION = PositionsExtension()

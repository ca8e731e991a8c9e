"""What games as text add to the program: two parts of ``lodestone record``, requests, and links to downloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import PageExtension, Verbs

if TYPE_CHECKING:
    from web_panel.routes import Routes


class NotationExtension(PageExtension):
    """A game is written as text, and read again."""

    name = "notation"
    is_portable = True
    scripts = {"play/play.js": "end.js", "replay/replay.js": "replay.js"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return its requests."""
        from firmware_host.extensions.notation.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone record text`` and ``read``."""
        from firmware_host.extensions.notation.command import add_parts  # noqa: PLC0415 - a panel needs none of it

        add_parts(verbs)


EXTENSION = NotationExtension()

"""What the household's book adds: a command, a page, requests, and how those stand at the end of a game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firmware_host.plug import Attached, Extension, Parts, Verbs
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.link.solved import SolvedPuzzles
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class BookExtension(Extension):
    """Who has played what, and who has solved which puzzles."""

    name = "book"
    is_portable = True
    links = {say("The book"): "/book"}  # noqa: RUF012 - read only
    scripts = {"play/play.js": "series.js", "tv/tv.js": "series.js"}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the page and its requests."""
        from firmware_host.extensions.book.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone book``."""
        from firmware_host.extensions.book.command import add_book  # noqa: PLC0415 - a panel needs none of it

        add_book(verbs)

    def attach(self, parts: Parts) -> Attached:
        """Keep a book of the data folder. What can't be read of it is said at once."""
        from firmware_host.link.solved import solved_of  # noqa: PLC0415 - of tables

        trouble = solved_of(parts.data).trouble()
        if trouble is not None:
            print(trouble, flush=True)
            parts.runtime.remark("solved puzzles", trouble)
        return attach_book(parts.data)


def attach_book(data: Path, solved: SolvedPuzzles | None = None) -> Attached:
    """Return what is added to a table whose book is of a data folder."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.book.household import Household  # noqa: PLC0415 - of the panel
        from firmware_host.extensions.book.requests import Books, Written  # noqa: PLC0415

        return Books(panel, Household(data, solved), Written())

    return Attached(context)


EXTENSION = BookExtension()

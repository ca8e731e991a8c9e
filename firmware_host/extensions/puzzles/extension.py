"""What puzzles add to the program: a command, a page, requests, and cards and links on other pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware_host.plug import Attached, Extension, Parts, Verbs, extensions
from firmware_host.text.json_reader import maybe, part
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.link.solved import SolvedPuzzles
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class PuzzlesExtension(Extension):
    """Positions with exactly one right answer, solved on a phone or on the board."""

    name = "puzzles"
    is_portable = True
    links = {say("Puzzles"): "/puzzles"}  # noqa: RUF012 - read only
    lesson_fields = {"puzzle": maybe(part("PuzzleInList"))}  # noqa: RUF012
    scripts = {  # noqa: RUF012
        "host/host.js": "today.js",
        "how_to_play/page.js": "how_to_play.js",
        "lobby/lobby.js": "today.js",
        "play/play.js": "play_cards.js",
        "positions/position.js": "pose.js",
    }

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the page and its requests."""
        from firmware_host.extensions.puzzles.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone puzzles``."""
        from firmware_host.extensions.puzzles.command import add_puzzles  # noqa: PLC0415 - a panel needs none of it

        add_puzzles(verbs)

    def attach(self, parts: Parts) -> Attached:
        """Let phones solve puzzles at any table."""
        from firmware_host.link.solved import solved_of  # noqa: PLC0415 - of tables

        keeps_book = any("/book" in one.links.values() for one in extensions())
        return attach_puzzles(parts.data, solved_of(parts.data) if keeps_book else None)


def attach_puzzles(data: Path | None = None, solved: SolvedPuzzles | None = None) -> Attached:
    """Return what is added to a table; ``data`` has the household's own puzzles, ``solved`` who has solved which."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.puzzles.requests import Solving  # noqa: PLC0415 - of the panel

        return Solving(panel, data, solved)

    def lesson_state(game: str) -> Mapping[str, Any]:
        from firmware_host.extensions.puzzles.requests import today_of  # noqa: PLC0415 - of the panel

        return {"puzzle": today_of(game)}

    return Attached(context, lesson_state=lesson_state)


EXTENSION = PuzzlesExtension()

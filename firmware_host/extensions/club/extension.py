"""What a club adds to the program: the command that opens its page, and tables that belong to it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware_host.extensions.club.assigned import AssignedBoards
from firmware_host.link import SCRIPTS
from firmware_host.link.libraries import add_login, check_login, check_only_with, lacks
from firmware_host.plug import Attached, Extension, Parts, Verbs
from firmware_host.text.words import say

if TYPE_CHECKING:
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class ClubExtension(Extension):
    """Tournaments of many tables, their page, and an archive of verified records."""

    name = "club"
    shared_scripts = SCRIPTS
    scripts = dict.fromkeys(("lobby/lobby.js", "play/play.js", "host/host.js", "tv/tv.js"), "assigned.js")

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the request of a table's phones."""
        from firmware_host.extensions.club.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone club``."""
        from firmware_host.extensions.club.command import add_club  # noqa: PLC0415 - a panel needs none of it

        add_club(verbs)

    def add_options(self, play: argparse.ArgumentParser) -> None:
        """Add the options of a table that belongs to a club."""
        play.add_argument(
            "--club",
            default=None,
            metavar="INVITATION",
            help="belong to a club: its invitation, lodestone-club:?…, or a file that holds it",
        )
        play.add_argument("--club-name", metavar="NAME", help="what the club calls this table")
        add_login(play)

    def check(self, options: argparse.Namespace) -> None:
        """Refuse what is for a club's table alone."""
        check_login(options)
        check_only_with(options, "--club-name", "--club")

    def attach(self, parts: Parts) -> Attached:
        """Let the club follow the table, if it belongs to one."""
        assigned = AssignedBoards(parts.runtime)
        if parts.options.club is not None and not lacks(parts, "link", ("paho", "cryptography"), say("the club")):
            from firmware_host.extensions.club.membership import join_club  # noqa: PLC0415 - of the extra [link]

            join_club(parts, assigned)
        return attach_boards(assigned)

    def evidence(self, data: Path) -> Iterable[tuple[str, Path, Any]]:
        """Return what a table knows of its club, and a club of its tournaments."""
        from firmware_host.extensions.club.evidence import FILE, archive_evidence, archive_file  # noqa: PLC0415
        from firmware_host.link.evidence import room_evidence  # noqa: PLC0415

        return (
            ("club.json", data / FILE, room_evidence),
            ("tournaments.json", archive_file(data), archive_evidence),
        )


def attach_boards(assigned: AssignedBoards) -> Attached:
    """Return what is added to a table: its phones begin the boards that the club has assigned to it."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.club.requests import BoardRequests  # noqa: PLC0415 - of the panel

        return BoardRequests(panel, assigned)

    return Attached(context)


EXTENSION = ClubExtension()

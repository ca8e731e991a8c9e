"""What a club adds to the program: the command that opens its page, and tables that belong to it."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firmware_host.plug import Attached, Extension, Parts, Verbs, add_login, lacks
from firmware_host.text.words import say


class ClubExtension(Extension):
    """Tournaments of many tables, their page, and an archive of verified records."""

    name = "club"

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
        play.add_argument(
            "--club-name", default=socket.gethostname()[:24], metavar="NAME", help="what the club calls this table"
        )
        add_login(play)

    def attach(self, parts: Parts) -> Attached | None:
        """Let the club follow the table, if it belongs to one."""
        if parts.options.club is None or lacks(parts, "link", ("paho", "cryptography"), say("the club")):
            return None
        from firmware_host.extensions.club.membership import join_club  # noqa: PLC0415 - of the extra [link]

        join_club(parts)
        return None

    def evidence(self, data: Path) -> Iterable[tuple[str, Path, Any]]:
        """Return what a table knows of its club, and a club of its tournaments."""
        from firmware_host.extensions.club.evidence import archive_evidence  # noqa: PLC0415
        from firmware_host.link.evidence import room_evidence  # noqa: PLC0415

        return (
            ("club.json", data / "club.sqlite", room_evidence),
            ("tournaments.json", data / "archive.sqlite", archive_evidence),
        )


EXTENSION = ClubExtension()

"""What a club has seen, for ``lodestone log --bundle``: numbers and hashes, no names; and where its archive is.

The setting ``database`` of a club says that: an address, or, for an archive in the club's folder, ``sqlite:///`` and
its place there. So it goes along when the folder is restored elsewhere.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_host.link.evidence import database_copy

FILE, DATABASE = "club.sqlite", "archive.sqlite"
PLACE = "database"
"""The setting of a club that says where its archive is."""
_FILE = "sqlite:///"
"""How the address of a file begins; what follows is its path, and perhaps ``?`` and options."""


def kept_place(address: str, data: Path) -> str:
    """Return what a club keeps of its archive's address."""
    path, mark, options = address.removeprefix(_FILE).partition("?")
    if not address.startswith(_FILE) or not Path(path).resolve().is_relative_to(data.resolve()):
        return address
    return f"{_FILE}{Path(path).resolve().relative_to(data.resolve()).as_posix()}{mark}{options}"


def opened_place(kept: str | None, data: Path) -> str:
    """Return the address of an archive, from what the club in a data folder keeps of it."""
    kept = kept or f"{_FILE}{DATABASE}"
    return f"{_FILE}{data.resolve() / kept.removeprefix(_FILE)}" if kept.startswith(_FILE) else kept


def archive_file(data: Path) -> Path:
    """Return the file of the archive of the club in a data folder; one that is missing if it is no file."""
    kept = None
    if (data / FILE).exists():
        with suppress(sqlite3.Error, OSError), database_copy(data / FILE) as found:
            kept = dict(found.execute("SELECT name, value FROM setting").fetchall()).get(PLACE)
    address = opened_place(kept, data)
    return Path(address.removeprefix(_FILE).partition("?")[0]) if address.startswith(_FILE) else data / DATABASE


def archive_evidence(path: Path) -> Mapping[str, Any]:
    """Return what was done in a club's tournaments, and which records came; players by their numbers alone."""
    with database_copy(path) as found:
        acts = [
            {"tournament": tournament, "number": number, "at": at, "kind": kind}
            | {name: value for name, value in json.loads(data).items() if name != "name"}
            for tournament, number, at, kind, data in found.execute(
                "SELECT tournament, number, at, kind, data FROM club_act ORDER BY tournament, number"
            )
        ]
        records = [
            {"number": number, "digest": digest, "game": game, "entries": entries, "table": table[:16], "came": at}
            for number, digest, game, entries, table, at in found.execute(
                "SELECT number, digest, game_id, entries, table_key, received FROM club_record ORDER BY number"
            )
        ]
        return {"acts": acts, "records": records}

"""``lodestone log --bundle``: what a table, its room, its club, or a club have seen, in one file without secrets.

Two such files, one of each side, show where they differ: what each has of a game stands there as numbers and hashes. No
key, no token, no invitation, no name of a player, no placement.
"""

from __future__ import annotations

import json
import platform as machine
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from firmware_host.archive.backups import copy_database
from firmware_host.archive.journal import Journal, JournalError
from firmware_host.text.words import Refused
from firmware_host.upkeep.log import log_text

JOURNAL, ROOM, CLUB, ARCHIVE = "journal.sqlite", "room.sqlite", "club.sqlite", "archive.sqlite"
SETTINGS = ("name", "session", "served", "since", "counter")
"""Settings of a room or club that are no secrets."""


def write_bundle(data: Path, target: Path, version: str) -> list[str]:
    """Write the evidence of a data folder, or of a club's, into a ZIP file; return what is in it. Raise Refused."""
    if not data.is_dir():
        raise Refused(f"{data}: there is no such data folder; --data names another")
    about = {"version": version, "python": machine.python_version(), "system": machine.platform()}
    parts: dict[str, str] = {"about.json": _text(about)}
    for name, file, read in (
        ("games.json", JOURNAL, _games),
        ("room.json", ROOM, _room),
        ("club.json", CLUB, _room),
        ("tournaments.json", ARCHIVE, _archive),
    ):
        if (data / file).exists():
            try:
                parts[name] = _text(read(data / file))
            except (sqlite3.Error, JournalError, OSError, ValueError, KeyError) as error:
                parts[name] = _text({"unreadable": type(error).__name__})  # Its message may quote what it has read.
    try:
        parts["log.txt"] = log_text(data)
        with target.open("xb") as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            target.chmod(0o600)
            for name, text in parts.items():
                archive.writestr(name, text)
    except FileExistsError as error:
        raise Refused(f"{target}: is there already; name another file") from error
    except OSError as error:
        raise Refused(f"{error.filename or target}: can't be read or written: {error.strerror}") from error
    return sorted(parts)


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


@contextmanager
def _copied(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a copy of a database that may be in use."""
    with tempfile.TemporaryDirectory(prefix="lodestone-bundle-") as folder:
        copy = Path(folder) / "copy"
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)) as source:
            copy_database(source, copy)
        with closing(sqlite3.connect(copy)) as found:
            yield found


def _games(path: Path) -> list[Mapping[str, Any]]:
    with closing(Journal(path, writer=False, check=False)) as journal:
        return [
            {
                "id": one.id, "game": one.game, "rules": sorted(one.rules), "mode": one.mode, "state": one.state,
                "reason": one.reason, "turns": one.turns, "events": one.events, "started": one.started,
                "ended": one.ended, "end": one.end,
            }
            for one in journal.games()
        ]  # fmt: skip


def _room(path: Path) -> Mapping[str, Any]:
    """Return what is known of a room or a club at one table: who was heard, and which entries of a game are here.

    An entry's ``before`` is the hash of the one before it: where two tables have the same, they agree up to there.
    """
    with _copied(path) as found:
        kept = dict(found.execute("SELECT name, value FROM setting").fetchall())
        link = parse_qs(urlsplit(kept.get("invitation", "")).query)
        entries: dict[str, list[Any]] = {}
        with suppress(sqlite3.OperationalError):
            rows = "SELECT game, number, kind, writer, prev FROM entry ORDER BY game, number"
            for game, number, kind, writer, before in found.execute(rows):
                entries.setdefault(game, []).append(
                    {"number": number, "kind": kind, "table": writer[:16], "before": before[:16]}
                )
        return {
            **{name: kept[name] for name in SETTINGS if name in kept},
            "broker": link.get("broker", [""])[0],
            "opened by": link.get("opener", [""])[0][:16],
            "heard": [
                {"table": public[:16], "counter": counter}
                for public, counter in found.execute("SELECT public, counter FROM peer ORDER BY public")
            ],
            "entries": entries,
        }


def _archive(path: Path) -> Mapping[str, Any]:
    """Return what was done in a club's tournaments, and which records came; players by their numbers alone."""
    with _copied(path) as found:
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

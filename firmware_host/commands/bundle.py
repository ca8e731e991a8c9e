"""``lodestone log --bundle``: what a table, its room, a club have seen, in one file without secrets.

Two such files, one of each side, show where they differ: what each has of a game stands there as numbers and hashes. No
key, no token, no invitation, no name of a player, no placement.
"""

from __future__ import annotations

import json
import platform as machine
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.plug import extensions
from firmware_host.text.words import Refused
from firmware_host.upkeep.log import log_text


def write_bundle(data: Path, target: Path, version: str) -> list[str]:
    """Write the evidence of a data folder, or of a club's, into a ZIP file; return what is in it. Raise Refused."""
    if not data.is_dir():
        raise Refused(f"{data}: there is no such data folder; --data names another")
    about = {"version": version, "python": machine.python_version(), "system": machine.platform()}
    parts: dict[str, str] = {"about.json": _text(about)}
    sources = [
        ("games.json", data / "journal.sqlite", _games),
        *(row for one in extensions() for row in one.evidence(data)),
    ]
    for name, path, read in sources:
        if path.exists():
            try:
                parts[name] = _text(read(path))
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

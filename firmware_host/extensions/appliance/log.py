"""``lodestone log``: what the program has logged; the last evening; with ``--bundle`` all evidence in one file.

A bundle is what a table, its room, a club have seen, without secrets. Two such files, one of each side, show where they
differ: what each has of a game stands there as numbers and hashes. No key, no token, no invitation, no name of a
player, no placement.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform as machine
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.commands.common import add_data, data_of
from firmware_host.link.evidence import log_text
from firmware_host.plug import Verbs, extensions
from firmware_host.text.words import Refused


def add_log(verbs: Verbs) -> None:
    """Add ``log`` to the command line."""
    log = verbs.add_parser(
        "log",
        help="print what the program has logged, without secrets",
        description="Print what `lodestone play` has logged in a data folder, oldest line first. Tokens, cookies,"
        " tickets, nonces and sealed placements are taken out before a line is written.",
    )
    what = log.add_mutually_exclusive_group()
    what.add_argument(
        "--evening",
        action="store_true",
        help="print the running or last game as lines that `lodestone table` plays again, without names and secrets",
    )
    what.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="write what this table, its room and club (or, with --data, a club) have seen into a ZIP file: the log,"
        " games, entries and records as numbers and hashes, without names and secrets",
    )
    log.set_defaults(verb=_log)
    add_data(log)


def _log(arguments: argparse.Namespace) -> int:
    data = data_of(arguments).absolute()
    if arguments.bundle is not None:
        names = write_bundle(data, arguments.bundle.absolute(), importlib.metadata.version("lodestone-board"))
        print(f"{arguments.bundle} holds {', '.join(names)}; no names of players, no secrets")
        return 0
    if arguments.evening:
        print(_evening(data), end="")
        return 0
    try:
        text = log_text(data)
    except OSError as error:
        raise Refused(f"{error.filename}: can't be read: {error.strerror}") from error
    print(text or f"nothing was logged in {data} yet", end="" if text else "\n")
    return 0


def _evening(data: Path) -> str:
    from firmware_host.link.evening_log import evening_text  # noqa: PLC0415 - the other verbs need none of it
    from firmware_host.session.host import is_withheld  # noqa: PLC0415

    def is_hidden(game_id: str) -> bool:
        with closing(Journal(data / "journal.sqlite", writer=False, check=False)) as journal:
            return any(game.id == game_id and is_withheld(game) for game in journal.games())

    return evening_text(data, is_hidden)


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

"""``lodestone record``: list, show, export and verify games, and back up and repair the journal."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from pathlib import Path

from firmware_host.archive import records
from firmware_host.archive.backups import back_up, write_backup
from firmware_host.archive.files import beside, is_there, write_output
from firmware_host.archive.journal import Journal, JournalError, take_writers_lock
from firmware_host.archive.journal_events import FAMILY
from firmware_host.archive.journal_rescue import (
    TELL,
    Damage,
    comes_from_outside,
    find_damage,
    finish_rescue,
    is_newer,
    rescue,
)
from firmware_host.commands.common import add_data, data_of
from firmware_host.commands.options import add_output
from firmware_host.text.plain_text import plain
from firmware_host.text.words import Refused


def add_record(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb and its parts to the command line."""
    record = verbs.add_parser("record", help="list, show, export, verify and back up played games")
    add_data(record, holds="games")
    parts = record.add_subparsers(required=True, metavar="WHAT")
    listing = parts.add_parser("list", help="all games, a line each")
    listing.set_defaults(verb=_list)
    add_data_behind(listing)
    for name, verb, text in (
        ("show", _show, "a game told in words"),
        ("export", _export, "a game as JSON Lines"),
    ):
        part = parts.add_parser(name, help=text)
        part.add_argument("game", help="the game's id, or the beginning of it")
        if name != "show":
            add_output(part, "--out", help="file to write (default: standard output)")
        part.set_defaults(verb=verb)
        add_data_behind(part)
    check = parts.add_parser("verify", help="check an exported file, or a game, or (nothing given) the whole journal")
    check.add_argument("what", nargs="?", help="a file, or a game's id")
    check.set_defaults(verb=_verify)
    add_data_behind(check)
    _add_care(parts)


def _add_care(parts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    backup = parts.add_parser(
        "backup",
        help="copy the whole journal into one file, also while a table is open",
        description="Copy the whole journal into one file, also while a table is open. `lodestone play` does so at the"
        " end of each game and keeps the last ten in the folder backups, from which a damaged journal is mended. On"
        " another machine put the copy into an empty folder as journal.sqlite.",
    )
    backup.add_argument("--out", type=Path, default=None, help="file to write (default: a new one in backups)")
    backup.set_defaults(verb=_backup)
    add_data_behind(backup)
    repair = parts.add_parser(
        "repair",
        help="put a damaged journal in order, as far as it is whole",
        description="Put a damaged journal in order: the damaged files are put into a folder of their own, and every"
        " event up to the first that is lost is saved, from the journal, its log and the backups.",
    )
    repair.set_defaults(verb=_repair)
    add_data_behind(repair)


def add_data_behind(part: argparse.ArgumentParser) -> None:
    """Accept ``--data`` also after the part's name."""
    part.add_argument("--data", type=Path, default=argparse.SUPPRESS, help="folder of games (as for record)")


def _path(arguments: argparse.Namespace) -> Path:
    """Return the journal's path. Raise Refused if there is none of its files, or OSError."""
    path = data_of(arguments) / "journal.sqlite"
    if not any(is_there(beside(path, suffix)) for suffix in FAMILY):
        raise Refused(f"no games have been played yet: {path} does not exist")
    return path.resolve()


def open_journal(arguments: argparse.Namespace) -> closing[Journal]:
    """Return the journal, open to be read."""
    return closing(Journal(_path(arguments), writer=False))


def _list(arguments: argparse.Namespace) -> int:
    with open_journal(arguments) as journal:
        print(records.list_text(journal))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    with open_journal(arguments) as journal:
        print(records.show_text(journal, records.find(journal, arguments.game)))
    return 0


def _export(arguments: argparse.Namespace) -> int:
    with open_journal(arguments) as journal:
        lines = list(records.export(journal, records.find(journal, arguments.game)))
    return put("\n".join(lines) + "\n", arguments.out)


def put(text: str, out: Path | None) -> int:
    """Write a text into a file, completely or not at all, or without one to standard output.

    It is written byte for byte as it is: its lines have hashes, and Windows would end them in another way.
    """
    if out is None:
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.flush()
        sys.stdout.buffer.write(plain(text, encoding).encode(encoding))
        sys.stdout.buffer.flush()
        return 0
    write_output(out, text)
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    if arguments.what is None:
        with open_journal(arguments) as journal:
            journal.verify()
        print("the whole journal is in order")
        return 0
    path = Path(arguments.what)
    if is_there(path):
        print(records.verify_file(path))
        return 0
    if path.suffix == ".jsonl" or len(path.parts) > 1:
        raise Refused(f"{path}: there is no such file")
    with open_journal(arguments) as journal:
        print(records.verify_lines(records.export(journal, records.find(journal, arguments.what))))
    return 0


def _backup(arguments: argparse.Namespace) -> int:
    path = _path(arguments)
    with open_journal(arguments):  # A damaged journal is refused: its backup would be damaged, too.
        pass
    made = back_up(path) if arguments.out is None else write_backup(path, arguments.out.resolve())
    copy = Journal(made, writer=False)
    try:
        copy.verify()
    except JournalError as error:
        raise Refused(f"{error}; the backup holds what the journal holds: `lodestone record repair` helps") from error
    finally:
        copy.close()
    print(f"all games are in {made}")
    return 0


def _repair(arguments: argparse.Namespace) -> int:
    path = _path(arguments)
    guard = take_writers_lock(path, print)
    try:
        for told in finish_rescue(path):
            print(told)
        finding = _what_is_wrong(path)
        if finding is None:
            print("the whole journal is in order; nothing was changed")
            return 0
        print(rescue(path, finding, at_any_cost=True).words)
    finally:
        os.close(guard)
    return 0


def _what_is_wrong(path: Path) -> Damage | None:
    """Return the fault to repair, None if there is none. Raise JournalError for a newer program's journal."""
    finding = find_damage(path)
    if finding is not None and finding.todo != TELL:
        return finding
    try:
        journal = Journal(path, writer=False, check=False)
        try:
            journal.verify()
        finally:
            journal.close()
    except JournalError as error:
        if is_newer(path) or comes_from_outside(error.__cause__):
            raise
        return Damage(str(error).removeprefix(f"{path}: "))
    return None

"""Rescue of a damaged journal from all intact events; the damaged files are kept in a folder.

The chain of hashes decides which events are intact. So an event may come from any source: the main file, a good frame
of a damaged log, or a backup.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_host.archive.journal_backup import backups_of
from firmware_host.archive.journal_check import Finding, page_size, wal_path
from firmware_host.archive.journal_files import beside, copy_durably, free_folder, put_in_place, sync
from firmware_host.archive.journal_form import (
    COLUMNS,
    FIRST_HASH,
    INSERT,
    MAKING,
    Entry,
    JournalError,
    Row,
    as_row,
    checked,
)
from firmware_host.archive.journal_head import EMPTY, Head, HeadFile, head_path, read_head
from firmware_host.archive.journal_wal import Frame, read_wal
from firmware_host.text.words import Text, say, say_many

REPAIR = "`lodestone record repair` keeps the damaged files aside and saves every event up to the first that is lost"
"""Advice about a damaged journal, for the terminal."""


@dataclass(frozen=True)
class Rescued:
    """The result of a rescue. ``last`` is the last saved event; ``lost`` is the number of lost ones."""

    words: Text
    """The fault, the loss, and the folder of the damaged files, in words."""
    last: Entry | None
    lost: int


def finish_rescue(path: Path) -> None:
    """Finish a rescue that a power cut interrupted after the new file was complete. Raise OSError."""
    if rescued_path(path).exists():
        put_in_place(rescued_path(path), path)


def rescue(path: Path, finding: Finding, *, at_any_cost: bool = False) -> Rescued:
    """Rescue a journal; nobody else may be writing to it. Raise JournalError if that fails; nothing is changed then.

    Without ``at_any_cost`` no event of the main file is given up: if the main file is damaged, people should decide.
    """
    try:
        with ExitStack() as stack:
            sources = [stack.enter_context(closing(source)) for source in _sources(path, stack)]
            held = max((source.last for source in sources), default=0)
            last = _write(path, sources)
            kept = last.seq if last is not None else 0
            in_main = next((source.last for source in sources if source.name == "main"), 0)
            if not at_any_cost and kept < in_main:
                raise _main_is_damaged(path, finding, kept)
            if held == 0 and at_any_cost:  # It may not be a journal at all.
                raise JournalError(f"{path}: {finding.words}; no event of it can be read, and there is no backup")
        noted = read_head(path)
        lost = max(held, noted.seq if noted is not None else 0) - kept
        aside = _keep_aside(path)
        beside(path, ".rescuing").replace(rescued_path(path))
        sync(path.parent)
        put_in_place(rescued_path(path), path)
        HeadFile(path, EMPTY if last is None else Head(last.seq, last.hash)).close()
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"{path}: {finding.words}; it can't be put in order: {error}") from error
    finally:
        beside(path, ".rescuing").unlink(missing_ok=True)
    return Rescued(_told(finding, last, lost, aside), last, lost)


def rescued_path(path: Path) -> Path:
    """Return the path of a complete new journal; if this file exists, it replaces the journal."""
    return beside(path, ".rescued")


def _main_is_damaged(path: Path, finding: Finding, kept: int) -> JournalError:
    return JournalError(f"{path}: {finding.words}, and event {kept + 1} is damaged in the file itself; {REPAIR}")


def _told(finding: Finding, last: Entry | None, lost: int, aside: Path) -> Text:
    kept = say("The damaged files are kept in {folder}.", folder=str(aside))
    if not lost:
        return say("The journal was damaged: {what}. Nothing is lost. {kept}", what=finding.words, kept=kept)
    if last is None:
        none = say("nothing is left of it")
        return say("The journal was damaged: {what}; {left}. {kept}", what=finding.words, left=none, kept=kept)
    left = say_many(
        "the last event is lost: it now ends on {day} at {time} UTC, with event {seq}, in game {game}",
        "the last {count} events are lost: it now ends on {day} at {time} UTC, with event {seq}, in game {game}",
        lost,
        day=last.at[:10],
        time=last.at[11:16],
        seq=last.seq,
        game=last.game,
    )
    return say("The journal was damaged: {what}; {left}. {kept}", what=finding.words, left=left, kept=kept)


# -- where whole events are found --------------------------------------------------------------------------------------


class _Source:
    """A database that may hold intact events; opened immutable."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
        found = self._ask("SELECT max(seq) FROM event")
        self.last = found[0] if found is not None and isinstance(found[0], int) else 0

    def event(self, seq: int, after: str) -> Entry | None:
        """Return an event if it is here, intact, and follows from ``after``; else None."""
        row = self._ask(f"SELECT {COLUMNS} FROM event NOT INDEXED WHERE seq = ?", seq)  # noqa: S608 - a constant
        if row is None or row[0] != seq:
            return None
        try:
            return checked(row, after)
        except ValueError:
            return None

    def _ask(self, query: str, *values: object) -> Row | None:
        try:
            row: Row | None = self._db.execute(query, values).fetchone()
        except (sqlite3.Error, UnicodeError):
            return None
        return row

    def close(self) -> None:
        self._db.close()


def _sources(path: Path, stack: ExitStack) -> Iterator[_Source]:
    """Yield the sources of events: the main file with its log, the main file alone, and the backups."""
    if path.exists():
        size = page_size(path)
        wal = read_wal(wal_path(path), size)
        folder = Path(stack.enter_context(TemporaryDirectory(dir=path.parent, prefix="rescue-")))
        for name, frames in (("all good frames", wal.as_written()), ("frames as read", wal.as_read())):
            if frames:
                yield _Source(name, _with_frames(path, frames, wal.page_size, folder / f"{name}.sqlite"))
        yield _Source("main", path)
    for backup in backups_of(path):
        yield _Source(backup.name, backup)


def _with_frames(main: Path, frames: Sequence[Frame], size: int, target: Path) -> Path:
    """Write a copy of a database with these frames of its log applied; return its path."""
    shutil.copyfile(main, target)
    with target.open("r+b") as file:
        for frame in frames:
            file.seek((frame.page - 1) * size)
            file.write(frame.content)
        file.truncate(frames[-1].commit * size)
    return target


def _chain(sources: Sequence[_Source]) -> Iterator[Entry]:
    """Yield the unbroken chain of events from the first on, each from the first source that has it."""
    seq, after = 1, FIRST_HASH
    while True:
        found = next((entry for source in sources if (entry := source.event(seq, after)) is not None), None)
        if found is None:
            return
        yield found
        seq, after = seq + 1, found.hash


# -- files -------------------------------------------------------------------------------------------------------------


def _write(path: Path, sources: Sequence[_Source]) -> Entry | None:
    """Write the chain into a new journal beside the old one, durably; return its last event."""
    new = beside(path, ".rescuing")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    last: Entry | None = None

    def rows() -> Iterator[Row]:
        nonlocal last
        for last in _chain(sources):
            yield as_row(last)

    with closing(sqlite3.connect(new, isolation_level=None)) as journal:
        journal.execute("BEGIN")
        for statement in MAKING:
            journal.execute(statement)
        journal.executemany(INSERT, rows())
        journal.execute("COMMIT")
    sync(new)
    return last


def _keep_aside(path: Path) -> Path:
    """Copy the files of a journal into a new folder, durably, and return it."""
    folder = free_folder(path.parent, "damaged")
    for file in (path, wal_path(path), head_path(path)):
        if file.exists():
            copy_durably(file, folder / file.name)
    sync(folder)
    return folder

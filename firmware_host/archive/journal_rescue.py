"""What is wrong with a journal's files, and the rescue of all intact events.

The files are checked before SQLite writes to them: it silently drops everything after the first damaged frame of its
log, and would move even a log that does not fit into the main file. The two copies of the events are compared at their
ends: an event that one of them has lost is in the other. The chain of hashes decides which events are intact. So an
event may come from any source: the database with or without its log, the lines of the second copy, or a backup. The
damaged files are kept in a folder.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware_host import platform
from firmware_host.archive.backups import copies_of
from firmware_host.archive.files import (
    BESIDE,
    beside,
    copy_what_is_left,
    free_folder,
    is_sqlite,
    open_what_is_left,
    put_aside,
    put_in_place,
    sync,
)
from firmware_host.archive.journal_events import (
    APPLICATION_ID,
    COLUMNS,
    FAMILY,
    FILES,
    FIRST_HASH,
    MAKING,
    NOTE,
    RESCUED,
    RESCUING,
    SCHEMA,
    SCHEMA_VERSION,
    SECOND,
    WORKING,
    Entry,
    Head,
    JournalError,
    Row,
    copy_path,
    read_end,
    read_lines,
    read_note,
    read_row,
    row_of,
)
from firmware_host.text.words import Text, say, say_many

STRUCTURE_S = 3.0
"""Longest time for the check that table and index agree: a thousand games take less."""
RECENT = 2000
"""Number of the last events of the database that are checked when a writer opens it: about ten games."""
OUTSIDE = tuple(
    f"SQLITE_{name}"
    for name in ("AUTH", "BUSY", "CANTOPEN", "FULL", "INTERRUPT", "IOERR", "LOCKED", "NOMEM", "PERM", "READONLY")
)
"""Beginnings of SQLite's errors that come from outside the file: whatever else reading raises is damage."""
UNREADABLE = ("SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS")
"""Those among them that are damage all the same: the disk has lost what it should read."""
READ = (*BESIDE, SECOND, NOTE)
"""Suffixes of the files beside the main file that are read when a journal is opened."""
MEND, TRY, REFUSE, TELL = "mend", "try", "refuse", "tell"
REPAIR = "`lodestone record repair` keeps the damaged files aside and saves every event up to the first that is lost"
"""Advice about a damaged journal, for the terminal."""


@dataclass(frozen=True)
class Damage:
    """A fault of a journal, in words that follow a colon, and what to do about it.

    ``mend``: events are missing or can't be read. ``try``: an event is damaged; without a rescue all others can be read
    and new ones written. ``refuse``: the file is not a journal (any more), and people should decide. ``tell``: the
    journal is in order, but it is not the one that was written last.
    """

    words: str
    todo: str = MEND


@dataclass(frozen=True)
class Rescued:
    """The result of a rescue. ``last`` is the last saved event; ``lost`` is the number of lost ones."""

    words: Text
    """The fault, the loss, and the folder of the damaged files, in words."""
    last: Entry | None
    lost: int


# -- what is wrong -----------------------------------------------------------------------------------------------------


def find_damage(journal: Path, *, thorough: bool = False) -> Damage | None:
    """Return the fault of a journal's files; None if there is none, or the file is a newer program's or not a journal.

    ``thorough``: also check that table and index agree, and the last events of the database. The checks open the
    database read-only: SQLite then leaves the files unchanged. Raise OSError.
    """
    noted = noted_heads(journal)
    written = noted[0].seq if noted else 0
    if not journal.exists():
        words = say("its file is missing, and {count} events were written in it", count=written)
        return Damage(words) if written else None
    if is_newer(journal):
        return None
    if _header(journal) != (SCHEMA_VERSION, APPLICATION_ID) and not _has_turned_bit(journal):
        return _no_journal(journal) if written else None
    if _has_turned_bit(journal) or not _can_be_written(journal):
        return _damage_of("its header")
    return _damage_inside(journal, noted, thorough=thorough)


def _damage_inside(journal: Path, noted: Sequence[Head], *, thorough: bool) -> Damage | None:
    try:
        with closing(_read_only(journal)) as reader:
            if tables_of(reader) != set(SCHEMA):
                return _damage_of("its tables are not those of a journal")
            finding = _missing(reader, noted)
            if thorough and (finding is None or finding.todo == TELL):
                wrong = _structure(reader)
                finding = _damage_of(wrong) if wrong is not None else _damaged_event(reader) or finding
            return finding
    except (sqlite3.Error, UnicodeError) as error:
        if comes_from_outside(error):
            return None  # Opening the journal reports it.
        return _damage_of(str(error))


def comes_from_outside(error: BaseException | None) -> bool:
    """Tell whether an error of reading says nothing of the file: no right, no memory, too many open files."""
    if isinstance(error, OSError):
        return not platform.is_lost(error)
    name = str(getattr(error, "sqlite_errorname", ""))
    return name.startswith(OUTSIDE) and name not in UNREADABLE


def _damage_of(wrong: str) -> Damage:
    return Damage(say("its file is damaged ({damage})", damage=wrong))


def _read_only(journal: Path) -> sqlite3.Connection:
    reader = sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=5.0)
    reader.text_factory = text
    return reader


def text(content: bytes) -> str:
    """Return a text of the database. One whose bytes are no UTF-8 any more is text, too: its hash tells the damage."""
    return content.decode("utf-8", "surrogateescape")


def tables_of(database: sqlite3.Connection) -> set[str]:
    """Return the statements that made what is in a database. Raise sqlite3.Error."""
    return {row[0] for row in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}


def noted_heads(journal: Path) -> list[Head]:
    """Return the last event as the note and the second copy have it, if they do, the latest first. Raise OSError.

    The hash of one that is known to be missing in the second copy is empty.
    """
    copy, note = read_end(copy_path(journal)), read_note(journal)
    found = [Head(copy.rows[-1][0], copy.rows[-1][6])] if copy.rows else []
    if copy.torn:
        found.append(Head(copy.rows[-1][0] + 1 if copy.rows else 1, ""))
    return sorted(found if note is None else [*found, note], reverse=True)


def is_newer(journal: Path) -> bool:
    """Tell whether only a newer program understands a journal. Raise OSError."""
    version, owner = _header(journal)
    return owner == APPLICATION_ID and version > SCHEMA_VERSION and not _has_turned_bit(journal)


def _has_turned_bit(journal: Path) -> bool:
    """Tell whether one bit of a journal's version or mark has turned: other programs have other tables."""
    version, owner = _header(journal)
    if (version ^ SCHEMA_VERSION).bit_count() + (owner ^ APPLICATION_ID).bit_count() != 1:
        return False
    try:
        with closing(_read_only(journal)) as reader:
            return tables_of(reader) == set(SCHEMA)
    except (sqlite3.Error, UnicodeError):
        return False


def _can_be_written(journal: Path) -> bool:
    """Tell whether the header names a form that SQLite writes: with another one it reads, and refuses to write."""
    with open_what_is_left(journal) as file:
        return file.read(20)[18:] in {b"\1\1", b"\2\2"}


def _header(journal: Path) -> tuple[int, int]:
    """Return schema version and application id from the main file's header; zeros if it is too short."""
    with open_what_is_left(journal) as file:
        header = file.read(72).ljust(72, b"\0")
    return int.from_bytes(header[60:64], "big"), int.from_bytes(header[68:], "big")


def _no_journal(journal: Path) -> Damage:
    """Return the fault of a file in a journal's place: its beginning is lost, or it is a database of others."""
    if is_sqlite(journal):
        return Damage(say("its file is a database, but not a journal of games"), REFUSE)
    return Damage(say("its file is not a journal any more"))


def _missing(reader: sqlite3.Connection, noted: Sequence[Head]) -> Damage | None:
    """Return the fault if one of the noted last events, the latest first, is not in the journal."""
    last = reader.execute("SELECT max(seq) FROM event").fetchone()[0] or 0
    if noted and last < noted[0].seq:
        words = say("{count} events were written in it, and it ends with event {last}", count=noted[0].seq, last=last)
        return Damage(words)
    for head in noted:
        row = reader.execute("SELECT hash FROM event WHERE seq = ?", (head.seq,)).fetchone()
        if head.hash and head.seq and (row is None or row[0] != head.hash):
            return Damage(say("event {seq} is not as it was written", seq=head.seq), TELL)
    return None


def _structure(reader: sqlite3.Connection) -> str | None:
    """Return SQLite's first complaint about table and index, None if there is none within ``STRUCTURE_S``."""
    end = time.monotonic() + STRUCTURE_S
    reader.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    try:
        found = reader.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        return None
    finally:
        reader.set_progress_handler(None, 0)
    return None if found == ("ok",) else str(found[0])


def _damaged_event(reader: sqlite3.Connection) -> Damage | None:
    """Return the fault of the first of the last events that is damaged or missing."""
    (last,) = reader.execute("SELECT max(seq) FROM event").fetchone()
    query = f"SELECT {COLUMNS} FROM event NOT INDEXED WHERE seq > ? ORDER BY seq"  # noqa: S608 - a constant
    before: Row | None = None
    with closing(reader.execute(query, ((last or 0) - RECENT,))) as rows:
        for row in rows:
            if before is not None and row[0] != before[0] + 1:
                return Damage(say("event {seq} is missing", seq=before[0] + 1), TRY)
            try:
                read_row(row, before[6] if before is not None else None)
            except ValueError:
                # From the last one the next has to follow.
                return Damage(say("event {seq} is damaged", seq=row[0]), MEND if row[0] == last else TRY)
            before = row
    return None


# -- what has the names of the files -----------------------------------------------------------------------------------


def no_files(journal: Path, suffixes: Iterable[str]) -> list[Path]:
    """Return what has the names of a journal's files with these suffixes and is no file: a folder, say, or a pipe."""
    return [place for place in (beside(journal, one) for one in suffixes) if lexists(place) and not place.is_file()]


def free_names(journal: Path, suffixes: Iterable[str]) -> Iterator[Text]:
    """Put aside what keeps the journal from its files' names, and yield what people have to know. Raise OSError.

    Nothing is lost by it: only the main file can't be made again, and that is not among them.
    """
    for place in no_files(journal, suffixes):
        aside = put_aside(place)
        yield say("{file}: something that is no file was put in its place; that is kept as {path}.",
                  file=str(place), path=str(aside))  # fmt: skip


def put_family_aside(journal: Path, name: str, suffixes: Iterable[str] = FAMILY) -> Path | None:
    """Move the files of a journal with these suffixes into a new folder beside it, durably; return the folder.

    They are renamed, so that files move, too, that nobody can read. Return None if there are none. Raise OSError.
    """
    there = [path for path in (beside(journal, one) for one in suffixes) if lexists(path)]
    if not there:
        return None
    folder = free_folder(journal.parent, name)
    for path in there:
        path.rename(folder / path.name)
    sync(folder)
    sync(journal.parent)
    return folder


# -- the rescue --------------------------------------------------------------------------------------------------------


def finish_rescue(path: Path) -> Iterator[Text]:
    """Finish a rescue that was interrupted, by a power cut say, after the new file was complete. Raise OSError.

    The damaged files that are still in their places are kept aside. What keeps the journal from its files is put aside
    before, and what people have to know of that is yielded.
    """
    yield from free_names(path, (*READ, *WORKING))
    if rescued_path(path).exists():
        put_family_aside(path, "damaged", FILES)
        put_in_place(rescued_path(path), path)


def rescue(path: Path, finding: Damage, *, at_any_cost: bool = False, even_nothing: bool = False) -> Rescued:
    """Rescue a journal; nobody else may be writing to it. Raise JournalError if that fails.

    Until the new file is whole nothing is changed; from then on whoever opens the journal next finishes the rescue. The
    damaged files are moved aside, the second copy, too: whoever writes to the journal next makes it anew.

    Without ``at_any_cost`` no event of the main file is given up: if the main file is damaged, people should decide.
    ``even_nothing``: begin an empty journal if no event can be read.
    """
    try:
        with ExitStack() as stack:
            sources = [stack.enter_context(closing(source)) for source in _sources(path, stack)]
            noted = noted_heads(path)
            ends = {source.name: source.last if noted else source.end for source in sources}
            held = max((end or 0 for end in ends.values()), default=0)
            last = _write(path, sources)
            kept = last.seq if last is not None else 0
            lost = max(held, noted[0].seq if noted else 0) - kept
            in_main = ends.get("main", 0)
            given_up = in_main is None or kept < in_main
            if not at_any_cost and given_up and (lost or not noted):
                raise JournalError(
                    f"{path}: {finding.words}, and event {kept + 1} is damaged in the file itself; {REPAIR}"
                )
            if held == 0 and at_any_cost and not even_nothing:  # It may not be a journal at all.
                raise JournalError(f"{path}: {finding.words}; no event of it can be read, and there is no backup")
        beside(path, RESCUING).replace(rescued_path(path))
        sync(path.parent)
        aside = put_family_aside(path, "damaged", FILES)
        put_in_place(rescued_path(path), path)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"{path}: {finding.words}; it can't be put in order: {error}") from error
    finally:
        beside(path, RESCUING).unlink(missing_ok=True)
    return Rescued(_words(finding, last, lost, path, aside), last, lost)


def rescued_path(path: Path) -> Path:
    """Return the path of a complete new journal; if this file exists, it replaces the journal."""
    return beside(path, RESCUED)


def is_intact(row: Row, after: str | None = None) -> bool:
    """Tell whether an event's hash is the hash of what it says, and it follows from ``after``, the hash before."""
    try:
        read_row(row, after)
    except ValueError:
        return False
    return True


def _words(finding: Damage, last: Entry | None, lost: int, path: Path, aside: Path | None) -> Text:
    kept = say("The damaged files are kept in {folder}.", folder=str(aside or path.parent))
    if last is None:
        none = say("nothing is left of it")
        return say("The journal was damaged: {what}; {left}. {kept}", what=finding.words, left=none, kept=kept)
    if not lost:
        return say("The journal was damaged: {what}. Nothing is lost. {kept}", what=finding.words, kept=kept)
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


class _Source:
    """A database that may hold intact events. What can't be read for a reason outside raises sqlite3.Error.

    ``last`` is the number of its last intact one, ``end`` the last number in it, which a turned bit may have made up;
    None if they can't be read.
    """

    def __init__(self, name: str, path: Path, *, with_log: bool = False) -> None:
        self.name = name
        mode = "ro" if with_log else "ro&immutable=1"
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        self._db.text_factory = text
        try:
            found = self._ask("SELECT coalesce(max(seq), 0) FROM event")
            self.end = found[0] if found is not None and isinstance(found[0], int) else None
            self.last = None if self.end is None else self._last_intact()
        except sqlite3.Error:
            self.close()
            raise

    def _last_intact(self) -> int | None:
        query = f"SELECT {COLUMNS} FROM event NOT INDEXED ORDER BY seq DESC"  # noqa: S608 - a constant
        try:
            with closing(self._db.execute(query)) as rows:
                return next((row[0] for row in rows if is_intact(row)), 0)
        except (sqlite3.Error, UnicodeError) as error:
            if comes_from_outside(error):
                raise
            return None

    def event(self, seq: int, after: str) -> Row | None:
        """Return an event, as it was written, if it is here, intact, and follows from ``after``; else None."""
        row = self._ask(f"SELECT {COLUMNS} FROM event NOT INDEXED WHERE seq = ?", seq)  # noqa: S608 - a constant
        if row is None or row[0] != seq:
            return None
        return row if is_intact(row, after) else None

    def _ask(self, query: str, *values: object) -> Row | None:
        try:
            row: Row | None = self._db.execute(query, values).fetchone()
        except (sqlite3.Error, UnicodeError) as error:
            if comes_from_outside(error):
                raise
            return None
        return row

    def close(self) -> None:
        self._db.close()


def _sources(path: Path, stack: ExitStack) -> Iterator[_Source]:
    """Yield the sources: the main file with its log, the main file alone, the second copy, and the backups."""
    left = Path(stack.enter_context(TemporaryDirectory(dir=path.parent, prefix="rescue-"))) / path.name
    lines = left.with_name("lines")
    if path.exists():
        copy_what_is_left(path, left)  # Each lost block is asked for once: that may take the disk half a minute.
        if beside(path, "-wal").exists():
            copy_what_is_left(beside(path, "-wal"), beside(left, "-wal"))
            yield _Source("with log", left, with_log=True)
        yield _Source("main", left)
    if copy_path(path).exists():
        _make(lines, SCHEMA[:1], filter(None, map(row_of, read_lines(copy_path(path)))))
        yield _Source("copy", lines)
    for backup in copies_of(path):
        with suppress(sqlite3.Error):  # One that can't be opened hinders no rescue.
            yield _Source(backup.name, backup)


def _chain(sources: Sequence[_Source]) -> Iterator[Row]:
    """Yield the unbroken chain of events from the first on, each from the first source that has it."""
    seq, after = 1, FIRST_HASH
    while True:
        found = next((row for source in sources if (row := source.event(seq, after)) is not None), None)
        if found is None:
            return
        yield found
        seq, after = seq + 1, found[6]


def _write(path: Path, sources: Sequence[_Source]) -> Entry | None:
    """Write the chain into a new journal beside the old one, durably; return its last event."""
    new = beside(path, RESCUING)
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    last: Row | None = None

    def rows() -> Iterator[Row]:
        nonlocal last
        for row in _chain(sources):
            last = row
            yield row

    _make(new, MAKING, rows())
    sync(new)
    return None if last is None else read_row(last)


def _make(path: Path, statements: Sequence[str], rows: Iterable[Row]) -> None:
    """Make a database of events; only the first of several events of one number enters."""
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        made.execute("BEGIN")
        for statement in statements:
            made.execute(statement)
        made.executemany("INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        made.execute("COMMIT")

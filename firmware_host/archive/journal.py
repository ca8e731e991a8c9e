"""The journal: one SQLite file to which every committed event of every game is appended, and from which games resume.

An entry is durable when :meth:`Journal.append` returns, in two places: in the database (a WAL with ``synchronous=FULL``
keeps it through a kill and a power cut) and in a file of lines beside it (journal_events.py). SQLite silently drops
everything after the first damaged frame of a WAL, and does not notice a wrong byte in the main file. Therefore
the ends of both are checked before SQLite writes (journal_rescue.py), and what one has lost is taken from the other.
Each event carries the SHA-256 of itself and of the event before it: :meth:`Journal.verify` names the first damaged one.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from firmware_host.archive.backups import copy_database
from firmware_host.archive.contents import HeldFiles
from firmware_host.archive.files import (
    LOCK,
    InUse,
    beside,
    free_folder,
    is_there,
    limit_cache,
    lock_beside,
    put_in_place,
    reason_of,
    sync,
)
from firmware_host.archive.journal_events import (
    ANEW,
    APPLICATION_ID,
    COLUMNS,
    FAMILY,
    FILES,
    FIRST_HASH,
    INSERT,
    MAKING,
    MAX_LINE,
    NOTE,
    RESCUED,
    RESCUING,
    SCHEMA,
    SCHEMA_VERSION,
    SECOND,
    CopyFile,
    Entry,
    Head,
    JournalError,
    Row,
    as_row,
    canonical,
    copy_path,
    event_hash,
    hashed_fields,
    line_of,
    read_data,
    read_end,
    read_lines,
    read_row,
    row_of,
    utc_now,
)
from firmware_host.archive.journal_rescue import (
    READ,
    REFUSE,
    REPAIR,
    TELL,
    TRY,
    Damage,
    find_damage,
    finish_rescue,
    free_names,
    is_intact,
    no_files,
    put_family_aside,
    rescue,
    rescued_path,
    tables_of,
    text,
)
from firmware_host.archive.summary import END_KINDS, LIFE_KINDS, GameSummary, summarise, turn_of
from firmware_host.text.words import Text, capital, say

__all__ = ["Entry", "Journal", "JournalError", "utc_now"]

EMPTY = Head(0, FIRST_HASH)
MAX_DATA = MAX_LINE // 2
"""Longest data of an event, bytes of JSON: its line in the second copy is at most about twice as long."""
CHECKPOINT_EVERY = 32
"""Number of events after which the WAL is moved into the main file: a damaged WAL costs a few minutes of play."""


class Journal:
    """One journal file. One program at a time may write; any number may read meanwhile (``writer=False``).

    Use one object from one thread at a time; another thread opens its own journal for reading.
    """

    def __init__(self, path: Path, *, writer: bool = True, check: bool = True, unattended: bool = False) -> None:
        """Open the journal; a writer creates a missing one.

        A writer repairs a journal that has lost its end as far as possible, and reports it in ``found``; a reader
        refuses it, or skips the check with ``check=False`` (a writer has done it). With ``unattended`` a writer opens
        even a journal whose main file must be given up in part: the damaged files are kept. Raise JournalError: the
        file is damaged, is in use by another program, can't be read or written, is no journal, or is of a newer
        program.
        """
        self.path = path.resolve()
        self.writer = writer
        self.faults: list[Text] = []
        """Faults of the files and what was done about them, taken by :meth:`take_faults`."""
        with self._named_errors("be opened"):
            there = is_there(self.path)
            if self.path.is_dir():
                raise JournalError(f"{self.path}: is a folder, expected a journal file")
            if there and not self.path.is_file():
                raise JournalError(f"{self.path}: is no file, expected a journal file")
        if not writer and not there:
            raise JournalError(f"{self.path}: there is no journal; it is made when the first game is played")
        self.is_damaged = False
        """Whether an event was found damaged in both copies when the journal was opened: :meth:`repair` helps."""
        self._lock = threading.RLock()
        self._spoilt: str | None = None
        self._check, self._unattended = check, unattended
        self._is_open = False
        self._head = EMPTY
        self._copy: CopyFile | None = None
        self._files = FileStates(self.path)
        self._guard = take_writers_lock(self.path, self.faults.append) if writer else None
        self._neighbours = HeldFiles(self.path.parent) if writer else None
        try:
            self._open()
        except JournalError:
            self._release()
            raise

    # -- writing -------------------------------------------------------------------------------------------------

    def append(self, game: str, kind: str, data: Mapping[str, Any], at: str) -> Entry:
        """Append one event and return it when it is durable. Raise JournalError if it is not in the journal."""
        return self.append_all([(game, kind, data, at)])[0]

    def append_all(self, events: Sequence[tuple[str, str, Mapping[str, Any], str]]) -> list[Entry]:
        """Append events ``(game, kind, data, at)``, all of them or none; return them when they are durable."""
        with self._lock:
            if not self.writer:
                raise JournalError(f"{self.path}: opened for reading only")
            if self._spoilt is not None:
                raise JournalError(f"{self.path}: an earlier write failed ({self._spoilt}); open the journal anew")
            self.check_files()
            entries = self._chain(events)
            rows = [as_row(entry) for entry in entries]
            with self._named_errors("be written"):
                self._insert(rows)
            if entries:
                self._copy_written(entries, rows)
            return entries

    def abandon(self, game: str, at: str | None = None) -> Entry:
        """Append that a game is abandoned (``at``: UTC, default now)."""
        return self.append(game, "abandoned", {}, at or utc_now())

    def check_files(self) -> None:
        """Raise JournalError if the journal's files were deleted, replaced or changed by others since they were opened.

        New events would then be lost: :meth:`mend` writes the whole journal again.
        """
        found = self._neighbours.look() if self._neighbours is not None else {}
        changed = self._files.change_words()
        if changed is not None:
            raise JournalError(f"{self.path}: {changed}", changed)
        if self._neighbours is not None:
            self._neighbours.hold(found)

    def _chain(self, events: Sequence[tuple[str, str, Mapping[str, Any], str]]) -> list[Entry]:
        seq, prev = self._head.seq, self._head.hash
        entries = []
        for game, kind, written, at in events:
            seq += 1
            try:
                text = canonical(written)
                data = read_data(kind, text)
                if len(text) > MAX_DATA:
                    raise ValueError(f"its data are longer than {MAX_DATA} bytes")
                digest = event_hash(prev, hashed_fields(seq, game, at, kind, text))
            except ValueError as error:
                raise JournalError(f"{self.path}: {kind!r} of game {game!r} can't be written: {error}") from error
            entries.append(Entry(seq, game, at, kind, data, prev, digest))
            prev = digest
        return entries

    def _insert(self, rows: Sequence[Row]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany(INSERT, rows)
            self._db.execute("COMMIT")
        except BaseException as error:
            # After a failed sync the content on the disk is unknown: the journal must be opened again first.
            self._spoilt = str(error) or type(error).__name__
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _copy_written(self, entries: Sequence[Entry], rows: Sequence[Row]) -> None:
        """Write the second copy of durable events, and now and then move the WAL into the main file."""
        before, self._head = self._head.seq, Head(entries[-1].seq, entries[-1].hash)
        try:
            if self._copy is not None:
                self._copy.write(rows)
                self._copy.note(self._head)
        except OSError as error:
            self._spoilt = f"its second copy can't be written: {error.strerror}"
        due = before // CHECKPOINT_EVERY != self._head.seq // CHECKPOINT_EVERY
        if due or any(entry.kind in END_KINDS for entry in entries):
            self._checkpoint()
        self._files.note()

    def _checkpoint(self) -> None:
        """Move the WAL into the main file, as far as readers allow: never waits, and may fail without harm."""
        try:
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error:
            return

    # -- when the files are gone, or the disk is full ----------------------------------------------------------------

    def take_faults(self) -> list[Text]:
        """Return the faults of the files that this method has not returned yet."""
        found, self.faults = self.faults, []
        return found

    def mend(self) -> None:
        """Open the journal again after a failure. If its files were deleted or replaced, write all of it again first.

        Raise JournalError if that fails; it can be tried again. While another program has the journal's place nothing
        is touched, and the database stays open.
        """
        with self._lock, self._named_errors("be opened anew"):
            self._hold_place()
            changed = self._files.change_words() if self._is_open else None
            if changed is not None:
                self.faults.append(self._write_anew(changed))
            self._close()
            if changed is not None:
                put_in_place(rescued_path(self.path), self.path)
            self._open()

    def _hold_place(self) -> None:
        """Hold the lock that lies beside the journal now: with its folder that may have become another file.

        Raise JournalError if another program holds it.
        """
        with suppress(OSError):
            if self._guard is not None and os.path.samestat(os.fstat(self._guard), beside(self.path, LOCK).stat()):
                return
        guard = take_writers_lock(self.path, self.faults.append)
        self._release()
        self._guard = guard

    def repair(self) -> bool:
        """Keep the damaged files aside, and go on from the last event before the damage; return whether that was done.

        Nothing is done if the last game that was started is whole: only that game's events may be given up. Raise
        JournalError if it fails; the journal is as it was then, and can be written.
        """
        with self._lock, self._named_errors("be repaired"):
            query = "SELECT game FROM event WHERE kind = 'start' ORDER BY seq DESC LIMIT 1"
            last = self._db.execute(query).fetchone()
            try:
                if last is None or self.trusted_entries(last[0]):
                    return False
            except JournalError as error:
                finding = Damage(str(error).removeprefix(f"{self.path}: "))
            self._close()
            try:
                words = rescue(self.path, finding, at_any_cost=True).words
            finally:
                self._open()
            self.faults.append(words)
            return True

    def _write_anew(self, changed: Text) -> Text:
        """Copy the database that is still open into a new file, which becomes the journal at the next opening.

        Foreign files that have the journal's names are put aside, all together.
        """
        others = self._files.others()
        anew = beside(self.path, ANEW)
        anew.unlink(missing_ok=True)
        anew.touch(mode=0o600)
        copy_database(self._db, anew)
        with closing(Journal(anew, writer=False, check=False)) as copy:
            copy.verify()
            if copy._head != self._head:
                raise JournalError(f"{self.path}: {changed}, and its last events can't be read any more", changed)
        words = capital(say("{what}; a new copy was written to {path}.", what=changed, path=str(self.path)))
        put_family_aside(self.path, "replaced", others & {RESCUING, RESCUED})
        anew.replace(rescued_path(self.path))
        sync(self.path.parent)  # From now on a power cut loses nothing of it.
        try:
            folder = put_family_aside(self.path, "replaced", others.intersection(FILES))
        except OSError:
            rescued_path(self.path).unlink()
            raise
        if folder is not None:
            words = say("{what} The other file is kept in {folder}.", what=words, folder=str(folder))
        if self._neighbours is not None:
            self._neighbours.write_missing()
        return words

    @property
    def length(self) -> int:
        """The number of the last event."""
        return self._head.seq

    # -- queries -------------------------------------------------------------------------------------------------

    def entries(self, game: str, after: int = 0) -> list[Entry]:
        """Return the entries of a game behind an event, oldest first; none of an unknown game.

        Raise JournalError at a damaged one.
        """
        return self._select("WHERE game = ? AND seq > ? ORDER BY seq", (game, after))

    def trusted_entries(self, game: str) -> list[Entry]:
        """Return all entries of a game that is to be resumed. Raise JournalError if they are not complete and intact.

        From the game's first entry to the journal's last none may be missing or out of the chain, and the index must
        list all of the game's. Earlier entries are left to :meth:`verify`.
        """
        entries = self.entries(game)
        if not entries or entries[0].kind != "game":
            raise JournalError(f"{self.path}: the beginning of game {game!r} is missing, or the index is damaged")
        expected = first = entries[0].seq
        hashes, named = {entry.seq: entry.hash for entry in entries}, 0
        prev = entries[0].prev if first > 1 else FIRST_HASH
        query = "SELECT seq, game, prev, hash FROM event NOT INDEXED WHERE seq >= ? ORDER BY seq"
        with self._lock, self._named_errors("be read"), closing(self._db.execute(query, (max(1, first - 1),))) as rows:
            for seq, of, before, digest in rows:
                if seq == first - 1:
                    prev = digest
                    continue
                self._check_place(seq, expected, before, prev)
                if of == game and hashes.get(seq) != digest:
                    raise JournalError(f"{self.path}: the index is damaged: it does not name event {seq}")
                named += of == game
                expected, prev = seq + 1, digest
        if named != len(entries):
            raise JournalError(f"{self.path}: the index is damaged: it names events of game {game!r} that are not its")
        return entries

    def games(self, known: Mapping[str, GameSummary] | None = None) -> list[GameSummary]:
        """Return all games, oldest first, including lobbies without a start.

        Games in ``known`` (ended ones, say) are not read again while their number of entries is the same.
        """
        known = known or {}
        with self._lock, self._named_errors("be read"):
            rows = self._db.execute("SELECT game, count(*) FROM event GROUP BY game ORDER BY min(seq)").fetchall()
        return [
            known[game] if game in known and known[game].events == events else self._summary(game, events)
            for game, events in rows
        ]

    def unfinished_game(self) -> GameSummary | None:
        """Return the most recently played game that was started and neither ended nor abandoned; None without one.

        A game that was resumed after it was abandoned counts as unfinished, and so does one whose end was taken back.
        """
        with self._lock, self._named_errors("be read"):
            row = self._db.execute(
                "SELECT game, count(*), max(seq) FROM event GROUP BY game"
                " HAVING max(kind = 'start') AND max(seq * (kind = 'result')) <= max(seq * (kind = 'correction'))"
                " AND max(seq * (kind = 'abandoned')) <= max(seq * (kind = 'taken-up')) ORDER BY 3 DESC LIMIT 1"
            ).fetchone()
        return self._summary(row[0], row[1]) if row is not None else None

    def moved_claims(self) -> dict[str, str]:
        """Return claim before → claim after of every seat, in any game, that has moved to another phone."""
        held: dict[tuple[str, int], str] = {}
        moved: dict[str, str] = {}
        for entry in self._select("WHERE kind IN ('seat', 'moved') ORDER BY seq"):
            place, claim = (entry.game, entry.data["seat"]), entry.data["claim"]
            if entry.kind == "moved" and place in held:
                moved[held[place]] = claim
            held[place] = claim
        return moved

    def verify(self) -> None:
        """Check every event's hash and chain, and the second copy. Raise JournalError naming the first bad event."""
        with self._lock, self._named_errors("be verified"):
            self._check_schema()
            expected, prev, fields, differs, more = 1, FIRST_HASH, "", 0, False
            with closing(self._db.execute(f"SELECT {COLUMNS} FROM event NOT INDEXED ORDER BY seq")) as rows:  # noqa: S608 - a constant
                lines: Iterator[bytes] | None = read_lines(copy_path(self.path))
                for row in rows:
                    self._check_place(row[0], expected, prev, prev)
                    with suppress(ValueError):  # Of another type than text: the event is damaged.
                        fields = hashed_fields(*row[:5])
                    prev = self._entry(row, after=prev, fields=fields).hash
                    expected += 1
                    if lines is not None and next(lines, None) != line_of(row, fields):
                        differs, more, lines = row[0], any(map(row_of, lines)), None
            if differs and (more or (expected - 1 > differs and read_end(copy_path(self.path)).torn)):
                raise JournalError(f"{self.path}: event {differs} is damaged in the second copy")
            # The chain is intact, but SQLite's own structure, above all the index, may be damaged.
            found = self._db.execute("PRAGMA integrity_check(1)").fetchone()
            if found != ("ok",):
                raise JournalError(f"{self.path}: all events are whole, but the file is damaged: {found[0]}")

    def _check_place(self, seq: int, expected: int, before: str, prev: str) -> None:
        """Raise JournalError unless an event is the expected one, and follows from the event before."""
        if seq != expected:
            raise JournalError(f"{self.path}: event {expected} is missing (the next one is {seq})")
        if before != prev:
            raise JournalError(f"{self.path}: event {seq} is damaged: it does not follow from the event before it")

    def _check_schema(self) -> None:
        if tables_of(self._db) != set(SCHEMA):
            raise JournalError(f"{self.path}: damaged: its tables are not those of a journal (schema {SCHEMA_VERSION})")

    def _select(self, where: str, parameters: tuple[str | int, ...] = ()) -> list[Entry]:
        with self._lock, self._named_errors("be read"):
            rows = self._db.execute(f"SELECT {COLUMNS} FROM event {where}", parameters).fetchall()  # noqa: S608
        return [self._entry(row) for row in rows]

    def _entry(self, row: Row, after: str | None = None, fields: str | None = None) -> Entry:
        """Return a row as an entry. Raise JournalError if it is damaged, or does not follow from ``after``."""
        try:
            return read_row(row, after, fields)
        except ValueError as error:
            raise JournalError(f"{self.path}: event {row[0]} is damaged: {error}") from error

    def _summary(self, game: str, events: int) -> GameSummary:
        marks = ", ".join("?" * len(LIFE_KINDS))
        entries = self._select(f"WHERE game = ? AND kind IN ({marks}) ORDER BY seq", (game, *LIFE_KINDS))
        try:
            turns = self._last_turn(game, entries[0].data) if entries else 0
            end = max((entry.seq for entry in entries if entry.kind in END_KINDS), default=0)
            life = [(entry.kind, entry.at, entry.data) for entry in entries]
            return summarise(game, life, turns=turns, events=events, end=end)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise JournalError(f"{self.path}: the entries of game {game!r} are not as expected: {error!r}") from error

    def _last_turn(self, game: str, head: Mapping[str, Any]) -> int:
        """Return the turn of the last reveal; in a game without seals, the turn of the last action."""
        revealed = self._select("WHERE game = ? AND kind = 'reveal' ORDER BY seq DESC LIMIT 1", (game,))
        if revealed:
            return int(revealed[0].data["turn"])
        acted = self._select("WHERE game = ? AND kind = 'action' ORDER BY seq DESC LIMIT 1", (game,))
        if not acted:
            return 0
        before = self._select(
            "WHERE game = ? AND seq < ? AND kind IN ('start', 'action', 'correction') ORDER BY seq DESC LIMIT 1",
            (game, acted[0].seq),
        )
        return turn_of(head["game"], head["rules"], before[0].data["position"]) if before else 0

    # -- opening and closing -------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file and let another program write."""
        with self._lock:
            try:
                self._close()
            finally:
                self._release()

    def _close(self) -> None:
        try:
            self._is_open = False
            self._db.close()
        except sqlite3.Error:
            pass  # What was appended is durable already.
        finally:
            if self._copy is not None:
                self._copy.close()
                self._copy = None

    def _release(self) -> None:
        if self._guard is not None:
            os.close(self._guard)
            self._guard = None

    def _open(self) -> None:
        """Check the files, open them, and read the last event."""
        with self._named_errors("be opened"):
            if self.writer:
                self.faults += finish_rescue(self.path)
            for place in no_files(self.path, READ):
                raise JournalError(f"{place}: is no file, expected one of the journal's; a table puts it aside")
            if self._check:
                self._mend_files()
            self._db = self._connect()
            self._is_open = True
        try:
            with self._named_errors("be opened"):
                self._prepare()
                self._head = self._read_head()
                if self.writer:
                    self._copy = self._open_copy()
                    self._spoilt = None
            self._files = FileStates(self.path)
        except JournalError:
            self._close()
            raise

    def _mend_files(self) -> None:
        self.is_damaged = False
        finding = find_damage(self.path, thorough=self.writer)
        if finding is None:
            return
        at_any_cost = self._unattended and finding.todo != TRY
        if not self.writer or (finding.todo == REFUSE and not at_any_cost):
            more = "" if finding.todo == TELL else f"; {REPAIR}"
            raise JournalError(f"{self.path}: the journal is damaged: {finding.words}{more}")
        if finding.todo == TELL:
            if copy_path(self.path).exists():
                copy_path(self.path).replace(free_folder(self.path.parent, "replaced") / copy_path(self.path).name)
            self.faults.append(say("This is not the journal that was written last: {what}.", what=finding.words))
            return
        try:
            rescued = rescue(self.path, finding, at_any_cost=at_any_cost, even_nothing=at_any_cost)
            self.faults.append(rescued.words)
        except JournalError:
            if finding.todo != TRY:
                raise
            self.is_damaged = True

    def _open_copy(self) -> CopyFile:
        """Open the second copy of the events, and write the lines that it lacks. Raise OSError."""
        path = copy_path(self.path)
        lines = read_end(path)
        whole = 0 if lines.has_gaps else lines.unbroken()
        if lines.has_gaps:  # What can't be read can't be overwritten in part.
            put_family_aside(self.path, "damaged", (SECOND,))
        others = {row[0]: row for row in lines.rows[whole:]}
        last = lines.rows[whole - 1][0] if whole else 0
        damaged = False
        copy = CopyFile(self.path, lines.ends[whole - 1] if whole else 0)
        try:
            query = f"SELECT {COLUMNS} FROM event NOT INDEXED WHERE seq > ? ORDER BY seq"  # noqa: S608 - a constant
            with closing(self._db.execute(query, (last,))) as rows:
                while some := list(islice(rows, 1000)):
                    intact = [row if is_intact(row) else others.get(row[0]) for row in some]
                    damaged = damaged or any(row and others and row[0] not in others for row in intact)
                    copy.write(row for row in intact if row is not None)
            copy.replace_note(self._head)
        except BaseException:
            copy.close()
            raise
        if damaged or lines.has_gaps:
            self.faults.append(say("The second copy of the journal was damaged; it is written anew. Nothing is lost."))
        elif lines.torn and self._head.seq > last + 1:  # More is missing than the line that a power cut has torn.
            words = say(
                "The second copy of the journal had lost its end; it is written anew up to event {seq}.",
                seq=self._head.seq,
            )
            self.faults.append(words)
        return copy

    def _connect(self) -> sqlite3.Connection:
        if self.writer and not self.path.exists():  # Readable for this user only: it holds claims and openings.
            self.path.touch(mode=0o600)
        uri = f"{self.path.as_uri()}?mode={'rwc' if self.writer else 'ro'}"
        # The program opens the journal on one thread and passes it to the loop's.
        database = sqlite3.connect(uri, uri=True, timeout=5.0, isolation_level=None, check_same_thread=False)
        database.text_factory = text
        return database

    def _prepare(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        limit_cache(self._db)
        if self.writer:
            self._check_owner(empty_is_fine=True)
            self._db.execute("PRAGMA journal_mode = WAL").fetchall()
            self._db.execute("PRAGMA synchronous = FULL")
            if self._number("PRAGMA user_version") == 0:
                self._create()
        self._check_owner(empty_is_fine=False)
        self._check_schema()

    def _create(self) -> None:
        """Make the schema and move it into the main file, so that it survives even a lost WAL."""
        self._db.execute("BEGIN IMMEDIATE")
        for statement in MAKING:
            self._db.execute(statement)
        self._db.execute("COMMIT")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _check_owner(self, *, empty_is_fine: bool) -> None:
        version, owner = self._number("PRAGMA user_version"), self._number("PRAGMA application_id")
        if empty_is_fine and version == owner == self._number("SELECT count(*) FROM sqlite_master") == 0:
            return
        if owner != APPLICATION_ID:
            raise JournalError(f"{self.path}: not a journal of games; name another file or folder")
        if version > SCHEMA_VERSION:
            raise JournalError(
                f"{self.path}: written by a newer program (schema {version}, this one knows {SCHEMA_VERSION});"
                " install the newer version, nothing was changed"
            )

    def _read_head(self) -> Head:
        row = self._db.execute(f"SELECT {COLUMNS} FROM event ORDER BY seq DESC LIMIT 1").fetchone()  # noqa: S608
        if row is None:
            return EMPTY
        last = self._entry(row)
        return Head(last.seq, last.hash)

    def _number(self, query: str) -> int:
        return int(self._db.execute(query).fetchone()[0])

    @contextmanager
    def _named_errors(self, wish: str) -> Iterator[None]:
        """Turn SQLite's and the system's errors into JournalErrors with the file's name."""
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"{self.path}: the journal can't {wish}: {error}", _reason(error)) from error
        except OSError as error:
            why = error.strerror or str(error)
            where = "" if error.filename in {None, str(self.path)} else f"{error.filename}: "
            raise JournalError(f"{self.path}: the journal can't {wish}: {where}{why}", _reason(error)) from error
        except UnicodeError as error:
            raise JournalError(f"{self.path}: the journal can't {wish}: a text in it is damaged ({error})") from error


def _reason(error: sqlite3.Error | OSError) -> str:
    """Return the cause of an error of SQLite or the system in a few words, for the people at the table."""
    if isinstance(error, OSError):
        name = errno.errorcode.get(error.errno or 0, "")
    else:
        name = str(getattr(error, "sqlite_errorname", ""))
    known = next((words for names, words in _REASONS.items() if name.startswith(names)), None)
    return known or reason_of(error)


_REASONS: Mapping[tuple[str, ...], Text] = {
    ("SQLITE_FULL", "ENOSPC", "EDQUOT"): say("the disk is full"),
    ("SQLITE_IOERR", "EIO", "EFBIG"): say("the disk can't be written"),
    ("SQLITE_READONLY", "EROFS", "EACCES"): say("the journal's file can only be read"),
    ("SQLITE_CORRUPT", "SQLITE_NOTADB"): say("the journal's file is damaged"),
}
"""Beginnings of the names of SQLite's or the system's errors → their meaning."""


# -- the files and their writer ---


def take_writers_lock(path: Path, tell: Callable[[Text], None]) -> int:
    """Return the descriptor of the lock of a journal's writer; ``tell`` what had its name. Raise JournalError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for told in free_names(path, (LOCK,)):
            tell(told)
        return lock_beside(path)
    except InUse as error:
        process = f" (process {error.process})" if error.process else ""
        raise JournalError(
            f"{path}: another program{process} is playing with this journal; end it first, or choose another folder"
        ) from error
    except OSError as error:
        raise JournalError(f"{path}: the journal can't be written: {error.filename}: {error.strerror}") from error


WATCHED = ("", "-wal", SECOND, NOTE)
"""Suffixes of the files into which an open journal writes."""


class FileStates:
    """The state of an open journal's files after the program's last write: detects changes by others.

    SQLite itself silently goes on writing to a deleted file.
    """

    def __init__(self, path: Path) -> None:
        """Remember the present state of the files."""
        self._paths = {suffix: beside(path, suffix) for suffix in FAMILY}
        self._known = self._now()

    def note(self) -> None:
        """Remember the state after the program's own write; a file that has been replaced stays unknown."""
        for suffix, state in self._now().items():
            known = self._known[suffix]
            if known is None or _same_file(state, known):
                self._known[suffix] = state

    def change_words(self) -> Text | None:
        """Return the change of the files in words; None without one."""
        now = self._now()
        watched = [(now[suffix], self._known[suffix]) for suffix in WATCHED if self._known[suffix] is not None]
        if now[""] is None or any(found is None for found, _ in watched):
            return say("the journal's file is gone: it was deleted or moved, or its disk was taken out")
        if not all(_same_file(found, known) for found, known in watched):
            return say("another file was put in the journal's place while the table is open")
        if now[""] != self._known[""]:
            return say("another program has written to the journal's file while the table is open")
        return None

    def others(self) -> set[str]:
        """Return the suffixes that foreign files have now among the journal's names."""
        now = self._now()
        return {suffix for suffix, state in now.items() if state and not _same_file(state, self._known[suffix])}

    def _now(self) -> dict[str, _State | None]:
        return {suffix: _state(path) for suffix, path in self._paths.items()}


_State = tuple[int, int, int, int]
"""A file's device, inode, time of the last change in nanoseconds, and size in bytes."""


def _state(path: Path) -> _State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _same_file(one: _State | None, other: _State | None) -> bool:
    return one is not None and other is not None and one[:2] == other[:2]

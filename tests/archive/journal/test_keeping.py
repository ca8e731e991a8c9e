"""What goes in comes out, and is never changed."""

import ctypes
import ctypes.util
import hashlib
import json
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.archive.backups import back_up
from firmware_host.archive.files import CACHE_KIB
from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import FIRST_HASH, SCHEMA_VERSION
from tests.archive.journal.journals import AT, fill, refusal, reopened

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["g1", "g2", "spokes-0a1b2c3d"]),
        st.sampled_from(["seal", "reveal", "action", "mask"]),
        st.dictionaries(st.text(max_size=5), JSON, max_size=4),
        st.just(AT),
    ),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(EVENTS, st.integers(0, 12))
def test_everything_appended_is_there_after_reopening(events: list[Any], together: int) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "journal.sqlite"
        journal = Journal(file)
        written = journal.append_all(events[:together]) + [journal.append(*event) for event in events[together:]]
        journal.close()
        again = Journal(file, writer=False)
        again.verify()
        assert [(e.game, e.kind, e.data, e.at) for e in written] == events
        for game in ("g1", "g2", "spokes-0a1b2c3d"):
            assert again.entries(game) == [entry for entry in written if entry.game == game]
        again.close()


def test_the_chain_is_the_documented_hash(journal: Journal) -> None:
    first, second = fill(journal, 2)
    assert first.prev == FIRST_HASH == hashlib.sha256(b"lodestone-journal-v1").hexdigest()
    assert second.prev == first.hash
    data = json.dumps(second.data, sort_keys=True, separators=(",", ":"))
    fields = json.dumps([2, "g1", AT, "action", data], separators=(",", ":"))
    assert second.hash == hashlib.sha256(f"{first.hash}\n{fields}".encode()).hexdigest()


def test_the_file_is_written_the_safe_way(journal: Journal) -> None:
    def pragma(name: str) -> Any:
        return journal._db.execute(f"PRAGMA {name}").fetchone()[0]

    assert (pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")) == ("wal", 2, 1)
    assert pragma("busy_timeout") == 5000
    assert pragma("user_version") == SCHEMA_VERSION


@pytest.mark.parametrize("data", [{"x": float("nan")}, {"x": {1, 2}}, {"x": b"bytes"}])
def test_events_enter_together_or_not_at_all(journal: Journal, data: dict[str, Any]) -> None:
    fill(journal, 1)
    assert "can't be written" in refusal(lambda: journal.append_all([("g1", "a", {}, AT), ("g1", "b", data, AT)]))
    assert len(journal.entries("g1")) == 1
    assert journal.append("g1", "c", {}, AT).seq == 2


def test_the_loops_thread_may_write_what_another_opened(journal: Journal) -> None:
    with ThreadPoolExecutor(1) as loop:
        entry = loop.submit(fill, journal, 1).result()[0]
    assert journal.entries("g1") == [entry]


def test_a_finished_game_needs_no_wal(journal: Journal, path: Path, tmp_path: Path) -> None:
    entries = fill(journal, 3)
    entries.append(journal.append("g1", "result", {"winners": [1], "reason": "filled"}, AT))
    copy = tmp_path / "copy.sqlite"
    shutil.copy(path, copy)
    assert reopened(copy) == entries


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET data = '{}' WHERE seq = 2",
        "UPDATE OR REPLACE event SET seq = 1 WHERE seq = 2",
        "DELETE FROM event WHERE seq = 3",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event VALUES (2, 'g1', '', '', '{}', '', '')",
        "INSERT INTO event VALUES (9, 'g1', '', '', '{}', '', '')",
        "INSERT INTO event VALUES (NULL, 'g1', '', '', '{}', '', '')",
    ],
)
def test_the_database_itself_refuses_to_change_what_is_written(journal: Journal, path: Path, statement: str) -> None:
    before = fill(journal, 3)
    other = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(statement)
    other.close()
    assert journal.entries("g1") == before


def test_a_journal_is_read_by_its_owner_alone(journal: Journal, path: Path) -> None:
    """It holds openings for the moment between the first and the last; SQLite gives its other files the same rights."""
    fill(journal, 1)
    assert {file.stat().st_mode & 0o077 for file in path.parent.glob(f"{path.name}*") if file.suffix != ".lock"} == {0}


@pytest.fixture
def sqlite() -> ctypes.CDLL:
    """The library that Python uses, with its own count of memory: now, and at most since it was asked last."""
    library = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
    library.sqlite3_memory_used.restype = library.sqlite3_memory_highwater.restype = ctypes.c_int64
    with closing(sqlite3.connect(":memory:")):
        if library.sqlite3_memory_used() == 0:
            pytest.skip("this Python brings an SQLite of its own, which nobody can ask")
    return library


def fill_long(journal: Journal) -> None:
    """Play all day."""
    for _ in range(90):
        journal.append_all([("g1", "action", {"words": "x" * 2000}, AT) for _ in range(32)])


def test_a_long_journal_fills_no_memory(tmp_path: Path, sqlite: ctypes.CDLL) -> None:
    """A table that plays all day reads ever more: SQLite keeps little of it, by its own count."""
    before = sqlite.sqlite3_memory_used()
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        fill_long(journal)
        assert journal.path.stat().st_size > 1 << 22
        assert len(journal.entries("g1")) == 2880
        assert sqlite.sqlite3_memory_used() - before < (CACHE_KIB + 256) << 10


def test_a_backup_of_a_long_journal_takes_little_memory(tmp_path: Path, sqlite: ctypes.CDLL) -> None:
    """One is made at the end of each game: what it takes for a moment leaves gaps for good."""
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        fill_long(journal)
        before = sqlite.sqlite3_memory_used()
        sqlite.sqlite3_memory_highwater(1)
        assert back_up(journal.path).stat().st_size > 1 << 22
        assert sqlite.sqlite3_memory_highwater(0) - before < (2 * CACHE_KIB + 512) << 10

"""Files that are no journals are refused and left alone."""

import sqlite3
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import SCHEMA_VERSION, JournalError
from tests.archive.journal.journals import fill, refusal, reopened


@pytest.mark.parametrize("writer", [True, False])
def test_a_newer_schema_is_refused_and_left_alone(path: Path, writer: bool) -> None:
    Journal(path).close()
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    other.close()
    before = path.read_bytes()
    assert "written by a newer program" in refusal(lambda: Journal(path, writer=writer))
    assert path.read_bytes() == before


@pytest.mark.parametrize("writer", [True, False])
def test_other_files_are_refused_and_left_alone(tmp_path: Path, writer: bool) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("my notes\n" * 200)
    assert "file is not a database" in refusal(lambda: Journal(text, writer=writer))
    assert text.read_text() == "my notes\n" * 200
    foreign = tmp_path / "foreign.sqlite"
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE recipe (name TEXT)")
    other.close()
    before = foreign.read_bytes()
    assert "not a journal of games" in refusal(lambda: Journal(foreign, writer=writer))
    assert foreign.read_bytes() == before
    assert "is a folder" in refusal(lambda: Journal(tmp_path, writer=writer))


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("/home/ann/my games/journal.sqlite: not a journal of games", "journal.sqlite: not a journal of games"),
        ("/a/j.sqlite: can't be written: /a/b/j.lines: no room", "j.sqlite: can't be written: j.lines: no room"),
        (r"C:\Users\ann\j.sqlite: event 3 is damaged", "j.sqlite: event 3 is damaged"),
        ("j.sqlite: 'seat' and/or 'game' is missing", "j.sqlite: 'seat' and/or 'game' is missing"),
    ],
)
def test_people_at_the_table_are_told_no_folder(message: str, reason: str) -> None:
    error = JournalError(message)
    assert (str(error), error.reason) == (message, reason)


def test_a_path_that_cant_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert f"{tmp_path / 'file'}: File exists" in refusal(lambda: Journal(tmp_path / "file" / "journal.sqlite"))
    assert "there is no journal" in refusal(lambda: Journal(tmp_path / "none.sqlite", writer=False))
    assert not (tmp_path / "none.sqlite").exists()


def test_a_journal_locked_by_something_else_is_refused_not_waited_for_ever(journal: Journal, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal._db.execute("PRAGMA busy_timeout = 20")
    assert "database is locked" in refusal(lambda: fill(journal, 1))
    other.execute("ROLLBACK")
    other.close()
    assert fill(journal, 1)[0].seq == 1, "nothing was written by the refused attempt, and the next one works"


def test_an_interrupted_creation_is_taken_up(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = WAL")
    other.close()
    journal = Journal(path)
    fill(journal, 1)
    journal.close()
    assert len(reopened(path)) == 1

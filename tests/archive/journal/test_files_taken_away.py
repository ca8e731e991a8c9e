"""Files that vanish under a running program: it is noticed before anything is lost, and all is written anew."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.archive.contents import CONTENTS
from firmware_host.archive.files import beside
from firmware_host.archive.journal import Journal
from tests.archive.journal.journals import AT, fill, refusal, reopened
from tests.sentences import is_in


def delete(path: Path) -> None:
    for file in path.parent.iterdir():
        file.unlink()


def delete_main(path: Path) -> None:
    path.unlink()


def delete_log(path: Path) -> None:
    beside(path, "-wal").unlink()


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


@pytest.mark.parametrize("harm", [delete, delete_main, delete_log, move_folder])
@pytest.mark.parametrize("count", [3, 40])
def test_a_deleted_journal_is_written_anew(
    journal: Journal, path: Path, harm: Callable[[Path], None], count: int
) -> None:
    entries = fill(journal, count)
    harm(path)
    assert "the journal's file is gone" in refusal(lambda: journal.append("g1", "action", {"n": -1}, AT))
    assert "the journal's file is gone" in refusal(journal.check_files)
    journal.mend()
    (told,) = journal.take_faults()
    assert is_in("a new copy was written to", told)
    assert str(path) in told
    journal.check_files()
    assert journal.entries("g1") == entries
    entries += fill(journal, 2)
    assert "another program" in refusal(lambda: Journal(path)), "it is still this program's alone"
    journal.close()
    assert reopened(path) == entries


@pytest.mark.parametrize("with_log", [True, False])
def test_a_replaced_journal_is_written_anew_and_the_other_is_kept(
    journal: Journal, path: Path, tmp_path: Path, with_log: bool
) -> None:
    entries = fill(journal, 40)
    other = Journal(tmp_path / "other" / "journal.sqlite")
    others = fill(other, 5, game="g2")
    new = tmp_path / "new"
    new.mkdir()
    for file in (other.path, beside(other.path, "-wal")):
        shutil.copy(file, new / file.name)
    if not with_log:
        beside(new / "journal.sqlite", "-wal").unlink()
    for file in new.iterdir():
        file.replace(path.parent / file.name)
    other.close()
    assert is_in("another file was put in", refusal(journal.check_files))
    journal.mend()
    (told,) = journal.take_faults()
    (folder,) = path.parent.glob("replaced-*")
    assert is_in("The other file is kept in", told)
    assert str(folder) in told
    assert journal.entries("g1") == entries
    entries += fill(journal, 1)
    journal.close()
    assert reopened(path) == entries
    if with_log:
        kept = Journal(folder / "journal.sqlite", writer=False)
        assert kept.entries("g2") == others
        kept.close()


def test_a_journal_that_was_overwritten_is_not_believed(journal: Journal, path: Path) -> None:
    """Pages that this program has not read lately are lost: nothing is put in the journal's place then."""
    fill(journal, 400)
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xff" * (len(content) - 4096 * 2)
    path.write_bytes(content)
    journal._db.execute("PRAGMA shrink_memory")
    assert is_in("another program has written to", refusal(journal.check_files))
    for _ in range(2):
        assert f"{path}" in refusal(journal.mend)
    assert path.read_bytes() == bytes(content)


def test_a_journal_can_be_opened_anew_when_nothing_has_happened_to_it(journal: Journal, path: Path) -> None:
    entries = fill(journal, 3)
    journal.mend()
    assert journal.take_faults() == []
    entries += fill(journal, 30)
    journal.close()
    assert reopened(path) == entries
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "journal.sqlite",
        "journal.sqlite.copy",
        "journal.sqlite.head",
        "journal.sqlite.lock",
    ]


def test_what_lies_beside_a_journal_comes_back_with_it(journal: Journal, path: Path) -> None:
    """The phones' seats and the host's rights hang on these files."""
    fill(journal, 2)
    kept = {"key": b"k" * 32, "host": b"token", "host-entered": b"", "company.json": b"{}", "solved.jsonl": b"{}\n"}
    for name, content in kept.items():
        (path.parent / name).write_bytes(content)
    journal.check_files()
    (path.parent / "codes-hidden").touch()
    journal.check_files()
    (path.parent / "codes-hidden").unlink()
    journal.check_files()
    move_folder(path)
    assert refusal(journal.check_files)
    journal.mend()
    found = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.name in {*kept, "codes-hidden"}}
    assert found == kept
    assert (path.parent / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("gone", ["deleted", "moved"])
def test_a_table_that_has_the_place_now_loses_nothing(journal: Journal, path: Path, gone: str) -> None:
    """The first one stands still, with its games, until the other one has ended; then both are kept."""
    entries = fill(journal, 3)
    if gone == "deleted":
        shutil.rmtree(path.parent)
    else:
        move_folder(path)
    other = Journal(path)
    others = fill(other, 2, game="g2")
    before = {file: file.stat().st_ino for file in path.parent.iterdir()}
    for _ in range(3):
        assert refusal(lambda: journal.append("g1", "action", {"n": -1}, AT))
        assert "another program" in refusal(journal.mend)
        assert {file: file.stat().st_ino for file in path.parent.iterdir()} == before
    assert journal.entries("g1") == entries, "it is still open"
    others += fill(other, 1, game="g2")
    other.close()
    journal.mend()
    (told,) = journal.take_faults()
    (folder,) = path.parent.glob("replaced-*")
    assert str(folder) in told
    assert journal.entries("g1") == entries
    entries += fill(journal, 1)
    journal.close()
    assert reopened(path) == entries
    kept = Journal(folder / path.name)
    assert kept.take_faults() == []
    assert kept.entries("g2") == others
    kept.close()


def test_what_is_foreign_goes_as_a_family(journal: Journal, path: Path) -> None:
    """Nothing of the other journal is left beside this one, neither its note nor a copy that was being made."""
    entries = fill(journal, 3)
    move_folder(path)
    other = Journal(path)
    others = fill(other, 40, game="g2")
    other.close()
    for suffix in (".rescuing", ".rescued"):
        shutil.copy(path, beside(path, suffix))
    journal.mend()
    (told,) = journal.take_faults()
    assert is_in("The other file is kept in", told)
    assert journal.entries("g1") == entries
    assert not journal.entries("g2")
    names = {file.name for folder in path.parent.glob("replaced-*") for file in folder.iterdir()}
    assert {path.name, *(f"{path.name}{one}" for one in (".copy", ".head", ".rescuing", ".rescued"))} <= names
    (folder,) = (file.parent for file in path.parent.glob(f"replaced-*/{path.name}"))
    with closing(Journal(folder / path.name, writer=False)) as kept:
        assert kept.entries("g2") == others


def test_a_foreign_note_is_noticed(journal: Journal, path: Path) -> None:
    entries = fill(journal, 3)
    note = beside(path, ".head")
    content = note.read_bytes()
    note.unlink()
    note.write_bytes(content)
    assert is_in("another file was put in", refusal(journal.check_files))
    journal.mend()
    assert journal.entries("g1") == entries
    assert len(list(path.parent.glob("replaced-*/*"))) == 1


def is_interned(name: str) -> bool:
    """Return whether somebody holds this text interned: else the copy that is asked for is the first."""
    copy = "".join(list(name))
    return sys.intern(copy) is not copy


def test_looking_after_the_files_makes_no_names_anew(tmp_path: Path) -> None:
    """Each second a dozen names came and went: Python's table of interned names took 1 MB more after half an hour."""
    path = tmp_path / "a part of a path that nobody else has"
    if not is_interned(path.name):
        pytest.skip("this Python's pathlib interns no parts of paths")
    journal = Journal(tmp_path / "journal.sqlite")
    fill(journal, 1)
    journal.check_files()
    held = [name for name, traits in CONTENTS.items() if "held" in traits]
    files = ["journal.sqlite-wal", "journal.sqlite.copy", "journal.sqlite.head"]
    assert [name for name in (*held, *files) if not is_interned(name)] == []
    journal.close()

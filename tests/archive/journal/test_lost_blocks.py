"""A disk has lost a block of one of the journal's files: what reads it gets an error, each time."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firmware_host import platform
from firmware_host.archive import files
from firmware_host.archive.files import beside, copy_what_is_left, open_what_is_left
from firmware_host.archive.journal import Journal
from tests.archive.journal.journals import fill, reopened
from tests.sampling import cases

CODE = Path(__file__).with_name("lost_block.c")
OPEN = """
import sys
from pathlib import Path
from firmware_host.archive.journal import Journal
journal = Journal(Path(sys.argv[1]), unattended=True)
before = journal.length
journal.append("g1", "action", {"n": -1}, "2026-11-21T10:00:00.000+00:00")
journal.verify()
print(before, *journal.take_faults())
"""
EVENTS = 300


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs Linux and a C compiler")
    made = tmp_path_factory.mktemp("shim") / "lost_block.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", made, CODE, "-ldl"], check=True, capture_output=True)
    return made


def run(shim: Path, file: Path, at: int, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "LD_PRELOAD": str(shim), "LOST_INODE": str(file.stat().st_ino), "LOST_AT": str(at)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def played(path: Path) -> Path:
    """Return a journal of a program that was killed: its log has the last events."""
    journal = Journal(path)
    fill(journal, EVENTS)
    there = path.parent.with_name("killed")
    shutil.copytree(path.parent, there)
    journal.close()
    return there / path.name


# The main file's header, a page of the table, one of the index; the log's header and middle; lines, room, the note.
PLACES = [("", 0), ("", 4096), ("", 8192), ("", 40960), ("", 98304), ("-wal", 0), ("-wal", 40000), (".copy", 0),
          (".copy", 90000), (".copy", -8192), (".copy", -1), (".head", 0), (".head", 4096)]  # fmt: skip


@pytest.mark.parametrize(("suffix", "at"), cases(PLACES, ("", 0), ("-wal", 40000), (".copy", -1), (".head", 0)))
def test_a_table_opens_and_nothing_is_lost(shim: Path, played: Path, suffix: str, at: int) -> None:
    file = beside(played, suffix)
    assert abs(at) <= file.stat().st_size, "the place is in the file"
    told = run(shim, file, at % file.stat().st_size, "-c", OPEN, str(played))
    assert told.split()[0] == str(EVENTS)
    assert "lost:" not in told
    assert len(reopened(played)) == EVENTS + 1


@pytest.mark.parametrize(("suffix", "at"), cases(PLACES, ("", 40960)))
def test_it_is_repaired(shim: Path, played: Path, suffix: str, at: int) -> None:
    file = beside(played, suffix)
    words = ("record", "repair", "--data", str(played.parent))
    run(shim, file, at % file.stat().st_size, "-m", "firmware_host", *words)
    assert len(reopened(played)) == EVENTS


def test_what_is_left_of_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whatever length the reads are; and the copy has what is left, in its place."""
    path, copy = tmp_path / "file", tmp_path / "copy"
    content = os.urandom(5 * files.BLOCK + 100)
    path.write_bytes(content)
    bad = range(2 * files.BLOCK, 3 * files.BLOCK)
    lose(monkeypatch, bad, errno.EIO)
    expected = content[: bad.start] + files.LOST * files.BLOCK + content[bad.stop :]
    for size in (1, 7, files.BLOCK, 1 << 20):
        with open_what_is_left(path) as file:
            parts = []
            while part := file.read(size):
                parts.append(part)
            assert b"".join(parts) == expected
            assert file.has_gaps
    copy_what_is_left(path, copy)
    monkeypatch.undo()
    assert copy.read_bytes() == expected
    with open_what_is_left(path) as file:
        assert file.read(1 << 20) == content
        assert not file.has_gaps


@pytest.mark.parametrize("why", [errno.ENOMEM, errno.EACCES])
def test_what_comes_from_outside_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: int) -> None:
    (tmp_path / "file").write_bytes(bytes(100))
    lose(monkeypatch, range(50), why)
    with open_what_is_left(tmp_path / "file") as file, pytest.raises(OSError, match=os.strerror(why)):
        file.read(100)
    assert not platform.is_lost(OSError())


def lose(monkeypatch: pytest.MonkeyPatch, bad: range, why: int) -> None:
    class Disk(io.FileIO):
        def readinto(self, into: Any, /) -> int | None:
            at = self.tell()
            if at < bad.stop and at + len(into) > bad.start:
                raise OSError(why, os.strerror(why))
            return super().readinto(into)

    class Read(files._Blocks, Disk):
        pass

    monkeypatch.setattr(files, "_Blocks", Read)

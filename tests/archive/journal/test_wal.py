"""The log is read as SQLite reads it, and beyond."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.archive.journal_check import page_size
from firmware_host.archive.journal_wal import Frame, parse_wal
from tests.archive.journal.damage import HARMS, Left, left_behind
from tests.sampling import together


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> list[Left]:
    folder = tmp_path_factory.mktemp("wal")
    return [*left_behind(folder / "short", [5, 40, 70]), *left_behind(folder / "long", [50], checkpoints=False)]


def events(path: Path) -> list[int]:
    """Return the events that SQLite itself finds."""
    with closing(sqlite3.connect(path)) as database:
        return [row[0] for row in database.execute("SELECT seq FROM event ORDER BY seq")]


def applied(left: Left, frames: Sequence[Frame], folder: Path) -> Path:
    """Return the main file with these pages in it, as a database of its own."""
    path = left.lay(folder, b"")
    with path.open("r+b") as file:
        for frame in frames:
            file.seek((frame.page - 1) * 4096)
            file.write(frame.content)
    return path


def test_what_sqlite_takes_of_a_damaged_log_is_known(tmp_path: Path, moments: list[Left]) -> None:
    """SQLite is asked itself, with the damaged log beside its file; and with the pages that we say it takes."""
    rng = random.Random(5)
    for trial in range(40):
        left = moments[trial % len(moments)]
        wal = HARMS[trial // len(moments) % len(HARMS)](left.wal, left.before, rng)
        taken = parse_wal(wal, 4096).as_read()
        expected = events(left.lay(tmp_path / f"{trial}", wal))
        assert events(applied(left, taken, tmp_path / f"{trial}-applied")) == expected


def test_a_log_that_nothing_has_happened_to_is_whole(moments: list[Left]) -> None:
    for left in moments:
        found = parse_wal(left.wal, 4096)
        assert found.damage is None
        assert found.as_read() == found.as_written()
        assert found.page_size == 4096


def test_a_torn_end_is_no_damage(moments: list[Left]) -> None:
    """The last commit was never finished: all logs of a power cut end so, or with frames of an older run."""
    for left in moments:
        whole = parse_wal(left.wal, 4096)
        end = 32 + len(whole.as_read()) * (24 + 4096)
        for keep in (end - 1, end - 4096, end - 5000):
            torn = parse_wal(left.wal[:keep] + bytes(8), 4096)
            assert torn.damage is None
            assert 0 <= len(torn.as_read()) < len(whole.as_read())


def test_a_bad_frame_before_good_ones_is_damage_and_costs_itself_alone(moments: list[Left]) -> None:
    for left in moments:
        whole = parse_wal(left.wal, 4096).as_written()
        for byte in (0, 9, 20, 24, 4000):  # Its page's number, a salt, a sum, and what it holds.
            wal = bytearray(left.wal)
            wal[32 + 2 * (24 + 4096) + byte] ^= 4
            found = parse_wal(bytes(wal), 4096)
            assert found.damage is not None
            assert "frame 3 of" in found.damage
            assert len(found.as_read()) == 2
            assert len(found.as_written()) >= len(whole) - 2
            assert [frame.content for frame in found.as_written()][-1] == whole[-1].content


@together("byte", [1, 5, 9, 13, 17, 21, 25, 29])
def test_a_damaged_header_takes_no_frame_with_it(moments: list[Left], byte: int) -> None:
    for left in moments:
        wal = bytearray(left.wal)
        wal[byte] ^= 1
        found = parse_wal(bytes(wal), 4096)
        assert found.damage == "its header is not as it was written"
        assert found.as_read() == []
        assert len(found.as_written()) >= len(parse_wal(left.wal, 4096).as_written()) - 2


def test_files_that_hold_no_frame_hold_no_damage() -> None:
    for content in (b"", b"x" * 31, bytes(32), bytes(5000), b"notes\n" * 2000):
        assert parse_wal(content, 4096).damage is None


def test_the_size_of_a_page_is_read_from_the_database(tmp_path: Path) -> None:
    for size in (512, 4096, 65536):
        path = tmp_path / f"{size}.sqlite"
        with closing(sqlite3.connect(path)) as database:
            database.execute(f"PRAGMA page_size = {size}")
            database.execute("CREATE TABLE t (x)")
        assert page_size(path) == size
    (tmp_path / "rubbish").write_bytes(b"\xff" * 99)
    assert page_size(tmp_path / "rubbish") == 4096

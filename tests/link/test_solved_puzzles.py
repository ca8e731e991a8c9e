"""Solved puzzles in the data folder: a line each, bounds, and what is left after a cut, a removal, another release."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

import pytest

from firmware_host.link import solved as solved_puzzles
from firmware_host.link.solved import SOLVED, SOLVED_BEFORE, Solved, SolvedPuzzles
from firmware_host.table.errors import TableError
from tests.sentences import pattern, sentence

TODAY = date(2026, 11, 22)
ANN = Solved("Ann", "spokes", "p1", "2026-11-22", 75, True)
BOB = Solved("Bob", "spokes", "p1", "2026-11-21", 60, True)


def opened(folder: Path) -> SolvedPuzzles:
    return SolvedPuzzles(folder, lambda: TODAY)


def names(folder: Path) -> list[str]:
    return [one.name for one in opened(folder).solvers()]


def many(count: int, day: str = "2026-11-22") -> list[Solved]:
    return [replace(ANN, puzzle=f"{day} {number}", day=day) for number in range(count)]


def test_one_more_is_one_line_more(tmp_path: Path) -> None:
    puzzles, path = opened(tmp_path / "new"), tmp_path / "new" / SOLVED
    puzzles.note(ANN)
    first = path.stat()
    puzzles.note(replace(ANN, seconds=50))
    puzzles.note(BOB)
    assert path.stat().st_ino == first.st_ino, "the file is not written anew"
    assert len(path.read_text().splitlines()) == 3
    assert path.stat().st_size < 4 * first.st_size
    assert [(one.name, one.best) for one in opened(tmp_path / "new").solvers()] == [
        ("Ann", {"spokes": 50}),
        ("Bob", {"spokes": 60}),
    ]
    assert puzzles.days() == {"2026-11-22": 1, "2026-11-21": 1}


def test_half_a_line_of_a_power_cut_is_left_out_and_goes(tmp_path: Path) -> None:
    puzzles, path = opened(tmp_path), tmp_path / SOLVED
    puzzles.note(ANN)
    whole = path.read_bytes()
    puzzles.note(replace(BOB, name="B\u00f6b"))
    line = path.read_bytes()[len(whole) :]
    for cut in range(len(line)):
        path.write_bytes(whole + line[:cut])
        assert names(tmp_path) == ["Ann"], line[:cut]
        again = opened(tmp_path)
        again.note(BOB)
        assert names(tmp_path) == ["Ann", "Bob"], line[:cut]


def test_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved_puzzles, "MAX_SOLVED", 10)
    monkeypatch.setattr(solved_puzzles, "MORE", 5)
    puzzles, longest = opened(tmp_path), 0
    for one in many(40):
        puzzles.note(one)
        longest = max(longest, len((tmp_path / SOLVED).read_text().splitlines()))
        assert sum(puzzles.days().values()) == sum(opened(tmp_path).days().values()) <= 10
    assert longest == 15
    kept = [json.loads(line)["puzzle"] for line in (tmp_path / SOLVED).read_text().splitlines()]
    assert kept[-10:] == [one.puzzle for one in many(40)[-10:]]


def test_a_day_has_room_for_so_many_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved_puzzles, "MAX_A_DAY", 3)
    puzzles = opened(tmp_path)
    for one in (*many(3), *many(3, "2026-11-21")):
        puzzles.note(one)
    with pytest.raises(TableError, match=sentence("no more solved puzzles fit")):
        puzzles.note(ANN)
    puzzles.note(replace(many(1)[0], seconds=5))
    assert opened(tmp_path).days() == {"2026-11-22": 3, "2026-11-21": 3}
    assert opened(tmp_path).solvers()[0].best == {"spokes": 5}, "who improves needs no room"


def test_a_day_is_removed(tmp_path: Path) -> None:
    puzzles = opened(tmp_path)
    for one in (ANN, BOB, *many(5)):
        puzzles.note(one)
    assert (puzzles.remove("2026-11-22"), puzzles.remove("2026-11-22")) == (6, 0)
    assert names(tmp_path) == ["Bob"]
    assert "Ann" not in (tmp_path / SOLVED).read_text()


def test_the_file_of_a_former_release_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / SOLVED_BEFORE).write_text(json.dumps({"form": 1, "solved": [asdict(ANN), asdict(BOB)]}))
    assert names(tmp_path) == ["Ann", "Bob"]
    assert opened(tmp_path).forget("ann")
    assert names(tmp_path) == ["Bob"]
    assert not (tmp_path / SOLVED_BEFORE).exists()
    opened(tmp_path).note(ANN)
    assert names(tmp_path) == ["Ann", "Bob"]


def test_a_folder_that_can_not_be_written_is_told_and_nothing_is_half_known(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    puzzles = opened(tmp_path / "file" / "data")
    with pytest.raises(TableError, match=pattern("the data folder can't be written")):
        puzzles.note(ANN)
    assert puzzles.solvers() == []


@pytest.mark.parametrize("bad", [b"{}", b"\xff\xfe", b'{"name": 1', b"[]"])
def test_a_line_that_can_not_be_read_is_left_out_and_told(
    tmp_path: Path, bad: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    puzzles, path = opened(tmp_path), tmp_path / SOLVED
    puzzles.note(ANN)
    path.write_bytes(bad + b"\n" + path.read_bytes())
    again = opened(tmp_path)
    assert [one.name for one in again.solvers()] == ["Ann"]
    assert again.left_out == 1
    assert "1 lines can't be read; they are left out" in caplog.text
    again.note(BOB)
    assert names(tmp_path) == ["Ann", "Bob"]
    assert path.read_bytes().startswith(bad), "what somebody may still read is kept"

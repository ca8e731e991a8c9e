"""The book as it is kept: from a journal that is being written, with a cache that may go, and with names forgotten."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.commands.cli import main
from firmware_host.extensions.book import household as household_module
from firmware_host.extensions.book.book import as_csv, as_data
from firmware_host.extensions.book.household import CACHE, FORGOTTEN, Household
from firmware_host.link.solved import SOLVED, SOLVED_BEFORE, Solved, SolvedPuzzles
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import SeatTaken
from tests.hosts import HostedTable


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[HostedTable]:
    table = HostedTable(tmp_path)
    yield table
    table.close()


def lose(table: HostedTable, seat: int) -> None:
    """Begin the game in the lobby, and have a seat resign."""
    table.start()
    table.say(Resigned, seat=seat)
    assert table.view["phase"] == "over"


def told(household: Household) -> list[tuple[str, int, int]]:
    tallies = [(one.name, line.tally) for one in household.book().people for line in one.games.values()]
    return [(name, tally.won, tally.lost) for name, tally in tallies]


def test_the_book_follows_a_table_and_forgets_on_request(hosted: HostedTable, tmp_path: Path) -> None:
    household = Household(tmp_path)
    assert household.book().people == []
    hosted.sit()
    lose(hosted, 2)
    assert told(household) == [("Ann", 1, 0), ("Bob", 0, 1)]
    hosted.runtime.new_game(turned=True)
    lose(hosted, 1)
    assert hosted.view["result"]["winners"] == [2]
    assert told(household) == [("Ann", 2, 0), ("Bob", 0, 2)]
    series = household.book().series
    assert series is not None
    assert sorted(zip(series.sides, series.won, strict=True)) == [(("Ann",), 2), (("Bob",), 0)]

    assert household.forget("bob") == 2
    assert told(household) == [("Ann", 2, 0)]
    exported = json.dumps(as_data(household.book())) + as_csv(household.book())
    assert "Bob" not in exported
    assert "somebody" in exported
    assert "Bob" not in (tmp_path / FORGOTTEN).read_text()
    assert [one.names for one in hosted.journal.games()] == [("Ann", "Bob"), ("Bob", "Ann")], "the records stay"
    with pytest.raises(TableError, match="nobody called 'Bob'"):
        household.forget("Bob")


def test_the_cache_is_used_and_may_go_or_be_broken_at_any_time(
    hosted: HostedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted.sit(["Ann"])
    hosted.say(SeatTaken, seat=2, name="Computer 2", claim="", computer=True, level=2)
    lose(hosted, 1)
    book = Household(tmp_path).book()
    assert next(iter(book.people[0].games.values())).opponents.keys() == {"Computer (Casual)"}
    cache = tmp_path / CACHE
    good = cache.read_text()
    for broken in ("", "[]", "{}", '{"form": 1, "games": [{"id": 1}]}', good.replace('"form": 1', '"form": 0')):
        cache.write_text(broken)
        assert Household(tmp_path).book() == book
        assert cache.read_text() == good
    cache.unlink()
    assert Household(tmp_path).book() == book
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_summary", None)  # Nothing that is cached is read from the journal again.
        assert Household(tmp_path).book() == book


def test_the_book_is_made_again_only_if_something_in_it_has_changed(
    hosted: HostedTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, made, today = [], [], [date(2026, 11, 22)]
    household = Household(tmp_path, SolvedPuzzles(tmp_path, lambda: today[0]))
    hosted.sit()
    lose(hosted, 2)
    first = household.book()
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "games", lambda *_: read.append(1))
        assert household.book() is first, "nothing has happened since"
        assert not read
    patched = household_module.book_of
    monkeypatch.setattr(household_module, "book_of", lambda *given: made.append(1) or patched(*given))
    hosted.runtime.new_game()
    hosted.start()
    assert household.book() is first, "another game has begun: there is nothing of it in the book"
    assert not made
    hosted.say(Resigned, seat=1)
    assert household.book() is not first
    assert told(household) == [("Ann", 1, 1), ("Bob", 1, 1)]
    assert len(made) == 1
    household.solved.note(Solved("Ann", "coil", "coil-00001", "2026-11-22", 30, daily=True))
    assert [one.streak for one in household.book().solvers] == [1]
    assert len(made) == 1
    today[0] = date(2026, 11, 30)
    assert [one.streak for one in household.book().solvers] == [0], "it is another day"
    Household(tmp_path).forget("Bob")
    assert told(household) == [("Ann", 1, 1)], "also what another program has changed"
    assert len(made) == 2


def test_a_broken_list_of_who_is_forgotten_shows_no_names(hosted: HostedTable, tmp_path: Path) -> None:
    hosted.sit()
    lose(hosted, 2)
    (tmp_path / FORGOTTEN).write_text("")
    Household(tmp_path).book()
    (tmp_path / FORGOTTEN).write_text("{")
    with pytest.raises(TableError, match="who is forgotten"):
        Household(tmp_path).book()
    assert main(["book", "show", "--data", str(tmp_path)]) == 1


def test_the_command_shows_exports_and_forgets(
    hosted: HostedTable, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path)]
    assert main(["book", "show", *data]) == 0
    assert "No game" in capsys.readouterr().out
    hosted.sit(["=Ann", "Bob"])
    lose(hosted, 2)
    assert main(["book", "show", *data]) == 0
    out = capsys.readouterr().out
    assert "1 won, 0 drawn, 0 lost" in out
    assert "=Ann 1, Bob 0." in out
    assert main(["book", "export", "--form", "csv", "--out", str(tmp_path / "book.csv"), *data]) == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "book.csv").read_bytes().decode())))
    assert [(row["name"], row["result"]) for row in rows] == [("'=Ann", "won"), ("Bob", "lost")]
    capsys.readouterr()
    assert main(["book", "forget", "Bob", *data]) == 0
    assert main(["book", "forget", "Bob", *data]) == 1
    assert "nobody called" in capsys.readouterr().err
    assert main(["book", "export", *data]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["people"]] == ["=Ann"]


def test_solved_puzzles_stand_in_the_book_until_their_name_is_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    household, data = (
        Household(tmp_path, SolvedPuzzles(tmp_path, lambda: date(2026, 11, 22))),
        ["--data", str(tmp_path)],
    )
    household.solved.note(Solved("Ann", "spokes", "0123456789", "2026-11-22", 75, True))
    household.solved.note(Solved("Bob", "spokes", "0123456789", "2026-11-21", 60, True))
    found = Household(tmp_path, SolvedPuzzles(tmp_path, lambda: date(2026, 11, 22))).book().solvers
    assert [(one.name, one.solved, one.streak, one.best) for one in found] == [
        ("Ann", 1, 1, {"spokes": 75}),
        ("Bob", 1, 1, {"spokes": 60}),
    ]
    assert as_data(household.book())["puzzles"][0] == {"name": "Ann", "solved": 1, "streak": 1, "best": {"spokes": 75}}
    assert main(["book", "show", *data]) == 0
    assert "Ann: 1 puzzles solved" in capsys.readouterr().out
    assert main(["book", "forget", "ann", *data]) == 0
    assert [one.name for one in household.solved.solvers()] == ["Bob"], "the command is another program"
    assert "Ann" not in (tmp_path / SOLVED).read_text()
    with pytest.raises(TableError, match="nobody called"):
        household.forget("Ann")


def test_a_broken_list_of_a_former_release_is_named_and_kept(tmp_path: Path) -> None:
    name, text = SOLVED_BEFORE, '{"solved": [1]}'
    (tmp_path / name).write_text(text)
    household = Household(tmp_path)
    for ask in (household.book, household.solved.solvers, household.solved.days, lambda: household.forget("Ann")):
        with pytest.raises(TableError, match="list of solved puzzles"):
            ask()
    with pytest.raises(TableError, match=name):
        household.solved.note(Solved("Ann", "spokes", "0123456789", "2026-11-22", 75, True))
    assert (tmp_path / name).read_text() == text

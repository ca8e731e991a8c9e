"""``make ladder``: every pair plays its number of games, which are kept, and told on the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.extensions.lab import ladder, same_play
from firmware_host.extensions.lab.arena import run as arena_run
from firmware_host.extensions.lab.arena.match import Match
from firmware_host.extensions.lab.arena.results import summary
from firmware_host.extensions.lab.arena.statistics import MatchTally
from firmware_host.games import registry
from tests.games.nim import Nim
from tests.sampling import together

Ladder = Callable[..., list[list[str]]]


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ladder:
    """Return a function that runs the ladder of Nim and returns the cells of the page's lines."""
    monkeypatch.setattr(registry, "GAMES", {"nim": Nim()})
    monkeypatch.setattr(ladder, "GAMES", {"nim": Nim()})
    monkeypatch.setattr(ladder, "KEPT", tmp_path)
    monkeypatch.setattr(same_play, "SAME", tmp_path / "same_play.json")
    monkeypatch.setattr(same_play, "GAMES", {})
    monkeypatch.setattr(ladder, "PAGE", tmp_path / "strength.md")

    def run(*arguments: str) -> list[list[str]]:
        assert ladder.main([*arguments, "--workers", "1"]) == 0
        lines = (tmp_path / "strength.md").read_text().splitlines()
        return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")][1:]

    return run


def test_every_pair_plays_its_number_of_games_whatever_they_say(
    measured: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that ended once a test had decided would flatter: of many pairs the luckiest end first."""
    monkeypatch.setattr(ladder, "ENOUGH", 20)
    monkeypatch.setattr(ladder, "SOME", 13)
    lines = measured("--games", "200")
    assert [line[:3] for line in lines] == [
        ["Beginner", "random", "14"],
        ["Experienced", "Beginner", "20"],
        ["Expert", "Experienced", "20"],
    ], "whole openings"
    assert [line[6] for line in lines] == ["at least +382", "+150 to +250", "+150 to +250"]
    assert not any(line[7].startswith("open") for line in lines)
    rows = [json.loads(line) for line in (tmp_path / "nim.jsonl").read_text().splitlines()]
    assert len(rows) == sum(int(line[2]) for line in lines)


def test_games_beyond_a_pair_s_number_do_not_count(measured: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    assert measured("--games", "12", "--pair", "level:1,random")[0][2] == "12"
    monkeypatch.setattr(ladder, "SOME", 4)
    assert measured("--games", "0")[0][2] == "4"


def test_the_pairs_that_were_asked_for_are_printed(measured: Ladder, capsys: pytest.CaptureFixture[str]) -> None:
    lines = measured("--games", "24", "--pair", "level:1,random")
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]
    assert [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed] == lines[:1]


def test_doublings_are_played_alone_and_kept_on_the_page(measured: Ladder) -> None:
    lines = measured("--games", "12", "--doubling")
    doubled = [line for line in lines if line[0].startswith("Expert, ")]
    assert len(doubled) == ladder.DOUBLINGS
    assert all(line[2] != "0" and line[6] == "at least +30" for line in doubled)
    assert {line[2] for line in lines if line[1] == "random"} == {"0"}
    assert [line for line in measured("--games", "0") if line[0].startswith("Expert, ")] == doubled


@together(
    ("won", "lost", "told"),
    [
        (9, 3, "open (yes)"),
        (6, 6, "open (no, less)"),
        (150, 49, "open (yes)"),
        (150, 50, "yes"),
        (138, 62, "no, less"),
        (163, 37, "no, more"),
    ],
)
def test_the_estimate_counts_once_all_games_are_played(won: int, lost: int, told: str) -> None:
    pair = ladder.Pair(Match("phalanx", "2", "level:2", "level:1"), ladder.STEP)
    found = summary(pair.match, ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladder.Pair, "summary", replace(found, tally=MatchTally({1.0: won, 0.0: lost})))
        assert pair.verdict == told


def test_what_is_kept_is_not_played_again(measured: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = measured("--games", "24", "--pair", "level:1,random")
    assert [line[2] for line in lines[1:]] == ["0", "0"]
    assert [line[7] for line in lines[1:]] == ["not played", "not played"]
    monkeypatch.setattr(arena_run, "play", lambda *_: pytest.fail("nothing is left to play"))
    assert measured("--games", "24", "--pair", "level:1,random") == lines == measured("--games", "0")


def test_games_of_players_that_have_changed_are_deleted(measured: Ladder, tmp_path: Path) -> None:
    measured("--games", "2", "--pair", "level:1,random")
    kept = (tmp_path / "nim.jsonl").read_text()
    old = {**json.loads(kept.splitlines()[0]), "match": "0" * 16}
    (tmp_path / "nim.jsonl").write_text(json.dumps(old) + "\n" + kept)
    measured("--games", "0")
    assert (tmp_path / "nim.jsonl").read_text() == kept


def test_half_a_line_of_a_ladder_that_was_killed_loses_nothing_else(measured: Ladder, tmp_path: Path) -> None:
    lines = measured("--games", "12", "--pair", "level:1,random")
    kept = tmp_path / "nim.jsonl"
    kept.write_text(kept.read_text() + '{"match": "00')
    assert measured("--games", "0") == lines
    assert len(kept.read_text().splitlines()) == 12


def test_a_damaged_line_is_named(measured: Ladder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measured("--games", "12", "--pair", "level:1,random")
    kept = tmp_path / "nim.jsonl"
    kept.write_text("half\n" + kept.read_text())
    before = kept.read_text()
    assert ladder.main(["--games", "0"]) == 1
    assert "nim.jsonl, line 1: expected a JSON object" in capsys.readouterr().err
    assert kept.read_text() == before


def test_what_was_found_of_reviews_stands_below_the_levels(measured: Ladder, tmp_path: Path) -> None:
    row = {"game": "nim", "seed": 1, "shown": 4, "holds": 3, "judged": 9, "much": 2.5, "found": 2.0}
    ladder.keep_review({**row, "shown": 5})
    ladder.keep_review(row)
    ladder.keep_review({**row, "seed": 2, "shown": 1, "holds": 1, "much": 0.0, "found": 0.0})
    kept = tmp_path / "reviews.jsonl"
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [(one["seed"], one["shown"]) for one in rows] == [(1, 4), (2, 1)], "one that is reviewed again counts once"
    kept.write_text(kept.read_text() + json.dumps({**rows[0], "seed": 3, "player": "an earlier one"}) + "\n")
    assert measured("--games", "0")[-1] == ["Nim", "2", "5", "4 (80%)", "18", "2", "2 (80%)"]

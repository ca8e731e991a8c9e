"""``lodestone replay`` as a user calls it."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.boardfile.load import find_board
from tests.archive.records.recorder import Recorder, a_loop_record, forged, set_data
from tests.commands.test_cli import refused, run
from tests.replay.played import recorded
from tests.sampling import few
from tests.schemes import there

HERE = ("--host", "127.0.0.1", "--port", "0")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(recorded("phalanx", "G3-H4", "+J2", "end", resigns=2)) + "\n")
    return path


def test_it_plays_to_the_end_by_itself_and_ends_well(record: Path, tmp_path: Path) -> None:
    done = run("replay", str(record), "--once", "--pace", "0.05", *HERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Phalanx, game phalanx-0a1b2c3d: Ada, Grace; 6 moments, the record is in order." in done.stdout
    assert "/replay" in done.stdout
    assert "/board" in done.stdout
    assert not list(tmp_path.glob("*.sqlite*")), "a record needs no journal, and makes none"


@pytest.mark.parametrize("game", few(["spokes", "phalanx", "coil"], 1))
def test_a_game_of_the_journal_is_found_by_the_beginning_of_its_id(tmp_path: Path, game: str) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    recorder = Recorder(journal, f"{game}-aa11", game=game)
    for _ in range(4):
        recorder.go_on()
    Recorder(journal, f"{game}-bb22", game=game)
    journal.close()
    done = run("replay", "aa1", "--data", str(tmp_path), "--once", "--pace", "0.05", *HERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"game {game}-aa11: Ada, Grace" in done.stdout
    assert "no game 'cc'" in refused("replay", "cc", "--data", str(tmp_path), *HERE)


def test_a_record_that_lies_is_refused_at_its_line(record: Path) -> None:
    record.write_text(
        "\n".join(forged(set_data("action", 1, action="+J3"), tuple(record.read_text().splitlines()))) + "\n"
    )
    assert refused("replay", str(record), *HERE).startswith("lodestone: line 4: position ")
    record.write_text(record.read_text()[:-30])
    assert "line 7: the file does not end with a line feed" in refused("replay", str(record), *HERE)


def test_what_can_not_be_shown_is_refused_in_words(record: Path, tmp_path: Path) -> None:
    said = refused("replay", "nothing", "--data", str(tmp_path / "empty"), *HERE)
    assert "nothing: there is no such file, and no games have been played yet" in said
    assert "the board 'spokes-45' is for Spokes, not for Phalanx" in refused(
        "replay", str(record), "--board", "spokes-45", "--sim", *HERE
    )
    assert "expected sim, a file, or one of" in refused("replay", str(record), "--board", "nowhere", *HERE)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}" in refused("replay", str(record), "--host", "127.0.0.1", "--port", port)


def test_a_board_that_is_not_there_leaves_the_screens(record: Path) -> None:
    """This machine has no pins: the game is shown anyway."""
    done = run("replay", str(record), "--board", "go-9x9", "--once", "--pace", "0.05", *HERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The board's lights stay dark (" in done.stdout
    assert "/board" not in done.stdout


@pytest.mark.thorough
def test_the_lights_may_be_those_of_any_board_of_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(a_loop_record()) + "\n")
    assert json.loads(path.read_text().splitlines()[0])["board"] == "spokes-45"
    for board in (*there(["spokes-45-serial"]), str(find_board("spokes-45-74hc165-spi"))):
        done = run("replay", str(path), "--board", board, "--sim", "--once", "--pace", "0.05", *HERE)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_help_says_what_becomes_of_what_was_taken_back() -> None:
    assert "What was taken back is left out" in " ".join(run("replay", "--help").stdout.split())

"""The host's link on the command line, and a program whose boards are changed while it runs."""

from __future__ import annotations

import os
import re
import signal
import stat
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_host.commands.cli import main
from tests.commands.test_cli import run
from tests.deleted import LACKING
from tests.e2e.program import Program, eventually


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path)
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop(signal.SIGKILL)


def link(text: str) -> tuple[str, str]:
    found = re.search(r"^Host: (http://\S+)/host#([A-Za-z0-9_-]{22})$", text, re.MULTILINE)
    assert found, text
    return found[1], found[2]


Message = Callable[..., str]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Message:
    """Run the command in this process; return what it prints."""

    def run(*words: str, code: int = 0) -> str:
        assert main(words) == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return run


def test_the_link_is_made_once_and_anew_when_asked_for(tmp_path: Path, said: Message) -> None:
    data = tmp_path / "games"
    data.mkdir()
    where = ("--data", str(data), "--host", "192.0.2.7", "--port", "8123")
    address, token = link(said("host", *where))
    assert address == "http://192.0.2.7:8123"
    assert link(said("host", *where)) == (address, token)
    _, fresh = link(said("host", "--anew", *where))
    assert fresh != token
    assert link(said("host", *where))[1] == fresh
    assert (data / "host").read_text() == fresh + "\n"
    assert stat.S_IMODE((data / "host").stat().st_mode) == 0o600


@pytest.mark.thorough
def test_a_code_to_scan_is_printed_where_the_terminal_can_show_one(tmp_path: Path) -> None:
    assert "█" in run("host", "--data", str(tmp_path)).stdout


@pytest.mark.parametrize("content", [b"", b"guess me\n", b"\xff" * 23])
def test_a_token_that_is_none_is_made_anew(tmp_path: Path, said: Message, content: bytes) -> None:
    (tmp_path / "host").write_bytes(content)
    fresh = link(said("host", "--data", str(tmp_path)))
    assert fresh == link(said("host", "--data", str(tmp_path)))
    assert stat.S_IMODE((tmp_path / "host").stat().st_mode) == 0o600


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path, said: Message) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file; expected the folder" in said("host", "--data", str(tmp_path / "file"), code=1)
    assert "is a file; expected the folder" in said("host", "--anew", "--data", str(tmp_path / "file"), code=1)


def test_play_says_first_who_is_host_and_a_new_token_ends_the_old_one_at_once(program: Program) -> None:
    program.start()
    assert program.as_host("tickets", shown=True)[0] == 200
    link(run("host", "--anew", "--data", str(program.data)).stdout)
    assert program.as_host("tickets", shown=True)[0] == 403, "the cookie that was is worth nothing"
    program.host_cookie = ""
    assert program.as_host("tickets", shown=True)[0] == 200
    out = program.stop()
    link(out)
    assert out.index("Host: ") < out.index("The table is open: ")


@pytest.mark.thorough
def test_codes_that_the_host_has_hidden_stay_hidden_after_a_restart(program: Program) -> None:
    program.start()
    assert program.get("/api/tickets")["shown"] is True
    assert program.as_host("tickets", shown=False)[0] == 200
    program.stop()
    program.start("--new")
    hidden = program.get("/api/tickets")
    assert (hidden["shown"], hidden["tickets"]) == (False, {})
    assert program.as_host("tickets", shown=True)[0] == 200
    assert set(program.get("/api/tickets")["tickets"]) == {"1", "2"}


def page(program: Program, path: str) -> str:
    with urllib.request.urlopen(program.base + path, timeout=60) as answer:
        return str(answer.read().decode())


@pytest.mark.thorough
def test_everything_follows_when_the_host_changes_the_board(program: Program) -> None:
    """The virtual board, its stones, the sensors' page and the simulated hand are those of the board that is open."""
    program.start("--hands", "all", "--pause", "0.01")
    for seat in (1, 2):
        assert program.as_host("computer", seat=seat)[0] == 200
    program.start_game()
    first = program.state()["game"]["id"]
    eventually(lambda: program.state()["turn"] and program.get("/sim/state")["stones"], "a stone on the virtual board")
    stream = urllib.request.urlopen(program.base + "/sim/events", timeout=60)
    assert program.as_host("new", board="go-9x9", mode="2", rules=[]) == (200, {"ok": True})
    assert stream.read() is not None, "the stream of the board that was closed ends"
    assert "go-9x9" in page(program, "/board")
    assert len(program.get("/sim/layout")["nodes"]) == 81
    assert program.get("/sim/state")["name"] == "go-9x9"
    assert "workshop" in LACKING or program.get("/api/hardware")["board"] == "go-9x9"
    program.start_game()
    eventually(lambda: len(program.get("/sim/state")["stones"]) >= 8, "the hand sets the new board up")
    eventually(lambda: program.state()["log"], "a computer's action")
    assert program.as_host("take-up", id=first)[0] == 200
    assert program.state()["game"]["id"] == first
    assert len(program.get("/sim/layout")["nodes"]) == 45
    before = len(program.state()["log"])
    eventually(lambda: len(program.state()["log"]) > before, "the game that was set aside goes on")


@pytest.mark.thorough
def test_a_kill_after_taking_up_goes_on_with_that_game(program: Program) -> None:
    program.start()
    games = []
    for board in ("spokes-45", "hexhex-7"):
        assert program.as_host("new", board=board, mode="2", rules=[])[0] == 200
        for seat in (1, 2):
            program.as_host("computer", seat=seat)
        program.start_game()
        games.append(program.state()["game"]["id"])
    assert program.as_host("take-up", id=games[0])[0] == 200
    program.stop(signal.SIGKILL)
    program.start()
    assert program.state()["game"]["id"] == games[0]
    program.stop()


def test_a_demonstration_needs_no_host_and_has_one(tmp_path: Path) -> None:
    program = Program(tmp_path, "--demo", "--pause", "0.01")
    program.start()
    try:
        eventually(lambda: program.state()["phase"] not in {"lobby", "setup"}, "the demonstration begins by itself")
        assert program.as_host("pause")[0] == 200
        assert program.state()["paused"] is True
        assert program.as_host("continue")[0] == 200
    finally:
        program.stop()


def test_strangers_learn_nothing_of_the_token(program: Program) -> None:
    program.start()
    token = program.host_token()
    for path in ("/", "/host", "/tv", "/api/state", "/api/tickets", "/host.txt", "/../host"):
        try:
            text = page(program, path)
        except urllib.error.HTTPError as error:
            text = str(error.read())
        assert token not in text
    journal = b"".join(file.read_bytes() for file in program.data.glob("journal*") if os.access(file, os.R_OK))
    assert token.encode() not in journal
    program.stop()

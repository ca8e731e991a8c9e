"""The unfinished game: what is asked at the terminal, what an answer does, and a journal that can't be believed."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import copy_path
from firmware_host.session.game_selection import LaunchRequest, Unfinished, choose, game_to_resume
from firmware_host.text.words import Refused
from tests.archive.records.recorder import Recorder
from tests.commands.test_cli import LODESTONE, refused
from tests.e2e.program import PATIENCE_S, Program, eventually
from tests.forked import run
from tests.sentences import is_in, saying
from tests.session.test_game_selection import heads, unfinished

GO_ON = r"Go on with it\? \[Y/n\]"
ANOTHER_BOARD = r"This board is for Phalanx\. Set that game aside .* \[y/N\]"


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games", "--hands", "none")
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop(signal.SIGKILL)


@pytest.mark.parametrize(
    ("launch", "answers", "question", "resumed"),
    [
        (LaunchRequest(), [""], GO_ON, True),
        (LaunchRequest(), ["n"], GO_ON, False),
        (LaunchRequest(), ["No"], GO_ON, False),
        (LaunchRequest(), ["j", "ja", "x", "", "n"], GO_ON, True),
        (LaunchRequest(), ["nope", "no"], GO_ON, False),
        (LaunchRequest(game="coil"), ["yes"], GO_ON, True),
        (LaunchRequest(game="phalanx"), ["y"], ANOTHER_BOARD, False),
        (LaunchRequest(game="phalanx"), ["j", "y"], ANOTHER_BOARD, False),
        (LaunchRequest(board="go-9x9"), [""], ANOTHER_BOARD, True),
    ],
)
def test_somebody_at_a_terminal_is_asked_until_the_answer_is_known(
    monkeypatch: pytest.MonkeyPatch, launch: LaunchRequest, answers: list[str], question: str, resumed: bool
) -> None:
    """What is kept and can't be gone on with on this board is refused then, by selection_for."""
    asked: list[str] = []
    left = iter(answers)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or next(left))
    last = unfinished("coil", "hexhex-7")
    assert game_to_resume(last, choose(launch), launch, Unfinished.ASK) == (last if resumed else None)
    assert all(re.fullmatch(question, text.strip()) for text in asked)
    known = {"", "y", "yes", "n", "no"}
    assert len(asked) == 1 + sum(1 for answer in answers[: len(asked)] if answer.casefold() not in known)
    for wish, kept in ((Unfinished.REPLACE, None), (Unfinished.RESUME, last)):
        assert game_to_resume(last, choose(launch), launch, wish) is kept


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_no_answer_changes_nothing(monkeypatch: pytest.MonkeyPatch, end: type[BaseException]) -> None:
    def ask(_: str) -> str:
        raise end

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ask)
    with pytest.raises(Refused, match="nothing was begun"):
        game_to_resume(unfinished("coil", "hexhex-7"), choose(LaunchRequest()), LaunchRequest(), Unfinished.ASK)


# -- the whole program -------------------------------------------------------------------------------------------------


class Terminal:
    """A terminal at which the program is started."""

    def __init__(self, *words: str) -> None:
        here, there = pty.openpty()
        self.process = subprocess.Popen([LODESTONE, *words], stdin=there, stdout=there, stderr=there, close_fds=True)
        os.close(there)
        self._here = here
        self.seen = ""

    def until(self, words: str, count: int = 1) -> None:
        """Read until what matches ``words`` has been said so often."""
        end = time.monotonic() + 60
        while len(re.findall(words, self.seen)) < count:
            assert time.monotonic() < end, f"waited for {words!r} in vain: {self.seen}"
            if select.select([self._here], [], [], 0.1)[0]:
                self.seen += os.read(self._here, 4096).decode("utf-8", "replace")

    def type(self, line: str) -> None:
        os.write(self._here, f"{line}\n".encode())

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline
            if select.select([self._here], [], [], 0.05)[0]:
                try:
                    self.seen += os.read(self._here, 4096).decode("utf-8", "replace")
                except OSError:  # The other end is closed.
                    break
        self.process.wait(timeout=PATIENCE_S)
        os.close(self._here)


@pytest.mark.thorough
def test_no_sets_the_game_aside_and_the_host_takes_it_up(program: Program) -> None:
    program.start("--game", "phalanx")
    program.join(1, "Ada")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    game = program.state()["game"]["id"]
    program.stop()
    terminal = Terminal("play", "--host", "127.0.0.1", "--port", str(program.port), "--data", str(program.data))
    try:
        terminal.until(GO_ON)
        terminal.type("j")
        terminal.until("Please answer y or n")
        terminal.until(GO_ON, 2)
        terminal.type("n")
        terminal.until("It is set aside: the host's page takes it up again.")
        eventually(lambda: program.process is not None and _answers(program), "the table is open", 60)
        assert program.state()["phase"] == "lobby"
        assert program.as_host("take-up", id=game)[0] == 200
        assert program.state()["game"]["id"] == game
    finally:
        terminal.close()
    assert "Traceback" not in terminal.seen


def _answers(program: Program) -> bool:
    try:
        return bool(program.state())
    except OSError:
        return False


def test_an_abandoned_game_comes_back(program: Program) -> None:
    program.start("--game", "phalanx")
    program.join(1, "Ada")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    game = program.state()["game"]["id"]
    program.stop()
    program.start("--new")
    told = program.get("/api/host/state", Cookie=program.be_host())
    assert [(one["id"], one["state"]) for one in told["games"]] == [(game, "abandoned")]
    assert program.as_host("take-up", id=game)[0] == 200
    program.stop()
    with_journal = Journal(program.data / "journal.sqlite", writer=False)
    last = with_journal.unfinished_game()
    with_journal.close()
    assert last is not None
    assert (last.id, last.state, last.ended) == (game, "unfinished", None)
    program.start()
    assert program.state()["game"]["id"] == game
    program.stop()
    assert heads(program.data)[0]["id"] == game


# -- a journal that can't be believed ----------------------------------------------------------------------------------


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """Return a journal with a game that is over, and one that is not."""
    return two_games(tmp_path / "games" / "journal.sqlite")


def two_games(path: Path) -> Path:
    """Write a journal with a game that is over, and one that is not."""
    journal = Journal(path)
    for number in (1, 2):
        recorder = Recorder(journal, f"spokes-0000000{number}", seed=number)
        for _ in range(4):
            recorder.go_on()
        if number == 1:
            recorder.resign(1)
    journal.close()
    return path


def spoil_unfinished(path: Path) -> int:
    """Damage one of the last events of the unfinished game in both copies; return its number."""
    journal = Journal(path, writer=False)
    late = journal.entries("spokes-00000002")[-3]
    journal.close()
    for copy in (path, copy_path(path)):
        spoil(copy, late.hash.encode(), b"0" * 64, 2)
    return late.seq


def spoil(path: Path, old: bytes, new: bytes, count: int = 1) -> None:
    content = path.read_bytes()
    assert content.count(old) == count, "the bytes are where they are expected"
    path.write_bytes(content.replace(old, new))


def test_a_game_out_of_the_chain_is_not_selection_for(played: Path, program: Program) -> None:
    """Whatever `record verify` says of the game at hand, `play` says, too, if the second copy does not help."""
    journal = Journal(played, writer=False)
    third = journal.entries("spokes-00000002")[3]
    journal.close()
    spoil(played, third.hash.encode(), b"0" * 64, 2)
    spoil(copy_path(played), third.hash.encode(), b"0" * 64, 2)
    data = str(played.parent)
    verified = refused("record", "verify", "--data", data)
    assert f"event {third.seq} is damaged" in verified
    said = refused("play", "--port", "0", "--data", data)
    assert f"event {third.seq} is damaged" in said
    assert "the unfinished game can't be gone on with" in said
    assert "--new begins another game" in said
    program.data = played.parent
    program.start("--new")
    assert program.state()["phase"] == "lobby"
    assert "It stays as it is, and a new game begins." in program.stop()


def test_a_damaged_index_is_made_anew(played: Path, program: Program) -> None:
    """The row of the game's head is in the table, and its entry in the index names another game."""
    spoil(played, b"spokes-00000002game", b"spokes-00000002gamf")
    program.data = played.parent
    program.start()
    state = program.state()
    assert (state["game"]["id"], state["paused"]) == ("spokes-00000002", True)
    assert "its file is damaged" in state["message"]
    assert "event_of_game" in state["message"]
    assert "Nothing is lost." in program.stop()


@pytest.mark.thorough
def test_what_is_damaged_before_the_game_does_not_keep_it_from_going_on(played: Path, program: Program) -> None:
    """Old games are `record verify`'s business: an evening does not end for them."""
    journal = Journal(played, writer=False)
    old = journal.entries("spokes-00000001")[3]
    journal.close()
    spoil(played, old.hash.encode(), b"0" * 64, 2)
    assert f"event {old.seq} is damaged" in refused("record", "verify", "--data", str(played.parent))
    program.data = played.parent
    program.start()
    assert program.state()["game"]["id"] == "spokes-00000002"
    program.stop()


def test_what_a_damaged_log_has_lost_is_told_at_the_terminal_and_on_the_phones(program: Program) -> None:
    """A whole evening's program, killed; then its card loses the end of the log."""
    program.start("--game", "phalanx")
    program.join(1, "Ada")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    program.follow_the_lights("setup")
    for _ in range(2):
        step = next(one for one in program.until_phase("resolving")["steps"] if [m[0] for m in one["moves"]] == [None])
        program.act(step["action"])
    program.stop(signal.SIGKILL)
    path = program.data / "journal.sqlite"
    wal = path.with_name("journal.sqlite-wal")
    wal.write_bytes(wal.read_bytes()[: -2 * 4120])
    journal = Journal(path, writer=False, check=False)
    last = journal.entries(journal.games()[-1].id)[-1]
    journal.close()
    copy = bytearray(copy_path(path).read_bytes())
    copy[copy.index(last.hash.encode()) + 140] ^= 1  # In the only line after it.
    copy_path(path).write_bytes(copy)
    said = refused("record", "verify", "--data", str(program.data))
    assert "the journal is damaged: " in said
    assert is_in("were written in it, and", said)
    program.start()
    state = program.state()
    assert state["paused"] is True
    assert is_in("the last event is lost", state["message"])
    assert any("The journal was damaged" in notice for notice in state["notices"])
    assert program.as_host("continue")[0] == 200
    assert step["moves"][0][1] not in program.until_phase("setup")["board"], "that step is to be done again"
    out = program.stop()
    assert "The journal was damaged" in out
    assert "the last event is lost" in out
    (kept,) = program.data.glob("damaged-*")
    assert (kept / "journal.sqlite-wal").exists()


@pytest.mark.parametrize(("name", "content"), [("key", b""), ("key", b"x" * 31), ("host", b"")])
def test_a_damaged_secret_is_made_anew(program: Program, name: str, content: bytes) -> None:
    """A table that stays shut helps nobody: phones join anew."""
    program.data.mkdir()
    (program.data / name).write_bytes(content)
    program.start()
    told = f"{program.data / name} was damaged"
    assert [notice for notice in program.state()["notices"] if notice.startswith(told)]
    program.stop()
    assert len((program.data / name).read_bytes().strip()) >= 22


def test_lines_of_solved_puzzles_that_are_left_out_are_told(program: Program) -> None:
    """And what is no file at all; the table opens with both."""
    program.data.mkdir()
    (program.data / "solved.jsonl").write_text("nonsense\n{}\n")
    os.mkfifo(program.data / "forgotten.json")
    os.mkfifo(program.data / "book.json")
    program.start()
    left_out = "2 lines of solved.jsonl can't be read"
    assert [notice for notice in program.state()["notices"] if notice.startswith(left_out)]
    with pytest.raises(HTTPError, match="409"):
        program.get("/api/book.json")
    program.stop()


READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
BY_MOUNT = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh"]
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "sh", "-c", 'shift && exec "$@"', "sh"]
"""Without root's rights its own folder binds it, too. Both take a folder and a command."""


@pytest.mark.parametrize("words", [BY_MOUNT, pytest.param(WITHOUT_RIGHTS, marks=pytest.mark.thorough)])
def test_under_the_service_a_folder_that_can_not_be_written_opens_and_phones_say_so(
    played: Path, tmp_path: Path, words: list[str]
) -> None:
    """The last game is there, and can be played on: on a copy in memory."""
    if subprocess.run([*words, str(tmp_path), "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("only root may make a folder read-only for root, or give up its rights")
    data, program = played.parent, Program(played.parent)
    before = {path.name: path.stat().st_mtime_ns for path in data.iterdir()}
    play = [sys.executable, "-m", "firmware_host", "play", "--resume", "--port", str(program.port), "--hands", "none"]
    (tmp_path / "run").mkdir()
    told = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "nobody"), "RUNTIME_DIRECTORY": str(tmp_path / "run")}
    inside = [*words, str(data), *play, "--data", str(data)]
    data.chmod(0o500)
    with subprocess.Popen(inside, env=told, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            state = eventually(lambda: _state(program), "an open table")
        finally:
            process.terminate()
    data.chmod(0o700)
    assert any(saying("Nothing can be written in", folder=data).match(notice) for notice in state["notices"])
    assert state["phase"] != "lobby"
    assert {path.name: path.stat().st_mtime_ns for path in data.iterdir()} == before
    assert list((tmp_path / "run").iterdir()) == []


def _state(program: Program) -> Any:
    try:
        return program.state()
    except OSError:
        return None


@pytest.fixture
def damaged(played: Path, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Start the table as a service over an unfinished game with a damaged event; return the event's number."""
    seq = spoil_unfinished(played)
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    program.data = played.parent
    program.start("--resume")
    return seq


def test_under_the_service_the_table_opens_although_its_game_is_damaged_and_phones_say_so(
    damaged: int, program: Program
) -> None:
    """Nobody reads a terminal there: a table that stays shut would say nothing."""
    state = program.state()
    assert state["phase"] == "lobby"
    assert any("The unfinished game is damaged" in notice for notice in state["notices"])
    program.join(1, "Ada")
    assert f"event {damaged} is damaged" in program.stop()


def as_host_get(program: Program, what: str) -> Any:
    return program.get(f"/api/host/{what}", Cookie=program.be_host())


def test_the_host_saves_what_is_whole_of_a_damaged_game_and_takes_it_up(damaged: int, program: Program) -> None:
    cookie = program.join(1, "Ada")
    assert as_host_get(program, "care")["repair"] is True
    assert program.as_host("repair")[0] == 200
    state = program.get("/api/state", Cookie=cookie)
    assert (state["phase"], state["you"]["seat"], state["seats"][0]["name"]) == ("lobby", 1, "Ada")
    assert any(is_in("damaged files are kept in", notice) for notice in state["notices"])
    assert not any("The unfinished game is damaged" in notice for notice in state["notices"])
    assert as_host_get(program, "care")["repair"] is False
    assert program.as_host("repair")[1]["error"]["code"] == "not_damaged"
    assert program.as_host("take-up", id="spokes-00000002")[0] == 200
    assert program.as_host("repair")[1]["error"]["code"] == "wrong_phase"
    assert program.state()["game"]["id"] == "spokes-00000002"
    program.stop()
    journal = Journal(program.data / "journal.sqlite", writer=False)
    journal.verify()
    assert damaged - 1 in [entry.seq for entry in journal.trusted_entries("spokes-00000002")]
    assert [one.state for one in journal.games()][:2] == ["finished", "unfinished"]
    journal.close()


def test_a_repair_never_gives_up_a_later_game(damaged: int, program: Program) -> None:
    for seat in (1, 2):
        program.as_host("computer", seat=seat)
    assert program.as_host("start")[0] == 200
    later = program.state()["game"]["id"]
    assert program.as_host("repair")[1]["error"]["code"] == "wrong_phase"
    choice = as_host_get(program, "state")["choices"][0]
    assert program.as_host("new", board=choice["board"], mode="2", rules=[])[0] == 200
    assert program.as_host("repair")[1]["error"]["code"] == "not_damaged"
    assert program.as_host("take-up", id=later)[0] == 200


def test_a_game_that_the_host_has_paused_is_paused_after_a_restart(played: Path, program: Program) -> None:
    """Nobody may be at the board yet when the power is back."""
    program.data = played.parent
    program.start("--resume")
    assert program.state()["paused"] is False
    for deed, held in (("pause", True), ("continue", False)):
        assert program.as_host(deed)[0] == 200
        program.stop(signal.SIGKILL)
        program.start("--resume")
        state = program.state()
        assert (state["game"]["id"], state["paused"]) == ("spokes-00000002", held)
        assert run("record", "verify", "--data", str(program.data)).returncode == 0
    program.stop()

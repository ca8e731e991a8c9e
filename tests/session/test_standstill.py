"""A disk that is full, a journal that vanishes: nothing counts that is not written down, and everybody hears why."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from firmware_host.archive.backups import backups_of
from firmware_host.archive.journal import Journal
from firmware_host.table.subjects.proposals import GamePaused, GameResumed
from firmware_host.table.subjects.resolving import Resigned
from tests.archive.journal.journals import fill
from tests.e2e.program import Program, eventually
from tests.hosts import HostedTable
from tests.sentences import is_in, sentence
from tests.session.test_host import refusal

UNLIMITED = resource.RLIM_INFINITY


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    running = Program(tmp_path / "games")
    yield running
    if running.process is not None and running.process.poll() is None:
        running.stop(signal.SIGKILL)


def begin(program: Program) -> str:
    """Begin a game of Phalanx with a computer that nobody moves stones for; return Ada's cookie."""
    program.start("--game", "phalanx")
    cookie = program.join(1, "Ada")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    program.follow_the_lights("setup")
    program.until_phase("resolving")
    return cookie


@contextmanager
def no_room(program: Program) -> Iterator[None]:
    """Let the system refuse the program to make any file longer than a few bytes."""
    assert program.process is not None
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (100, UNLIMITED))
    try:
        yield
    finally:
        resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (UNLIMITED, UNLIMITED))


def paused(program: Program) -> str:
    return str(eventually(lambda: program.state()["standstill"], "play stands still"))


def goes_on(program: Program) -> None:
    eventually(lambda: program.state()["standstill"] is None, "play goes on by itself")


def in_order(path: Path) -> list[str]:
    """Return the kinds of all entries of the last game of a journal in which all is in order."""
    reader = Journal(path, writer=False)
    try:
        reader.verify()
        return [entry.kind for entry in reader.entries(reader.games()[-1].id)]
    finally:
        reader.close()


def test_a_phone_hears_why_its_deed_does_not_count(program: Program) -> None:
    cookie = begin(program)
    with no_room(program):
        for _ in range(2):
            status, answer = program.post("/api/resign", {}, Cookie=cookie)
            assert (status, answer["error"]["code"]) == (409, "no_journal")
            assert is_in("the disk can't be written", answer["error"]["message"])
        assert is_in("the disk can't be written", paused(program))
        state = program.state()
        assert (state["phase"], state["result"], state["tasks"], state["steps"]) == ("resolving", None, [], [])
        assert program.as_host("take-back")[1]["error"]["code"] == "no_journal"
        german = program.get("/api/state", **{"Accept-Language": "de"})
        assert is_in("Play stands still: {reason}", german["message"], "de")
        assert is_in("game can't be saved ({reason})", german["message"], "de")
    goes_on(program)
    program.follow_the_lights("setup")
    assert program.post("/api/resign", {}, Cookie=cookie)[0] == 200
    assert program.state()["phase"] == "over"
    out = program.stop()
    assert "Traceback" not in out
    assert "Play stands still:" in out
    assert in_order(program.data / "journal.sqlite")[-2:] == ["resign", "result"]


@pytest.mark.thorough
def test_a_step_by_hand_does_not_count_either_and_is_done_again(program: Program) -> None:
    begin(program)
    before = program.state()
    step = next(step for step in before["steps"] if [move[0] for move in step["moves"]] == [None])
    node = step["moves"][0][1]
    with no_room(program):
        program.hand("put", node=node, piece="b")
        paused(program)
        assert program.state()["board"] == before["board"], "it is shown as it was written down"
    goes_on(program)
    assert program.until_phase("setup")["tasks"] == [{"do": "take", "node": node, "seat": None}]
    program.follow_the_lights("setup")
    program.act(step["action"])
    assert "Traceback" not in program.stop()
    assert in_order(program.data / "journal.sqlite")[-1] == "action"


@pytest.mark.thorough
def test_a_full_disk_is_called_so(tmp_path: Path) -> None:
    """On a real file system that has no room left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mounted, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small file system here; the limit of a file's size is tried above")
    program = Program(disk / "games")
    try:
        cookie = begin(program)
        ballast = disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
        assert shutil.disk_usage(disk).free == 0
        status, answer = program.post("/api/resign", {}, Cookie=cookie)
        assert status == 409
        assert answer["error"]["code"] == "no_journal"
        assert "the disk is full" in answer["error"]["message"]
        ballast.unlink()  # Until then it may go on by itself for a while: a log that is moved makes room, too.
        goes_on(program)
        assert "Traceback" not in program.stop()
        in_order(program.data / "journal.sqlite")
    finally:
        if program.process is not None and program.process.poll() is None:
            program.stop(signal.SIGKILL)
        subprocess.run(["umount", "-l", str(disk)], check=False)


@pytest.mark.thorough
def test_a_journal_that_was_deleted_is_written_anew_and_the_host_hears_of_it(program: Program) -> None:
    cookie = begin(program)
    for file in program.data.glob("journal*"):
        file.unlink()
    eventually(lambda: program.state()["paused"], "the game is paused")
    state = program.state()
    gone = sentence("the journal's file is gone")
    written = sentence("a new copy was written", what=gone, path=program.data / "journal.sqlite")
    assert written.casefold() in state["message"].casefold()
    assert is_in("The host lets the game", state["message"])
    assert program.post("/api/resign", {}, Cookie=cookie)[1]["error"]["code"] == "paused"
    assert program.as_host("continue")[0] == 200
    program.follow_the_lights("setup")
    assert program.post("/api/resign", {}, Cookie=cookie)[0] == 200
    out = program.stop()
    assert "Traceback" not in out
    assert is_in("a new copy was written", out), "whoever looks after the table reads it, too"
    kinds = in_order(program.data / "journal.sqlite")
    assert kinds[0] == "game"
    assert kinds[-1] == "result"


def test_a_backup_is_made_when_the_game_is_over(program: Program) -> None:
    cookie = begin(program)
    assert program.post("/api/resign", {}, Cookie=cookie)[0] == 200
    path = program.data / "journal.sqlite"
    (made,) = eventually(lambda: backups_of(path), "the backup")
    program.stop()
    assert in_order(made)[-1] == "result"


# -- the runtime -------------------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path: Path) -> Iterator[HostedTable]:
    here = HostedTable(tmp_path)
    yield here
    here.close()


def test_a_replaced_journal_holds_the_game_at_the_table(table: HostedTable, tmp_path: Path) -> None:
    table.sit()
    table.start()
    game = table.view["game"]["id"]
    other = Journal(tmp_path / "other.sqlite")
    fill(other, 3)
    other.close()
    (tmp_path / "other.sqlite").replace(tmp_path / "journal.sqlite")
    table.wait(3)
    assert table.view["paused"] is True
    assert is_in("another file was put in", table.view["message"])
    assert any("Another file" in notice for notice in table.view["notices"])
    assert table.view["game"]["id"] == game
    table.say(GameResumed)
    table.work("sealing")
    assert table.journal.unfinished_game() is not None
    table.journal.verify()
    (folder,) = tmp_path.glob("replaced-*")
    kept = Journal(folder / "journal.sqlite", writer=False, check=False)
    assert len(kept.entries("g1")) == 3
    kept.close()


def test_in_the_lobby_nobody_is_held_up(table: HostedTable, tmp_path: Path) -> None:
    table.sit()
    (tmp_path / "journal.sqlite").unlink()
    table.wait(3)
    assert table.view["paused"] is False
    assert any("The journal's file is gone" in notice for notice in table.view["notices"])
    table.start()
    assert table.view["phase"] != "lobby"
    table.journal.verify()


def test_a_deed_that_finds_the_journal_gone_does_not_count(table: HostedTable, tmp_path: Path) -> None:
    """It is noticed with the deed itself, not only when the loop looks."""
    table.sit()
    table.start()
    table.work("sealing")
    (tmp_path / "journal.sqlite").unlink()
    error = refusal(lambda: table.say(Resigned, seat=1))
    assert error.code == "no_journal"
    assert "the journal's file is gone" in error.message
    assert table.view["phase"] == "sealing"
    table.wait(0.2)
    assert table.view["paused"] is True
    table.say(GameResumed)
    table.work("sealing")
    table.say(Resigned, seat=1)
    assert table.view["phase"] == "over"
    assert [entry.kind for entry in table.journal.entries(table.view["game"]["id"])][-2:] == ["resign", "result"]


def test_a_table_that_the_host_held_stays_held(table: HostedTable, tmp_path: Path) -> None:
    table.sit()
    table.start()
    table.say(GamePaused)
    (tmp_path / "journal.sqlite").unlink()
    table.wait(3)
    assert table.view["paused"] is True


def test_what_was_wrong_at_the_start_is_told_at_the_table(tmp_path: Path) -> None:
    table = HostedTable(tmp_path)
    table.sit()
    table.start()
    table.close()
    for suffix in ("", "-wal"):
        (tmp_path / f"journal.sqlite{suffix}").unlink(missing_ok=True)
    fill(Journal(tmp_path / "backups" / "journal-1.sqlite"), 2)
    again = HostedTable(tmp_path)
    again.runtime.report_journal()
    assert "its file is missing" in again.view["notices"][0]
    assert again.view["paused"] is False, "it is a lobby"
    again.close()

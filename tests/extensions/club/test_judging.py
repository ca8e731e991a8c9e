"""Records are verified in a child process: what is true, what is not, and what ends the process."""

from __future__ import annotations

import os
import queue
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_host.archive.format import RecordError
from firmware_host.extensions.club.judging import FinishedGame, Judge, judge
from tests.archive.records.recorder import Events, forged
from tests.e2e.program import PATIENCE_S
from tests.extensions.club.clubs import resigned_record


@pytest.fixture
def record(tmp_path: Path) -> str:
    return resigned_record(tmp_path, 1)


@pytest.fixture
def verdicts() -> Iterator[tuple[Judge, queue.Queue[FinishedGame | RecordError]]]:
    running = Judge()
    yield running, queue.Queue()
    running.close()


def test_what_a_record_says(record: str) -> None:
    """Names, winner, reason; and a reason to refuse what is no whole finished game."""
    found = judge(record)
    assert (found.seats, found.winners, found.changed) == ({1: ("Ann", False), 2: ("Ben", False)}, (2,), False)
    lines = record.splitlines(keepends=True)
    for wrong in (record[:-1], "".join(lines[:-1]), "", record.replace("Ann", "Eve"), "\n", record * 2):
        with pytest.raises(RecordError):
            judge(wrong)


def test_whether_a_game_began_by_its_rules(record: str) -> None:
    """Or in a position that was set up, from which everything follows by the rules as well."""

    def give(_: object, events: Events) -> None:
        next(event for event in events if event["kind"] == "start")["data"]["given"] = True

    assert not judge(record).given
    assert judge("".join(f"{line}\n" for line in forged(give, tuple(record.splitlines())))).given


def test_a_record_that_ends_the_process_stops_nothing(
    record: str, verdicts: tuple[Judge, queue.Queue[FinishedGame | RecordError]]
) -> None:
    """Those that wait behind it are verified all the same, by another process."""
    running, told = verdicts
    running.submit(lambda: record, told.put)
    assert isinstance(told.get(timeout=PATIENCE_S), FinishedGame)
    assert running._pool is not None
    (child,) = running._pool._processes.values()  # type: ignore[union-attr]
    os.kill(child.pid, signal.SIGALRM)  # What it has asked for itself, should it take too long.
    child.join(PATIENCE_S)
    for _ in range(2):
        running.submit(lambda: record, told.put)
    assert isinstance(told.get(timeout=PATIENCE_S), RecordError)
    assert isinstance(told.get(timeout=PATIENCE_S), FinishedGame)


def test_whatever_verification_raises_there_is_a_verdict(
    record: str,
    verdicts: tuple[Judge, queue.Queue[FinishedGame | RecordError]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A game's own fault, or a child that can't be begun: who waits for the verdict must not wait for ever."""
    running, told = verdicts

    def fail() -> str:
        raise IndexError("a fault of the rules")

    running.submit(fail, told.put)
    found = told.get(timeout=PATIENCE_S)
    assert isinstance(found, RecordError)
    assert "a fault of the rules" in str(found)
    assert "IndexError" in caplog.text, "who mends the game needs the traceback"
    with monkeypatch.context() as patched:
        patched.setattr("firmware_host.extensions.club.judging.ProcessPoolExecutor", lambda *_: fail())
        running.submit(lambda: record, told.put)
        assert isinstance(told.get(timeout=PATIENCE_S), RecordError)
    running.submit(lambda: record, told.put)
    assert isinstance(told.get(timeout=PATIENCE_S), FinishedGame)

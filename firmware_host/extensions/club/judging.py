"""Whether a record that a table has handed over is true, and what it says: in a process of its own.

A record may come from anybody who has the club's invitation. Playing a game again takes a second at times, and a
hostile record may take more; the page goes on meanwhile.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from firmware_host import platform
from firmware_host.archive.format import RecordError
from firmware_host.archive.records import MAX_LINE, play_again
from firmware_host.archive.verify import GameReplay

MAX_S = 60
"""Longest time for one record, seconds."""
MAX_MEMORY = 2 << 30
"""Maximum size of the child process, bytes."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FinishedGame:
    """What a verified record says. ``seats`` maps a seat to (name, whether a computer)."""

    game_id: str
    game: str
    rules: Mapping[str, bool]
    mode: str
    seats: Mapping[int, tuple[str, bool]]
    winners: tuple[int, ...]
    reason: str
    started: str
    turns: int
    changed: bool
    """Whether somebody else took over a seat in the middle of the game."""
    given: bool
    """Whether it began in a position that was set up, and not as its rules say."""


def judge(text: str) -> FinishedGame:
    """Return what a record says, once each of its lines has been checked. Raise RecordError."""
    if not text.endswith("\n"):
        raise RecordError("the record does not end with a line feed: something is missing")
    lines = text[:-1].split("\n")
    if max(map(len, lines)) > MAX_LINE:
        raise RecordError(f"a line longer than {MAX_LINE} bytes, which no line of a record is")
    header: Mapping[str, Any] = {}
    replay: GameReplay | None = None
    turns: set[int] = set()
    changed, given, before = False, False, 0
    for fields, replay in play_again(lines):
        header = header or fields
        ledger = replay.ledger
        changed = changed or fields.get("kind") == "seat"
        given = given or begins_given(fields)
        if fields.get("kind") in {"reveal", "action"}:
            turns.add(before)
        before = ledger.game.turn(ledger.now.position) if ledger.started else 0
    if replay is None or replay.result is None or replay.abandoned:
        raise RecordError("the game is not finished")
    return FinishedGame(
        header["id"],
        header["game"],
        header["rules"],
        header["mode"],
        {seat: (sitting.name, sitting.computer) for seat, sitting in replay.ledger.sittings.items()},
        tuple(replay.result["winners"]),
        str(replay.result["reason"] or ""),
        header["started"],
        len(turns),
        changed,
        given,
    )


def begins_given(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry of a record is the start of a game in a position that was set up."""
    return entry.get("kind") == "start" and "given" in entry["data"]


Verdict = Callable[[FinishedGame | RecordError], None]


class Judge:
    """Verifies records one after the other, in a child process. A record that ends the process does not count."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._line = ThreadPoolExecutor(1, "records")
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, read: Callable[[], str], done: Verdict) -> None:
        """Verify a record, and call ``done``, on another thread, with what it says or what is wrong with it.

        ``read`` returns its text or raises RecordError. It is called when the record's turn has come: what waits needs
        no more memory than it needed to come here.
        """
        self._line.submit(self._verify, read, done)

    def _verify(self, read: Callable[[], str], done: Verdict) -> None:
        try:
            verdict = self._verdict(read)
        except RecordError as error:
            done(error)
        except (BrokenProcessPool, MemoryError, RecursionError) as error:
            self._pool = None
            done(RecordError(f"it takes more than {MAX_S} s or {MAX_MEMORY >> 20} MB to verify ({error})"))
        except Exception as error:  # noqa: BLE001 - rules may raise anything; who has submitted it waits for a verdict
            _log.exception("a record that can't be verified")
            done(RecordError(f"it can't be verified: {type(error).__name__}: {error}"))
        else:
            done(verdict)

    def _verdict(self, read: Callable[[], str]) -> FinishedGame:
        text = read()
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _be_modest)
        return self._pool.submit(_judge_in_time, text).result()

    def close(self) -> None:
        """End the process."""
        self._line.shutdown(cancel_futures=True)
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _be_modest() -> None:
    """Leave the processor to the page, and the memory; and Ctrl-C, which a terminal sends to every process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    platform.be_modest(0, 10)
    platform.limit_memory(0, MAX_MEMORY, MAX_MEMORY)


def _judge_in_time(text: str) -> FinishedGame:
    with platform.at_most(MAX_S):
        return judge(text)

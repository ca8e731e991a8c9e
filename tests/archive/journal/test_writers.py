"""Who may write, and what a kill or a full disk leaves."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from firmware_host.archive.journal import Journal
from tests.archive.journal.journals import fill, refusal, reopened
from tests.sampling import is_sample

HOLD = """
import sys, time
from pathlib import Path
from firmware_host.archive.journal import Journal
journal = Journal(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(60)
"""

APPEND = """
import itertools, sys
from pathlib import Path
from firmware_host.archive.journal import Journal
journal = Journal(Path(sys.argv[1]))
last = len(journal.entries("g1"))
print("open", flush=True)
for n in itertools.count(last + 1):
    journal.append("g1", "action", {"n": n, "text": "C6-D11-11" * 20}, "2026-11-21T10:00:00+00:00")
    print(n, flush=True)
"""


def child(program: str, path: Path) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    return process


def test_a_second_player_is_refused_and_readers_are_not(journal: Journal, path: Path) -> None:
    fill(journal, 2)
    assert f"process {os.getpid()}" in refusal(lambda: Journal(path))
    link = path.parent / "link.sqlite"
    link.symlink_to(path)
    assert "another program" in refusal(lambda: Journal(link))
    reader = Journal(path, writer=False)
    fill(journal, 1)
    assert len(reader.entries("g1")) == 3
    reader.verify()
    assert "reading only" in refusal(lambda: fill(reader, 1))
    reader.close()


def test_a_killed_player_leaves_the_journal_free(path: Path) -> None:
    player = child(HOLD, path)
    assert f"process {player.pid}" in refusal(lambda: Journal(path))
    player.kill()
    player.communicate()
    journal = Journal(path)
    fill(journal, 1)
    journal.close()
    assert len(reopened(path)) == 1


def test_a_killed_players_entries_can_be_read_by_a_reader(path: Path) -> None:
    writer = child(APPEND, path)
    assert writer.stdout is not None
    writer.stdout.readline()
    writer.kill()
    writer.communicate()
    reader = Journal(path, writer=False)
    assert reader.entries("g1")
    reader.verify()
    reader.close()


def test_a_kill_at_any_instant_loses_nothing_that_was_acknowledged(path: Path) -> None:
    rng = random.Random(7)
    known = 0
    for _ in range(3 if is_sample() else 10):
        writer = child(APPEND, path)
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(rng.randrange(10, 40))]
        time.sleep(rng.random() * 0.004)  # The instant of the kill is what is tested; no clock can be passed to it.
        writer.send_signal(signal.SIGKILL)
        acknowledged, _ = writer.communicate()
        lines += acknowledged.split(b"\n")[:-1]
        shown = int(lines[-1])
        entries = reopened(path)
        assert [entry.data["n"] for entry in entries] == list(range(1, len(entries) + 1))
        assert shown <= len(entries) <= shown + 1, "one event may be durable and not yet acknowledged"
        known = len(entries)
    assert known > 20, "the kills came before anything was written"


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from firmware_host.archive.journal import Journal, JournalError
journal = Journal(Path(sys.argv[1]))
print("open", flush=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for n in range(1, 1000):
    try:
        journal.append("g1", "action", {"n": n, "text": "C6-D11-11" * 20}, "2026-11-21T10:00:00+00:00")
    except JournalError as error:
        print(error)
        break
    print(n)
try:
    journal.append("g1", "action", {"n": -1}, "2026-11-21T10:00:00+00:00")
except JournalError as error:
    print(error)
"""


def test_a_full_disk_is_said_and_nothing_acknowledged_is_lost(path: Path) -> None:
    with child(FULL_DISK, path) as process:
        assert process.stdout is not None
        output = process.stdout.read()  # communicate() would leave out what came together with the first line.
    *acknowledged, first, second = output.decode().splitlines()
    assert "can't be written" in first
    assert "open the journal anew" in second
    entries = reopened(path)
    assert len(acknowledged) > 10
    assert [str(entry.data["n"]) for entry in entries[: len(acknowledged)]] == acknowledged
    assert len(entries) <= len(acknowledged) + 1

"""The journal keeps what it acknowledged, refuses what it can't keep, and notices what was changed behind its back."""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.journal import FIRST_HASH, SCHEMA_VERSION, Entry, Journal, JournalError

AT = "2026-11-21T10:00:00.000+00:00"
HEAD = {"id": "g1", "game": "spokes", "mode": "2", "rules": {}, "board": "spokes-45", "version": "0.1.0"}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["g1", "g2", "spokes-0a1b2c3d"]),
        st.sampled_from(["seal", "reveal", "action", "mask"]),
        st.dictionaries(st.text(max_size=5), JSON, max_size=4),
        st.just(AT),
    ),
    max_size=12,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games" / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    opened = Journal(path)
    yield opened
    opened.close()


def fill(journal: Journal, count: int, game: str = "g1") -> list[Entry]:
    return [journal.append(game, "action", {"n": n, "text": "C6-D11-11" * 9}, AT) for n in range(count)]


def refusal(deed: Callable[[], object]) -> str:
    with pytest.raises(JournalError) as caught:
        deed()
    return str(caught.value)


def reopened(path: Path) -> list[Entry]:
    journal = Journal(path)
    try:
        journal.verify()
        return journal.entries("g1")
    finally:
        journal.close()


# -- what goes in comes out --------------------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(EVENTS, st.integers(0, 12))
def test_everything_appended_is_there_after_reopening(events: list[Any], together: int) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "journal.sqlite"
        journal = Journal(file)
        written = journal.append_all(events[:together]) + [journal.append(*event) for event in events[together:]]
        journal.close()
        again = Journal(file, writer=False)
        again.verify()
        assert [(e.game, e.kind, e.data, e.at) for e in written] == events
        for game in ("g1", "g2", "spokes-0a1b2c3d"):
            assert again.entries(game) == [entry for entry in written if entry.game == game]
        again.close()


def test_the_chain_is_the_documented_hash(journal: Journal) -> None:
    first, second = fill(journal, 2)
    assert first.prev == FIRST_HASH == hashlib.sha256(b"lodestone-journal-v1").hexdigest()
    assert second.prev == first.hash
    data = json.dumps(second.data, sort_keys=True, separators=(",", ":"))
    fields = json.dumps([2, "g1", AT, "action", data], separators=(",", ":"))
    assert second.hash == hashlib.sha256(f"{first.hash}\n{fields}".encode()).hexdigest()


def test_the_file_is_written_the_safe_way(journal: Journal) -> None:
    def pragma(name: str) -> Any:
        return journal._db.execute(f"PRAGMA {name}").fetchone()[0]

    assert (pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")) == ("wal", 2, 1)
    assert pragma("busy_timeout") == 5000
    assert pragma("user_version") == SCHEMA_VERSION


@pytest.mark.parametrize("data", [{"x": float("nan")}, {"x": {1, 2}}, {"x": b"bytes"}])
def test_events_enter_together_or_not_at_all(journal: Journal, data: dict[str, Any]) -> None:
    fill(journal, 1)
    assert "can't be written" in refusal(lambda: journal.append_all([("g1", "a", {}, AT), ("g1", "b", data, AT)]))
    assert len(journal.entries("g1")) == 1
    assert journal.append("g1", "c", {}, AT).seq == 2


def test_the_loops_thread_may_write_what_another_opened(journal: Journal) -> None:
    with ThreadPoolExecutor(1) as loop:
        entry = loop.submit(fill, journal, 1).result()[0]
    assert journal.entries("g1") == [entry]


def test_a_finished_game_needs_no_wal(journal: Journal, path: Path, tmp_path: Path) -> None:
    entries = fill(journal, 3)
    entries.append(journal.append("g1", "result", {"winners": [1], "reason": "filled"}, AT))
    copy = tmp_path / "copy.sqlite"
    shutil.copy(path, copy)
    assert reopened(copy) == entries


# -- append only -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET data = '{}' WHERE seq = 2",
        "UPDATE OR REPLACE event SET seq = 1 WHERE seq = 2",
        "DELETE FROM event WHERE seq = 3",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event VALUES (2, 'g1', '', '', '{}', '', '')",
        "INSERT INTO event VALUES (9, 'g1', '', '', '{}', '', '')",
        "INSERT INTO event VALUES (NULL, 'g1', '', '', '{}', '', '')",
    ],
)
def test_the_database_itself_refuses_to_change_what_is_written(journal: Journal, path: Path, statement: str) -> None:
    before = fill(journal, 3)
    other = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(statement)
    other.close()
    assert journal.entries("g1") == before


# -- who may write -----------------------------------------------------------------------------------------------------

HOLD = """
import sys, time
from pathlib import Path
from firmware_host.journal import Journal
journal = Journal(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(60)
"""

APPEND = """
import itertools, sys
from pathlib import Path
from firmware_host.journal import Journal
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


# -- kills and full disks ----------------------------------------------------------------------------------------------


def test_a_kill_at_any_instant_loses_nothing_that_was_acknowledged(path: Path) -> None:
    rng = random.Random(7)
    known = 0
    for _ in range(10):
        writer = child(APPEND, path)
        time.sleep(rng.random() * 0.12)  # The instant of the kill is what is tested; no clock can be passed to it.
        writer.send_signal(signal.SIGKILL)
        acknowledged, _ = writer.communicate()
        lines = acknowledged.split(b"\n")[:-1]
        shown = int(lines[-1]) if lines else known
        entries = reopened(path)
        assert [entry.data["n"] for entry in entries] == list(range(1, len(entries) + 1))
        assert shown <= len(entries) <= shown + 1, "one event may be durable and not yet acknowledged"
        known = len(entries)
    assert known > 20, "the kills came before anything was written"


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from firmware_host.journal import Journal, JournalError
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
    output, _ = child(FULL_DISK, path).communicate(timeout=60)
    *acknowledged, first, second = output.decode().splitlines()
    assert "can't be written" in first
    assert "open the journal anew" in second
    entries = reopened(path)
    assert len(acknowledged) > 10
    assert [str(entry.data["n"]) for entry in entries[: len(acknowledged)]] == acknowledged
    assert len(entries) <= len(acknowledged) + 1


# -- damage ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Entry]]:
    """Return a journal as a power cut leaves it (main file and WAL), and what was appended to it."""
    folder = tmp_path_factory.mktemp("wal")
    journal = Journal(folder / "live.sqlite")
    entries = fill(journal, 40)
    for suffix in ("", "-wal"):
        shutil.copy(folder / f"live.sqlite{suffix}", folder / f"journal.sqlite{suffix}")
    journal.close()
    return folder / "journal.sqlite", entries


def opened_copy(source: Path, wal: bytes) -> list[Entry]:
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "journal.sqlite"
        shutil.copy(source, copy)
        copy.with_name("journal.sqlite-wal").write_bytes(wal)
        return reopened(copy)


def test_a_truncated_wal_opens_as_a_prefix(wal: tuple[Path, list[Entry]]) -> None:
    source, entries = wal
    whole = source.with_name("journal.sqlite-wal").read_bytes()
    rng = random.Random(11)
    lengths = [0, 1, 31, 32, len(whole) - 1, len(whole), *(rng.randrange(len(whole)) for _ in range(30))]
    found = {}
    for length in lengths:
        kept = opened_copy(source, whole[:length])
        found[length] = len(kept)
        assert kept == entries[: len(kept)]
    assert found[len(whole)] == 40
    assert found[len(whole) - 1] == 39
    assert found[0] == 0
    ordered = [found[length] for length in sorted(found)]
    assert ordered == sorted(ordered)


def test_a_flipped_bit_in_the_wal_leaves_a_prefix(wal: tuple[Path, list[Entry]]) -> None:
    source, entries = wal
    whole = source.with_name("journal.sqlite-wal").read_bytes()
    rng = random.Random(13)
    for _ in range(30):
        kept = opened_copy(source, flipped(whole, rng))
        assert kept == entries[: len(kept)]


def flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def test_flipped_bits_in_the_main_file_are_noticed_or_harmless(path: Path) -> None:
    journal = Journal(path)
    entries = fill(journal, 60)
    journal.close()
    whole = path.read_bytes()
    rng = random.Random(17)
    noticed = 0
    for _ in range(200):
        path.write_bytes(flipped(whole, rng))
        try:
            assert reopened(path) == entries
        except JournalError:
            noticed += 1
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    assert noticed > 120, "most of the file is events: most flips must be noticed"


def test_verify_names_the_first_damaged_event(path: Path) -> None:
    journal = Journal(path)
    for n in range(9):
        journal.append("g1", "action", {"mark": f"event-{n + 1}-"}, AT)
    journal.close()
    whole = path.read_bytes()
    for damaged in (b"event-7-", b"event-2-"):
        whole = whole.replace(damaged, damaged.upper())
        path.write_bytes(whole)
        reader = Journal(path, writer=False)
        assert f"event {damaged[6:7].decode()} is damaged" in refusal(reader.verify)
        assert "is damaged" in refusal(lambda reader=reader: reader.entries("g1"))
        reader.close()


def test_verify_notices_a_forger_who_hashes_correctly(path: Path) -> None:
    """A row replaced by one with a correct hash of its own no longer fits the row after it; a lost row leaves a gap."""
    journal = Journal(path)
    fill(journal, 5)
    journal.close()
    other = sqlite3.connect(path)
    triggers = other.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        other.execute(f"DROP TRIGGER {name}")
    prev = other.execute("SELECT prev FROM event WHERE seq = 3").fetchone()[0]
    fields = json.dumps([3, "g1", AT, "action", "{}"], separators=(",", ":"))
    digest = hashlib.sha256(f"{prev}\n{fields}".encode()).hexdigest()
    other.execute("UPDATE event SET data = '{}', hash = ? WHERE seq = 3", (digest,))
    other.commit()
    assert "tables are not those of a journal" in refusal(lambda: Journal(path, writer=False))
    for _, sql in triggers:
        other.execute(sql)
    other.commit()
    reader = Journal(path, writer=False)
    assert "event 4 is damaged: it does not follow" in refusal(reader.verify)
    reader.close()
    other.execute("DROP TRIGGER event_is_never_deleted")
    other.execute("DELETE FROM event WHERE seq = 2")
    other.execute(next(sql for name, sql in triggers if name == "event_is_never_deleted"))
    other.commit()
    other.close()
    reader = Journal(path, writer=False)
    assert "event 2 is missing" in refusal(reader.verify)
    reader.close()


# -- files that are no journals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("writer", [True, False])
def test_a_newer_schema_is_refused_and_left_alone(path: Path, writer: bool) -> None:
    Journal(path).close()
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    other.close()
    before = path.read_bytes()
    assert "written by a newer program" in refusal(lambda: Journal(path, writer=writer))
    assert path.read_bytes() == before


@pytest.mark.parametrize("writer", [True, False])
def test_other_files_are_refused_and_left_alone(tmp_path: Path, writer: bool) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("my notes\n" * 200)
    assert "file is not a database" in refusal(lambda: Journal(text, writer=writer))
    assert text.read_text() == "my notes\n" * 200
    foreign = tmp_path / "foreign.sqlite"
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE recipe (name TEXT)")
    other.close()
    before = foreign.read_bytes()
    assert "not a journal of games" in refusal(lambda: Journal(foreign, writer=writer))
    assert foreign.read_bytes() == before
    assert "is a folder" in refusal(lambda: Journal(tmp_path, writer=writer))


def test_a_path_that_cant_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert f"{tmp_path / 'file'}: File exists" in refusal(lambda: Journal(tmp_path / "file" / "journal.sqlite"))
    assert "there is no journal" in refusal(lambda: Journal(tmp_path / "none.sqlite", writer=False))
    assert not (tmp_path / "none.sqlite").exists()


def test_a_journal_locked_by_something_else_is_refused_not_waited_for_ever(journal: Journal, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal._db.execute("PRAGMA busy_timeout = 20")
    assert "database is locked" in refusal(lambda: fill(journal, 1))
    other.execute("ROLLBACK")
    other.close()
    assert fill(journal, 1)[0].seq == 1, "nothing was written by the refused attempt, and the next one works"


def test_an_interrupted_creation_is_taken_up(path: Path) -> None:
    path.parent.mkdir()
    other = sqlite3.connect(path)
    other.execute("PRAGMA journal_mode = WAL")
    other.close()
    journal = Journal(path)
    fill(journal, 1)
    journal.close()
    assert len(reopened(path)) == 1


# -- lists of games ----------------------------------------------------------------------------------------------------


def begin(journal: Journal, game: str, *names: str) -> None:
    journal.append(game, "game", HEAD | {"id": game}, "2026-11-21T10:00:00+00:00")
    for seat, name in enumerate(names, 1):
        journal.append(game, "seat", {"seat": seat, "name": name, "claim": "secret", "computer": False}, AT)


def start(journal: Journal, game: str, at: str = "2026-11-21T10:05:00+00:00") -> None:
    journal.append(game, "start", {"position": "p"}, at)


def test_games_are_listed_with_their_state(journal: Journal) -> None:
    assert journal.games() == []
    assert journal.unfinished() is None
    begin(journal, "lobby", "Ada")
    begin(journal, "done", "Ada", "Grace")
    start(journal, "done")
    journal.append("done", "reveal", {"turn": 1, "actions": {}, "position": "p", "removed": []}, AT)
    journal.append("done", "reveal", {"turn": 2, "actions": {}, "position": "p", "removed": []}, AT)
    journal.append("done", "result", {"reason": "filled", "winners": [2], "scores": [1, 2], "tiebreak": [0, 0]}, AT)
    begin(journal, "left", "Ada", "Grace")
    start(journal, "left")
    journal.abandon("left")
    lobby, done, left = journal.games()
    assert (lobby.state, lobby.names, lobby.started) == ("lobby", ("Ada",), "2026-11-21T10:00:00+00:00")
    assert (done.state, done.reason, done.winners, done.turns, done.events) == ("finished", "filled", (2,), 2, 7)
    assert (done.game, done.mode, done.names) == ("spokes", "2", ("Ada", "Grace"))
    assert done.started == "2026-11-21T10:05:00+00:00"
    assert (left.state, left.turns) == ("abandoned", 0)
    assert (lobby.ended, done.ended) == (None, AT)
    assert left.ended is not None
    assert journal.unfinished() is None


def test_what_is_known_of_a_game_is_not_read_again_until_something_is_added(journal: Journal) -> None:
    for game in ("one", "two"):
        begin(journal, game, "Ada", "Grace")
        start(journal, game)
    known = {summary.id: replace(summary, mode="as it was known") for summary in journal.games()}
    assert [summary.mode for summary in journal.games(known)] == ["as it was known"] * 2
    journal.append("two", "moved", {"seat": 1, "claim": "c"}, AT)
    assert [summary.mode for summary in journal.games(known)] == ["as it was known", "2"]


def test_a_game_that_is_taken_up_again_is_the_one_to_resume(journal: Journal) -> None:
    for game in ("one", "two"):
        begin(journal, game, "Ada", "Grace")
        start(journal, game)
    journal.append("one", "taken-up", {}, AT)
    last = journal.unfinished()
    assert last is not None
    assert (last.id, last.state, last.started) == ("one", "unfinished", "2026-11-21T10:05:00+00:00")


def test_the_game_played_last_is_the_one_to_resume(journal: Journal) -> None:
    for game in ("one", "two", "three"):
        begin(journal, game, "Ada", "Grace")
    start(journal, "one")
    start(journal, "two")
    assert journal.unfinished() == journal.games()[1]
    journal.append("two", "abandoned", {}, AT)
    last = journal.unfinished()
    assert last is not None
    assert (last.id, last.state) == ("one", "unfinished")


def test_names_follow_who_leaves_and_which_mode_is_played(journal: Journal) -> None:
    begin(journal, "g1", "Ada", "Grace")
    journal.append("g1", "mode", {"mode": "4"}, AT)
    for seat, name in ((3, "Edsger"), (4, "Barbara")):
        journal.append("g1", "seat", {"seat": seat, "name": name, "claim": "c", "computer": True}, AT)
    journal.append("g1", "left", {"seat": 1}, AT)
    assert journal.games()[0].seats == {2: "Grace", 3: "Edsger", 4: "Barbara"}
    journal.append("g1", "mode", {"mode": "2"}, AT)
    summary = journal.games()[0]
    assert (summary.mode, summary.seats) == ("2", {2: "Grace"})


def test_entries_that_tell_no_game_are_named_not_raised(journal: Journal) -> None:
    journal.append("g1", "game", {"id": "g1"}, AT)
    assert "the entries of game 'g1' are not as expected" in refusal(journal.games)

"""Whatever was changed behind its back is noticed."""

import hashlib
import json
import random
import sqlite3
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal, JournalError
from tests.archive.journal.journals import AT, fill, refusal, reopened


def flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


@pytest.mark.thorough
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
    mended = len(list(path.parent.glob("damaged-*")))
    assert noticed + mended > 120, "most of the file is events: most flips must be noticed"


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

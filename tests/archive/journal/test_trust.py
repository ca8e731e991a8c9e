"""A game is gone on with only if nothing of it is missing, changed, or left out by the index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.archive.journal import Entry, Journal
from tests.archive.journal.journals import AT, HEAD, refusal


@pytest.fixture
def two_games(path: Path) -> list[Entry]:
    """Write two games, in turn, and return the entries of the second."""
    journal = Journal(path)
    for game in ("g1", "g2"):
        journal.append(game, "game", HEAD | {"id": game}, AT)
    for n in range(6):
        journal.append(f"g{n % 2 + 1}", "action", {"n": n}, AT)
    entries = journal.entries("g2")
    assert journal.trusted_entries("g2") == entries
    assert journal.trusted_entries("g1") == journal.entries("g1")
    journal.close()
    return entries


def change(path: Path, *statements: str) -> None:
    """Change a journal behind its back, and put its triggers back."""
    database = sqlite3.connect(path)
    triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        database.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        database.execute(statement)
    for _, sql in triggers:
        database.execute(sql)
    database.commit()
    database.close()


def distrusted(path: Path) -> str:
    reader = Journal(path, writer=False, check=False)
    try:
        assert refusal(reader.verify)
        return refusal(lambda: reader.trusted_entries("g2"))
    finally:
        reader.close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM event WHERE seq = 5", "event 5 is missing (the next one is 6)"),
        ("DELETE FROM event WHERE seq = 6", "event 6 is missing (the next one is 7)"),
        ("UPDATE event SET data = '{}' WHERE seq = 6", "event 6 is damaged: its hash"),
        ("UPDATE event SET prev = (SELECT hash FROM event WHERE seq = 3) WHERE seq = 5", "event 5 is damaged"),
        ("UPDATE event SET game = 'g1' WHERE seq = 2", "the beginning of game 'g2' is missing"),
    ],
)
def test_what_is_missing_or_changed_is_named(path: Path, two_games: list[Entry], statement: str, words: str) -> None:
    assert [entry.seq for entry in two_games] == [2, 4, 6, 8]
    change(path, statement)
    assert words in distrusted(path)


def in_index(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda path: in_index(path, b"g2game\x02", b"g3game\x02"), "the beginning of game 'g2' is missing"),
        (
            lambda path: in_index(path, b"g2action\x06", b"g3action\x06"),
            "the index is damaged",
        ),
        (
            lambda path: in_index(path, b"g2action\x08", b"g3action\x08"),
            "the index is damaged",
        ),
    ],
)
def test_a_damaged_index_is_named(path: Path, two_games: list[Entry], harm: Callable[[Path], None], words: str) -> None:
    harm(path)
    assert words in distrusted(path)
    journal = Journal(path)
    assert "its file is damaged" in journal.faults[0], "who wants to write to it hears it at once"
    assert "Nothing is lost." in journal.faults[0]
    assert journal.trusted_entries("g2") == two_games
    journal.close()

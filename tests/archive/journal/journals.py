"""What the tests of the journal share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.archive.journal import Entry, Journal, JournalError

AT = "2026-11-21T10:00:00.000+00:00"
HEAD = {"id": "g1", "game": "spokes", "mode": "2", "rules": {}, "board": "spokes-45", "version": "0.1.0"}


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

"""A journal that somebody has made up, every hash as it should be: an event of another form is a damaged one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import FIRST_HASH, INSERT, MAKING, event_hash, hashed_fields
from firmware_host.commands.cli import main
from firmware_host.link.evening_log import _time_of
from tests.archive.journal.journals import AT, HEAD, fill, refusal
from tests.sentences import is_in

SEAT = {"seat": 1, "name": "Ann", "claim": "c", "computer": False}
FORGED: dict[str, tuple[str, Any]] = {
    "brackets in brackets": ("mask", "[" * 100_000 + "]" * 100_000),
    "deeper than any event": ("mask", '{"a":' * 60 + "1" + "}" * 60),
    "no object": ("seat", "[]"),
    "no number": ("reveal", '{"turn": Infinity}'),
    "too large a number": ("reveal", '{"turn": 1e999}'),
    "a name twice": ("seat", '{"seat": 1, "seat": 2, "name": "A", "claim": "c", "computer": false}'),
    "a mode that is a list": ("game", HEAD | {"mode": ["2"]}),
    "rules that are none": ("game", HEAD | {"rules": 3}),
    "a seat that is a text": ("seat", SEAT | {"seat": "x"}),
    "a name that is a number": ("seat", SEAT | {"name": 5}),
    "a seat without a claim": ("seat", {"seat": 1, "name": "Ann", "computer": False}),
    "a position that is a number": ("start", {"position": 5}),
    "winners that are none": ("result", {"winners": 1, "reason": None}),
}


def forged(path: Path, *events: tuple[str, Any]) -> Path:
    """Make a journal of one game; the data of an event may be any text."""
    prev = FIRST_HASH
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        for statement in MAKING:
            made.execute(statement)
        for number, (kind, data) in enumerate(events, 1):
            text = data if isinstance(data, str) else json.dumps(data)
            digest = event_hash(prev, hashed_fields(number, "g1", AT, kind, text))
            made.execute(INSERT, (number, "g1", AT, kind, text, prev, digest))
            prev = digest
    return path


@pytest.mark.parametrize("name", FORGED)
def test_it_is_a_damaged_event_to_all(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Who reads says which one; a table opens; a repair saves what is before it."""
    path = forged(tmp_path / "journal.sqlite", ("game", HEAD), FORGED[name], ("mask", {}))
    assert main(["record", "verify", "--data", str(tmp_path)]) == 1
    assert "event 2 is damaged: " in capsys.readouterr().err
    main(["record", "list", "--data", str(tmp_path)])
    assert "Traceback" not in capsys.readouterr().err
    with closing(Journal(path, unattended=True)) as journal:
        assert journal.is_damaged
        assert "event 2 is damaged" in refusal(journal.verify)
        fill(journal, 1)
    assert main(["record", "repair", "--data", str(tmp_path)]) == 0
    assert "it now ends" in capsys.readouterr().out
    with closing(Journal(path)) as journal:
        assert [entry.kind for entry in journal.entries("g1")] == ["game"]


def test_as_the_last_event_it_keeps_no_unattended_table_shut(tmp_path: Path) -> None:
    """Nothing can follow from it: it is given up, and that is told; a table with people asks them first."""
    path = forged(tmp_path / "journal.sqlite", ("game", HEAD), FORGED["no object"])
    assert "`lodestone record repair`" in refusal(lambda: Journal(path))
    with closing(Journal(path, unattended=True)) as journal:
        (told,) = journal.take_faults()
        assert is_in("the last event is lost:", told)
        fill(journal, 1)
        journal.verify()


@pytest.mark.parametrize("name", FORGED)
def test_it_can_not_be_written(journal: Journal, name: str) -> None:
    kind, data = FORGED[name]
    if not isinstance(data, str):
        assert f"{kind!r} of game 'g1' can't be written" in refusal(lambda: journal.append("g1", kind, data, AT))
        assert journal.length == 0
        fill(journal, 1)


def test_a_time_too_large_for_any_evening_is_none() -> None:
    with pytest.raises(ValueError, match="seconds"):
        _time_of('{"time": 1' + "0" * 400 + "}")
    assert _time_of('{"time": 2}') == 2.0

"""The archive keeps acts and records, in SQLite and in PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from firmware_host.club.store import Archive, KeptRecord, Overtaken
from firmware_host.club.tournament import fold
from firmware_host.text.words import Refused
from tests.club.clubs import AT, INITDB, pair, play_round, postgres, tournament

KINDS = [
    "sqlite",
    pytest.param(
        "postgresql",
        marks=[pytest.mark.slow, pytest.mark.skipif(INITDB is None, reason="PostgreSQL (initdb) is not installed")],
    ),
]
RECORD = KeptRecord(
    "20260501-abc", "coil", {}, "2", {1: ("Ann", False), 2: ("Bö", True)}, (1,), "ring", AT, 31, False,
    "ab" * 32, 71, "cd" * 32, "Hall 1", "2026-05-01T19:00:00Z",
)  # fmt: skip


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{folder}/club/club.sqlite"
        return
    with postgres() as url:
        yield url


@pytest.mark.parametrize("kind", KINDS)
def test_acts_and_records_are_kept(kind: str, tmp_path: Path) -> None:
    """All come back after a restart; no act is written twice, nor half of several; a record counts as new once."""
    what = play_round(pair(tournament(5)), Random(3))
    with database(kind, tmp_path) as url:
        with closing(Archive(url)) as archive:
            archive.add_acts(what.acts)
            assert archive.add_record(RECORD, "line one\nünd zwei\n")
            assert not archive.add_record(replace(RECORD, reason="another"), "other")
        with closing(Archive(url)) as archive:
            assert archive.acts()[1] == what.acts
            assert fold(1, archive.acts(1)[1]).rounds == what.rounds
            more = what.act("withdraw", {"player": 1}, AT)
            with pytest.raises(Overtaken):
                archive.add_acts([more, what.acts[-1]])
            assert len(archive.acts()[1]) == len(what.acts)
            assert archive.records() == [RECORD]
            assert archive.record_text(RECORD.digest) == "line one\nünd zwei\n"
            assert archive.record_text("00" * 32) is None
            later = replace(RECORD, digest="ef" * 32, received="2026-05-02T19:00:00Z")
            assert archive.add_record(later, "")
            assert archive.records(most=1) == [later]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("club.sqlite", "expected sqlite:///PATH or postgresql"),
        ("mysql://here/club", "expected sqlite:///PATH or postgresql"),
        ("postgresql://club:secret@here/club", "the password belongs into"),
        ("postgresql://club@127.0.0.1:1/club", "can't be opened"),
        ("sqlite:////dev/null", "can't be opened"),
    ],
)
def test_an_unusable_database_is_refused(url: str, why: str) -> None:
    """With what is wrong, and never the password."""
    with pytest.raises(Refused, match=why) as refusal:
        Archive(url)
    assert "secret" not in str(refusal.value)

"""The archive keeps acts and records, in SQLite and in PostgreSQL alike."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sql

from firmware_host.extensions.club.store import Archive, KeptRecord, Overtaken
from firmware_host.extensions.club.tournament import fold
from firmware_host.link.glicko import Rating
from firmware_host.text.words import Refused
from tests.extensions.club.clubs import AT, INITDB, pair, play_round, postgres, tournament
from tests.sampling import few

KINDS = [
    "sqlite",
    pytest.param(
        "postgresql",
        marks=[pytest.mark.slow, pytest.mark.skipif(INITDB is None, reason="PostgreSQL (initdb) is not installed")],
    ),
]
RECORD = KeptRecord(
    "20260501-abc", "coil", {}, "2", {1: ("Ann", False), 2: ("Bö", True)}, (1,), "ring", AT, 31, False, True,
    "ab" * 32, 71, "cd" * 32, "Hall 1", "2026-05-01T19:00:00Z", 1,
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
            assert archive.last_record() == 0
            assert archive.add_record(RECORD, "line one\nünd zwei\n") == RECORD
            assert archive.add_record(replace(RECORD, table="ef" * 32, entries=1), "other") == RECORD
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
            later = replace(
                RECORD, digest="ef" * 32, received="2026-05-01T18:00:00Z", number=2
            )  # The clock was set back.
            assert archive.add_record(replace(later, number=0), "") == later
            assert archive.records(most=1) == [later]
            assert archive.last_record() == 2


@pytest.mark.parametrize("kind", few(KINDS, 1))
def test_an_archive_of_the_earlier_version_goes_on(kind: str, tmp_path: Path) -> None:
    """What the clocks have said until then becomes the order; half of a change that was killed is taken up again."""
    records = [replace(RECORD, digest=f"{hour:02}" * 32, received=f"2026-05-01T{hour}:00:00Z") for hour in (20, 18, 19)]
    with database(kind, tmp_path) as url:
        with closing(Archive(url)) as archive:
            what = tournament(4)
            for hour in (18, 19):
                pairs, bye = what.next_pairing({number: Rating() for number in what.players})
                fields = {
                    "round": len(what.rounds) + 1,
                    "pairs": [list(one) for one in pairs],
                    "bye": bye,
                    "records": 9,
                }
                what = what.apply(what.act("pair", fields, f"2026-05-01T{hour}:00:00Z"))
                what = play_round(what, Random(3))
            archive.add_acts(what.acts)
            for one in records:
                archive.add_record(one, one.digest)
        for killed in (False, True):
            make_version_1(url, killed=killed)
            with closing(Archive(url)) as archive:
                assert [(one.number, one.received[11:13]) for one in archive.records()] == [
                    (3, "20"),
                    (2, "19"),
                    (1, "18"),
                ]
                assert [one.records for one in fold(1, archive.acts(1)[1]).rounds] == [0, 1]
        with closing(Archive(url)) as archive:
            assert archive.add_record(replace(RECORD, digest="ef" * 32), "").number == 4


def test_an_archive_says_which_of_its_games_began_in_a_given_position(tmp_path: Path) -> None:
    """One of version 2 did not: it is read from the records, once."""
    url = f"sqlite:///{tmp_path}/archive"
    texts = {
        "aa" * 32: '{"kind":"start","data":{"given":true,"position":"x"}}\n',
        "bb" * 32: '{"kind":"seat","data":{"name":"given"}}\n{"kind":"start","data":{"position":"x"}}\n',
    }
    with closing(Archive(url)) as archive:
        for digest, text in texts.items():
            archive.add_record(replace(RECORD, digest=digest, given=False), text)
    for killed in (False, True):
        engine = sql.create_engine(url)
        with engine.begin() as connection:
            if not killed:
                connection.execute(sql.text("ALTER TABLE club_record DROP COLUMN given"))
            connection.execute(sql.text("UPDATE club_schema SET version = 2"))
        engine.dispose()
        with closing(Archive(url)) as archive:
            assert {one.digest: one.given for one in archive.records()} == {"aa" * 32: True, "bb" * 32: False}


def make_version_1(url: str, *, killed: bool) -> None:
    """Make an archive what the first version has written; ``killed``: a change to the second one has begun."""
    engine = sql.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(sql.text("DROP INDEX club_record_number"))
        connection.execute(sql.text("ALTER TABLE club_record DROP COLUMN number"))
        connection.execute(sql.text("ALTER TABLE club_record DROP COLUMN given"))
        for row in connection.execute(sql.text("SELECT tournament, number, data FROM club_act WHERE kind = 'pair'")):
            data = {name: value for name, value in json.loads(row.data).items() if name != "records"}
            connection.execute(
                sql.text("UPDATE club_act SET data = :data WHERE tournament = :tournament AND number = :number"),
                {"data": json.dumps(data), "tournament": row.tournament, "number": row.number},
            )
        connection.execute(sql.text("UPDATE club_schema SET version = 1"))
        if killed:
            connection.execute(sql.text("ALTER TABLE club_record ADD COLUMN number INTEGER"))
    engine.dispose()


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

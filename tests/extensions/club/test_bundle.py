"""What a club and its tables have seen goes into one file, by which two can be compared, and which holds no secret."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.archive.data_folder import host_token, table_key
from firmware_host.archive.log import kept_log
from firmware_host.commands.cli import main
from tests.extensions.club.clubs import HEAD, hall, opened_club, until
from tests.link.brokers import MOSQUITTO, RealBroker
from tests.link.bundles import assert_secretless, bundle, secrets_of


def test_a_club_and_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Records that were asked for stand in both; players have numbers only."""
    with (
        closing(RealBroker("mosquitto" if MOSQUITTO else "own", tmp_path)) as broker,
        opened_club(tmp_path / "club", broker.url) as club,
        kept_log(tmp_path / "club"),
    ):
        (table,) = hall(club, tmp_path, "Table 1")
        host_token(tmp_path / "club")  # The arbiter's.
        table_key(tmp_path / "club")
        club.create(HEAD)
        club.enter(1, ["Anneliese", "Benedikt"])
        club.pair(1)
        with closing(table):
            table.play("Anneliese", "Benedikt", loser=2)
            host_token(table.folder)
            until(lambda: club.tournament_view(1)["rounds"][0]["boards"][0]["points"])
            ours, theirs = bundle(tmp_path / "club", tmp_path / "1.zip"), bundle(table.folder, tmp_path / "2.zip")
    record = ours["tournaments.json"]["records"][0]
    assert record["table"] == table.club.identity.public[:16]
    assert [one["events"] for one in theirs["games.json"] if one["id"] == record["game"]] == [record["entries"]]
    assert [act["kind"] for act in ours["tournaments.json"]["acts"]] == ["create", "enter", "enter", "pair", "result"]
    assert theirs["club.json"]["opened by"] == club.invitation.opener[:16]
    assert "is asked for from table" in ours["log.txt"]
    kept = " ".join(secrets_of(tmp_path / "club"))
    assert all(what in kept for what in ("host as it is", "key in hex", "club.sqlite secret")), kept
    assert_secretless([ours, theirs], tmp_path / "club", table.folder)
    text = json.dumps([ours, theirs])
    assert not any(name in text for name in ("Anneliese", "Benedikt", club._identity.private().hex()))
    assert (tmp_path / "1.zip").stat().st_mode & 0o077 == 0
    capsys.readouterr()
    assert main(["log", "--data", str(tmp_path / "club"), "--bundle", str(tmp_path / "1.zip")]) == 1
    assert "is there already" in capsys.readouterr().err

"""What each side has seen goes into one file, by which two sides can be compared, and which holds no secret."""

from __future__ import annotations

import json
import logging
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.data_folder import host_token, table_key
from firmware_host.commands.cli import main
from firmware_host.link.evidence import A_KIND_S, MOST_KINDS, Evidence
from firmware_host.link.trust import Invitation
from firmware_host.upkeep.log import kept_log, log_text
from tests.extensions.club.clubs import HEAD, hall, opened_club, until
from tests.extensions.rooms.rooms import play_for, settle
from tests.extensions.rooms.test_room import begin, guests, meet
from tests.link.brokers import MOSQUITTO, RealBroker


def bundle(folder: Path, target: Path) -> dict[str, Any]:
    """Return name → content of a bundle."""
    assert main(["log", "--data", str(folder), "--bundle", str(target)]) == 0
    with zipfile.ZipFile(target) as packed:
        return {
            name: json.loads(packed.read(name)) if name.endswith(".json") else packed.read(name).decode()
            for name in packed.namelist()
        }


def test_two_tables_of_a_room(tmp_path: Path) -> None:
    """Both have the same entries, by their hashes; the one that was away says that it has caught up."""
    _, places = meet(tmp_path, [{"game": "coil", "kind": "polarity"}, {"game": "coil", "kind": "presence"}])
    one, other = places
    begin(one)
    settle(*places)
    with kept_log(one.folder):
        play_for(guests(places), 300)
        other.kill()
        settle(one)
        other.start()
        settle(*places)
        one.bus.publish(f"{one.room._place}/{'ab' * 8}/state", b"forged", kept=False)
        settle(*places)
    for place in places:
        host_token(place.folder)
        table_key(place.folder)
    found = [bundle(place.folder, tmp_path / f"{place.name}.zip") for place in places]
    logs = [list(one["room.json"]["entries"].values())[-1] for one in found]
    assert len(logs[0]) > 3
    assert logs[0] == logs[1]
    assert found[0]["room.json"]["heard"][0]["table"] == other.room.identity.public[:16]
    assert found[0]["games.json"][-1]["game"] == "coil"
    assert "is refused" in found[0]["log.txt"]
    text = json.dumps(found)
    invitation = Invitation.parse(one.link)
    for place in places:
        secrets = (place.room.identity.private().hex(), host_token(place.folder), table_key(place.folder).hex())
        assert not any(secret in text for secret in secrets)
    for secret in ("Ada", "Ben", "claim of", invitation.read_key.hex(), (invitation.secret or b"").hex()):
        assert secret not in text, secret
    assert one.link.rpartition("secret=")[2][:20] not in text


def test_a_club_and_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Records that were asked for stand in both; players have numbers only."""
    with (
        closing(RealBroker("mosquitto" if MOSQUITTO else "own", tmp_path)) as broker,
        opened_club(tmp_path / "club", broker.url) as club,
        kept_log(tmp_path / "club"),
    ):
        (table,) = hall(club, tmp_path, "Table 1")
        club.create(HEAD)
        club.enter(1, ["Anneliese", "Benedikt"])
        club.pair(1)
        with closing(table):
            table.play("Anneliese", "Benedikt", loser=2)
            until(lambda: club.tournament_view(1)["rounds"][0]["boards"][0]["points"])
            ours, theirs = bundle(tmp_path / "club", tmp_path / "1.zip"), bundle(table.folder, tmp_path / "2.zip")
    record = ours["tournaments.json"]["records"][0]
    assert record["table"] == table.club.identity.public[:16]
    assert [one["events"] for one in theirs["games.json"] if one["id"] == record["game"]] == [record["entries"]]
    assert [act["kind"] for act in ours["tournaments.json"]["acts"]] == ["create", "enter", "enter", "pair", "result"]
    assert theirs["club.json"]["opened by"] == club.invitation.opener[:16]
    assert "is asked for from table" in ours["log.txt"]
    text = json.dumps([ours, theirs])
    assert not any(name in text for name in ("Anneliese", "Benedikt", club._identity.private().hex()))
    assert (tmp_path / "1.zip").stat().st_mode & 0o077 == 0
    capsys.readouterr()
    assert main(["log", "--data", str(tmp_path / "club"), "--bundle", str(tmp_path / "1.zip")]) == 1
    assert "is there already" in capsys.readouterr().err


def test_a_flood_leaves_the_log_as_it_is(tmp_path: Path) -> None:
    """A line a minute for each kind, with how many more there were; kinds without end count as one."""
    now = 0.0
    log = logging.getLogger("firmware_host.link.flood")
    evidence = Evidence(log, lambda: now)
    with kept_log(tmp_path):
        for _ in range(1000):
            evidence.note("refused", "message %d is refused", 7)
        now = A_KIND_S
        evidence.note("refused", "message %d is refused", 8)
        for number in range(MOST_KINDS + 1000):
            evidence.note(f"kind {number}", "another")
    lines = log_text(tmp_path).splitlines()
    assert lines[0].endswith("message 7 is refused")
    assert lines[1].endswith("message 8 is refused; and 999 more like it before")
    assert len(lines) <= MOST_KINDS + 3

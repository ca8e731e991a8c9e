"""What each table of a room has seen goes into one file, by which two can be compared, and which holds no secret."""

from __future__ import annotations

import json
from pathlib import Path

from firmware_host.archive.data_folder import host_token, table_key
from firmware_host.archive.log import kept_log
from tests.extensions.rooms.rooms import play_for, settle
from tests.extensions.rooms.test_room import begin, guests, meet
from tests.link.bundles import assert_secretless, bundle, secrets_of


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
    for place in places:
        kept = " ".join(secrets_of(place.folder))
        assert all(what in kept for what in ("host as it is", "key in hex", "secret", "claim")), kept
    assert_secretless(found, *(place.folder for place in places))
    text = json.dumps(found)
    for place in places:
        assert place.room.identity.private().hex() not in text
    assert not any(name in text for name in ("Ada", "Ben", "claim of"))

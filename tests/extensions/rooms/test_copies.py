"""A copy of a room's folder, opened beside the table: it stands back, says so, and the table never notices."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from firmware_host.extensions.rooms.members import COPY
from firmware_host.link.common_log import RoomFile
from firmware_host.link.lease import SILENCE_S
from tests.extensions.rooms.rooms import Place, play, settle, until
from tests.extensions.rooms.test_processes import Home, assert_alike
from tests.extensions.rooms.test_processes import meet as meet_programs
from tests.extensions.rooms.test_room import GAMES, are_over, assert_same, begin, both_lie, guests, meet, sit
from tests.link.brokers import RealBroker


def copy_of(place: Place, folder: Path) -> Place:
    """Return a program with a copy of a running table's folder, made while nothing is being written."""
    shutil.copytree(place.folder, folder)
    kept, begun = RoomFile(folder / "room.sqlite"), place.view["phase"] != "lobby"
    return Place(place.bus, folder, place.name, kept=kept, resume=begun, **place.options)


def close(place: Place) -> None:
    """End a program in order."""
    place.room.close()
    place.table.runtime.room = None


def test_a_copy_for_five_seconds_stands_back_and_shuts_nobody_out(tmp_path: Path) -> None:
    """Three times: its phones say what to do, it writes nothing, and the game goes on as if it had not been there."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 3 and both_lie(places))
    for number, place in enumerate((ada, ben, ada)):
        copy = copy_of(place, tmp_path / f"copy{number}")
        until(lambda copy=copy: COPY in copy.view["notices"], copy, *places)
        entries = len(place.room._log)
        play(guests(places), lambda place=place, least=entries + 2: len(place.room._log) >= least)
        settle(copy, *places)
        assert len(copy.room._log) == entries
        assert all(COPY not in one.view["notices"] for one in places)
        if number == 1:
            copy.kill()
        else:
            close(copy)
        settle(*places)
        play(guests(places), lambda: not any(one.view["notices"] for one in places) and both_lie(places))
    play(guests(places, 20), lambda: are_over(places))
    assert_same(places)


def test_a_copy_in_the_lobby_leads_and_begins_nothing(tmp_path: Path) -> None:
    """Its host's button does nothing but at the table itself."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    copy = copy_of(ada, tmp_path / "copy")
    until(lambda: COPY in copy.view["notices"], copy, ada, ben)
    sit(copy, 1, "Eve")
    sit(copy, 2, "Zoe")
    begin(copy)
    settle(copy, ada, ben)
    assert [one["name"] for one in ben.view["seats"]] == ["Ada", "Ben"]
    assert {one.view["phase"] for one in (copy, ada, ben)} == {"lobby"}
    begin(ben)
    until(lambda: ada.view["phase"] == ben.view["phase"] != "lobby", copy, ada, ben)
    assert copy.view["phase"] == "lobby"


@pytest.mark.thorough
def test_a_copy_goes_on_once_the_table_has_ended(tmp_path: Path) -> None:
    """A folder that was moved to another machine needs nobody's help."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    copy = copy_of(ada, tmp_path / "copy")
    until(lambda: COPY in copy.view["notices"], copy, ada, ben)
    close(ada)
    until(lambda: COPY not in copy.view["notices"], copy, ben)
    places = [copy, ben]
    play(guests(places, 20), lambda: are_over(places))
    assert_same(places)


@pytest.mark.thorough
def test_the_table_has_its_place_back_after_its_connection_was_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy that waits takes the place meanwhile, and gives it back: the first one keeps it, whatever clocks say."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    until(lambda: ben.view["phase"] == "resolving", ada, ben)
    monkeypatch.setattr("time.time", lambda: 0.0)  # The copy's machine has no clock.
    monkeypatch.setattr("time.time_ns", lambda: 0)
    copy = copy_of(ada, tmp_path / "copy")
    until(lambda: COPY in copy.view["notices"], copy, ada, ben)
    for cut in (ada.line.down, bus.restart):
        cut()
        for line in bus.members:
            line.up() if line.room is not ada.room else None
        until(lambda: copy.room._lease.is_held, copy, ada, ben)
        assert COPY not in copy.view["notices"]
        ada.line.up()
        until(lambda: COPY in copy.view["notices"] and ada.room._lease.is_held, copy, ada, ben)
        assert COPY not in ada.view["notices"]
    close(copy)
    play(guests([ada, ben], 20), lambda: are_over([ada, ben]))
    assert_same([ada, ben])


def test_after_a_power_cut_that_the_broker_has_not_noticed_the_table_waits_a_while(tmp_path: Path) -> None:
    """The claim that the broker keeps is nobody's any more, and no will has come."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    ada.line.down(tell=False)
    ada.kill()
    ada.start()
    settle(ada, ben)
    assert not ada.room._lease.is_held
    until(lambda: ada.room._lease.is_held, ada, ben, seconds=2 * SILENCE_S)
    play(guests([ada, ben], 20), lambda: are_over([ada, ben]))
    assert_same([ada, ben])


@pytest.mark.thorough
def test_what_a_broker_repeats_of_an_earlier_run_shuts_nobody_out(tmp_path: Path) -> None:
    """Claims and questions of a program that has ended come again and again."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ben)
    until(lambda: ada.view["phase"] == ben.view["phase"] == "resolving", ada, ben)
    old = [one for one in bus.passed if one[0].endswith("/lease")]
    ada.kill()
    ada.start()
    until(lambda: ada.room._lease.is_held, ada, ben)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    for topic, payload in old * 20:
        bus.publish(topic, payload, kept=True)
        settle(ada, ben, rounds=10)
        assert ada.room._lease.is_held
        assert len(bus.passed) < 2000
    play(guests([ada, ben], 20), lambda: are_over([ada, ben]))
    assert_same([ada, ben])


@pytest.mark.thorough
def test_a_copied_folder_in_a_program_of_its_own(tmp_path: Path, broker: RealBroker) -> None:
    """Opened beside the table, at a real broker, and ended: nobody else notices."""
    homes = meet_programs(tmp_path, broker.url, ("--kind", "presence"), ("--kind", "polarity"))
    try:
        homes[0].host.post("/api/host/start", {})
        homes[0].until(lambda view: view["turn"] and view["turn"] >= 2)
        game = homes[0].view["game"]["id"]
        shutil.copytree(tmp_path / "home1", tmp_path / "copy")
        copy = Home(tmp_path / "copy", "--kind", "presence", "--resume")
        try:
            copy.until(lambda view: COPY in view["notices"])
        finally:
            copy.close()
        turn = homes[1].view["turn"]
        for home in homes:
            home.until(lambda view: view["turn"] and view["turn"] >= turn + 3)
            assert COPY not in home.view["notices"]
    finally:
        for home in homes:
            home.close()
    assert_alike(homes, game, 4)

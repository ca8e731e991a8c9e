"""Who sits where, under which name: two people of one name at two tables, and what a table says that has no seats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.rooms.membership import join
from firmware_host.games.clocks import ClockSetting
from firmware_host.link.common_log import RoomFile, SharedEntry
from firmware_host.table.subjects.seats import SeatLeft, SeatNamed, SeatTaken
from firmware_host.table.subjects.timekeeping import ClocksChosen
from lodestone.tables import SimulatedTable
from tests.extensions.rooms.rooms import Bus, Place, play, settle, until
from tests.extensions.rooms.test_changed_programs import send
from tests.extensions.rooms.test_room import (
    FEW_ENTRIES,
    GAMES,
    are_over,
    assert_same,
    begin,
    both_lie,
    guests,
    meet,
    say,
    sit,
)
from tests.sentences import is_in

Lie = Callable[[Place], dict[str, Any]]


def alone(folder: Path, tables: int = 2) -> list[Place]:
    """Return tables in one room, nobody has sat down."""
    bus, places = Bus(), list[Place]()
    for number in range(1, tables + 1):
        link, board = places[0].link if places else None, GAMES[2][number % 2]
        places.append(Place(bus, folder / f"{number}", f"Table {number}", link=link, **board))
    settle(*places, rounds=10)
    return places


def names(place: Place) -> list[str]:
    return [one["name"] for one in place.view["seats"] if one["taken"]]


def views_a_second(place: Place, *others: Place) -> float:
    """Return how often a table publishes its view, on average."""
    runtime, clock = place.table.runtime, place.table.clock
    before, begun = runtime.view(None)[0], clock.now
    settle(place, *others, rounds=100)
    return (runtime.view(None)[0] - before) / (clock.now - begun)


def test_two_people_of_one_name_play(tmp_path: Path) -> None:
    """They sit down at the same moment: the second one gets a number, also on the own table's screen."""
    places = alone(tmp_path)
    ada, ben = places
    sit(ada, 1, "Anna")
    sit(ben, 2, "Anna")
    until(lambda: names(ada) == names(ben) == ["Anna", "Anna (2)"], *places)
    assert views_a_second(*places) < 5
    begin(ben)
    play(guests(places, FEW_ENTRIES), lambda: are_over(places))
    assert_same(places)


def test_a_name_that_was_there_before_the_room(tmp_path: Path) -> None:
    """Somebody sat at the second table before its host has joined; names of one key are one name."""
    bus = Bus()
    ada = Place(bus, tmp_path / "a", "Ada", **GAMES[2][0])
    sit(ada, 1, "A" * 24)
    ben = Place.__new__(Place)
    ben.bus, ben.folder, ben.name, ben.options = bus, tmp_path / "b", "Ben", dict(GAMES[2][1])
    ben.table = SimulatedTable(ben.folder, **GAMES[2][1])
    ben.table.runtime.submit(SeatTaken(at=ben.table.runtime.now(), seat=2, name="a" * 24, claim="claim"))
    kept = RoomFile(ben.folder / "room.sqlite")
    join(kept, ada.link, "Ben")
    ben._enter(kept)
    settle(ada, ben)
    sit(ben, 2, "a" * 24) if not ben.view["seats"][1]["taken"] else None
    until(lambda: names(ada) == names(ben) == ["A" * 24, "a" * 20 + " (2)"], ada, ben)


def test_whoever_takes_another_name_has_it(tmp_path: Path) -> None:
    """Also where the table that leads had numbered the one before."""
    places = alone(tmp_path)
    ada, ben = places
    sit(ada, 1, "Anna")
    sit(ben, 2, "Anna")
    until(lambda: names(ada) == names(ben) == ["Anna", "Anna (2)"], *places)
    say(ben, SeatNamed, seat=2, name="Zoe")
    until(lambda: names(ada) == names(ben) == ["Anna", "Zoe"], *places)
    say(ben, SeatLeft, seat=2)
    until(lambda: names(ada) == names(ben) == ["Anna"], *places)


@pytest.mark.parametrize(
    "lie",
    [
        lambda ada: {"lobby": {**(ada.room._last.lobby or {}), 99: (ada.room._me, "X")}},
        lambda _ada: {"mode": "no such mode"},
        lambda ada: {"lobby": {1: (ada.room._me, "Same"), 2: (ada.room._me, "same")}},
    ],
    ids=["seat", "mode", "names"],
)
def test_what_a_table_refuses_is_not_tried_all_the_time(
    tmp_path: Path, lie: Callable[[Place], dict[str, object]]
) -> None:
    """One message of the table that leads must not have the others publish fifty views a second."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    settle(ada, ben)
    said = ada.room._last
    assert said is not None
    ada.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    ada.room._send("state", replace(said, **lie(ada)).to_dict(), kept=True)
    settle(ben)
    assert views_a_second(ben) < 5


@pytest.mark.parametrize(
    "seats",
    [
        {"1": "Ada", "2": "Ben", "99": "X"},
        {"1": "Ada"},
        {"1": "Ada", "2": "ada"},
        {"1": "Ada", "2": "\u2800"},
    ],
    ids=["more", "fewer", "alike", "no name"],
)
def test_a_beginning_that_can_t_be_is_named(tmp_path: Path, seats: dict[str, str]) -> None:
    """Whoever leads begins with players whom the rules do not have: nobody waits without a word."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    settle(ada, ben)
    start = {"mode": "2", "position": "x", "seats": {seat: [ada.room._me, name] for seat, name in seats.items()}}
    send(ada, "start", start)
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert ada.room._stopped == ben.room._stopped


def test_an_action_without_a_word_is_none(tmp_path: Path) -> None:
    """An entry that says nothing is as good as none: the table waits, and its screens are not busy with it."""
    _, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    play(guests(places), lambda: len(places[0].room._log) >= 3 and both_lie(places))
    liar, other = places if places[0].view["resolver"] == 1 else places[::-1]
    seat, log = places[0].view["resolver"], liar.room._log
    send(liar, "action", {"seat": seat, "action": "", "position": "x"})
    settle(liar, other)
    assert not other.room._entries.get(len(log))
    assert views_a_second(other, liar) < 5
    with pytest.raises(ValueError, match="action"):
        SharedEntry.from_dict({"game": log.game_id, "number": 1, "kind": "action", "prev": log.head,
                               "table": liar.room._me, "signature": "0" * 128,
                               "data": {"seat": 1, "action": "", "position": "x"}})  # fmt: skip


def test_a_beginning_that_the_leader_refuses_is_told_there(tmp_path: Path) -> None:
    """Somebody at another table wants to begin, and this one has clocks: its people learn why nothing happens."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    say(ada, ClocksChosen, setting=ClockSetting(60))
    settle(ada, ben)
    begin(ben)
    until(lambda: any(is_in("The game can't begin yet", str(one)) for one in ada.view["notices"]), ada, ben)
    assert views_a_second(ada, ben) < 5
    say(ada, ClocksChosen, setting=None)
    until(lambda: all(one.view["phase"] != "lobby" for one in (ada, ben)), ada, ben)
    assert not any(is_in("The game can't begin yet", str(one)) for one in ada.view["notices"])

"""A new table in place of one whose card is lost: it joins, the others' hosts say so, and the game goes on with it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.rooms.succession import HEIRS, REPLACED
from firmware_host.link.announcement import Announcement
from firmware_host.link.common_log import RoomFile
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.seats import SeatLeft, SeatTaken
from tests.extensions.rooms.rooms import Bus, Guests, Place, play, play_for, settle, until
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
)
from tests.sentences import pattern


def lose(place: Place, bus: Bus, *, forget: bool = False) -> None:
    """End a table for good; ``forget``: the broker has lost what it has said, too."""
    mine = f"/{place.room.identity.public[:16]}/"
    place.kill()
    place.table.close()
    if forget:
        bus.retained = {topic: one for topic, one in bus.retained.items() if mine not in topic}


def anew(place: Place, helper: Place, folder: Path, name: str = "") -> Place:
    """Return a fresh table, which joins with the invitation that another one's host shows."""
    return Place(place.bus, folder, name or place.name, link=helper.room.status()["link"], **place.options)


def offers(place: Place) -> list[tuple[str, str]]:
    """Return what the host of a table is offered: which table may play on for which, by their ids."""
    tables: list[Any] = place.room.status()["tables"]
    return [(lost["id"], one["id"]) for one in tables for lost in one["instead_of"]]


def replace(place: Place, *others: Place) -> None:
    """Let the host of a table accept the one offer."""
    until(lambda: offers(place), place, *others)
    ((lost, heir),) = offers(place)
    place.room.replace(place.table.runtime.table(), lost, heir)


def hands(*places: Place) -> list[Guests]:
    """Return people who set the boards up, and play no seat."""
    return [Guests(place, (), 1) for place in places]


def plays(place: Place) -> bool:
    """Return whether a table plays a seat."""
    return place.room.identity.public in place.room._tables.values()


LOST = [(0, True), *(pytest.param(1, forget, marks=pytest.mark.thorough) for forget in (False, True))]


@pytest.mark.parametrize(("lost", "forget"), LOST)
def test_a_game_goes_on_with_a_new_table(tmp_path: Path, lost: int, forget: bool) -> None:
    """Also that of the table that has opened the room, and if the broker knows nothing of it: it leads then."""
    bus, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    people = guests(places, FEW_ENTRIES)
    play(people, lambda: all(len(one.room._log) >= 5 for one in places) and both_lie(places))
    victim, other = places[lost], places[1 - lost]
    log = [one.hash for one in other.room._log.entries]
    lose(victim, bus, forget=forget)
    new = anew(victim, other, tmp_path / "new")
    settle(other, new)
    assert sum(one["name"] == new.name for one in other.room.status()["tables"]) == 1, "nobody is listed twice"
    replace(other, new)
    play(hands(other, new), lambda: plays(new) and new.room._tables == other.room._tables)
    places[lost] = new
    assert [one.hash for one in new.room._log.entries[: len(log)]] == log
    assert not offers(other)
    people = [Guests(place, (seat,), 7 + seat, FEW_ENTRIES) for seat, place in enumerate(places, 1)]
    play(people, lambda: len(new.room._log) > len(log) + 2)
    new.kill()
    new.start()
    play(people, lambda: are_over(places))
    assert_same(places)
    places[0].table.runtime.new_game()
    until(lambda: {one.view["phase"] for one in places} == {"lobby"}, *places)
    assert len({one.view["game"]["id"] for one in places}) == 1


@pytest.mark.thorough
def test_a_table_that_has_lost_its_room_alone_goes_on_with_its_game(tmp_path: Path) -> None:
    """Its journal has the game, and its phones their seats: it joins anew, and the other host says who it is."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben], FEW_ENTRIES), lambda: len(ada.room._log) >= 5 and both_lie([ada, ben]))
    log = [one.hash for one in ada.room._log.entries]
    lose(ben, bus)
    for path in ben.folder.glob("room.sqlite*"):
        path.unlink()
    again = Place(bus, ben.folder, ben.name, link=ada.link, resume=True, **ben.options)
    replace(ada, again)
    play(hands(ada, again), lambda: again.room._tables == ada.room._tables)
    assert [one.hash for one in again.room._log.entries[: len(log)]] == log
    again.kill()
    again.start()
    people = [Guests(ada, (1,), 3, FEW_ENTRIES), Guests(again, (2,), 4, FEW_ENTRIES)]
    play(people, lambda: are_over([ada, again]))
    assert_same([ada, again])


@pytest.mark.thorough
def test_a_table_that_comes_back_too_late_stands_back(tmp_path: Path) -> None:
    """Its card was found: it writes nothing into the game that goes on without it, and says what to do."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben], FEW_ENTRIES), lambda: len(ada.room._log) >= 4 and both_lie([ada, ben]))
    shutil.copytree(ben.folder, tmp_path / "found")
    lose(ben, bus)
    new = anew(ben, ada, tmp_path / "new", "Ben's new")
    replace(ada, new)
    play(hands(ada, new), lambda: plays(new))
    folder = tmp_path / "found"
    found = Place(bus, folder, ben.name, kept=RoomFile(folder / "room.sqlite"), resume=True, **ben.options)
    until(lambda: REPLACED in found.view["notices"], ada, new, found)
    people = [Guests(ada, (1,), 3, FEW_ENTRIES), Guests(new, (2,), 4, FEW_ENTRIES), Guests(found, (2,), 5, 1)]
    play(people, lambda: are_over([ada, new]))
    assert_same([ada, new])
    assert REPLACED in found.view["notices"]


def test_nobody_plays_on_for_the_table_that_plays_on_for_it(tmp_path: Path) -> None:
    """The page of the host may be older, or the request made by hand."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben], FEW_ENTRIES), lambda: len(ada.room._log) >= 4 and both_lie([ada, ben]))
    first = ben.room.identity.public
    lose(ben, bus)
    new = anew(ben, ada, tmp_path / "new", "Ben's new")
    replace(ada, new)
    play(hands(ada, new), lambda: plays(new))
    second = new.room.identity.public
    lose(new, bus)
    until(lambda: second[:16] in {one["id"] for one in ada.room._lost_tables()}, ada)
    ada.room._gone[first].clear()  # It is back, and has not heard of it yet.
    assert ada.room._peers[first].is_there
    assert not offers(ada)
    with pytest.raises(TableError, match=pattern("a table that is away and a new")):
        ada.room.replace(ada.table.runtime.table(), second[:16], first[:16])
    assert ada.room._heir(first) == second


def test_tables_that_are_each_other_s_heirs_on_disk_end_no_start(tmp_path: Path) -> None:
    """Releases before this one could write that."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    here, there = ada.room.identity.public, ben.room.identity.public
    ada.kill()
    with closing(RoomFile(ada.folder / "room.sqlite")) as kept:
        kept.keep(HEIRS, json.dumps({here: there, there: here, "x": here}))
    ada.start()
    settle(ada, ben)
    assert [ada.room._heir(one) for one in (here, there)] == [here, there]
    assert ada.room._heir("x") in {here, there}


@pytest.mark.thorough
def test_each_host_decides(tmp_path: Path) -> None:
    """With four tables no two of them can give the lost one's seats away alone."""
    bus, places = meet(tmp_path, [{"kind": "presence"}] * 4, mode="4")
    begin(places[0])
    people = guests(places, FEW_ENTRIES)
    play(people, lambda: {one.view["phase"] for one in places} == {"resolving"} and both_lie(places))
    lose(places[1], bus)
    new = anew(places[1], places[0], tmp_path / "new", "New")
    left = [places[0], places[2], places[3]]
    for place in left[:2]:
        replace(place, *left, new)
        play_for(hands(*left, new), 100)
        assert not plays(new)
    assert new.room.identity.public not in left[2].room._tables.values()
    replace(left[2], *left, new)
    places[1] = new
    play(hands(*places), lambda: plays(new))
    play([Guests(one, (seat,), 9 + seat, FEW_ENTRIES) for seat, one in enumerate(places, 1)], lambda: are_over(places))
    assert_same(places)


@pytest.mark.thorough
def test_computers_of_the_lost_table_play_on_at_the_new_one(tmp_path: Path) -> None:
    """With their levels, as they do where a table goes on alone."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    say(ben, SeatLeft, seat=2)
    until(lambda: not ada.view["seats"][1]["taken"], ada, ben)
    say(ben, SeatTaken, seat=2, name="Computer", claim="", computer=True, level=2)
    until(lambda: ada.view["seats"][1]["taken"], ada, ben)
    begin(ada)
    play([Guests(ada, (1,), 1), Guests(ben, (), 2)], lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    lose(ben, bus)
    new = anew(ben, ada, tmp_path / "new")
    replace(ada, new)
    play(hands(ada, new), lambda: new.view["seats"][1]["computer"])
    people = [Guests(ada, (1,), 3, FEW_ENTRIES), Guests(new, (), 4)]
    play(people, lambda: are_over([ada, new]))
    assert_same([ada, new])


def test_the_lots_of_a_lost_table_are_gone(tmp_path: Path) -> None:
    """A stack that all draw together can't be drawn without it: the host is told so."""
    bus, (ada, ben) = meet(tmp_path, GAMES[3])
    begin(ada)
    until(lambda: ada.view["phase"] == ben.view["phase"] != "lobby", ada, ben)
    lose(ben, bus)
    new = anew(ben, ada, tmp_path / "new")
    with pytest.raises(TableError, match=pattern("those of the lost one")):
        replace(ada, new)


def three(folder: Path) -> list[Place]:
    """Return three tables in the lobby of a game of four, with people of their own: Ada's leads."""
    bus, places = Bus(), list[Place]()
    for name, seats in (("Ada", (1,)), ("Ben", (2,)), ("Cleo", (3, 4))):
        link = places[0].link if places else None
        places.append(Place(bus, folder / name, name, link=link, board="spokes-45", kind="presence", mode="4"))
        settle(*places, rounds=20)
        for seat in seats:
            say(places[-1], SeatTaken, seat=seat, name=f"{name} {seat}", claim=f"claim {seat}")
            settle(*places, rounds=20)
    until(lambda: all(one["taken"] for place in places for one in place.view["seats"]), *places)
    return places


def lie_of(liar: Place, *others: Place, **fields: Any) -> None:
    """Let a table say something again and again, and do nothing else."""
    said = liar.room._last
    assert said is not None
    liar.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    for _ in range(3):
        liar.room._send("state", dataclasses.replace(said, **fields).to_dict(), kept=True)
        settle(*others, rounds=30)


@pytest.mark.parametrize("victim", [0, 2], ids=["the lead", "a seat"])
def test_no_table_evicts_another_one_in_a_lobby(tmp_path: Path, victim: int) -> None:
    """One table alone says that it plays on for another one, which is there: nobody takes that over."""
    places = three(tmp_path)
    ada, ben, cleo = places
    lie_of(ben, ada, cleo, heirs={places[victim].room._me: ben.room._me})
    assert not ada.room._heirs
    assert not cleo.room._heirs
    assert all(REPLACED not in place.view["notices"] for place in (ada, cleo))


def test_who_only_looks_on_takes_over_nothing_of_a_table_that_is_there(tmp_path: Path) -> None:
    """A fourth table without a seat; and of one that is away it takes over only what leads to somebody."""
    ada, ben, cleo = three(tmp_path)
    dan = Place(ada.bus, tmp_path / "Dan", "Dan", link=ada.link, board="spokes-45", kind="presence", mode="4")
    until(lambda: all(one["taken"] for one in dan.view["seats"]), ada, ben, cleo, dan)
    both = {ada.room._me: ben.room._me}
    cleo.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    said = cleo.room._last
    assert said is not None
    cleo.room._send("state", dataclasses.replace(said, heirs=both).to_dict(), kept=True)
    lie_of(ben, ada, dan, heirs=both)
    assert not dan.room._heirs
    ada.kill()
    settle(dan)
    assert dan.room._heirs == both
    stranger = {cleo.room._me: "0" * 64, "1" * 64: ben.room._me}
    ben.room._send("state", dataclasses.replace(ben.room._last or said, heirs=stranger).to_dict(), kept=True)
    cleo.kill()
    settle(dan)
    assert dan.room._heirs == both


@pytest.mark.parametrize("heirs", [{"x": "0" * 64}, {"0" * 64: "A" * 64}, {f"{n:064x}": "0" * 64 for n in range(65)}])
def test_heirs_are_few_and_named_by_their_keys(tmp_path: Path, heirs: dict[str, str]) -> None:
    """Whatever is kept is told again: others must be able to read it."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    known = ben.room._peers[ada.room._me].said
    with pytest.raises(ValueError, match="expected"):
        Announcement.from_dict(dataclasses.replace(known, heirs=heirs).to_dict())
    ada.room._heirs = heirs
    ada.room._last = None
    settle(ada, ben, rounds=100)
    assert len(ben.room._peers[ada.room._me].said.heirs) in {0, 64}
    assert ben.room._peers[ada.room._me].said is not known

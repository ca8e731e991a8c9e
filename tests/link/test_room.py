"""One game at several tables: both journals hold the same game, whatever kind of board each has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firmware_host.table import events as ev
from tests.link.rooms import Bus, Guests, Place, play, settle, until


def sit(place: Place, seat: int, name: str) -> None:
    place.table.runtime.submit(
        ev.SeatTaken(at=place.table.runtime.now(), seat=seat, name=name, claim=f"claim of {name}")
    )


def begin(place: Place) -> None:
    place.table.runtime.submit(ev.GameStarted(at=place.table.runtime.now()))


def two(folder: Path, **more: Any) -> tuple[Bus, Place, Place]:
    bus = Bus()
    ada = Place(bus, folder / "ada", "Ada's", kind="presence", **more)
    ben = Place(bus, folder / "ben", "Ben's", link=ada.link, kind="polarity", **more)
    sit(ada, 1, "Ada")
    settle(ada, ben)
    sit(ben, 2, "Ben")
    until(lambda: all(seat["taken"] for one in (ada, ben) for seat in one.view["seats"]), ada, ben)
    return bus, ada, ben


def test_two_tables_begin_the_same_game(tmp_path: Path) -> None:
    _, ada, ben = two(tmp_path)
    begin(ben)
    until(lambda: ada.view["phase"] == ben.view["phase"] == "sealing", ada, ben)
    assert ada.view["game"]["id"] == ben.view["game"]["id"]
    assert [seat["name"] for seat in ben.view["seats"]] == ["Ada", "Ben"]


def shared(place: Place) -> list[str]:
    """Return the hashes of the game's shared entries by this table's journal."""
    place.room.use_table(table := place.table.runtime.table(), place.table.runtime.suspended_game(table).entries)
    return [entry.hash for entry in place.room._log.entries]


def test_a_whole_game_of_spokes(tmp_path: Path) -> None:
    """Both tables have the same log, and the same result."""
    _, ada, ben = two(tmp_path)
    begin(ada)
    play([Guests(ada, (1,), 1), Guests(ben, (2,), 2)], lambda: ada.view["phase"] == ben.view["phase"] == "over")
    assert shared(ada) == shared(ben)
    assert ada.view["result"] == ben.view["result"]

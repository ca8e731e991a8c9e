"""What a table plays alone is its own, whoever leads the room that it has joined; a lost room is known again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.extensions.rooms.membership import join
from firmware_host.link.common_log import CommonLog, RoomFile, SharedEntry
from firmware_host.link.trust import Keys
from lodestone.tables import SimulatedTable
from tests.extensions.rooms.rooms import Bus, Guests, Place, play, settle, until
from tests.extensions.rooms.test_room import FEW_ENTRIES, GAMES, are_over, assert_same, begin, both_lie, guests, meet
from tests.extensions.rooms.test_succession import hands, lose
from tests.extensions.rooms.test_succession import replace as let_play_on

NAMES = ("Secret Sam", "Secret Sue")


def with_own_game(folder: Path) -> tuple[Bus, Place, Place]:
    """Return the table of a liar, which leads a room, and one that has joined it in the middle of a game of its own."""
    bus = Bus()
    liar = Place(bus, folder / "liar", "Mallory", **GAMES[2][0])
    settle(liar)
    ben = Place.__new__(Place)
    ben.bus, ben.folder, ben.name, ben.options = bus, folder / "ben", "Ben", dict(GAMES[2][1])
    ben.table = SimulatedTable(ben.folder, seats=NAMES, **GAMES[2][1])
    ben.room = object()  # type: ignore[assignment]
    play([Guests(ben, (1, 2), 3)], lambda: len(ben.table.runtime.table().ledger.moments) >= 6)
    kept = RoomFile(ben.folder / "room.sqlite")
    join(kept, liar.link, "Ben")
    ben._enter(kept)
    settle(liar, ben, rounds=60)
    assert ben.room._is_alone
    return bus, liar, ben


def passed(bus: Bus, place: Place) -> str:
    """Return all that has passed, opened."""
    keys = Keys(place.room.invitation)
    return "\n".join(keys.open(topic, payload)[2].decode() for topic, payload in bus.passed)


def test_nobody_learns_what_a_table_plays_alone(tmp_path: Path) -> None:
    """Neither names, nor the id of the game, nor how far it is."""
    bus, liar, ben = with_own_game(tmp_path)
    told = passed(bus, liar)
    assert "Secret" not in told
    assert ben.view["game"]["id"] not in told


@pytest.mark.parametrize("names", [("X", "Y"), NAMES], ids=["other names", "its names"])
def test_a_liar_gets_no_game_that_was_played_alone(tmp_path: Path, names: tuple[str, str]) -> None:
    """It has guessed the id and how the game began, and says that Ben plays on for a table that never was."""
    bus, liar, ben = with_own_game(tmp_path)
    game, said = ben.view["game"]["id"], liar.room._last
    assert said is not None
    seats = {seat: (liar.room._me, name) for seat, name in enumerate(names, 1)}
    log = CommonLog(game, seats)
    for kind, data in ben.table.runtime.suspended_game(ben.table.runtime.table()).entries:
        if kind in {"game", "mode", "start"}:
            log.feed(kind, data)
    (start,) = [one.signed_by(liar.room.identity) for one in log.entries]
    liar.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    heirs = {"0" * 64: ben.room._me}
    for number, head in ((0, ""), (1, start.hash), (5, "1" * 64), (99, "1" * 64)):
        lie = replace(said, game_id=game, number=number, head=head, heirs=heirs, lobby=None)
        liar.room._send("state", lie.to_dict(), kept=True)
        more = [SharedEntry(game, place, "draw", {"position": "x"}, "1" * 64) for place in range(1, 9)]
        entries = [one.to_dict() for one in (start, *(each.signed_by(liar.room.identity) for each in more))]
        liar.room._send("log", {"entries": entries})
        settle(ben, rounds=120)
        assert ben.room._is_alone
    told = passed(bus, liar).split("\n")
    assert not any("Secret" in one for one in told if '"entries"' not in one)
    assert all(f'"table":"{ben.room._me}"' not in one for one in told)
    assert not ben.room._log.entries


@pytest.mark.parametrize("ahead", [False, True], ids=["level", "ahead"])
def test_a_table_that_has_lost_its_room_alone_knows_its_game_again(tmp_path: Path, ahead: bool) -> None:
    """Also where another table has gone on by an entry meanwhile."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    people = guests([ada, ben], FEW_ENTRIES)
    play(people, lambda: len(ada.room._log) >= 5 and both_lie([ada, ben]) and ada.view["resolver"] == 1)
    log = [one.hash for one in ada.room._log.entries]
    if ahead:
        ben.line.down(tell=False)
        while len(ada.room._log) == len(log):
            people[0].act()
            ada.table.wait(0.02)
        bus.publish(*ben.line._will, kept=True)
    lose(ben, bus)
    for path in ben.folder.glob("room.sqlite*"):
        path.unlink()
    again = Place(bus, ben.folder, ben.name, link=ada.link, resume=True, **ben.options)
    assert again.room._is_alone
    let_play_on(ada, again)
    play(hands(ada, again), lambda: again.room._tables == ada.room._tables)
    assert [one.hash for one in again.room._log.entries[: len(log)]] == log
    people = [Guests(ada, (1,), 3, FEW_ENTRIES), Guests(again, (2,), 4, FEW_ENTRIES)]
    play(people, lambda: are_over([ada, again]))
    assert_same([ada, again])
    until(lambda: ada.room._log.head == again.room._log.head, ada, again)

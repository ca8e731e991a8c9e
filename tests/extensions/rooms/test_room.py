"""One game at several tables: both journals hold the same game, whatever kind of board each has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_host.archive.records import export, verify_lines
from firmware_host.games.levels import FIRST_STEPS
from firmware_host.link.common_log import RoomFile
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import Ledger
from firmware_host.table.subjects.proposals import Agreed, Declined, Proposed
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import GameStarted, SeatLeft, SeatTaken
from tests.extensions.rooms.rooms import Bus, Guests, Place, play, play_for, settle, until
from tests.sampling import cases, few, is_sample

NAMES = {1: "Ada", 2: "Ben", 3: "Cleo", 4: "Dan"}
MAX_ENTRIES, FEW_ENTRIES = 70, 25
Boards = Sequence[Mapping[str, Any]]
GAMES: list[Boards] = [
    ({"board": "spokes-45", "kind": "presence"}, {"board": "spokes-45", "kind": "polarity"}),
    ({"game": "phalanx", "kind": "polarity"}, {"game": "phalanx", "kind": "presence"}),
    ({"game": "coil", "kind": "presence"}, {"game": "coil", "kind": "polarity"}),
    ({"board": "octiles-53", "kind": "polarity"}, {"board": "octiles-189"}),
]


def sit(place: Place, seat: int, name: str) -> None:
    place.table.runtime.submit(SeatTaken(at=place.table.runtime.now(), seat=seat, name=name, claim=f"claim of {name}"))


def begin(place: Place) -> None:
    place.table.runtime.submit(GameStarted(at=place.table.runtime.now()))


def meet(folder: Path, boards: Sequence[Mapping[str, Any]], **more: Any) -> tuple[Bus, list[Place]]:
    """Return tables with these boards in one room, with a player each, in the lobby."""
    bus, places = Bus(), list[Place]()
    for number, board in enumerate(boards, 1):
        link = places[0].link if places else None
        places.append(Place(bus, folder / f"table{number}", f"Table {number}", link=link, **board, **more))
    for seat, place in enumerate(places, 1):
        settle(*places, rounds=10)
        sit(place, seat, NAMES[seat])
    until(lambda: all(one["taken"] for place in places for one in place.view["seats"]), *places)
    return bus, places


def guests(places: Sequence[Place], most: int = MAX_ENTRIES) -> list[Guests]:
    """People who resign after a while: games of chance can last for ever."""
    return [Guests(place, (seat,), 1 + seat, most) for seat, place in enumerate(places, 1)]


def both_lie(places: Sequence[Place]) -> bool:
    return all(place.room._last is not None and place.room._last.lies for place in places) and (
        len({len(place.room._log) for place in places}) == 1
    )


def say(place: Place, event: type[ev.Event], **fields: Any) -> None:
    place.table.runtime.submit(event(at=place.table.runtime.now(), **fields))


def are_over(places: Sequence[Place]) -> bool:
    return all(place.room is not None and place.view["phase"] == "over" for place in places)


def assert_same(places: Sequence[Place]) -> None:
    """Fail unless all tables have the same log and result, and each journal proves its game."""
    logs = [shared(place) for place in places]
    assert logs[0]
    assert logs == [logs[0]] * len(logs)
    results = [place.view["result"] for place in places]
    assert results == [results[0]] * len(results)
    for place in places:
        place.table.journal.verify()
        verify_lines(export(place.table.journal, place.view["game"]["id"]))


def shared(place: Place) -> list[str]:
    """Return the hashes of the game's shared entries by this table's journal."""
    place.room.use_table(table := place.table.runtime.table(), place.table.runtime.suspended_game(table).entries)
    return [entry.hash for entry in place.room._log.entries]


def test_two_tables_begin_the_same_game(tmp_path: Path) -> None:
    """Whoever presses the button: the game begins at both, with the same seats."""
    _, (ada, ben) = meet(tmp_path, GAMES[0])
    begin(ben)
    until(lambda: ada.view["phase"] == ben.view["phase"] == "sealing", ada, ben)
    assert ada.view["game"]["id"] == ben.view["game"]["id"]
    assert [seat["name"] for seat in ben.view["seats"]] == ["Ada", "Ben"]


@pytest.mark.parametrize(
    "boards", cases([(one,) for one in GAMES], (GAMES[0],)), ids=["spokes", "phalanx", "coil", "octiles"]
)
def test_a_whole_game(tmp_path: Path, boards: Boards) -> None:
    """Boards of different kinds: both tables have the same log and the same result.

    The shortest one, of Spokes, ends by its rules; in a sample the others are resigned early.
    """
    _, places = meet(tmp_path, boards)
    begin(places[0])
    most = FEW_ENTRIES if is_sample() and boards is not GAMES[0] else MAX_ENTRIES
    play(guests(places, most), lambda: are_over(places))
    assert_same(places)
    if boards is GAMES[0]:
        assert places[0].view["result"]["reason"] == "loop"


@pytest.mark.thorough
@pytest.mark.parametrize("boards", GAMES, ids=["spokes", "phalanx", "coil", "octiles"])
def test_kills_and_a_broker_that_forgets(tmp_path: Path, boards: Boards) -> None:
    """Each table is killed ten times, the broker restarted five times: nothing is lost."""
    bus, places = meet(tmp_path, boards)
    begin(places[0])
    people, rng = guests(places), Random(5)
    kills, restarts = Counter[str](), 0
    while not any(place.view["phase"] == "over" for place in places):
        victim = rng.choice(places)
        if rng.random() < 0.7:
            kills[victim.name] += 1
            victim.kill()
            play_for(people, rng.randrange(1, 8))
            victim.start()
        else:
            restarts += 1
            bus.restart()
            play_for(people, rng.randrange(1, 8))
            for line in bus.members:
                line.up()
        play_for(people, rng.randrange(1, 10))
    play(people, lambda: are_over(places))
    assert_same(places)
    assert min(kills[place.name] for place in places) >= 10
    assert restarts >= 5


def test_what_all_agree_to(tmp_path: Path) -> None:
    """A take-back counts at both tables once both agree, a refusal at none."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 4 and ada.view["resolver"] == 2 and both_lie(places))
    moments = len(ada.table.committed)
    say(ada, Proposed, seat=1, what="take-back")
    until(lambda: ben.view["proposal"], *places)
    say(ben, Declined, seat=2, what="take-back")
    until(lambda: not ada.view["proposal"], *places)
    settle(*places, rounds=600)  # The same seat may ask again after a while.
    say(ben, Proposed, seat=2, what="take-back")
    until(lambda: ada.view["proposal"], *places)
    say(ada, Agreed, seat=1, what="take-back")
    until(lambda: len(ada.table.committed) == len(ben.table.committed) == moments - 1, *places)
    play(guests(places, FEW_ENTRIES), lambda: are_over(places))
    assert_same(places)


def test_who_does_not_act_can_resign(tmp_path: Path) -> None:
    """The table that writes the next entry writes it for the other one."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    play(guests(places), lambda: ada.view["phase"] == "resolving" and ada.view["resolver"] == 2 and both_lie(places))
    say(ada, Resigned, seat=1)
    until(lambda: are_over(places), *places)
    assert_same(places)
    assert ben.view["result"]["winners"] == [2]


@pytest.mark.parametrize("boards", few([pytest.param(GAMES[2]), pytest.param(GAMES[3])], 1), ids=["coil", "octiles"])
def test_all_seats_at_a_table_that_does_not_lead(tmp_path: Path, boards: Boards) -> None:
    """The table that leads begins the game all the same, and sees it; no seal of a deal is shown that nobody uses."""
    _, (ada, ben) = meet(tmp_path, boards)
    say(ada, SeatLeft, seat=1)
    until(lambda: not ben.view["seats"][0]["taken"], ada, ben)
    sit(ben, 1, "Zoe")
    until(lambda: all(one["taken"] for place in (ada, ben) for one in place.view["seats"]), ada, ben)
    assert ada.view["deal"] is ben.view["deal"] is None
    ada.kill()
    begin(ben)
    until(lambda: any("The table Table 1 is away." in one for one in ben.view["notices"]), ben)
    ada.start()
    until(lambda: ada.view["game"]["id"] == ben.view["game"]["id"], ada, ben)
    begin(ben)
    until(lambda: ada.view["phase"] == ben.view["phase"] == "setup", ada, ben)
    play([Guests(ben, (1, 2), 2, 3), Guests(ada, (), 3)], lambda: are_over([ada, ben]))
    assert_same([ada, ben])


def test_the_next_game_in_the_same_room(tmp_path: Path) -> None:
    """The table that has opened the room opens the next game; everybody keeps a seat."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 3 and both_lie(places))
    say(ben, Resigned, seat=2)
    until(lambda: are_over(places), *places)
    with pytest.raises(TableError, match="opened the room"):
        ben.table.runtime.rematch()
    first = ada.view["game"]["id"]
    ada.table.runtime.rematch()
    until(lambda: all(place.view["phase"] not in {"over", "lobby"} for place in places), *places)
    assert ben.view["game"]["id"] == ada.view["game"]["id"] != first
    turned = [Guests(ada, (2,), 3), Guests(ben, (1,), 4)]  # Who was second begins.
    play(turned, lambda: len(ben.room._log) >= 4)


def test_a_third_table_watches(tmp_path: Path) -> None:
    """Who has the link to watch sees the game, from its beginning, and changes nothing."""
    bus, places = meet(tmp_path, GAMES[2])
    ada, _ = places
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 6)
    tv = Place(bus, tmp_path / "tv", "TV", link=ada.room.invitation.to_watch.link, game="coil", kind="presence")
    until(lambda: tv.table.committed == ada.table.committed and len(tv.room._log) == len(ada.room._log), *places, tv)
    assert not tv.room.is_player
    say(tv, Resigned, seat=1)
    settle(*places, tv)
    play(guests(places, FEW_ENTRIES), lambda: are_over(places))
    until(lambda: tv.view["phase"] == "over", *places, tv)
    assert tv.view["result"] == ada.view["result"]
    assert [one["name"] for one in ada.room.status()["tables"]] == ["Table 2"]


def tops(place: Place) -> list[int]:
    """Return the top tile of each moment."""
    return [moment.position.stack[0] for moment in place.table.runtime.table().ledger.moments]


def ledger_of(place: Place) -> Ledger:
    return place.table.runtime.table().ledger


def has_drawn(places: Sequence[Place], turns: int) -> bool:
    """Whether so many turns of Octiles are counted at all places, and the next tile is known there.

    The view does not tell it: it may be the one before the turn, with the tile before.
    """
    ledgers = [ledger_of(one) for one in places]
    return all(len(one.moments) > turns and one.drawn == laid_first(one) + len(one.moments) for one in ledgers)


def laid_first(ledger: Ledger) -> int:
    """Return how many tiles lay on the board before anybody played: they were drawn, too."""
    return sum(1 for face in ledger.moments[0].position.faces if face)


def play_turns(places: Sequence[Place], turns: int) -> None:
    """Play Octiles until so many turns lie on all boards, and the next tile is known."""
    play(guests(places), lambda: has_drawn(places, turns))


def test_a_tile_is_known_when_it_is_drawn_and_comes_again_after_a_take_back(tmp_path: Path) -> None:
    """A take-back does not draw anew: what everybody has seen comes again, whatever is played before it."""
    _, places = meet(tmp_path, GAMES[3])
    ada, ben = places
    begin(ben)
    play_turns(places, 2)
    until(lambda: both_lie(places), *places)
    before, drawn = tops(ada), ledger_of(ada).drawn
    assert before == tops(ben)
    assert drawn == 3
    for proposer, other, seat in ((ada, ben, 1), (ben, ada, 2)):
        say(proposer, Proposed, seat=seat, what="take-back")
        until(lambda other=other: other.view["proposal"], *places)
        moments = len(ledger_of(other).moments)
        say(other, Agreed, seat=3 - seat, what="take-back")
        hands = [Guests(one, (), 1) for one in places]
        play(hands, lambda less=moments - 1: all(len(ledger_of(one).moments) == less for one in places))
        play(hands, lambda: both_lie(places))
    assert len(ledger_of(ada).moments) == 1
    play([Guests(one, (seat,), 90 + seat) for seat, one in enumerate(places, 1)], lambda: has_drawn(places, 3))
    assert tops(ada)[:3] == tops(ben)[:3] == before
    assert ledger_of(ada).drawn == 4
    say(ada, Resigned, seat=1)
    until(lambda: are_over(places), *places)
    assert_same(places)


@pytest.mark.thorough
@pytest.mark.parametrize(("tables", "laid"), [(3, 2), pytest.param(4, 0, marks=pytest.mark.thorough)])
def test_more_tables_draw_the_stack_of_octiles(tmp_path: Path, tables: int, laid: int) -> None:
    """Tiles laid before play, and their turnings, come from the lots, too; a table that watches draws nothing."""
    boards = [{"board": "octiles-53", "kind": "presence"}, *[{"board": "octiles-189"}] * 2, {"board": "octiles-53"}]
    bus, places = meet(tmp_path, boards[-tables:], mode=str(tables))
    begin(places[0])
    play_turns(places, 2)
    tv = Place(bus, tmp_path / "tv", "TV", link=places[0].room.invitation.to_watch.link, board="octiles-53")
    until(lambda: tv.room is not None and len(tv.room._log) == len(places[0].room._log), *places, tv)
    moments = ledger_of(places[0]).moments
    assert [one.position for one in ledger_of(tv).moments] == [one.position for one in moments]
    assert set(ledger_of(tv).lots) == set(range(1, tables + 1))
    assert laid_first(ledger_of(places[0])) == laid
    assert ledger_of(places[0]).drawn == laid + 3
    for seat, place in enumerate(places[1:], 2):
        say(place, Resigned, seat=seat)
        until(lambda seat=seat: all(seat in ledger_of(one).resigned for one in places), *places)
    until(lambda: are_over(places), *places)
    assert_same(places)


@pytest.mark.thorough
def test_a_table_that_is_killed_before_it_opens_a_lot_opens_it_afterwards(tmp_path: Path) -> None:
    """What a table has sealed it keeps: in the lobby, at the start, and while others wait for its lot."""
    _, places = meet(tmp_path, GAMES[3])
    ada, ben = places
    sealed = ben.room._chain(ben.table.runtime.table())
    ben.kill()
    ben.start()
    until(lambda: ben.view["game"]["id"] == ada.view["game"]["id"], *places)
    assert ben.room._chain(ben.table.runtime.table()) == sealed
    settle(*places)
    if not ben.view["seats"][1]["taken"]:
        sit(ben, 2, NAMES[2])
    until(lambda: all(one["taken"] for place in places for one in place.view["seats"]), *places)
    begin(ada)
    until(lambda: ledger_of(ada).lot_due == 2, ada)
    ada.kill()
    play_for(guests(places), 5)
    ada.start()
    play_turns(places, 1)
    people = guests(places)
    play(people, lambda: any(ledger_of(one).lot_due for one in places) and len(ledger_of(ada).moments) > 2)
    for place in places:
        place.kill()
    for place in places:
        place.start()
    play_turns(places, 3)
    say(ada, Resigned, seat=1)
    until(lambda: are_over(places), *places)
    assert_same(places)


class Killed(BaseException):
    """The end of the program, in the middle of a write."""


@pytest.mark.parametrize(("victim", "name"), few(cases([*product((0, 1), ("seats", "names", "entry"))]), 1))
def test_a_kill_between_the_journal_and_the_file_of_the_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: int, name: str
) -> None:
    """The journal has the beginning, the room's file has not: it is the same game all the same."""
    _, places = meet(tmp_path, GAMES[3])
    file = places[victim].room._kept
    keep, note = RoomFile.keep, RoomFile.note_entry

    def kept(self: RoomFile, what: str, value: str) -> None:
        if self is file and what.startswith(f"{name} "):
            raise Killed
        keep(self, what, value)

    def noted(self: RoomFile, entry: Any) -> None:
        if self is file and name == "entry":
            raise Killed
        note(self, entry)

    monkeypatch.setattr(RoomFile, "keep", kept)
    monkeypatch.setattr(RoomFile, "note_entry", noted)
    begin(places[0])
    with pytest.raises(Killed):
        settle(*places, rounds=200)
    monkeypatch.undo()
    places[victim].kill()
    settle(places[1 - victim])
    places[victim].start()
    play_turns(places, 1)
    say(places[0], Resigned, seat=1)
    until(lambda: are_over(places), *places)
    assert_same(places)


def test_tables_with_two_seats_draw_once_each(tmp_path: Path) -> None:
    """Four play Octiles at two tables, with every other seat at each."""
    bus, places = Bus(), list[Place]()
    for number in (1, 2):
        link = places[0].link if places else None
        places.append(Place(bus, tmp_path / f"{number}", f"Table {number}", link=link, board="octiles-189", mode="4"))
    for seat in (1, 2, 3, 4):
        settle(*places, rounds=20)
        sit(places[1 - seat % 2], seat, NAMES[seat])
    until(lambda: all(one["taken"] for place in places for one in place.view["seats"]), *places)
    begin(places[1])
    people = [Guests(places[0], (1, 3), 2), Guests(places[1], (2, 4), 3)]
    play(people, lambda: all(len(ledger_of(one).moments) > 5 and one.view["supply"] for one in places))
    assert set(ledger_of(places[0]).lots) == {1, 2}
    for seat in (1, 2, 3):
        say(places[1 - seat % 2], Resigned, seat=seat)
        until(lambda seat=seat: all(seat in ledger_of(one).resigned for one in places), *places)
    until(lambda: are_over(places), *places)
    assert_same(places)


def test_a_table_that_was_away_while_others_sealed_catches_up(tmp_path: Path) -> None:
    """It has not seen their seals, and still knows that the table that has written something might."""
    _, places = meet(tmp_path, [{"kind": "presence"}] * 4, mode="4")
    ada, ben, cleo, dan = places
    begin(ada)
    until(lambda: all(one.view["phase"] == "sealing" for one in places), *places)
    dan.kill()
    people = [Guests(place, (seat,), seat) for seat, place in enumerate(places, 1)]
    play(people[:1], lambda: 1 in ledger_of(ada).round.commitments)
    until(lambda: all(1 in ledger_of(one).round.commitments for one in (ben, cleo)), ada, ben, cleo)
    say(ben, Resigned, seat=2)
    until(lambda: all(2 in ledger_of(one).resigned for one in (ada, ben, cleo)), ada, ben, cleo)
    dan.start()
    until(lambda: 2 in ledger_of(dan).resigned, *places)
    play(people, lambda: all(len(one.room._log) > 3 for one in places))


def test_versions_and_games_are_compared_before_the_start(tmp_path: Path) -> None:
    """Who can't play along is named at all tables; nobody waits without a word."""
    bus = Bus()
    ada = Place(bus, tmp_path / "ada", "Ada", game="coil")
    ben = Place(bus, tmp_path / "ben", "Ben", link=ada.link, board="spokes-45")
    until(lambda: "The table Ben has chosen another game: Spokes." in ada.view["notices"], ada, ben)
    until(lambda: "The table Ada plays Coil: choose that here, too." in ben.view["notices"], ada, ben)
    ben.room._version = "0.1.0"
    until(lambda: any("runs Lodestone 0.1.0, this one test: update" in one for one in ada.view["notices"]), ada, ben)
    ben.room._version = "test"
    until(lambda: not any("0.1.0" in one for one in ada.view["notices"]), ada, ben)
    said = ada.room._last
    assert said is not None
    ada.room._send("state", {**said.to_dict(), "version": "9.0", "more": 1}, kept=True)
    until(lambda: any("The table Ada runs Lodestone 9.0" in one for one in ben.view["notices"]), ben)
    ada.room._last = None
    until(lambda: not any("9.0" in one for one in ben.view["notices"]), ada, ben)


@pytest.mark.thorough
def test_four_tables_play_spokes(tmp_path: Path) -> None:
    """A seat at each of four tables, of every kind of sensing."""
    _, places = meet(tmp_path, [{"kind": kind} for kind in ("presence", "polarity", "level", "presence")], mode="4")
    begin(places[3])
    play(guests(places, FEW_ENTRIES if is_sample() else MAX_ENTRIES), lambda: are_over(places))
    assert_same(places)


@pytest.mark.parametrize("level", few([FIRST_STEPS, 2], 1))
def test_a_table_that_goes_on_alone_has_the_computers_of_the_others(tmp_path: Path, level: int) -> None:
    """Nobody else would play these seats; people of other tables stay on theirs."""
    bus, places = Bus(), list[Place]()
    for number, board in enumerate(GAMES[2], 1):
        link = places[0].link if places else None
        places.append(Place(bus, tmp_path / f"{number}", f"Table {number}", link=link, **board))
    ada, ben = places
    sit(ada, 1, "Ada")
    settle(*places)
    say(ben, SeatTaken, seat=2, name="Computer", claim="", computer=True, level=level)
    until(lambda: all(one["taken"] for place in places for one in place.view["seats"]), *places)
    begin(ada)
    people = [Guests(ada, (1,), 1), Guests(ben, (), 2)]
    play(people, lambda: len(ada.room._log) >= 3 and both_lie(places))
    left = ada.table.runtime.leave_room()
    assert left is not None
    left.close()
    seats = ada.view["seats"]
    assert [(one["computer"], one["level"] and one["level"]["level"]) for one in seats] == [
        (False, None),
        (True, level),
    ]
    moments = len(ada.table.committed)
    play(people[:1], lambda: len(ada.table.committed) >= moments + 4)


def test_a_table_that_has_lost_its_room_joins_anew_and_nobody_is_there_twice(tmp_path: Path) -> None:
    """Its people sit down again under their names, which its former self gives free."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    ben.kill()
    ben.table.close()
    again = Place(bus, tmp_path / "again", "Table 2", link=ada.link, **GAMES[2][1])
    until(lambda: again.view["game"]["id"] == ada.view["game"]["id"], ada, again)
    until(lambda: not ada.view["seats"][1]["taken"], ada, again)
    assert [(one["name"], one["here"]) for one in ada.room.status()["tables"]] == [("Table 2", True)]
    sit(again, 2, "Ben")
    until(lambda: all(one["taken"] for place in (ada, again) for one in place.view["seats"]), ada, again)
    begin(again)
    play(guests([ada, again], 20), lambda: are_over([ada, again]))
    assert_same([ada, again])

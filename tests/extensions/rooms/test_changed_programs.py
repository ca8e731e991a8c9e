"""A program at one table that somebody has changed, or a stranger who may only watch: what the others have to stand.

What it writes counts as far as their rules and their people allow it, and it can't keep them from playing on without
a word about who has stopped the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.rooms.membership import join
from firmware_host.games.game import Analysis
from firmware_host.link.common_log import RoomFile, SharedEntry
from firmware_host.link.trust import Identity, Keys
from firmware_host.table.subjects.proposals import Agreed, Proposed
from firmware_host.table.subjects.resolving import AnalysisFound, Resigned, loop_called
from firmware_host.table.subjects.seats import GameStarted, SeatLeft
from tests.extensions.rooms.rooms import Bus, Guests, Place, play, settle, until
from tests.extensions.rooms.test_room import (
    GAMES,
    are_over,
    assert_same,
    begin,
    both_lie,
    guests,
    ledger_of,
    meet,
    say,
    sit,
)
from tests.sampling import cases, few
from tests.sentences import is_in, sentence


def send(place: Place, kind: str, data: Mapping[str, Any], **other: Any) -> None:
    """Send an entry for the next place of the log, signed by this table."""
    log = place.room._log
    fields = {"game": log.game_id, "number": len(log), "prev": log.head, **other}
    entry = SharedEntry(fields["game"], fields["number"], kind, data, fields["prev"]).signed_by(place.room.identity)
    place.room._send("log", {"entries": [entry.to_dict()]})


def text_at(place: Place, moment: int) -> str:
    ledger = ledger_of(place)
    return ledger.game.text(ledger.moments[moment].position)


def last_kind(place: Place) -> str:
    ledger = ledger_of(place)
    return ledger.now.kind if ledger.started else ""


def by_actor(places: list[Place]) -> list[Place]:
    """Return the table of the seat that acts, then the others."""
    return sorted(places, key=lambda one: places.index(one) + 1 != places[0].view["resolver"])


def test_a_hand_takes_back_the_last_action_only(tmp_path: Path) -> None:
    """A table alone can't bring the game back to where it suits it."""
    _, places = meet(tmp_path, GAMES[0])
    begin(places[0])
    play(guests(places), lambda: last_kind(places[0]) == "action" and both_lie(places)
         and places[0].table.runtime.table().actor == ledger_of(places[0]).now.seat)  # fmt: skip
    liar, other = by_actor(places)
    send(liar, "correction", {"to": 0, "by": "hand", "position": text_at(liar, 0)})
    until(lambda: liar.room._stopped and other.room._stopped, *places)
    assert len(ledger_of(other).moments) > 1


def test_only_what_was_proposed_is_taken_back(tmp_path: Path) -> None:
    """Whoever agrees that the last action is taken back has not agreed to a new game."""
    _, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    play(guests(places), lambda: len(places[0].room._log) >= 6 and both_lie(places))
    liar, other = by_actor(places)
    say(other, Proposed, seat=places.index(other) + 1, what="take-back")
    settle(other, rounds=5)
    send(liar, "correction", {"to": 0, "by": "agreement", "position": text_at(liar, 0)})
    until(lambda: liar.room._stopped and other.room._stopped, *places)
    assert len(ledger_of(other).moments) > 4


def a_loop(places: list[Place]) -> tuple[Place, Place, list[str]]:
    """Play until stones move in a turn of Spokes; return the acting table, the other, and nodes of single stones."""
    begin(places[0])
    play(guests(places), lambda: last_kind(places[0]) == "action" and both_lie(places)
         and places[0].view["phase"] == "resolving")  # fmt: skip
    actor, other = by_actor(places)
    lying = ledger_of(actor).game.occupancy(ledger_of(actor).now.position)
    return actor, other, [node for node, stack in lying.items() if len(stack) == 1]


def call_loop(place: Place, nodes: list[str], by: str) -> None:
    after = loop_called(place.table.runtime.table(), nodes).position
    send(place, "loop", {"nodes": nodes, "by": by, "position": ledger_of(place).game.text(after)})


def found(place: Place, analysis: Analysis) -> None:
    """Let the search of a table have found something of the present position."""
    text = text_at(place, -1)
    place.table.runtime.submit(AnalysisFound(at=0.0, position=text, analysis=analysis, seconds=0.3))


@pytest.mark.parametrize("known", cases([Analysis(True, False, exact=True), None], None), ids=["sooner", "later"])
def test_a_loop_is_no_loop_where_stones_can_come_to_rest(tmp_path: Path, known: Analysis | None) -> None:
    """The table that acts can't end the turn by saying that it has proved a loop, not even before the others know."""
    _, places = meet(tmp_path, GAMES[0])
    liar, other, single = a_loop(places)
    if known:
        found(other, known)
    call_loop(liar, single[:1], "proof")
    if not known:
        settle(*places, rounds=50)
        assert last_kind(other) == "action"
        found(other, Analysis(True, False, exact=True))
    until(lambda: liar.room._stopped and other.room._stopped, *places)
    assert last_kind(other) == "action"


@pytest.mark.thorough
def test_the_stones_come_off_that_people_have_agreed_on(tmp_path: Path) -> None:
    """Whoever agrees to one loop has not agreed to another one."""
    _, places = meet(tmp_path, GAMES[0])
    liar, other, single = a_loop(places)
    for place in places:
        found(place, Analysis(None, None, loop_nodes=tuple(single[:1])))
    say(other, Proposed, seat=places.index(other) + 1, what="loop")
    settle(other, rounds=5)
    call_loop(liar, single[1:2], "agreement")
    until(lambda: liar.room._stopped and other.room._stopped, *places)
    assert last_kind(other) == "action"


@pytest.mark.thorough
def test_people_agree_on_the_same_loop(tmp_path: Path) -> None:
    """Where two searches have seen other stones circle nobody is asked; where they have seen the same, all are."""
    _, places = meet(tmp_path, GAMES[0])
    actor, other, single = a_loop(places)
    found(actor, Analysis(None, None, loop_nodes=tuple(single[:1])))
    found(other, Analysis(None, None, loop_nodes=tuple(single[:2])))
    say(other, Proposed, seat=places.index(other) + 1, what="loop")
    until(lambda: not other.view["proposal"], *places)
    settle(*places)
    assert not actor.view["proposal"]
    assert not actor.room._stopped
    found(actor, Analysis(None, None, loop_nodes=tuple(single[:2])))
    settle(*places, rounds=2000)  # The same seat may ask again after a while.
    say(other, Proposed, seat=places.index(other) + 1, what="loop")
    until(lambda: actor.view["proposal"], *places)
    say(actor, Agreed, seat=places.index(actor) + 1, what="loop")
    until(lambda: all(last_kind(one) == "loop" for one in places), *places)
    assert_log_alike(places)


def assert_log_alike(places: list[Place]) -> None:
    until(lambda: len({one.room._log.head for one in places}) == 1, *places)
    assert not any(one.room._stopped for one in places)


@pytest.mark.thorough
def test_a_resignation_that_was_taken_back_does_not_count_again(tmp_path: Path) -> None:
    """Whoever has resigned once has not done so for ever: neither by itself, nor by another table's word."""
    boards = [{"board": "octiles-53", "kind": "presence"}, *[{"board": "octiles-189"}] * 2]
    _, places = meet(tmp_path, boards, mode="3")
    ada, ben, cleo = places
    begin(ada)
    play(guests(places), lambda: both_lie(places) and ada.view["resolver"] == 1 and bool(ada.view["supply"]))
    say(ben, Resigned, seat=2)
    until(lambda: all(2 in ledger_of(one).resigned for one in places), *places)
    say(cleo, Proposed, seat=3, what="take-back")
    until(lambda: ada.view["proposal"] and ben.view["proposal"], *places)
    say(ben, Agreed, seat=2, what="take-back")
    say(ada, Agreed, seat=1, what="take-back")
    until(lambda: all(last_kind(one) == "start" for one in places), *places)
    play([Guests(one, (), 1) for one in places], lambda: both_lie(places))
    settle(*places, rounds=200)
    assert not any(ledger_of(one).resigned for one in places)
    after = ledger_of(ada).game.resign(ledger_of(ada).now.position, 2).position
    send(ada, "resign", {"seat": 2, "position": ledger_of(ada).game.text(after)})
    settle(*places, rounds=200)
    assert not ledger_of(ben).resigned


@pytest.mark.parametrize(
    ("kind", "data", "why"),
    few(
        [
            ("action", {"seat": 9, "action": "x", "position": "x"}, "seat 9 does not act now"),
            ("action", {}, sentence("a field is missing or", field="seat")),
            ("resign", {"seat": 2}, sentence("a field is missing or", field="position")),
            ("resign", {"seat": 0, "position": "x"}, sentence("has written what nobody", name="Table 2")),
            ("resign", {"seat": 9, "position": "x"}, "seat"),
            ("correction", {"to": 99, "by": "hand", "position": "x"}, sentence("nothing can be taken back")),
            ("correction", {"to": 1}, sentence("a field is missing or", field="by")),
            ("reveal", {"seals": {}, "position": "x"}, "by the rules of Table 1: nothing is being sealed now"),
            ("start", {"mode": "2", "position": "x", "seats": {}}, "the game has begun already"),
        ],
        3,
    ),
)
def test_what_does_not_follow_is_named(tmp_path: Path, kind: str, data: dict[str, Any], why: str) -> None:
    """By the table that may write: nobody waits without a word, and the sentence says what is wrong."""
    _, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    play(guests(places), lambda: len(places[0].room._log) >= 4 and both_lie(places) and places[0].view["resolver"] == 2)
    ada, ben = places
    send(ben, kind, {**data, "seat": 1} if data.get("seat") == 0 else data)
    until(lambda: ada.room._stopped and ben.room._stopped, *places)
    assert why in ada.room._stopped
    ada.table.journal.verify()


def test_an_old_beginning_keeps_no_game_from_beginning(tmp_path: Path) -> None:
    """A broker repeats how games before have begun: the next one begins all the same."""
    bus, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    until(lambda: ben.view["phase"] != "lobby", *places)
    old = [(topic, payload) for topic, payload in bus.passed if topic.endswith("/log")]
    until(lambda: both_lie(places), *places)
    actor = by_actor(places)[0]
    say(actor, Resigned, seat=places.index(actor) + 1)
    until(lambda: are_over(places), *places)
    ada.table.runtime.new_game("2")
    until(lambda: ben.view["game"]["id"] == ada.view["game"]["id"], *places)
    bus.meddle = lambda topic, payload: [*old, (topic, payload)]
    settle(*places)
    begin(ada)
    until(lambda: all(one.view["phase"] not in {"lobby", "over"} for one in places), *places, seconds=20)


def test_a_table_without_a_seat_looks_on(tmp_path: Path) -> None:
    """Who was invited and has not sat down is no part of the game: neither of its lots, nor of a deal without any."""
    _, places = meet(tmp_path, GAMES[3])
    ada, ben = places
    say(ben, SeatLeft, seat=2)
    until(lambda: not ada.view["seats"][1]["taken"], *places)
    sit(ada, 2, "Zoe")
    until(lambda: ben.view["seats"][1]["taken"], *places)
    begin(ada)
    until(lambda: ben.view["phase"] != "lobby", *places)
    assert "seed" in ada.room._log.entries[0].data
    play([Guests(ada, (1, 2), 2, 3), Guests(ben, (), 3)], lambda: are_over(places))
    assert_same(places)


def test_a_watcher_holds_nobody_up(tmp_path: Path) -> None:
    """Not with numbers that are too large, and not with entries of any form."""
    bus, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    eve = Place(bus, tmp_path / "eve", "Eve", link=places[0].room.invitation.to_watch.link, game="coil")
    until(lambda: eve.room._last is not None and len(eve.room._log), *places, eve)
    announced = eve.room._last
    assert announced is not None
    people = guests(places)

    def attack() -> bool:
        for _ in range(3):
            eve.room.identity = Identity()
            eve.room._kept.next_counter = lambda: 2**64 - 1  # type: ignore[method-assign]
            eve.room._send("state", announced.to_dict())
            eve.room._send("log", {"entries": [1, {}, {"data": []}]})
        return len(places[1].room._log) >= 4

    play(people, attack, rounds=300)


SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("resign", {"seat": [], "position": "x"}),
    ("resign", {"position": 3}),
    ("action", {"seat": {}, "action": [], "position": "x"}),
    ("reveal", {"seals": [], "position": "x"}),
    ("reveal", {"seals": {"x": 1}, "position": "x"}),
    ("lot", {"seat": "1", "number": 1, "position": None}),
    ("start", {"mode": 2, "position": "x", "seats": {"a": []}}),
    ("loop", {"nodes": {"a": 1}, "by": [], "position": "x"}),
    ("correction", {"to": "0", "by": [], "position": "x"}),
    ("reseal", {"turn": "x", "seat": []}),
    ("decided", {"winner": "x", "position": []}),
]


@pytest.mark.parametrize("floods", few([False, True], 1), ids=["shapes", "flood"])
def test_no_table_holds_the_others_up_without_a_word(tmp_path: Path, floods: bool) -> None:
    """Entries of any form, by a table that may not write now: the others play on, or they know who has stopped them."""
    _, places = meet(tmp_path, [{"kind": "presence"}] * 4, mode="4")
    *others, eve = places
    begin(eve)
    until(lambda: all(one.view["phase"] == "sealing" for one in places), *places)
    people = guests(places)

    def attack() -> bool:
        for kind, data in SHAPES:
            for more in range(3):
                send(eve, kind, data, number=len(others[0].room._log) + more)
                send(eve, kind, {**data}, number=len(others[0].room._log) + more, prev=f"{more}" * 64)
        for more in range(8 * floods):
            send(eve, "draw", {"position": str(more)}, number=len(others[0].room._log) + 1 + more % 2)
        if floods:
            return all("the table Table 4 has written something else" in one.room._stopped for one in places)
        return all(len(one.room._log) >= 3 for one in others)

    play(people, attack, rounds=400)


def test_a_table_that_says_different_things_to_others_is_found_out(tmp_path: Path) -> None:
    """Each of the others could believe what it was told: their logs differ, and the game stops with a sentence."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 4 and both_lie(places))
    ben.room._log.entries[1] = replace(ben.room._log.entries[1], data={"seat": 2, "action": "x", "position": "y"})
    ben.room._log.entries[-1] = replace(ben.room._log.entries[-1], prev=ben.room._log.entries[1].hash)
    ben.room._last = None
    until(lambda: ada.room._stopped and ben.room._stopped, *places)
    assert "the journal of the table Table" in ada.room._stopped


@pytest.mark.parametrize("is_over", [False, True], ids=["running", "over"])
def test_a_game_of_this_table_alone_is_not_handed_over(tmp_path: Path, is_over: bool) -> None:
    """The table that leads the room names a game that another one has begun before: nobody gets to know its stack."""
    bus = Bus()
    ben = Place(bus, tmp_path / "ben", "Ben", board="octiles-189")
    sit(ben, 1, "Cy")
    sit(ben, 2, "Di")
    begin(ben)
    settle(ben)
    own, text = ledger_of(ben).game_id, text_at(ben, 0)
    ben.kill()
    ada = Place(bus, tmp_path / "ada", "Ada", board="octiles-53")
    if is_over:
        say(ben, Resigned, seat=1)
    (tmp_path / "ben" / "room.sqlite").unlink()
    bus.passed.clear()
    kept = RoomFile(tmp_path / "ben" / "room.sqlite")
    join(kept, ada.link, "Ben")
    ben._enter(kept)
    if is_over:
        until(lambda: ben.view["game"]["id"] == ada.view["game"]["id"], ada, ben)
    settle(ada, ben)
    ledger_of(ada).game_id = own
    settle(ada, ben, rounds=300)
    assert (ben.view["game"]["id"] == own) is not is_over
    if is_over:
        assert is_in("a game that was played", ben.room._stopped)
    keys = Keys(ada.room.invitation)
    passed = b"".join(keys.open(topic, payload)[2] for topic, payload in bus.passed)
    assert text.encode() not in passed
    assert b'"seed"' not in passed


@pytest.mark.parametrize("game_id", ["", "../x", "a b", "x" * 65])
def test_a_game_is_called_so_that_records_can_be_made_of_it(tmp_path: Path, game_id: str) -> None:
    """The table that leads the room chooses the id, and it stands in the journals of all."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    before = ben.view["game"]["id"]
    ledger_of(ada).game_id = game_id
    settle(ada, ben)
    assert ben.view["game"]["id"] == before


def test_no_table_begins_with_a_position_of_its_own(tmp_path: Path) -> None:
    """A game between tables begins as its rules say."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    game = ledger_of(ada).game
    start = game.start("2")
    given = game.text(game.apply(start, {1: game.actions(start)[1][0]}).position)
    ada.room._begin = lambda _table, at: iter([GameStarted(at=at, position=given, together=True)])  # type: ignore[method-assign]
    begin(ada)
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert "begins as its rules say" in ben.room._stopped
    assert ben.view["phase"] == "lobby"


def test_who_seals_the_lots_of_another_table_is_named(tmp_path: Path) -> None:
    """It would know what two tables draw: nothing begins, and everybody knows why."""
    _, (ada, ben) = meet(tmp_path, GAMES[3])
    chain = ada.room._chain(ada.table.runtime.table())
    ben.room._chain = lambda _table: chain  # type: ignore[method-assign]
    until(lambda: all(peer.said.lots == chain[0] for peer in ada.room._peers.values()), ada, ben)
    begin(ada)
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert sentence("two tables have sealed the") in ada.room._stopped

"""Why a game between tables can't go on: said as long as a table finds it so, of that game, and of no other one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.extensions.rooms.rooms import Place, play, settle, until
from tests.extensions.rooms.test_changed_programs import send
from tests.extensions.rooms.test_room import FEW_ENTRIES, GAMES, are_over, assert_same, begin, both_lie, guests, meet


def stopped(tmp_path: Path) -> tuple[Place, Place, Place, Place]:
    """Return two tables whose game was stopped by an entry that does not follow: Ada, Ben, the liar, the other one."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    liar, other = (ada, ben) if ada.view["resolver"] == 1 else (ben, ada)
    send(liar, "action", {"seat": ada.view["resolver"], "action": "z9", "position": "x"})
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    return ada, ben, liar, other


def test_a_stop_ends_with_its_cause(tmp_path: Path) -> None:
    """The program of the liar is mended, and both are started anew, one after the other: the game goes on."""
    ada, ben, _, _ = stopped(tmp_path)
    for place, stays in ((ada, ben), (ben, ada)):
        place.kill()
        settle(stays)
        place.start()
        settle(ada, ben, rounds=100)
    until(lambda: not ada.room._stopped and not ben.room._stopped, ada, ben)
    play(guests([ada, ben], FEW_ENTRIES), lambda: are_over([ada, ben]))
    assert_same([ada, ben])


def test_a_table_repeats_no_stop_that_it_has_only_heard_of(tmp_path: Path) -> None:
    """Else two tables would hear of it from each other for ever."""
    _, _, liar, other = stopped(tmp_path)
    assert other.room._last is not None
    assert liar.room._last is not None
    assert other.room._last.stopped == liar.room._stopped == other.room._stopped
    assert not liar.room._last.stopped


def test_the_next_game_is_played(tmp_path: Path) -> None:
    """The table that has opened the room opens another game; the others come along from the one that is stopped."""
    ada, ben, _, _ = stopped(tmp_path)
    first = ada.view["game"]["id"]
    ada.table.runtime.new_lobby("2")
    until(lambda: ben.view["game"]["id"] == ada.view["game"]["id"] != first, ada, ben)
    until(lambda: not ada.room._stopped and not ben.room._stopped, ada, ben)
    begin(ben)
    people = guests([ada, ben], 20)
    play(people, lambda: are_over([ada, ben]))
    assert_same([ada, ben])


def test_a_stop_of_another_game_stops_nothing(tmp_path: Path) -> None:
    """What a table says of a game that it plays elsewhere, or of a place that this one has not come to yet."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and both_lie([ada, ben]))
    said = ben.room._last
    assert said is not None
    ben.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    for lie in ({"game_id": "other"}, {"number": said.number + 5, "head": "0" * 64}):
        ben.room._send("state", replace(said, stopped="it can't", **lie).to_dict(), kept=True)
        settle(ada)
        assert not ada.room._stopped
    ben.room._send("state", replace(said, stopped="it can't").to_dict(), kept=True)
    until(lambda: ada.room._stopped == "it can't", ada)
    ben.room._send("state", said.to_dict(), kept=True)
    until(lambda: not ada.room._stopped, ada)


def test_a_table_follows_at_its_own_pace(tmp_path: Path) -> None:
    """Many games that the table that leads names, one after the other, open one lobby a second at most."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    said = ada.room._last
    assert said is not None
    ada.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    before = len(games_of(ben))
    for number in range(100):
        ada.room._send("state", replace(said, game_id=f"x{number}").to_dict(), kept=True)
        ben.table.wait(0.02)
    assert len(games_of(ben)) <= before + 3
    until(lambda: ben.view["game"]["id"] == "x99", ben)


def games_of(place: Place) -> set[str]:
    """Return the games of a table's journal."""
    return {one.id for one in place.table.journal.games()}

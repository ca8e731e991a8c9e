"""What tables cost each other that watch, or lie: answers, writes and memory are bounded, and players come first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firmware_host.extensions.rooms.shared_game import MAX_WAITING_BYTES
from firmware_host.link.common_log import SharedEntry
from firmware_host.link.trust import Identity
from tests.extensions.rooms.rooms import Bus, Place, play, settle, topics, until
from tests.extensions.rooms.test_room import GAMES, begin, both_lie, guests, meet

WATCHERS = 60


def watcher(bus: Bus, place: Place, folder: Path) -> Place:
    return Place(bus, folder / "eve", "Eve", link=place.room.invitation.to_watch.link, game="coil", kind="presence")


def entries_sent(bus: Bus, *places: Place) -> int:
    """Return how many messages with entries come in ten seconds."""
    bus.passed.clear()
    settle(*places, rounds=500)
    return len(topics("*/log", bus))


def test_watchers_that_are_gone_are_not_told_for_ever(tmp_path: Path) -> None:
    """Many names that one watcher has invented lack everything: they are told together, and more and more seldom."""
    bus, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 6 and both_lie(places))
    eve = watcher(bus, ada, tmp_path)
    until(lambda: len(eve.room._log) == len(ada.room._log), *places, eve)
    said = eve.room._last
    assert said is not None
    for _ in range(WATCHERS):
        eve.room.identity = Identity()
        eve.room._send("state", replace(said, number=0, head="").to_dict(), kept=True)
    eve.line.down(tell=False)
    bus.members.remove(eve.line)
    settle(*places, rounds=200)
    assert entries_sent(bus, *places) <= 8
    settle(*places, rounds=1000)
    assert entries_sent(bus, *places) <= 2
    ben.kill()
    play(guests([ada]), lambda: ada.room is not None, rounds=1)
    ben.start()
    play(guests(places), lambda: len(ben.room._log) == len(ada.room._log) >= 8)


def test_watchers_write_nothing(tmp_path: Path) -> None:
    """Their messages are counted in memory; those of players are kept together, once a round."""
    bus, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    settle(*places)
    eve = watcher(bus, ada, tmp_path)
    until(lambda: eve.room._last is not None and len(eve.room._log), *places, eve)
    done = list[str]()
    ada.room._kept._file.set_trace_callback(done.append)
    for place, writes in ((eve, 0), (ben, 1)):
        said = place.room._last
        assert said is not None
        settle(ada)
        done.clear()
        for _ in range(50):
            place.room._send("state", said.to_dict(), kept=True)
        ada.table.wait(0.02)
        assert sum(one.startswith("COMMIT") for one in done) == writes
        assert sum(one.startswith("INSERT") for one in done) == writes


def test_a_repeated_message_counts_after_a_restart_no_more(tmp_path: Path) -> None:
    """Of a player; an older one than the last is refused, as the counter is on disk before anything comes of it."""
    bus, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    old = [(topic, payload) for topic, payload in bus.passed if topic.endswith("/state")]
    begin(ada)
    play(guests(places), lambda: len(ada.room._log) >= 2 and both_lie(places))
    last = ada.room._peers[ben.room._me].said
    kept = dict(bus.retained)
    ada.kill()
    bus.retained = {topic: payload for topic, payload in kept.items() if f"/{ben.room._me[:16]}/state" not in topic}
    ada.start()
    for topic, payload in old:
        bus.publish(topic, payload, kept=False)
    ada.table.wait(0.1)
    assert ben.room._me not in ada.room._peers or ada.room._peers[ben.room._me].said == last


def test_what_waits_for_its_turn_is_bounded(tmp_path: Path) -> None:
    """The table that leads begins one game after the other, and another one writes long entries of the future."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    said = ada.room._last
    assert said is not None
    ada.room.act = lambda _table, _at: iter(())  # type: ignore[method-assign]
    for number in range(100):
        game = f"x{number}"
        ada.room._send("state", replace(said, game_id=game, game="other").to_dict(), kept=True)
        start = SharedEntry(game, 0, "start", {"mode": "2", "position": "x" * 3000}, "0" * 64)
        ada.room._send("log", {"entries": [start.signed_by(ada.room.identity).to_dict()]})
        ben.table.wait(0.02)
    assert len(ben.room._entries.get(0, [])) <= 2


def test_long_entries_of_the_future_are_few(tmp_path: Path) -> None:
    """They are asked for again once those before them are here."""
    _, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    play(guests(places), lambda: len(places[0].room._log) >= 3 and both_lie(places))
    liar, other = places
    log = liar.room._log
    for number in range(len(log) + 1, len(log) + 75):
        nodes = ["x" * 3000] * 9
        lie = SharedEntry(log.game_id, number, "loop", {"nodes": nodes, "by": "proof", "position": "x"}, "0" * 64)
        liar.room._send("log", {"entries": [lie.signed_by(liar.room.identity).to_dict()]})
        other.table.wait(0.02)
    assert 0 < other.room._waiting_bytes() <= MAX_WAITING_BYTES + 40_000
    play(guests(places), lambda: len(other.room._log) >= len(log) or bool(other.room._stopped))

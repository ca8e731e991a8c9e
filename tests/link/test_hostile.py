"""A broker, or somebody on the way, reads, repeats, reorders, delays, drops, forges: it learns and changes nothing.

The game has to go on to the same end at both tables once messages get through again, and the placements are nowhere in
what has passed before they were revealed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from firmware_host.link.common_log import SharedEntry
from firmware_host.link.trust import Forged, Identity, Invitation, Keys
from firmware_host.table import events as ev
from tests.link.rooms import Meddle, Place, play, settle, until
from tests.link.test_room import GAMES, are_over, assert_same, begin, guests, meet, say

Attack = Callable[[Random], Meddle]


def repeating(rng: Random) -> Meddle:
    """Send everything again, and old messages with it."""
    old: list[tuple[str, bytes]] = []

    def meddle(topic: str, payload: bytes) -> list[tuple[str, bytes]]:
        old.append((topic, payload))
        return [(topic, payload), rng.choice(old), (topic, payload)]

    return meddle


def reordering(rng: Random) -> Meddle:
    """Hold messages back and send them later in another order."""
    held: list[tuple[str, bytes]] = []

    def meddle(topic: str, payload: bytes) -> list[tuple[str, bytes]]:
        held.append((topic, payload))
        if len(held) < 4:
            return []
        rng.shuffle(held)
        return [held.pop() for _ in range(rng.randrange(1, 4))]

    return meddle


def dropping(rng: Random) -> Meddle:
    """Lose a third."""
    return lambda topic, payload: [] if rng.random() < 0.33 else [(topic, payload)]


def forging(rng: Random) -> Meddle:
    """Change a bit, cut, move to another topic, or send with a key of one's own."""
    stranger = Identity()

    def meddle(topic: str, payload: bytes) -> list[tuple[str, bytes]]:
        at = rng.randrange(len(payload))
        bit = payload[:at] + bytes([payload[at] ^ 1 << rng.randrange(8)]) + payload[at + 1 :]
        head = payload[:2] + bytes.fromhex(stranger.public) + payload[34:]
        other = topic.replace("/state", "/log") if "/state" in topic else topic.replace("/log", "/state")
        forged = [(topic, bit), (topic, payload[:at]), (other, payload), (topic, head), (topic, rng.randbytes(at))]
        return [*rng.sample(forged, 3), (topic, payload)]

    return meddle


@pytest.mark.parametrize("attack", [repeating, reordering, dropping, forging])
@pytest.mark.parametrize(
    "boards", [pytest.param(GAMES[0], marks=pytest.mark.thorough), GAMES[2]], ids=["spokes", "coil"]
)
def test_an_attack_changes_nothing(tmp_path: Path, boards: list[dict[str, str]], attack: Attack) -> None:
    """Both tables come to the same end."""
    bus, places = meet(tmp_path, boards)
    begin(places[0])
    bus.meddle = attack(Random(1))
    people = guests(places)
    for one in people:
        one._patience = 20
    play(people, lambda: are_over(places))
    bus.meddle = lambda topic, payload: [(topic, payload)]
    settle(*places)
    assert_same(places)


def test_nothing_can_be_read_on_the_way(tmp_path: Path) -> None:
    """Neither names nor placements: what passes is ciphertext, the topics name nobody."""
    bus, places = meet(tmp_path, GAMES[0])
    begin(places[0])
    play(guests(places), lambda: len(places[0].room._log) >= 6)
    passed = b"".join(topic.encode() + payload for topic, payload in bus.passed)
    for word in (b"Table 1", b"spokes", b'"seals"', b'"openings"', b'"entries"'):  # Shorter ones are there by chance.
        assert word not in passed


def test_a_placement_does_not_leave_its_table_before_all_have_sealed(tmp_path: Path) -> None:
    """Whoever can read the room sees commitments only, until every seat has sealed."""
    bus, (ada, ben) = meet(tmp_path, GAMES[0])
    begin(ada)
    people = guests([ada, ben])
    until(lambda: ada.view["phase"] == "sealing", ada, ben)
    play([people[0]], lambda: 1 in ada.table.runtime.table().ledger.round.commitments)
    for _ in range(100):
        people[0].act()
        settle(ada, ben, rounds=1)
    keys = Keys(ada.room.invitation.to_watch)
    told = [keys.open(topic, payload)[2].decode() for topic, payload in bus.passed]
    assert any('"seals":{"1"' in one for one in told)
    assert all('"openings":{}' in one for one in told if '"openings"' in one)


def test_who_only_watches_can_not_play(tmp_path: Path) -> None:
    """A watcher reads the room, and its own announcements and entries count for nothing."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) == len(ben.room._log) >= 2)
    eve = Place(bus, tmp_path / "eve", "Eve", link=ada.room.invitation.to_watch.link, game="coil", kind="presence")
    until(lambda: len(eve.room._log) == len(ada.room._log), ada, ben, eve)
    log = len(ada.room._log)
    lie = SharedEntry(ada.room._log.game_id, log, "resign", {"seat": 1, "position": ""}, ada.room._log.head)
    eve.room._send("log", {"entries": [lie.signed(eve.room.identity).to_dict()]})
    eve.room._send("log", {"entries": [{**lie.to_dict(), "table": ben.room.identity.public, "signature": "00" * 64}]})
    settle(ada, ben, eve)
    assert len(ada.room._log) == len(ben.room._log) == log
    assert not ada.room._stopped
    assert "secret" not in eve.room.invitation.link


def test_watchers_keep_nobody_out(tmp_path: Path) -> None:
    """However many names a watcher invents, and however many entries: a player who comes back is heard."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 2)
    eve = Place(bus, tmp_path / "eve", "Eve", link=ada.room.invitation.to_watch.link, game="coil", kind="presence")
    until(lambda: len(eve.room._log) == len(ada.room._log), ada, ben, eve)
    ben.kill()
    announced = eve.room._last
    assert announced is not None
    for number in range(80):
        eve.room.identity = Identity()
        eve.room._send("state", announced.to_dict(), kept=True)
        lie = SharedEntry(ada.room._log.game_id, number + 2, "resign", {"seat": 1, "position": ""}, "")
        eve.room._send("log", {"entries": [lie.signed(eve.room.identity).to_dict()]})
    settle(ada)
    ada.kill()
    ada.start()
    ben.start()
    assert sum(not peer.plays for peer in ada.room._peers.values()) <= 64
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 6)
    assert all(not found for found in ada.room._entries.values())


def test_an_entry_that_does_not_follow_stops_the_game_everywhere(tmp_path: Path) -> None:
    """A table that breaks the rules, and signs it: both say the same sentence, both journals stay."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and len(ben.room._log) == len(ada.room._log))
    actor = ada.view["resolver"]
    liar, other = (ada, ben) if actor == 1 else (ben, ada)
    log = liar.room._log
    bad = SharedEntry(log.game_id, len(log), "action", {"seat": actor, "action": "z9", "position": "x"}, log.head)
    liar.room._send("log", {"entries": [bad.signed(liar.room.identity).to_dict()]})
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert ada.room._stopped == ben.room._stopped
    assert f"entry {len(log)}" in other.room._stopped
    assert any("can't go on" in notice for notice in liar.view["notices"])
    for place in (ada, ben):
        place.table.journal.verify()


def test_what_nobody_here_has_agreed_to_stops_the_game(tmp_path: Path) -> None:
    """The table that may write can't invent the other's consent."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) >= 3 and len(ben.room._log) == len(ada.room._log))
    liar = ada if ada.view["resolver"] == 1 else ben
    game, table = liar.table.runtime.table().game, liar.table.runtime.table()
    text = game.text(table.ledger.now.position)
    lie = SharedEntry(table.ledger.game_id, len(liar.room._log), "draw", {"position": text}, liar.room._log.head)
    liar.room._send("log", {"entries": [lie.signed(liar.room.identity).to_dict()]})
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert not are_over([ada, ben])


def test_nobody_chooses_a_part_of_the_shuffle_late(tmp_path: Path) -> None:
    """A table that has seen the others' parts can't exchange its own: the game does not begin."""
    _, (ada, ben) = meet(tmp_path, GAMES[3])
    part = ben.room._part
    ben.room._part = lambda table: part(table) if not ada.room._last.drawn else "0" * 32  # type: ignore[method-assign,union-attr]
    begin(ada)
    until(lambda: ada.room._stopped, ada, ben)
    assert "changed its part of the shuffle" in ada.room._stopped
    assert ada.view["phase"] == "lobby"


def test_a_flood_is_survived(tmp_path: Path) -> None:
    """Thousands of messages of strangers, with the room's topics: play goes on."""
    bus, places = meet(tmp_path, GAMES[2])
    begin(places[0])
    rng, room = Random(1), places[0].room.invitation.room
    for number in range(3000):
        topic = f"lodestone/1/{room}/{rng.randbytes(8).hex()}/{rng.choice(['state', 'log', 'gone', 'x'])}"
        bus.publish(topic, rng.randbytes(rng.randrange(200)) if number % 2 else b'{"a": 1}', kept=False)
    play(guests(places), lambda: len(places[1].room._log) >= 6)
    assert len(places[0].room._peers) == 1


def test_signs_pass(tmp_path: Path) -> None:
    """Who waves here is seen waving there."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    settle(ada, ben)
    say(ada, ev.Greeted, seat=1, sign="wave")
    settle(ada, ben)
    say(ada, ev.Greeted, seat=1, sign="clap")
    until(lambda: [one["sign"] for one in ben.view["said"]] == ["clap"], ada, ben)


def test_messages_prove_their_topic_and_sender() -> None:
    """One that is sealed for another topic, or with another room's key, is refused."""
    mine, opener = Identity(), Identity()
    room = Invitation.new("mqtt://broker.example", opener.public)
    keys = Keys(room)
    message = keys.seal(mine, "a/state", 1, b"{}")
    assert keys.open("a/state", message) == (mine.public, 1, b"{}")
    assert Keys(room.to_watch).open("a/state", message)[2] == b"{}"
    for topic, which in (("a/log", keys), ("a/state", Keys(Invitation.new("mqtt://b", opener.public)))):
        with pytest.raises(Forged):
            which.open(topic, message)
    assert Invitation.parse(room.link) == room
    assert Invitation.parse(room.to_watch.link).secret is None
    assert not keys.is_invited(mine.public, Keys(room.to_watch).ticket(mine.public))
    assert keys.is_invited(mine.public, keys.ticket(mine.public))

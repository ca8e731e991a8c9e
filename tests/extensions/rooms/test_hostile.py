"""A broker, or somebody on the way, reads, repeats, reorders, delays, drops, forges: it learns and changes nothing.

The game has to go on to the same end at both tables once messages get through again, and the placements are nowhere in
what has passed before they were revealed.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from types import FunctionType, ModuleType

import pytest

from firmware_host.archive.records import export, show_text
from firmware_host.extensions.rooms.members import BYTES_A_ROUND
from firmware_host.games.capabilities import HasStack
from firmware_host.games.seals import lot_of
from firmware_host.link.broker import Packet
from firmware_host.link.common_log import RoomFile, SharedEntry
from firmware_host.link.trust import Forged, Identity, Invitation, Keys
from firmware_host.replay.scenes import film
from firmware_host.table.state import Table
from firmware_host.table.subjects.company import Greeted
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import GameStarted
from tests.extensions.rooms.rooms import Meddle, Place, play, settle, topics, until
from tests.extensions.rooms.test_room import (
    GAMES,
    are_over,
    assert_same,
    begin,
    guests,
    ledger_of,
    meet,
    play_turns,
    say,
)
from tests.sampling import cases, few
from tests.sentences import sentence

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


@pytest.mark.parametrize(
    ("boards", "attack"),
    few(
        cases(
            [
                (name, attack)
                for name in ("spokes", "coil", "octiles")
                for attack in (repeating, reordering, dropping, forging)
            ],
            ("coil", reordering),
            ("coil", forging),
        ),
        1,
    ),
)
def test_an_attack_changes_nothing(tmp_path: Path, boards: str, attack: Attack) -> None:
    """Both tables come to the same end."""
    bus, places = meet(tmp_path, {"spokes": GAMES[0], "coil": GAMES[2], "octiles": GAMES[3]}[boards])
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
    eve.room._send("log", {"entries": [lie.signed_by(eve.room.identity).to_dict()]})
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
        eve.room._send("log", {"entries": [lie.signed_by(eve.room.identity).to_dict()]})
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
    liar.room._send("log", {"entries": [bad.signed_by(liar.room.identity).to_dict()]})
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
    liar.room._send("log", {"entries": [lie.signed_by(liar.room.identity).to_dict()]})
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert not are_over([ada, ben])


def known_to(place: Place) -> str:
    """Return all texts in a table's files and memory: what its program could look at, however it is changed."""
    files = [path.read_bytes().decode("latin-1") for path in place.folder.rglob("*") if path.is_file()]
    room = {name: part for name, part in vars(place.room).items() if name != "_connection"}
    seen, left, texts = set[int](), [room, place.table.runtime.table(), place.room._kept.__dict__], list[str]()
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, ModuleType | type | FunctionType):
            continue
        seen.add(id(one))
        if isinstance(one, str):
            texts.append(one)
        left.extend(gc.get_referents(one))
    return "\n".join([*files, *texts])


def test_no_table_knows_a_tile_before_it_is_drawn(tmp_path: Path) -> None:
    """Neither files nor memory of a table, nor what has passed, have what the others draw with: any tile can come."""
    bus, (ada, ben) = meet(tmp_path, GAMES[3])
    begin(ada)
    play_turns([ada, ben], 2)
    settle(ada, ben)
    keys = Keys(ada.room.invitation)
    passed = "\n".join(keys.open(topic, payload)[2].decode() for topic, payload in bus.passed)
    ledger = ada.table.runtime.table().ledger
    now = ledger.now.position
    hidden = now.stack[1 : 1 + now.unseen]
    assert len(hidden) == 15
    assert list(hidden) == sorted(hidden)
    chains = {place.name: place.room._chain(place.table.runtime.table()) for place in (ada, ben)}
    for one, other in ((ada, ben), (ben, ada)):
        known = known_to(one) + passed
        assert chains[one.name][-1] in known  # The secret from which its own numbers follow.
        assert chains[other.name][ledger.drawn] in known  # The last one that is open.
        assert not any(number in known for number in chains[other.name][ledger.drawn + 1 :])
        assert "seed" not in [name for entry in one.room._log.entries for name in entry.data]
    number, own = ledger.drawn + 1, chains[ada.name][ledger.drawn + 1]
    assert isinstance(ledger.game, HasStack)
    lots = [lot_of(ledger.game_id, number, {1: own, 2: f"{guess:064x}"}) for guess in range(1000)]
    assert {ledger.game.with_lot(now, number, lot).stack[1] for lot in lots} == set(hidden)


def test_who_opens_another_lot_than_the_sealed_one_stops_the_game(tmp_path: Path) -> None:
    """A table that could still choose its number would choose the tile."""
    _, (ada, ben) = meet(tmp_path, GAMES[3])
    ben.room._chain = withheld(ben)  # type: ignore[method-assign]
    begin(ada)
    until(lambda: lot_due(ada) == lot_due(ben) == 2, ada, ben)
    log, text = ben.room._log, ledger_of(ben).game.text(ledger_of(ben).now.position)
    bad = SharedEntry(log.game_id, len(log), "lot", {"seat": 2, "number": "0" * 64, "position": text}, log.head)
    ben.room._send("log", {"entries": [bad.signed_by(ben.room.identity).to_dict()]})
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert ada.room._stopped == ben.room._stopped
    assert sentence("the lot that the table", name="Ben") in ada.room._stopped


def test_nothing_is_played_before_the_lot_is_drawn(tmp_path: Path) -> None:
    """The table whose lot is due writes that, and nothing else: so it can't choose after it has seen the others'."""
    _, (ada, ben) = meet(tmp_path, GAMES[3])
    ben.room._chain = withheld(ben)  # type: ignore[method-assign]
    begin(ada)
    until(lambda: lot_due(ada) == lot_due(ben) == 2, ada, ben)
    log, ledger = ben.room._log, ledger_of(ben)
    action = ledger.game.random_action(ledger.now.position, 1, Random(1))
    data = {"seat": 1, "action": action, "position": "x"}
    ben.room._send("log", {"entries": [
        SharedEntry(log.game_id, len(log), "action", data, log.head).signed_by(ben.room.identity).to_dict()
    ]})  # fmt: skip
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert sentence("the tables draw the next") in ada.room._stopped


def test_a_table_that_does_not_open_is_named(tmp_path: Path) -> None:
    """The game waits for it, at all tables, and by the log it is the one; what people want meanwhile counts later."""
    _, (ada, ben) = meet(tmp_path, GAMES[3])
    honest, ben.room._chain = ben.room._chain, withheld(ben)  # type: ignore[method-assign]
    begin(ada)
    until(lambda: lot_due(ada) == lot_due(ben) == 2, ada, ben)
    settle(ada, ben, rounds=200)
    assert lot_due(ada) == lot_due(ben) == 2
    for place in (ada, ben):
        assert "the table of Ben has not drawn yet" in place.view["message"]
        assert place.view["supply"] is None
        assert place.view["tasks"] == []
        assert place.view["phase"] == "setup"
    assert [entry.kind for entry in ada.room._log.entries] == ["start", "lot"]
    game = ada.view["game"]["id"]
    assert "the table of Ben has not drawn yet" in show_text(ada.table.journal, game)
    assert "the table of Ben has not drawn yet" in film(export(ada.table.journal, game)).scenes[-1].words
    say(ada, Resigned, seat=1)
    settle(ada, ben)
    assert not are_over([ada, ben])
    ben.room._chain = honest  # type: ignore[method-assign]
    until(lambda: are_over([ada, ben]), ada, ben)
    assert_same([ada, ben])


@pytest.mark.parametrize(
    "lots", [{1: "0" * 64}, {1: "0" * 64, 2: "1" * 64}, None], ids=["left out", "exchanged", "none"]
)
def test_no_table_is_left_out_of_the_lots(tmp_path: Path, lots: dict[int, str] | None) -> None:
    """The table that begins the game can neither deal alone nor seal for another one."""
    _, (ada, ben) = meet(tmp_path, GAMES[3])
    ada.room._begin = lambda _table, at: iter([GameStarted(at=at, lots=lots, together=True)])  # type: ignore[method-assign]
    begin(ada)
    until(lambda: ada.room._stopped and ben.room._stopped, ada, ben)
    assert ben.view["phase"] == "lobby"
    assert "lots that it has sealed" in ben.room._stopped


def lot_due(place: Place) -> int | None:
    return ledger_of(place).lot_due if place.view["phase"] != "lobby" else None


def withheld(place: Place) -> Callable[[Table], tuple[str, ...]]:
    """Return a table's commitment without its numbers."""
    commitment, *numbers = place.room._chain(place.table.runtime.table())
    return lambda _table: (commitment, *[""] * len(numbers))


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


@pytest.mark.parametrize(("size", "left"), [(BYTES_A_ROUND // 4, [6, 2, 0]), (BYTES_A_ROUND, [*range(9, -1, -1)])])
def test_large_messages_keep_no_table_from_its_board(tmp_path: Path, size: int, left: list[int]) -> None:
    """A member of the room may send entries whose signatures take long: the rest waits for later rounds."""
    _, places = meet(tmp_path, GAMES[2])
    room, come = places[0].room, places[0].line.come
    come.clear()
    come.extend(Packet("x", bytes(size)) for _ in range(10))
    assert [(room._take_messages(0.0), len(come)) for _ in left] == [(True, count) for count in left]
    assert not room._take_messages(0.0)


def test_who_asks_often_is_answered_seldom(tmp_path: Path) -> None:
    """A small message of a member, told again and again, calls for the same large ones once a second at most."""
    bus, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    play(guests([ada, ben]), lambda: len(ada.room._log) == len(ben.room._log) >= 6)
    log, said = ada.room._log, ben.room._last
    assert said is not None
    bus.passed.clear()
    for behind in [0, 1] * 50:
        head = log.entries[behind - 1].hash if behind else ""
        ben.room._send("state", replace(said, number=behind, head=head).to_dict(), kept=True)
        settle(ada, rounds=1)
    assert 2 <= len(topics(f"*/{ada.room._me[:16]}/log", bus)) <= 6  # In two seconds.
    play(guests([ada, ben]), lambda: len(ben.room._log) >= 8)


def test_signs_pass(tmp_path: Path) -> None:
    """Who waves here is seen waving there."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    begin(ada)
    settle(ada, ben)
    say(ada, Greeted, seat=1, sign="wave")
    settle(ada, ben)
    say(ada, Greeted, seat=1, sign="clap")
    until(lambda: [one["sign"] for one in ben.view["said"]] == ["clap"], ada, ben)


def test_no_counter_is_used_twice_after_a_copy_is_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A nonce that is used twice would let a broker read; a machine without a clock uses none, either."""
    monkeypatch.setattr("time.time_ns", lambda: 0)
    kept = RoomFile(tmp_path / "room.sqlite")
    kept.close()
    copy = (tmp_path / "room.sqlite").read_bytes()
    kept = RoomFile(tmp_path / "room.sqlite")
    used = {kept.next_counter() for _ in range(10)}
    kept.close()
    (tmp_path / "room.sqlite").write_bytes(copy)
    again = RoomFile(tmp_path / "room.sqlite")
    assert not used & {again.next_counter() for _ in range(10)}
    again.close()


def test_two_copies_that_hear_each_other_use_no_counter_twice(tmp_path: Path) -> None:
    """Each goes on past what the other has used, and the other does, too."""
    kept = RoomFile(tmp_path / "room.sqlite")
    copy = RoomFile(Path(shutil.copytree(tmp_path, tmp_path.with_name(f"{tmp_path.name}-copy"))) / "room.sqlite")
    used: list[int] = []
    for one, other in ((kept, copy), (copy, kept)) * 20:
        used += [one.next_counter() for _ in range(3)]
        other.skip_past(used[-1])
        used += [file.next_counter() for file in (kept, copy)]
    assert len(set(used)) == len(used)
    kept.close()
    copy.close()


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

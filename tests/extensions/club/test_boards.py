"""The boards that a club assigns to a table: told to it alone, by the club alone, as long as they are open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.club.assigned import Pairing
from firmware_host.extensions.club.club import Club
from firmware_host.extensions.club.messages import SCHEME, boards_message, read_boards, table_topic
from firmware_host.link.announcement import Unreadable
from firmware_host.link.broker import Broker
from firmware_host.link.trust import Identity, Invitation, Keys
from tests.extensions.club.clubs import HEAD, HallTable, hall, opened_club, undo, until
from tests.link.brokers import RealBroker


def paired(club: Club, *names: str) -> int:
    """Begin a tournament and pair its first round; return its number."""
    number = club.create(HEAD)
    club.enter(number, names)
    club.pair(number)
    return number


def boards(table: HallTable) -> Sequence[tuple[int, int, str, str]]:
    """Return what a table knows: round, board and names."""
    return [(one.round, one.board, one.first, one.second) for one in table.boards]


def test_a_table_knows_its_boards_as_long_as_they_are_open(club: Club, tmp_path: Path) -> None:
    """Assigned, moved, undone, played, struck: each is told to the tables that it concerns."""
    one, other = hall(club, tmp_path, "Table 1", "Table 2")
    number = paired(club, "Ann", "Ben", "Cid", "Dora")
    club.assign_free(number)
    until(lambda: boards(one) and boards(other))
    first, second = one.boards[0].first, one.boards[0].second
    assert boards(one) == [(1, 1, first, second)]
    assert (one.boards[0].name, one.boards[0].game, one.boards[0].mode) == ("May", "coil", "2")
    assert boards(other)[0][:2] == (1, 2)

    undo(club, number)
    until(lambda: not boards(other))
    key = other.club.identity.public
    club.act(number, "assign", {"round": 1, "board": 1, "table": key})
    until(lambda: boards(other) == [(1, 1, first, second)] and not boards(one))
    other.play(first, second, loser=2)
    until(lambda: not boards(other))
    club.strike(number, 1, 1)
    until(lambda: boards(other) == [(1, 1, first, second)])
    club.act(number, "result", {"round": 1, "board": 1, "points": [2, 0], "how": "forfeit", "record": ""})
    until(lambda: not boards(other))
    for table in (one, other):
        table.close()


def test_a_table_that_comes_later_gets_them(tmp_path: Path, broker: RealBroker) -> None:
    """From the broker, while the club is closed; from the club, when the broker has lost what it kept."""
    with opened_club(tmp_path / "club", broker.url) as club:
        (table,) = hall(club, tmp_path, "Table 1")
        number = paired(club, "Ann", "Ben")
        table.leave()
        club.act(number, "assign", {"round": 1, "board": 1, "table": table.club.identity.public})
    table.boards = ()
    table.join()
    until(lambda: len(boards(table)) == 1)
    broker.kill()
    table.boards = ()
    broker.start()
    with opened_club(tmp_path / "club", broker.url) as club:
        until(lambda: len(boards(table)) == 1)
        undo(club, number)
        until(lambda: not boards(table))
    table.close()


def test_only_the_club_tells_a_table_its_boards(club: Club, tmp_path: Path, broker: RealBroker) -> None:
    """Strangers, other tables of the club, boards of another table, and the broker with what was true once."""
    (table,) = hall(club, tmp_path, "Table 1")
    number = paired(club, "Ann", "Ben")
    kept: list[bytes] = []
    ours = table.club._topic("boards")
    spy = Broker(broker.url, ours, lambda: ("lodestone/1/nobody", b""))
    until(lambda: spy.is_up)
    club.assign_free(number)
    until(lambda: len(boards(table)) == 1)
    until(lambda: (packet := spy.wait(0.1)) is not None and packet.topic and kept.append(packet.payload) is None)
    undo(club, number)
    until(lambda: not boards(table))

    false = Pairing(9, "False", 1, 1, "coil", (), "2", "Eve", "Mallory")
    keys, member, stranger = Keys(club.invitation), Identity(), Identity()
    other_club = Keys(Invitation.new(broker.url, stranger.public, SCHEME))
    body = canonical(boards_message([false])).encode()
    elsewhere = table_topic(club.invitation, member.public, "boards")
    for message in (
        b"nonsense",
        keys.seal(member, ours, 1 << 40, body),  # Another invited table.
        other_club.seal(stranger, ours, 1 << 40, body),
        keys.seal(club._identity, elsewhere, 1 << 40, body),  # The club, but to another table.
        kept[0],  # The club once, and repeated by the broker.
    ):
        spy.send(ours, message, kept=True)
    # Last what the table has to believe: then it has seen all before.
    club.act(number, "assign", {"round": 1, "board": 1, "table": table.club.identity.public})
    until(lambda: table.history[-1] and table.history[-1][0].name == "May" and len(table.history) >= 3)
    assert {one.name for told in table.history for one in told} == {"May"}
    assert [len(told) for told in table.history] == [1, 0, 1]
    spy.close()
    table.close()


def test_boards_are_read_strictly() -> None:
    """Whatever is not of this form is refused as a whole."""
    true = Pairing(1, "May", 1, 2, "coil", ("pie",), "2", "Ann", "Bö")
    message = boards_message([true])
    message["boards"][0]["rules"] = ["pie"]  # As JSON has it.
    assert read_boards(message) == (true,)
    assert read_boards({"boards": []}) == ()
    for field, value in (
        ("name", ""),
        ("first", "a\u202eb"),
        ("round", -1),
        ("rules", "pie"),
        ("game", 3),
        ("more", 1),
    ):
        with pytest.raises(Unreadable):
            read_boards({"boards": [{**message["boards"][0], field: value}]})
    for whole in ({}, {"boards": {}}, {"boards": [1]}, {"boards": [message["boards"][0]] * 21}):
        with pytest.raises(Unreadable):
            read_boards(whole)

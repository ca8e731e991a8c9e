"""A copy of a club table's folder, opened beside the table: it stands back, says so, and the club never notices."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.club.club import Club, found_club
from firmware_host.extensions.club.membership import FILE
from firmware_host.extensions.club.messages import TableState, table_topic
from firmware_host.extensions.club.store import Archive
from firmware_host.link.broker import Packet
from firmware_host.link.common_log import RoomFile
from firmware_host.link.trust import Identity, Keys
from tests.extensions.club.clubs import HEAD, HallTable, hall, until
from tests.extensions.club.test_club import board, names
from tests.link.brokers import RealBroker


def copy_of(table: HallTable, folder: Path) -> HallTable:
    """Return a program with a copy of a running table's folder."""
    shutil.copytree(table.folder, folder)
    return HallTable(folder, table.link, table.name)


def test_a_copy_for_a_few_seconds_stands_back_and_shuts_nobody_out(
    club: Club, tmp_path: Path, broker: RealBroker
) -> None:
    """It tells the club nothing, takes no boards, and the table's next result counts, also once the copy has ended."""
    (table,) = hall(club, tmp_path, "Table 1")
    public = table.club.identity.public
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    club.pair(1)
    copy = copy_of(table, tmp_path / "copy")
    until(lambda: str(copy.folder / FILE) in copy.remark)
    copy.play("Eve", "Zoe", loser=1)  # A game of the copy's own.
    club.assign_free(1)
    until(lambda: table.boards)
    assert not copy.boards
    assert club.tables[public].is_here
    copy.close()
    until(lambda: table.club.identity.public in club.tables)
    table.play(*names(club), loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    assert club.tables[public].is_here
    assert [sorted(name for name, _ in one.seats.values()) for one in club.archive.records()] == [["Ann", "Ben"]]
    assert not table.remark
    table.close()
    until(lambda: not club.tables[public].is_here)


def test_a_copy_goes_on_once_the_table_has_ended(club: Club, tmp_path: Path) -> None:
    """A folder that was moved to another machine needs nobody's help."""
    (table,) = hall(club, tmp_path, "Table 1")
    public = table.club.identity.public
    copy = copy_of(table, tmp_path / "copy")
    until(lambda: copy.remark)
    table.close()
    until(lambda: not copy.remark)
    copy.play("Eve", "Zoe", loser=1)
    until(club.archive.records)
    assert club.tables[public].is_here
    copy.close()


class Silent:
    """A broker's connection on which nothing comes by itself."""

    is_up = True

    def __init__(self, *_: Any) -> None:
        """Be up at once."""

    def send(self, _topic: str, _payload: bytes, *, kept: bool) -> None:
        """Publish nothing."""

    def close(self) -> None:
        """End."""


def test_an_end_that_is_heard_before_its_table_counts(tmp_path: Path) -> None:
    """What a broker has kept comes in any order: a club that starts shows nobody as here who is away."""
    address = f"sqlite:///{tmp_path}/archive.sqlite"
    with closing(RoomFile(tmp_path / "club.sqlite")) as kept, closing(Archive(address)) as acts:
        found_club(kept, "Hall", "mqtt://broker.example")
        with closing(Club(kept, acts, connect=Silent)) as club:  # type: ignore[arg-type]
            identity, keys = Identity(), Keys(club.invitation)

            def tell(what: str, counter: int, fields: Mapping[str, Any]) -> None:
                topic = table_topic(club.invitation, identity.public, what)
                club.step(Packet(topic, keys.seal(identity, topic, counter, canonical(dict(fields)).encode())))

            club.step(Packet("", b"up"))
            tell("gone", 2, {"session": 7})
            ticket, nothing = keys.ticket(identity.public), ((), {}, ())
            state = TableState("Table 1", ticket, "test", 7, "coil", (), "2", "g", "lobby", 0, 0, *nothing)
            tell("state", 1, state.to_dict())
            assert not club.tables[identity.public].is_here
            tell("state", 3, replace(state, session=8).to_dict())
            assert club.tables[identity.public].is_here
            tell("gone", 4, {"session": 9})  # That of a copy of its folder.
            assert club.tables[identity.public].is_here
            tell("gone", 5, {"session": 8})
            assert not club.tables[identity.public].is_here

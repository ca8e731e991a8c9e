"""Records that tables hand over: whose they are, and how many the club holds at once. Without a broker."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.archive.format import RecordError
from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.club.club import Club
from firmware_host.extensions.club.judging import Verdict, judge
from firmware_host.extensions.club.messages import MAX_RECORD, Finished, RecordPart, TableState, parts_of, table_topic
from firmware_host.extensions.club.tournament import Board
from firmware_host.link.broker import Packet
from firmware_host.link.trust import Identity, Keys
from tests.archive.records.recorder import Events, forged
from tests.extensions.club.clubs import HEAD, resigned_record, silent_club


class SlowJudge:
    """Verifies a record when a test wants it."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], str], Verdict]] = []

    def submit(self, read: Callable[[], str], done: Verdict) -> None:
        self.waiting.append((read, done))

    def verify(self) -> None:
        read, done = self.waiting.pop(0)
        try:
            done(judge(read()))
        except RecordError as error:
            done(error)

    def close(self) -> None:
        pass


class Hall:
    """A club, and what its tables tell it."""

    def __init__(self, club: Club) -> None:
        self.club, self.judge, self._count = club, SlowJudge(), 0
        club._judge.close()
        club._judge = self.judge  # type: ignore[assignment]

    def tell(self, table: Identity, what: str, fields: dict[str, Any]) -> None:
        """Let a table tell the club something."""
        self._count += 1
        topic = table_topic(self.club.invitation, table.public, what)
        sealed = Keys(self.club.invitation).seal(table, topic, self._count, canonical(fields).encode())
        self.club.step(Packet(topic, sealed))

    def finish(self, table: Identity, *games: Finished) -> None:
        """Let a table name its finished games; the club asks for them."""
        ticket = Keys(self.club.invitation).ticket(table.public)
        state = TableState("Table", ticket, "1", 1, "coil", (), "2", "", "lobby", 0, 0, (), {}, games)
        self.tell(table, "state", state.to_dict())

    def send(self, table: Identity, game: Finished, text: str) -> None:
        """Let a table send all parts of a record."""
        for part in parts_of(game, text):
            self.tell(table, "record", part.to_dict())

    def hand_over(self, table: Identity, game: Finished, text: str) -> None:
        """Let a table hand over a record, up to the verdict."""
        self.finish(table, game)
        self.send(table, game, text)
        self.judge.verify()
        self.club.step(None)

    @property
    def board(self) -> Board:
        return self.club.tournaments[1].rounds[-1].boards[0]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with silent_club(tmp_path / "club") as club:
        yield Hall(club)


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of a game of Ann and Ben that Ann has won."""
    return resigned_record(tmp_path_factory.mktemp("table"), 2)


def changed(text: str, change: Callable[[dict[str, Any], Events], None]) -> str:
    """Return a record that is another one, and true."""
    return "".join(f"{line}\n" for line in forged(change, tuple(text.splitlines())))


def lost(text: str, board: str = "another") -> str:
    """Return a record of the same game, by its id, in which Ann has resigned."""

    def change(header: dict[str, Any], events: Events) -> None:
        header["board"] = board
        for event in events:
            if event["kind"] == "resign":
                event["data"]["seat"] = 1
            if event["kind"] == "result":
                event["data"]["winners"] = [2]

    return changed(text, change)


def renamed(text: str, **names: str) -> str:
    """Return a record of the same game, by its id, that others have played."""

    def change(header: dict[str, Any], _: Events) -> None:
        for sitting in header["seats"].values():
            sitting["name"] = names[sitting["name"]]

    return changed(text, change)


def points_of_ann(hall: Hall) -> int | None:
    """Return what Ann has got for the first board, None while it is open."""
    club, board = hall.club, hall.board
    ann = next(one.number for one in club.tournaments[1].players.values() if one.name == "Ann")
    return None if board.points is None else board.of(ann)


@pytest.mark.parametrize("assigned", [True, False])
def test_no_table_strikes_the_result_of_another(won: str, tmp_path: Path, *, assigned: bool) -> None:
    """Nor turns it: by the other's record, which all can download, handed over as its own, and then another end."""
    table, eve, game = Identity(), Identity(), judge(won).game_id
    with silent_club(tmp_path / "club") as club:
        hall = Hall(club)
        hall.club.create(HEAD)
        hall.club.enter(1, ["Ann", "Ben"])
        hall.club.pair(1)
        if assigned:
            hall.club.act(1, "assign", {"round": 1, "board": 1, "table": table.public})
        hall.hand_over(table, (game, 9), won)
        assert points_of_ann(hall) == 2
        hall.hand_over(eve, (game, 1), won)
        hall.hand_over(eve, (game, 2), lost(won))
        assert points_of_ann(hall) == 2
        kept = [(one.table, one.entries) for one in hall.club.archive.records()]
        assert kept == [(eve.public, 2), (table.public, 9)]
    with silent_club(tmp_path / "club") as club:  # What is known of a record after a restart is what the archive has.
        hall = Hall(club)
        hall.hand_over(eve, (game, 3), won)
        hall.hand_over(eve, (game, 4), lost(won, "a third one"))
        assert points_of_ann(hall) == 2
        hall.hand_over(table, (game, 12), lost(won, "a fourth one"))  # Its own table may take the end back.
        assert points_of_ann(hall) == 0


def test_a_record_that_counts_elsewhere_keeps_no_other_from_counting(hall: Hall, won: str) -> None:
    """A table makes a game of others under the id of the one that is being played next to it."""
    table, eve, game = Identity(), Identity(), judge(won).game_id
    hall.club.create(HEAD)
    hall.club.enter(1, ["Ann", "Cid", "Ben", "Dora"])
    hall.club.pair(1)
    boards = hall.club.tournaments[1].rounds[0].boards
    met = [{hall.club.tournaments[1].players[one].name for one in (board.first, board.second)} for board in boards]
    assert met == [{"Ann", "Ben"}, {"Cid", "Dora"}]
    hall.hand_over(eve, (game, 1), renamed(won, Ann="Cid", Ben="Dora"))
    hall.hand_over(table, (game, 9), won)
    assert points_of_ann(hall) == 2


def test_a_record_is_judged_once(hall: Hall, won: str) -> None:
    """However often its parts come while it waits for that."""
    table, game = Identity(), judge(won).game_id
    hall.finish(table, (game, 5), ("g2", 5))
    for _ in range(20):
        hall.send(table, (game, 5), won)
        hall.send(table, ("g2", 5), won)
    assert len(hall.judge.waiting) == 2
    for _ in range(2):
        hall.judge.verify()
        hall.club.step(None)
    assert [one.game_id for one in hall.club.archive.records()] == [game]
    assert set(hall.club._refused) == {(table.public, "g2", 5)}
    assert not hall.club._coming


def test_a_record_that_waits_is_as_short_as_it_came(hall: Hall) -> None:
    """Packed it may be a thousandth of what it is."""
    table, long = Identity(), "0" * (MAX_RECORD - 1)
    (part,) = parts_of(("g1", 5), long)
    hall.finish(table, ("g1", 5))
    tracemalloc.start()
    hall.tell(table, "record", part.to_dict())
    assert tracemalloc.get_traced_memory()[1] < MAX_RECORD / 4
    tracemalloc.stop()
    hall.judge.verify()
    hall.club.step(None)
    assert set(hall.club._refused) == {(table.public, "g1", 5)}


def test_a_record_that_can_not_be_unpacked_holds_up_no_other(hall: Hall, won: str) -> None:
    """It is refused, and the next one is judged."""
    table, game = Identity(), judge(won).game_id
    hall.finish(table, ("g2", 5), (game, 5))
    hall.tell(table, "record", RecordPart("g2", 5, 0, 1, b"no record").to_dict())
    hall.send(table, (game, 5), won)
    while hall.judge.waiting:
        hall.judge.verify()
    hall.club.step(None)
    assert set(hall.club._refused) == {(table.public, "g2", 5)}
    assert [one.game_id for one in hall.club.archive.records()] == [game]


def test_what_is_not_true_is_remembered_up_to_a_number(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that makes up games has each verified once, and fills no memory with them."""
    monkeypatch.setattr("firmware_host.extensions.club.club.MAX_REFUSED", 3)
    table = Identity()
    for number in range(5):
        hall.finish(table, (f"g{number}", 5))
        hall.tell(table, "record", RecordPart(f"g{number}", 5, 0, 1, b"no record").to_dict())
        hall.judge.verify()
        hall.club.step(None)
    assert list(hall.club._refused) == [(table.public, f"g{number}", 5) for number in (2, 3, 4)]
    figure = next(one for one in hall.club.figures() if one[0] == "lodestone_club_records_refused")
    assert figure[-1] == 5

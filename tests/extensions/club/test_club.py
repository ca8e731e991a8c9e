"""A club and its tables at a real broker: announced, followed, records asked for, verified, counted."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from firmware_host.archive.data_folder import read_journal
from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.club import club as running_club
from firmware_host.extensions.club.club import Club
from firmware_host.extensions.club.membership import JournalGames, become_member
from firmware_host.extensions.club.messages import SCHEME, RecordPart, TableState, parts_of, table_topic, unpack_record
from firmware_host.extensions.club.store import ArchiveError, Overtaken
from firmware_host.link.announcement import Unreadable
from firmware_host.link.broker import Broker
from firmware_host.link.common_log import RoomFile
from firmware_host.link.trust import Identity, Invitation, Keys
from firmware_host.table.subjects.proposals import Agreed, Proposed
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.text.words import Refused
from tests.archive.records.recorder import forged
from tests.extensions.club.clubs import HEAD, INITDB, hall, opened_club, postgres, until
from tests.link.brokers import MOSQUITTO, RealBroker
from tests.sentences import pattern


def board(club: Club, place: int = 1) -> Any:
    """Return a board of the last round as the page shows it."""
    return club.tournament_view(1)["rounds"][-1]["boards"][place - 1]


def names(club: Club, place: int = 1) -> tuple[str, str]:
    """Return who meets at a board."""
    known = {one["number"]: one["name"] for one in club.tournament_view(1)["players"]}
    return known[board(club, place)["first"]], known[board(club, place)["second"]]


def test_a_tournament_by_records(club: Club, tmp_path: Path) -> None:
    """Results come from the tables alone: at the assigned one, with either seat first, drawn games, too."""
    one, other = hall(club, tmp_path, "Table 1", "Table 2")
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben", "Cid", "Dora"])
    club.pair(1)
    club.assign_free(1)
    assert [board(club, place)["table"] for place in (1, 2)] == [t.club.identity.public[:16] for t in (one, other)]

    first, second = names(club)
    other.play(first, second, loser=2)  # Not their table: it is kept, and does not count.
    until(lambda: len(club.archive.records()) == 1)
    assert board(club)["points"] is None
    one.play(second.upper(), first, loser=1)  # The seats are exchanged, and the eye sees the same name.
    until(lambda: board(club)["points"] == [2, 0])
    other.play(*names(club, 2), loser=None)
    until(lambda: board(club, 2)["points"] == [1, 1])

    view = club.tournament_view(1)
    assert [line["points"] for line in view["standings"]] == [1, 0.5, 0.5, 0]
    assert view["standings"][0]["rating"] > 1500 > view["standings"][-1]["rating"]
    text = club.archive.record_text(board(club)["record"])
    assert text is not None
    assert text.count("\n") > 3
    club.strike(1, 1, 1)
    assert board(club)["points"] is None
    with pytest.raises(Refused, match=pattern("no result that could be")):
        club.strike(1, 1, 1)
    for table in (one, other):
        table.close()


def test_no_clock_decides_what_counts(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The club's clock and the table's are set back an hour after the pairing; what was played before counts never."""
    (table,) = hall(club, tmp_path, "Table 1")
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    table.play("Ann", "Ben", loser=1)
    until(lambda: len(club.archive.records()) == 1)
    club.pair(1)
    early = "2020-01-01T00:00:00.000000Z"
    monkeypatch.setattr("firmware_host.extensions.club.club.now_utc", lambda: early)
    monkeypatch.setattr("firmware_host.session.runtime.utc_now", lambda: early)
    assert board(club)["points"] is None
    first, second = names(club)
    table.play(first, second, loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    assert [one.number for one in club.archive.records()] == [2, 1]
    table.close()


def test_an_arbiter_names_the_record_of_a_board(club: Club, tmp_path: Path) -> None:
    """Somebody has typed another name at the table, or played before the pairing: it counts as any record, once."""
    (table,) = hall(club, tmp_path, "Table 1")
    club.create({**HEAD, "rounds": 2})
    club.enter(1, ["Ann", "Ben"])
    table.play("Anne", "Ben", loser=2)
    (record,) = until(club.archive.records)
    club.pair(1)
    with pytest.raises(Refused, match="no such record"):
        club.assign_record(1, 1, 1, "00" * 32, 1)
    until(lambda: record.digest in club._records)
    with pytest.raises(Refused, match="nobody sat there"):
        club.assign_record(1, 1, 1, record.digest, 3)
    first_seat = 1 if names(club)[0] == "Ann" else 2
    club.assign_record(1, 1, 1, record.digest, first_seat)
    assert board(club)["points"] == ([2, 0] if first_seat == 1 else [0, 2])
    assert [one["used"] for one in club.record_views(5)] == [True]
    club.strike(1, 1, 1)
    with pytest.raises(Refused, match="this record has counted already"):
        club.assign_record(1, 1, 1, record.digest, first_seat)
    club.create({**HEAD, "game": "phalanx"})
    club.enter(2, ["Ann", "Ben"])
    club.pair(2)
    with pytest.raises(Refused, match="another game was played"):
        club.assign_record(2, 1, 1, record.digest, 1)
    table.close()


def test_what_was_missed_is_asked_for(tmp_path: Path, broker: RealBroker) -> None:
    """A game that ends while the club is closed, or its table is cut off, counts later; all survives a restart."""
    with opened_club(tmp_path / "club", broker.url) as club:
        (table,) = hall(club, tmp_path, "Table 1")
        club.create(HEAD)
        club.enter(1, ["Ann", "Ben"])
        club.pair(1)
        pair = names(club)
    table.play(*pair, loser=2)
    with opened_club(tmp_path / "club", broker.url) as club:
        until(lambda: board(club)["points"] == [2, 0])
        public = table.club.identity.public
        table.leave()
        until(lambda: not club.tables[public].is_here)
        club.act(1, "undo", {"act": club.tournaments[1].rounds[0].boards[0].act})
        table.join()
        until(lambda: club.tables[public].is_here)
        table.play(*pair, loser=1)
        until(lambda: board(club)["points"] == [0, 2])
        assert table.club.identity.public == public, "the same table after it comes back"
    table.close()


@pytest.mark.thorough
def test_an_end_that_is_taken_back_counts_anew(club: Club, tmp_path: Path) -> None:
    """The record of the game as it was played on replaces the first one."""
    (table,) = hall(club, tmp_path, "Table 1")
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    club.pair(1)
    table.play(*names(club), loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    runtime = table.table.runtime
    runtime.submit(Proposed(at=runtime.now(), seat=1, what="take-back"))
    runtime.submit(Agreed(at=runtime.now(), seat=2, what="take-back"))
    table.table.wait(1)
    runtime.submit(Resigned(at=runtime.now(), seat=1))
    table.table.wait(1)
    until(lambda: board(club)["points"] == [0, 2])
    assert len(club.archive.records()) == 2
    table.close()


class TheSame:
    """The games of another table that has played along, as its own journal has them.

    See firmware_host/extensions/rooms/far-tables.md.
    """

    def __init__(self, games: JournalGames) -> None:
        self._games, self.finished_games = games, games.finished_games

    def record(self, game: str) -> str:
        lines = forged(lambda header, _: header.update(board="another"), tuple(self._games.record(game).splitlines()))
        return "".join(f"{line}\n" for line in lines)


def test_a_game_of_two_tables_counts_once(club: Club, tmp_path: Path) -> None:
    """Each hands over a record of its own, maybe much later: not for the next meeting, nor for a struck result."""
    one, other = hall(club, tmp_path, "Table 1", "Table 2")
    club.create({**HEAD, "system": "round-robin", "rounds": 2})
    club.enter(1, ["Ann", "Ben"])
    club.pair(1)
    one.play(*names(club), loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    club.pair(1)
    other.club._games = TheSame(one.club._games)  # type: ignore[arg-type]
    other.club._ended = True
    until(lambda: len(club.archive.records()) == 2)
    assert board(club)["points"] is None
    one.play(*names(club), loser=1)
    until(lambda: board(club)["points"] == [0, 2])
    other.club._ended = True
    until(lambda: len(club.archive.records()) == 4)
    club.strike(1, 2, 1)
    club.act(1, "assign", {"round": 2, "board": 1, "table": ""})
    assert board(club)["points"] is None
    for table in (one, other):
        table.close()


def test_only_invited_tables_are_seen_and_false_records_do_not_count(
    club: Club, tmp_path: Path, broker: RealBroker
) -> None:
    """Strangers, replayed messages, tables that speak for another one, and records that are not true."""
    (table,) = hall(club, tmp_path, "Table 1")
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    club.pair(1)
    state = table.club._last  # What a table says, to be forged.
    assert state is not None
    invitation = club.invitation
    stranger, cheat = Identity(), Identity()
    wire = Broker(broker.url, "nothing", lambda: ("lodestone/1/nobody", b""))
    until(lambda: wire.is_up)

    def send(identity: Identity, keys: Keys, counter: int, what: str, fields: Any, place: str = "") -> None:
        topic = table_topic(invitation, place or identity.public, what)
        wire.send(topic, keys.seal(identity, topic, counter, canonical(fields).encode()), kept=False)

    other_club = Keys(Invitation.new(broker.url, stranger.public, SCHEME))
    send(stranger, other_club, 1, "state", state.to_dict())
    send(stranger, Keys(invitation.to_watch), 1, "state", {**state.to_dict(), "ticket": ""})
    keys = Keys(invitation)
    send(cheat, keys, 1, "state", {**state.to_dict(), "name": "Other"}, place=table.club.identity.public)
    forged = "\n".join(['{"record": "lodestone-record-2"}', "{}", ""])
    ticket = keys.ticket(cheat.public)
    told = {**state.to_dict(), "name": "Cheat", "ticket": ticket, "finished": [["g1", 5]]}
    send(cheat, keys, 2, "state", {**told, "board": {"a1": "w"}})  # Not a list of pieces.
    send(cheat, keys, 3, "state", told)
    until(lambda: cheat.public in club.tables)
    assert set(club.tables) == {table.club.identity.public, cheat.public}
    assert club.tables[table.club.identity.public].state.name == "Table 1"
    until(lambda: club._coming)  # It has been asked for.
    for part in parts_of(("g1", 5), forged):
        send(cheat, keys, 4, "record", part.to_dict())
    until(lambda: (cheat.public, "g1", 5) in club._refused)

    table.play(*names(club), loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    text = club.archive.record_text(board(club)["record"]) or ""
    old = club._records[board(club)["record"]]
    club.act(1, "undo", {"act": club.tournaments[1].rounds[0].boards[0].act})
    # A true record whose result is turned round, and the true one once more from another table.
    turned = text.replace('"winners":[1]', '"winners":[2]')
    assert turned != text
    for entries, content in ((6, turned), (7, text)):
        send(cheat, keys, 10 + entries, "state", {**told, "finished": [[old.game_id, entries]]})
        until(lambda n=entries: (cheat.public, old.game_id, n) in club._coming)
        for part in parts_of((old.game_id, entries), content):
            send(cheat, keys, 20 + entries, "record", part.to_dict())
        until(lambda n=entries: (cheat.public, old.game_id, n) not in club._coming)
    assert (cheat.public, old.game_id, 6) in club._refused
    assert board(club)["points"] is None
    wire.close()
    table.close()


def test_a_table_that_never_answers_holds_up_no_other(
    club: Club, tmp_path: Path, broker: RealBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names other finished games again and again, and hands over none of them."""
    monkeypatch.setattr(running_club, "PATIENCE_S", float("inf"))  # What it is asked for is never given up.
    (table,) = hall(club, tmp_path, "Table 1")
    state, eve, keys = table.club._last, Identity(), Keys(club.invitation)
    assert state is not None
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    club.pair(1)
    wire = Broker(broker.url, "nothing", lambda: ("lodestone/1/nobody", b""))
    until(lambda: wire.is_up)
    topic = table_topic(club.invitation, eve.public, "state")
    for number in range(1, 101):
        named = [[f"g{number}-{more}", 5] for more in range(20)]
        fields = {**state.to_dict(), "name": "Eve", "ticket": keys.ticket(eve.public), "finished": named}
        wire.send(topic, keys.seal(eve, topic, number, canonical(fields).encode()), kept=False)
    until(lambda: eve.public in club.tables and club.tables[eve.public].counter == 100)
    table.play(*names(club), loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    assert len(club._wanted) <= 20
    wire.close()
    table.close()


def test_messages_are_read_strictly() -> None:
    """Parts come together again; what is cut off, too long or of another form is refused."""
    text = "".join(f"{number * 7919 % 10007:x}\n" for number in range(60000))
    parts = [RecordPart.from_dict(one.to_dict()) for one in parts_of(("g", 1), text)]
    assert len(parts) > 1
    packed = b"".join(part.data for part in parts)
    assert unpack_record(packed) == text
    for bad in (packed[:-9], packed[1:], b""):
        with pytest.raises(Unreadable):
            unpack_record(bad)
    with pytest.raises(Unreadable):
        TableState.from_dict({"name": "x"})


def test_a_table_keeps_its_name_in_the_club(tmp_path: Path, broker: RealBroker, club: Club) -> None:
    """Another invitation makes another table of it; an unusable one is refused."""
    kept = RoomFile(tmp_path / "table.sqlite")
    become_member(kept, club.invitation.link, "One")
    private = kept.setting("private")
    kept.keep("since", "7")
    become_member(kept, club.invitation.link, "Two")
    assert kept.setting("since") == "7"
    assert (kept.setting("private"), kept.setting("name")) == (private, "Two")
    become_member(kept, Invitation.new(broker.url, "ab" * 32, SCHEME).link, "Two")
    assert kept.setting("private") != private
    assert not kept.setting("since")
    for link, why in (
        (club.invitation.to_watch.link, "not whole"),
        (club.invitation.link.replace("club:", "room:"), "begins with lodestone-club"),
        ("", "begins with"),
    ):
        with pytest.raises(Refused, match=why):
            become_member(kept, link, "Two")
    with pytest.raises(Refused, match="name"):
        become_member(kept, club.invitation.link, " ")
    kept.close()


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(INITDB is None, reason="PostgreSQL (initdb) is not installed")
def test_a_tournament_in_postgresql(tmp_path: Path) -> None:
    """The whole way with PostgreSQL, also when the server goes away in between: nothing is half done."""
    with (
        closing(RealBroker("mosquitto" if MOSQUITTO else "own", tmp_path)) as broker,
        postgres() as url,
        opened_club(tmp_path / "club", broker.url, url) as club,
    ):
        (table,) = hall(club, tmp_path, "Table 1")
        club.create(HEAD)
        club.enter(1, ["Ann", "Ben"])
        with opened_club(tmp_path / "other", broker.url, url) as other:
            other.pair(1)
        with pytest.raises(Overtaken):
            club.enter(1, ["Cid"])
        assert len(club.tournaments[1].rounds) == 1, "what the other has done is read"
        table.play(*names(club), loser=2)
        until(lambda: board(club)["points"] == [2, 0])
        club.archive._engine.dispose()
        before = club.tournament_view(1)
        engine = club.archive._engine
        club.archive._engine = sql.create_engine(engine.url.set(port=1), connect_args={"connect_timeout": 2})
        with pytest.raises(ArchiveError):
            club.enter(1, ["Dora"])
        club.archive._engine = engine
        assert club.tournament_view(1) == before
        table.close()


@pytest.mark.thorough
def test_what_was_finished_before_stays_at_home(tmp_path: Path, club: Club) -> None:
    """Whatever the clock says meanwhile, also for a table that has joined with an earlier version."""
    (table,) = hall(club, tmp_path, "Table 1")
    table.play("Ann", "Ben", loser=1)
    table.play("Ann", "Ben", loser=2)
    journal = tmp_path / "Table 1" / "journal.sqlite"
    with read_journal(journal) as reader:
        first, second = (one for one in reader.games() if one.state == "finished")
        length = reader.length
    with closing(RoomFile(tmp_path / "other.sqlite")) as kept:
        assert JournalGames(journal, kept).finished_games() == []
        assert kept.setting("since") == str(length)
        for since, told in (
            (second.ended, [second]),
            ("2100-01-01T00:00:00", []),
            ("2020-01-01T00:00:00", [first, second]),
            (str(first.end), [second]),
            (str(length + 100), []),  # Another journal: what it has yet to finish counts.
        ):
            assert since is not None
            kept.keep("since", since)
            assert JournalGames(journal, kept).finished_games() == [(one.id, one.events) for one in told]
            assert int(kept.setting("since") or -1) <= length
    table.close()


def test_a_broker_that_is_killed(club: Club, tmp_path: Path, broker: RealBroker) -> None:
    """Afterwards the tables are there again by themselves; one that has left meanwhile is away."""
    one, other = hall(club, tmp_path, "Table 1", "Table 2")
    broker.kill()
    until(lambda: not club.is_connected)
    other.leave()
    broker.start()
    until(lambda: club.is_connected)
    keys = [table.club.identity.public for table in (one, other)]
    until(lambda: [club.tables[public].is_here for public in keys] == [True, False])
    club.create(HEAD)
    club.enter(1, ["Ann", "Ben"])
    club.pair(1)
    one.play(*names(club), loser=2)
    until(lambda: board(club)["points"] == [2, 0])
    other.join()
    until(lambda: club.tables[keys[1]].is_here)
    for table in (one, other):
        table.close()

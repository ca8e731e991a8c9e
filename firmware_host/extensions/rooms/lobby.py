"""The lobby of a room: who sits where, at which table, under which name; and how a game of several tables begins.

The table that has opened the room leads: its mode is everybody's, and so are its seats. It takes up who sits down at
the others, as each of them says for itself; where two people have one name it numbers the second, and that one's own
table takes the number over. The others sit as the lobby that leads says.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Iterator, Mapping

from firmware_host.archive.journal_events import canonical
from firmware_host.archive.summary import full_title
from firmware_host.extensions.rooms.entries import EntryReceived
from firmware_host.extensions.rooms.shared_game import SharedGame, read_seats
from firmware_host.games.capabilities import capabilities_of, rules_of
from firmware_host.games.levels import NO_LEVEL
from firmware_host.games.positions import is_dealt
from firmware_host.games.seals import chain_of
from firmware_host.link.common_log import SharedEntry
from firmware_host.table import events as ev
from firmware_host.table.ledger import Sitting
from firmware_host.table.state import FarTables, Table
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.table.subjects.seats import (
    GameStarted,
    ModeChosen,
    SeatLeft,
    SeatNamed,
    SeatTaken,
    free_name,
    name_beside,
    name_key,
)
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import join_sentences, say

LOBBY = "lobby"
"""The setting of a room: the game whose lobby is open, and the tables of its seats, as JSON."""


def read_lobby(text: str) -> tuple[str, dict[int, str]]:
    """Return the game of a lobby, and the tables of its seats. Raise ValueError or LookupError for anything else."""
    found = read_object(text)
    return str(found["game"]), read_seats(canonical(found["tables"]))


Events = Iterator[ev.Event]
Sitter = tuple[str, str]
"""The table of a seat, and the name of its player."""


class Lobby(SharedGame):
    """The members of a room, the log of their game, and its lobby."""

    _no_start: tuple[int, str] | None = None
    """How often something had changed when the table refused to begin, as somebody at another one wants, and why."""

    @abstractmethod
    def _far(self, table: Table) -> FarTables | None:
        """Return what is known of the other tables now, for the table."""

    @abstractmethod
    def _others(self) -> list[str]:
        """Return the other tables that play in this game."""

    @staticmethod
    def _game(table: Table) -> str:
        return " ".join([table.game.name, *sorted(rules_of(table.game))])

    def _mine(self, table: Table) -> list[int]:
        return [seat for seat in sorted(table.ledger.sittings) if self._tables.get(seat, self._me) == self._me]

    def _lobby_seats(self, table: Table) -> dict[int, tuple[str, str]]:
        sittings = table.ledger.sittings
        return {seat: (self._tables.get(seat, self._me), one.name) for seat, one in sittings.items()}

    def _lobby(self, table: Table, at: float) -> Iterator[ev.Event]:
        if self.is_opener:
            yield from self._lead_lobby(table, at)
        else:
            yield from self._follow_lobby(table, at)

    def _differences(self, table: Table) -> str | None:
        """Return which tables have another version or another game, in words: rules have to be the same at all."""
        here = [peer.said for peer in self._peers.values() if peer.plays and peer.is_there]
        versions = [*self._strangers.values(), *((said.name, said.version) for said in here)]
        words: list[str] = [
            say("The table {name} runs Lodestone {theirs}, this one {mine}: update one of them.",
                name=name, theirs=version, mine=self._version)
            for name, version in sorted(set(versions)) if version != self._version
        ]  # fmt: skip
        for said in here:
            if said.game != self._game(table) and (self.is_opener or said.lobby is not None):
                game, *options = said.game.split(" ")
                title = full_title(game, dict.fromkeys(options, True))
                words.append(
                    say("The table {name} has chosen another game: {game}.", name=said.name, game=title)
                    if self.is_opener
                    else say("The table {name} plays {game}: choose that here, too.", name=said.name, game=title)
                )
        if self._no_start is not None and self._no_start[0] == self._changes:
            words.append(say("The game can't begin yet: {why}.", why=self._no_start[1]))
        return join_sentences(words, " ") if words else None

    def _lead_lobby(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Seat the people of the other tables, and begin when somebody wants to."""
        ledger = table.ledger
        for seat, public in list(self._tables.items()):
            peer = self._peers.get(public)
            renewed = peer is not None and self._is_renewed(peer)
            gone = seat not in ledger.sittings or peer is None or seat not in peer.said.seats or renewed
            if public != self._me and gone:
                knows = peer is not None and (peer.is_there or renewed) and peer.said.game_id == ledger.game_id
                if knows and seat in ledger.sittings:
                    yield SeatLeft(at=at, seat=seat)
                if seat not in ledger.sittings:
                    del self._tables[seat]
        for peer in self._peers.values():
            same = peer.plays and peer.said.game_id == ledger.game_id and peer.said.game == self._game(table)
            for seat, wish in sorted(peer.said.seats.items()) if same and peer.is_there else ():
                sitting, name = ledger.sittings.get(seat), free_name(ledger, seat, wish)
                if sitting is None and seat in ledger.all_seats:
                    yield from self._take_far_seat(table, seat, peer.public, name, at)
                elif sitting is not None and self._tables.get(seat) == peer.public and sitting.name != name:
                    yield SeatNamed(at=at, seat=seat, name=name)
        begins = table.far is not None and (table.far.begins or any(
            self._peers[public].said.begins for public in self._others() if public in self._peers
        ))  # fmt: skip
        if begins and set(ledger.sittings) == set(ledger.all_seats):
            yield from self._begin(table, at)

    def _take_far_seat(self, table: Table, seat: int, public: str, name: str, at: float) -> Iterator[ev.Event]:
        """Let somebody at another table sit down; the seat is theirs once it is taken."""
        yield SeatTaken(at=at, seat=seat, name=name, claim="")
        if seat in table.ledger.sittings:
            self._tables[seat] = public
            yield FarTablesChanged(at=at, far=self._far(table))

    def _begin(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Begin; where a stack is to be drawn by lots, once it is known what each table has sealed for them."""
        lots: dict[int, str] | None = None
        if is_dealt(table.game):
            lots = {}
            for public, seat in _first_seats(self._tables | dict.fromkeys(self._mine(table), self._me)).items():
                said = self._peers[public].said if public in self._peers else None
                theirs = said.lots if said is not None and said.game_id == table.ledger.game_id else ""
                lots[seat] = self._chain(table)[0] if public == self._me else theirs
            if not all(lots.values()):
                return
            if len(set(lots.values())) < len(lots):
                self.stop(say("two tables have sealed the same lots"))
                return
        self._keep_lobby(table.ledger.game_id)
        yield GameStarted(at=at, lots=lots, together=True)

    def _keep_lobby(self, game_id: str) -> None:
        """Keep who plays which seat before the game begins in the journal: a kill in between must not lose it."""
        tables = {str(seat): public for seat, public in self._tables.items()}
        text = canonical({"game": game_id, "tables": tables})
        if self._kept.setting(LOBBY) != text:
            self._kept.keep(LOBBY, text)

    def _chain(self, table: Table) -> tuple[str, ...]:
        """Return this table's commitment to its lots and the numbers that it opens, the same after a restart."""
        stack = capabilities_of(table.game).stack
        if stack is None:
            return ("",)
        name = f"lots {table.ledger.game_id}"
        if self._kept.setting(name) is None:
            self._kept.keep(name, secrets.token_hex(32))
        return chain_of(table.ledger.game_id, self._kept.setting(name) or "", stack.lots)

    def _follow_lobby(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Be in the lobby of the table that has opened the room, with its seats; begin when it does."""
        leader = self._leader
        if leader is not None and leader.said.game != self._game(table):
            return
        if leader is not None and leader.said.game_id != table.ledger.game_id:
            return
        if leader is not None and leader.said.mode != table.ledger.mode:
            yield ModeChosen(at=at, mode=leader.said.mode)
        if leader is not None and leader.said.lobby is not None:
            lobby = {seat: one for seat, one in leader.said.lobby.items() if seat in table.ledger.all_seats}
            yield from self._take_seats(table, lobby, at)
        first = next((one for one in self._entries.get(0, []) if one.game == table.ledger.game_id), None)
        if first is not None:
            yield from self._weigh(self._start(table, first, at))

    def _take_seats(self, table: Table, lobby: Mapping[int, Sitter], at: float, *, final: bool = False) -> Events:
        """Sit as the others do; somebody from here who has another seat there moves to it.

        Who sits here is called as they say here, with a number if the table that leads has added one. ``final``: the
        game begins with these players, whatever was said here meanwhile.
        """
        ledger, moved = table.ledger, dict[str, Sitting]()
        for seat, sitting in sorted(ledger.sittings.items()):
            public, name = lobby.get(seat, ("", ""))
            mine = self._tables.get(seat, self._me) == self._me
            stays = public == self._tables.get(seat, self._me) or (mine and not public)
            if stays and (mine or name_key(name) not in self._names_beside(table, seat)):
                continue
            if mine:
                moved[sitting.name] = sitting
            yield SeatLeft(at=at, seat=seat)
            self._tables.pop(seat, None)
        for seat, (public, name) in sorted(lobby.items()):
            known, others = ledger.sittings.get(seat), [one for other, (_, one) in lobby.items() if other != seat]
            if known is None or public != self._me or known.name == name:
                continue
            if final or name == name_beside(known.name, others):
                yield SeatNamed(at=at, seat=seat, name=name)
        for seat, (public, name) in sorted(lobby.items()):
            known = ledger.sittings.get(seat)
            if known is None and public != self._me:
                yield from self._take_far_seat(table, seat, public, name, at)
            elif known is None and name in moved:
                one = moved[name]
                level = None if one.level == NO_LEVEL else one.level
                yield SeatTaken(at=at, seat=seat, name=name, claim=one.claim, computer=one.computer, level=level)
            elif known is None and final:  # Who has left meanwhile gets the seat from the host.
                yield SeatTaken(at=at, seat=seat, name=name, claim="")
            elif known is not None and public != self._me and known.name != name:
                yield SeatNamed(at=at, seat=seat, name=name)

    @staticmethod
    def _names_beside(table: Table, seat: int) -> set[str]:
        """Return the names of the other seats, as the eye compares them."""
        return {name_key(one.name) for other, one in table.ledger.sittings.items() if other != seat}

    def _start(self, table: Table, entry: SharedEntry, at: float) -> Iterator[ev.Event]:
        """Begin the game as the table that has opened the room has begun it; what can't be stops it with a word."""
        seats, mode = entry.data.get("seats", {}), entry.data.get("mode", table.ledger.mode)
        genuine = self._heir(entry.table) == self._opener and entry.is_genuine
        if not genuine or entry.prev != self._log.head:
            self._entries.pop(0, None)
            return
        if mode != table.ledger.mode:
            yield ModeChosen(at=at, mode=mode)
        begun = {int(seat): (str(one[0]), str(one[1])) for seat, one in seats.items()}
        lobby = {seat: (self._heir(public), name) for seat, (public, name) in begun.items()}
        if mode != table.ledger.mode or set(begun) != set(table.ledger.all_seats):
            self.stop(say("it begins with other seats than the game has by the rules of {name}", name=self.name))
            return
        yield from self._take_seats(table, lobby, at, final=True)
        names = {seat: name for seat, (_, name) in lobby.items()}
        if {seat: one.name for seat, one in table.ledger.sittings.items()} != names:
            self.stop(say("the players with whom it begins can't sit down at the table {name}", name=self.name))
            return
        plays = self._me in {public for public, _ in lobby.values()}
        if plays and "given" in entry.data:
            self.stop(say("a game of several tables begins as its rules say"))
            return
        if plays and is_dealt(table.game) and not self._is_sealed(table, entry.data.get("lots"), lobby):
            self.stop(say("not every table draws the stack with the lots that it has sealed"))
            return
        self._keep_lobby(table.ledger.game_id)
        self._log.seats = begun
        yield EntryReceived(at=at, kind="start", data=entry.data)

    def _is_sealed(self, table: Table, lots: object, lobby: Mapping[int, tuple[str, str]]) -> bool:
        """Return whether each table that plays draws the stack, and this one, which plays, with its own commitment."""
        seats = _first_seats({seat: public for seat, (public, _) in lobby.items()})
        if not isinstance(lots, dict) or set(lots) != {str(seat) for seat in seats.values()}:
            return False
        return bool(lots[str(seats[self._me])] == self._chain(table)[0])


def _first_seats(tables: Mapping[int, str]) -> dict[str, int]:
    """Return the first seat of each table, by which the log names the table where lots are drawn."""
    return {tables[seat]: seat for seat in sorted(tables, reverse=True)}

"""A table in place of another one that is lost for good: its card is broken, say, and nobody has its keys any more.

The new table joins with the invitation, which the host of every table that plays can show. Then the host of each other
table says that it plays on for the lost one. Nobody is believed in that: a table that has a seat of its own, or leads,
goes by what its own host has said; any other (the new one, or one that watches) goes by what all who play say alike of
a table that is away and needed. So no table can give the seats of another one away as long as a third one plays along,
not in a lobby either, and the lost table, should it come back, stands back.

What the lost table has written stays in the log, under its name. Its seats are the new table's from then on.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.rooms.members import Members, Peer
from firmware_host.games.positions import is_dealt
from firmware_host.link.announcement import MAX_HEIRS, Announcement, is_key
from firmware_host.link.common_log import RoomFile
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.state import Table
from firmware_host.table.subjects.seats import ComputerSeated
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import say

AGAIN_S = 1.0
"""How often everything is compared anew even if nothing seems to have changed, seconds."""
IN_VAIN_S = 10.0
"""After which time this table tries again to come along to a game that it could not take up, seconds."""
HEIRS = "heirs"
"""The setting of a room: which table plays on for which, as JSON."""
REPLACED = say(
    "Another table plays on in this one's place, as the others have said. This one stands back: leave the room here,"
    " host's page, Far tables."
)
"""What people are told at a table that has come back too late."""


def read_texts(text: str) -> dict[str, str]:
    """Return a JSON object of texts. Raise ValueError for anything else."""
    found = read_object(text)
    if not all(isinstance(value, str) for value in found.values()):
        raise InvalidJson("expected texts")
    return found


@dataclass(frozen=True)
class Here:
    """Where this table is, as far as others matter that play on for lost ones."""

    game: str
    """Its game, with the options of its rules."""
    game_id: str
    number: int
    """How many entries of the log it has."""
    plays: bool
    """Whether it has a seat of its own, or leads: then its own host alone says who plays on for whom."""
    is_free: bool
    """Whether nothing keeps it at the game that it has."""


class Succession(Members):
    """The members of a room, and which of them play on for others."""

    def __init__(self, kept: RoomFile, version: str) -> None:
        """Know what was said before."""
        super().__init__(kept, version)
        self._tables: dict[int, str] = {}
        """Seat → public key of the table that plays it now."""
        self._heirs: dict[str, str] = kept.value(HEIRS, read_texts) or {}
        """Table → the table that plays on for it (public keys)."""
        self._is_alone = False
        """Whether the game at this table is none of the room's, as far as it knows."""
        self._came_along = ("", -IN_VAIN_S)
        """The last game to which this table has come along, and when."""
        self.wanted_lobby: tuple[str, str] | None = None
        """The game and the mode whose lobby this table has to open to be where the others are."""

    @property
    def is_opener(self) -> bool:
        """Whether this table leads the room's lobby: it has opened the room, or plays on for the one that has."""
        return self._me == self._opener

    @property
    def _opener(self) -> str:
        return self._heir(self.invitation.opener)

    @property
    def _leader(self) -> Peer | None:
        return self._peers.get(self._opener)

    def _heir(self, public: str) -> str:
        """Return the table that plays now for one: mostly itself.

        Where a file names tables as each other's heirs, the first that comes again plays for itself.
        """
        passed = set()
        while public in self._heirs and public not in passed:
            passed.add(public)
            public = self._heirs[public]
        return public

    def _said_heirs(self) -> dict[str, str]:
        """Return which table plays on for which, as far as others can read it: releases before kept anything."""
        known = [(lost, heir) for lost, heir in self._heirs.items() if is_key(lost) and is_key(heir)]
        return dict(known[:MAX_HEIRS])

    def _is_away(self, public: str) -> bool:
        peer = self._peers.get(public)
        return public != self._me and (peer is None or not peer.is_there)

    def _needed_tables(self) -> set[str]:
        """Return the tables without which nothing goes on."""
        return {*self._tables.values(), self._opener}

    def _others_than(self, public: str) -> list[Peer | None]:
        """Return the tables that have a say in who plays on for one: those that play, else all that are here."""
        playing = set(self._tables.values()) - {public, self._me}
        here = (one.public for one in self._peers.values() if one.plays and one.is_there and one.public != public)
        return [self._peers.get(one) for one in playing or here]

    def _named_heir(self, public: str) -> str | None:
        """Return the table that all others name as the one that plays on for a table; None without such a one."""
        named = {one.said.heirs.get(public) if one else None for one in self._others_than(public)}
        return named.pop() if len(named) == 1 else None

    @property
    def _is_replaced(self) -> bool:
        """Whether another table plays on for this one, as all others say."""
        return self._named_heir(self._me) is not None

    def _note_heir(self, lost: str, heir: str) -> None:
        heirs = {**self._heirs, lost: heir}
        self._kept.keep(HEIRS, canonical(heirs))
        self._heirs = heirs
        self._tables = {seat: self._heir(public) for seat, public in self._tables.items()}
        self._evidence.note(f"heir {lost[:16]}", "Table %s plays on for table %s", heir[:16], lost[:16])

    def _inherit(self, here: Here, at: float) -> Iterator[str]:
        """Take over what others have said of lost tables; yield those for which this table plays on from now."""
        replaced = {lost for one in self._peers.values() if one.plays for lost in one.said.heirs}
        for lost in sorted(replaced - {self._me, *self._heirs}):
            heir = self._named_heir(lost)
            if heir is None or self._heir(heir) == lost or not self._is_away(lost) or len(self._heirs) >= MAX_HEIRS:
                continue
            if heir == self._me:
                if self._is_level(lost, here, at) and lost in self._needed_tables():
                    self._note_heir(lost, heir)
                    yield lost
            elif not here.plays and lost in self._needed_tables() and self._leads_to_somebody(heir):
                self._note_heir(lost, heir)

    def _leads_to_somebody(self, heir: str) -> bool:
        """Return whether a table is known here, or another one that plays on for it, as all others say."""
        passed = set()
        while heir not in {self._me, *self._peers} and heir not in passed:
            passed.add(heir)
            heir = self._named_heir(heir) or heir
        return heir not in passed

    @abstractmethod
    def _know_again(self, others: Sequence[Announcement]) -> bool:
        """Know the game at this table again as one of the room, in which it has played before it lost its room's file.

        Return False for one that the others have no part in, as far as they can prove.
        """

    def _is_level(self, lost: str, here: Here, at: float) -> bool:
        """Return whether this table has all that the others have; come to their game if it is elsewhere."""
        said = [one.said for one in self._others_than(lost) if one is not None]
        if said[0].game_id != here.game_id:
            if said[0].game == here.game and here.is_free:
                self._come_along(said[0].game_id, said[0].mode, at)
            return False
        if self._is_alone:
            if self._know_again(said):
                self._come_along(here.game_id, said[0].mode, at)
            return False
        return all((one.game_id, one.number) == (here.game_id, here.number) for one in said)

    def _come_along(self, game_id: str, mode: str, at: float) -> None:
        """Open the lobby of a game that is played at other tables; one after the other: it is in the journal then."""
        last, came_at = self._came_along
        if at >= came_at + (AGAIN_S if last != game_id else IN_VAIN_S):
            self._came_along = game_id, at
            self.wanted_lobby = (game_id, mode)

    def _seat_computers(self, table: Table, lost: str, at: float) -> Iterator[ev.Event]:
        """Let computers play here what they have played at a table that is lost."""
        peer, sealing = self._peers.get(lost), table.ledger.round
        if peer is None or peer.said.game_id != table.ledger.game_id:
            return
        for seat, level in peer.said.computers.items():
            # What the lost one has sealed nobody can open: that turn can only be void.
            if self._tables.get(seat) == self._me and not (sealing and seat in sealing.commitments):
                yield ComputerSeated(at=at, seat=seat, level=level)

    def replace(self, table: Table, lost: str, heir: str) -> None:
        """Let a table that is here play on for one that is away, each by 16 hex digits. Raise TableError."""
        if (lost, heir) not in {(one["id"], new) for new in self._free() for one in self._lost_tables()}:
            raise TableError(
                "bad_room", say("a table that is away and a new one that plays no seat are needed for that")
            )
        drawn = is_dealt(table.game) and table.ledger.started and not table.ledger.over
        if drawn and any(public[:16] == lost for public in self._tables.values()):
            raise TableError(
                "bad_room",
                say(
                    "the stack of this game is drawn with the lots of all tables, and those of the lost one are gone:"
                    " begin another game"
                ),
            )
        publics = {public[:16]: public for public in (*self._needed_tables(), *self._peers)}
        self._note_heir(publics[lost], publics[heir])

    def _free(self) -> set[str]:
        """Return the tables that may play on for another one, by 16 hex digits: none that is replaced itself."""
        return {
            public[:16]
            for public, one in list(self._peers.items())
            if one.plays and one.is_there and public not in self._needed_tables() and public not in self._heirs
        }

    def _lost_tables(self) -> list[dict[str, str]]:
        """Return the tables without which nothing goes on and which are away, with a name for people."""
        away = sorted(public for public in self._needed_tables() if self._is_away(public))
        return [{"id": public[:16], "name": self._name(public)} for public in away]

    def _name(self, public: str) -> str:
        return self.name if public == self._me else self._peers[public].said.name if public in self._peers else "?"

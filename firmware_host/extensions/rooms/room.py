"""A room: one game at two to four tables, each with its own board, people and rules.

Each table runs its own game, from its own journal. What another table does reaches it as events, as what a phone or a
computer does: :class:`Room` compares what the others announce (:mod:`.announcement`) and the entries that they have
written (:mod:`.common_log`) with its own table, and yields the events that are due. All of that is level-triggered: an
event that can't be handled yet is tried again, and a message that is lost is told again.

**Who writes.** For each place of the log one table alone may write (:func:`.common_log.writer`), so that two can't
write the same: the actor's table while a seat acts; while placements are sealed, the first table that has not sealed
all of its seats, then the first that has not opened all of them; at the end the first table. While a table may write,
it also carries out what all have agreed to, and the resignations that others ask for. Seals come in any order,
openings table by table; the reveal follows from them, so every table writes it for itself. A table that has opened
writes nothing else for that place, and one that has written something else does not open: it keeps that promise on
disk.

**Lots.** A shuffled stack has no dealer. Before the game each table seals a chain of secret numbers
(:func:`firmware_host.games.seals.chain_of`), and the first entry has all the seals. Where the next piece is to be
drawn the tables open a number each, one after the other, and nothing else can be written before all have. A table opens
its number after the action that uncovers the piece has got into its own journal, so nobody can exchange that action for
a better one once the piece is known. To send two actions for one place gains nothing: each number follows one of them.

**What is checked.** An entry counts if the one table that may write it has signed it, if it follows the log, and if
this table's rules allow it. What an agreement has changed counts only if this table's people have agreed. An entry that
is genuine and does not follow stops the game at every table, with the same sentence.

**Who speaks.** Of two programs with copies of one folder the one with the table's place
(:mod:`firmware_host.link.lease`); the other reads, tells its people, and does nothing else.

**Who waits.** Hands wait with the next action until every board lies. Sealing needs no board and waits for nobody.
"""

from __future__ import annotations

import logging
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from firmware_host.extensions.rooms.entries import EntryReceived, LotOpened, led_to, lies
from firmware_host.extensions.rooms.lobby import LOBBY, Lobby, read_lobby
from firmware_host.extensions.rooms.members import COPY, Peer
from firmware_host.extensions.rooms.shared_game import Entry, read_seats
from firmware_host.extensions.rooms.succession import AGAIN_S, REPLACED, Here
from firmware_host.link.announcement import Announcement
from firmware_host.link.broker import Connection
from firmware_host.link.common_log import CommonLog, RoomFile, SharedEntry, writer
from firmware_host.link.trust import spoken
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.known_analysis import known_of
from firmware_host.table.ledger import level_of
from firmware_host.table.state import FarTables, Table, know
from firmware_host.table.subjects import company, proposals
from firmware_host.table.subjects.company import SIGNS, Greeted
from firmware_host.table.subjects.far import FarTablesChanged
from firmware_host.table.subjects.proposals import KINDS, Agreed, Declined, Proposal, Proposed
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed, Noticed, Resigned
from firmware_host.table.subjects.rounds import STATE as SEALS
from firmware_host.table.subjects.rounds import SealCommitted, SealOpened, SealReady, ready_phones
from firmware_host.table.subjects.seats import GameStarted
from firmware_host.text.words import list_of, say, say_many

_log = logging.getLogger(__name__)

BEAT_S = 5.0
"""How often a table tells its state again, seconds: a broker may lose what it has acknowledged."""
UNSEEN_S = 6.0
"""How long people have for a far seat's step that no sensor can see, seconds."""
SEARCHED_S = 13.0
"""How long this table's own search may take for a loop that another has proved, seconds: three searches end in it
(:mod:`firmware_host.session.analysis`). What they leave undecided is believed, as in a record that is verified."""
PROVED_S = 6.0
"""How long others have to prove what this table has sealed itself and does not know any more, seconds."""
DIFFERS = "tables"
"""The notice about tables that can't play along."""
ALONE = "alone"
"""In place of the id of a game that is nobody else's business."""
_ANYWHERE = -1
"""In place of a number: a promise that holds for every place of the log."""
_AGREED = {"draw": "draw", "decided": "decided"}


FORMS: Mapping[str, Callable[[str], object]] = {
    LOBBY: read_lobby,
    "seats": read_seats,
    "names": read_seats,
    "lots": bytes.fromhex,
}
"""First word of a setting's name → how its value is read."""


class Room(Lobby):
    """This table's part in a room. Its methods are called on the loop's thread, but for :meth:`status`."""

    def __init__(self, kept: RoomFile, connect: Callable[[Room], Connection], version: str) -> None:
        """Take part in the room that is kept in a file (:mod:`.membership` makes one)."""
        super().__init__(kept, version)
        self._noticed: str | None = None
        """What people have been told of tables that can't play along."""
        self._trouble: str | None = None
        self._told_trouble: str | None = None
        """Why the file of the room can't be used now, and what people at this table have been told of it."""
        self._opened_at = -1
        """The place of the log for which this table has sent its openings."""
        self._proposal: tuple[int, Proposal] | None = None
        self._proposals = secrets.randbits(31)
        self._seen: dict[str, int] = {}
        """Table → the number of its last proposal that was put here."""
        self._shown_sign: dict[str, int] = {}
        self._sign: tuple[int, object] = (secrets.randbits(31), None)
        self._unseen: tuple[object, float] | None = None
        self._unproved: tuple[SharedEntry, float] | None = None
        """The round that others have revealed with a seal from here that is unknown here, and since when it is."""
        self._claimed: tuple[SharedEntry, float] | None = None
        """The loop that another table has called, and since when this one searches for itself."""
        self._refused: dict[str, tuple[int, float]] = {}
        """What the table has refused: how often something had changed by then, and when it is tried again anyway."""
        self._again, self._beat = 0.0, 0.0
        self._connection = connect(self)

    # -- this table ----------------------------------------------------------------------------------------------

    def has_played(self, game_id: str) -> bool:
        """Return whether a game has begun in this room."""
        return self._kept.setting(f"seats {game_id}") is not None

    def far_computers(self) -> dict[int, int]:
        """Return the seats of the running game that computers of other tables play, with their levels."""
        said = {public: peer.said for public, peer in self._peers.items() if peer.said.game_id == self._log.game_id}
        owned = ((seat, public) for seat, public in self._tables.items() if public in said and len(self._log))
        return {seat: said[public].computers[seat] for seat, public in owned if seat in said[public].computers}

    def stir(self) -> None:
        """Compare everything at the next opportunity: the table's view has changed."""
        self._stirred = True

    def use_table(self, table: Table, entries: Sequence[Entry]) -> None:
        """Go on with a table, and the entries of its journal, as soon as the file of the room says whose seats are.

        It is that soon mostly; else the table waits, and it is tried again.
        """
        self._untaken, self._has_begun = list(entries), table.ledger.started
        self._log, self._kept_to = CommonLog(table.ledger.game_id), 0
        self._opened_at, self._found, self._heard, self._is_alone = -1, "", "", False
        self._entries = {0: [one for one in self._entries.get(0, ()) if one.game == table.ledger.game_id]}
        self._stirred, self._last, self._noticed, self._told_trouble = True, None, None, None
        self._found_again, self._is_followed = None, False
        try:
            self._take_up(table)
        except sqlite3.Error as error:
            self._note_trouble(error, 0.0)
        self._set_far(table)

    def _take_up(self, table: Table) -> None:
        """Take up a table whose seats the file of the room has to tell. Raise sqlite3.Error; nothing is done then."""
        game_id, entries = table.ledger.game_id, self._untaken or []
        known, lobby = self._known_seats(game_id), self._kept.value(LOBBY, read_lobby) or ("", {})
        before, names = self._tables, {seat: one.name for seat, one in table.ledger.sittings.items()}
        log, tables, is_alone = CommonLog(game_id, known), dict[int, str](), False
        if known:
            tables = {seat: self._heir(public) for seat, (public, _) in known.items()}
        elif lobby[0] == game_id:
            tables = {seat: self._heir(public) for seat, public in lobby[1].items()}
        elif self.is_opener and before:  # The next game in the same room: the far players have kept their seats.
            far = {self._peer_name(public, seat): public for seat, public in before.items() if public != self._me}
            tables = {seat: far[name] for seat, name in names.items() if name in far}
        elif not self.is_opener and self._has_begun:  # It began before this table came: nobody else's business.
            tables, is_alone = dict.fromkeys(names, self._me), True
            self._own, entries = (names, list(entries)), []
        entries_in_all = CommonLog(game_id)
        for kind, data in entries:
            entries_in_all.feed(kind, data)
        if self._kept.has_promised(game_id, number := len(entries_in_all), "open"):
            self._opened_at = number
        self._log, self._tables, self._is_alone, self._untaken = log, tables, is_alone, None
        self._feed(table, entries)

    def _peer_name(self, public: str, seat: int) -> str:
        peer = self._peers.get(public)
        return peer.said.seats.get(seat, "") if peer else ""

    # -- the round of the loop -----------------------------------------------------------------------------------

    def act(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Yield what is due at this table now; each event must be handled before the next is requested.

        If the file of the room fails, whatever is not done yet is done later, and people are told why they wait.
        """
        if self._trouble is not None and at < self._again:
            return
        try:
            for event in self._meet(table, at):
                if self._is_due(event, at):
                    yield event
        except sqlite3.Error as error:
            self._note_trouble(error, at)
        else:
            self._trouble = None
        if self._trouble != self._told_trouble:
            self._told_trouble = self._trouble
            yield FarTablesChanged(at=at, far=self._far(table))

    def _note_trouble(self, error: sqlite3.Error, at: float) -> None:
        """Learn that the file of the room can't be used: all that needs it is tried again later."""
        if self._trouble is None:
            _log.warning("The file of the room can't be used: %s", error)
        self._again = at + AGAIN_S
        self._trouble = say(
            "What the tables have played can't be saved in {path}: {reason}. It is tried again, and the game goes on"
            " once it can be.",
            path=str(self._kept.path), reason=str(error),
        )  # fmt: skip

    def _meet(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Yield what is due. Raise sqlite3.Error if the file of the room can't be used."""
        changed = self._take_messages(at)
        if not (changed or self._stirred or at >= self._again):
            return
        self._stirred, self._again = False, at + AGAIN_S
        if self._untaken is not None:
            self._take_up(table)
        self._keep_log()
        if self._connection.is_up:
            self._lease.look(at)
        if not self._lease.is_held or self._is_replaced:
            if not _same(table.far, far := self._far(table)):
                yield FarTablesChanged(at=at, far=far)
            return
        self._compare_logs()
        self._note_own(table)
        for lost in self._inherit(self._here(table), at):
            yield FarTablesChanged(at=at, far=self._far(table))
            yield from self._seat_computers(table, lost, at)
        self._follow(table, at)
        if self.wanted_lobby is not None:
            return
        if not self._stopped:
            yield from self._lobby(table, at) if table.phase == "lobby" else self._play(table, at)
            differences = self._differences(table) if table.phase == "lobby" else None
            if differences != self._noticed:
                self._noticed = differences
                yield Noticed(at=at, what=DIFFERS, text=differences)
        far = self._far(table)
        if not _same(table.far, far):
            yield FarTablesChanged(at=at, far=far)
        self._keep_log()
        self._announce(table, at)
        self._help_others(at)

    def _follow(self, table: Table, at: float) -> None:
        """Come along to the game that the table that leads has gone on to, unless this one plays here still."""
        leader = self._leader
        if leader is None or leader.said.game_id == table.ledger.game_id or leader.said.game != self._game(table):
            return
        if self._is_free(table):
            self._come_along(leader.said.game_id, leader.said.mode, at)

    def _is_free(self, table: Table) -> bool:
        """Return whether this table may leave its game for another one of the room; a stopped one keeps nobody."""
        return table.phase == "lobby" or table.ledger.over or not self._tables or bool(self._stopped)

    def _here(self, table: Table) -> Here:
        plays = bool(self._mine(table)) or self.is_opener
        return Here(self._game(table), table.ledger.game_id, len(self._log), plays, self._is_free(table))

    def _is_due(self, event: ev.Event, at: float) -> bool:
        """Return False for what was refused just before, and neither this table nor another one has changed since."""
        changes, again = self._refused.get(_without_time(event), (-1, 0.0))
        return changes != self._changes or at >= again

    def note_refusal(self, event: ev.Event, error: TableError) -> None:
        """Learn that the table has refused an event: an entry that does not follow stops the game."""
        self._refused = {what: one for what, one in self._refused.items() if one[0] == self._changes}
        self._refused[_without_time(event)] = self._changes, event.at + AGAIN_S
        if isinstance(event, GameStarted):
            self._no_start = self._changes, error.message
        if isinstance(event, EntryReceived) or (
            isinstance(event, ActionChosen) and error.code in {"bad_action", "internal"}
        ):
            number = len(self._log)
            _log.warning("Entry %d of another table does not follow: %s", number, error)
            self.stop(say("entry {number} of the game does not follow by the rules of {name}: {why}",
                           number=number, name=self.name, why=error.message))  # fmt: skip

    def _note_own(self, table: Table) -> None:
        """Note what people here have proposed and signed since the last round."""
        proposal = proposals.current(table)
        mine = proposal is not None and not table.is_far(proposal.by) and proposal.by in table.ledger.sittings
        if proposal is None or not mine:
            self._proposal = None
        elif (
            self._proposal is None
            or self._proposal[1].moment is not proposal.moment
            or ((self._proposal[1].what, self._proposal[1].by) != (proposal.what, proposal.by))
        ):
            self._proposals += 1
            self._proposal = (self._proposals, proposal)
        signs = [one for one in company.STATE.of(table).said if one.sign is not None and not table.is_far(one.seat)]
        if signs and signs[-1] != self._sign[1]:
            self._sign = (self._sign[0] + 1, signs[-1])

    # -- a game --------------------------------------------------------------------------------------------------

    def _play(self, table: Table, at: float) -> Iterator[ev.Event]:
        yield from self._weigh(self._next_entries(table, at))
        yield from self._seal_as_before(table, at)
        due = table.ledger.lot_due
        if due is not None and self.is_player and self._tables.get(due) == self._me:
            yield LotOpened(at=at, seat=due, number=self._chain(table)[table.ledger.drawn + 1])
        for public in self._others():
            peer = self._peers.get(public)
            if peer is None or peer.said.game_id != self._log.game_id:
                continue
            yield from self._seals(table, peer, at)
            yield from self._votes(table, peer, at)
            for seat in peer.said.resigning if table.writes and table.phase in ev.PLAYING else ():
                if self._tables.get(seat) == public and seat not in table.ledger.resigned:
                    yield Resigned(at=at, seat=seat)
            if (
                peer.said.sign is not None
                and self._shown_sign.setdefault(public, peer.said.sign[0]) != peer.said.sign[0]
            ):
                self._shown_sign[public] = peer.said.sign[0]
                _, seat, sign = peer.said.sign
                if self._tables.get(seat) == public and sign in SIGNS:
                    yield Greeted(at=at, seat=seat, sign=sign)

    def _others(self) -> list[str]:
        """Return the other tables that play in this game."""
        return sorted(set(self._tables.values()) - {self._me})

    def _known_openings(self, table: Table) -> set[int]:
        """Return the seats whose openings all tables can know."""
        mine = {seat for seat, public in self._tables.items() if public == self._me}
        return (set(SEALS.of(table).openings) - mine) | (mine if self._opened_at == len(self._log) else set())

    def _next_entries(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Apply the entries that follow, or lead the hands to the next action."""
        while True:
            number = len(self._log)
            entry = next((one for one in self._waiting() if self._counts(table, one)), None)
            if entry is None:
                return
            own = self._is_own_past(entry)
            later = [one for place, some in self._entries.items() if place > number for one in some]
            behind = own or any(one.kind != "lot" for one in later)
            if entry.kind == "action" and not behind and self.is_player and table.ledger.lot_due is None:
                yield from self._lead(table, entry, at)
                return
            if not own and entry.kind == "loop" and not self._has_searched(table, entry, at):
                return
            if not own and entry.kind == "reveal" and self._waits_for_proof(table, entry, at):
                return
            if not own and not self._is_agreed(table, entry):
                self.stop(
                    say("the table {name} has written what nobody here has agreed to", name=self._name(entry.table))
                )
                return
            yield EntryReceived(at=at, kind=entry.kind, data=entry.data, own=own)
            if len(self._log) == number:
                return  # It was refused, or has to wait.

    def _waiting(self) -> list[SharedEntry]:
        """Return the entries that have come and would be the next of the log."""
        return [one for one in self._entries.get(len(self._log), ()) if one.prev == self._log.head]

    def _is_own_past(self, entry: SharedEntry) -> bool:
        """Return whether this table has accepted an entry before, which its files, restored, don't know any more.

        It believes itself: its signature under the entry or under one that follows, or what it has told last.
        """
        past, same = self._past, [one for one in self._entries.get(entry.number, []) if one.hash == entry.hash]
        while same:
            if any(one.table == self._me for one in same):
                return True
            first = same[0]
            if past and (past.game_id, past.number, past.head) == (first.game, first.number + 1, first.hash):
                return True
            same = [one for one in self._entries.get(first.number + 1, []) if one.prev == first.hash]
        return False

    def _waits_for_proof(self, table: Table, entry: SharedEntry, at: float) -> bool:
        """Return whether a round has a seal from here that is unknown here: the proof of it may be on its way."""
        sealing, sent = table.ledger.round, entry.data.get("seals", {})
        known = sealing.commitments if sealing is not None else {}
        mine = [str(seat) for seat, public in self._tables.items() if public == self._me]
        if all(seat not in sent or int(seat) in known for seat in mine):
            return False
        if self._unproved is None or self._unproved[0] != entry or table.phase == "setup":
            self._unproved = (entry, at)  # While hands set the board up, nothing is sealed, not as before either.
        return at < self._unproved[1] + PROVED_S

    def _seal_as_before(self, table: Table, at: float) -> Iterator[ev.Event]:
        """Take over the seals of this round that this table had told the others when its files were older."""
        past, sealing = self._past, table.ledger.round
        if past is None or sealing is None or (past.game_id, past.number) != (self._log.game_id, len(self._log)):
            return
        for seat in self._mine(table) if table.phase == "sealing" and past.head == self._log.head else ():
            if seat in past.seals and seat in sealing.seats and seat not in sealing.commitments:
                yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=past.seals[seat])

    def _counts(self, table: Table, entry: SharedEntry) -> bool:
        """Return whether an entry may be written by its table, as far as this table knows now."""
        if not self._may_have_written(entry):
            return False
        if entry.kind == "reveal" or not self.is_player:
            return True
        if entry.kind == "resign" and not self._may_resign(entry):
            return False
        passed = self._tables_past(entry) - {self._heir(entry.table)}
        return self._heir(entry.table) == writer(table.ledger, self._tables, self._known_openings(table), passed)

    def _tables_past(self, entry: SharedEntry) -> set[str]:
        """Return the tables that have accepted the entry of this place already."""
        following = self._entries.get(entry.number + 1, [])
        if following and all(one.prev != entry.hash for one in following):
            return set()  # They have accepted something else.
        peers = [(public, peer.said) for public, peer in self._peers.items() if peer.said.game_id == entry.game]
        return {
            public
            for public, said in peers
            if said.number > entry.number and (said.number > entry.number + 1 or said.head == entry.hash)
        }

    def _may_resign(self, entry: SharedEntry) -> bool:
        """Return False until another table whose seat an entry lets resign has said so, or has accepted it."""
        seat = entry.data.get("seat", 0)
        owner = self._tables.get(seat, self._me)
        if owner == self._me:
            return True  # That is known here: see _is_agreed.
        says = owner in self._peers and seat in self._peers[owner].said.resigning
        return says or owner == self._heir(entry.table) or owner in self._tables_past(entry)

    def _is_agreed(self, table: Table, entry: SharedEntry) -> bool:
        """Return whether this table's people have agreed to an entry that needs it."""
        seat = entry.data.get("seat", 0)
        if entry.kind == "resign" and self.is_player and self._tables.get(seat) == self._me:
            return self._kept.has_promised(self._log.game_id, _ANYWHERE, self._resignation(seat))
        by_all = entry.data.get("by") == "agreement" or entry.kind in _AGREED or entry.kind == "reseal"
        people = [s for s, one in table.ledger.sittings.items() if self._tables.get(s) == self._me and not one.computer]
        if not by_all or not people or not self.is_player:
            return True
        what = {"correction": "take-back"}.get(entry.kind) or _AGREED.get(entry.kind)
        if entry.kind == "loop":
            what = _of_loop(entry.data.get("nodes", ()))
        elif entry.kind == "reseal":
            what = "reseal" if "seat" in entry.data else "void"
        return self._kept.has_promised(self._log.game_id, entry.number, what or "")

    def _has_searched(self, table: Table, entry: SharedEntry, at: float) -> bool:
        """Return whether this table's own search has looked for itself whether a loop is one that was proved."""
        if self._claimed is None or self._claimed[0] != entry:
            self._claimed = (entry, at)
        known = known_of(table, table.ledger.now.position)
        return (
            entry.data.get("by") == "agreement"
            or (known is not None and (bool(known.rest_reachable) or known.is_settled))
            or at >= self._claimed[1] + SEARCHED_S
        )

    def _lead(self, table: Table, entry: SharedEntry, at: float) -> Iterator[ev.Event]:
        """Lead the hands to a far seat's action; what no sensor can see counts after a while."""
        seat, action = entry.data.get("seat"), entry.data.get("action")
        if table.phase != "resolving" or table.paused or table.board_lost is not None:
            return
        if table.actor is None or table.actor != seat or not isinstance(action, str):
            yield EntryReceived(at=at, kind=entry.kind, data=entry.data)  # It is refused.
            return
        if table.chosen_action == action:
            step = led_to(table, table.actor, action)
            if step and (self._unseen is None or self._unseen[0] != entry):
                self._unseen = (entry, at)
            elif step and self._unseen is not None and at >= self._unseen[1] + UNSEEN_S:
                yield Confirmed(at=at, seat=table.actor, action=action)
            return
        yield ActionChosen(at=at, seat=table.actor, action=action)

    def _seals(self, table: Table, peer: Peer, at: float) -> Iterator[ev.Event]:
        """Take over the seals, the readiness and the openings of another table."""
        sealing, said = table.ledger.round, peer.said
        if sealing is None or table.phase not in {"sealing", "revealing"} or said.number != len(self._log):
            return
        mine = [seat for seat in sealing.seats if self._tables.get(seat) == peer.public]
        for seat in mine:
            if table.phase == "sealing" and seat in said.seals and seat not in sealing.commitments:
                yield SealCommitted(at=at, seat=seat, turn=sealing.turn, commitment=said.seals[seat])
        for seat in mine:
            if table.phase == "revealing" and seat in said.ready and seat not in SEALS.of(table).ready:
                yield SealReady(at=at, seat=seat, turn=sealing.turn)
        for seat in mine:
            if table.phase == "revealing" and seat in said.openings and seat not in SEALS.of(table).openings:
                action, nonce = said.openings[seat]
                yield SealOpened(at=at, seat=seat, turn=sealing.turn, action=action, nonce=nonce)

    def _votes(self, table: Table, peer: Peer, at: float) -> Iterator[ev.Event]:
        """Put another table's proposal to the people here, and count the votes of its people."""
        said, proposal = peer.said, proposals.current(table)
        if said.number != len(self._log) and not table.ledger.over:
            return
        if said.proposal is not None and self._seen.get(peer.public) != said.proposal[0]:
            number, what, by, about, nodes = said.proposal
            self._seen[peer.public] = number
            known = table.analysis
            # Of an undecided loop two searches may have seen other stones: nobody is asked what others are not.
            same = what != "loop" or (known is not None and set(known.loop_nodes) == set(nodes))
            if self._tables.get(by) == peer.public and what in KINDS and same:
                yield Proposed(at=at, seat=by, what=what, about=about)
        elif said.proposal is None and proposal is not None and self._tables.get(proposal.by) == peer.public:
            yield Declined(at=at, seat=proposal.by, what=proposal.what)  # It was withdrawn.
            return
        proposal = proposals.current(table)
        if proposal is None:
            return
        proposer = self._tables.get(proposal.by, self._me)
        number = self._proposal[0] if self._proposal else self._seen.get(proposer, -1)
        voted, agreed, declined = said.votes.get(proposer, (-1, (), False))
        if voted != number:
            return
        if declined:
            seat = min(seat for seat, public in self._tables.items() if public == peer.public)
            yield Declined(at=at, seat=seat, what=proposal.what)
            return
        for seat in agreed:
            now = proposals.current(table)  # An answer may have ended it.
            if self._tables.get(seat) == peer.public and now and seat not in now.agreed:
                yield Agreed(at=at, seat=seat, what=proposal.what)

    # -- what is told --------------------------------------------------------------------------------------------

    def _far(self, table: Table) -> FarTables | None:
        seats = {seat: self._name(public) for seat, public in self._tables.items() if public != self._me}
        leader = None if self.is_opener else self._leader
        follows = not table.ledger.started and leader is not None and leader.said.game_id == table.ledger.game_id
        if self._untaken is not None:
            return FarTables({}, writes=False, waits=self._trouble)
        if self._lease.is_refused or self._is_replaced:
            return FarTables(seats, writes=False, waits=COPY if self._lease.is_refused else REPLACED)
        if not seats and not follows:
            return None  # The table plays by itself.
        # A lot is no decision: nothing else is written before it, not by its own table either.
        writes = (
            table.ledger.lot_due is None and writer(table.ledger, self._tables, self._known_openings(table)) == self._me
        )
        return FarTables(seats, writes=writes, waits=self._waits(table))

    def _set_far(self, table: Table) -> None:
        """Set it without an event, before anything at a new table is judged."""
        know(table, self._far(table))

    def _waits(self, table: Table) -> str | None:
        """Return why hands have to wait for another table, if they have to."""
        if self._trouble is not None:
            return self._trouble
        if self._stopped:
            return say("The game can't go on between the tables: {why}.", why=self._stopped)
        if not (self._connection.is_up and self._lease.is_held):
            return say("There is no connection to the other tables now. The game goes on once it is back.")
        others = [(public, self._peers.get(public)) for public in self._others()]
        if not table.ledger.started:  # Another table may come and go; but one begins the game.
            others = [(self._opener, self._leader)] * (not self.is_opener)
        away = [self._name(public) for public, peer in others if peer is None or not peer.is_there]
        if away:
            return say_many(
                "The table {names} is away. The game goes on once it is back.",
                "The tables {names} are away. The game goes on once they are back.",
                len(away),
                names=list_of(away),
            )
        busy = [peer.said.name for _, peer in others if peer is not None and not self._lies_at(peer)]
        if busy and table.phase == "resolving" and not table.ledger.over:
            return say_many(
                "The board of {names} is being set. Go on when it stands.",
                "The boards of {names} are being set. Go on when they stand.",
                len(busy),
                names=list_of(busy),
            )
        return None

    def _lies_at(self, peer: Peer) -> bool:
        said = peer.said
        return said.lies and said.game_id == self._log.game_id and said.number == len(self._log)

    def _announce(self, table: Table, at: float) -> None:
        """Tell the others the state of this table, if it has changed, and now and then anyway."""
        said = self._said_alone(table) if self._is_alone else self._said(table)
        if said != self._last or at >= self._beat:
            self._last, self._beat = said, at + BEAT_S
            if said.lobby is not None:
                self._keep_lobby(table.ledger.game_id)
            self._send("state", said.to_dict(), kept=True)

    def _said_alone(self, table: Table) -> Announcement:
        """Return what others may know of a table that plays a game of its own: neither who plays, nor which one.

        If a table names the same game, it may be one that this table has lost its room's file of: what the others have
        of it is asked for then.
        """
        game_id = table.ledger.game_id
        is_named = any(peer.said.game_id == game_id for peer in self._peers.values() if peer.plays)
        known = len(self._found_again) if self._found_again is not None else 0
        return Announcement(
            **self._said_anyway(table),
            game_id=game_id if is_named else ALONE,
            head="",
            number=known if is_named else 0,
            lies=False,
        )

    def _said(self, table: Table) -> Announcement:
        ledger, sealing = table.ledger, table.ledger.round
        number, mine = len(self._log), self._mine(table)
        return Announcement(
            **self._said_anyway(table),
            game_id=ledger.game_id,
            head=self._log.head,
            number=number,
            # While hands are led to what another table has done, nobody goes on, not even that table, restored.
            lies=lies(table) and not self._waiting(),
            seats={seat: ledger.name(seat) for seat in mine},
            computers={
                seat: level_of(table.game, ledger.sittings[seat]).number for seat in mine if table.is_computer(seat)
            },
            lobby=self._lobby_seats(table) if self.is_opener and not ledger.started else None,
            begins=table.far is not None and table.far.begins,
            seals={seat: digest for seat, digest in (sealing.commitments if sealing else {}).items() if seat in mine},
            ready=tuple(seat for seat in ready_phones(table) if seat in mine) if table.phase == "revealing" else (),
            openings=self._own_openings(table, number),
            proposal=self._own_proposal(),
            votes=self._own_votes(table),
            resigning=self._own_resigning(table),
            sign=self._own_sign(),
            lots=self._chain(table)[0] if self.is_player and not ledger.started else "",
        )

    def _said_anyway(self, table: Table) -> dict[str, Any]:
        """Return the fields of what a table says, whatever it plays."""
        return {
            "name": self.name,
            "ticket": self.keys.ticket(self._me),
            "version": self._version,
            "session": self._session,
            "game": self._game(table),
            "mode": table.ledger.mode,
            "stopped": self._found,
            "heirs": self._said_heirs(),
        }

    def _own_openings(self, table: Table, number: int) -> dict[int, tuple[str, str]]:
        """Return this table's openings once it is its turn to open: from then on it does nothing else here."""
        sealing = table.ledger.round
        if sealing is None or table.phase != "revealing":
            return {}
        mine = [seat for seat in sealing.seats if self._tables.get(seat) == self._me]
        openings = SEALS.of(table).openings
        if not mine or any(seat not in openings for seat in mine):
            return {}
        if self._opened_at != number:
            if writer(table.ledger, self._tables, self._known_openings(table)) != self._me:
                return {}
            self._kept.promise(self._log.game_id, number, "open")
            self._opened_at = number
        return {seat: (openings[seat].action, openings[seat].nonce) for seat in mine}

    def _own_proposal(self) -> tuple[int, str, int, int | None, tuple[str, ...]] | None:
        if self._proposal is None:
            return None
        number, proposal = self._proposal
        return number, proposal.what, proposal.by, proposal.about, tuple(proposal.nodes)

    def _own_votes(self, table: Table) -> dict[str, tuple[int, tuple[int, ...], bool]]:
        """Return the votes of the people here: an agreement is noted on disk before others learn of it."""
        proposal, votes = proposals.current(table), dict[str, tuple[int, tuple[int, ...], bool]]()
        if proposal is not None:
            unasked = {seat for seat in self._mine(table) if table.is_computer(seat) and proposal.what != "draw"}
            agreed = tuple(sorted(unasked.union(set(proposal.agreed) & set(self._mine(table)))))
            people = {
                s for s, one in table.ledger.sittings.items() if not one.computer and self._tables.get(s) == self._me
            }
            if people - table.ledger.resigned - {proposal.about} <= set(agreed):
                what = _of_loop(proposal.nodes) if proposal.what == "loop" else proposal.what
                self._kept.promise(self._log.game_id, len(self._log), what)
            proposer = self._tables.get(proposal.by, self._me)
            number = self._proposal[0] if self._proposal else self._seen.get(proposer, -1)
            votes[proposer] = (number, agreed, False)
        for public, number in self._seen.items():
            if public not in votes:
                votes[public] = (number, (), True)
        return votes

    def _own_resigning(self, table: Table) -> tuple[int, ...]:
        resigning = tuple(sorted(table.far.resigning)) if table.far else ()
        for seat in resigning:
            self._kept.promise(self._log.game_id, _ANYWHERE, self._resignation(seat))
        return resigning

    def _resignation(self, seat: int) -> str:
        """Return the promise to let a seat resign; once it was taken back it takes another one."""
        before = sum(one.kind == "resign" and one.data["seat"] == seat for one in self._log.entries)
        return f"resign {seat} {before}"

    def _own_sign(self) -> tuple[int, int, str] | None:
        number, said = self._sign
        return None if said is None else (number, getattr(said, "seat", 0), getattr(said, "sign", ""))

    # -- any thread ----------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Return what people may know of the room: the invitations, who is there, and the words to compare."""
        peers = [peer for peer in list(self._peers.values()) if peer.plays]
        shown = [peer for peer in peers if not self._is_renewed(peer) and peer.public == self._heir(peer.public)]
        free, lost, invitation = self._free(), self._lost_tables(), self.invitation_now
        return {
            "name": self.name,
            "broker": invitation.broker,
            "connected": self._connection.is_up,
            "link": invitation.link if self.is_player else None,
            "watch": invitation.to_watch.link,
            "words": spoken([self._me, *(peer.public for peer in peers)]),
            "tables": [
                {
                    "id": (short := peer.public[:16]),
                    "name": peer.said.name,
                    "here": peer.is_there,
                    "lies": peer.said.lies,
                    "instead_of": lost if short in free and self.is_player else [],
                }
                for peer in shown
            ],
            "stopped": self._stopped or None,
        }


def _of_loop(nodes: Iterable[str]) -> str:
    """Return the promise that a loop of these nodes may be called."""
    return f"loop {' '.join(sorted(nodes))}"


def _without_time(event: ev.Event) -> str:
    return repr(replace(event, at=0.0))


def _same(known: FarTables | None, now: FarTables | None) -> bool:
    return (known and replace(known, resigning=frozenset(), begins=False)) == now

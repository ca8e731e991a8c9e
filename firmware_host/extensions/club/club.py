"""The running club: its tables as they announce themselves, the records they hand over, its tournaments.

All state is changed under one lock, by two callers: the thread that follows the broker (:meth:`Club.step`), and the
arbiter's requests. What has changed is told to one listener; views for pages are plain data in no language.

A result comes by itself, unless an arbiter types it in, or names the record. A verified record counts for an open board
of the last round if the two paired players, by their names, have played this game in this mode from its start to its
end, at the board's table (if it has one), and the record came after the round was paired: by its number in the archive,
for clocks are set back. It does not matter which of the two sat first. If the end of a game that has counted is taken
back at its table and played anew, the new record replaces the old one, as long as no further round is paired. Where a
record fits the boards of several tournaments, it is of the one that was paired last; one that has ended takes none.
After every change all of this is decided anew (:mod:`firmware_host.extensions.club.known_records`).

A record is that of the table that has handed it over first, for good: everybody may download it and hand it over.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from firmware_host.archive.format import RecordError
from firmware_host.archive.journal_events import canonical
from firmware_host.archive.summary import full_title
from firmware_host.extensions.club.assigned import Pairing
from firmware_host.extensions.club.judging import FinishedGame, Judge
from firmware_host.extensions.club.known_records import KnownRecords, result_of
from firmware_host.extensions.club.messages import (
    MAX_PARTS,
    SCHEME,
    RecordPart,
    TableState,
    boards_message,
    place,
    table_topic,
    unpack_record,
)
from firmware_host.extensions.club.store import Archive, ArchiveError, KeptRecord
from firmware_host.extensions.club.tournament import WIN, Act, Tournament, fold, words_of
from firmware_host.link.announcement import Unreadable
from firmware_host.link.broker import Broker, Packet, parse_address
from firmware_host.link.common_log import RoomFile
from firmware_host.link.evidence import Evidence
from firmware_host.link.glicko import Rating
from firmware_host.link.serving import SERVED, Served
from firmware_host.link.trust import Forged, Identity, Invitation, Keys
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.subjects.seats import is_name, name_key
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Refused, join_sentences, say

MAX_TABLES = 5000
MAX_ENDED = 8
"""Maximum number of a table's ended connections that are remembered."""
WAITING = 50_000
"""Maximum number of messages that wait: when the club comes back, all its tables say who they are at once."""
SILENCE_S = 5.0
"""A table of which the broker has said nothing for so long after a new connection is away."""
MAX_WANTED, MAX_REFUSED = 100_000, 10_000
"""Maximum number of missing records that are noted, and of those that were not true."""
ASKED = 16
"""Number of records that are asked for at once."""
ASKED_OF_ONE = 4
"""Number of them for one table: one that does not answer holds up nobody else."""
PATIENCE_S = 15.0
"""A record that has not come after so long is asked for again, after all others."""
AGAIN_S = 5.0
"""What the archive has not taken of what follows from the records is tried again after so long."""

_log = logging.getLogger(__name__)

Wanted = tuple[str, str, int]
"""A record that the club lacks: the table's public key, the game's id, the number of its entries."""


class NotAgreed(Refused):
    """An arbiter has to agree first; the message asks."""


@dataclass(frozen=True)
class Changed:
    """What a listener has to show anew: views of tables by id, and of all tournaments if one has changed.

    ``results`` are boards that have one since. ``connected``: whether the broker can be reached, None if that is as it
    was.
    """

    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tournaments: Sequence[Mapping[str, Any]] | None = None
    results: Sequence[Mapping[str, Any]] = ()
    records: bool = False
    connected: bool | None = None


@dataclass
class LiveTable:
    """A table of the club, as it has announced itself."""

    public: str
    state: TableState
    counter: int
    gone: Collection[int] = ()
    """Connections of it that have ended."""
    is_heard: bool = True
    """Whether it has said something since the club's own connection is up."""

    @property
    def is_here(self) -> bool:
        """Whether it is connected to the broker."""
        return self.is_heard and self.state.session not in self.gone


@dataclass
class _Coming:
    """A record on its way."""

    asked: float
    parts: dict[int, bytes] = field(default_factory=dict)
    packed: bytes | None = None
    """All of it, once it has come. From then on it waits for its verdict, and what else comes of it is ignored."""


def found_club(kept: RoomFile, name: str, broker: str, *, serves: bool = False) -> None:
    """Make a new club, or give the one that is there another name or broker. Raise Refused.

    ``serves``: the broker is the club's own. Then its tables need a login, which follows from the invitation; those of
    a club that has served without one keep their invitations.
    """
    known = kept.setting("invitation")
    if not (broker or known):
        raise Refused("say where the club's tables meet: --broker URL, or --serve for tables on one network")
    if name and not is_name(name):
        raise Refused(f"--name: expected 1 to 24 letters, digits or symbols, got {name[:40]!r}")
    if name or not kept.setting("name"):
        kept.keep("name", name or "Lodestone")
    if broker:
        parse_address(broker)
    if known is None:
        identity = Identity()
        kept.keep("private", identity.private().hex())
        kept.keep("invitation", Invitation.new(broker, identity.public, SCHEME, served=serves).link)
    elif broker:
        before = Invitation.parse(known, SCHEME)
        served = serves and (before.served or not kept.setting(SERVED))
        kept.keep("invitation", before.at(broker, served=served).link)
    kept.keep(SERVED, "yes" if serves else "")


def served_by(kept: RoomFile) -> Served:
    """Return what the club's own broker serves."""
    invitation = Invitation.parse(kept.setting("invitation") or "", SCHEME)
    user, password = invitation.login or ("", "")
    return Served(place(invitation), user, password)


class Club:
    """A club that runs."""

    def __init__(
        self,
        kept: RoomFile,
        archive: Archive,
        *,
        credentials: tuple[str, str] | None = None,
        connect: Callable[..., Broker] = Broker,
    ) -> None:
        """Take up the club that is kept in a file (:func:`found`). Raise Refused, or ArchiveError."""
        self._kept, self.archive = kept, archive
        self.invitation = Invitation.parse(kept.setting("invitation") or "", SCHEME)
        self.name = kept.setting("name") or ""
        self._identity = kept.identity()
        self._keys = Keys(self.invitation)
        self._lock = threading.RLock()
        self._listener: Callable[[Changed], None] = lambda _: None
        self.is_connected = False
        self.tables: dict[str, LiveTable] = {}
        self.tournaments: dict[int, Tournament] = {
            number: fold(number, acts) for number, acts in archive.acts().items()
        }
        self._ratings: dict[int, dict[int, Rating]] = {}
        """Tournament → ratings before it, by player."""
        self._known = KnownRecords()
        self._records = self._known.by_digest
        self._have: set[Wanted] = set()
        for record in reversed(archive.records()):
            self._note(record)
        for one in self.tournaments.values():
            self._known.note_used(one)
        self._settle_at: float | None = 0.0
        """When what follows from the records is to be entered, None if all is."""
        self._assigned = {public for one in self.tournaments.values() for public in one.assigned_tables()}
        """All tables that have ever been assigned a board."""
        self._gone: dict[str, deque[int]] = {}
        """Public key → connections of a table that have ended; the broker may tell that before anything else."""
        self._told: dict[str, tuple[Pairing, ...]] = {}
        """What tables have been told of their boards since the connection is up."""
        self._silent: dict[str, int] = {}
        """After the connection has come back: tables that have not been heard yet, with their last counters."""
        self._heard_until = 0.0
        self._wanted: OrderedDict[Wanted, None] = OrderedDict()
        self._coming: dict[Wanted, _Coming] = {}
        self._refused: dict[Wanted, None] = {}
        """The last records that were not true: they are not asked for again."""
        self._refused_count = 0
        self._evidence = Evidence(_log)
        self._judge = Judge()
        self._judged: queue.Queue[tuple[Wanted, bytes, FinishedGame | RecordError]] = queue.Queue()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        login = credentials or self.invitation.login
        topics = f"{place(self.invitation)}/table/+/+"
        self._broker = connect(self.invitation.broker, topics, self._will, login, WAITING)

    def start(self) -> None:
        """Follow the broker until :meth:`close`."""
        self._thread = threading.Thread(target=self._follow, name="club", daemon=True)
        self._thread.start()

    def listen(self, listener: Callable[[Changed], None]) -> None:
        """Call a function with all, and then with whatever has changed, on the thread that has changed it.

        It must return quickly.
        """
        with self._lock:
            self._listener = listener
            views = {public[:16]: self.table_view(public) for public in self.tables}
            listener(Changed(views, self.tournament_summaries(), connected=self.is_connected))

    def close(self) -> None:
        """End the connection to the broker, and the child process."""
        self._closed.set()
        self._broker.close()
        if self._thread is not None:
            self._thread.join(5)
        self._judge.close()

    def _follow(self) -> None:
        while not self._closed.is_set():
            self.step(self._broker.wait(0.2))

    def step(self, packet: Packet | None) -> None:
        """Do what is due, and handle a message, if there is one."""
        try:
            with self._lock:
                if packet is not None:
                    self._handle(packet)
                while not self._judged.empty():
                    self._take_verdict(*self._judged.get())
                if self._settle_at is not None and time.monotonic() >= self._settle_at:
                    self._settle()
                if self._silent and time.monotonic() > self._heard_until:
                    self._miss()
                self._ask()
        except ArchiveError as error:
            _log.warning("The club's archive: %s", error)
        except Exception:  # noqa: BLE001 - what one message says must not end the club
            _log.exception("a message of a table")

    # -- messages ------------------------------------------------------------------------------------------------

    def _will(self) -> tuple[str, bytes]:
        topic = f"{place(self.invitation)}/club/gone"
        return topic, self._seal(topic, {})

    def _seal(self, topic: str, fields: Mapping[str, Any]) -> bytes:
        return self._keys.seal(self._identity, topic, self._kept.next_counter(), canonical(dict(fields)).encode())

    def _handle(self, packet: Packet) -> None:
        if not packet.topic:
            self.is_connected = bool(packet.payload)
            self._listener(Changed(connected=self.is_connected))
            if self.is_connected:
                self._told.clear()  # The broker may have lost what it kept.
                # The broker says again what it has kept. A table of which it knows nothing has left unnoticed.
                self._silent = {public: table.counter for public, table in self.tables.items()}
                self._heard_until = time.monotonic() + SILENCE_S
            return
        try:
            public, counter, body = self._keys.open(packet.topic, packet.payload)
            what = packet.topic.rpartition("/")[2]
            if public != self._identity.public and packet.topic == table_topic(self.invitation, public, what):
                self._read(public, counter, what, read_object(body))
        except (Forged, InvalidJson, Unreadable) as error:
            why = str(error) or "it is not sealed with the club's key, or not signed by the table that it names"
            self._evidence.note("refused", "A message under %s is refused: %s", packet.topic, why)

    def _read(self, public: str, counter: int, what: str, fields: Mapping[str, Any]) -> None:
        table = self.tables.get(public)
        if what == "state":
            state = TableState.from_dict(fields)
            if not self._keys.is_invited(public, state.ticket) or (table is None and len(self.tables) >= MAX_TABLES):
                words = "Table %s is refused: it was not invited, or too many are here"
                self._evidence.note("not taken", words, public[:16])
                return
            if public in self._assigned and public not in self._told:
                self._tell_boards([public])
            if table is not None and counter <= table.counter:  # Repeated, or older than what is known.
                if counter == self._silent.get(public):
                    del self._silent[public]
                return
            self._silent.pop(public, None)
            same = table is not None and table.state == state
            self.tables[public] = LiveTable(public, state, counter, self._ended_sessions(public))
            for game, entries in state.finished:
                wanted = (public, game, entries)
                known = wanted in self._have or wanted in self._refused or wanted in self._coming
                if not known and len(self._wanted) < MAX_WANTED:
                    self._wanted[wanted] = None
            if not same:
                self._tell_of(public)
        elif what == "gone" and type(fields.get("session")) is int:
            if public in self._gone or len(self._gone) < 2 * MAX_TABLES:
                self._ended_sessions(public).append(fields["session"])
            if table is not None:
                self._tell_of(public)
        elif what == "record" and table is not None:
            self._take_part(public, RecordPart.from_dict(fields))

    def _ended_sessions(self, public: str) -> deque[int]:
        return self._gone.setdefault(public, deque(maxlen=MAX_ENDED))

    def _miss(self) -> None:
        """Show as away what has been silent since the connection is up."""
        for public in self._silent:
            self.tables[public].is_heard = False
            self._tell_of(public)
        self._silent = {}

    def _tell_of(self, public: str) -> None:
        self._listener(Changed(tables={public[:16]: self.table_view(public)}))

    def _tell_boards(self, tables: Collection[str]) -> None:
        """Tell tables which open boards they have, unless they know."""
        boards: dict[str, list[Pairing]] = {}
        for tournament in self.tournaments.values():
            for public, pairing in tournament.open_pairings(tables):
                boards.setdefault(public, []).append(pairing)
        for public in tables:
            mine = tuple(boards.get(public, ()))
            if self._told.get(public) != mine:
                self._told[public] = mine
                topic = table_topic(self.invitation, public, "boards")
                self._broker.send(topic, self._seal(topic, boards_message(mine)), kept=True)

    # -- records -------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask the tables that are here for missing records, a few at once."""
        now = time.monotonic()
        late = [one for one, way in self._coming.items() if way.packed is None and now > way.asked + PATIENCE_S]
        for wanted in late:
            del self._coming[wanted]
            self._wanted[wanted] = None
        if not self._wanted or len(self._coming) >= ASKED:
            return
        for wanted in list(self._wanted):
            if len(self._coming) >= ASKED:
                return
            table = self.tables[wanted[0]]
            if wanted[1:] not in table.state.finished:  # It can't be had any more.
                del self._wanted[wanted]
            elif table.is_here and sum(one[0] == wanted[0] for one in self._coming) < ASKED_OF_ONE:
                del self._wanted[wanted]
                self._coming[wanted] = _Coming(now)
                words = "The record of game %s (%d entries), which is lacking, is asked for from table %s"
                self._evidence.note(f"asks {wanted[0][:16]}", words, wanted[1], wanted[2], wanted[0][:16])
                topic = table_topic(self.invitation, wanted[0], "ask")
                self._broker.send(topic, self._seal(topic, {"game": wanted[1]}), kept=False)

    def _take_part(self, public: str, part: RecordPart) -> None:
        wanted = (public, part.game_id, part.entries)
        coming = self._coming.get(wanted)
        if coming is None or coming.packed is not None or not part.number < part.count <= MAX_PARTS:
            return
        coming.parts[part.number] = part.data
        if len(coming.parts) < part.count:
            return
        packed = coming.packed = b"".join(data for _, data in sorted(coming.parts.items()))
        coming.parts.clear()
        self._judge.submit(lambda: _text_of(packed), lambda verdict: self._judged.put((wanted, packed, verdict)))

    def _take_verdict(self, wanted: Wanted, packed: bytes, verdict: FinishedGame | RecordError) -> None:
        del self._coming[wanted]
        public, game_id, entries = wanted
        name = self.tables[public].state.name
        if isinstance(verdict, RecordError) or verdict.game_id != game_id:
            self._refused[wanted] = None
            self._refused_count += 1
            if len(self._refused) > MAX_REFUSED:
                del self._refused[next(iter(self._refused))]
            _log.warning("The record of game %s of table %s does not count: %s", game_id, name, verdict)
            return
        text = _text_of(packed)
        record = KeptRecord(
            **vars(verdict),
            digest=hashlib.sha256(text.encode()).hexdigest(),
            entries=entries,
            table=public,
            table_name=name,
            received=now_utc(),
            number=0,
        )
        try:
            record = self.archive.add_record(record, text)
        except ArchiveError:
            self._wanted[wanted] = None  # It is asked for again.
            raise
        self._have.add(wanted)
        if record.digest in self._records:  # Others may hand over a table's record: it stays the one of the first.
            return
        self._note(record)
        self._listener(Changed(records=True))
        self._settle()

    def _note(self, record: KeptRecord) -> None:
        """Know a record that is in the archive."""
        self._known.note(record)
        self._have.add((record.table, record.game_id, record.entries))

    def _settle(self) -> None:
        """Let all boards have the results that follow from the records: first in place of others, then open ones.

        What the archive does not take now is tried again by :meth:`step`: what has led here is done, and stays so.
        """
        self._settle_at = time.monotonic() + AGAIN_S
        last = [(one.rounds[-1], one.id) for one in self.tournaments.values() if one.rounds and not one.ended]
        last.sort(key=lambda row: (row[0].records, row[0].acts, row[1]), reverse=True)
        try:
            for due in (self._known.replacing, self._known.matching):
                for paired, number in last:
                    for place_ in range(1, len(paired.boards) + 1):
                        tournament = self.tournaments[number]
                        rows = due(tournament, tournament.rounds[-1].boards[place_ - 1], place_)
                        if rows:
                            self._write_what_follows(tournament, rows)
        except ArchiveError as error:
            _log.warning("The club's archive: %s", error)
        else:
            self._settle_at = None

    def _write_what_follows(self, tournament: Tournament, rows: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Add acts that follow from the records. If one is refused, that is no reason to keep others waiting."""
        try:
            at = now_utc()
            self._write(tournament, [(kind, data, at) for kind, data in rows])
        except Refused as error:
            _log.warning("Tournament %d: what follows from a record is refused: %s", tournament.id, error.words)

    # -- tournaments ---------------------------------------------------------------------------------------------

    def create(self, head: Mapping[str, Any]) -> int:
        """Begin a tournament; return its number. Raise Refused or ArchiveError.

        ``head["form"]`` (it may be missing) names the form that was filled in: the same sent again begins no second.
        """
        with self._lock:
            sent = [one.id for one in self.tournaments.values() if head.get("form") and one.acts[0].data == head]
            if sent:
                return sent[0]
            number = 1 + max(self.tournaments, default=0)
            tournament = Tournament(number)
            act = tournament.act("create", head, now_utc())
            tournament = tournament.apply(act)
            self.archive.add_acts([act])
            self.tournaments[number] = tournament
            self._listener(Changed(tournaments=self.tournament_summaries()))
            return number

    def act(self, number: int, kind: str, data: Mapping[str, Any]) -> None:
        """Let the arbiter do something. Raise Refused; then nothing has changed. Raise ArchiveError."""
        with self._lock:
            self._add(self._tournament(number), kind, data)

    def enter(self, number: int, names: Sequence[str]) -> None:
        """Enter players, all or none. Raise Refused or ArchiveError."""
        with self._lock:
            tournament = self._tournament(number)
            at, first = now_utc(), tournament.next_player
            rows = [{"player": first + more, "name": name} for more, name in enumerate(names)]
            self._add_all(tournament, [("enter", row, at) for row in rows])

    def pair(self, number: int, agreed: int = 0) -> None:
        """Pair the next round. Raise Refused or ArchiveError.

        Raise NotAgreed where some have to meet again, unless ``agreed`` is the number of the tournament's acts: then
        the arbiter has agreed to just that.
        """
        with self._lock:
            tournament = self._tournament(number)
            pairs, bye = tournament.next_pairing(self.ratings_before(tournament))
            again = tournament.repeats_of(pairs, bye)
            if again and agreed != len(tournament.acts):
                words = say(
                    "No round is left in which nobody meets the same player again or has no opponent a second time."
                    " Pair it with these again: {players}?",
                    players=join_sentences(again),
                )
                raise NotAgreed(words)
            data = {
                "round": len(tournament.rounds) + 1,
                "pairs": [list(pair) for pair in pairs],
                "bye": bye,
                "records": self.archive.last_record(),
                "acts": sum(len(one.acts) for one in self.tournaments.values()),
            }
            self._add(tournament, "pair", data)

    def assign_free(self, number: int) -> None:
        """Assign open boards without a table to tables that are here and free. Raise Refused or ArchiveError."""
        with self._lock:
            tournament = self._tournament(number)
            if not tournament.rounds:
                raise Refused(say("no round is paired yet"))
            taken = {
                board.table
                for one in self.tournaments.values()
                for board in (one.rounds[-1].boards if one.rounds and not one.ended else ())
                if board.points is None
            }
            here = sorted(
                (one for one in self.tables.values() if one.is_here and one.state.phase in BETWEEN_GAMES),
                key=lambda one: (one.state.game != tournament.game, _natural(one.state.name), one.public),
            )
            free = [one.public for one in here if one.public not in taken]
            waiting = [
                place_
                for place_, board in enumerate(tournament.rounds[-1].boards, 1)
                if board.points is None and not board.table
            ]
            rows = [
                {"round": len(tournament.rounds), "board": place_, "table": table}
                for place_, table in zip(waiting, free, strict=False)
            ]
            if not rows:
                raise Refused(say("no board is without a table, or no table is free"))
            at = now_utc()
            self._add_all(tournament, [("assign", row, at) for row in rows])

    def undo(self, number: int, act: int) -> None:
        """Take the arbiter's last act back, if it is the one of this number. Raise Refused or ArchiveError."""
        with self._lock:
            tournament = self._tournament(number)
            last = tournament.last_undoable()
            if last is None:
                raise Refused(say("there is nothing to undo"))
            if last.number != act:
                words = say(
                    "something else was done or undone meanwhile; the last is now: {act}",
                    act=words_of(last, tournament),
                )
                raise Refused(words)
            self._add(tournament, "undo", {"act": act})

    def strike(self, number: int, round_: int, board: int) -> None:
        """Take a result back. Raise Refused or ArchiveError."""
        with self._lock:
            tournament = self._tournament(number)
            undos = tournament.undos_of(tournament.board(round_, board))
            if not undos:
                raise Refused(say("the game has no result that could be struck"))
            at = now_utc()
            self._add_all(tournament, [("undo", undo, at) for undo in undos])

    def assign_record(
        self, number: int, round_: int, board: int, digest: str, first_seat: int, kind: str = "result"
    ) -> None:
        """Let a record count for a board, whatever names stand in it; ``first_seat``: where its first player sat.

        ``kind``: ``result``, or ``correct`` for a board that has a result. Raise Refused or ArchiveError.
        """
        with self._lock:
            tournament = self._tournament(number)
            tournament.board(round_, board)
            record = self._records.get(digest)
            if record is None:
                raise Refused(say("there is no such record"))
            rules = tuple(sorted(tournament.rules))
            if (record.game, tuple(sorted(record.rules)), record.mode) != (tournament.game, rules, tournament.mode):
                raise Refused(say("in this record another game was played, or with other options"))
            if first_seat not in record.seats:
                raise Refused(say("nobody sat there"))
            last = self._known.last_of(record)
            if last is not record and last.digest not in self._known.used:  # It would be replaced at once.
                raise Refused(say("the end of this game was taken back: choose the record of how it was played on"))
            data = {"round": round_, "board": board, **result_of(record, first_seat), "hand": True}
            self._add(tournament, kind, data)

    def _tournament(self, number: int) -> Tournament:
        if number not in self.tournaments:
            raise Refused(say("there is no such tournament"))
        return self.tournaments[number]

    def _add(self, tournament: Tournament, kind: str, data: Mapping[str, Any]) -> None:
        self._add_all(tournament, [(kind, data, now_utc())])

    def _add_all(self, tournament: Tournament, rows: Iterable[tuple[str, Mapping[str, Any], str]]) -> None:
        """Add acts, all or none, and what then follows from the records."""
        self._write(tournament, rows)
        self._settle()

    def _write(self, tournament: Tournament, rows: Iterable[tuple[str, Mapping[str, Any], str]]) -> None:
        """Add acts, all or none; they count once they are written down."""
        number, before = tournament.id, list(tournament.acts)
        added: list[Act] = []
        try:
            for kind, data, at in rows:
                act = tournament.act(kind, data, at)
                tournament = tournament.apply(act)
                added.append(act)
            self.archive.add_acts(added)
        except (Refused, ArchiveError) as error:
            if added:  # An act that is refused has changed nothing.
                self.tournaments[number] = fold(number, before)
            if isinstance(error, ArchiveError):
                self._settle_at = time.monotonic() + AGAIN_S
                self.tournaments[number] = fold(number, self.archive.acts(number)[number])
            raise
        self.tournaments[number] = tournament
        self._known.note_used(tournament)
        self._assigned |= {act.data["table"] for act in added if act.kind == "assign" and act.data["table"]}
        self._tell_boards(self._assigned)
        for later in [one for one in self._ratings if one >= number]:
            del self._ratings[later]
        results = [{"tournament": number, **act.data} for act in added if act.kind in {"result", "correct"}]
        self._listener(Changed(tournaments=self.tournament_summaries(), results=results))

    def ratings_before(self, tournament: Tournament) -> dict[int, Rating]:
        """Return the ratings of a tournament's players before it: earlier ones of this game are the periods."""
        with self._lock:
            known = self._ratings.get(tournament.id, {})
            if known.keys() != tournament.players.keys():
                by_name: dict[str, Rating] = {}
                for number in sorted(one for one in self.tournaments if one < tournament.id):
                    earlier = self.tournaments[number]
                    if earlier.game == tournament.game:
                        after = earlier.ratings_after(self.ratings_before(earlier))
                        by_name |= {name_key(earlier.players[one].name): rating for one, rating in after.items()}
                known = {
                    number: by_name.get(name_key(one.name), Rating()) for number, one in tournament.players.items()
                }
                self._ratings[tournament.id] = known
            return known

    # -- views ---------------------------------------------------------------------------------------------------

    def table_view(self, public: str) -> dict[str, Any]:
        """Return what the page shows of a table."""
        with self._lock:
            table = self.tables[public]
            state = table.state
            return {
                "id": public[:16],
                "name": state.name,
                "here": table.is_here,
                "game": state.game,
                "rules": list(state.rules),
                "mode": state.mode,
                "phase": state.phase,
                "turn": state.turn,
                "whose": state.whose,
                "seats": [[one.seat, one.name, one.computer, one.colour] for one in state.seats],
                "board": {node: list(stack) for node, stack in state.board.items()},
            }

    def figures(self) -> list[tuple[str, str, float]]:
        """Return name, words and value of what is counted."""
        with self._lock:
            last = [one.rounds[-1] for one in self.tournaments.values() if one.rounds and not one.ended]
            return [
                ("lodestone_club_connected", "Whether the broker can be reached", self.is_connected),
                ("lodestone_club_tables", "Tables that were heard", len(self.tables)),
                (
                    "lodestone_club_tables_here",
                    "Tables that are connected",
                    sum(t.is_here for t in self.tables.values()),
                ),
                ("lodestone_club_tournaments", "Tournaments", len(self.tournaments)),
                (
                    "lodestone_club_open_boards",
                    "Boards of last rounds without a result",
                    sum(board.points is None for one in last for board in one.boards),
                ),
                ("lodestone_club_records", "Verified records", len(self._records)),
                ("lodestone_club_records_lacking", "Records that are asked for", len(self._wanted) + len(self._coming)),
                ("lodestone_club_records_refused", "Records that were not true", self._refused_count),
            ]

    def tournament_summaries(self) -> list[dict[str, Any]]:
        """Return number, name and version of each tournament, the latest first."""
        with self._lock:
            return [
                {"id": number, "name": one.name, "version": len(one.acts)}
                for number, one in sorted(self.tournaments.items(), reverse=True)
            ]

    def tournament_view(self, number: int) -> dict[str, Any]:
        """Return all of a tournament for the page. Raise Refused."""
        with self._lock:
            one = self._tournament(number)
            before = self.ratings_before(one)
            last = one.last_undoable()
            return {
                "id": number,
                "name": one.name,
                "version": len(one.acts),
                "game": one.game,
                "title": full_title(one.game, one.rules),
                "mode": one.mode,
                "system": one.system,
                "planned": one.rounds_planned,
                "over": one.is_over,
                "ended": one.ended,
                "players": [
                    {
                        "number": player.number,
                        "name": player.name,
                        "withdrawn": player.withdrawn,
                        "rests": player.rests,
                        "rating": round(before[player.number].points),
                    }
                    for player in one.players.values()
                ],
                "rounds": [
                    {
                        "at": paired.at,
                        "bye": paired.bye,
                        "resting": list(paired.resting),
                        "boards": [
                            {
                                "first": board.first,
                                "second": board.second,
                                "table": board.table[:16],
                                "points": list(board.points) if board.points else None,
                                "how": board.how,
                                "record": board.record,
                            }
                            for board in paired.boards
                        ],
                    }
                    for paired in one.rounds
                ],
                "standings": [
                    {
                        "place": line.place,
                        "player": line.player,
                        "points": line.points / WIN,
                        "buchholz": line.buchholz / WIN,
                        "sonneborn": line.sonneborn / WIN / WIN,
                        "wins": line.wins,
                        "played": line.played,
                        "rating": round(line.rating.points),
                        "within": round(2 * line.rating.deviation),
                    }
                    for line in one.standings(before)
                ],
                "undo": {"act": last.number, "words": words_of(last, one)} if last else None,
            }

    def table_of(self, short: str) -> str:
        """Return the public key of a table that begins with 16 hex digits, empty for empty. Raise Refused."""
        with self._lock:
            keys = [public for public in self.tables if short and public.startswith(short)]
            if short and len(keys) != 1:
                raise Refused(say("there is no such table"))
            return keys[0] if keys else ""

    def record_views(self, most: int) -> list[dict[str, Any]]:
        """Return the latest records for the page. Raise ArchiveError."""
        return [
            {
                "digest": one.digest,
                "id": one.game_id,
                "title": full_title(one.game, one.rules),
                "table": one.table_name,
                "names": [name for _, (name, _) in sorted(one.seats.items())],
                "seats": sorted(one.seats),
                "used": one.digest in self._known.used,
                "remarks": self._known.remarks(one),
                "winners": [one.seats[seat][0] for seat in one.winners if seat in one.seats],
                "turns": one.turns,
                "received": one.received,
            }
            for one in self.archive.records(most=most)
        ]


def _text_of(packed: bytes) -> str:
    """Return the text of a record that has come. Raise RecordError."""
    try:
        return unpack_record(packed)
    except Unreadable as error:
        raise RecordError(str(error)) from error


def _natural(name: str) -> tuple[int, str]:
    """Order ``Table 9`` before ``Table 10``."""
    digits = "".join(letter for letter in name if letter.isdigit())
    return int(digits[:12] or 0), name


def now_utc() -> str:
    """Return the present time, UTC in ISO 8601, to the microsecond. It is for people, and decides nothing."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"

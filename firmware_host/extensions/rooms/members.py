"""Who is in a room, and what they tell each other: messages through the broker, sealed and signed (:mod:`.trust`).

:class:`Members` knows the tables as they have announced themselves, which of them are connected, and whether this
program speaks for its own (:mod:`firmware_host.link.lease`). What is played between them is the room's (:mod:`.room`).
"""

from __future__ import annotations

import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmware_host.archive.journal_events import canonical
from firmware_host.link.announcement import Announcement, Unreadable, read_text, read_whole
from firmware_host.link.broker import LARGEST, Connection
from firmware_host.link.common_log import RoomFile
from firmware_host.link.evidence import Evidence
from firmware_host.link.lease import TOPIC, Lease
from firmware_host.link.trust import Forged, Invitation, Keys
from firmware_host.table.subjects.seats import is_name
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import say

COPY = say(
    "Another Lodestone is in the room as this table already: one of the two has a copy of the other's data folder. This"
    " one stands back and changes nothing. End the other one, and play goes on here by itself; or leave the room here:"
    " host's page, Far tables."
)
"""What people are told at a table that stands back."""
MAX_PEERS = 64
"""Maximum number of tables, and of watchers, that are remembered."""
MAX_ENDED = 64
"""Maximum number of a table's connections that are known to have ended."""
MAX_A_ROUND, BYTES_A_ROUND = 100, LARGEST
"""Messages that are read in one round of the table's loop, and their size after which no further one is read.

A flood must not keep the table from its board, and the larger a member's message is, the more signatures of entries it
may have to be checked. A number of bytes, not of seconds: what a table does must not hang on its machine's load.
"""
_log = logging.getLogger(__name__)


@dataclass
class Peer:
    """Another table of the room, as it has announced itself."""

    public: str
    said: Announcement
    plays: bool
    """Whether it was invited to play; others only watch, and nothing that they say matters."""
    gone: Collection[int] = ()
    """Connections of it that have ended."""
    counter: int = -1
    """The number of the message in which it has announced itself."""
    answered: tuple[str, int, float] = ("", -1, 0.0)
    """The game and the number from which it was sent entries of the log last, and when it is sent them again."""
    in_vain: int = 0
    """How often it was sent entries, and has not come on by them."""

    @property
    def is_there(self) -> bool:
        """Whether it is connected to the broker."""
        return self.said.session not in self.gone


class Members(ABC):
    """The tables of a room as this one knows them."""

    _connection: Connection

    broker_now: Callable[[], str | None] = staticmethod(lambda: None)
    """Returns the address under which others find the broker now, if it is this table's own; any thread."""

    def __init__(self, kept: RoomFile, version: str) -> None:
        """Know nobody yet; a subclass connects to the broker."""
        self._kept = kept
        self.invitation = kept.value("invitation", Invitation.parse) or Invitation.parse("")
        self.identity = kept.identity()
        self.name = kept.setting("name") or ""
        self.keys = Keys(self.invitation)
        self._version = version
        self._evidence = Evidence(_log)
        self._session = 0
        self._farewell: tuple[str, bytes] | None = None
        """The will of the present connection, sealed beforehand: an end in order needs no file, which may be full."""
        self._lease = Lease(self._send_lease, lambda: self._session, kept.next_counter)
        self._peers: dict[str, Peer] = {}
        self._gone: dict[str, list[int]] = {}
        """Public key → connections of a table that have ended; the broker may tell that before anything else."""
        self._strangers: dict[str, tuple[str, str]] = {}
        """Public key → name and version of tables that this version does not understand."""
        self._heard_counters: dict[str, int] = {}
        """Public key → the number of the last announcement of a player that is not kept yet."""
        self._changes = 0
        """How often this table has changed, or what another one says of itself."""
        self._last: Announcement | None = None
        """What this table has told last on this connection."""
        self._past: Announcement | None = None
        """What it has told last before this program came; its files may be older."""

    @property
    def _me(self) -> str:
        return self.identity.public

    @property
    def is_player(self) -> bool:
        """Whether this table may play: it was not invited only to watch."""
        return self.invitation.secret is not None

    @property
    def invitation_now(self) -> Invitation:
        """The invitation with the address that the broker has now: a machine may get another one meanwhile."""
        broker = self.broker_now()
        return self.invitation if broker is None else replace(self.invitation, broker=broker)

    @property
    def _place(self) -> str:
        return f"lodestone/1/{self.invitation.room}"

    @property
    def subscription(self) -> str:
        """The topics of the room."""
        return f"{self._place}/+/+"

    def will(self) -> tuple[str, bytes]:
        """Return topic and message by which the broker tells that the next connection has ended.

        Its number is drawn, so that it is none of a program that has a copy of this table's folder.
        """
        self._session = secrets.randbits(52)
        topic = f"{self._place}/{self.identity.public[:16]}/gone"
        self._farewell = topic, self._seal(topic, {"session": self._session})
        return self._farewell

    def _seal(self, topic: str, fields: Mapping[str, Any]) -> bytes:
        return self.keys.seal(self.identity, topic, self._kept.next_counter(), canonical(dict(fields)).encode())

    def _send(self, what: str, fields: Mapping[str, Any], *, kept: bool = False) -> None:
        topic = f"{self._place}/{self.identity.public[:16]}/{what}"
        self._connection.send(topic, self._seal(topic, fields), kept=kept)

    def _send_lease(self, fields: Mapping[str, Any], *, kept: bool) -> None:
        self._send(TOPIC, fields, kept=kept)

    def _take_messages(self, at: float) -> bool:
        """Take what has come, as far as one round reads; return whether anything may have changed."""
        try:
            changed = self._read_messages(at)
        finally:
            self._keep_counters()
        return changed

    def _keep_counters(self) -> None:
        """Keep what was heard of players, before anything is done with it: no message of theirs counts twice."""
        if self._heard_counters:
            self._kept.note_counters(self._heard_counters)
            self._heard_counters = {}

    def _read_messages(self, at: float) -> bool:
        changed, size = False, 0
        for _ in range(MAX_A_ROUND):
            if size >= BYTES_A_ROUND or (message := self._connection.take()) is None:
                break
            changed = True
            size += len(message.payload)
            if not message.topic:
                self._last = None  # The connection is new, or gone: all is told again.
                if message.payload:
                    self._lease.begin()
                continue
            try:
                public, counter, body = self.keys.open(message.topic, message.payload)
                what = message.topic.rpartition("/")[2]
                if message.topic != f"{self._place}/{public[:16]}/{what}":
                    continue
                if public == self.identity.public:
                    self._read_own(counter, what, read_object(body), at)
                else:
                    self._read(public, counter, what, read_object(body))
            except (Forged, InvalidJson, Unreadable, ValueError, TypeError, KeyError) as error:
                why = str(error) or "it is not sealed with the room's key, or not signed by the table that it names"
                self._evidence.note("refused", "A message of the room under %s is refused: %s", message.topic, why)
        return changed

    def _read_own(self, counter: int, what: str, fields: Mapping[str, Any], at: float) -> None:
        """Read what this program has sent, or another one before it or with a copy of its folder."""
        self._kept.skip_past(counter)
        self._lease.read(what, fields, at)
        if what == "state" and not self._lease.is_held:
            self._past = Announcement.from_dict(fields)

    def _read(self, public: str, counter: int, what: str, fields: Mapping[str, Any]) -> None:
        peer = self._peers.get(public)
        if what == "state":
            try:
                said = Announcement.from_dict(fields)
            except Unreadable:
                self._note_stranger(public, fields)
                raise
            self._strangers.pop(public, None)
            if peer is not None and counter <= peer.counter:
                return  # Repeated, or older than what is known.
            plays = self.keys.is_invited(public, said.ticket)
            alike = sum(one.plays == plays for one in self._peers.values())  # Watchers keep no player out.
            if peer is None and (alike >= MAX_PEERS or counter < self._kept.last_counter(public)):
                words = "Table %s is refused: what it says is older than what is known, or too many are here"
                self._evidence.note(f"not taken {public[:16]}", words, public[:16])
                return
            if plays:  # Nothing that others say matters, not twice either.
                self._heard_counters[public] = counter
            if peer is None:
                peer = self._peers[public] = Peer(public, said, plays, self._gone.setdefault(public, []))
                self._changes += 1
            elif said != peer.said:
                self._changes += 1
            peer.said, peer.plays, peer.counter = said, plays, counter
        elif what == "gone" and (public in self._gone or len(self._gone) < 2 * MAX_PEERS):
            gone = self._gone.setdefault(public, [])
            gone.append(read_whole(fields["session"]))
            del gone[:-MAX_ENDED]
        elif what == "log" and isinstance(fields.get("entries"), list):
            self._read_entries(fields["entries"])

    def _note_stranger(self, public: str, fields: Mapping[str, Any]) -> None:
        """Note an invited table whose version this one does not understand: people have to know why it is missing."""
        name, version, ticket = (read_text(fields.get(what, "")) for what in ("name", "version", "ticket"))
        fits = public in self._strangers or len(self._strangers) < MAX_PEERS
        if fits and version != self._version and is_name(name) and self.keys.is_invited(public, ticket):
            self._strangers[public] = (name, version[:20])

    @abstractmethod
    def _read_entries(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Take entries of the log that another table has sent. Raise ValueError or TypeError for what is none."""

    def _is_renewed(self, peer: Peer) -> bool:
        """Return whether a table that is away has joined anew, under the same name: it had lost its room."""
        return not peer.is_there and any(
            one.is_there and one.plays and one.said.name == peer.said.name for one in list(self._peers.values())
        )

    def close(self) -> None:
        """End the connection; the room stays, and the table can come back."""
        if self._farewell is not None:  # The broker sends no will when a connection ends in order.
            self._connection.send(*self._farewell, kept=True)
        self._connection.close()
        self._kept.close()

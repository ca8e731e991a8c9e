"""A table's part in a club: it tells its public state, hands over the records of its finished games, and gets to know
which boards of a round are to be played at it.

``lodestone play --club INVITATION``. What it needs to be the same table after a restart is in ``club.sqlite`` of its
data folder. Games that were finished before it joined stay at home.
"""

from __future__ import annotations

import logging
import random
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from firmware_host.archive import records
from firmware_host.archive.data_folder import read_journal
from firmware_host.archive.format import RecordError
from firmware_host.archive.journal import Journal
from firmware_host.archive.journal_events import JournalError, canonical
from firmware_host.archive.summary import GameSummary
from firmware_host.extensions.club.assigned import AssignedBoards, Pairing
from firmware_host.extensions.club.messages import (
    FINISHED,
    SCHEME,
    Finished,
    SeatState,
    TableState,
    parts_of,
    read_boards,
    table_topic,
)
from firmware_host.games.capabilities import rules_of
from firmware_host.link.broker import Broker, Packet, parse_address, read_credentials
from firmware_host.link.common_log import RoomFile
from firmware_host.link.evidence import Evidence
from firmware_host.link.lease import TOPIC as LEASE
from firmware_host.link.lease import Lease
from firmware_host.link.text_files import read_text
from firmware_host.link.trust import Forged, Identity, Invitation, Keys
from firmware_host.plug import Parts
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.subjects.seats import is_name
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Refused, Text, fill, say

FILE = "club.sqlite"
COPY = say(
    "Another Lodestone is in the club as this table already: one of the two has a copy of the other's data folder. The"
    " club does not hear this one. End the other one, or let this one be a table of its own: end it, delete {path}, and"
    " start it again."
)
"""What people are told at a table that stands back."""
AGAIN_S = 60.0
"""A state that has not changed is sent again after so long: a broker may have dropped it."""

_log = logging.getLogger(__name__)


class Games(Protocol):
    """Where a table's finished games are."""

    def finished_games(self) -> Sequence[Finished]:
        """Return the last finished games since the table joined, the latest last."""

    def record(self, game: str) -> str:
        """Return a game's record. Raise RecordError."""


class JournalGames:
    """The finished games of a journal since its table is in the club."""

    def __init__(self, journal: Path, kept: RoomFile) -> None:
        """Use a journal that a table has open; ``kept`` is where the club's table keeps since when it is one."""
        self._journal, self._kept = journal, kept

    def _since(self, journal: Journal, games: Iterable[GameSummary]) -> int:
        """Return the number of the journal's event after which games count: clocks are set back."""
        noted = self._kept.setting("since") or ""
        if noted.isdecimal():
            since = min(int(noted), journal.length)  # A lower one is another journal's, or a part of it was lost.
        elif noted:  # The time, as an earlier version has noted it.
            since = max((one.end for one in games if (one.ended or "") < noted), default=0)
        else:
            since = journal.length
        if noted != str(since):
            self._kept.keep("since", str(since))
        return since

    def finished_games(self) -> Sequence[Finished]:
        """Return the last finished games."""
        try:
            with read_journal(self._journal) as journal:
                games = [one for one in journal.games() if one.state == "finished"]
                since = self._since(journal, games)
        except (TableError, JournalError) as error:
            _log.warning("The club can't be told which games are finished: %s", error)
            return ()
        later = sorted((one for one in games if one.end > since), key=lambda one: one.end)
        return [(one.id, one.events) for one in later[-FINISHED:]]

    def record(self, game: str) -> str:
        """Return a game's record."""
        try:
            with read_journal(self._journal) as journal:
                return "".join(f"{line}\n" for line in records.export(journal, game))
        except (TableError, JournalError) as error:
            raise RecordError(str(error)) from error


def become_member(kept: RoomFile, link: str, name: str) -> None:
    """Make this table a member of a club, unless it is one already. Raise Refused."""
    invitation = Invitation.parse(link, SCHEME)
    parse_address(invitation.broker)
    if invitation.secret is None:
        raise Refused(say("the invitation is not whole: copy all of it, or scan it again"))
    if not is_name(name):
        raise Refused(
            say("the table's name: expected 1 to 24 letters, digits or symbols, got {name}", name=repr(name[:40]))
        )
    kept.keep("name", name)
    if kept.setting("invitation") != invitation.link:
        kept.keep("private", Identity().private().hex())
        kept.keep("since", "")
        kept.keep("invitation", invitation.link)


class ClubTable:
    """A table as a club sees it. Thread-safe; :meth:`start` lets it follow the broker on a thread of its own."""

    def __init__(
        self,
        kept: RoomFile,
        games: Games,
        options: Callable[[], Iterable[str]] = tuple,
        take_boards: Callable[[Sequence[Pairing]], None] = lambda _: None,
        remark: Callable[[Text | None], None] = lambda _: None,
        *,
        version: str = "",
        credentials: tuple[str, str] | None = None,
        connect: Callable[..., Broker] = Broker,
    ) -> None:
        """Take part in the club that is kept in a file (:func:`become_member`). Raise Refused for an unusable address.

        ``options`` returns the options of the rules that are on at the table; ``take_boards`` is called with the open
        boards that the club has assigned to it, and has to be quick. ``remark`` is called with what people have to know
        of the club, None once they need not any more, on the thread that follows the broker.
        """
        self._kept, self._games, self._options, self._version = kept, games, options, version
        self._take_boards, self._remark = take_boards, remark
        self.invitation = Invitation.parse(kept.setting("invitation") or "", SCHEME)
        self.identity = kept.identity()
        self.name = kept.setting("name") or ""
        self._keys = Keys(self.invitation)
        self._session = 0
        self._lock = threading.RLock()
        self._lease = Lease(self._send_lease, lambda: self._session, kept.next_counter)
        self._speaks: bool | None = None
        """Whether this program speaks for the table, or stands back; None: that was not known yet."""
        self._boards: Sequence[Pairing] = ()
        """The open boards that the club has told last."""
        self._shown: Sequence[Pairing] | None = ()
        """Those that people have been shown; None: the club has told them again."""
        self._view: Mapping[str, Any] | None = None
        self._finished: tuple[Finished, ...] = tuple(games.finished_games())
        self._ended = False
        """Whether a game has ended that is not named yet."""
        self._last: TableState | None = None
        self._again = 0.0
        self._evidence = Evidence(_log)
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        topics = [self._topic(what) for what in ("ask", "boards", "gone", LEASE)]
        self._broker = connect(self.invitation.broker, topics, self.will, credentials or self.invitation.login)

    def start(self) -> None:
        """Follow the broker until :meth:`close`."""
        self._thread = threading.Thread(target=self._follow, name="club", daemon=True)
        self._thread.start()

    def _topic(self, what: str) -> str:
        return table_topic(self.invitation, self.identity.public, what)

    def will(self) -> tuple[str, bytes]:
        """Return topic and message by which the broker tells that the next connection has ended.

        Its number is none of a program that has a copy of this table's folder.
        """
        self._session = self._kept.next_counter()
        return self._topic("gone"), self._seal("gone", {"session": self._session})

    def _seal(self, what: str, fields: Mapping[str, Any]) -> bytes:
        body = canonical(dict(fields)).encode()
        return self._keys.seal(self.identity, self._topic(what), self._kept.next_counter(), body)

    def _send(self, what: str, fields: Mapping[str, Any], *, kept: bool) -> None:
        self._broker.send(self._topic(what), self._seal(what, fields), kept=kept)

    def _send_lease(self, fields: Mapping[str, Any], *, kept: bool) -> None:
        self._send(LEASE, fields, kept=kept)

    def show(self, view: Mapping[str, Any]) -> None:
        """Tell a view's public state, if it has changed; called with each view, and quick. No lesson is told."""
        if view["lesson"] is None and not self._closed.is_set():
            with self._lock:
                self._ended = view["phase"] == "over" and (
                    self._ended or self._view is None or self._view["phase"] != "over"
                )
                self._view = view
                self._tell()

    def _tell(self, *, anyway: bool = False) -> None:
        if self._view is None or not self._lease.is_held:
            return
        state = self._state(self._view)
        if anyway or state != self._last:
            self._last = state
            # Not all tables that came back together say all again together.
            self._again = time.monotonic() + AGAIN_S * random.uniform(0.5, 1.0)
            self._send("state", state.to_dict(), kept=True)

    def _state(self, view: Mapping[str, Any]) -> TableState:
        still = view["standstill"] is not None
        game_on = view["phase"] not in BETWEEN_GAMES
        return TableState(
            self.name,
            self._keys.ticket(self.identity.public),
            self._version,
            self._session,
            view["game"]["name"],
            tuple(self._options()),
            view["game"]["mode"],
            view["game"]["id"],
            "still" if still else "paused" if view["paused"] else view["phase"],
            view["turn"] or 0,
            (view["resolver"] or 0) if game_on else 0,
            tuple(
                SeatState(one["seat"], one["name"], bool(one["computer"]), one["colour"])
                for one in view["seats"]
                if one["taken"]
            ),
            {node: tuple(stack) for node, stack in view["board"].items()},
            self._finished,
        )

    def _follow(self) -> None:
        while not self._closed.is_set():
            self.step(self._broker.wait(0.5))

    def step(self, packet: Packet | None) -> None:
        """Do what is due, and handle a message, if there is one."""
        try:
            if packet is not None:
                self._handle(packet)
            self._look()
        except Exception:  # noqa: BLE001 - what one message asks for must not end the connection
            _log.exception("a message of the club")

    def _look(self) -> None:
        """Name a game that has ended; say again what a broker may have dropped; see whether this is the table."""
        with self._lock:
            held = self._lease.is_held
            if self._broker.is_up:
                self._lease.look(time.monotonic())
            came = self._lease.is_held and not held
            speaks = True if self._lease.is_held else False if self._lease.is_refused else self._speaks
        if speaks is not self._speaks:
            if False in {speaks, self._speaks}:
                self._remark(None if speaks else fill(COPY, path=str(self._kept.path)))
            self._speaks = speaks
        boards = self._boards if speaks else ()
        if boards != self._shown:
            self._shown = boards
            self._take_boards(boards)
        ended, self._ended = self._ended, False
        found = tuple(self._games.finished_games()) if ended else self._finished
        with self._lock:
            self._finished = found
            self._tell(anyway=came or time.monotonic() >= self._again)

    def _handle(self, packet: Packet) -> None:
        if not packet.topic:
            if packet.payload:  # The connection is up: the state is told once this program has the table's place.
                with self._lock:
                    self._lease.begin()
            return
        try:
            sender, counter, body = self._keys.open(packet.topic, packet.payload)
            what = packet.topic.rpartition("/")[2]
            if sender == self.identity.public and packet.topic == self._topic(what):
                with self._lock:
                    self._kept.skip_past(counter)
                    self._lease.read(what, read_object(body), time.monotonic())
            if sender != self.invitation.opener:
                return
            fields = read_object(body)
            if packet.topic == self._topic("ask") and self._lease.is_held:
                self._hand_over(next((one for one in self._finished if one[0] == fields.get("game")), None))
            elif packet.topic == self._topic("boards") and counter >= self._kept.last_counter(sender):
                self._boards, self._shown = read_boards(fields), None
                # The broker says the last ones again after a restart; older ones it must not bring back.
                self._kept.note_counters({sender: counter})
        except (Forged, InvalidJson, ValueError, KeyError) as error:
            why = str(error) or "it is not sealed with the club's key, or not signed by the club"
            self._evidence.note("refused", "A message under %s is refused: %s", packet.topic, why)

    def _hand_over(self, game: Finished | None) -> None:
        if game is None:
            return
        try:
            parts = parts_of(game, self._games.record(game[0]))
        except (RecordError, ValueError) as error:
            _log.warning("The record of game %s can't be handed over: %s", game[0], error)
            return
        words = "The record of game %s (%d entries) is handed over to the club"
        self._evidence.note(f"hands over {game[0]}", words, *game)
        for part in parts:
            self._send("record", part.to_dict(), kept=False)

    def close(self) -> None:
        """Say that the table is away, and end the connection."""
        self._closed.set()
        self._send("gone", {"session": self._session}, kept=True)
        self._broker.close()
        if self._thread is not None:
            self._thread.join(2)
        self._kept.close()


def join_club(parts: Parts, assigned: AssignedBoards) -> None:
    """Let the club of the command line follow a table that opens. Raise Refused for an unusable invitation."""
    link, login, runtime = parts.options.club, parts.options.login, parts.runtime
    if not link.startswith("lodestone-"):
        try:
            link = read_text(Path(link))
        except Refused as error:
            raise Refused(f"--club: expected an invitation (lodestone-club:…) or a file with one: {error}") from error
    kept = RoomFile(parts.folder / FILE)
    become_member(kept, link, parts.options.club_name or socket.gethostname()[:24])
    table = ClubTable(
        kept,
        JournalGames(parts.journal.path, kept),
        lambda: rules_of(runtime.setting.game),
        lambda boards: setattr(assigned, "pairings", boards),
        lambda words: runtime.remark("club", words),
        version=parts.version,
        credentials=read_credentials(login) if login else None,
    )
    parts.stack.callback(table.close)
    table.start()
    runtime.follow(table.show)

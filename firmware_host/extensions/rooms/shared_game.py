"""The log of one game between tables, as this table has it: from its journal, in its room's file, and from the others.

**The journal is the account.** The log follows from what the table journals (:mod:`firmware_host.link.common_log`), in
memory and without a failure: nothing has to be written for it. The file of the room follows as soon as it can: all
entries up to a number are kept, with the signatures of who has written them, and told afterwards. So what others learn
of this table is on its disk before, and a disk that is full for a while leaves no hole.

What the others have written waits here until its turn comes; one that contradicts the log stops the game.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from firmware_host.archive.journal_events import canonical
from firmware_host.extensions.rooms.members import Peer
from firmware_host.extensions.rooms.succession import AGAIN_S, Succession, read_texts
from firmware_host.link.announcement import Announcement
from firmware_host.link.broker import LARGEST
from firmware_host.link.common_log import CommonLog, RoomFile, SharedEntry
from firmware_host.table import events as ev
from firmware_host.table.state import Table
from firmware_host.text.words import say

_log = logging.getLogger(__name__)

Entry = tuple[str, Mapping[str, Any]]
BATCH = 20
"""Number of entries in one message."""
LATE = 2
"""How many entries others may lack of those that this table had when it was ended."""
MAX_WAITING_BYTES = 1 << 20
"""Length of the entries that wait for their turn, bytes, after which only the next one is added."""
ANSWERS_A_S, WATCHER_ANSWERS_A_S = 10, 3
"""Maximum number of messages in a second with entries that others lack, to all of them together; players come first,
and after so few no more go to those who only watch."""
MAX_PAUSE_S, MAX_WATCHER_PAUSE_S = 8.0, 600.0
"""Maximum time after which a table that does not come on is sent the same entries again, seconds."""
LARGEST_BATCH = LARGEST - 1024
"""Their length in all, bytes; the message has a head, signatures, and a few words besides."""


def read_seats(text: str) -> dict[int, str]:
    """Return what is kept by seat: tables or names. Raise ValueError for anything else."""
    return {int(seat): value for seat, value in read_texts(text).items()}


def batches(entries: Iterable[SharedEntry]) -> Iterator[list[SharedEntry]]:
    """Yield entries in lists that fit in one message each."""
    batch, size = list[SharedEntry](), 0
    for entry in entries:
        length = len(canonical(entry.to_dict())) + 1
        if batch and (len(batch) == BATCH or size + length > LARGEST_BATCH):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += length
    if batch:
        yield batch


class SharedGame(Succession):
    """The members of a room, and the log of the game that they play now."""

    def __init__(self, kept: RoomFile, version: str) -> None:
        """Know no game yet."""
        super().__init__(kept, version)
        self._entries: dict[int, list[SharedEntry]] = {}
        """Entries of others that are not in this table's log yet, or not kept yet, by number."""
        self._log = CommonLog("")
        self._kept_to = 0
        """The number of entries of the log that the file of the room has."""
        self._answers: dict[tuple[str, int], float] = {}
        """The places from which entries were sent in the last second to those who lack them, and when."""
        self._own: tuple[dict[int, str], list[Entry]] = ({}, [])
        """The names, and what the journal has, of a game that this table plays alone."""
        self._found_again: CommonLog | None = None
        """The log of that game with the seats that others offer, if it begins as they say."""
        self._is_followed = False
        """Whether somebody has written what comes after that log."""
        self._untaken: list[Entry] | None = None
        """What the journal has of a game whose tables could not be read from the room's file yet."""
        self._found = ""
        """Why the game can't go on, as this table has found itself: that alone it tells the others."""
        self._heard = ""
        """Why it can't, as another table says now that has found it."""
        self._stirred = True

    # -- entries of other tables ---------------------------------------------------------------------------------

    def _read_entries(self, entries: Sequence[Mapping[str, Any]]) -> None:
        for one in entries[:BATCH]:
            self._note_entry(SharedEntry.from_dict(one))

    def _note_entry(self, entry: SharedEntry) -> None:
        """Keep an entry until its turn comes; one that contradicts this table's log stops the game."""
        leader = self._leader
        next_game = entry.number == 0 and leader is not None and entry.game == leader.said.game_id
        if entry.game != self._log.game_id and not next_game:
            return
        known = self._found_again
        if known is not None and (entry.number, entry.prev) == (len(known), known.head) and entry.is_genuine:
            self._is_followed = True
        if entry.number < self._kept_to:
            mine = self._log.entries[entry.number]
            if entry.game == mine.game and self._may_have_written(entry):
                self._note_signature(entry) if entry.hash == mine.hash else self._stop_for(entry)
            return
        if entry.number > len(self._log):
            words = "This table has %d entries of game %s, entry %d has come: it catches up"
            self._evidence.note("behind", words, len(self._log), entry.game, entry.number)
        begins = entry.number == 0 and self._heir(entry.table) == self._opener and entry.is_genuine
        if entry.number < len(self._log) + 4 * BATCH and (begins or self._may_have_written(entry)):
            waiting = self._entries.setdefault(entry.number, [])
            if entry.number == 0:
                waiting[:] = [one for one in waiting if one.game in {self._log.game_id, entry.game}]
            before = next((one for one in waiting if (one.game, one.table) == (entry.game, entry.table)), None)
            if before is None and (entry.number <= len(self._log) or self._waiting_bytes() < MAX_WAITING_BYTES):
                waiting.append(entry)
            elif before is None:
                return  # It is asked for again once the ones before it are here.
            elif before.hash != entry.hash and entry.game == self._log.game_id:
                self._stop_for(entry)

    def _waiting_bytes(self) -> int:
        return sum(len(one.text) for some in self._entries.values() for one in some)

    def _note_signature(self, entry: SharedEntry) -> None:
        if entry.kind == "reveal" and entry.table != self._me:
            self._kept.note_signature(entry)

    def _may_have_written(self, entry: SharedEntry) -> bool:
        return self._heir(entry.table) in set(self._tables.values()) and entry.is_genuine

    # -- what this table journals --------------------------------------------------------------------------------

    def note(self, table: Table, entries: Sequence[Entry]) -> None:
        """Take the entries that the table has just journalled; what follows from them is done in the next round."""
        if self._untaken is not None:
            self._untaken.extend(entries)
        elif self._is_alone:
            self._own[1].extend(entries)
        else:
            self._feed(table, entries)
        self._stirred = True
        self._changes += 1

    def _feed(self, table: Table, entries: Iterable[Entry]) -> None:
        """Let the log follow from what was journalled."""
        for kind, data in entries:
            if kind == "start":
                self._fix_seats(table)
            self._log.feed(kind, data)

    def _fix_seats(self, table: Table) -> None:
        """At the start it is fixed which table plays which seat; another one may play on for it later."""
        if not self._log.seats:
            sittings = table.ledger.sittings
            self._log.seats = {seat: (self._tables.get(seat, self._me), one.name) for seat, one in sittings.items()}
        self._tables = {seat: self._heir(public) for seat, (public, _) in self._log.seats.items()}

    def _known_seats(self, game_id: str) -> dict[int, tuple[str, str]]:
        """Return the tables and the names with which a game has begun in this room, by seat; none if it has not."""
        known = read_seats(self._kept.setting(f"seats {game_id}") or "{}")
        names = read_seats(self._kept.setting(f"names {game_id}") or "{}")
        return {seat: (public, names[seat]) for seat, public in known.items()}

    def _keep_seats(self, game_id: str, seats: Mapping[Any, Sequence[str]]) -> None:
        """Keep the tables and names with which a game began. The names first: a kill in between changes nothing."""
        self._kept.keep(f"names {game_id}", canonical({str(seat): name for seat, (_, name) in seats.items()}))
        self._kept.keep(f"seats {game_id}", canonical({str(seat): public for seat, (public, _) in seats.items()}))

    def _know_again(self, others: Sequence[Announcement]) -> bool:
        """Know a game again whose tables this one has forgotten, its room's file being lost; the journal has it.

        It is taken for one of the room's only by a proof, since all of it is told then: the log that follows from the
        journal here, with the tables that are offered and the names of here, begins as theirs, and each of the others
        has a hash of its end, or somebody has written what comes after it. Nobody else can know these hashes.
        """
        names, entries = self._own
        game_id = self._log.game_id
        first = next((one for one in self._entries.get(0, []) if one.game == game_id), None)
        seats = {int(seat): one for seat, one in first.data.get("seats", {}).items()} if first is not None else {}
        if first is None or {seat: name for seat, (_, name) in seats.items()} != names:
            return False
        log = CommonLog(game_id, seats)
        for kind, data in entries:
            log.feed(kind, data)
        if not log.entries or log.entries[0].hash != first.hash:
            return False
        self._found_again = log
        if not all(self._has_end_of(log, said) for said in others):
            return False
        self._keep_seats(game_id, first.data["seats"])
        return True

    def _has_end_of(self, log: CommonLog, said: Announcement) -> bool:
        """Return whether another table's number and hash prove that it has this log; it may lack what is last."""
        if said.number > len(log):
            return self._is_followed
        return said.number >= max(1, len(log) - LATE) and said.head == log.entries[said.number - 1].hash

    def _keep_log(self) -> None:
        """Keep what the log has more than the file of the room, then tell what of it nobody else has told.

        Raise sqlite3.Error; then all of that is still to be done.
        """
        new, told = self._log.entries[self._kept_to :], list[SharedEntry]()
        if not new:
            return
        with self._kept.together():
            if self._kept_to == 0 and not self._known_seats(self._log.game_id):
                self._keep_seats(self._log.game_id, self._log.seats)
            for entry in new:
                told.extend(self._keep(entry))
        for entry in new:
            self._entries.pop(entry.number, None)
        self._kept_to += len(new)
        if self.is_player and self._lease.is_held:
            for batch in batches(told):
                self._tell(batch)

    def _keep(self, entry: SharedEntry) -> Iterator[SharedEntry]:
        """Keep one entry as its table has signed it; yield it if this table has to tell it the others."""
        waiting = [
            one for one in self._entries.get(entry.number, []) if one.game == entry.game and self._may_have_written(one)
        ]
        received = [one for one in waiting if one.hash == entry.hash]
        if waiting and not received:
            self._stop_for(waiting[0])
        for one in received:
            self._note_signature(one)
        if any(one.hash == entry.hash for one in self._kept.entries(entry.game, entry.number, 1)):
            return
        follows_from_all = entry.kind == "reveal" and self._me in self._tables.values()  # All sign it.
        signed = received[0] if received and not follows_from_all else entry.signed_by(self.identity)
        self._kept.note_entry(signed)
        if not received or entry.kind == "reveal":
            yield signed

    def _tell(self, entries: Sequence[SharedEntry]) -> None:
        self._send("log", {"entries": [one.to_dict() for one in entries]})

    def _help_others(self, at: float) -> None:
        """Send the entries that other tables have not got, those that they have asked for by their numbers.

        All hear them, so those of one place are sent once for all who are there. What follows is sent at once; to whom
        nothing comes of it, the same after a longer time each time: who watches may say anything, or be gone for good.
        """
        asking: dict[tuple[str, int], list[Peer]] = {}
        for peer in self._peers.values():
            if self._lacks_entries(peer, at):
                asking.setdefault((peer.said.game_id, peer.said.number), []).append(peer)
        self._answers = {place: when for place, when in self._answers.items() if at < when + AGAIN_S}
        for place in sorted(asking, key=lambda one: not any(peer.plays for peer in asking[one])):
            peers = asking[place]
            most = ANSWERS_A_S if any(peer.plays for peer in peers) else WATCHER_ANSWERS_A_S
            if len(self._answers) >= most or place in self._answers:
                continue  # In a later round.
            entries = self._kept.entries(*place, BATCH)
            if entries:
                self._answers[place] = at
                self._answer(entries, peers)
            for peer in peers:
                peer.in_vain = 0 if not entries or self._has_come_on(peer) else min(peer.in_vain + 1, 20)
                longest = MAX_PAUSE_S if peer.plays else MAX_WATCHER_PAUSE_S
                peer.answered = (*place, at + min(longest, AGAIN_S * 2 ** max(0, peer.in_vain - 1)))

    def _lacks_entries(self, peer: Peer, at: float) -> bool:
        """Return whether a table is to be sent entries now."""
        said = peer.said
        if said.game_id == self._log.game_id and said.number >= len(self._log):
            peer.in_vain = 0
            return False
        return peer.is_there and (self._has_come_on(peer) or at >= peer.answered[2])

    def _has_come_on(self, peer: Peer) -> bool:
        """Return whether a table has more than when it was sent entries last, or has come to this game since."""
        game_id, number, _ = peer.answered
        same = peer.said.game_id == game_id
        return peer.said.number > number if same else peer.said.game_id == self._log.game_id

    def _answer(self, entries: Sequence[SharedEntry], peers: Sequence[Peer]) -> None:
        """Send entries to those who lack them: a player gets what it has signed itself as it has signed it."""
        players = [peer.public for peer in peers if peer.plays] or [""]
        signed = [{one.signature: one for one in (self._kept.signed_by(entry, public) for public in players)}
                  for entry in entries]  # fmt: skip
        batch = next(batches(one for each in signed for one in each.values()))
        words = "Table %s has %d entries of game %s: the next %d are sent to it"
        first, name = entries[0], peers[0].public[:16]
        self._evidence.note(f"helps {name}", words, name, first.number, first.game, len(batch))
        self._tell(batch)

    # -- what stops the game -------------------------------------------------------------------------------------

    @property
    def _stopped(self) -> str:
        """Why the game can't go on between the tables; empty while it can."""
        return self._found or self._heard

    def stop(self, why: str) -> None:
        """Say at all tables why this game can't go on between them."""
        if not self._stopped:
            self._found = str(why)[:200]
            _log.warning("The game between tables is stopped at entry %d: %s", len(self._log), self._found)
            self._stirred = True

    def _compare_logs(self) -> None:
        """Stop where another table's log differs; hear which of them stop the same game, as long as they do.

        A table repeats nobody else's stop: else all would hear of it from each other for ever. One belongs to its
        place of the log, so it counts once this table is there, too.
        """
        said = {public: self._peers[public].said for public in self._needed_tables() if public in self._peers}
        for public in sorted(set(said) & set(self._tables.values())):
            if not self._has_same_log(said[public]):
                self.stop(say("the journal of the table {name} is not the same as here", name=said[public].name))
        here = [said[public] for public in sorted(said) if said[public].game_id == self._log.game_id]
        stops = (one.stopped for one in here if one.stopped and one.number <= len(self._log))
        self._heard = next(stops, "")

    def _weigh(self, weighing: Iterator[ev.Event]) -> Iterator[ev.Event]:
        """Yield what follows from entries of others. An error that nobody has thought of is theirs: they don't follow.

        Raise sqlite3.Error: that is none of them.
        """
        try:
            yield from weighing
        except sqlite3.Error:
            raise
        except Exception:  # noqa: BLE001 - whatever another table has sent
            number = len(self._log)
            _log.exception("Entry %d of another table can't be weighed", number)
            self.stop(say("entry {number} of the game can't be judged at the table {name}: the log of its program names"
                          " the error", number=number, name=self.name))  # fmt: skip

    def _stop_for(self, entry: SharedEntry) -> None:
        name = self._name(entry.table)
        self.stop(say("the table {name} has written something else at the same place as another table", name=name))

    def _has_same_log(self, said: Announcement) -> bool:
        """Return whether another table's log is the one of this table, as far as both go.

        One without a hash asks for entries only: it does not know yet whether its game is this one.
        """
        if said.game_id != self._log.game_id or not said.head or not 0 < said.number <= len(self._log):
            return True
        return said.head == self._log.entries[said.number - 1].hash

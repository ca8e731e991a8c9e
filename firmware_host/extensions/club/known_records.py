"""The verified records that a club knows, and which results follow from them.

What follows is decided from all records and all acts, each time anew. So it does not matter in which order they have
come, what was struck since, and where a kill or an error of the database has cut in.

A game has one record that can count at its table: the last one. An earlier one is that of an end that was taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.extensions.club.store import KeptRecord
from firmware_host.extensions.club.tournament import RECORD, WIN, Board, Tournament
from firmware_host.table.subjects.seats import name_key

Meeting = tuple[str, tuple[str, ...], str, frozenset[str]]
"""Game, options, mode, and the keys of both names."""
Due = tuple[str, Mapping[str, Any]]
"""An act that is due: its kind and data."""
COMPUTER, CHANGED, GIVEN, PLAYED_ON = "computer", "changed", "given", "played-on"
"""Why a record does not count by itself: a computer took part; somebody took over a seat; the game began in a position
that was set up; its end was taken back."""


class KnownRecords:
    """The records by their digests, and what they say about boards. Not thread-safe."""

    def __init__(self) -> None:
        """There are none."""
        self.by_digest: dict[str, KeptRecord] = {}
        self.used: set[str] = set()
        """Records that have ever brought a result, also one that was struck."""
        self._by_meeting: dict[Meeting, list[KeptRecord]] = {}
        self._last: dict[tuple[str, str], KeptRecord] = {}
        """Table and game → its last record."""
        self._counted_at: dict[tuple[str, Meeting], set[str]] = {}
        """Game and who has met in it → tables whose records of it have brought a result. Of a game between far tables
        each has a record. A game's id alone would not do: a table may give its game the id of any other."""

    def note(self, record: KeptRecord) -> None:
        """Know a record that is in the archive."""
        self.by_digest[record.digest] = record
        game = record.table, record.game_id
        if game not in self._last or _age(record) > _age(self._last[game]):
            self._last[game] = record
        if not _faults(record):
            self._by_meeting.setdefault(_meeting(record), []).append(record)

    def note_used(self, tournament: Tournament) -> None:
        """Know which records a tournament has used."""
        used = tournament.used_records()
        self.used |= used
        for record in (self.by_digest[digest] for digest in used if digest in self.by_digest):
            self._counted_at.setdefault((record.game_id, _meeting(record)), set()).add(record.table)

    def last_of(self, record: KeptRecord) -> KeptRecord:
        """Return the last record of the same game at the same table, which may be this one."""
        return self._last.get((record.table, record.game_id), record)

    def remarks(self, record: KeptRecord) -> list[str]:
        """Return why a record does not count by itself, whoever is paired."""
        return sorted(_faults(record)) + [PLAYED_ON] * (self.last_of(record).digest != record.digest)

    def replacing(self, tournament: Tournament, board: Board, place: int) -> Sequence[Due]:
        """Return what is due to a board of the last round if the end of its game was taken back and played anew.

        The later record has to say the same of who sat where; otherwise the result is struck.
        """
        old = self.by_digest.get(board.record) if board.how == RECORD else None
        if old is None or (new := self.last_of(old)) is old or new.digest in self.used:
            return []
        key = name_key(tournament.players[board.first].name)
        seat = board.seat or next((one for one, (name, _) in old.seats.items() if name_key(name) == key), 0)
        if seat in new.seats and new.seats == old.seats and _faults(new) <= _faults(old):
            return [("correct", self.result(tournament, place, new, seat))]
        return [("undo", data) for data in tournament.undos_of(board)]

    def matching(self, tournament: Tournament, board: Board, place: int) -> Sequence[Due]:
        """Return the result that is due to an open board of the last round, if a record fits it."""
        if board.points is not None:
            return []
        first, second = (name_key(tournament.players[number].name) for number in (board.first, board.second))
        options = tuple(sorted(tournament.rules))
        for record in self._by_meeting.get((tournament.game, options, tournament.mode, frozenset({first, second})), ()):
            here = board.table in {"", record.table}
            counted_at = self._counted_at.get((record.game_id, _meeting(record)), {record.table})
            used = record.digest in self.used or record.table not in counted_at
            last = self.last_of(record) is record
            if here and last and not used and record.number > tournament.rounds[-1].records:
                seat = next(one for one, (name, _) in record.seats.items() if name_key(name) == first)
                return [("result", self.result(tournament, place, record, seat))]
        return []

    def result(self, tournament: Tournament, place: int, record: KeptRecord, seat: int) -> dict[str, Any]:
        """Return the data of a result of the last round by a record; ``seat`` is where the first player sat in it."""
        return {"round": len(tournament.rounds), "board": place, **result_of(record, seat), "hand": False}


def result_of(record: KeptRecord, seat: int) -> dict[str, Any]:
    """Return what a record says of a board whose first player sat at ``seat``: points, and what they rest on."""
    points = [1, 1] if len(record.winners) != 1 else [WIN, 0] if record.winners[0] == seat else [0, WIN]
    return {"points": points, "how": RECORD, "record": record.digest, "seat": seat}


def _age(record: KeptRecord) -> tuple[int, int]:
    """Return what is higher for the later of two records of a game."""
    return record.entries, record.number


def _faults(record: KeptRecord) -> set[str]:
    """Return what in a record keeps it from counting by itself."""
    computer = any(computer for _, computer in record.seats.values())
    found = {COMPUTER: computer, CHANGED: record.changed, GIVEN: record.given}
    return {fault for fault, there in found.items() if there}


def _meeting(record: KeptRecord) -> Meeting:
    keys = frozenset(name_key(name) for name, _ in record.seats.values())
    return record.game, tuple(sorted(record.rules)), record.mode, keys

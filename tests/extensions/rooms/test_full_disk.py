"""The file of the room can't be written for a while: the journal is the account, and the file follows once it can."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from firmware_host.link.common_log import RoomFile
from tests.extensions.rooms.rooms import Place, play, play_for, settle, until
from tests.extensions.rooms.test_room import (
    FEW_ENTRIES,
    GAMES,
    are_over,
    assert_same,
    begin,
    both_lie,
    guests,
    has_drawn,
    meet,
)
from tests.sentences import is_in


class FullDisk:
    """A connection to a file whose disk is full, as far as some statements go."""

    def __init__(self, place: Place, *statements: str) -> None:
        """Until :meth:`free` no statement that begins with one of these is done."""
        self._kept, self._file, self._statements = place.room._kept, place.room._kept._file, statements
        self.refused = 0
        self._kept._file = self  # type: ignore[assignment]

    def execute(self, statement: str, *values: Any) -> Any:
        """Do a statement, or refuse it."""
        if statement.startswith(self._statements):
            self.refused += 1
            raise sqlite3.OperationalError("database or disk is full")
        return self._file.execute(statement, *values)

    def free(self) -> None:
        """Let all be done again."""
        self._kept._file = self._file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def waits_for_disk(place: Place) -> bool:
    return any(is_in("what the tables have played can't", str(one)) for one in place.view["notices"])


def kept(place: Place) -> list[int]:
    """Return the numbers of the entries in the file of the room."""
    return [one.number for one in place.room._kept.entries(place.room._log.game_id, 0, 1000)]


ENTRY = "INSERT OR REPLACE INTO entry"


@pytest.mark.parametrize("refused", [ENTRY, "INSERT", "BEGIN", "SELECT", "COMMIT"])
def test_what_hands_have_played_is_kept_once_it_can_be(tmp_path: Path, refused: str) -> None:
    """The table says why it waits, its program goes on, and nobody misses an entry afterwards."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    people = guests(places, FEW_ENTRIES)
    play(people, lambda: len(ada.room._log) >= 2 and both_lie(places) and ada.view["resolver"] == 1)
    before = len(ben.room._log)
    disk = FullDisk(ada, refused)
    play_for(people, 100)
    assert waits_for_disk(ada)
    assert disk.refused <= 20, "it is tried again now and then"
    assert len(ben.room._log) == before, "what is not kept is told to nobody"
    disk.free()
    play(people, lambda: len(ben.room._log) > before)
    assert not waits_for_disk(ada)
    assert kept(ada) == list(range(len(ada.room._log)))
    ada.kill()
    ada.start()
    play(people, lambda: are_over(places))
    assert_same(places)


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """As SQLite says it."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    people = guests(places, FEW_ENTRIES)
    play(people, lambda: len(ada.room._log) >= 1 and both_lie(places))
    file = ada.room._kept._file
    file.execute("PRAGMA max_page_count=1")
    play(people, lambda: waits_for_disk(ada))
    play_for(people, 50)
    assert len(ben.room._log) <= len(ada.room._log)
    file.execute("PRAGMA max_page_count=1000000")
    play(people, lambda: are_over(places))
    assert_same(places)


def test_a_lot_that_was_not_kept_is_kept_and_told_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One write fails once: the entry is in the journal, and the others get it all the same."""
    _, places = meet(tmp_path, GAMES[3])
    ada, _ = places
    note, failed = RoomFile.note_entry, list[int]()

    def fails_once(self: RoomFile, entry: Any) -> None:
        if entry.kind == "lot" and self is ada.room._kept and not failed:
            failed.append(entry.number)
            raise sqlite3.OperationalError("database or disk is full")
        note(self, entry)

    monkeypatch.setattr(RoomFile, "note_entry", fails_once)
    begin(ada)
    play(guests(places), lambda: has_drawn(places, 1))
    assert failed
    assert kept(ada) == list(range(len(ada.room._log)))


def test_a_table_that_can_t_read_its_room_takes_up_the_game_later(tmp_path: Path) -> None:
    """The next game is opened meanwhile: nothing of it is lost."""
    _, places = meet(tmp_path, GAMES[2])
    ada, ben = places
    begin(ada)
    people = guests(places, 3)
    play(people, lambda: are_over(places))
    disk = FullDisk(ada, "SELECT")
    ada.table.runtime.rematch()
    settle(*places)
    assert waits_for_disk(ada)
    disk.free()
    until(lambda: ben.view["game"]["id"] == ada.view["game"]["id"] and not waits_for_disk(ada), *places)
    begin(ada) if ada.view["phase"] == "lobby" else None
    until(lambda: all(one.view["phase"] not in {"over", "lobby"} for one in places), *places)
    until(lambda: ada.room._log.head == ben.room._log.head, *places)


def test_no_number_is_used_that_is_not_kept(tmp_path: Path) -> None:
    """The counter of messages stands on disk before it is used, also after a write that has failed."""
    _, (ada, _) = meet(tmp_path, GAMES[2])
    file = ada.room._kept
    file._reserved = file._used
    disk = FullDisk(ada, "INSERT")
    for _ in range(3):
        with pytest.raises(sqlite3.OperationalError):
            file.next_counter()
    disk.free()
    counter = file.next_counter()
    assert int(file.setting("counter") or 0) >= counter


def test_a_room_that_fails_does_not_end_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the room does with what was journalled: the table plays on."""
    _, places = meet(tmp_path, GAMES[2])
    ada, _ = places
    begin(ada)
    people = guests(places)
    play(people, lambda: len(ada.room._log) >= 2 and both_lie(places) and ada.view["resolver"] == 1)
    moments = len(ada.table.committed)

    def fails(*_: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(ada.room, "note", fails)
    play(people, lambda: len(ada.table.committed) > moments)
    play_for(people, 20)


def test_a_room_is_left_with_a_full_disk(tmp_path: Path) -> None:
    """The others hear that the table has ended, and its host gets the folder back."""
    _, (ada, ben) = meet(tmp_path, GAMES[2])
    ada.room._kept._reserved = ada.room._kept._used
    FullDisk(ada, "INSERT")
    room = ada.table.runtime.leave_room()
    assert room is not None
    me = ada.room._me
    room.close()
    until(lambda: not ben.room._peers[me].is_there, ben)

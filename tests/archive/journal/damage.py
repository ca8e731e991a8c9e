"""Journals as a power cut leaves them, and what cards and disks do to them afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firmware_host.archive.journal import Entry, Journal
from firmware_host.archive.journal_check import wal_path
from firmware_host.archive.journal_head import head_path
from tests.archive.journal.journals import fill

SECTOR = 512


@dataclass(frozen=True)
class Left:
    """The files of a journal at one moment of its life, and what had been committed by then."""

    files: Mapping[str, bytes]
    before: bytes
    """The log as it was some events earlier: what a lost write leaves in its place."""
    entries: list[Entry]

    def lay(self, folder: Path, wal: bytes) -> Path:
        """Write the files into a folder, with another log; return the journal."""
        folder.mkdir()
        for name, content in {**self.files, "journal.sqlite-wal": wal}.items():
            (folder / name).write_bytes(content)
        return folder / "journal.sqlite"

    @property
    def wal(self) -> bytes:
        return self.files["journal.sqlite-wal"]


def left_behind(folder: Path, counts: list[int], *, checkpoints: bool = True) -> list[Left]:
    """Return what a power cut leaves after so many events each, in one evening."""
    journal = Journal(folder / "journal.sqlite")
    if not checkpoints:
        journal._checkpoint = lambda: None  # type: ignore[method-assign]  # As in a game of long ago.
    entries: list[Entry] = []
    found, before = [], b""
    for count in counts:
        entries += fill(journal, count - len(entries))
        files = {
            file.name: file.read_bytes() for file in (journal.path, wal_path(journal.path), head_path(journal.path))
        }
        found.append(Left(files, before, list(entries)))
        before = files["journal.sqlite-wal"]
    journal.close()
    return found


# -- what happens to a log ---------------------------------------------------------------------------------------------


def flip(wal: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Turn one bit."""
    at = rng.randrange(len(wal))
    return wal[:at] + bytes([wal[at] ^ 1 << rng.randrange(8)]) + wal[at + 1 :]


def cut(wal: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Lose the end."""
    return wal[: rng.randrange(len(wal))]


def blank(wal: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Lose some sectors in a row: they hold nothing."""
    return _put(wal, lambda start, end: bytes(end - start), rng)


def stale(wal: bytes, before: bytes, rng: random.Random) -> bytes:
    """Lose the writing of some sectors in a row: they hold what they held before."""
    return _put(wal, lambda start, end: before[start:end].ljust(end - start, b"\0"), rng)


def rot(wal: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Let some sectors in a row hold anything."""
    return _put(wal, lambda start, end: rng.randbytes(end - start), rng)


def _put(wal: bytes, content: Callable[[int, int], bytes], rng: random.Random) -> bytes:
    start = rng.randrange(len(wal)) // SECTOR * SECTOR
    end = min(len(wal), start + SECTOR * rng.choice((1, 1, 2, 8, 16, 64)))
    return wal[:start] + content(start, end) + wal[end:]


HARMS = (flip, cut, blank, stale, rot)

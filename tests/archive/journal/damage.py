"""Journals as a power cut leaves them, and what cards and disks do to them afterwards."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from firmware_host.archive.files import beside
from firmware_host.archive.journal import Entry, Journal
from firmware_host.archive.journal_events import copy_path, note_path
from tests.archive.journal.journals import fill

SECTOR = 512
WAL, COPY = "journal.sqlite-wal", "journal.sqlite.copy"

Harm = Callable[[bytes, bytes, random.Random], bytes]
"""What happens to a file: its content, the one of some events earlier, and chance → its new content."""


@dataclass(frozen=True)
class Left:
    """The files of a journal at one moment of its life, and what had been committed by then."""

    files: Mapping[str, bytes]
    before: Mapping[str, bytes]
    """The files as they were some events earlier: what a lost write leaves in their place."""
    entries: list[Entry]

    def lay(self, folder: Path, wal: bytes | None = None, copy: bytes | None = None) -> Path:
        """Write the files into a folder, with another log or another second copy; return the journal."""
        folder.mkdir()
        changed = {name: content for name, content in ((WAL, wal), (COPY, copy)) if content is not None}
        for name, content in {**self.files, **changed}.items():
            (folder / name).write_bytes(content)
        return folder / "journal.sqlite"

    @property
    def wal(self) -> bytes:
        return self.files[WAL]

    @property
    def copy(self) -> bytes:
        return self.files[COPY]

    def copy_without(self, number: int) -> bytes:
        """Return the second copy with a bit turned in one event."""
        content = bytearray(self.copy)
        content[content.index(b'\\"n\\":%d,' % (number - 1)) + 6] ^= 1
        return bytes(content)

    def harmed(self, name: str, harm: Harm, rng: random.Random) -> bytes:
        """Return the content of a file after something has happened to it."""
        return harm(self.files[name], self.before.get(name, b""), rng)


def left_behind(folder: Path, counts: list[int], *, checkpoints: bool = True) -> list[Left]:
    """Return what a power cut leaves after so many events each, in one evening."""
    journal = Journal(folder / "journal.sqlite")
    if not checkpoints:
        journal._checkpoint = lambda: None  # type: ignore[method-assign]  # As in a game of long ago.
    entries: list[Entry] = []
    found: list[Left] = []
    before: Mapping[str, bytes] = {}
    for count in counts:
        entries += fill(journal, count - len(entries))
        paths = (journal.path, beside(journal.path, "-wal"), copy_path(journal.path), note_path(journal.path))
        files = {file.name: file.read_bytes() for file in paths}
        found.append(Left(files, before, list(entries)))
        before = files
    journal.close()
    return found


# -- what happens to a file --------------------------------------------------------------------------------------------


def flip(content: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Turn one bit."""
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def cut(content: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Lose the end."""
    return content[: rng.randrange(len(content))]


def blank(content: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Lose some sectors in a row: they hold nothing."""
    return _put(content, lambda start, end: bytes(end - start), rng)


def stale(content: bytes, before: bytes, rng: random.Random) -> bytes:
    """Lose the writing of some sectors in a row: they hold what they held before."""
    return _put(content, lambda start, end: before[start:end].ljust(end - start, b"\0"), rng)


def rot(content: bytes, _before: bytes, rng: random.Random) -> bytes:
    """Let some sectors in a row hold anything."""
    return _put(content, lambda start, end: rng.randbytes(end - start), rng)


def _put(content: bytes, put: Callable[[int, int], bytes], rng: random.Random) -> bytes:
    start = rng.randrange(len(content)) // SECTOR * SECTOR
    end = min(len(content), start + SECTOR * rng.choice((1, 1, 2, 8, 16, 64)))
    return content[:start] + put(start, end) + content[end:]


HARMS: tuple[Harm, ...] = (flip, cut, blank, stale, rot)

"""The last event of a journal, noted in a file beside it, to detect a journal that has lost its end.

The note is written after an event is durable in the journal. So it is never ahead of the journal, and a journal without
the noted event has lost it. Two places are written in turn: a power cut during one write leaves the other intact.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path

from firmware_host.archive.journal_files import sync
from firmware_host.archive.journal_form import FIRST_HASH

_PLACE_BYTES = 4096
"""Distance of the two places: each has its own page of the disk, so that a torn write spares the other."""
_LINE_BYTES = 128


@dataclass(frozen=True, order=True)
class Head:
    """The last event of a journal: its number and its hash. An empty journal has the number 0."""

    seq: int
    hash: str


EMPTY = Head(0, FIRST_HASH)


def head_path(journal: Path) -> Path:
    """Return the path of a journal's note."""
    return journal.with_name(f"{journal.name}.head")


def read_head(journal: Path) -> Head | None:
    """Return the noted event; None without an intact note. Raise OSError."""
    try:
        content = head_path(journal).read_bytes()
    except FileNotFoundError:
        return None
    places = (content[start : start + _LINE_BYTES] for start in (0, _PLACE_BYTES))
    return max((head for head in map(_parsed, places) if head is not None), default=None)


class HeadFile:
    """The open note of a journal that is being written."""

    def __init__(self, journal: Path, head: Head) -> None:
        """Note a journal's last event in both places. Raise OSError."""
        self._file = os.open(head_path(journal), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._turn = 0
        try:
            # Space is allocated now, so that later writes succeed even on a full disk.
            os.posix_fallocate(self._file, 0, 2 * _PLACE_BYTES)
            for _ in range(2):  # Replaces old content in both places.
                self.write(head)
            sync(journal.parent)
        except OSError:
            self.close()
            raise

    def write(self, head: Head) -> None:
        """Note an event; return when the note is durable. Raise OSError."""
        os.pwrite(self._file, _line(head), self._turn * _PLACE_BYTES)
        os.fdatasync(self._file)
        self._turn = 1 - self._turn

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _line(head: Head) -> bytes:
    text = f"{head.seq} {head.hash}".encode("ascii")
    return b"%b %08x\n" % (text, zlib.crc32(text))


def _parsed(content: bytes) -> Head | None:
    """Return the event noted in a place, None if it is empty or damaged."""
    line = content.partition(b"\n")[0]
    text, _, check = line.rpartition(b" ")
    try:
        seq, digest = text.decode("ascii").split(" ")
        head = Head(int(seq), digest)
    except ValueError:
        return None
    return head if line + b"\n" == _line(head) and check else None

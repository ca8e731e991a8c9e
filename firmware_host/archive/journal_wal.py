"""SQLite's write-ahead log, read without SQLite, to find out which of its frames are intact.

SQLite reads a log up to the first bad frame and silently drops the rest. After a power cut that is right: the last
commit was never finished. But a good frame after a bad one means that the file was damaged later, and that SQLite would
drop committed data. The format is SQLite's own (sqlite.org/fileformat2.html, "The Write-Ahead Log"): a header of 32
bytes, then frames, each a header of 24 bytes and a page. Two salts distinguish the frames of this run from older ones
not overwritten yet. Each frame carries a checksum over everything before it.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from firmware_host.text.words import Text, say

HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
_SUMMED_BYTES = 24
"""Bytes of the log's header that its checksum covers; of a frame's header it is the first 8 bytes."""
_ORDERS = {0x377F0682: "<", 0x377F0683: ">"}
"""First word of a log → byte order of the words in its checksums."""
_VERSION = 3007000
_NATIVE = "<" if sys.byteorder == "little" else ">"
_WORD = 0xFFFFFFFF

_Pair = tuple[int, int]
"""Two checksums, or two salts."""


@dataclass(frozen=True)
class Frame:
    """One page as written by a transaction. ``commit`` is the database's size in pages, 0 within a transaction.

    ``read``: SQLite reads it. ``sound``: it belongs to this run of the log, and is intact.
    """

    page: int
    commit: int
    content: bytes
    read: bool
    sound: bool


@dataclass(frozen=True)
class WalFile:
    """The content of a log. ``damage`` is its fault in words; None if it ends in a regular way."""

    page_size: int
    frames: Sequence[Frame]
    damage: Text | None

    def as_read(self) -> list[Frame]:
        """Return the frames that SQLite reads: up to the last commit before the first bad one."""
        return _committed([frame for frame in self.frames if frame.read])

    def as_written(self) -> list[Frame]:
        """Return all intact frames, up to the last commit among them."""
        return _committed([frame for frame in self.frames if frame.sound])


def _committed(frames: list[Frame]) -> list[Frame]:
    while frames and not frames[-1].commit:
        frames.pop()
    return frames


def read_wal(path: Path, page_size: int) -> WalFile:
    """Return a log; ``page_size`` is the database's, bytes. A missing log has no frames. Raise OSError."""
    try:
        return parse_wal(path.read_bytes(), page_size)
    except FileNotFoundError:
        return WalFile(page_size, (), None)


def parse_wal(content: bytes, page_size: int) -> WalFile:
    """Return the log in these bytes. ``page_size`` is used only if the log's header is damaged."""
    if len(content) < HEADER_BYTES:
        return WalFile(page_size, (), None)
    magic, version, size, _, salt1, salt2, sum1, sum2 = struct.unpack(">8I", content[:HEADER_BYTES])
    order = _ORDERS.get(magic, _NATIVE)
    header = _Sums((sum1, sum2), _summed(content[:_SUMMED_BYTES], order, (0, 0)))
    intact = magic in _ORDERS and version == _VERSION and header.fit
    size = size if intact else page_size
    raw = list(_raw_frames(content, size))
    salts = (salt1, salt2) if intact else _likely_salts(raw, order)
    frames = list(_judged(raw, order, header, salts, intact=intact))
    return WalFile(size, frames, _damage(frames, intact=intact))


def _damage(frames: Sequence[Frame], *, intact: bool) -> Text | None:
    if not intact:
        return say("its header is not as it was written") if any(frame.sound for frame in frames) else None
    good = next((place for place, frame in enumerate(frames) if not frame.read), len(frames))
    later = next((place for place, frame in enumerate(frames) if place > good and frame.sound), None)
    if later is None:
        return None
    return say(
        "frame {bad} of {all} is not as it was written, but frame {good} is",
        bad=good + 1,
        all=len(frames),
        good=later + 1,
    )


# -- frames ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sums:
    """Stored checksums, and the computed ones."""

    stored: _Pair
    real: _Pair

    @property
    def fit(self) -> bool:
        return self.stored == self.real


@dataclass(frozen=True)
class _Raw:
    """A frame's bytes, parsed; ``summed`` are the bytes that its checksums cover."""

    page: int
    commit: int
    salts: _Pair
    stored: _Pair
    content: bytes
    summed: bytes

    def sums(self, order: str, before: _Sums) -> _Sums:
        """Return its checksums. If those stored in the frame before are wrong, it may follow from the computed ones."""
        found = _Sums(self.stored, _summed(self.summed, order, before.stored))
        if found.fit or before.fit:
            return found
        return _Sums(self.stored, _summed(self.summed, order, before.real))


def _raw_frames(content: bytes, page_size: int) -> Iterator[_Raw]:
    length = FRAME_HEADER_BYTES + page_size
    for start in range(HEADER_BYTES, len(content) - length + 1, length):
        page, commit, salt1, salt2, sum1, sum2 = struct.unpack_from(">6I", content, start)
        held = content[start + FRAME_HEADER_BYTES : start + length]
        yield _Raw(page, commit, (salt1, salt2), (sum1, sum2), held, content[start : start + 8] + held)


def _judged(raw: Sequence[_Raw], order: str, header: _Sums, salts: _Pair, *, intact: bool) -> Iterator[Frame]:
    """Yield each frame with its verdict."""
    before, read, sound = header, intact, intact
    for one in raw:
        if one.salts != salts and not sound:  # Left from an older run, as most of a log may be.
            before, read = _Sums(one.stored, one.stored), False
            yield Frame(one.page, one.commit, one.content, read, sound)
            continue
        sums = one.sums(order, before)
        fits = sums.fit and one.page > 0
        read = read and fits and one.salts == salts
        # A frame whose checksums follow those of this run belongs to it, even if its salts have been changed.
        sound = fits and (one.salts == salts or sound)
        yield Frame(one.page, one.commit, one.content, read, sound)
        before = sums


def _likely_salts(raw: Sequence[_Raw], order: str) -> _Pair:
    """Return the salts of the first two consecutive frames that fit: the newest run begins at the log's start."""
    for one, other in pairwise(raw):
        if one.salts == other.salts and _summed(other.summed, order, one.stored) == other.stored:
            return one.salts
    return raw[0].salts if raw else (0, 0)


def _summed(content: bytes, order: str, before: _Pair) -> _Pair:
    """Return the two checksums after more bytes; their number is an odd multiple of eight, as in a header or frame."""
    one, two = before
    for first, second, third, fourth in struct.iter_unpack(f"{order}4I", content[:-8]):
        one += first + two
        two += second + one
        one += third + two
        two += fourth + one
        one, two = one & _WORD, two & _WORD  # Two steps at a time: this is the slowest part of reading a log.
    first, second = struct.unpack(f"{order}2I", content[-8:])
    one = (one + first + two) & _WORD
    return one, (two + second + one) & _WORD

"""Files that survive a power cut.

A file is durable when it and its name in the folder are synced: a rename alone may survive a power cut without the
content of the file (ext4 with delayed allocation, and most other file systems).
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sqlite3
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from firmware_host import platform
from firmware_host.text.words import Refused

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SMALL = 1 << 20
"""Maximum size of a small file, bytes."""
BESIDE = ("-wal", "-shm")
"""Suffixes of SQLite's files beside a database."""
ROLLBACK = "-journal"
"""The suffix of the file beside a database without a log ahead, from which SQLite undoes what a kill has cut short."""
CACHE_KIB = 256
"""Memory for pages of a database (:func:`limit_cache`)."""
LOCK = ".lock"
"""The suffix of a database's lock."""
BLOCK = 4096
"""Size of the blocks in which a system reads a file, bytes: one bad sector makes a whole block unreadable."""
LOST = b"\xff"
"""What stands for each byte that the disk has lost: not the zeros that are room."""


def limit_cache(database: sqlite3.Connection) -> None:
    """Give a database that is read from end to end little memory: SQLite's own 2 MB would fill, and be no use."""
    database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")


def is_sqlite(path: Path) -> bool:
    """Tell by its first bytes whether a file is a database of SQLite, whatever it is called. Raise OSError.

    Not of one that the disk has lost them of.
    """
    with open_what_is_left(path) as file:
        return file.read(16) == b"SQLite format 3\0"


@lru_cache(maxsize=64)
def beside(path: Path, suffix: str) -> Path:
    """Return the file with the journal's name and a suffix.

    It is kept: pathlib interns all parts of a path, and hundreds a minute of the same names that came and went made
    Python's table of interned names twice as large after half an hour (1 MB).
    """
    return path.with_name(path.name + suffix)


def free_folder(parent: Path, name: str) -> Path:
    """Make and return a new folder, named after ``name`` and the present time. Raise OSError."""
    stem = f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    for number in range(1, 1000):
        folder = parent / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{parent / stem}: there are too many folders of this name")


def open_to_read(path: Path) -> BinaryIO:
    """Open a file for reading its bytes. Raise OSError, also for what is no file.

    It never waits: somebody may have put a pipe there.
    """
    return os.fdopen(_descriptor_of(path), "rb")


def _descriptor_of(path: Path) -> int:
    opened = platform.open_file(path, os.O_RDONLY | platform.AT_ONCE)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)  # Python makes no file of a folder, and leaves it open.
        raise OSError(errno.EINVAL, "it is no file", str(path))
    return opened


class _Blocks(io.FileIO):
    """A file in which blocks that the disk has lost read as :data:`LOST`."""

    has_gaps = False

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        at, view = self.tell(), memoryview(buffer).cast("B")
        try:
            return super().readinto(view)
        except OSError as error:
            if not platform.is_lost(error):
                raise
        self.seek(at)
        within = BLOCK - at % BLOCK
        if len(view) > within:
            return self.readinto(view[:within])
        self.has_gaps = True
        length = max(0, min(len(view), os.fstat(self.fileno()).st_size - at))
        view[:length] = LOST * length
        self.seek(at + length)
        return length


class PartlyRead(io.BufferedReader):
    """A file of which all that can be read is read, and the rest reads as :data:`LOST`. Read it with a size."""

    @property
    def has_gaps(self) -> bool:
        """Tell whether something of what was read so far is lost."""
        return isinstance(self.raw, _Blocks) and self.raw.has_gaps


def open_what_is_left(path: Path) -> PartlyRead:
    """Open a file for reading what the disk has not lost of it, as :func:`open_to_read`. Raise OSError.

    Only what comes from outside is an error: no right, no memory, too many open files.
    """
    return PartlyRead(_Blocks(_descriptor_of(path), "rb"))


def copy_what_is_left(source: Path, target: Path) -> None:
    """Copy all of a file that the disk has not lost. Raise OSError."""
    with open_what_is_left(source) as read, target.open("wb") as written:
        shutil.copyfileobj(read, written, 1 << 20)


def read_small(path: Path, most: int = SMALL) -> bytes:
    """Return the content of a small file. Raise OSError, also for what is no file or longer than ``most`` bytes.

    It never waits.
    """
    with open_to_read(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most} bytes", str(path))
    return content


def reason_of(error: Exception) -> str:
    """Return why a file can't be used, without its path, which an OSError's own text names."""
    if isinstance(error, UnicodeError):
        return "it is no text in UTF-8"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def is_there(path: Path) -> bool:
    """Return whether something has a name, and be it a link that leads nowhere.

    Raise OSError if that can't be looked at: then nobody knows, and what is there must not be replaced.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def content_of(path: Path, most: int = SMALL) -> bytes | None:
    """Return the content of a small file; None if there is none: it is missing, no file, too long, or lost by the disk.

    What this account may not read counts as none, too: its rights tell so each time. Any other error may be gone in a
    moment (too many open files, no memory, a scanner of Windows), and says nothing of the file: it is tried again for a
    while, then it is raised as OSError.
    """
    for pause_s in (*RETRIES_S, None):
        try:
            return read_small(path, most)
        except OSError as error:
            if _is_no_content(path, error):
                return None
            if pause_s is None:
                raise
        time.sleep(platform.patience(pause_s))
    return None


RETRIES_S = (0.05, 0.15, 0.4)
"""After these times what might have been an error of a moment is tried again."""


def _is_no_content(path: Path, error: OSError) -> bool:
    """Return whether an error of reading says that there is no content. Raise OSError."""
    if error.errno in _NO_FILE or platform.is_lost(error):
        return True
    return is_there(path) and (not stat.S_ISREG(path.stat().st_mode) or not os.access(path, os.R_OK))


_NO_FILE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.EINVAL, errno.ENXIO, errno.EFBIG}
"""What reading says of a name that is free, or is no file's."""


class InUse(OSError):
    """Another program has a lock; ``process`` is its number, empty if that is unknown."""

    def __init__(self, process: str) -> None:
        """Keep the number."""
        super().__init__(errno.EAGAIN, os.strerror(errno.EAGAIN))
        self.process = process


def lock_beside(path: Path) -> int:
    """Hold a database's lock, as :func:`hold_lock`. Raise InUse, or OSError.

    It is a file of its own: SQLite's locks on a database must let others read, and whoever closes any descriptor of a
    database frees those of his own program.
    """
    return hold_lock(beside(path, LOCK))


def hold_lock(path: Path) -> int:
    """Return the descriptor of a lock, which is locked while it is open: the system frees it even at a kill.

    Raise InUse, or OSError.
    """
    guard = platform.open_file(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not platform.lock(guard):
            raise InUse(_owner(guard))
        os.ftruncate(guard, 0)
        platform.write_at(guard, f"{os.getpid()}\n".encode("ascii"), 0)
    except OSError:
        os.close(guard)
        raise
    return guard


def _owner(guard: int) -> str:
    """Return what the owner of a lock has written into its file; nothing where that can't be read meanwhile."""
    try:
        who = os.read(guard, 20).decode("ascii", "replace").strip()
    except OSError:  # Windows
        return ""
    return who if who.isdigit() else ""


def put_aside(path: Path) -> Path | None:
    """Move what has a file's name and can't be read as one into a new folder beside it; return where it is.

    Return None for what can be read. Raise OSError.
    """
    is_file = path.is_file() and not path.is_symlink()
    if not is_there(path) or (is_file and os.access(path, os.R_OK)):
        return None
    return move_aside(path)


def move_aside(path: Path) -> Path:
    """Move a file, or whatever has its name, into a new folder beside it; return where it is. Raise OSError.

    A folder becomes that new folder: that takes no rights in it.
    """
    aside = free_folder(path.parent, "replaced")
    if path.is_dir() and not path.is_symlink():
        aside.rmdir()
    else:
        aside /= path.name
    path.rename(aside)
    return aside


def write_whole(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Write a small file completely or not at all; return when it is durable. ``mode``: its rights. Raise OSError."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    flags, rights = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600
    try:
        with os.fdopen(platform.open_file(new, flags, rights), "wb") as file:
            if mode is not None:
                platform.set_rights(file.fileno(), mode)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            platform.sync(file.fileno())
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise
    sync(path.parent)


KIND_BYTES = 4
"""By so many first bytes the files that commands write differ: ``<svg``, ``%PDF``, ``[Lod``, ``SQLi``."""


def check_output(path: Path, begin: bytes | None) -> None:
    """Raise Refused unless a command can write a file there. One that is there must ``begin`` so; None: as it may."""
    if path.is_dir():
        raise Refused(f"{path}: can't be written: it is a folder, expected the name of a file")
    if platform.is_stream(path):
        return
    parent = Path(os.path.realpath(path)).parent
    if not os.access(parent, os.W_OK):
        why = "the folder {} is not yours to write in" if parent.is_dir() else "there is no folder {}"
        raise Refused(f"{path}: can't be written: {why.format(parent)}")
    if begin is None or not path.exists():
        return
    with path.open("rb") as file:
        if file.read(KIND_BYTES) not in {b"", begin[:KIND_BYTES]}:
            raise Refused(f"{path}: is there already, and is not what this command writes; name another file")


def write_output(path: Path, content: str | bytes) -> None:
    """Write what an option of a command asks for, completely or not at all, or into a pipe. Raise Refused."""
    data = content.encode() if isinstance(content, str) else content
    try:
        check_output(path, data)
        if platform.is_stream(path):
            with os.fdopen(platform.open_file(path, os.O_WRONLY | os.O_APPEND), "wb") as stream:
                stream.write(data)
        else:
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
            write_whole(Path(os.path.realpath(path)), data, mode)
    except OSError as error:
        raise Refused(f"{path}: can't be written: {error.strerror}") from error


def put_in_place(new: Path, path: Path) -> None:
    """Replace the journal by a complete, durable file, after durably deleting SQLite's files beside the old one.

    Raise OSError.
    """
    for suffix in BESIDE:
        beside(path, suffix).unlink(missing_ok=True)
    sync(path.parent)  # A log of the old file must never meet the new one.
    os.replace(new, path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Return when a file, or a folder's list of names, is durable. Raise OSError."""
    platform.sync_path(path)

"""Files that survive a power cut, and a journal's files: the writer's lock, and detection of changes by others.

A file is durable when it and its name in the folder are synced: a rename alone may survive a power cut without the
content of the file (ext4 with delayed allocation, and most other file systems).
"""

from __future__ import annotations

import fcntl
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from firmware_host.archive.journal_form import JournalError
from firmware_host.text.words import Text, say

BESIDE = ("-wal", "-shm")
"""Suffixes of SQLite's files beside a database."""
CONTENT = ("", "-wal", ".copy")
"""Suffixes of the files that hold a journal's events: the database, its log, and the second copy."""


def take_writers_lock(path: Path) -> int:
    """Return the descriptor of the lock file, locked while it is open: the system frees it even at a kill.

    It is a separate file, because SQLite's locks on the journal itself must let others read. Raise JournalError.
    """
    side = path.with_name(path.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        guard = os.open(side, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(f"{path}: the journal can't be written: {error.filename}: {error.strerror}") from error
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        who = os.read(guard, 20).decode("ascii", "replace").strip()
        os.close(guard)
        process = f" (process {who})" if who.isdigit() else ""
        raise JournalError(
            f"{path}: another program{process} is playing with this journal; end it first, or choose another folder"
        ) from error
    os.ftruncate(guard, 0)
    os.pwrite(guard, f"{os.getpid()}\n".encode("ascii"), 0)
    return guard


def beside(path: Path, suffix: str) -> Path:
    """Return the file with the journal's name and a suffix."""
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


def copy_durably(source: Path, target: Path) -> None:
    """Copy a file with its permissions; return when the copy is durable. Raise OSError."""
    shutil.copy2(source, target)
    sync(target)


def write_whole(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Write a small file completely or not at all; return when it is durable. ``mode``: its rights. Raise OSError."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600), "wb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync(path.parent)


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
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class Standing:
    """The state of an open journal's files after the program's last write: detects changes by others.

    SQLite itself silently goes on writing to a deleted file.
    """

    def __init__(self, path: Path) -> None:
        """Remember the present state of the files."""
        self._paths = {suffix: beside(path, suffix) for suffix in CONTENT}
        self._known = self._now()

    def note(self) -> None:
        """Remember the state after the program's own write; a file that has been replaced stays unknown."""
        for suffix, state in self._now().items():
            known = self._known[suffix]
            if known is None or _same_file(state, known):
                self._known[suffix] = state

    def changed(self) -> Text | None:
        """Return the change of the files in words; None without one."""
        now = self._now()
        if now[""] is None or any(now[suffix] is None for suffix, known in self._known.items() if known is not None):
            return say("the journal's file is gone: it was deleted or moved, or its disk was taken out")
        if not all(_same_file(now[suffix], known) for suffix, known in self._known.items() if known is not None):
            return say("another file was put in the journal's place while the table is open")
        if now[""] != self._known[""]:
            return say("another program has written to the journal's file while the table is open")
        return None

    def others(self) -> list[Path]:
        """Return foreign files that now have the journal's names."""
        now = self._now()
        found = [suffix for suffix, state in now.items() if state and not _same_file(state, self._known[suffix])]
        return [self._paths[suffix] for suffix in found]

    def _now(self) -> dict[str, _State | None]:
        return {suffix: _state(path) for suffix, path in self._paths.items()}


_State = tuple[int, int, int, int]
"""A file's device, inode, time of the last change in nanoseconds, and size in bytes."""


def _state(path: Path) -> _State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _same_file(one: _State | None, other: _State | None) -> bool:
    return one is not None and other is not None and one[:2] == other[:2]

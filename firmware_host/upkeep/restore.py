"""Restoring a backup as a data folder, completely or not at all. The folder that was there is kept beside it."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.journal_files import sync, take_writers_lock
from firmware_host.text.refusal import Refused
from firmware_host.upkeep.backup import FORMAT, JOURNAL, MANIFEST, SECRETS

LARGEST_MANIFEST = 4 << 20
_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux' renameat2(2)."""


def restore(file: Path, data: Path, *, replace: bool = False) -> Path | None:
    """Make a data folder from a backup; return where the former folder is kept, None if there was none.

    Nothing changes unless this returns: the files are unpacked and checked beside the folder, then both are
    exchanged at once. A backup without secrets keeps the folder's secrets. Raise Refused: no backup or a damaged
    one, a folder with games unless ``replace``, no room; JournalError: a program uses the folder, or the
    journal in the backup is damaged.
    """
    _check_place(data)
    with _guarded(data):
        if not replace and _has_games(data):
            raise Refused(
                f"{data}: games are kept there; with --replace it is put aside as a whole, nothing is deleted"
            )
        try:
            data.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{data.name}-restored-", dir=data.parent) as folder:
                staged = Path(folder) / "data"
                staged.mkdir(mode=0o700)
                _unpack(file, staged)
                _keep_own(data, staged)
                return _change_places(staged, data)
        except OSError as error:
            raise Refused(f"{error.filename or data}: can't be restored: {error.strerror or error}") from error


def _check_place(data: Path) -> None:
    if data.exists() and not data.is_dir():
        raise Refused(f"--data: {data} is a file; expected the folder in which games are kept, or one to be made")
    if data.is_symlink() or os.path.ismount(data):
        raise Refused(
            f"--data: {data} is a link or a disk of its own; expected a plain folder, such as {data}/lodestone"
        )


@contextmanager
def _guarded(data: Path) -> Iterator[None]:
    """Lock other programs out of the folder. Raise JournalError if one uses it."""
    if not (data / JOURNAL).exists():
        yield
        return
    guard = take_writers_lock(data / JOURNAL)
    try:
        yield
    finally:
        os.close(guard)


def _has_games(data: Path) -> bool:
    """Return whether games were begun there. An unreadable journal counts as one with games."""
    if not (data / JOURNAL).exists():
        return False
    try:
        with closing(Journal(data / JOURNAL, writer=False)) as journal:
            return any(game.state != "lobby" for game in journal.games())
    except JournalError:
        return True


def _unpack(file: Path, staged: Path) -> None:
    """Unpack a backup into an empty folder, each file checked against the manifest, durably. Raise Refused."""
    try:
        with zipfile.ZipFile(file) as archive:
            files = _manifest(file, archive)
            room = shutil.disk_usage(staged).free
            if (needed := sum(one["size"] for one in files.values())) > room:
                raise Refused(f"{staged.parent.parent}: {needed >> 20} MB are needed, {room >> 20} MB are free")
            for name, told in files.items():
                _take(file, archive, name, told, staged / name)
    except FileNotFoundError as error:
        raise Refused(f"{file}: there is no such file") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise Refused(f"{file}: no backup of Lodestone, or a damaged one: {error}") from error
    if (staged / JOURNAL).exists():
        try:
            with closing(Journal(staged / JOURNAL, writer=False)) as journal:
                journal.verify()
        except JournalError as error:
            raise JournalError(str(error).replace(str(staged / JOURNAL), f"{file}, {JOURNAL}")) from error
    for folder in [staged, *(path for path in staged.rglob("*") if path.is_dir())]:
        sync(folder)


def _manifest(file: Path, archive: zipfile.ZipFile) -> Mapping[str, Any]:
    """Return name → size and digest. Raise Refused unless it names exactly the archive's files, all in the folder."""
    try:
        if archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
            raise ValueError("it is too long")
        told = json.loads(archive.read(MANIFEST))
        if told["format"] != FORMAT:
            raise Refused(f"{file}: made by a newer Lodestone ({told['version']}); update this one first")
        files: dict[str, Any] = {
            str(name): {"size": int(one["size"]), "sha256": str(one["sha256"])} for name, one in told["files"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"{file}: no backup of Lodestone: its {MANIFEST} is missing or damaged ({error})") from error
    if sorted([*files, MANIFEST]) != sorted(archive.namelist()):
        raise Refused(f"{file}: damaged: it does not hold the files that its {MANIFEST} names")
    for name in files:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or "\\" in name or any(part in {"..", "."} for part in name.split("/")):
            raise Refused(f"{file}: the name {name!r} leads out of the data folder; nothing was restored")
    return files


def _take(file: Path, archive: zipfile.ZipFile, name: str, told: Mapping[str, Any], target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, left = hashlib.sha256(), told["size"]
    target.touch(mode=0o600, exist_ok=False)
    with archive.open(name) as source, target.open("wb") as into:
        while left >= 0 and (block := source.read(1 << 16)):
            left -= len(block)
            digest.update(block)
            into.write(block)
        into.flush()
        os.fsync(into.fileno())
    if left != 0 or digest.hexdigest() != told["sha256"]:
        raise Refused(f"{file}: damaged: {name} is not as it was when the backup was made; nothing was restored")


def _keep_own(data: Path, staged: Path) -> None:
    """Copy what the backup has left out into the new folder, with the rights and the owner of the old one."""
    if not data.exists():
        return
    for name in SECRETS:
        if not (staged / name).exists() and (data / name).is_file():
            shutil.copy2(data / name, staged / name)
            sync(staged / name)
    sync(staged)
    old = data.stat()
    staged.chmod(old.st_mode & 0o777)
    if os.geteuid() == 0:
        for path in [staged, *staged.rglob("*")]:
            os.chown(path, old.st_uid, old.st_gid)


def _change_places(staged: Path, data: Path) -> Path | None:
    """Put a staged folder in the place of the data folder; return where the old one is now."""
    if not data.exists() or not any(data.iterdir()):
        os.rename(staged, data)  # A rename replaces an empty folder at once.
        sync(data.parent)
        return None
    kept = data.with_name(f"{data.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
    if _exchanged(staged, data):
        os.rename(staged, kept)
    else:  # A file system without an exchange: between these two a power cut leaves the old folder under its new name.
        os.rename(data, kept)
        try:
            os.rename(staged, data)
        except OSError:
            os.rename(kept, data)
            raise
    sync(data.parent)
    return kept


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders' names at once. Return False if the system can't."""
    with suppress(AttributeError, OSError):
        call = ctypes.CDLL(None, use_errno=True).renameat2
        done: int = call(-100, os.fsencode(one), -100, os.fsencode(other), _EXCHANGE)  # -100: AT_FDCWD
        return done == 0
    return False

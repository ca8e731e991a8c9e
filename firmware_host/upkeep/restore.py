"""Restoring a backup as a data folder, completely or not at all. The folder that was there is kept beside it."""

from __future__ import annotations

import ctypes
import hashlib
import io
import json
import os
import pwd
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from firmware_host.archive.files import sync
from firmware_host.archive.journal import Journal, JournalError, take_writers_lock
from firmware_host.text.refusal import Refused
from firmware_host.upkeep.backup import FORMAT, JOURNAL, MANIFEST, MOST_FILES, SECRETS, passing_folder

LARGEST_MANIFEST = 4 << 20
"""Maximum size of the manifest, and of a ZIP archive's own list of files, bytes."""
MARKER = ".lodestone"
"""The file by which install.sh knows a data folder as Lodestone's (``install/folders.sh``)."""
KEY_BYTES = 32
LARGEST = 1 << 40
"""Maximum size of a file, bytes."""
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
            with passing_folder(data.parent, f".{data.name}-restored-") as folder:
                staged = folder / "data"
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
    if ".." in data.parts:
        raise Refused(f"--data: {data} leads through '..'; expected the folder itself")
    if data in _homes() or not (_is_ours(data) or _is_empty(data)):
        raise Refused(
            f"--data: {data} is no data folder of Lodestone's; expected one, or a folder that is missing or empty"
        )


def _homes() -> set[Path]:
    return {Path.home(), *(Path(account.pw_dir) for account in pwd.getpwall())}


def _is_ours(data: Path) -> bool:
    """Return whether a table has kept its games or its key in a folder, or install.sh has made it for them."""
    key = data / "key"
    return any((data / name).is_file() for name in (JOURNAL, MARKER)) or (
        key.is_file() and key.stat().st_size == KEY_BYTES
    )


def _is_empty(data: Path) -> bool:
    return not data.exists() or not any(data.iterdir())


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
        with _Bounded(file) as source, zipfile.ZipFile(source) as archive:
            files = _manifest(file, archive)
            room = shutil.disk_usage(staged).free
            if (needed := sum(one["size"] for one in files.values())) > room:
                raise Refused(f"{staged.parent.parent}: {needed >> 20} MB are needed, {room >> 20} MB are free")
            for name, told in files.items():
                _take(file, archive, name, told, staged / name)
    except FileNotFoundError as error:
        raise Refused(f"{file}: there is no such file") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
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
    if len(archive.infolist()) > MOST_FILES:
        raise Refused(f"{file}: no backup of Lodestone: there are more than {MOST_FILES} files in it")
    if any(one.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for one in archive.infolist()):
        raise Refused(f"{file}: no backup of Lodestone: it is compressed in another way")
    try:
        with archive.open(MANIFEST) as source:
            text = source.read(LARGEST_MANIFEST + 1)
        if len(text) > LARGEST_MANIFEST:
            raise ValueError("it is too long")
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise Refused(f"{file}: made by a newer Lodestone ({str(told['version'])[:40]}); update this one first")
        files = {str(name): _listed(one) for name, one in told["files"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Refused(f"{file}: no backup of Lodestone: its {MANIFEST} is missing or damaged ({error})") from error
    if sorted([*files, MANIFEST]) != sorted(archive.namelist()):
        raise Refused(f"{file}: damaged: it does not hold the files that its {MANIFEST} names")
    for name in files:
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or "\\" in name or any(part in {"..", "."} for part in name.split("/")):
            raise Refused(f"{file}: the name {name!r} leads out of the data folder; nothing was restored")
    return files


def _listed(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return size and digest of a file in the manifest. Raise KeyError, TypeError or ValueError."""
    size, digest = one["size"], one["sha256"]
    if type(size) is not int or not 0 <= size < LARGEST:
        raise ValueError("a size is no number of bytes")
    return {"size": size, "sha256": str(digest)}


class _Bounded(io.FileIO):
    """A file of which zipfile can't read a list of files of any length at once: it takes the length from the file."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LARGEST_MANIFEST:
            raise zipfile.BadZipFile("its list of files is too long")
        return super().read(size) or b""


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
    for name in (*SECRETS, MARKER):
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

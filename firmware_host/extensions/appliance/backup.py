"""A data folder as one file, and back: a ZIP archive with a manifest of sizes and SHA-256 digests.

It holds every file of the folder, except files of the running program (locks, SQLite's own files, logs) and copies
(``backups``). Of each database of SQLite, whatever it is called, it holds a copy that SQLite has made at one moment,
also while a program writes, and that is whole. What a rescue has put aside is taken as it is.

A restored folder is complete, or nothing has changed: everything is unpacked and checked beside the folder, then both
exchange their names at once (renameat2(2), RENAME_EXCHANGE). The folder that was there is kept beside it.

What is written until a backup is whole, or a restored folder, lies in a locked folder of its own. A kill, which leaves
it, frees the lock: the next one who comes there removes it, at the latest the next start of the table.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from firmware_host import platform
from firmware_host.archive.backups import check_database, copy_file, write_backup
from firmware_host.archive.contents import has_trait
from firmware_host.archive.data_folder import moving
from firmware_host.archive.files import (
    BESIDE,
    LOCK,
    ROLLBACK,
    InUse,
    is_sqlite,
    is_there,
    lock_beside,
    sync,
)
from firmware_host.archive.journal import Journal, JournalError, take_writers_lock
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import Refused

JOURNAL = "journal.sqlite"
MANIFEST = "lodestone-backup.json"
FORMAT = 1
BOARDS = "boards"
"""The folder in a backup for board files from outside the data folder."""
MAX_FILES = 5000
"""Maximum number of files in a backup."""
OF_DATABASE = (*BESIDE, ROLLBACK, LOCK)
"""What follows a database's name in those of the files that belong to the program which has it open."""
PASSING = ".backup-"
"""How the folder in the data folder begins in which the host's page makes a backup."""
_PORTS = {f"{port}{number}" for port in ("com", "lpt") for number in "0123456789\u00b9\u00b2\u00b3"}
_DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS}
"""Names that are devices on Windows, in every folder and with every ending."""


def is_portable(name: str) -> bool:
    """Return whether a path with ``/`` between its parts leads to a file inside a folder, on every system.

    Each part has to be a name of itself: none of a drive, a stream or a device of Windows, none that Windows would
    shorten, none that leads up or begins elsewhere.
    """
    if PureWindowsPath(name).drive or PureWindowsPath(name).anchor:
        return False
    return all(_is_portable_part(part) for part in name.split("/"))


def _is_portable_part(part: str) -> bool:
    if part in {"", ".", ".."} or part.endswith((".", " ")) or part.partition(".")[0].rstrip().lower() in _DEVICES:
        return False
    return not any(sign in ":\\\x7f" or sign < " " for sign in part)


def make_backup(
    data: Path, target: Path, version: str, *, with_secrets: bool = True, boards: Sequence[Path] = ()
) -> list[str]:
    """Write all of a data folder into one file that only its owner reads; return the names of the files in it.

    ``boards`` are board files from elsewhere. At the return the file is complete and on the disk, or there is none.
    Raise Refused: nothing to back up, an unreadable file, or a target that exists or can't be written; and
    JournalError for a damaged journal, whose backup would be damaged, too.
    """
    if not is_there(data) or not data.is_dir():
        raise Refused(f"{data}: there is no such data folder; --data names another")
    if is_there(target):
        raise Refused(f"{target}: is there already; name another file")
    files = dict(_files(data, with_secrets=with_secrets))
    for board in boards:
        files[f"{BOARDS}/{board.name}"] = board
    for name, path in files.items():
        if not is_portable(name):
            raise Refused(f"{path}: can't be backed up: not every system can have a file of such a name; rename it")
    if not files and not is_there(data / JOURNAL):
        raise Refused(f"{data}: there is nothing to back up; --data names another folder")
    if len(files) >= MAX_FILES:
        raise Refused(f"{data}: there are {len(files)} files in it, too many for a backup (at most {MAX_FILES})")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with passing_folder(target.parent, f".{target.name}-") as folder:
            begun = folder / "backup"
            if is_there(data / JOURNAL):
                files[JOURNAL] = _copied_journal(data / JOURNAL, folder / JOURNAL)
            for number, (name, path) in enumerate(files.items()):
                if name != JOURNAL and is_database(PurePosixPath(name), path):
                    files[name] = _copy_of(path, folder / f"{number}.sqlite")
            _write(begun, files, version, with_secrets=with_secrets)
            platform.put_as(begun, target)
            sync(target.parent)
    except FileExistsError as error:
        raise Refused(f"{target}: is there already; name another file") from error
    except OSError as error:
        raise Refused(f"{error.filename or target}: no backup can be made: {error.strerror or error}") from error
    return sorted(files)


@contextmanager
def passing_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder for a block, after removing those of killed programs. Raise OSError."""
    remove_left(parent, prefix)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as name:
        opened = platform.opened_folder(Path(name))
        try:
            if opened is not None:
                platform.lock(opened)
            yield Path(name)
        finally:
            if opened is not None:
                os.close(opened)


def remove_left(parent: Path, prefix: str = PASSING) -> None:
    """Remove the passing folders that killed programs have left in a folder. What can't be removed stays."""
    for path in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            opened = platform.opened_folder(path)
            if opened is None:
                continue  # Where folders can't be locked, nobody knows whether its program still runs.
            try:
                if platform.lock(opened):
                    shutil.rmtree(path)
            finally:
                os.close(opened)


def _files(data: Path, *, with_secrets: bool) -> Iterator[tuple[str, Path]]:
    """Yield the files of a data folder except the journal's, with their names in the backup."""
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data)
        if not _is_held(name) or str(name) == JOURNAL or path.is_symlink() or not path.is_file():
            continue
        if (_is_secret(name) and not with_secrets) or _is_of_database(name, path):
            continue
        if _is_aside(name) and not os.access(path, os.R_OK):
            continue
        yield name.as_posix(), path


def _is_held(name: PurePath) -> bool:
    """Tell whether a backup holds a file of this name in a data folder: what is put into it, and what is taken."""
    if _is_foreign(name) or has_trait(name.parts[0], "passing"):
        return False
    return _is_aside(name) or not name.name.endswith(tuple(f".sqlite{suffix}" for suffix in OF_DATABASE))


def _is_foreign(name: PurePath) -> bool:
    """Tell whether no release has ever put a file of this name into a backup: a hidden one, or one beside a journal."""
    hidden = any(part.startswith(".") for part in name.parts)
    return hidden or (name.name.startswith(JOURNAL) and str(name) != JOURNAL)


def _is_secret(name: Path) -> bool:
    return has_trait(name.name, "secret")


def _is_aside(name: PurePath) -> bool:
    """Tell whether a rescue, or whoever found something in a file's place, has put a file aside."""
    return name.parts[0].startswith(("damaged-", "replaced-"))


def is_database(name: PurePath, path: Path) -> bool:
    """Tell whether a file, by its name in a data folder or by its content, is a database that has to be whole.

    Raise OSError for one that can't be read.
    """
    return not _is_aside(name) and (name.suffix == ".sqlite" or (path.is_file() and is_sqlite(path)))


def _is_of_database(name: PurePath, path: Path) -> bool:
    """Tell whether a file belongs to the program which has a database open that is beside it, or was."""
    for suffix in OF_DATABASE:
        if name.name.endswith(suffix) and name.name != suffix:
            base = name.name.removesuffix(suffix)
            with suppress(OSError):  # What can't be read is no file of a program that runs here.
                return is_database(name.with_name(base), path.with_name(base))
    return False


def _copy_of(database: Path, target: Path) -> Path:
    """Return a whole copy of a database that may be in use. Raise Refused."""
    try:
        target.touch(mode=0o600)
        copy_file(database, target)
        check_database(target)
    except sqlite3.Error as error:
        raise Refused(
            f"{database}: the database is damaged ({error}); move it out of the folder, then everything else can be"
            " backed up"
        ) from error
    return target


def _copied_journal(journal: Path, target: Path) -> Path:
    try:
        copy = write_backup(journal.resolve(), target.resolve())
    except JournalError as error:
        if error.__cause__ is not None and "malformed" in str(error.__cause__):
            raise JournalError(f"{error}; `lodestone record repair` helps") from error
        raise
    try:
        with closing(Journal(copy, writer=False)) as reader:
            reader.verify()
    except JournalError as error:
        said = str(error).replace(str(copy), str(journal))
        raise JournalError(f"{said}; `lodestone record repair` helps") from error
    return copy


def _write(target: Path, files: dict[str, Path], version: str, *, with_secrets: bool) -> None:
    target.touch(mode=0o600)
    listed: dict[str, dict[str, object]] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in sorted(files.items()):
            digest, size = hashlib.sha256(), 0
            info = zipfile.ZipInfo(name, datetime.now().timetuple()[:6])
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with path.open("rb") as source, archive.open(info, "w", force_zip64=True) as into:
                while block := source.read(1 << 16):
                    digest.update(block)
                    size += len(block)
                    into.write(block)
            listed[name] = {"size": size, "sha256": digest.hexdigest()}
        made = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        manifest = {"format": FORMAT, "version": version, "made": made, "secrets": with_secrets, "files": listed}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    sync(target)


MAX_MANIFEST = 4 << 20
"""Maximum size of the manifest, and of a ZIP archive's own list of files, bytes."""
MARKER = ".lodestone"
"""The file by which install.sh knows a data folder as Lodestone's (``install/folders.sh``)."""
KEY_BYTES = 32
LARGEST = 1 << 40
"""Maximum size of a file, bytes."""


def restore(file: Path, data: Path, *, replace: bool = False) -> Path | None:
    """Make a data folder from a backup; return where the former folder is kept, None if there was none.

    Nothing changes unless this returns: the files are unpacked and checked beside the folder, then both are
    exchanged at once. A backup without secrets keeps the folder's secrets. Raise Refused: no backup or a damaged
    one, a folder with games unless ``replace``, no room; JournalError: a program uses the folder, or the
    journal in the backup is damaged.
    """
    _check_place(data)
    with ExitStack() as locks, _place_of(data):
        _lock_out(data, locks)
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
                if not platform.MOVES_OPEN:
                    locks.close()  # The system itself refuses to move a folder in which another program has files open.
                return _change_places(staged, data)
        except OSError as error:
            raise Refused(f"{error.filename or data}: can't be restored: {error.strerror or error}") from error


def _check_place(data: Path) -> None:
    if is_there(data) and not data.is_dir():
        raise Refused(f"--data: {data} is a file; expected the folder in which games are kept, or one to be made")
    if data.is_symlink() or os.path.ismount(data):
        raise Refused(
            f"--data: {data} is a link or a disk of its own; expected a plain folder, such as {data}/lodestone"
        )
    if ".." in data.parts:
        raise Refused(f"--data: {data} leads through '..'; expected the folder itself")
    if data in platform.home_folders() or not (_is_ours(data) or _is_empty(data)):
        raise Refused(
            f"--data: {data} is no data folder of Lodestone's; expected one, or a folder that is missing or empty"
        )


def _is_ours(data: Path) -> bool:
    """Return whether a table has kept its games or its key in a folder, or install.sh has made it for them."""
    key = data / "key"
    return any((data / name).is_file() for name in (JOURNAL, MARKER)) or (
        key.is_file() and key.stat().st_size == KEY_BYTES
    )


def _is_empty(data: Path) -> bool:
    return not is_there(data) or not any(data.iterdir())


@contextmanager
def _place_of(data: Path) -> Iterator[None]:
    """Lock other programs out of the folder's name, from outside. Raise Refused."""
    try:
        with moving(data):
            yield
    except OSError as error:
        raise Refused(f"{error.filename or data}: can't be restored: {error.strerror or error}") from error


def _lock_out(data: Path, stack: ExitStack) -> None:
    """Lock other programs out of the folder's databases. Raise JournalError or Refused if one uses it."""
    if is_there(data / JOURNAL):
        stack.callback(os.close, take_writers_lock(data / JOURNAL, print))
    for path in sorted(data.rglob(f"?*{LOCK}")):
        if path.name != f"{JOURNAL}{LOCK}" and _is_of_database(path.relative_to(data), path):
            try:
                stack.callback(os.close, lock_beside(path.with_suffix("")))
            except InUse as error:
                raise Refused(
                    f"{path.with_suffix('')} is in use: another program runs with this folder; end it first"
                ) from error


def _has_games(data: Path) -> bool:
    """Return whether games were begun there. An unreadable journal counts as one with games."""
    if not is_there(data / JOURNAL):
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
            for name, entry in files.items():
                _take(file, archive, name, entry, staged / name)
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
    for path in sorted(filter(Path.is_file, staged.rglob("*"))):
        within = path.relative_to(staged)
        if str(within) != JOURNAL and is_database(within, path):
            try:
                check_database(path)
            except sqlite3.Error as error:
                raise Refused(f"{file}: {within}: the database is damaged ({error}); nothing was restored") from error
    for folder in [staged, *(path for path in staged.rglob("*") if path.is_dir())]:
        sync(folder)


def _manifest(file: Path, archive: zipfile.ZipFile) -> Mapping[str, Any]:
    """Return name → size and digest of the files to take.

    Raise Refused unless it names exactly the archive's files, all in the folder, and such that a backup may hold.
    """
    if len(archive.infolist()) > MAX_FILES:
        raise Refused(f"{file}: no backup of Lodestone: there are more than {MAX_FILES} files in it")
    if any(one.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} for one in archive.infolist()):
        raise Refused(f"{file}: no backup of Lodestone: it is compressed in another way")
    try:
        with archive.open(MANIFEST) as source:
            text = source.read(MAX_MANIFEST + 1)
        if len(text) > MAX_MANIFEST:
            raise ValueError("it is too long")
        manifest = read_object(text)
        if manifest["format"] != FORMAT:
            raise Refused(f"{file}: made by a newer Lodestone ({str(manifest['version'])[:40]}); update this one first")
        files = {str(name): _manifest_entry(one) for name, one in manifest["files"].items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"{file}: no backup of Lodestone: its {MANIFEST} is missing or damaged ({error})") from error
    if sorted([*files, MANIFEST]) != sorted(archive.namelist()):
        raise Refused(f"{file}: damaged: it does not hold the files that its {MANIFEST} names")
    for name in files:
        if not is_portable(name):
            raise Refused(f"{file}: the name {name!r} leads out of the data folder; nothing was restored")
        if _is_foreign(PurePosixPath(name)):
            raise Refused(f"{file}: no backup of Lodestone holds a file {name!r}; nothing was restored")
    # Earlier releases held some files of the running program.
    return {name: entry for name, entry in files.items() if _is_held(PurePosixPath(name))}


def _manifest_entry(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return size and digest of a file in the manifest. Raise KeyError, TypeError or ValueError."""
    size, digest = one["size"], one["sha256"]
    if type(size) is not int or not 0 <= size < LARGEST:
        raise ValueError("a size is no number of bytes")
    return {"size": size, "sha256": str(digest)}


class _Bounded(io.FileIO):
    """A file of which zipfile can't read a list of files of any length at once: it takes the length from the file."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_MANIFEST:
            raise zipfile.BadZipFile("its list of files is too long")
        return super().read(size) or b""


def _take(file: Path, archive: zipfile.ZipFile, name: str, entry: Mapping[str, Any], target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, left = hashlib.sha256(), entry["size"]
    target.touch(mode=0o600, exist_ok=False)
    with archive.open(name) as source, target.open("wb") as into:
        while left >= 0 and (block := source.read(1 << 16)):
            left -= len(block)
            digest.update(block)
            into.write(block)
        into.flush()
        platform.sync(into.fileno())
    if left != 0 or digest.hexdigest() != entry["sha256"]:
        raise Refused(f"{file}: damaged: {name} is not as it was when the backup was made; nothing was restored")


def _keep_own(data: Path, staged: Path) -> None:
    """Copy what the backup has left out into the new folder, with the rights and the owner of the old one."""
    if not is_there(data):
        return
    own = [path.relative_to(data) for path in sorted(data.rglob("*")) if path.is_file() and not path.is_symlink()]
    for name in own:
        passing = has_trait(name.parts[0], "passing") or _is_of_database(name, data / name)
        if passing or not (_is_secret(name) or str(name) == MARKER) or (staged / name).exists():
            continue
        (staged / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_database(name, data / name):
            _copy_of(data / name, staged / name)
        else:
            shutil.copy2(data / name, staged / name)
            sync(staged / name)
    sync(staged)
    old = data.stat()
    staged.chmod(old.st_mode & 0o777)
    if platform.is_root():
        for path in [staged, *staged.rglob("*")]:
            platform.give_to(path, old.st_uid, old.st_gid)


def _change_places(staged: Path, data: Path) -> Path | None:
    """Put a staged folder in the place of the data folder; return where the old one is now."""
    if _is_empty(data):
        was_there = is_there(data)
        if was_there:
            data.rmdir()  # Not every system renames a folder onto an empty one.
        try:
            os.rename(staged, data)
        except OSError:
            if was_there:
                data.mkdir()
            raise
        sync(data.parent)
        return None
    kept = data.with_name(f"{data.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
    if platform.exchange(staged, data):
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

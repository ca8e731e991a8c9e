"""A data folder as one file: a ZIP archive with a manifest of sizes and SHA-256 digests.

It holds the journal (a whole copy, made by SQLite while the table is open) and every other file of the folder, except
files of the running program (locks, SQLite's own files, logs) and copies (``backups``).

What is written until a backup is whole, or a restored folder, lies in a locked folder of its own. A kill, which leaves
it, frees the lock: the next one who comes there removes it, at the latest the next start of the table.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from firmware_host.archive.backups import FOLDER, write_backup
from firmware_host.archive.files import sync
from firmware_host.archive.journal import Journal, JournalError
from firmware_host.text.refusal import Refused
from firmware_host.upkeep.listening import LISTENS

JOURNAL = "journal.sqlite"
MANIFEST = "lodestone-backup.json"
FORMAT = 1
SECRETS = ("key", "host")
"""The key that signs the phones' seats, and the host's token."""
BOARDS = "boards"
"""The folder in a backup for board files from outside the data folder."""
MOST_FILES = 5000
"""Maximum number of files in a backup."""
PASSING = ".backup-"
"""How the folder in the data folder begins in which the host's page makes a backup."""
LEFT_OUT = (FOLDER, "demo", "arena", "log", LISTENS)
"""Also where the running table listens: who restores a copy beside it would take the one for the other."""


def make_backup(
    data: Path, target: Path, version: str, *, with_secrets: bool = True, boards: Sequence[Path] = ()
) -> list[str]:
    """Write all of a data folder into one file that only its owner reads; return the names of the files in it.

    ``boards`` are board files from elsewhere. At the return the file is complete and on the disk, or there is none.
    Raise Refused: nothing to back up, an unreadable file, or a target that exists or can't be written; and
    JournalError for a damaged journal, whose backup would be damaged, too.
    """
    if not data.is_dir():
        raise Refused(f"{data}: there is no such data folder; --data names another")
    if target.exists():
        raise Refused(f"{target}: is there already; name another file")
    files = dict(_files(data, with_secrets=with_secrets))
    for board in boards:
        files[f"{BOARDS}/{board.name}"] = board
    if not files and not (data / JOURNAL).exists():
        raise Refused(f"{data}: there is nothing to back up; --data names another folder")
    if len(files) >= MOST_FILES:
        raise Refused(f"{data}: there are {len(files)} files in it, too many for a backup (at most {MOST_FILES})")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with passing_folder(target.parent, f".{target.name}-") as folder:
            begun = folder / "backup"
            if (data / JOURNAL).exists():
                files[JOURNAL] = _copied_journal(data / JOURNAL, folder / JOURNAL)
            _write(begun, files, version, with_secrets=with_secrets)
            os.link(begun, target)  # Unlike a rename it never replaces a file that came meanwhile.
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
        lock = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(name)
        finally:
            os.close(lock)


def remove_left(parent: Path, prefix: str = PASSING) -> None:
    """Remove the passing folders that killed programs have left in a folder. What can't be removed stays."""
    for path in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
            finally:
                os.close(lock)


def _files(data: Path, *, with_secrets: bool) -> Iterator[tuple[str, Path]]:
    """Yield the files of a data folder except the journal's, with their names in the backup."""
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data)
        hidden = any(part.startswith(".") for part in name.parts)
        if hidden or path.is_symlink() or not path.is_file() or name.parts[0] in LEFT_OUT:
            continue
        if name.name.startswith(JOURNAL) or (str(name) in SECRETS and not with_secrets):
            continue
        yield name.as_posix(), path


def _copied_journal(journal: Path, target: Path) -> Path:
    copy = write_backup(journal.resolve(), target.resolve())
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
        told = {"format": FORMAT, "version": version, "made": made, "secrets": with_secrets, "files": listed}
        archive.writestr(MANIFEST, json.dumps(told, indent=1))
    sync(target)

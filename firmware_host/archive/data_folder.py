"""The data folder: where it is, and the small files in it that a table can't do without.

========== ==========================================================================================
file       content
========== ==========================================================================================
``key``    32 secret bytes, made at the first start: they sign the phones' seats and seed the computers
``host``   the token by which a phone becomes the table's host; only the folder's owner can read it
``listens`` the address on which the last table was opened, for other commands on this machine
========== ==========================================================================================

Each is written whole or not at all. Errors name the file and say what to do.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from firmware_host import platform
from firmware_host.archive.contents import has_trait
from firmware_host.archive.files import (
    InUse,
    content_of,
    hold_lock,
    is_there,
    move_aside,
    put_aside,
    read_small,
    reason_of,
    sync,
    write_whole,
)
from firmware_host.archive.journal import Journal, JournalError
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused, Text, say

ENV = "LODESTONE_DATA"
KEY, TOKEN, LISTENS = "key", "host", "listens"
KEY_BYTES = 32
Tell = Callable[[Text], None]
"""Tells people what was found in the folder."""
_log = logging.getLogger(__name__)
_TOKEN_FORM = re.compile(r"[A-Za-z0-9_-]{22}")


def data_folder() -> Path:
    """Return the default folder for games, without ``--data``."""
    return Path(os.environ[ENV]) if ENV in os.environ else platform.data_folder("lodestone")


def check_data(data: Path) -> None:
    """Raise Refused if the path exists and is not a folder, or OSError. A missing path is allowed."""
    if is_there(data) and not data.is_dir():
        raise Refused(f"--data: {data} is a file; expected the folder in which games are kept, or one to be made")


@contextlib.contextmanager
def moving(data: Path) -> Iterator[None]:
    """Let no table begin with a folder that is put in another's place in the block; the lock lies beside it.

    Raise Refused if another program does so, or OSError.
    """
    data.parent.mkdir(parents=True, exist_ok=True)
    lock = _lock_of_place(data)
    try:
        guard = hold_lock(lock)
    except InUse as error:
        raise _is_moving(data) from error
    try:
        yield
    finally:
        os.close(guard)
        with contextlib.suppress(OSError):
            lock.unlink()


def _lock_of_place(data: Path) -> Path:
    return data.with_name(f".{data.name}.moving")


def _is_moving(data: Path) -> Refused:
    return Refused(f"--data: {data} is being restored by another program; try again when that has ended")


def _check_moving(data: Path) -> None:
    lock = _lock_of_place(data)
    try:
        if is_there(lock):
            os.close(hold_lock(lock))
    except InUse as error:
        raise _is_moving(data) from error
    except OSError:
        pass  # Whoever restores a folder may write beside it: this account does not have it to itself.


def make_data(data: Path) -> None:
    """Create the folder if it is missing.

    Raise Refused if it, or its journal, can't be written by this account, or if it is just being restored.
    """
    check_data(data)
    _check_moving(data)
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"--data: the folder {data} can't be made: {error.strerror}. Choose another one") from error
    if not os.access(data, os.W_OK | os.X_OK):
        raise Refused(f"--data: nothing can be written in the folder {data}. Choose another one, or make it writable")
    for path in data.glob("journal.sqlite*"):
        if path.is_file() and not os.access(path, os.R_OK | os.W_OK):
            owner = f"sudo chown --recursive --reference={data} {data}"
            raise Refused(f"--data: this account can't read and write {path}. Give it back: {owner}")


def copied_folder(data: Path, into: Path) -> Text:
    """Copy what can be read of a folder that can't be written; return what people have to know of that.

    The copies can be written, whatever rights there were.
    """
    with contextlib.suppress(OSError):  # It names what could not be read; the rest is there.
        shutil.copytree(data, into, ignore=lambda _, names: {one for one in names if has_trait(one, "passing")},
                        copy_function=shutil.copyfile, dirs_exist_ok=True)  # fmt: skip
    into.chmod(0o700)
    for folder, names, _ in os.walk(into):
        for name in names:
            Path(folder, name).chmod(0o700)
    return say(
        "Nothing can be written in the data folder {folder}: its disk is full, damaged or read-only, or its files"
        " belong to another account. You can play, but what is played now is lost when the table is switched off.",
        folder=str(data),
    )


def unwritable(error: OSError, code: str = "not_kept") -> TableError:
    """Return the refusal of a request whose result can't be written into the folder."""
    return TableError(code, say("the data folder can't be written: {reason}", reason=reason_of(error)))


@contextlib.contextmanager
def read_journal(path: Path) -> Iterator[Journal]:
    """Open a journal for reading, also while a table writes it. Raise TableError, for faults in the block, too.

    Guests may read what it says; the log names the path.
    """
    try:
        with contextlib.closing(Journal(path, writer=False, check=False)) as journal:  # An open table has checked it.
            yield journal
    except JournalError as error:
        _log.warning("%s", error)
        raise TableError("no_journal", error.reason) from error


def print_text(text: Text) -> None:
    """Tell something at the terminal."""
    print(text, flush=True)


def table_key(data: Path, tell: Tell = print_text) -> bytes:
    """Return the table's secret. Raise Refused.

    One that has lost its length is put aside and made anew, and told: phones then join anew, which is less than a table
    that stays shut. One that can't be read for a moment is none that is damaged.
    """
    path = data / KEY
    try:
        key = content_of(path)
        if key is not None and len(key) == KEY_BYTES:
            return key
        if is_there(path):
            move_aside(path)
            tell(say("{file} was damaged and is made anew: players sit down again by the codes of their seats.",
                     file=str(path)))  # fmt: skip
        write_whole(path, key := secrets.token_bytes(KEY_BYTES), mode=0o600)
    except OSError as error:
        raise _unusable(path, error) from error
    return key


def host_token(data: Path, tell: Tell = print_text) -> str:
    """Return the present token, made at the first use, or anew if the file holds none, which is told. Raise Refused.

    What the file holds then is put aside. It is read each time: another program may have replaced it. If two programs
    make the first one at once, both use the same.
    """
    for _ in range(2):
        try:
            token = (content_of(data / TOKEN) or b"").decode("ascii", "replace").strip()
            if _TOKEN_FORM.fullmatch(token):
                return token
            spoiled = is_there(data / TOKEN)
            if spoiled:
                move_aside(data / TOKEN)
            token = _make_token(data, replace=False)
            if spoiled:
                words = say("{file} was damaged and is made anew: the host comes in by the link of `lodestone host`.",
                            file=str(data / TOKEN))  # fmt: skip
                tell(words)
            return token
        except FileExistsError:
            continue  # Another program has just made one.
        except OSError as error:
            raise _unusable(data / TOKEN, error) from error
    raise _unusable(data / TOKEN, FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)))


def renew_host_token(data: Path) -> str:
    """Replace the token and return the new one; phones with the old token lose the host's rights. Raise Refused."""
    return _make_token(data, replace=True)


def _make_token(data: Path, *, replace: bool) -> str:
    """Write a new token and return it. Raise Refused or, without ``replace``, FileExistsError if there is one."""
    token = secrets.token_urlsafe(16)
    fresh = data / f".{TOKEN}-{secrets.token_hex(4)}"
    try:
        data.mkdir(parents=True, exist_ok=True)
        fresh.touch(mode=0o600)
        try:
            fresh.write_text(f"{token}\n", encoding="ascii")
            sync(fresh)
            if replace:
                put_aside(data / TOKEN)
                fresh.replace(data / TOKEN)  # At once: nobody ever reads half of one.
            else:
                platform.put_as(fresh, data / TOKEN)
        finally:
            fresh.unlink(missing_ok=True)
    except FileExistsError:
        raise
    except OSError as error:
        raise _unusable(data / TOKEN, error) from error
    return token


def _unusable(path: Path, error: OSError) -> Refused:
    return Refused(f"{path}: can't be used: {error.strerror or error}. Choose another folder with --data")


class Listening(NamedTuple):
    """Where a table listens."""

    host: str
    port: int
    scheme: str = "http"

    @property
    def from_here(self) -> str:
        """Return its base address for programs on this machine."""
        return f"{self.scheme}://{'127.0.0.1' if self.host == EVERYWHERE.host else self.host}:{self.port}"


EVERYWHERE = Listening("0.0.0.0", 8000)  # noqa: S104 - phones come in over the LAN
"""All addresses of this machine, and the port, by default."""


def save_address(data: Path, place: Listening) -> None:
    """Save where the table listens. A failure to write is ignored."""
    with contextlib.suppress(OSError):
        # A release before 0.7 that tries this one as an update expects two words.
        address = place[:2] if place.scheme == "http" else place
        write_whole(data / LISTENS, " ".join(map(str, address)) + "\n")


def last_address(data: Path) -> Listening | None:
    """Return where the last table opened with this folder listened; None if none was."""
    try:
        host, port, *scheme = read_small(data / LISTENS).decode().split()
        return Listening(host, int(port), *scheme)
    except (OSError, ValueError, TypeError):
        return None

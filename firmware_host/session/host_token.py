"""The word by which a table's host is known: a file in the data folder that only its owner reads."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from firmware_host.text.refusal import Refused

FILE = "host"
_FORM = re.compile(r"[A-Za-z0-9_-]{22}")


def host_token(data: Path) -> str:
    """Return the token as it is now, made at the first time. Raise Refused where the file can't be used.

    It is read anew each time: another program may have replaced it.
    """
    path = data / FILE
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return _make(data)
    except (OSError, ValueError) as error:
        raise _unusable(path, error) from error
    if not _FORM.fullmatch(token):
        raise Refused(f"{path}: expected 22 letters, digits, - and _; `lodestone host --anew` makes a new one")
    return token


def renewed_token(data: Path) -> str:
    """Replace the token and return the new one: hosts by the old token are hosts no more. Raise Refused."""
    token = secrets.token_urlsafe(16)
    fresh = data / f".{FILE}-{secrets.token_hex(4)}"
    try:
        data.mkdir(parents=True, exist_ok=True)
        _write(fresh, token)
        fresh.replace(data / FILE)  # At once: nobody ever reads half of one.
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise _unusable(data / FILE, error) from error
    return token


def _make(data: Path) -> str:
    """Make the first token; where two programs do at once, both go by the same."""
    token = secrets.token_urlsafe(16)
    fresh = data / f".{FILE}-{secrets.token_hex(4)}"
    try:
        data.mkdir(parents=True, exist_ok=True)
        _write(fresh, token)
        try:
            os.link(fresh, data / FILE)
        except FileExistsError:
            return host_token(data)
        finally:
            fresh.unlink()
    except OSError as error:
        raise _unusable(data / FILE, error) from error
    return token


def _write(path: Path, token: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(token + "\n")
        file.flush()
        os.fsync(file.fileno())


def _unusable(path: Path, error: Exception) -> Refused:
    reason = getattr(error, "strerror", None) or str(error)
    return Refused(f"{path}: can't be used: {reason}. Choose another folder with --data")

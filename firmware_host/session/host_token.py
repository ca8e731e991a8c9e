"""The token that identifies a table's host: a file in the data folder that only its owner can read."""

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
    """Return the present token, made at the first use, or anew if the file holds none. Raise Refused if it is unusable.

    It is read each time: another program may have replaced it.
    """
    path = data / FILE
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return _make(data)
    except UnicodeError:
        return renewed_token(data)
    except OSError as error:
        raise _unusable(path, error) from error
    return token if _FORM.fullmatch(token) else renewed_token(data)


def renewed_token(data: Path) -> str:
    """Replace the token and return the new one; phones with the old token lose the host's rights. Raise Refused."""
    token = secrets.token_urlsafe(16)
    fresh = data / f".{FILE}-{secrets.token_hex(4)}"
    try:
        data.mkdir(parents=True, exist_ok=True)
        _write(fresh, token)
        fresh.replace(data / FILE)  # Atomic: nobody ever reads half of one.
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise _unusable(data / FILE, error) from error
    return token


def _make(data: Path) -> str:
    """Create the first token; if two programs do so at once, both use the same."""
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

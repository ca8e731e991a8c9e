"""The folder of games, keys and the host's token; errors name it."""

from __future__ import annotations

import os
from pathlib import Path

from firmware_host.text.refusal import Refused

ENV = "LODESTONE_DATA"


def data_folder() -> Path:
    """Return the default folder for games, without ``--data``."""
    if ENV in os.environ:
        return Path(os.environ[ENV])
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "lodestone"


def check_data(data: Path) -> None:
    """Raise Refused if the path exists and is not a folder. A missing path is allowed."""
    if data.exists() and not data.is_dir():
        raise Refused(f"--data: {data} is a file; expected the folder in which games are kept, or one to be made")


def make_data(data: Path) -> None:
    """Create the folder if it is missing. Raise Refused if it can't be created or written."""
    check_data(data)
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(f"--data: the folder {data} can't be made: {error.strerror}. Choose another one") from error
    if not os.access(data, os.W_OK | os.X_OK):
        raise Refused(f"--data: nothing can be written in the folder {data}. Choose another one, or make it writable")

"""The file of the data folder with the address on which its table listens."""

from __future__ import annotations

import contextlib
from pathlib import Path

from firmware_host.archive.files import write_whole

LISTENS = "listens"
USUAL = ("0.0.0.0", 8000)  # noqa: S104 - phones come in over the LAN
"""All addresses of this machine, and the port, by default."""


def remember(data: Path, host: str, port: int) -> None:
    """Save where the table listens, for other commands on this machine. A failure to write is ignored."""
    with contextlib.suppress(OSError):
        write_whole(data / LISTENS, f"{host} {port}\n")


def remembered(data: Path) -> tuple[str, int] | None:
    """Return host and port of the last table opened with this folder. None: none was opened."""
    try:
        host, port = (data / LISTENS).read_text(encoding="utf-8").split()
        return host, int(port)
    except (OSError, ValueError):
        return None

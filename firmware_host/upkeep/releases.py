"""An installation: releases side by side below one folder, a link to the running one, and a trial of a new one.

``install.sh`` creates it, ``install/guard`` judges a trial at each start of the service. All paths are below one root.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host.archive.files import sync
from firmware_host.text.refusal import Refused
from firmware_host.text.words import say

WHOLE = ".whole"
"""The file that marks a release as built. A folder without it was left by an interrupted update."""
_OURS = re.compile(r"\d+(\.\d+)*-.{12}|\.new|\.fetched-.*")
"""Names in the folder of releases: a release's version and digest, what a kill has left of one, and of a download."""
_BOARD = re.compile(r"^ExecStart=.*\s--board\s+(\S+)", re.MULTILINE)
_USER = re.compile(r"^User=(\S+)", re.MULTILINE)
_DATA = re.compile(r"^Environment=LODESTONE_DATA=(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Service:
    """The service's configuration: the board file (or ``sim``), the account, the data folder."""

    board: str
    user: str
    data: Path


@dataclass(frozen=True)
class Installation:
    """``/opt/lodestone`` on a Pi; below another root all other paths are, too."""

    folder: Path

    @property
    def releases(self) -> Path:
        """Return the folder of the releases, each in its own folder with its own libraries."""
        return self.folder / "releases"

    @property
    def trial(self) -> Path:
        """Return the file that exists during a trial: the release to go back to, and the starts so far."""
        return self.folder / "trial"

    @property
    def settings(self) -> Path:
        """Return the folder of the board file, of the publisher's keys and of the source of releases."""
        return self._rooted("/etc/lodestone")

    def current(self) -> str:
        """Return the name of the release that the service starts. Raise Refused if there is none."""
        try:
            return Path(os.readlink(self.folder / "current")).name
        except OSError as error:
            raise Refused(
                say("{file}: no link to a release; run install.sh again", file=f"{self.folder}/current")
            ) from error

    def program(self, release: str) -> Path:
        """Return the ``lodestone`` command of a release."""
        return self.releases / release / ".venv/bin/lodestone"

    def service(self) -> Service:
        """Read the service's unit. Raise Refused."""
        unit = self._rooted("/etc/systemd/system/lodestone.service")
        try:
            text = unit.read_text(encoding="utf-8")
        except OSError as error:
            raise Refused(
                say(
                    "{file}: can't be read ({reason}); run install.sh again", file=str(unit), reason=str(error.strerror)
                )
            ) from error
        board, user, data = (pattern.search(text) for pattern in (_BOARD, _USER, _DATA))
        if board is None or data is None:
            raise Refused(say("{file}: names no --board or no LODESTONE_DATA; run install.sh again", file=str(unit)))
        named = board[1] if not board[1].startswith("/") else str(self._rooted(board[1]))
        return Service(named, user[1] if user else "root", self._rooted(data[1]))

    def switch(self, release: str) -> None:
        """Start this release from the next start of the service on; atomic and durable."""
        fresh = self.folder / ".current.new"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(Path("releases") / release)
        os.rename(fresh, self.folder / "current")
        sync(self.folder)

    def try_out(self, release: str) -> None:
        """Switch to a release on trial: if it does not come up, the guard switches back."""
        self._write(self.trial, f"{self.current()} 0\n")
        self.switch(release)

    def tell(self, **told: Any) -> None:
        """Save the state of an update for the host's page. Keys are merged into the saved ones."""
        self._write(self.folder / "update.json", json.dumps({**self.told(), **told}))

    def told(self) -> Mapping[str, Any]:
        """Return the saved state; empty before the first update."""
        with suppress(OSError, ValueError):
            told = json.loads((self.folder / "update.json").read_text(encoding="utf-8"))
            if isinstance(told, dict):
                return told
        return {}

    def whole(self) -> list[str]:
        """Return the names of the releases that are built."""
        return [mark.parent.name for mark in self.releases.glob(f"*/{WHOLE}")]

    def tidy(self, *keep: str) -> None:
        """Remove all releases except some and the current one, and the rest of interrupted updates, by their names."""
        for path in self.releases.iterdir():
            if _OURS.fullmatch(path.name) and path.name not in {self.current(), *keep}:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock out other updates. Raise Refused if one is running, or if the folder may not be written."""
        try:
            with (self.folder / ".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield
        except BlockingIOError as error:
            raise Refused(say("another update is under way: wait until it has ended")) from error
        except PermissionError as error:
            raise Refused(
                say("{file}: may not be written; try: sudo lodestone update", file=str(error.filename))
            ) from error

    def busy(self) -> bool:
        """Return whether an update is running, or a new release on trial. No rights are needed."""
        try:
            with (self.folder / ".lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return self.trial.exists()

    def _write(self, path: Path, text: str) -> None:
        fresh = path.with_name(f".{path.name}.new")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(0o644)
        os.rename(fresh, path)
        sync(self.folder)

    def _rooted(self, path: str) -> Path:
        return self.folder.parent.parent / path.lstrip("/")


def installation(program: Path = Path(__file__)) -> Installation | None:
    """Return the installation of a running program; None for a clone of the repository."""
    releases = program.resolve().parents[3]
    folder = releases.parent
    return Installation(folder) if releases.name == "releases" and (folder / "current").is_symlink() else None

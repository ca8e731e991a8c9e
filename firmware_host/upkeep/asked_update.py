"""Updates requested on the host's page. The table may not install: it leaves a file, and systemd runs the update.

``install/lodestone-update.path`` watches for the file, which is empty: root decides which release is installed,
and from where.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from firmware_host.table.errors import TableError
from firmware_host.text.refusal import Refused
from firmware_host.text.words import Text, say, unpacked
from firmware_host.upkeep.publisher import Offer, find, order, place_of
from firmware_host.upkeep.releases import Installation, installation

REQUEST = "update"
"""The file's name in the service's runtime folder."""
STEPS: Mapping[str, Text] = {
    "look": say("Looking for the newest release …"),
    "fetch": say("Fetching the update …"),
    "build": say("Building the update for this machine: this may take some minutes. Play goes on meanwhile."),
    "try": say("Trying the update on a copy of your games …"),
    "switch": say("Starting the new release: the table is away for a moment …"),
}


class Updates:
    """The updates offered to the host's page. Thread-safe."""

    def __init__(self, installed: Installation | None, runtime: Path | None, version: str) -> None:
        """``runtime`` is the service's runtime folder; without it, or without an installation, nothing is offered."""
        self._installed, self._runtime, self._version = installed, runtime, version
        self._lock = threading.Lock()
        self._looking = False
        self._found: Offer | None = None
        self._seen: tuple[Text, bool] | None = None
        """The result of the last check in words, and whether it is good."""

    def offered(self) -> bool:
        """Return whether the page may request updates: an installed service with a source of releases."""
        if self._installed is None or self._runtime is None or not self._runtime.is_dir():
            return False
        try:
            return bool(place_of(self._installed.settings))
        except Refused:
            return False

    def state(self) -> dict[str, Any] | None:
        """Return ``version``, ``found`` (a newer one), ``doing`` and ``told`` in words, ``good``; None: not offered."""
        if self._installed is None or not self.offered():
            return None
        told = self._installed.told()
        doing = self._doing(told)
        with self._lock:
            found = self._found.version if self._found and self._is_newer(self._found) else None
            words, good = self._seen or self._result(told)
            looking = STEPS["look"] if self._looking else None
        told_words = None if doing or looking else words
        return {"version": self._version, "found": found, "doing": doing or looking, "told": told_words, "good": good}

    def look(self) -> None:
        """Look for a newer release, in the background. Raise TableError."""
        installed = self._checked()
        with self._lock:
            if self._looking:
                return
            self._looking, self._seen = True, None
        threading.Thread(target=self._look, args=(installed,), name="look for updates", daemon=True).start()

    def ask(self) -> None:
        """Request the update. Raise TableError."""
        installed = self._checked()
        with self._lock:
            if self._found is None or not self._is_newer(self._found):
                raise TableError("no_update", say("there is no newer release; look for one first"))
            self._seen = None
        if self._doing(installed.told()):
            raise TableError("no_update", say("an update is under way already"))
        try:
            (self._runtime or Path()).joinpath(REQUEST).touch(mode=0o644)
        except OSError as error:
            raise TableError("no_update", say("the machine does not take it: {reason}", reason=str(error))) from error

    def _checked(self) -> Installation:
        if self._installed is None or not self.offered():
            raise TableError("no_update", say("only a Lodestone that install.sh has put in place updates itself"))
        return self._installed

    def _is_newer(self, offer: Offer) -> bool:
        return offer.order > order(self._version)

    def _doing(self, told: Mapping[str, Any]) -> Text | None:
        """Return the progress in words; None if no update is running."""
        asked = self._runtime is not None and (self._runtime / REQUEST).exists()
        if self._installed is None or not (asked or self._installed.busy()):
            return None
        return STEPS["look"] if asked else STEPS.get(str(told.get("step")), STEPS["switch"])

    def _result(self, told: Mapping[str, Any]) -> tuple[Text | None, bool]:
        """Return the result of the last update, judged by the running version: the updater may have been killed."""
        step, version, after = told.get("step"), str(told.get("version")), told.get("after")
        if self._installed is None or step is None:
            return None, True
        if step == "done" or (step == "switch" and after == self._installed.current()):
            return (say("Lodestone {version} runs now.", version=version) if version == self._version else None), True
        reason = _words(told.get("reason")) or say("it was interrupted")
        return say("The update was not made: {reason}. All is as before.", reason=reason), False

    def _look(self, installed: Installation) -> None:
        found: Offer | None = None
        seen: tuple[Text, bool] | None = None
        try:
            found = find(place_of(installed.settings), installed.settings)
            if not self._is_newer(found):
                seen = say("There is no newer release: {version} is the newest.", version=self._version), True
        except Refused as error:
            seen = say("No releases can be had: {reason}", reason=error.words), False
        with self._lock:
            self._found, self._seen, self._looking = found, seen, False


def _words(told: object) -> str | None:
    """Return the reason of a failure, in words; releases before 0.2 left plain text."""
    try:
        reason = unpacked(told)
    except ValueError:
        return None
    return reason if isinstance(reason, str) else None


def own_updates(version: str, environment: Mapping[str, str] = os.environ) -> Updates:
    """Return the updates of the running program."""
    runtime = environment.get("RUNTIME_DIRECTORY")
    return Updates(installation(), Path(runtime) if runtime else None, version)


def take_request(file: Path) -> None:
    """Remove the request file, so that systemd does not begin the update again. Raise Refused."""
    try:
        with suppress(FileNotFoundError):
            file.unlink()
    except OSError as error:
        raise Refused(f"{file}: can't be removed: {error.strerror}") from error

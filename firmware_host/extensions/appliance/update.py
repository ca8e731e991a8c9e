"""Updates: another release is fetched, verified, built, tried beside the running one, and switched to, or back from.

Where install.sh has put Lodestone (:class:`Installation`), releases stand side by side below one folder, each with its
own libraries, and a link names the one that the service starts:

    /opt/lodestone/current -> releases/0.9-3f2a…     the running release
    /opt/lodestone/releases/1.0-77b1…                 a new one; built as a whole once it has a file ``.whole``
    /opt/lodestone/trial                              during a trial: the release to go back to, and the starts so far
    /opt/lodestone/update.json                        how far an update has come, for the host's page
    /etc/lodestone                                    the board file, the trusted keys, the source of releases

:func:`update` goes through five steps: ``look`` (``publisher.py`` says which release is trusted),
``fetch``, ``build``, ``try`` (:func:`rehearse`: a table with simulated parts, on a copy of the games, on a free port)
and ``switch``. The running release is unchanged until the link changes. From then on the guard (``install/guard``,
which the service's unit runs before each start) decides: it switches back when the new release does not come up, also
when this program was killed, the power failed, or the new release can't even be read.

The table may not install anything. Its page (:class:`Updates`) leaves an empty file, for which
``install/lodestone-update.path`` watches; systemd then runs the update as root. So root alone decides which release is
installed, and from where.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive.contents import has_trait
from firmware_host.archive.data_folder import last_address
from firmware_host.archive.files import sync, write_whole
from firmware_host.extensions.appliance.publisher import PublishedRelease, fetch, find, order, place_of
from firmware_host.link.libraries import installed_in
from firmware_host.table.errors import TableError
from firmware_host.text.json_reader import read_object
from firmware_host.text.words import Refused, Text, pack_text, say, unpack_text

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
        return self._under_root("/etc/lodestone")

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
        unit = self._under_root("/etc/systemd/system/lodestone.service")
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
        named = board[1] if not board[1].startswith("/") else str(self._under_root(board[1]))
        return Service(named, user[1] if user else "root", self._under_root(data[1]))

    def switch(self, release: str) -> None:
        """Start this release from the next start of the service on; atomic and durable."""
        fresh = self.folder / ".current.new"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(Path("releases") / release)
        os.rename(fresh, self.folder / "current")
        sync(self.folder)

    def try_out(self, release: str) -> None:
        """Switch to a release on trial: if it does not come up, the guard switches back."""
        write_whole(self.trial, f"{self.current()} 0\n", mode=0o644)
        self.switch(release)

    def save_state(self, **state: Any) -> None:
        """Save the state of an update for the host's page. Keys are merged into the saved ones."""
        write_whole(self.folder / "update.json", json.dumps({**self.state(), **state}), mode=0o644)

    def state(self) -> Mapping[str, Any]:
        """Return the saved state; empty before the first update."""
        with suppress(OSError, ValueError):
            return read_object((self.folder / "update.json").read_bytes())
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
    def lock(self) -> Iterator[None]:
        """Lock out other updates. Raise Refused if one is running, or if the folder may not be written."""
        try:
            with (self.folder / ".lock").open("w") as file:
                if not platform.lock(file.fileno()):
                    raise Refused(say("another update is under way: wait until it has ended"))
                yield
        except PermissionError as error:
            raise Refused(
                say("{file}: may not be written; try: sudo lodestone update", file=str(error.filename))
            ) from error

    def busy(self) -> bool:
        """Return whether an update is running, or a new release on trial. No rights are needed."""
        try:
            with (self.folder / ".lock").open() as file:
                if platform.is_locked(file.fileno()):
                    return True
        except OSError:
            pass
        return self.trial.exists()

    def _under_root(self, path: str) -> Path:
        return self.folder.parent.parent / path.lstrip("/")


def installation() -> Installation | None:
    """Return the installation of the running program; None for a clone of the repository."""
    folder = installed_in()
    return None if folder is None else Installation(folder)


NEEDED_BYTES = 600 << 20
"""Room for another release with its libraries, and for compiling it, bytes."""
JUDGED_S = 900.0
"""Time until the guard has judged the trial, seconds: three starts, each ended by systemd if it takes too long."""
Report = Callable[[str], None]


def update(
    installation: Installation, find: Callable[[], PublishedRelease], tell: Report, *, older: bool = False
) -> str:
    """Run another release from now on; return its version. Raise Refused: what was wrong; all is as before."""
    with installation.lock():
        before = installation.current()
        installation.save_state(step="look", version=None, before=before, after=None, reason=None)
        try:
            if installation.trial.exists():  # An update was killed while its release was on trial.
                _await_judgement(installation, installation.current())
            offer = find()
            installed = _version_of(installation.releases / before)
            if not older and offer.order <= order(installed):
                raise Refused(
                    say("{installed} is installed, and {version} is not newer (--older takes it, too)",
                        installed=installed, version=offer.version)
                )  # fmt: skip
            release = f"{offer.version}-{offer.sha256[:12]}"
            installation.save_state(version=offer.version, after=release)
            was_there = _provide(installation, offer, release, tell)
            _step(installation, tell, "try", f"Trying {offer.version} beside {installed} …")
            try:
                rehearse(installation, release, offer.version)
            except Refused:
                if was_there and release != before:  # It may have been damaged since: the next update builds it again.
                    (installation.releases / release / WHOLE).unlink(missing_ok=True)
                raise
            _step(installation, tell, "switch", f"Starting {offer.version} …")
            _switch(installation, release)
        except Refused as error:
            installation.save_state(step="failed", reason=pack_text(error.words))
            raise
        except OSError as error:
            installation.save_state(step="failed", reason=str(error))
            raise Refused(f"{error.filename or installation.folder}: {error.strerror or error}") from error
        installation.save_state(step="done")
        installation.tidy(before)
        return offer.version


def _step(installation: Installation, tell: Report, step: str, words: str) -> None:
    installation.save_state(step=step)
    tell(words)


def _version_of(folder: Path) -> str:
    """Return the version in a release's own text. Raise Refused."""
    try:
        return str(tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, ValueError, KeyError) as error:
        raise Refused(
            say("{file}: names no version ({reason})", file=f"{folder}/pyproject.toml", reason=str(error))
        ) from error


def _provide(installation: Installation, offer: PublishedRelease, release: str, tell: Report) -> bool:
    """Ensure that a release is there with its own libraries; return whether it was: then it is left alone."""
    folder = installation.releases / release
    if (folder / WHOLE).exists():
        return True
    installation.tidy(*installation.whole())
    free = shutil.disk_usage(installation.folder).free
    if free < NEEDED_BYTES:
        raise Refused(
            say("{folder}: {needed} MB are needed, {free} MB are free",
                folder=str(installation.folder), needed=NEEDED_BYTES >> 20, free=free >> 20)
        )  # fmt: skip
    _step(installation, tell, "fetch", f"Fetching {offer.version} …")
    with tempfile.NamedTemporaryFile(dir=installation.releases, prefix=".fetched-") as archive:
        fetch(offer, Path(archive.name))
        folder.mkdir(mode=0o755)
        try:
            _run(["tar", "-xzf", archive.name, "-C", folder, "--strip-components=1", "--no-same-owner"])
            if (found := _version_of(folder)) != offer.version:
                raise Refused(
                    say("{archive}: holds version {found}; expected {version}",
                        archive=offer.archive, found=found, version=offer.version)
                )  # fmt: skip
            _step(installation, tell, "build", f"Building {offer.version} for this machine; play goes on meanwhile …")
            _build(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    platform.sync_all()
    write_whole(folder / WHOLE, "", mode=0o644)  # Only now: a power cut must never leave it without all the rest.
    return False


def _build(folder: Path) -> None:
    """Build the libraries and compiled modules of a release, as install.sh does."""
    _run(["nice", "-n", "19", "make", "-C", folder, "--no-print-directory", "setup"])
    sources = [folder / name for name in ("firmware_host", "hw", "simulator", "web_panel") if (folder / name).is_dir()]
    if sources:
        _run(["nice", "-n", "19", folder / ".venv/bin/python", "-m", "compileall", "-q", *sources])


def _run(command: list[str | Path]) -> None:
    umask = os.umask(0o022)  # The service's account reads it; only root writes.
    try:
        done = subprocess.run(  # noqa: S603 - fixed programs
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
        )  # fmt: skip
    finally:
        os.umask(umask)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))}: {last_words(done.stdout)}")


def _switch(installation: Installation, release: str) -> None:
    """Start a release, and wait for the guard's judgement. Raise Refused if the former release is back."""
    before = installation.current()
    installation.try_out(release)
    _await_judgement(installation, before)
    if installation.current() != release:
        raise Refused(
            say("the new release did not come up, so the one before runs again; why: journalctl -u lodestone")
        )


def _await_judgement(installation: Installation, otherwise: str) -> None:
    """Start the release on trial; return when the guard has judged it. Without a guard, start ``otherwise``."""
    _restart()
    end = time.monotonic() + JUDGED_S
    while installation.trial.exists():
        if time.monotonic() > end:  # The unit does not know the guard.
            installation.trial.unlink(missing_ok=True)
            installation.switch(otherwise)
            _restart()
        time.sleep(LOOK_S)


def _restart() -> None:
    try:
        subprocess.run(
            ["systemctl", "--no-block", "restart", "lodestone"],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Refused(
            say("systemctl restart lodestone: {reason}; the next start decides about the update", reason=str(error))
        ) from error


FIRST_ANSWER_S = 240.0
"""Time until the first answer, seconds: a small Pi that compiles and plays at the same time starts slowly."""
END_S = 60.0
LOOK_S = 0.1
_NOT_OURS = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LODESTONE_DATA", "INVOCATION_ID")


def rehearse(installation: Installation, release: str, version: str) -> None:
    """Check that a release starts and can resume the present games. Raise Refused, with its last words.

    It runs as the service's account and changes only a copy of the data folder. Nobody elsewhere sees the copy:
    whatever release reads it, it finds no room there that it could come into.
    """
    service = installation.service()
    new, old = installation.program(release), installation.program(installation.current())
    spare = installation.folder.parent.parent / "var/tmp"
    with tempfile.TemporaryDirectory(prefix="lodestone-", dir=spare if spare.is_dir() else None) as name:
        folder = Path(name)
        account = _account(service, folder)
        said = _run_as(account, folder, [new, "--version"])
        if said.split()[1:2] != [version]:
            raise Refused(
                say("the new release says that it is {found}; expected lodestone {version}",
                    found=said.strip()[:100], version=version)
            )  # fmt: skip
        if (service.data / "journal.sqlite").exists():
            _run_as(account, folder, [old, "backup", folder / "backup.zip", "--data", service.data])
            _run_as(account, folder, [new, "restore", folder / "backup.zip", "--data", folder / "data"])
            # By the account, too: it may have put anything in the place of these files, and links lead elsewhere.
            shared = [path for path in (folder / "data").iterdir() if has_trait(path.name, "shared")]
            _run_as(account, folder, ["rm", "-f", "--", *shared])
        _play(new, service.board, folder, account)


def _account(service: Service, folder: Path) -> Mapping[str, Any]:
    """Return how to run as the service's account, and give it the folder. Only root can change the account."""
    if not platform.is_root():
        return {}
    try:
        account, group = platform.account_of(service.user)
    except KeyError as error:
        raise Refused(say("there is no account {user}; run install.sh again", user=service.user)) from error
    platform.give_to(folder, account, group)
    return {"user": account, "group": group, "extra_groups": os.getgrouplist(service.user, group)}


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    return {**kept, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def _run_as(account: Mapping[str, Any], folder: Path, command: Sequence[str | Path]) -> str:
    try:
        done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - a release's own command
            [str(word) for word in command], cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=FIRST_ANSWER_S, check=False, **account,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise Refused(f"{command[0]} {command[1]}: {error}") from error
    if done.returncode != 0:
        raise Refused(f"{command[0]} {command[1]}: {last_words(done.stdout)}")
    return done.stdout


def _play(program: Path, board: str, folder: Path, account: Mapping[str, Any]) -> None:
    """Open a table with the simulated parts of the board, and request its page once."""
    options = ["--board", board, "--sim", "--resume", "--hands", "none", "--host", "127.0.0.1", "--port", "0"]
    with (
        tempfile.TemporaryFile("w+", errors="replace") as printed,  # Not in the account's folder: this may be root.
        subprocess.Popen(  # noqa: S603
            [str(program), "play", *options, "--data", str(folder / "data")], cwd=folder, env=_environment(folder),
            stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, **account,
        ) as process,
    ):  # fmt: skip
        try:
            answered = _answers(process, folder / "data")
            process.terminate()
            ended = process.wait(END_S) == 0
        except subprocess.TimeoutExpired:
            ended = False
        finally:
            process.kill()
            process.wait()
        printed.seek(0)
        reason = last_words(printed.read())
    if not (answered and ended):
        why = say("a table does not open") if not answered else say("a table does not end")
        raise Refused(say("{what}: {reason}", what=why, reason=reason))


def _answers(process: subprocess.Popen[bytes], data: Path) -> bool:
    end = time.monotonic() + FIRST_ANSWER_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError):
            if place := last_address(data):
                address = f"http://{place[0]}:{place[1]}/api/state"
                with urllib.request.urlopen(address, timeout=END_S) as answer:
                    return bool(answer.status == 200)
        time.sleep(LOOK_S)
    return False


def last_words(printed: str) -> str:
    """Return the last line of a program's output, which says what went wrong."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"


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
        self._found: PublishedRelease | None = None
        self._last_check: tuple[Text, bool] | None = None
        """The result of the last check in words, and whether it is good."""

    def is_available(self) -> bool:
        """Return whether the page may request updates: an installed service with a source of releases."""
        if self._installed is None or self._runtime is None or not self._runtime.is_dir():
            return False
        try:
            return bool(place_of(self._installed.settings))
        except Refused:
            return False

    def state(self) -> dict[str, Any] | None:
        """Return ``version``, ``found`` (a newer one), ``doing`` and ``message``, both in words, and ``good``.

        None: updates are not offered.
        """
        if self._installed is None or not self.is_available():
            return None
        state = self._installed.state()
        doing = self._doing(state)
        with self._lock:
            found = self._found.version if self._found and self._is_newer(self._found) else None
            words, good = self._last_check or self._result(state)
            looking = STEPS["look"] if self._looking else None
        message = None if doing or looking else words
        return {
            "version": self._version,
            "found": found,
            "doing": doing or looking,
            "message": message,
            "good": good,
        }

    def look(self) -> None:
        """Look for a newer release, in the background. Raise TableError."""
        installed = self._require_installation()
        with self._lock:
            if self._looking:
                return
            self._looking, self._last_check = True, None
        threading.Thread(target=self._look, args=(installed,), name="look for updates", daemon=True).start()

    def ask(self) -> None:
        """Request the update. Raise TableError."""
        installed = self._require_installation()
        with self._lock:
            if self._found is None or not self._is_newer(self._found):
                raise TableError("no_update", say("there is no newer release; look for one first"))
            self._last_check = None
        if self._doing(installed.state()):
            raise TableError("no_update", say("an update is under way already"))
        try:
            (self._runtime or Path()).joinpath(REQUEST).touch(mode=0o644)
        except OSError as error:
            raise TableError("no_update", say("the machine refuses: {reason}", reason=str(error))) from error

    def _require_installation(self) -> Installation:
        if self._installed is None or not self.is_available():
            raise TableError("no_update", say("only a Lodestone that install.sh has put in place updates itself"))
        return self._installed

    def _is_newer(self, offer: PublishedRelease) -> bool:
        return offer.order > order(self._version)

    def _doing(self, state: Mapping[str, Any]) -> Text | None:
        """Return the progress in words; None if no update is running."""
        asked = self._runtime is not None and (self._runtime / REQUEST).exists()
        if self._installed is None or not (asked or self._installed.busy()):
            return None
        return STEPS["look"] if asked else STEPS.get(str(state.get("step")), STEPS["switch"])

    def _result(self, state: Mapping[str, Any]) -> tuple[Text | None, bool]:
        """Return the result of the last update, judged by the running version: the updater may have been killed."""
        step, version, after = state.get("step"), str(state.get("version")), state.get("after")
        if self._installed is None or step is None:
            return None, True
        if step == "done" or (step == "switch" and after == self._installed.current()):
            return (say("Lodestone {version} runs now.", version=version) if version == self._version else None), True
        reason = _words(state.get("reason")) or say("it was interrupted")
        return say("The update failed: {reason}. Everything is as before.", reason=reason), False

    def _look(self, installed: Installation) -> None:
        found: PublishedRelease | None = None
        last_check: tuple[Text, bool] | None = None
        try:
            found = find(place_of(installed.settings), installed.settings)
            if not self._is_newer(found):
                last_check = say("There is no newer release: {version} is the newest.", version=self._version), True
        except Refused as error:
            last_check = say("The list of releases can't be fetched: {reason}", reason=error.words), False
        with self._lock:
            self._found, self._last_check, self._looking = found, last_check, False


def _words(packed: object) -> str | None:
    """Return the reason of a failure, in words; releases before 0.2 left plain text."""
    try:
        reason = unpack_text(packed)
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

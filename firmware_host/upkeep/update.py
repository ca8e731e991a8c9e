"""An update: fetched, verified, built and tried beside the running release, then switched to, or back from.

The running release is unchanged until the link changes. From then on the guard (``install/guard``, which
the service's unit runs before each start) decides: it switches back when the new release does not come up, also
when this program was killed, the power failed, or the new release can't even be read.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

from firmware_host.text.refusal import Refused
from firmware_host.text.words import packed, say
from firmware_host.upkeep.publisher import Offer, fetch, order
from firmware_host.upkeep.rehearsal import last_words, rehearse
from firmware_host.upkeep.releases import WHOLE, Installation

NEEDED_BYTES = 400 << 20
"""Room for another release with its libraries, and for compiling it, bytes."""
JUDGED_S = 900.0
"""Time until the guard has judged the trial, seconds: three starts, each ended by systemd if it takes too long."""
LOOK_S = 0.2
Said = Callable[[str], None]


def update(installation: Installation, find: Callable[[], Offer], tell: Said, *, older: bool = False) -> str:
    """Run another release from now on; return its version. Raise Refused: what was wrong; all is as before."""
    with installation.locked():
        before = installation.current()
        installation.tell(step="look", version=None, before=before, after=None, reason=None)
        try:
            if installation.trial.exists():  # An update was killed while its release was on trial.
                _judged(installation, installation.current())
            offer = find()
            installed = _version_of(installation.releases / before)
            if not older and offer.order <= order(installed):
                raise Refused(
                    say("{installed} is installed, and {version} is not newer (--older takes it, too)",
                        installed=installed, version=offer.version)
                )  # fmt: skip
            release = f"{offer.version}-{offer.sha256[:12]}"
            installation.tell(version=offer.version, after=release)
            _provide(installation, offer, release, tell)
            _step(installation, tell, "try", f"Trying {offer.version} beside {installed} …")
            rehearse(installation, release, offer.version)
            _step(installation, tell, "switch", f"Starting {offer.version} …")
            _switch(installation, release)
        except Refused as error:
            installation.tell(step="failed", reason=packed(error.words))
            raise
        except OSError as error:
            installation.tell(step="failed", reason=str(error))
            raise Refused(f"{error.filename or installation.folder}: {error.strerror or error}") from error
        installation.tell(step="done")
        installation.tidy(before)
        return offer.version


def _step(installation: Installation, tell: Said, step: str, words: str) -> None:
    installation.tell(step=step)
    tell(words)


def _version_of(folder: Path) -> str:
    """Return the version in a release's own text. Raise Refused."""
    try:
        return str(tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, ValueError, KeyError) as error:
        raise Refused(
            say("{file}: names no version ({reason})", file=f"{folder}/pyproject.toml", reason=str(error))
        ) from error


def _provide(installation: Installation, offer: Offer, release: str, tell: Said) -> None:
    """Ensure that a release is there with its own libraries. A release that is built already is left alone."""
    folder = installation.releases / release
    if (folder / WHOLE).exists():
        return
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
    (folder / WHOLE).touch()
    os.sync()


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
    _judged(installation, before)
    if installation.current() != release:
        raise Refused(
            say("the new release did not come up, so the one before runs again; why: journalctl -u lodestone")
        )


def _judged(installation: Installation, otherwise: str) -> None:
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

"""Trial of a new release beside the running one: on a copy of its games, with a simulated board, on a free port."""

from __future__ import annotations

import contextlib
import os
import pwd
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import last_address
from firmware_host.text.refusal import Refused
from firmware_host.text.words import say
from firmware_host.upkeep.releases import Installation, Service

FIRST_ANSWER_S = 240.0
"""Time until the first answer, seconds: a small Pi that compiles and plays at the same time starts slowly."""
END_S = 60.0
LOOK_S = 0.1
_NOT_OURS = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LODESTONE_DATA", "INVOCATION_ID")


def rehearse(installation: Installation, release: str, version: str) -> None:
    """Check that a release starts and can resume the present games. Raise Refused, with its last words.

    It runs as the service's account and changes only a copy of the data folder.
    """
    service = installation.service()
    new, old = installation.program(release), installation.program(installation.current())
    spare = installation.folder.parent.parent / "var/tmp"
    with tempfile.TemporaryDirectory(prefix="lodestone-", dir=spare if spare.is_dir() else None) as name:
        folder = Path(name)
        account = _account(service, folder)
        said = _run([new, "--version"], folder, account)
        if said.split()[1:2] != [version]:
            raise Refused(
                say("the new release says that it is {found}; expected lodestone {version}",
                    found=said.strip()[:100], version=version)
            )  # fmt: skip
        if (service.data / "journal.sqlite").exists():
            _run([old, "backup", folder / "backup.zip", "--data", service.data], folder, account)
            _run([new, "restore", folder / "backup.zip", "--data", folder / "data"], folder, account)
        _play(new, service.board, folder, account)


def _account(service: Service, folder: Path) -> Mapping[str, Any]:
    """Return how to run as the service's account, and give it the folder. Only root can change the account."""
    if os.geteuid() != 0:
        return {}
    try:
        found = pwd.getpwnam(service.user)
    except KeyError as error:
        raise Refused(say("there is no account {user}; run install.sh again", user=service.user)) from error
    os.chown(folder, found.pw_uid, found.pw_gid)
    groups = os.getgrouplist(service.user, found.pw_gid)
    return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": groups}


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
    return {**kept, "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def _run(command: Sequence[str | Path], folder: Path, account: Mapping[str, Any]) -> str:
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
        (folder / "printed").open("w+") as printed,
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
    if not (answered and ended):
        why = say("a table does not open") if not answered else say("a table does not end")
        raise Refused(
            say("{what}: {reason}", what=why, reason=last_words((folder / "printed").read_text(errors="replace")))
        )


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

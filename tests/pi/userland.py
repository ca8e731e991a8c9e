"""Fresh Debian systems (``tests/need-userland``) in throw-away copies: namespaces of their own, no network."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import eventually

HERE = Path(__file__).parent
PROGRAM = HERE.parent.parent
LOOK_S = 0.1
SOON_S = 0.005
PATIENCE_S = 600.0
"""What takes seconds on a free machine may take minutes in emulation on a busy one."""
COMPILES = {"PIP_FIND_LINKS": "/wheels /wheels/compiler"}
"""Without these wheels, which take long in emulation, the search runs in plain Python, as where compiling fails."""
MANIFEST = """
import hashlib, json, os, stat, sys
found = {}
for top in sys.argv[1:]:
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            told = os.lstat(path)
            what = os.readlink(path) if stat.S_ISLNK(told.st_mode) else ""
            if stat.S_ISREG(told.st_mode):
                with open(path, "rb") as file:
                    what = hashlib.sha256(file.read()).hexdigest()
            found[path] = [oct(told.st_mode), told.st_uid, told.st_gid, what]
print(json.dumps(found))
"""
Manifest = dict[str, list[Any]]


def store() -> Path:
    """Return where ``tests/need-userland`` keeps the systems."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("LODESTONE_USERLANDS") or cache / "lodestone-userlands")


def needs(kind: str) -> pytest.MarkDecorator:
    """Return the mark of tests that need a system: ``native`` or ``arm64``."""
    there = os.geteuid() == 0 and (store() / kind / "whole").exists()
    return pytest.mark.skipif(not there, reason=f"no fresh {kind} system: sudo tests/need-userland")


class Fresh:
    """A throw-away copy of a fresh system."""

    def __init__(self, kind: str, folder: Path, onto: Fresh | None = None) -> None:
        """``onto``: another copy, with what has been done in it."""
        self._kind, self._folder = kind, folder
        self._lower: str = f"{onto.changes}:{onto._lower}" if onto else str(store() / kind / "root")
        folder.mkdir()
        self.changes.mkdir()

    @property
    def changes(self) -> Path:
        """Return the folder of all that has been changed; files may be put there while nothing runs."""
        return self._folder / "upper"

    def copy(self, folder: Path) -> Fresh:
        """Return a copy of this copy, which must stay as it is from now on."""
        return Fresh(self._kind, folder, self)

    def _command(self, *command: str, namespaces: tuple[str, ...] = ()) -> list[str]:
        apart = ["--mount", "--pid", "--net", "--ipc", "--uts", *namespaces, "--fork", "--kill-child=KILL"]
        return ["unshare", *apart, "sh", str(HERE / "enter"), self._lower, str(self._folder), str(PROGRAM), *command]

    def start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        """Start a command as pid 1 of a copy: who ends it ends all that it has started, as a power cut does."""
        words = [f"{name}={value}" for name, value in environment.items()]
        return subprocess.Popen(
            self._command("env", *words, *command),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def run(self, *command: str, code: int = 0, **environment: str) -> str:
        """Return what a command prints."""
        with self.start(*command, **environment) as process:
            printed, _ = process.communicate()
        assert process.returncode == code, printed
        return printed

    def install(self, *options: str, environment: Mapping[str, str] | None = None) -> str:
        return self.run("sh", "/source/install.sh", *options, **(environment or {}))

    def killed_when(self, seen: Callable[[Path], bool], *options: str) -> None:
        """Run the installer, and cut its power as soon as ``seen``, which gets the folder of changes, says so."""
        printed = self._folder / "printed"
        with (
            printed.open("w") as console,
            subprocess.Popen(
                self._command("sh", "/source/install.sh", *options),
                stdin=subprocess.DEVNULL, stdout=console, stderr=console,
            ) as process,
        ):  # fmt: skip

            def is_seen() -> bool:
                assert process.poll() is None, f"it ended before:\n{printed.read_text()}"
                return bool(seen(self.changes))

            eventually(is_seen, patience=PATIENCE_S, pause=SOON_S)
            process.kill()

    def manifest(self, *tops: str) -> Manifest:
        """Return mode, owner, group and content of all below some folders."""
        found: Manifest = json.loads(self.run("python3", "-c", MANIFEST, *tops))
        return found

    @contextmanager
    def booted(self, *, read_only: bool = False) -> Iterator[Booted]:
        """Let systemd start the system, and end it after the block. ``read_only``: but for ``/data``."""
        group = cgroup() / f"lodestone-{os.getpid()}-{self._folder.name}"
        group.mkdir(exist_ok=True)
        command = self._command("/sbin/init", namespaces=("--cgroup",))
        enter = f'echo $$ >"{group}/cgroup.procs" && exec "$@"'
        told = {"LODESTONE_CGROUP": "1", **({"LODESTONE_READ_ONLY": "1"} if read_only else {})}
        with (self._folder / "console").open("w") as console:
            process = subprocess.Popen(
                ["sh", "-ec", enter, "sh", *command],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, env={**os.environ, **told},
            )  # fmt: skip
        try:
            booted = Booted(process)
            booted.wait("systemd", lambda: booted.systemctl("is-system-running")[1] in {"running", "degraded"})
            yield booted
        finally:
            process.kill()
            process.wait()
            _forget(group)


class Booted:
    """A system in which systemd runs."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        enter = ["nsenter", "--target", children[0], "--all", "--wd=/"] if children else ["false"]
        return subprocess.run(
            [*enter, "env", "-i", "PATH=/usr/sbin:/usr/bin", "LC_ALL=C.UTF-8", "HOME=/root", *command],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def manifest(self, *tops: str) -> Manifest:
        """Return mode, owner, group and content of all below some folders."""
        found: Manifest = json.loads(self.run("python3", "-c", MANIFEST, *tops).stdout)
        return found

    def systemctl(self, *words: str) -> tuple[int, str]:
        done = self.run("systemctl", *words)
        return done.returncode, done.stdout.strip()

    def property(self, unit: str, name: str) -> str:
        return self.systemctl("show", "--value", "--property", name, unit)[1]

    def get(self, path: str) -> str:
        """Return what the table answers; an empty text where it does not."""
        ask = f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8000{path}', timeout=20).read().decode())"
        return self.run("python3", "-c", ask).stdout

    def journal(self) -> str:
        return self.run("journalctl", "--no-pager", "--output=cat").stdout

    def wait(self, what: str, seen: Callable[[], Any], within_s: float = PATIENCE_S) -> float:
        """Return after how many seconds it was seen."""
        began = time.monotonic()

        def is_seen() -> bool:
            assert self._process.poll() is None, "the system has ended"
            return bool(seen())

        eventually(is_seen, lambda: f"{what}\n{self.journal()[-4000:]}", within_s, pause=LOOK_S)
        return time.monotonic() - began


def cgroup() -> Path:
    """Return where groups of processes can be made: the second version of cgroups."""
    both = Path("/sys/fs/cgroup/unified")
    return both if both.is_dir() else Path("/sys/fs/cgroup")


def _forget(group: Path) -> None:
    """Remove an empty group and those below it, which go when their last process has gone."""
    for below in sorted(group.rglob("*/"), key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):
            below.rmdir()
    with suppress(OSError):
        group.rmdir()

"""A Lodestone that install.sh has put below a folder, the unit that it has written at work, and signed releases."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from firmware_host.archive.contents import LISTS
from firmware_host.extensions.appliance.publisher import SIGNER, SIGNERS
from firmware_host.extensions.appliance.release import sign
from firmware_host.extensions.appliance.update import Installation

HERE = Path(__file__).parent
PROGRAM = HERE.parents[2]
VERSION: str = tomllib.loads((PROGRAM / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
PARTS = (
    "install.sh",
    "install",
    "docs/lodestone.service",
    *(str(path.relative_to(PROGRAM)) for path in LISTS),
    "hw/__init__.py",
    "hw/pi.py",
)
MAKEFILE = "setup:\n\tmkdir -p .venv/bin\n\tcp program .venv/bin/lodestone\n\tchmod +x .venv/bin/lodestone\n"
MAKEFILE += f"\tln -sf {sys.executable} .venv/bin/python\n"
SOON_S = 0.02


def tiny_source(folder: Path, version: str, fault: str = "", makefile: str = MAKEFILE) -> Path:
    """Return the text of a tiny release. ``fault``: where it does not open (``everywhere``, ``service``, ``soon``)."""
    for part in PARTS:
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (PROGRAM / part).is_dir() else shutil.copy2)(PROGRAM / part, folder / part)
    (folder / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (folder / "Makefile").write_text(makefile)
    text = (HERE / "tiny.py").read_text().replace("@version@", version).replace("@fault@", fault)
    (folder / "program").write_text(f"#!{sys.executable} -IS\n{text}")
    return folder


class Publisher:
    """A place of releases, and the key that signs them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.key = folder, folder.with_suffix(".key")
        folder.mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key], check=True)

    def publish(self, source: Path, version: str) -> Path:
        archive = self.folder / f"lodestone-{version}.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as into:
            into.add(source, f"lodestone-{version}")
        sign(self.folder, self.key)
        return archive

    def trusted_by(self, installation: Installation) -> None:
        installation.settings.mkdir(parents=True, exist_ok=True)
        public = self.key.with_suffix(".key.pub").read_text()
        (installation.settings / SIGNERS).write_text(f"{SIGNER} {public}")
        (installation.settings / "updates").write_text(f"{self.folder}\n")


def installed(source: Path, root: Path, environment: Mapping[str, str] = os.environ) -> Installation:
    """Let install.sh put a release below a folder, and build it as it would."""
    root.mkdir()
    run = ["sh", str(source / "install.sh"), "--root", str(root), "--board", "sim"]
    subprocess.run(run, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    here = Installation(root / "opt/lodestone")
    setup = ["make", "-C", str(here.releases / here.current()), "setup"]
    made = subprocess.run(setup, capture_output=True, text=True, env=dict(environment), check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    unit = root / "etc/systemd/system/lodestone.service"
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    unit.write_text(unit.read_text().replace("User=lodestone", f"User={user}").replace("--port 8000", "--port 0"))
    return here


class Systemd:
    """Runs the service as systemd runs a unit of ``Type=notify`` and ``Restart=always``."""

    def __init__(self, here: Installation, folder: Path) -> None:
        self._root = here.folder.parent.parent
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._wish, self._ended = folder / "restart", threading.Event()
        self.starts: list[str] = []
        """The release of each start."""
        self.up = threading.Event()

    def systemctl(self) -> str:
        """Return a PATH on which ``systemctl restart lodestone`` comes here."""
        there = self._folder / "bin"
        there.mkdir()
        (there / "systemctl").write_text(
            f"#!/bin/sh\n[ \"$*\" = '--no-block restart lodestone' ] && touch {self._wish}\n"
        )
        (there / "systemctl").chmod(0o755)
        return f"{there}:{os.environ['PATH']}"

    def run(self) -> None:
        while not self._ended.is_set():
            self._start()

    def end(self) -> None:
        self._ended.set()

    def _start(self) -> None:
        self._wish.unlink(missing_ok=True)
        self._prepare("ExecStartPre")
        self.starts.append((self._root / "opt/lodestone/current").resolve().name)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            (self._folder / "notify").unlink(missing_ok=True)
            notified.bind(str(self._folder / "notify"))
            notified.settimeout(SOON_S)
            data = {"LODESTONE_DATA": f"{self._root}/var/lib/lodestone", "NOTIFY_SOCKET": notified.getsockname()}
            (self._root / "var/lib/lodestone").mkdir(parents=True, exist_ok=True)
            environment = {**os.environ, **data}
            with (self._folder / "printed").open("a") as printed:
                self._process = subprocess.Popen(
                    self._command("ExecStart"), env=environment, stdout=printed, stderr=subprocess.STDOUT
                )
            if self._ready(notified):
                self._prepare("ExecStartPost")
                if self._lives():
                    self.up.set()
            self._hear(notified, self._lives)
            self.up.clear()
            self._process.send_signal(signal.SIGTERM)
            self._hear(notified, lambda: self._process is not None and self._process.poll() is None)

    def _lives(self) -> bool:
        wished = self._ended.is_set() or self._wish.exists()
        return self._process is not None and self._process.poll() is None and not wished

    def _ready(self, notified: socket.socket) -> bool:
        heard: list[bytes] = []
        self._hear(notified, lambda: self._lives() and b"READY=1" not in heard, heard)
        return b"READY=1" in heard

    @staticmethod
    def _hear(notified: socket.socket, waits: Callable[[], bool], heard: list[bytes] | None = None) -> None:
        """Take what the program says: a queue that is full would hold it."""
        while waits():
            with suppress(TimeoutError):
                said = notified.recv(100)
                if heard is not None:
                    heard.append(said)

    def _prepare(self, which: str) -> None:
        told = {"LODESTONE_STEADY": "0.1", "MAINPID": str(self._process.pid if self._process else "")}
        with subprocess.Popen(self._command(which), env={**os.environ, **told}) as process:
            while process.poll() is None:
                if self._process is not None:
                    self._process.poll()  # systemd, too, takes note at once of a process that has ended.
                self._ended.wait(SOON_S)
            assert process.returncode == 0

    def _command(self, which: str) -> list[str]:
        unit = (self._root / "etc/systemd/system/lodestone.service").read_text()
        line = next(line for line in unit.splitlines() if line.startswith(f"{which}="))
        program, *words = line.partition("=")[2].lstrip("-+").split()
        return [f"{self._root}{program}", *words]


@contextmanager
def running(here: Installation, folder: Path) -> Iterator[Systemd]:
    """Run the service for a block."""
    folder.mkdir()
    systemd = Systemd(here, folder)
    thread = threading.Thread(target=systemd.run)
    thread.start()
    try:
        yield systemd
    finally:
        systemd.end()
        thread.join()

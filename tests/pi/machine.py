"""A Raspberry Pi 3B in QEMU: starts it, and runs Python in it."""

from __future__ import annotations

import contextlib
import json
import queue
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.pi.gdb import Debugger
from tests.pi.image import Image
from tests.pi.qtest import Qtest

BOOT_S = 400.0
ANSWER_S = 200.0
"""Only for hangs: an emulated Pi takes seconds for what a real one does at once."""
KERNEL = "console=ttyS1,115200 rdinit=/opt/lodestone/tests/pi/guest/init panic=5 iomem=relaxed cryptomgr.notests"
"""``iomem=relaxed``: memory may be mapped as RPi.GPIO does it."""
SITE = ["/opt/site"]


class PiError(RuntimeError):
    """The emulated Pi does not answer, or has raised an exception; the text is its traceback."""


class Session:
    """A Python process in the Pi, of root or of a user of some groups."""

    def __init__(self, pi: Pi, number: int) -> None:
        """``number`` tells it from others."""
        self._pi, self.number = pi, number
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()

    def begin(self, text: str) -> None:
        """Run statements without waiting for their end."""
        self._pi.send({"session": self.number, "run": text})

    def result(self, seconds: float = ANSWER_S) -> Any:
        """Return the value of what was begun. Raise PiError with its traceback."""
        try:
            answer = self.answers.get(timeout=seconds)
        except queue.Empty:
            raise PiError(f"no answer in {seconds} s\n{self._pi.console()[-3000:]}") from None
        if "error" in answer:
            raise PiError(answer["error"])
        return answer["value"]

    def run(self, text: str) -> Any:
        """Run statements; return the value of the last one if it is an expression. Raise PiError."""
        self.begin(text)
        return self.result()

    def close(self) -> None:
        """End the process and all that it started."""
        self._pi.send({"session": self.number})

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Pi:
    """One emulated Pi, up and running."""

    def __init__(self, image: Image) -> None:
        """Start it and wait until it takes commands. Raise PiError."""
        self.folder = Path(tempfile.mkdtemp(prefix="lodestone-pi-"))
        started = time.monotonic()
        self._process = self._start(image)
        self._sessions: dict[int, Session] = {}
        self._numbers = iter(range(1, 1_000_000))
        self._closing: list[Callable[[], object]] = []
        try:
            self._agent = self._connect("agent")
            self._closing.append(self._agent.close)
            self.pins = Qtest(self._path("qtest"))
            self._closing.append(self.pins.close)
            hello = self._session(0)
            listener = threading.Thread(target=self._listen, daemon=True)
            listener.start()
            self._closing.insert(0, listener.join)
            hello.result(BOOT_S)
            self.debugger = Debugger(self._path("gdb"))
            self._closing.append(self.debugger.close)
        except BaseException:
            self.close()
            raise
        self.boot_s = time.monotonic() - started

    def python(self, library: str = "RPi.GPIO", user: int = 0, groups: Sequence[int] = ()) -> Session:
        """Start Python with ``RPi.GPIO`` or ``rpi-lgpio`` installed, by the number of a user (0 is root)."""
        session = self._session(next(self._numbers))
        path = [*SITE, f"/opt/{library}"] if library else SITE
        self.send({"session": session.number, "open": {"user": user, "groups": list(groups), "path": path}})
        return session

    def send(self, message: dict[str, Any]) -> None:
        """Send a command to the agent."""
        self._agent.sendall(json.dumps(message).encode() + b"\n")

    def console(self) -> str:
        """Return what the kernel and the programs have printed."""
        try:
            return (self.folder / "console").read_text(errors="replace")
        except OSError:
            return ""

    def close(self) -> None:
        """Switch it off."""
        self._process.kill()
        self._process.wait()
        for closing in self._closing:
            closing()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.socket"

    def _start(self, image: Image) -> subprocess.Popen[bytes]:
        sockets = [f"socket,id={name},path={self._path(name)},server=on,wait=off" for name in ("agent", "gdb", "qtest")]
        command = ["setpriv", "--pdeathsig", "KILL", "qemu-system-aarch64"]  # Ends with the tests, however these end.
        command += ["-M", "raspi3b", "-accel", "tcg", "-display", "none", "-no-reboot"]
        command += [
            "-kernel",
            str(image.kernel),
            "-dtb",
            str(image.tree),
            "-initrd",
            str(image.disk),
            "-append",
            KERNEL,
        ]
        for one in sockets:
            command += ["-chardev", one]
        command += ["-serial", "chardev:agent", "-serial", f"file:{self.folder}/console", "-monitor", "none"]
        command += ["-qtest", "chardev:qtest", "-gdb", "chardev:gdb"]
        with (self.folder / "qemu").open("wb") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _connect(self, name: str) -> socket.socket:
        end = time.monotonic() + 60
        while True:
            try:
                made = socket.socket(socket.AF_UNIX)
                made.connect(str(self._path(name)))
                return made
            except OSError:
                made.close()
                if self._process.poll() is not None or time.monotonic() > end:
                    raise PiError(f"QEMU: {(self.folder / 'qemu').read_text(errors='replace')}") from None
                time.sleep(0.05)  # QEMU makes its sockets when it has started.

    def _session(self, number: int) -> Session:
        self._sessions[number] = Session(self, number)
        return self._sessions[number]

    def _listen(self) -> None:
        with contextlib.suppress(OSError), self._agent.makefile("rb") as lines:
            for line in lines:
                try:
                    answer = json.loads(line)
                    self._sessions[answer["session"]].answers.put(answer)
                except (ValueError, KeyError, TypeError):  # The kernel may print before the agent starts.
                    continue

"""An engine as a child process: it gets one request a line, and is killed if it is late or its answer is not needed.

Used by one thread. Another thread wakes that thread by writing to the other end of ``waker``.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firmware_host import HASHES

GRACE_S = 30.0
"""Time that a search may exceed its limit before it is killed. Starting the process is included: at its low priority
it takes many seconds on a machine that is busy otherwise."""
NICENESS = 10
MEMORY = 1 << 30
"""Bytes of address space, where the system supports the limit."""
LONGEST_LINE = 1 << 20
FOREIGN_LINES = 100
"""Maximum number of lines that answer no request; after these the child is considered broken."""


class Broken(Exception):
    """The child has died, is late, or breaks the protocol; it has been ended."""


class Abandoned(Exception):
    """The request was given up; the child has been ended."""


class EngineChild:
    """A process that speaks the engine protocol; started on demand, and again after it has ended."""

    def __init__(self, command: Sequence[str], waker: int, *, memory: int | None = MEMORY) -> None:
        """``waker`` is the non-blocking read end of a pipe: readable when another thread needs attention.

        ``memory`` limits the address space, bytes; None (a foreign program): neither memory nor priority is limited.
        """
        self._command = list(command)
        self._waker = waker
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._form = 0
        self._rest = b""
        self._count = 0

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait until ``until()`` is true; it is called after every write to the waker."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._waker, selectors.EVENT_READ)
            while not until():
                selector.select()
                self._hear()

    def ask(self, request: Mapping[str, Any], seconds: float, give_up: Callable[[], bool]) -> dict[str, Any]:
        """Return the answer to a request limited to ``seconds``. Raise Broken, or Abandoned if ``give_up()``."""
        try:
            return self._ask(request, time.monotonic() + seconds + GRACE_S, give_up)
        except (Broken, Abandoned):
            self.end()
            raise

    def end(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()

    def _ask(self, request: Mapping[str, Any], deadline: float, give_up: Callable[[], bool]) -> dict[str, Any]:
        if self._form != compiled_at():
            self.end()  # The searches have been compiled meanwhile: a new process is faster.
        process = self._process or self.start()
        assert process.stdin is not None  # noqa: S101 - as it was opened
        self._count += 1
        try:
            process.stdin.write(json.dumps({"id": self._count, **request}).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise Broken(f"it does not listen: {error}") from error
        foreign = ""
        for _ in range(FOREIGN_LINES):
            try:
                line = self._read_line(process, deadline, give_up)
            except Broken as error:
                raise Broken(f"{error}{foreign}") from error
            answer = self._parse(line)
            if answer.get("id") == self._count:
                return answer
            foreign = f': expected an answer with "id": {self._count}, got {line[:80]!r}'
        raise Broken(f"it says what nobody has asked for{foreign}")

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process. Raise Broken if the system refuses."""
        self._form = compiled_at()
        # Its own session: Ctrl-C at the table's terminal does not reach it. It ends with its standard input.
        try:
            process = subprocess.Popen(  # noqa: S603 - our own program
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise Broken(f"it can't be started: {error}") from error
        if self._memory is not None:
            _hold_back(process.pid, self._memory)
        self._process, self._rest = process, b""
        return process

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float, give_up: Callable[[], bool]) -> bytes:
        assert process.stdout is not None  # noqa: S101 - as it was opened
        pipe = process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            selector.register(self._waker, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if give_up():
                    raise Abandoned
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Broken("it does not answer")
                ready = {key.fd for key, _ in selector.select(left)}
                if self._waker in ready:
                    self._hear()
                if pipe in ready:
                    self._read(process, pipe)
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _read(self, process: subprocess.Popen[bytes], pipe: int) -> None:
        chunk = os.read(pipe, 65536)
        if not chunk:
            raise Broken(f"it has ended (exit code {process.wait()})")
        self._rest += chunk
        if len(self._rest) > LONGEST_LINE:
            raise Broken("its line does not end")

    def _parse(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Broken(f"no JSON: {line[:80]!r}") from error
        if not isinstance(answer, dict):
            raise Broken(f"no JSON object: {line[:80]!r}")
        return answer

    def _hear(self) -> None:
        """Empty the waker's pipe."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._waker, 4096)


def compiled_at() -> int:
    """Return the time, in nanoseconds, when the program's searches were compiled; 0 if they are not."""
    try:
        return HASHES.stat().st_mtime_ns
    except OSError:
        return 0


def _hold_back(pid: int, memory: int) -> None:
    """Lower a process's priority and limit its memory (bytes), as far as the system supports it.

    Done from outside, because no code may safely run between fork and exec of a program with threads.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICENESS)
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))

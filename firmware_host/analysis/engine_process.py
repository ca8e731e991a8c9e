"""One engine as a child process: asked a line at a time, watched while it thinks, killed when it is not worth waiting.

Used by one thread. Another thread wakes it by writing to the ``waker``'s other end.
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

GRACE_S = 5.0
"""How much longer than it was given a search may take to answer; starting the process is part of it."""
NICENESS = 10
MEMORY = 1 << 30
"""Bytes of address space, where the system lets us limit it."""
LONGEST_LINE = 1 << 20
FOREIGN_LINES = 100
"""So many lines that answer nothing are nonsense."""


class Broken(Exception):
    """The child has died, or does not keep to the protocol; it has been ended."""


class Abandoned(Exception):
    """The question was given up, and the child that thought about it has been ended."""


class EngineChild:
    """A process that speaks the engine protocol; started when it is first needed, and again after it has ended."""

    def __init__(self, command: Sequence[str], waker: int, *, memory: int | None = MEMORY) -> None:
        """``waker`` is a pipe's end, not blocking, that gets readable when somebody wants attention.

        ``memory`` bounds the address space, bytes; None for a program that is not ours: it is not held back at all.
        """
        self._command = list(command)
        self._waker = waker
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._form = 0
        self._rest = b""
        self._count = 0

    def wait(self, until: Callable[[], bool]) -> None:
        """Sleep until something is true; it is looked at after every ring of the waker."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._waker, selectors.EVENT_READ)
            while not until():
                selector.select()
                self._hear()

    def ask(self, request: Mapping[str, Any], seconds: float, give_up: Callable[[], bool]) -> dict[str, Any]:
        """Return the answer to a request that should take some seconds. Raise Broken, or Abandoned at ``give_up``."""
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
            self.end()  # It has been compiled meanwhile: the next one is quicker.
        process = self._process or self.start()
        assert process.stdin is not None  # noqa: S101 - as it was opened
        self._count += 1
        try:
            process.stdin.write(json.dumps({"id": self._count, **request}).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise Broken(f"it does not listen: {error}") from error
        for _ in range(FOREIGN_LINES):
            answer = self._parse(self._read_line(process, deadline, give_up))
            if answer.get("id") == self._count:
                return answer
        raise Broken("it says what nobody has asked for")

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process. Raise Broken when the system won't."""
        self._form = compiled_at()
        # A session of its own: Ctrl-C at the table's terminal is not for it. It ends with its standard input.
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
        """Take the rings off the waker."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._waker, 4096)


def compiled_at() -> int:
    """Return when the compiled form of our own searches was made, in nanoseconds; 0 where there is none."""
    try:
        return HASHES.stat().st_mtime_ns
    except OSError:
        return 0


def _hold_back(pid: int, memory: int) -> None:
    """Let a process yield to all others and bound its memory, as far as the system offers it.

    Done from outside: between fork and exec of a program with threads nothing may safely run.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICENESS)
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on every system

        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))

"""Searches beside the table: one child process, one queue of questions.

A compiled search holds the interpreter lock for its whole duration, and may take a minute and much memory. So it runs
in a process of its own (``python -m firmware_host.services.engine``), with low priority and limited memory, and play
never waits for it. A small Pi has room for one such process. Everything that is searched beside a table goes through
it: what computers do, hints, the ends of a phase, reviews.

**One queue.** :meth:`AnalysisProcess.ask` takes all questions that are wanted now, the most urgent first; whatever is
missing in it is forgotten. The table's loop asks at every round, so the queue never holds a question about a position
that is gone. The order is (:mod:`firmware_host.session.analysis`): computers that act, hints, the ends of the phase,
reviews. A thread gives the child the first question that has no answer.

**Urgent questions do not wait.** When the question that is being searched is no longer the first one, because it has
been dropped or because a more urgent one has come before it, the child is told to stop (``SIGUSR1``, as an engine of
chess is told ``stop``): its search ends as if its time were over, after some milliseconds, and the process lives on; on
a small Pi another one takes seconds to start. What it had found is discarded. A question that was stopped for a more
urgent one is asked again from its beginning, so that equal questions have equal answers.

**Proofs while a computer thinks.** They wait: the time of a computer belongs to its own search. They go on while hands
do what it has chosen, and while people think. Only a computer that goes round in circles, which needs the proof to
leave the circle, has the first look of 0.3 seconds before its own (:mod:`firmware_host.session.analysis`).

**What may fail.** The child may die, hang, flood, or talk nonsense. A question is tried twice, then its answer is that
the search has failed. A child that is late, or does not stop within :data:`STOP_S`, is killed; the next question starts
another one. It ends by itself when its standard input ends, so it never outlives this program.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firmware_host import HASHES
from firmware_host.analysis.questions import ENDS_MEMORY, Answer, Question, UnreadableAnswer
from firmware_host.text.json_reader import InvalidJson, read_object

GRACE_S = 30.0
"""Time that a search may exceed its limit before it is killed. Starting the process is included: at its low priority
it takes many seconds on a machine that is busy otherwise."""
STOP_S = 2.0
"""Time that a search which is told to stop has for it before it is killed."""
START_S = 20.0
"""The same for a process that has not answered anything yet: it may still be starting."""
REPEAT_S = 0.2
"""How often it is told so: a process that has not read its request yet does not know what to stop."""
TRIES = 2
"""Number of failures of the child at a question after which the question has failed."""
NICENESS = 10
LONGEST_LINE = 1 << 20

_log = logging.getLogger(__name__)


class BrokenProcess(Exception):
    """The child has died, is late, or breaks the protocol; it has been ended."""


class Late(BrokenProcess):
    """No line has come in time."""


class Abandoned(Exception):
    """The request was given up; the child has stopped searching, or has been ended."""


def engine_command() -> list[str]:
    """Return the command of the search (``-P``: nothing is imported from the working directory)."""
    return [sys.executable, "-P", "-m", "firmware_host.services.engine"]


class AnalysisProcess:
    """Answers questions, one at a time (:class:`firmware_host.analysis.questions.Analyser`). Any thread may ask."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        """Start the thread; the child is started at the first question."""
        self._asked: Sequence[Question] = ()
        self._answers: Mapping[Question, Answer] = {}
        """Replaced, never changed: other threads read it meanwhile."""
        self._closing = False
        self._waker, self._wake = os.pipe()
        for end in (self._waker, self._wake):
            os.set_blocking(end, False)
        self._child = EngineChild(command or engine_command(), self._waker, memory=ENDS_MEMORY)
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
        self._thread.start()

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, the most urgent first; all others, and their answers, are forgotten."""
        asked = tuple(questions)
        if asked != self._asked:
            self._asked = asked
            self._wake_thread()

    def answer(self, question: Question) -> Answer | None:
        """Return the answer to one of these questions, None while there is none."""
        return self._answers.get(question)

    def close(self) -> None:
        """End the child and the thread."""
        self._closing = True
        self._wake_thread()
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            os.close(self._wake)
            os.close(self._waker)

    def _wake_thread(self) -> None:
        with contextlib.suppress(OSError):  # The pipe is full: the thread will wake anyway.
            os.write(self._wake, b"!")

    # -- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing:
                question = self._next()
                if question is None:
                    self._child.wait(lambda: self._closing or self._next() is not None)
                else:
                    self._search(question)
        finally:
            self._child.end()

    def _next(self) -> Question | None:
        """Return the most urgent question without an answer, None if all have one."""
        return next((one for one in self._asked if one not in self._answers), None)

    def _search(self, question: Question) -> None:
        """Find the answer to a question, unless it is given up."""

        def stop() -> float | None:
            if self._closing:
                return 0.0
            return STOP_S if self._next() != question else None

        answer = Answer()
        for _ in range(TRIES):
            try:
                given = self._child.ask(question.request(), question.seconds, stop, question.memory)
                answer = question.read(given)
                break
            except Abandoned:
                return
            except (BrokenProcess, UnreadableAnswer) as error:
                _log.info("The search beside the table failed: %s", error)
        asked = self._asked
        self._answers = {question: answer, **{one: found for one, found in self._answers.items() if one in asked}}


class EngineChild:
    """A process that speaks the engine protocol; started on demand, and again after it has ended.

    Used by one thread. Another thread wakes that thread by writing to the other end of ``waker``.
    """

    def __init__(self, command: Sequence[str], waker: int, *, memory: int | None) -> None:
        """``waker`` is the non-blocking read end of a pipe: readable when another thread needs attention.

        ``memory`` limits the address space, bytes, where the system supports it; None (a foreign program): neither
        memory nor priority is limited.
        """
        self._command = list(command)
        self._waker = waker
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._compiled_at = 0
        self._has_answered = False
        self._rest = b""
        self._count = 0

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait until ``until()`` is true; it is called after every write to the waker."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._waker, selectors.EVENT_READ)
            while not until():
                selector.select()
                self._empty_waker()

    def ask(
        self,
        request: Mapping[str, Any],
        seconds: float,
        stop: Callable[[], float | None] = lambda: None,
        memory: int | None = None,
    ) -> dict[str, Any]:
        """Return the answer to a request limited to ``seconds``. Raise Broken or Abandoned.

        ``stop`` is called after every write to the waker. The request is given up once it returns a number: of seconds
        that the child has to stop its search before it is killed. ``memory`` is less than the child's, for this
        request.
        """
        try:
            if self._compiled_at != compiled_at():
                self.end()  # The searches have been compiled meanwhile: a new process is faster.
            process = self._process or self.start()
            self._limit(process.pid, memory)
            return self._ask(process, request, time.monotonic() + seconds + GRACE_S, stop)
        except BrokenProcess:
            self.end()
            raise

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process. Raise Broken if the system refuses."""
        self._compiled_at = compiled_at()
        # It is born with the signal blocked, and unblocks it once it can handle it: before, the signal would kill it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
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
            raise BrokenProcess(f"it can't be started: {error}") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self._process, self._rest, self._has_answered = process, b"", False
        if self._memory is not None:
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        return process

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

    def _ask(
        self,
        process: subprocess.Popen[bytes],
        request: Mapping[str, Any],
        deadline: float,
        stop: Callable[[], float | None],
    ) -> dict[str, Any]:
        assert process.stdin is not None  # noqa: S101 - as it was opened
        self._count += 1
        try:
            process.stdin.write(json.dumps({"id": self._count, **request}).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise BrokenProcess(f"it does not listen: {error}") from error
        line = self._read_line(process, deadline, stop)
        answer = _parse_line(line)
        if answer.get("id") != self._count:
            raise BrokenProcess(f'expected an answer with "id": {self._count}, got {line[:80]!r}')
        return answer

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float, stop: Callable[[], float | None]) -> bytes:
        """Return the next line. Raise Late, Broken, or Abandoned once ``stop`` says so."""
        assert process.stdout is not None  # noqa: S101 - as it was opened
        pipe = process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            selector.register(self._waker, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                patience = stop()
                if patience is not None:
                    self._stop(process, patience if self._has_answered or not patience else START_S, stop)
                    raise Abandoned
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Late("it does not answer")
                ready = {key.fd for key, _ in selector.select(left)}
                if self._waker in ready:
                    self._empty_waker()
                if pipe in ready:
                    self._read(process, pipe)
        line, _, self._rest = self._rest.partition(b"\n")
        self._has_answered = True
        return line

    def _stop(self, process: subprocess.Popen[bytes], seconds: float, stop: Callable[[], float | None]) -> None:
        """Tell the child to stop its search; end it unless its answer follows within ``seconds``."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end and stop() != 0.0:
            process.send_signal(signal.SIGUSR1)
            try:
                line = self._read_line(process, min(end, now + REPEAT_S), lambda: None)
                if _parse_line(line).get("id") == self._count:
                    return
            except Late:
                continue
            except BrokenProcess:
                break
        self.end()

    def _read(self, process: subprocess.Popen[bytes], pipe: int) -> None:
        chunk = os.read(pipe, 65536)
        if not chunk:
            raise BrokenProcess(f"it has ended (exit code {process.wait()})")
        self._rest += chunk
        if len(self._rest) > LONGEST_LINE:
            raise BrokenProcess("its line does not end")

    def _limit(self, pid: int, memory: int | None) -> None:
        """Limit the process's memory for a request, as far as the system supports it.

        Done from outside, because no code may safely run between fork and exec of a program with threads.
        """
        if self._memory is not None:
            with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
                import resource  # noqa: PLC0415 - not on every system

                resource.prlimit(pid, resource.RLIMIT_AS, (memory or self._memory, self._memory))

    def _empty_waker(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._waker, 4096)


def _parse_line(line: bytes) -> dict[str, Any]:
    """Return the object of a line. Raise Broken."""
    try:
        return read_object(line)
    except InvalidJson as error:
        raise BrokenProcess(f"{error}: {line[:80]!r}") from error


def compiled_at() -> int:
    """Return the time, in nanoseconds, when the program's searches were compiled; 0 if they are not."""
    try:
        return HASHES.stat().st_mtime_ns
    except OSError:
        return 0

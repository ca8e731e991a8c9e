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
been dropped or because a more urgent one has come before it, the child is told to stop (by a line ``stop``, as an
engine of chess is): its search ends as if its time were over, after some milliseconds, and the process lives on; on
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
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firmware_host import HASHES, platform
from firmware_host.analysis.questions import ENDS_MEMORY, Answer, Question, UnreadableAnswer
from firmware_host.text.json_reader import InvalidJson, read_object

GRACE_S = 30.0
"""Time that a search may exceed its limit before it is killed. Starting the process is included: at its low priority
it takes many seconds on a machine that is busy otherwise."""
STOP_S = 2.0
"""Time that a search which is told to stop has for it before it is killed."""
START_S = 20.0
"""The same for a process that has not answered anything yet: it may still be starting."""
LOOK_S = 0.2
"""How often the thread that waits for that looks whether it is to end."""
MAX_EVENTS = 64
"""Maximum number of a child's lines that wait to be read. Then the child has to wait: it may be flooding."""
TAKEN_S = 1.0
"""After so long without room for a line its reader looks whether the child has been ended."""
TRIES = 2
"""Number of failures of the child at a question after which the question has failed."""
NICENESS = 10
MAX_LINE = 1 << 20

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
        self._child = EngineChild(command or engine_command(), memory=ENDS_MEMORY)
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
        self._thread.start()

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, the most urgent first; all others, and their answers, are forgotten."""
        asked = tuple(questions)
        if asked != self._asked:
            self._asked = asked
            self._child.wake()

    def answer(self, question: Question) -> Answer | None:
        """Return the answer to one of these questions, None while there is none."""
        return self._answers.get(question)

    def close(self) -> None:
        """End the child and the thread."""
        self._closing = True
        self._child.wake()
        self._thread.join(timeout=5)

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

    Used by one thread, which any other thread may :meth:`wake`. A thread for each process reads its lines.
    """

    def __init__(self, command: Sequence[str], *, memory: int | None) -> None:
        """``memory`` limits the address space, bytes, where the system supports it.

        None (a foreign program): neither memory nor priority is limited.
        """
        self._command = list(command)
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._events: queue.Queue[tuple[subprocess.Popen[bytes], bytes] | None] = queue.Queue(MAX_EVENTS)
        """A process and a line of it, or no line at its end; None where somebody wakes the thread."""
        self._compiled_at = 0
        self._has_answered = False
        self._count = 0

    def wake(self) -> None:
        """Have the thread that waits look again. Any thread may call this."""
        with contextlib.suppress(queue.Full):  # It will wake anyway.
            self._events.put_nowait(None)

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait until ``until()`` is true; it is called after every :meth:`wake`."""
        while not until():
            event = self._events.get()
            if event is not None and event[0] is self._process and not event[1]:
                self.end()  # It has died while nothing was asked.

    def ask(
        self,
        request: Mapping[str, Any],
        seconds: float,
        stop: Callable[[], float | None] = lambda: None,
        memory: int | None = None,
    ) -> dict[str, Any]:
        """Return the answer to a request limited to ``seconds``. Raise Broken or Abandoned.

        ``stop`` is called after every :meth:`wake`. The request is given up once it returns a number: of seconds that
        the child has to stop its search before it is killed. ``memory`` is less than the child's, for this request.
        """
        try:
            if self._compiled_at != compiled_at():
                self.end()  # The searches have been compiled meanwhile: a new process is faster.
            process = self._process or self.start()
            if self._memory is not None:
                platform.limit_memory(process.pid, memory or self._memory, self._memory)
            return self._ask(process, request, time.monotonic() + seconds + GRACE_S, stop)
        except BrokenProcess:
            self.end()
            raise

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process. Raise Broken if the system refuses."""
        self._compiled_at = compiled_at()
        try:  # Ctrl-C at the table's terminal does not reach it. It ends with its standard input.
            process = subprocess.Popen(  # noqa: S603 - our own program
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                **platform.apart(),
            )
        except OSError as error:
            raise BrokenProcess(f"it can't be started: {error}") from error
        self._process, self._has_answered = process, False
        if self._memory is not None:
            platform.be_modest(process.pid, NICENESS)
        threading.Thread(target=self._read, args=(process,), name="engine's lines", daemon=True).start()
        return process

    def end(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        process.wait()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Put the lines of a process among the events, in a thread of its own, as fast as they are taken."""
        assert process.stdout is not None  # noqa: S101 - as it was opened
        with process.stdout as lines:
            while process is self._process:
                line = lines.readline(MAX_LINE)
                while process is self._process:
                    with contextlib.suppress(queue.Full):
                        self._events.put((process, line), timeout=TAKEN_S)
                        break
                if not line:
                    return

    def _ask(
        self,
        process: subprocess.Popen[bytes],
        request: Mapping[str, Any],
        deadline: float,
        stop: Callable[[], float | None],
    ) -> dict[str, Any]:
        self._write(process, request)
        line = self._read_line(process, deadline, stop)
        answer = _parse_line(line)
        if answer.get("id") != self._count:
            raise BrokenProcess(f'expected an answer with "id": {self._count}, got {line[:80]!r}')
        return answer

    def _write(self, process: subprocess.Popen[bytes], request: Mapping[str, Any]) -> None:
        """Send a request with the next number. Raise Broken."""
        assert process.stdin is not None  # noqa: S101 - as it was opened
        self._count += 1
        try:
            process.stdin.write(json.dumps({"id": self._count, **request}).encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise BrokenProcess(f"it does not listen: {error}") from error

    def _read_line(self, process: subprocess.Popen[bytes], deadline: float, stop: Callable[[], float | None]) -> bytes:
        """Return the next line. Raise Late, Broken, or Abandoned once ``stop`` says so."""
        while True:
            patience = stop()
            if patience is not None:
                self._stop(process, patience if self._has_answered or not patience else START_S, stop)
                raise Abandoned
            left = deadline - time.monotonic()
            if left <= 0:
                raise Late("it does not answer")
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=left)
                if event is not None and event[0] is process:
                    return self._check_line(process, event[1])

    def _check_line(self, process: subprocess.Popen[bytes], line: bytes) -> bytes:
        if not line:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            raise BrokenProcess(f"it has ended (exit code {process.returncode})")
        if not line.endswith(b"\n"):
            raise BrokenProcess("its line does not end")
        self._has_answered = True
        return line

    def _stop(self, process: subprocess.Popen[bytes], seconds: float, stop: Callable[[], float | None]) -> None:
        """Tell the child to stop its search; end it unless it says within ``seconds`` that it has."""
        end = time.monotonic() + seconds
        with contextlib.suppress(BrokenProcess):
            self._write(process, {"do": "stop"})
            while (now := time.monotonic()) < end and stop() != 0.0:
                with contextlib.suppress(Late):
                    line = self._read_line(process, min(end, now + LOOK_S), lambda: None)
                    if _parse_line(line).get("id") == self._count:
                        return
        self.end()


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

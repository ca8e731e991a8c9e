"""Jobs of other threads for the loop: a queue; each caller gets the result or a refusal."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future

from firmware_host.table.errors import TableError
from firmware_host.text.words import say

PATIENCE_S = 30.0
"""How long a caller waits for the loop, seconds."""


class Jobs:
    """The queue between callers on any thread and the one thread that may touch the table."""

    def __init__(self, do: Callable[[Callable[[], None]], None]) -> None:
        """``do`` runs a job on the loop's thread; its exceptions go to the caller."""
        self._do = do
        self._waiting: queue.SimpleQueue[tuple[Callable[[], None], Future[None]] | None] = queue.SimpleQueue()
        self.closed = False
        self.thread: threading.Thread | None = None
        """The loop's own thread, None while callers run the loop themselves."""

    def call(self, job: Callable[[], None]) -> None:
        """Have a job done and wait for it. Raise its exceptions, or TableError when the table is being closed."""
        if self.thread is None or threading.current_thread() is self.thread:
            self._do(job)
            return
        if self.closed:
            raise closing()
        done: Future[None] = Future()
        self._waiting.put((job, done))
        try:
            done.result(timeout=PATIENCE_S)
        except TimeoutError:
            if done.cancel():  # Now it never happens, and the caller may rely on that.
                raise
            done.result(timeout=PATIENCE_S)

    def serve(self, seconds: float) -> bool:
        """Wait for one job and do it; return False if none has come within ``seconds``."""
        try:
            job = self._waiting.get(timeout=seconds)
        except queue.Empty:
            return False
        if job is not None:
            self._run(*job)
        return True

    def close(self) -> None:
        """Refuse new jobs, and wake the loop."""
        self.closed = True
        self._waiting.put(None)

    def refuse_waiting(self) -> None:
        """Refuse the jobs that are left."""
        while True:
            try:
                job = self._waiting.get_nowait()
            except queue.Empty:
                return
            if job is not None and job[1].set_running_or_notify_cancel():
                job[1].set_exception(closing())

    def _run(self, job: Callable[[], None], done: Future[None]) -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            self._do(job)
        except Exception as error:  # noqa: BLE001 - the caller raises it
            done.set_exception(error)
        except BaseException as error:
            done.set_exception(error)
            raise
        else:
            done.set_result(None)


def closing() -> TableError:
    """Return the refusal of a table that is being closed."""
    return TableError("no_game", say("the table is being closed"))

"""Mass work: many units that know nothing of each other, done by processes of this machine or by a Dask cluster.

A **unit** is a key, which names it for good, and the arguments of a function that returns plain data for JSON. The
result follows from the arguments alone, so it does not matter where and in which order units are done, and how often
one was begun. Results are lines of a file (:class:`RowsFile`), each with its key. What the file holds is not done
again: the same command goes on where it was stopped, and files of several runs, joined, add up.

Each process has one unit at a time. A process that is killed costs this unit only: it is done again elsewhere. A unit
whose process has ended three times is most likely the reason itself. It is left out and named at the end
(:class:`LeftOut`); the next run tries it again. On a cluster it is the scheduler that counts, by its own setting
``allowed-failures``, and it counts units that only waited at the worker, too. So what it gives up is tried once more at
the end, with nothing beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import json
import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from firmware_host.archive.contents import refuse_kept
from firmware_host.archive.files import reason_of
from firmware_host.commands.options import whole
from firmware_host.platform import cores
from firmware_host.text.json_reader import InvalidJson, read_object, wrong_field
from firmware_host.text.words import Refused

if TYPE_CHECKING:
    from tqdm import tqdm

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")
Row = Mapping[str, Any]

MAX_ENDS = 3
"""A unit whose process has ended so often is left out."""
PATIENCE_S = 10.0
"""Longest time for a scheduler to answer."""
LOOK_S = 2.0
"""So often it is seen how many workers a cluster has."""
DISTRIBUTION = "lodestone-board"

GONE = "the Dask scheduler has ended, or can't be reached. What was done before is kept; the same command goes on"
NOTHING = "every process that was to work has ended before anything was done; with --workers 1 the reason is seen"


class LeftOut(Refused):
    """Units were left out: the process of each has ended again and again. All others are done."""

    def __init__(self, keys: Sequence[Hashable]) -> None:
        named = ", ".join(map(str, keys[:5])) + (f" and {len(keys) - 5} more" if len(keys) > 5 else "")
        super().__init__(
            f"left out, as whatever worked on it was ended again and again: {named}. It takes too much memory, or"
            " crashes; all others are done, and the same command tries it again"
        )
        self.keys = tuple(keys)


class _Ended(Exception):
    """The process of a unit has ended. ``last``: as often as the pool allows, maybe by another unit."""

    def __init__(self, *, last: bool = False) -> None:
        super().__init__()
        self.last = last


# -- who works ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Workers:
    """Several processes of this machine (1: this very process), or the workers of a Dask scheduler at an address."""

    processes: int = 1
    scheduler: str | None = None


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add ``--workers`` and ``--scheduler`` to a command."""
    parser.add_argument("--workers", type=whole(1), default=cores(), help=f"processes (default: {cores()})")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler whose workers do it instead (mass-work.md)"
    )


def workers_of(arguments: argparse.Namespace) -> Workers:
    """Return what a command's options ask for."""
    return Workers(arguments.workers, arguments.scheduler)


# -- work --------------------------------------------------------------------------------------------------------------


def work(
    function: Callable[..., R],
    units: Iterable[tuple[K, tuple[Any, ...]]],
    workers: Workers,
    *,
    enough: Callable[[], bool] = lambda: False,
    at_end: Callable[[], None] | None = None,
) -> Generator[tuple[K, R], None, None]:
    """Yield (key, ``function(*arguments)``) of the units as they are done, each once.

    No more are begun once ``enough`` is true; what is being done then is given up. ``at_end`` tidies up a process that
    has worked. An exception of the function ends all. Raise LeftOut at the end, and Refused where a cluster can't work.
    """
    if workers == Workers():
        try:
            for key, arguments in units:
                if enough():
                    return
                yield key, function(*arguments)
        finally:
            if at_end is not None:
                at_end()
        return
    with contextlib.closing(_pool(workers, at_end)) as pool:
        yield from _by_pool(pool, _importable(function), iter(units), enough)


def _by_pool(
    pool: _Pool,
    function: Callable[..., R],
    waiting: Iterator[tuple[K, tuple[Any, ...]]],
    enough: Callable[[], bool],
) -> Iterator[tuple[K, R]]:
    again: deque[tuple[K, tuple[Any, ...]]] = deque()
    running: dict[Any, tuple[K, tuple[Any, ...]]] = {}
    alone: deque[tuple[K, tuple[Any, ...]]] = deque()
    ends: Counter[K] = Counter()
    left: list[K] = []
    done = 0
    while not enough():
        while len(running) < pool.places():
            unit = again.popleft() if again else next(waiting, None)
            if unit is None and alone and not running:
                unit = alone.popleft()
            if unit is None:
                break
            running[pool.submit(function, unit[1])] = unit
        if not running:
            break
        try:
            future = pool.finished.get(timeout=LOOK_S)
        except Empty:
            continue
        key, arguments = running.pop(future)
        try:
            result = pool.result(future)
        except _Ended as end:
            ends[key] += 1
            if end.last and ends[key] == 1:
                alone.append((key, arguments))
                continue
            if not end.last and ends[key] < MAX_ENDS:
                again.append((key, arguments))
                continue
            left.append(key)
            if not done and len(left) == MAX_ENDS:
                raise Refused(NOTHING) from None
            continue
        done += 1
        yield key, result
    if left:
        raise LeftOut(left)


def _importable(function: Callable[..., R]) -> Callable[..., R]:
    """Return a function of a program (``python -m``) as a worker imports it."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if function.__module__ != "__main__" or spec is None:
        return function
    found: Callable[..., R] = getattr(importlib.import_module(spec.name), function.__name__)
    return found


class _Pool(Protocol):
    """What units are handed to. A future that is done comes back in ``finished``."""

    finished: SimpleQueue[Any]

    def places(self) -> int:
        """Return how many units can be done at once."""

    def submit(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Let a unit be done; return its future."""

    def result(self, future: Any) -> Any:
        """Return what a finished future has. Raise _Ended if its process has ended."""

    def close(self) -> None:
        """End everything."""


def _pool(workers: Workers, at_end: Callable[[], None] | None) -> _Pool:
    if workers.scheduler is None:
        return _Processes(workers.processes, at_end)
    return _Cluster(workers.scheduler, at_end)


# -- processes of this machine -----------------------------------------------------------------------------------------


class _Processes:
    """Processes of this machine, an executor each: one that ends takes nothing along but its own unit."""

    def __init__(self, count: int, at_end: Callable[[], None] | None) -> None:
        self.finished: SimpleQueue[Any] = SimpleQueue()
        self._count, self._at_end = count, at_end
        # Not forked: a fork of a program with threads inherits an undefined state.
        self._context = multiprocessing.get_context("spawn")
        self._free = [self._start() for _ in range(count)]
        self._busy: dict[Any, ProcessPoolExecutor] = {}

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=self._context, initializer=_serve, initargs=(self._at_end,))

    def places(self) -> int:
        return self._count

    def submit(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        executor = self._free.pop()
        try:
            future = executor.submit(function, *arguments)
        except BrokenExecutor:  # It was killed while it had nothing to do.
            executor = self._start()
            future = executor.submit(function, *arguments)
        self._busy[future] = executor
        future.add_done_callback(self.finished.put)
        return future

    def result(self, future: Any) -> Any:
        executor = self._busy.pop(future)
        try:
            return future.result()
        except BrokenExecutor:
            executor.shutdown(wait=False)
            executor = self._start()
            raise _Ended from None
        finally:
            self._free.append(executor)

    def close(self) -> None:
        for executor in (*self._free, *self._busy.values()):
            executor.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()


def _serve(at_end: Callable[[], None] | None) -> None:
    """Leave Ctrl-C to the parent program; end with it, and tidy up, however it ends."""

    def end(*_: object) -> None:
        if at_end is not None:
            at_end()
        os._exit(1)

    def watch(parent: BaseProcess) -> None:
        parent.join()
        end()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=watch, args=(parent,), daemon=True).start()


# -- a Dask cluster ----------------------------------------------------------------------------------------------------


class _Cluster:
    """The workers of a Dask scheduler; they may come and go. Only this class knows Dask."""

    def __init__(self, address: str, at_end: Callable[[], None] | None) -> None:
        """Raise Refused without Dask, a scheduler, or workers."""
        try:
            import distributed  # noqa: PLC0415 - an extra that few need, and slow to import
        except ImportError as error:
            how = f"pip install '{DISTRIBUTION}[cluster]'"
            why = f"--scheduler: Dask is not installed. Install it here and on all workers: {how}"
            raise Refused(why) from error
        for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # What fails is told in a sentence, without its stack.
        self.finished: SimpleQueue[Any] = SimpleQueue()
        self._dask, self._at_end = distributed, at_end
        try:
            self._client = distributed.Client(address, timeout=PATIENCE_S)
        except (OSError, ValueError) as error:
            raise Refused(f"--scheduler: no Dask scheduler answers at {address}: {error}") from error
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE_S)
        except TimeoutError:
            self._client.close()
            start = f"dask worker {address} --nworkers -1 --nthreads 1"
            why = f"--scheduler: the scheduler at {address} has no workers; start some: {start}"
            raise Refused(why) from None
        self._places = len(self._client.nthreads())  # Threads of a process work one after the other.
        self._looked = time.monotonic()

    def places(self) -> int:
        if time.monotonic() > self._looked + LOOK_S:
            with contextlib.suppress(OSError):
                self._places = max(1, len(self._client.nthreads()))
            self._looked = time.monotonic()
        return self._places

    def submit(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        try:
            future = self._client.submit(_call, _version(), function, arguments, pure=False)
        except (OSError, RuntimeError) as error:
            raise Refused(GONE) from error
        future.add_done_callback(self.finished.put)
        return future

    def result(self, future: Any) -> Any:
        try:
            return future.result()
        except self._dask.KilledWorker:
            raise _Ended(last=True) from None
        except (CancelledError, self._dask.CancelledError, OSError) as error:
            raise Refused(GONE) from error
        except (ImportError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "deserialization" not in str(error):
                raise
            missing = error.__cause__ or error
            why = (
                f"--scheduler: scheduler or worker can't import what it needs: {missing}. Install one Lodestone on all"
            )
            raise Refused(why) from error

    def close(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            if self._at_end is not None and self._client.status == "running":
                self._dask.fire_and_forget(
                    [
                        self._client.submit(
                            _call, _version(), self._at_end, (), workers=[one], allow_other_workers=True, pure=False
                        )
                        for one in self._client.nthreads()
                    ]
                )
        with contextlib.suppress(OSError, RuntimeError):
            self._client.close()


_one_at_a_time = threading.Lock()


def _call(version: str, function: Callable[..., R], arguments: tuple[Any, ...]) -> R:
    """Do a unit on a cluster's worker, whose threads may be several. Raise Refused for another version."""
    if version != _version():
        raise Refused(f"--scheduler: a worker has Lodestone {_version()}, here it is {version}: install one on all")
    with _one_at_a_time:
        return function(*arguments)


@cache
def _version() -> str:
    """Return the version, which is read from files: a thousand units need it a thousand times."""
    return importlib.metadata.version(DISTRIBUTION)


# -- what was done -----------------------------------------------------------------------------------------------------


def row_key(row: Row) -> str:
    """Return the key of a row of :func:`complete`. Raise InvalidField."""
    key = row.get("key")
    if not isinstance(key, str):
        raise wrong_field("a text", row, "key")
    return key


class RowsFile:
    """Results as JSON Lines: ``rows`` has one for each key, of which the first counts.

    ``key_of`` returns a row's key, None for a row that is kept but not counted, and raises InvalidJson for a wrong one.
    """

    def __init__(self, path: Path, key_of: Callable[[Row], Hashable | None] = row_key, option: str = "--out") -> None:
        """Read the file. Raise Refused, beginning with the option's name, if it can't be read or written."""
        refuse_kept(path)
        self.path, self.option = path, option
        self.rows: dict[Hashable, Row] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a+b") as file:
                file.seek(0)
                content = file.read()
        except OSError as error:
            raise Refused(f"{option}: {path} can't be read and written: {reason_of(error)}") from error
        *lines, half = content.split(b"\n")  # The unfinished last line of a killed run is ignored.
        if half and not half.startswith(b"{"):
            raise Refused(f"{option}: {path} is there already, and has no results; name another file")
        for number, line in enumerate(lines, 1):
            try:
                row = read_object(line) if line.strip() else None
                key = None if row is None else key_of(row)
            except InvalidJson as error:
                raise Refused(f"{option}: {path}, line {number}: {error}. Remove the line to go on") from error
            if row is not None and key is not None:
                self.rows.setdefault(key, row)
        self._torn = bool(content) and not content.endswith(b"\n")

    def add(self, key: Hashable, row: Row) -> None:
        """Write the row of a unit. Raise Refused."""
        try:
            self._write(json.dumps(row).encode() + b"\n")
        except OSError as error:
            why = f"{self.option}: {self.path} can't be written: {error.strerror}. What was done before is kept"
            raise Refused(why) from error
        self.rows[key] = row

    def _write(self, line: bytes) -> None:
        if self._torn:
            whole = self.path.read_bytes()
            os.truncate(self.path, whole.rfind(b"\n") + 1)
        self._torn = True  # Until the line is whole.
        with self.path.open("ab") as file:  # Others may have written to it meanwhile.
            file.write(line)
        self._torn = False


def complete(
    file: RowsFile,
    function: Callable[..., Mapping[str, Any]],
    units: Mapping[str, tuple[Any, ...]],
    workers: Workers,
    *,
    title: str,
    unit: str,
) -> list[Row]:
    """Do all units that a file does not hold, with a bar; return the rows of all units, in their order.

    A row is what the function returns, with its ``key``. Raise what :func:`work` raises, once the rest is done.
    """
    missing = [(key, arguments) for key, arguments in units.items() if key not in file.rows]
    with bar(len(units), len(units) - len(missing), title, unit) as shown:
        for key, result in work(function, missing, workers) if missing else ():
            file.add(key, {"key": key, **result})
            shown.update()
    return [file.rows[key] for key in units]


def bar(total: int, done: int, title: str, unit: str) -> tqdm[Any]:
    """Return a progress bar on a terminal; elsewhere it shows nothing."""
    from tqdm import tqdm  # noqa: PLC0415 - few commands need it

    return tqdm(total=total, initial=done, desc=title, unit=unit, disable=None, dynamic_ncols=True)

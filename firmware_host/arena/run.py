"""Plays the games of a match, many at once: in processes of this machine, or by a Dask scheduler."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from typing import Any

from firmware_host.arena.match import Match, schedule
from firmware_host.arena.referee import dismiss, play
from firmware_host.arena.results import Results, Row, Summary, summary
from firmware_host.text.refusal import Refused

PATIENCE_S = 10.0
"""So long a scheduler has to answer."""
AHEAD = 2
"""So many games a worker are asked for at once: enough to keep it busy, few to throw away once all is decided."""

Told = Callable[[Summary], None]


def cores() -> int:
    """Return how many processors this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    results: Results,
    games: int,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    test: tuple[float, float] | None = None,
    told: Told = lambda _: None,
) -> Summary:
    """Play until there are so many games, or until the test has decided; each is on disk as soon as it is over.

    What the file holds already is not played again. ``told`` hears after each game how it stands.
    """
    match = results.match
    missing = (key for key in schedule(match, games) if key not in results.rows)
    with _executor(workers, scheduler) as (executor, places):
        for row in _played(executor, match, missing, places * AHEAD, lambda: _decided(results, test)):
            results.add(row)
            told(standing(results, test))
    return standing(results, test)


def standing(results: Results, test: tuple[float, float] | None) -> Summary:
    """Return how a match stands: with a test by the openings that are whole, else by all games."""
    return summary(results.match, results.whole() if test else results.rows.values(), test)


def _decided(results: Results, test: tuple[float, float] | None) -> bool:
    return test is not None and standing(results, test).decided is not None


def _played(
    executor: Executor | None,
    match: Match,
    missing: Iterator[tuple[int, int]],
    most: int,
    enough: Callable[[], bool],
) -> Iterator[Row]:
    """Yield results as they come, never more than ``most`` games under way."""
    if executor is None:
        for opening, team in missing:
            if enough():
                return
            yield play(match, opening, team)
        return
    running: set[Future[dict[str, Any]]] = set()
    while not enough():
        for opening, team in itertools.islice(missing, most - len(running)):
            running.add(executor.submit(play, match, opening, team))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


@contextlib.contextmanager
def _executor(workers: int, scheduler: str | None) -> Iterator[tuple[Executor | None, int]]:
    """Yield what games are handed to (None: they are played here), and how many it plays at once."""
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
    elif workers == 1:
        try:
            yield None, 1
        finally:
            dismiss()
    else:
        # Started anew: what a fork of a program with threads inherits is anybody's guess.
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_alone)
        try:
            yield executor, workers
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield the workers of a Dask cluster. Raise Refused where Dask or the scheduler is not there."""
    try:
        from distributed import Client  # noqa: PLC0415 - an extra that few need, and slow to import
    except ImportError as error:
        why = "--scheduler: Dask is not installed. Install it here and on all workers: pip install 'lodestone[cluster]'"
        raise Refused(why) from error
    try:
        client = Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError) as error:
        raise Refused(f"--scheduler: no Dask scheduler answers at {address}: {error}") from error
    with client:
        places = sum(client.nthreads().values())
        if not places:
            raise Refused(f"--scheduler: the scheduler at {address} has no workers; start some: dask worker {address}")
        with client.get_executor(pure=False) as executor:
            yield executor, places


def _alone() -> None:
    """Leave Ctrl-C to the program that has started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

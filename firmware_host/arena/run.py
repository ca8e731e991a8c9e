"""Plays the games of a match in parallel: in processes of this machine, or by a Dask scheduler."""

from __future__ import annotations

import contextlib
import itertools
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from multiprocessing.process import BaseProcess
from typing import Any

from firmware_host.arena.match import Match, schedule
from firmware_host.arena.referee import dismiss, dismiss_now, play
from firmware_host.arena.results import ResultsFile, Row, Summary, summary
from firmware_host.text.words import Refused

PATIENCE_S = 10.0
"""Longest time for a scheduler to answer."""
AHEAD = 2
"""Games submitted for each worker: enough to keep it busy, and few to discard once the match is decided."""

HELPER_ENDED = (
    "a process that played has ended, or the scheduler: somebody stopped it, or it took too much memory. The games"
    " before are kept; the same command goes on"
)

Report = Callable[[Summary], None]


def cores() -> int:
    """Return the number of processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    results: ResultsFile,
    games: int,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    test: tuple[float, float] | None = None,
    aim: tuple[float, float] | None = None,
    report: Report = lambda _: None,
) -> Summary:
    """Play until there are ``games`` games, or the test or the aim has decided; each game is written once it is over.

    Games that the file already holds are not played again. ``report`` is called with the standing after each game.
    """
    match = results.match
    missing = (key for key in schedule(match, games) if key not in results.rows)
    with _executor(workers, scheduler) as (executor, places):
        for row in _play_games(executor, match, missing, places * AHEAD, lambda: _is_decided(results, test, aim)):
            results.add(row)
            report(standing(results, test, aim))
    return standing(results, test, aim)


def standing(
    results: ResultsFile, test: tuple[float, float] | None = None, aim: tuple[float, float] | None = None
) -> Summary:
    """Return the present summary of a match: with a test or an aim of the complete openings, else of all games."""
    return summary(results.match, results.whole() if test or aim else results.rows.values(), test, aim)


def _is_decided(results: ResultsFile, test: tuple[float, float] | None, aim: tuple[float, float] | None) -> bool:
    if test is None and aim is None:
        return False
    found = standing(results, test, aim)
    return (found.decision or found.placement) is not None


def _play_games(
    executor: Executor | None,
    match: Match,
    missing: Iterator[tuple[int, int]],
    most: int,
    enough: Callable[[], bool],
) -> Iterator[Row]:
    """Yield results as they come, with at most ``most`` games running."""
    if executor is None:
        for opening, team in missing:
            if enough():
                return
            yield play(match, opening, team)
        return
    running: set[Future[dict[str, Any]]] = set()
    while not enough():
        try:
            for opening, team in itertools.islice(missing, most - len(running)):
                running.add(executor.submit(play, match, opening, team))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            rows = [future.result() for future in done]
        except (BrokenExecutor, CancelledError) as error:
            raise Refused(HELPER_ENDED) from error
        yield from rows


@contextlib.contextmanager
def _executor(workers: int, scheduler: str | None) -> Iterator[tuple[Executor | None, int]]:
    """Yield the executor of games (None: they are played in this process), and the number of games at once."""
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
    elif workers == 1:
        try:
            yield None, 1
        finally:
            dismiss()
    else:
        # Not forked: a fork of a program with threads inherits an undefined state.
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(workers, mp_context=context, initializer=_serve)
        try:
            yield executor, workers
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield the executor of a Dask cluster, and its number of processes. Raise Refused without Dask or a scheduler."""
    try:
        from distributed import Client  # noqa: PLC0415 - an extra that few need, and slow to import
    except ImportError as error:
        how = "pip install 'lodestone-board[cluster]'"
        why = f"--scheduler: Dask is not installed. Install it here and on all workers: {how}"
        raise Refused(why) from error
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # What fails is told in a sentence, without its stack.
    try:
        client = Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError) as error:
        raise Refused(f"--scheduler: no Dask scheduler answers at {address}: {error}") from error
    with client:
        places = len(client.nthreads())  # Threads of a process play one after the other.
        if not places:
            start = f"dask worker {address} --nworkers -1 --nthreads 1"
            raise Refused(f"--scheduler: the scheduler at {address} has no workers; start some: {start}")
        try:
            with client.get_executor(pure=False) as executor:
                yield executor, places
        finally:
            with contextlib.suppress(OSError):  # The cluster has gone, and its players with it.
                client.run(dismiss)


def _serve() -> None:
    """Leave Ctrl-C to the parent program; end with it, and with all players' programs, however it ends."""

    def end(*_: object) -> None:
        dismiss_now()
        os._exit(1)

    def watch(parent: BaseProcess) -> None:
        parent.join()
        end()

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, end)
    if (parent := multiprocessing.parent_process()) is not None:
        threading.Thread(target=watch, args=(parent,), daemon=True).start()

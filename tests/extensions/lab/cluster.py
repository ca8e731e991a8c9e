"""A Dask cluster of programs on this machine: a scheduler, and workers that are started again when killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

from tests.waiting import eventually

ROOT = Path(__file__).parents[3]
PATIENCE_S = 120.0


class DaskCluster:
    """Its ``address``; ``kill`` ends a worker's process as a lack of memory would."""

    def __init__(self, folder: Path, workers: int, settings: dict[str, str]) -> None:
        self._folder = folder
        self._environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT)}
        self._file = folder / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self._file)]
        self._programs = [self._begin("dask_scheduler", *options)]
        try:
            self.address = str(eventually(self._address))
            for _ in range(workers):
                self.add_worker()
            from distributed import Client  # noqa: PLC0415 - slow to import

            with Client(self.address) as client:
                client.wait_for_workers(workers, timeout=PATIENCE_S)
        except BaseException:
            self.close()
            raise

    def _begin(self, program: str, *options: str) -> subprocess.Popen[bytes]:
        with (self._folder / f"{program}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *options],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=self._environment,
            )

    def _address(self) -> str | None:
        with contextlib.suppress(OSError, ValueError):
            return str(json.loads(self._file.read_text(encoding="utf-8"))["address"])
        return None

    def add_worker(self) -> None:
        """Start one more worker, of one process and one thread."""
        options = [self.address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--local-directory"]
        self._programs.append(self._begin("dask_worker", *options, str(self._folder), "--death-timeout", "60"))

    def workers(self) -> list[int]:
        """Return the process ids of the workers: children of the programs that look after them."""
        found = []
        for program in self._programs[1:]:
            for child in psutil.Process(program.pid).children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    if any("spawn_main" in word for word in child.cmdline()):
                        found.append(child.pid)
        return found

    def kill(self, number: int = 0) -> None:
        """Kill one of the workers."""
        workers = eventually(self.workers)
        os.kill(workers[number % len(workers)], signal.SIGKILL)

    def end_scheduler(self) -> None:
        """Kill the scheduler."""
        self._programs[0].kill()

    def close(self) -> None:
        """End all programs."""
        for program in self._programs:
            with contextlib.suppress(psutil.NoSuchProcess):
                for child in psutil.Process(program.pid).children(recursive=True):
                    with contextlib.suppress(psutil.NoSuchProcess):
                        child.kill()
            program.kill()
            program.wait()


@contextlib.contextmanager
def dask_cluster(workers: int, **settings: str) -> Iterator[DaskCluster]:
    """Yield a cluster of so many workers; ``settings`` are variables of its environment."""
    with tempfile.TemporaryDirectory(prefix="lodestone-cluster-") as folder:
        cluster = DaskCluster(Path(folder), workers, settings)
        try:
            yield cluster
        finally:
            cluster.close()

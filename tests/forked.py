"""The ``lodestone`` command as a process of its own that starts at once: the fork of one that has imported it all.

To import the program takes more than a second of the processor; to fork a process that has imported it takes none. Each
worker of the suite keeps one such process (``multiprocessing``'s fork server), which ends with the worker. What a fork
runs is the command line itself; tests/commands/test_cli.py holds the installed command to it.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from lodestone.chance import Drawn, next_salt

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["tests.forked", "tests.preloaded"])


def _run(words: list[str], folder: str, environment: Mapping[str, str], *, merged: bool, salt: str) -> None:
    """Be the command, in the fork. It reads the folder's ``in``, and prints to ``out`` and ``err``."""
    # It ends with the worker, and may start processes all the same: a club verifies records in one.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    imported_by = os.environ.get("PYTHONPATH")
    os.environ.clear()
    os.environ.update(environment)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    os.dup2(os.open(f"{folder}/in", os.O_RDONLY), 0)
    os.dup2(os.open(f"{folder}/out", flags, 0o600), 1)
    os.dup2(1 if merged else os.open(f"{folder}/err", flags, 0o600), 2)
    if environment.get("PYTHONPATH") != imported_by:  # It finds other packages than those that were imported.
        start = "from firmware_host.commands.cli import main; raise SystemExit(main())"
        os.execv(sys.executable, [sys.executable, "-u", "-c", start, *words])
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process lives
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["lodestone", *words]
    from firmware_host.commands import play  # noqa: PLC0415 - loaded by the fork server, not by each worker
    from firmware_host.commands.cli import main  # noqa: PLC0415

    vars(play)["Setting"] = partial(play.Setting, draw=Drawn(salt))

    raise SystemExit(main())


class Forked:
    """A ``lodestone`` command that runs; the part of :class:`subprocess.Popen` that tests need."""

    def __init__(self, *words: str, given: str = "", merged: bool = True, env: Mapping[str, str] | None = None) -> None:
        """``given`` stands on its standard input; ``merged`` sends its errors to its output."""
        self.args = ["lodestone", *words]
        self._path = Path(tempfile.mkdtemp(prefix="lodestone-"))
        weakref.finalize(self, shutil.rmtree, self._path)
        (self._path / "in").write_text(given, encoding="utf-8")
        for name in ("out", "err"):
            (self._path / name).touch()
        arguments = (list(words), str(self._path), dict(env or os.environ))
        options = {"merged": merged, "salt": next_salt()}
        self._process = _SERVER.Process(target=_run, args=arguments, kwargs=options, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code once it has ended, negative for a signal."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Look whether it has ended; return its exit code."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # It has just ended by itself.
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; return its exit code. Raise subprocess.TimeoutExpired."""
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def printed(self) -> str:
        """Return what it has printed by now."""
        return (self._path / "out").read_text(encoding="utf-8")

    def complained(self) -> str:
        """Return what it has written to its standard error by now, where that is kept apart."""
        return (self._path / "err").read_text(encoding="utf-8")

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end; return all that it wrote to its output and to its standard error."""
        self.wait(timeout)
        return self.printed(), self.complained()


def run(
    *words: str, given: str = "", env: Mapping[str, str] | None = None, check: bool = False, timeout: float = 200
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; return what came of it, as ``subprocess.run`` does."""
    process = Forked(*words, given=given, merged=False, env=env)
    try:
        out, err = process.communicate(timeout)
    finally:
        process.kill()
    done = subprocess.CompletedProcess(process.args, process.wait(), out, err)
    if check:
        done.check_returncode()
    return done


class Separate(subprocess.Popen[str]):
    """``lodestone`` in a process that begins anew, in another environment, as :class:`Forked` runs it in this one."""

    def __init__(self, environment: Mapping[str, str], log: Path, *words: str) -> None:
        """``log`` is what it prints."""
        self._log = log
        with log.open("a") as out:
            super().__init__(
                [sys.executable, "-m", "firmware_host", *words], env=environment, stdout=out, stderr=out, text=True
            )

    def printed(self) -> str:
        return self._log.read_text()

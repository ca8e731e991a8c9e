"""The terminal of a hardware command: it opens the board, and leads a wizard through it.

The board is a real one, or a simulated one with its helper. The front passes scans and typed lines to a wizard, and
shows its lights and lines. After each step the wizard's state is saved in a file beside the board file
(:class:`Progress`), so that another run can go on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import select
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from firmware_host.archive.files import reason_of, write_whole
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.options import whole
from firmware_host.extensions.workshop.wizard import Task, Wizard
from firmware_host.table.lights import OFF
from firmware_host.text.json_reader import InvalidJson, read_json
from firmware_host.text.words import Refused
from hw.ports import CODED, BoardDescription, Colour, HardwareError, OpenBoard
from hw.registry import open_board, scheme_of

SHIPPED_BOARD = "spokes-45"
HAND_PAUSE_S = 0.05
"""Pause of the simulated hand before a task."""


@dataclass(frozen=True)
class Opened:
    """An open board: its description and its parts."""

    path: Path
    description: BoardDescription
    """The board file's description, with which results are compared."""
    parts: OpenBoard
    helped: bool
    """Whether the simulated hand does the wizards' tasks."""


def add_options(parser: argparse.ArgumentParser, *, hands: bool) -> None:
    """Add the options that select a board; ``hands`` adds the option for the simulated hand."""
    parser.add_argument("--board", default=SHIPPED_BOARD, help=f"a board file, or a shipped one ({SHIPPED_BOARD})")
    parser.add_argument("--sim", action="store_true", help="simulate the board instead of opening its pins")
    parser.add_argument("--kind", choices=("presence", "polarity", "level"), help="what simulated sensors can tell")
    parser.add_argument("--wired-as", metavar="BOARD", help="solder the simulated board as another board file says")
    parser.add_argument("--seed", type=whole(), default=0, help="seed of the simulated contacts' bounce")
    if hands:
        parser.add_argument(
            "--hands", choices=("none", "help"), default="none", help="with --sim: help lets the simulated hand do it"
        )


def describe(arguments: argparse.Namespace) -> tuple[Path, BoardDescription]:
    """Return the board file's path and description. Raise Refused."""
    simulated = arguments.sim or arguments.board == "sim"
    for option, given in (("--kind", arguments.kind), ("--wired-as", arguments.wired_as)):
        if given is not None and not simulated:
            raise Refused(f"{option} is for simulated boards: add --sim")
    if getattr(arguments, "hands", "none") == "help" and not simulated:
        raise Refused("--hands help is for simulated boards: add --sim")
    path = find_board(SHIPPED_BOARD if arguments.board == "sim" else arguments.board, sim=True)
    return path, load_board(path, backend="sim" if simulated else None, kind=arguments.kind)


@contextmanager
def open_for(arguments: argparse.Namespace, *, levels: bool = False, **options: Any) -> Iterator[Opened]:
    """Open the board of the command line, and close it at the end. Raise Refused.

    With ``levels``, a converter's levels are read for any kind in the board file.
    """
    path, description = describe(arguments)
    if levels and scheme_of(description).measures_levels and description.kind != CODED:
        description = replace(description, kind="level")
    if description.backend == "sim":
        options = {"seed": arguments.seed, "pause_s": HAND_PAUSE_S, **options}
    try:
        if arguments.wired_as is not None:
            wired = load_board(find_board(arguments.wired_as, "--wired-as"), backend="sim", kind=description.kind)
            if set(wired.nodes) != set(description.nodes):
                raise Refused(f"--wired-as {arguments.wired_as}: expected a board of the same nodes")
            options["soldered"] = wired
        parts = open_board(description, **options)
    except HardwareError as error:
        raise Refused(str(error)) from error
    try:
        yield Opened(path, description, parts, getattr(arguments, "hands", "none") == "help")
    except HardwareError as error:
        raise Refused(str(error)) from error
    finally:
        parts.close()


class Keyboard:
    """Lines typed at a terminal or read from a pipe, with a limited wait."""

    def __init__(self, source: TextIO | None = None) -> None:
        """Read from ``source``, by default standard input."""
        self._source = sys.stdin if source is None else source
        self._open = True

    def line(self, patience_s: float) -> str | None:
        """Return a line if one comes within this time, else None."""
        if not self._open:
            time.sleep(patience_s)
            return None
        try:
            ready, _, _ = select.select([self._source], [], [], patience_s)
        except (OSError, ValueError):  # The source can't be waited for: a test's buffer, a closed stream.
            self._open = False
            return None
        if not ready:
            return None
        line = self._source.readline()
        if not line:  # The end of a pipe is always ready.
            self._open = False
            return None
        return line.rstrip("\n")


@dataclass
class Front:
    """Connects a wizard to an open board and a terminal."""

    opened: Opened
    keep: Callable[[Mapping[str, Any]], None] = lambda _: None
    """Called with the wizard's state to save, after each change."""
    out: TextIO = field(default_factory=lambda: sys.stdout)
    keys: Keyboard = field(default_factory=Keyboard)
    clock: Callable[[], float] = time.monotonic

    def run(self, wizard: Wizard) -> bool:
        """Run a wizard to its end; return False after Ctrl-C. Raise HardwareError when the board does not answer."""
        parts, period = self.opened.parts, 1.0 / self.opened.description.scan_hz
        try:
            while not wizard.is_done:
                due = self.clock() + period
                wizard.feed(parts.sensors.scan(), self.clock())
                self._show(wizard)
                line = self.keys.line(max(0.0, due - self.clock()))
                if line is not None:
                    wizard.say(line, self.clock())
            self._show(wizard)
        except KeyboardInterrupt:
            return False
        finally:
            self._dark()
        return True

    _lit: Mapping[int, Colour] | None = None
    _asked: Sequence[Task] = ()
    _kept: Mapping[str, Any] = field(default_factory=dict)

    def _show(self, wizard: Wizard) -> None:
        for line in wizard.news():
            print(line, file=self.out, flush=True)
        lights = dict(wizard.lights)
        if lights != self._lit:
            self._lit = lights
            strip = self.opened.parts.strip
            strip.show([lights.get(pixel, OFF) for pixel in range(strip.length)])
        attend, tasks = self.opened.parts.attend, wizard.tasks
        if self.opened.helped and attend is not None and list(tasks) != list(self._asked):
            self._asked = list(tasks)
            attend(self._asked)
        kept = wizard.saved_state()
        if kept != self._kept:
            self._kept = kept
            self.keep(kept)

    def _dark(self) -> None:
        strip = self.opened.parts.strip
        with contextlib.suppress(Exception):  # The board may be lost.
            strip.show([OFF] * strip.length)


class Progress:
    """The saved state of a wizard, in a file next to the board file."""

    def __init__(self, target: Path, verb: str) -> None:
        """``target`` is the board file that the wizard will write; ``verb`` is its command."""
        self.path = target.with_name(f"{target.stem}.{verb}.json")

    def keep(self, kept: Mapping[str, Any]) -> None:
        """Save the state. Raise Refused at once when that fails, so that no work is lost."""
        try:
            write_whole(self.path, json.dumps(kept))
        except OSError as error:
            raise Refused(
                f"{self.path}: can't be written: {error.strerror}. Choose another place with --out"
            ) from error

    def load(self) -> object:
        """Return the saved state. Raise Refused naming the file."""
        try:
            return read_json(self.path.read_bytes())
        except FileNotFoundError:
            raise Refused(f"there is nothing to resume: {self.path} does not exist") from None
        except (OSError, InvalidJson) as error:
            raise self.useless(f"can't be read: {reason_of(error)}") from error

    def useless(self, why: str) -> Refused:
        """Return the refusal of a saved state."""
        return Refused(f"{self.path}: {why}. Start again without --resume")

    def forget(self) -> None:
        """Delete the file after the work is done."""
        self.path.unlink(missing_ok=True)


def lead(opened: Opened, progress: Progress, wizard: Wizard) -> bool:
    """Run a wizard to its end at the terminal; return False after Ctrl-C. Raise Refused for a lost board."""
    try:
        return Front(opened, progress.keep).run(wizard)
    except HardwareError as error:
        raise Refused(f"{error}. What is known so far is in {progress.path}: go on with --resume") from error

"""The terminal front of the wizards: it passes scans and typed lines to a wizard, and shows its lights and lines."""

from __future__ import annotations

import contextlib
import json
import select
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from firmware_host.archive.files import write_whole
from firmware_host.hardware.opening import Opened
from firmware_host.hardware.wizard import Task, Wizard
from firmware_host.table.lights import OFF
from firmware_host.text.refusal import Refused
from hw.ports import Colour, HardwareError


class Keys:
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
    keys: Keys = field(default_factory=Keys)
    clock: Callable[[], float] = time.monotonic

    def run(self, wizard: Wizard) -> bool:
        """Run a wizard to its end; return False after Ctrl-C. Raise HardwareError when the board does not answer."""
        parts, period = self.opened.parts, 1.0 / self.opened.description.scan_hz
        try:
            while not wizard.done:
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
        kept = wizard.kept()
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
            return json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise Refused(f"there is nothing to resume: {self.path} does not exist") from None
        except (OSError, ValueError, RecursionError) as error:
            raise self.useless(f"can't be read: {error}") from error

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

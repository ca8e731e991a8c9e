"""The adviser analyses the present position: a child process searches, and a thread asks it and passes answers on.

A compiled search holds the interpreter lock for its whole duration. So it runs in a separate process (``python -m
firmware_host.services.engine``) with low priority and limited memory. Asking returns at once. A search that hangs, dies
or gives wrong answers costs advice and nothing else.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from firmware_host.analysis.engine_process import Abandoned, Broken, EngineChild
from firmware_host.games.game import Analysis
from firmware_host.table.state import is_settled

LOOKS = (0.3, 2.0, 10.0, 60.0)
"""Durations, in seconds, of successive searches of a position until its analysis is settled."""
PATIENCE_S = 0.5
"""Longest search that is awaited when its position is gone; a longer one is ended with its process."""
TRIES = 2
"""Number of deaths of the child at one position after which the position is given up."""
DEATHS = 4
"""Number of deaths of the child without an answer between them after which the adviser logs a warning and stops."""

ENDS = (None, "rest", "loop")

Tell = Callable[[str, Analysis, float], None]

_log = logging.getLogger(__name__)


def engine_command() -> list[str]:
    """Return the command of the search (``-P``: nothing is imported from the working directory)."""
    return [sys.executable, "-P", "-m", "firmware_host.services.engine"]


class Adviser:
    """Analyses one position at a time. Any thread may ask; ``tell`` is called on the adviser's thread."""

    def __init__(
        self, game: str, tell: Tell, *, command: Sequence[str] | None = None, looks: Sequence[float] = LOOKS
    ) -> None:
        """Start the thread; the child is started at the first position.

        ``tell(position, analysis, seconds)`` must return at once.
        """
        self._game = game
        self._tell = tell
        self._looks = tuple(looks)
        self._asked: str | None = None
        self._closing = False
        self._deaths = 0
        self._waker, self._wake = os.pipe()
        for end in (self._waker, self._wake):
            os.set_blocking(end, False)
        self._child = EngineChild(command or engine_command(), self._waker)
        self._thread = threading.Thread(target=self._run, name="adviser", daemon=True)
        self._thread.start()

    def ask(self, position: str | None) -> None:
        """Analyse this position (a text) from now on, or (None) nothing. Returns at once; repetitions cost nothing."""
        if position != self._asked:
            self._asked = position
            self._ring()

    def close(self) -> None:
        """End the child and the thread."""
        self._closing = True
        self._ring()
        self._thread.join(timeout=5)
        if not self._thread.is_alive():
            os.close(self._wake)
            os.close(self._waker)

    def _ring(self) -> None:
        with contextlib.suppress(OSError):  # The pipe is full: the thread will wake anyway.
            os.write(self._wake, b"!")

    # -- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing and self._deaths < DEATHS:
                position = self._asked
                if position is not None:
                    self._advise(position)
                if self._deaths < DEATHS:
                    self._child.wait(partial(self._stale, position))
        finally:
            self._child.end()
        if self._deaths >= DEATHS:
            _log.warning("The search beside the table has failed %d times in a row; play goes on without it.", DEATHS)

    def _stale(self, position: str | None) -> bool:
        return self._closing or self._asked != position

    def _advise(self, position: str) -> None:
        """Analyse a position in longer and longer searches, until it is settled or the position is gone."""
        look = deaths = 0
        while look < len(self._looks) and not self._stale(position):
            try:
                found = self._look(position, self._looks[look])
            except Abandoned:
                self._start_anew()
                return
            except Broken as error:
                deaths += 1
                self._deaths += 1
                _log.info("The search beside the table failed: %s", error)
                if deaths >= TRIES or self._deaths >= DEATHS:
                    return
                continue
            self._deaths = 0
            if self._stale(position):
                return
            self._tell(position, found, self._looks[look])
            if is_settled(found):
                return
            look += 1

    def _start_anew(self) -> None:
        """Start a process for the next question, which comes soon."""
        with contextlib.suppress(Broken):
            if not self._closing:
                self._child.start()

    def _look(self, position: str, seconds: float) -> Analysis:
        request = {"do": "foresee", "game": self._game, "position": position, "seconds": seconds}
        answer = self._child.ask(
            request, seconds, lambda: self._closing or (seconds > PATIENCE_S and self._asked != position)
        )
        return foresight_of(answer)


def foresight_of(answer: dict[str, Any]) -> Analysis:
    """Return the analysis in an engine's answer. Raise Broken for a refusal or another shape."""
    if answer.get("ok") is not True:
        raise Broken(f"the engine refused: {str(answer.get('error'))[:200]}")
    rest, loop, exact = (answer.get(name) for name in ("rest_reachable", "in_loop", "exact"))
    nodes, way = answer.get("loop_nodes"), answer.get("way")
    end, cells, worth = answer.get("end"), answer.get("cells"), answer.get("worth")
    right = (
        all(value is None or isinstance(value, bool) for value in (rest, loop))
        and isinstance(exact, bool)
        and _are_texts(nodes)
        and _are_texts(way)
        and end in ENDS
        and (cells is None or isinstance(cells, str))
        and isinstance(worth, list)
        and all(isinstance(part, int) for part in worth)
    )
    if not right:
        raise Broken(f"an answer of another shape: {str(answer)[:200]}")
    return Analysis(rest, loop, tuple(nodes or ()), tuple(way or ()), end, cells, bool(exact), tuple(worth or ()))


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)

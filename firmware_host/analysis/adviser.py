"""The adviser looks ahead beside the table: a child process searches, a small thread asks it and hands answers on.

A search that runs at compiled speed holds the interpreter for as long as it likes. So it lives in a process of its own
(``python -m firmware_host.services.engine``) that yields to the table and may not take all memory. Asking returns at
once. A search that hangs, dies or answers nonsense costs advice and nothing else.
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
from firmware_host.table.analysis import is_settled

LOOKS = (0.3, 2.0, 10.0, 60.0)
"""Seconds of one search after the other while a position stands and something is still open."""
PATIENCE_S = 0.5
"""A search shorter than this is waited for when its position is gone; a longer one is given up with its process."""
TRIES = 2
"""A position on which the child has died so often is not asked about again."""
DEATHS = 4
"""After so many deaths without an answer between them the adviser says so, and falls silent."""

ENDS = (None, "rest", "loop")

Tell = Callable[[str, Analysis, float], None]

_log = logging.getLogger(__name__)


def engine_command() -> list[str]:
    """Return how the search is started (``-P``: nothing that lies in the present folder is imported)."""
    return [sys.executable, "-P", "-m", "firmware_host.services.engine"]


class Adviser:
    """Asks a search about one position at a time. Any thread may ask; ``tell`` is called on the adviser's own."""

    def __init__(
        self, game: str, tell: Tell, *, command: Sequence[str] | None = None, looks: Sequence[float] = LOOKS
    ) -> None:
        """Start the thread; the child is started at the first question.

        ``tell(position, foresight, seconds)`` must return at once.
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
        """Look ahead from a position from now on, or (None) from nowhere. Returns at once; repeating is free."""
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
        with contextlib.suppress(OSError):  # Full of rings already: then it hears one of them.
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
        """Look ahead from a position, longer and longer, until all is known or the position is gone."""
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
        """Have a process ready for the next question, which comes soon."""
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
    """Return what an engine's answer says. Raise Broken when it is a refusal, or has another shape."""
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

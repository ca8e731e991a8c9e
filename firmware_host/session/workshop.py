"""The board in the workshop: a wizard of ``lodestone hardware`` led from the host's page, while the table waits.

The loop goes on scanning. Its scans feed the wizard, and the table is handed the readings of the moment in which the
board was taken; its lights are kept back. So the table needs to know nothing of it, and no second thread scans.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from firmware_host.hardware.check_wizard import CheckWizard
from firmware_host.hardware.findings import findings
from firmware_host.hardware.report import BAD, OK
from firmware_host.hardware.tap import Tap
from firmware_host.hardware.wizard import Doing
from firmware_host.session.runtime import Runtime
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.lights import OFF
from firmware_host.text.hardware_words import lost_words
from firmware_host.text.words import Text, say, say_many
from hw.ports import BoardDescription, Colour, HardwareError, OpenBoard, Strip

IDLE_S = 600.0
"""After so long without a step or an answer the board goes back to the table."""
WORDS: Mapping[str, str] = {"skip": "s", "undo": "u"}
"""Answer of the page → what the wizard hears."""
AT_REST = frozenset({"lobby", "over"})
"""Phases in which the board may be taken without asking."""

_log = logging.getLogger(__name__)


class KeptBack:
    """A strip whose frames are remembered and not shown."""

    def __init__(self, strip: Strip) -> None:
        """Stand before a strip."""
        self.behind, self.length = strip, strip.length
        self.frame: Sequence[Colour] = [OFF] * strip.length
        """The last frame."""

    def show(self, colours: Sequence[Colour]) -> None:
        """Remember a frame."""
        self.frame = list(colours)

    def close(self) -> None:
        """Close the strip behind it."""
        self.behind.close()


class Workshop:
    """Takes the table's board, leads one wizard, gives the board back. Any thread may ask."""

    def __init__(self, runtime: Runtime) -> None:
        """Nothing is taken yet."""
        self._runtime = runtime
        self._lock = threading.RLock()
        self._work: _Work | None = None
        self._result: dict[str, Any] | None = None
        runtime.listeners.append(self._follow)

    def state(self) -> dict[str, Any]:
        """Return ``board``, ``refused`` (why no check can be made, or None), ``step`` and ``result``, each or None.

        A step: ``do`` (``wait``, ``put``, ``wrong``, ``off``), ``node``, ``felt`` (nodes that answer), ``words``,
        ``hint``, ``done`` and ``of`` (steps), ``choices`` (answers that are possible now). A result: ``good``,
        ``words`` and ``items`` (``node``, ``state``, ``words``).
        """
        with self._lock:
            board = self._runtime.setting.board.description
            step = self._work.step() if self._work is not None else None
            return {"board": board.name, "refused": _refused(board), "step": step, "result": self._result}

    def begin(self, *, pause: bool) -> None:
        """Take the board and begin the check; ``pause``: a game that runs is paused for it.

        Raise TableError: a game runs, the board is taken, or it can't be checked.
        """
        self._runtime.do(lambda: self._begin(pause=pause))

    def answer(self, choice: str) -> None:
        """Take one of the step's choices. Raise TableError for any other, and where no check is being made."""
        with self._lock:
            if self._work is None:
                raise TableError("wrong_phase", say("the board is not being checked now"))
            if choice not in self._work.step()["choices"]:
                raise TableError("bad_action", say("this is no answer to what is asked now"))
            self._work.answer(choice)

    def stop(self) -> None:
        """End the check and give the board back; what is known so far is the result. Idle, nothing happens."""
        self._runtime.do(self._end)

    # -- on the loop's thread ------------------------------------------------------------------------------------

    def _begin(self, *, pause: bool) -> None:
        board, view = self._runtime.setting.board, self._runtime.view(None)[1]
        refused = _refused(board.description)
        if refused is not None:
            raise TableError("bad_board", refused)
        with self._lock:
            if self._work is not None:
                raise TableError("wrong_phase", say("the board is being checked already"))
            if view["lesson"] is not None:
                raise TableError("lesson", say("a lesson is going on: end it first"))
            if view["phase"] not in AT_REST and not view["held"]:
                if not pause:
                    raise TableError("wrong_phase", say("a game is still being played"))
                self._runtime.submit(ev.GamePaused(at=self._runtime.now()))
            self._result = None
            self._work = _Work(board, self._runtime.now, self._end)

    def _end(self) -> None:
        with self._lock:
            work, self._work = self._work, None
            if work is not None:
                self._result = work.result()
                work.give_back()

    def _follow(self, view: Mapping[str, Any]) -> None:
        """Give the board back when the game goes on, or the table has moved to another board."""
        work = self._work
        if work is None:
            return
        plays = view["phase"] not in AT_REST and not view["held"]
        if plays or view["lesson"] is not None or self._runtime.setting.board is not work.board:
            self._end()


class _Work:
    """One wizard at work on a board that the table has lent."""

    def __init__(self, board: OpenBoard, now: Callable[[], float], end: Callable[[], None]) -> None:
        self.board = board
        self._now, self._end = now, end
        self._wizard = CheckWizard(board.description)
        self._lock = threading.RLock()
        self._last: tuple[str, str | None, int] | None = None
        self._heard = now()
        self._frozen: Sequence[int] | None = None
        self._shown: Sequence[Colour] = ()
        self._trouble: Text | None = None
        if not isinstance(board.sensors, Tap):
            board.sensors = Tap(board.sensors, board.description)
        self._tap, self._strip = board.sensors, KeptBack(board.strip)
        board.strip = self._strip
        self._tap.through = self._feed

    def _feed(self, readings: Sequence[int]) -> Sequence[int]:
        """Take one scan of the loop; return what the table is to see."""
        frozen = self._frozen = list(readings) if self._frozen is None else self._frozen
        at = self._now()
        try:
            with self._lock:
                self._wizard.feed(readings, at)
                doing = self._wizard.doing()
            now = (doing.do, doing.node, doing.done)
            if now != self._last:
                self._last, self._heard = now, at
            self._light()
            if self._wizard.done or at - self._heard >= IDLE_S:
                self._end()
        except Exception:  # noqa: BLE001 - a wizard that fails must not stop the table
            _log.exception("The check of the board has failed.")
            self._end()
        return frozen

    def _light(self) -> None:
        lights = self._wizard.lights
        frame = [lights.get(pixel, OFF) for pixel in range(self._strip.length)]
        if frame == self._shown:
            return
        try:
            self._strip.behind.show(frame)
        except HardwareError as error:
            self._trouble = say("The lights are lost ({reason}): check their cable and power supply.",
                                reason=lost_words(error))  # fmt: skip
        else:
            self._shown, self._trouble = frame, None

    def answer(self, choice: str) -> None:
        with self._lock:
            self._heard = self._now()
            self._wizard.say(WORDS[choice], self._heard)

    def step(self) -> dict[str, Any]:
        with self._lock:
            doing, board = self._wizard.doing(), self.board.description
            touch = self._wizard.stones.touch
            felt = [board.sensors()[channel][0] for channel in sorted(touch.answers)]
        choices = [] if doing.do == "wait" else ["skip", *(["undo"] if doing.done else [])]
        return {
            "do": doing.do,
            "node": doing.node,
            "felt": felt,
            "words": _asked(doing, board),
            "hint": self._trouble or (_hint(doing) if doing.hinted else None),
            "done": doing.done,
            "of": doing.of,
            "choices": choices,
        }

    def result(self) -> dict[str, Any]:
        found = findings(self.board.description, self._wizard)
        bad = sum(one.state == BAD for one in found)
        good = all(one.state == OK for one in found)
        if bad:
            words = say_many("{count} node is not in order.", "{count} nodes are not in order.", bad)
        elif good:
            words = say("Every node is in order.")
        else:
            words = say("Nothing wrong was found, but not every node was tried with a stone.")
        return {"good": good, "words": words, "items": [asdict(one) for one in found]}

    def give_back(self) -> None:
        self._tap.through = None
        self.board.strip = self._strip.behind
        if not self.board.closed:
            with suppress(HardwareError):  # The table finds out by itself, and tells it.
                self._strip.behind.show(self._strip.frame)


def _refused(board: BoardDescription) -> Text | None:
    """Return why a board can't be checked by stones."""
    if not board.lights.wired and any(wiring.ring for wiring in board.nodes.values()):
        return say("This board has wells and no lights to lead stones by: use lodestone hardware check.")
    return None


def _asked(doing: Doing, board: BoardDescription) -> Text:
    """Say what is to be done now."""
    if doing.do == "wait":
        return say("Take everything off the board. All lights show red, green, blue and white one after the other.")
    if doing.do == "off":
        return say("Thank you. Take the stone off again.")
    if doing.do == "wrong":
        return say("This was not expected. Take everything off the board; then try {node} again.", node=doing.node)
    if board.channel_kind == "presence":
        return say("Put a stone on {node}.", node=doing.node)
    return say("Put a white stone on {node}.", node=doing.node)


def _hint(doing: Doing) -> Text:
    """Say what may be wrong when it takes long."""
    if doing.do == "put":
        return say(
            "No answer. If another place is lit, put it there. If the stone lies there, go on without an answer."
        )
    return say("A stone is still felt. If none lies there, go on: this sensor is left out.")

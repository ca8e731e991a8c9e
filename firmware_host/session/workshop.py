"""The board's workshop: a wizard of ``lodestone hardware`` on the host's page, while the table waits.

The loop goes on scanning. Its scans go to the wizard; the table gets the readings of the moment when the
board was taken, and its lights are not shown. So the table is not involved, and no second thread scans.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from firmware_host.archive.journal_events import JournalError
from firmware_host.hardware.tap import Tap
from firmware_host.session.own_boards import OwnFile
from firmware_host.session.rewiring import adopt
from firmware_host.session.runtime import Runtime
from firmware_host.session.workshop_jobs import (
    JOBS,
    WORK,
    CheckJob,
    Job,
    asked,
    calibrate_refused,
    check_refused,
    hint,
)
from firmware_host.table import events as ev
from firmware_host.table.errors import TableError
from firmware_host.table.lights import OFF
from firmware_host.text.hardware_words import lost_words
from firmware_host.text.refusal import Refused
from firmware_host.text.words import Text, joined, say
from hw.ports import BoardDescription, Colour, HardwareError, OpenBoard, Strip

IDLE_S = 600.0
"""Time without a step or an answer after which the board goes back to the table, seconds."""
WORDS: Mapping[str, str] = {"skip": "s", "undo": "u", "go": ""}
"""Answer of the page → input of the wizard."""
AT_REST = frozenset({"lobby", "over"})
"""Phases in which the board may be taken without asking."""

_log = logging.getLogger(__name__)


class KeptBack:
    """A strip whose frames are stored and not shown."""

    def __init__(self, strip: Strip) -> None:
        """Wrap a strip."""
        self.behind, self.length = strip, strip.length
        self.frame: Sequence[Colour] = [OFF] * strip.length
        """The last frame."""

    def show(self, colours: Sequence[Colour]) -> None:
        """Store a frame."""
        self.frame = list(colours)

    def close(self) -> None:
        """Close the wrapped strip."""
        self.behind.close()


class Workshop:
    """Takes the table's board, runs one wizard, gives the board back. Thread-safe."""

    def __init__(self, runtime: Runtime, file: OwnFile | None = None) -> None:
        """Begin without a board. ``file`` is where results are written; None: nowhere."""
        self._own = (runtime.setting.board.description, file) if file is not None else None
        self._runtime = runtime
        self._lock = threading.RLock()
        self._work: _Work | None = None
        self._what: str | None = None
        self._result: dict[str, Any] | None = None
        runtime.listeners.append(self._follow)

    def state(self) -> dict[str, Any]:
        """Return ``board``, ``refused`` (work → why it can't be done), ``what`` is done, ``step``, ``result``, or None.

        A step: ``do`` (``wait``, ``put``, ``wrong``, ``off``), ``node``, ``felt`` (nodes that answer), ``words``,
        ``hint``, ``done`` and ``of`` (steps), ``choices`` (possible answers). A result: ``good``,
        ``words`` and ``items`` (``node``, ``state``, ``words``).
        """
        with self._lock:
            board = self._runtime.setting.board.description
            step = self._work.step() if self._work is not None else None
            return {
                "board": board.name,
                "refused": {what: why for what in WORK if (why := self._refused(what)) is not None},
                "what": self._what,
                "step": step,
                "result": self._result,
            }

    def begin(self, what: str, *, pause: bool) -> None:
        """Take the board and begin one of :data:`WORK`; ``pause``: a running game is paused for it.

        Raise TableError: a game runs, the board is taken, or it can't be checked.
        """
        self._runtime.do(lambda: self._begin(what, pause=pause))

    def answer(self, choice: str) -> None:
        """Choose one of the step's answers. Raise TableError for any other, and without a running check."""
        with self._lock:
            if self._work is None:
                raise TableError("wrong_phase", say("the board is not being checked now"))
            if choice not in self._work.step()["choices"]:
                raise TableError("bad_action", say("this is no answer to what is asked now"))
            self._work.answer(choice)

    def stop(self) -> None:
        """End the check and give the board back; the partial result is kept. Without a check nothing happens."""
        self._runtime.do(self._end)

    # -- on the loop's thread ------------------------------------------------------------------------------------

    def _refused(self, what: str) -> Text | None:
        """Return why this can't be done with the open board, None if it can."""
        board = self._runtime.setting.board.description
        if what == "check":
            return check_refused(board)
        if self._own is None or self._own[0] is not board:
            return say("This writes the board file: start Lodestone with --board and a board of your own.")
        return calibrate_refused(board) if what == "calibrate" else None

    def _job(self, what: str) -> Job:
        board = self._runtime.setting.board.description
        if what == "check" or self._own is None:
            return CheckJob(board)
        try:
            return JOBS[what](board, self._own[1])
        except Refused as error:
            raise TableError("bad_board", str(error)) from error

    def _begin(self, what: str, *, pause: bool) -> None:
        board, view = self._runtime.setting.board, self._runtime.view(None)[1]
        if what not in WORK:
            raise TableError("bad_action", say("there is no such work to be done with the board"))
        refused = self._refused(what)
        if refused is not None:
            raise TableError("bad_board", refused)
        with self._lock:
            if self._work is not None:
                raise TableError("wrong_phase", say("the board is being checked already"))
            if view["lesson"] is not None:
                raise TableError("lesson", say("a lesson or a puzzle is going on: end it first"))
            job = self._job(what)
            if view["phase"] not in AT_REST and not view["held"]:
                if not pause:
                    raise TableError("wrong_phase", say("a game is still being played"))
                self._runtime.submit(ev.GamePaused(at=self._runtime.now()))
            self._result, self._what = None, what
            self._work = _Work(board, job, self._runtime.now, self._end)

    def _end(self) -> None:
        with self._lock:
            work, self._work = self._work, None
            if work is not None:
                work.give_back()
                failed: dict[str, Any] = {"good": False, "words": work.failed, "items": []}
                self._result = failed if work.failed is not None else work.job.result()
                if work.failed is None and work.job.learned is not None:
                    self._result = self._adopted(work.job.learned, self._result)

    def _adopted(self, learned: BoardDescription, result: dict[str, Any]) -> dict[str, Any]:
        """Let the table use the learned description; return the result, with the reason if it can't."""
        try:
            adopt(self._runtime, learned)
        except (TableError, JournalError) as error:
            words = say("Start Lodestone again to play with it ({reason}).", reason=str(error))
            return {**result, "words": joined([result["words"], words], " ")}
        if self._own is not None:
            self._own = learned, OwnFile(self._own[1].target, self._own[1].target)
        return result

    def _follow(self, view: Mapping[str, Any]) -> None:
        """Give the board back if the game goes on, or the table has moved to another board."""
        work = self._work
        if work is None:
            return
        plays = view["phase"] not in AT_REST and not view["held"]
        if plays or view["lesson"] is not None or self._runtime.setting.board is not work.board:
            self._end()


class _Work:
    """A wizard running on a board lent by the table."""

    def __init__(self, board: OpenBoard, job: Job, now: Callable[[], float], end: Callable[[], None]) -> None:
        self.board, self.job = board, job
        self._now, self._end = now, end
        self.failed: str | None = None
        """Why it had to stop, in words."""
        self._wizard = job.wizard
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
        """Take one scan of the loop; return the readings for the table."""
        frozen = self._frozen = list(readings) if self._frozen is None else self._frozen
        at = self._now()
        try:
            with self._lock:
                self._wizard.feed(readings, at)
                doing = self.job.doing()
            now = (doing.do, doing.node, doing.done)
            if now != self._last:
                self._last, self._heard = now, at
                self.job.keep()
            self._light()
            if self._wizard.done or at - self._heard >= IDLE_S:
                self._end()
        except Refused as error:  # The partial result can't be kept.
            self.failed = str(error)
            self._end()
        except Exception:  # noqa: BLE001 - a wizard that fails must not stop the table
            _log.exception("The workshop has failed.")
            self.failed = say("This had to stop because of an error in the program; its log names the error.")
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
            doing, board = self.job.doing(), self.board.description
            touch = self.job.touch
            felt = [board.sensors()[channel][0] for channel in sorted(touch.answers)]
        choices = [] if doing.do == "wait" else ["skip", *(["undo"] if doing.done else [])]
        choices += ["go"] if doing.stage and doing.hinted else []
        return {
            "do": doing.do,
            "node": doing.node,
            "felt": felt,
            "words": asked(self.job.what, doing, board),
            "hint": self._trouble or (hint(doing) if doing.hinted else None),
            "done": doing.done,
            "of": doing.of,
            "choices": choices,
        }

    def give_back(self) -> None:
        self._tap.through = None
        self.board.strip = self._strip.behind
        if not self.board.closed:
            with suppress(HardwareError):  # The table notices and reports it.
                self._strip.behind.show(self._strip.frame)

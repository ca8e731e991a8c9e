"""The board's workshop: a wizard of ``lodestone hardware`` on the host's page, while the table waits.

The loop goes on scanning. Its scans go to the wizard; the table gets the readings of the moment when the
board was taken, and its lights are kept back (:mod:`firmware_host.link.tap`). So the table is not involved, and no
second thread scans.

From top to bottom: the service that the page uses (:class:`Workshop`), a wizard at work on the lent board, the three
jobs (check, map, calibrate) with their results, and the sentences of the page. A map or a calibration that is finished
is written into the board file, and the running table adopts it as if it had been started with it.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from firmware_host.archive.journal_events import JournalError
from firmware_host.boardfile.load import BoardFileError, load_board
from firmware_host.extensions.workshop.calibration import CalibrateWizard
from firmware_host.extensions.workshop.checking import (
    ANSWERS,
    BAD,
    OK,
    UNPROVEN,
    CheckWizard,
    StoneFindings,
    colour_results,
)
from firmware_host.extensions.workshop.mapping import BLACK, MapWizard, Record
from firmware_host.extensions.workshop.own_file import OwnFile
from firmware_host.extensions.workshop.terminal import Progress
from firmware_host.extensions.workshop.wizard import Doing, TouchSensing
from firmware_host.link.results import write_calibration, write_wiring
from firmware_host.link.tap import TappedBoard, taps_of
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.lights import OFF
from firmware_host.table.subjects.proposals import GamePaused
from firmware_host.text.words import Refused, Text, capital, fill, join_sentences, lost_words, say, say_many
from hw.ports import BoardDescription, Colour, HardwareError, NodeWiring

IDLE_S = 600.0
"""Time without a step or an answer after which the board goes back to the table, seconds."""
WORDS: Mapping[str, str] = {"skip": "s", "undo": "u", "go": "", **{answer: answer for answer in ANSWERS}}
"""Answer of the page → input of the wizard."""

_log = logging.getLogger(__name__)


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
        runtime.follow(self._follow)

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
                "refused": {what: why for what in WORK if (why := self._why_not(what)) is not None},
                "what": self._what,
                "step": step,
                "result": self._result,
            }

    def begin(self, what: str, *, pause: bool) -> None:
        """Take the board and begin one of :data:`WORK`; ``pause``: a running game is paused for it.

        Raise TableError: a game runs, the board is taken, or it can't be checked.
        """
        self._runtime.do(lambda: self._begin(what, pause=pause))

    def answer(self, choice: str, done: int | None = None) -> None:
        """Choose one of the step's answers. Raise TableError for any other, and without a running check.

        ``done``: the step's own, as it was seen; one that has been answered meanwhile is not answered again.
        """
        with self._lock:
            if self._work is None:
                raise TableError("wrong_phase", say("the board is not being checked now"))
            if done is not None and done != self._work.step()["done"]:
                return
            if choice not in self._work.step()["choices"]:
                raise TableError("bad_action", say("this is no answer to what is asked now"))
            self._work.answer(choice)

    def stop(self) -> None:
        """End the check and give the board back; the partial result is kept. Without a check nothing happens."""
        self._runtime.do(self._end)

    # -- on the loop's thread ------------------------------------------------------------------------------------

    def _why_not(self, what: str) -> Text | None:
        """Return why this can't be done with the open board, None if it can."""
        board = self._runtime.setting.board.description
        if what == "check":
            return check_refused(board)
        if self._own is None or self._own[0] is not board:
            return say("This writes the board file: start Lodestone with --board and a board of your own.")
        return calibrate_refused(board) if what == "calibrate" else None

    def _job(self, what: str) -> WorkshopJob:
        board = self._runtime.setting.board.description
        if what == "check" or self._own is None:
            return CheckJob(board)
        try:
            return JOBS[what](board, self._own[1])
        except Refused as error:
            raise TableError("bad_board", str(error)) from error

    def _begin(self, what: str, *, pause: bool) -> None:
        board, view = taps_of(self._runtime), self._runtime.view(None)[1]
        if what not in WORK:
            raise TableError("bad_action", say("there is no such work to be done with the board"))
        refused = self._why_not(what)
        if refused is not None:
            raise TableError("bad_board", refused)
        with self._lock:
            if self._work is not None:
                raise TableError("wrong_phase", say("the board is being checked already"))
            if view["lesson"] is not None:
                raise TableError("lesson", say("a lesson or a puzzle is going on: end it first"))
            job = self._job(what)
            if view["phase"] not in BETWEEN_GAMES and not view["paused"]:
                if not pause:
                    raise TableError("wrong_phase", say("a game is still being played"))
                self._runtime.submit(GamePaused(at=self._runtime.now()))
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
                    self._result = self._adopt(work.job.learned, self._result)

    def _adopt(self, learned: BoardDescription, result: dict[str, Any]) -> dict[str, Any]:
        """Let the table use the learned description; return the result, with the reason if it can't."""
        try:
            adopt(self._runtime, learned)
        except (TableError, JournalError) as error:
            words = say("Start Lodestone again to play with it ({reason}).", reason=str(error))
            return {**result, "words": join_sentences([result["words"], words], " ")}
        if self._own is not None:
            self._own = learned, OwnFile(self._own[1].target, self._own[1].target)
        return result

    def _follow(self, view: Mapping[str, Any]) -> None:
        """Give the board back if the game goes on, or the table has moved to another board."""
        work = self._work
        if work is None:
            return
        plays = view["phase"] not in BETWEEN_GAMES and not view["paused"]
        if plays or view["lesson"] is not None or self._runtime.setting.board is not work.board:
            self._end()


class _Work:
    """A wizard running on a board lent by the table."""

    def __init__(self, board: TappedBoard, job: WorkshopJob, now: Callable[[], float], end: Callable[[], None]) -> None:
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
        self._strip = board.strip.borrow()
        board.sensors.borrow(self._feed)

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
            if self._wizard.is_done or at - self._heard >= IDLE_S:
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
        frame = [lights.get(pixel, OFF) for pixel in range(self.board.strip.length)]
        if frame == self._shown:
            return
        try:
            self._strip.show(frame)
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
        choices = [*ANSWERS, *choices] if doing.do == "colour" else choices
        return {
            "do": doing.do,
            "node": doing.node,
            "felt": felt,
            "words": instruction(self.job.what, doing, board),
            "hint": self._trouble or (hint(doing) if doing.hinted else None),
            "done": doing.done,
            "of": doing.of,
            "choices": choices,
        }

    def give_back(self) -> None:
        self.board.sensors.give_back()
        with suppress(HardwareError):  # The table notices and reports it.
            if not self.board.closed:
                self.board.strip.give_back()


class WorkshopJob:
    """One piece of work on a board, which begins with the empty board."""

    what: str
    """``check``, ``map`` or ``calibrate``."""
    wizard: CheckWizard | MapWizard | CalibrateWizard
    learned: BoardDescription | None = None
    """The written board at the end, None if nothing was written."""

    @property
    def touch(self) -> TouchSensing:
        """Return the known data of the sensors."""
        return self.wizard.stones.touch if isinstance(self.wizard, CheckWizard) else self.wizard.touch

    def doing(self) -> Doing:
        """Return the step as data: for a map without nodes, as none is known by its light before it is mapped."""
        return self.wizard.doing({}) if isinstance(self.wizard, MapWizard) else self.wizard.doing()

    def keep(self) -> None:
        """Save the partial result, if the job has one. Raise Refused."""

    def result(self) -> dict[str, Any]:
        """Finish, also before the wizard's end: return ``good``, ``words``, ``items``."""
        raise NotImplementedError


class CheckJob(WorkshopJob):
    """Tries each node with a stone. Changes nothing."""

    what = "check"
    wizard: CheckWizard

    def __init__(self, board: BoardDescription) -> None:
        """Begin with the empty board."""
        self.wizard = CheckWizard(board)
        self._board = board

    def result(self) -> dict[str, Any]:
        """Return the result for every node, in the board file's order."""
        stones = StoneFindings(self._board, self.wizard.stones)
        found = [_node_result(self._board, self.wizard, stones, wiring) for wiring in self._board.nodes.values()]
        wrong = [words for _, words in colour_results(self._board, self.wizard.colours.seen)]
        causes = [*stones.causes(), *(one for one in (*wrong, self.wizard.look.touch.light_words) if one)]
        bad = sum(one.state == BAD for one in found)
        tried = all(one.state == OK for one in found)
        if bad:
            words = say_many("{count} node is not in order.", "{count} nodes are not in order.", bad)
        elif tried:
            words = say("Every node is in order.")
        else:
            words = say("Nothing wrong was found, but not every node was tried with a stone.")
        sentences = join_sentences([*map(capital, causes), words], " ") if causes else words
        good = tried and not causes
        return {"good": good, "words": sentences, "items": [asdict(one) for one in found]}


@dataclass(frozen=True)
class NodeResult:
    """The result for one node."""

    node: str
    state: str
    """``ok``, ``bad`` or ``unproven``: see ``checking.py``."""
    words: Text


def _node_result(board: BoardDescription, wizard: CheckWizard, stones: StoneFindings, wiring: NodeWiring) -> NodeResult:
    name = wiring.name
    touches = (wizard.look.touch, wizard.stones.touch)
    if any(channel in touch.stuck for touch in touches for channel in wiring.channels):
        words = say("{node} detects a stone where none lies: its sensor is stuck, or something is on it.", node=name)
        return NodeResult(name, BAD, words)
    if any(channel in touch.restless for touch in touches for channel in wiring.channels):
        return NodeResult(name, BAD, say("{node} never keeps still: look for a loose contact.", node=name))
    empty = wizard.look.touch
    if any(channel in empty.answered and channel not in empty.by_lights for channel in wiring.channels):
        words = say("{node} answered while nothing lay there: look for a loose contact, or something on it.", node=name)
        return NodeResult(name, BAD, words)
    record = stones.record(name)
    if record is None:
        return NodeResult(name, UNPROVEN, say("{node} was not tried with a stone.", node=name))
    found = _by_stone(board, wiring, record)
    if found.state == OK and name in stones.dark:
        words = say(
            "No stone was felt at the light of {node}, but its sensor works: its pixel is dark, or lit elsewhere.",
            node=name,
        )
        return NodeResult(name, BAD, words)
    return _by_black(wiring, stones) if found.state == OK and stones.asks_black else found


def _by_black(wiring: NodeWiring, stones: StoneFindings) -> NodeResult:
    name = wiring.name
    record = stones.by_black.get(name)
    if record is None:
        return NodeResult(name, UNPROVEN, say("{node} was not tried with a black stone.", node=name))
    if record.channel != wiring.channel or record.why:
        words = say(
            "{node} did not feel the black stone as black: look at its switch for south, and at that one's wire.",
            node=name,
        )
        return NodeResult(name, BAD, words)
    return NodeResult(name, OK, say("{node} is in order.", node=name))


def _by_stone(board: BoardDescription, wiring: NodeWiring, record: Record) -> NodeResult:
    name = wiring.name
    if record.channel is None:
        words = say(
            "{node} gave no answer, or others answered too: look at its sensor, its wires and its light.", node=name
        )
        return NodeResult(name, BAD, words)
    if record.channel != wiring.channel:
        other = board.sensor_words(record.channel) if record.channel in board.sensors() else f"{record.channel}"
        words = say("At the light of {node} the sensor of {other} answered: two wires are swapped.",
                    node=name, other=other)  # fmt: skip
        return NodeResult(name, BAD, words)
    if record.why:
        words = say(
            "{node} took the white stone for something else. Put a white stone there, marked side up; if that does not "
            "help, its sensor is mounted upside down or one of its switches is stuck.",
            node=name,
        )
        return NodeResult(name, BAD, words)
    return NodeResult(name, OK, say("{node} is in order.", node=name))


class WritingJob(WorkshopJob):
    """The common part of jobs that write their results into a board file."""

    wizard: MapWizard | CalibrateWizard

    def __init__(self, board: BoardDescription, file: OwnFile) -> None:
        """Continue the saved partial result for this file. Raise Refused."""
        self._board, self._file = board, file
        try:
            file.target.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise Refused(f"{error.filename}: can't be made: {error.strerror}") from error
        self._progress = Progress(file.target, self.what)
        self._kept: Mapping[str, Any] = self.wizard.saved_state()
        if self._progress.path.exists():
            try:
                self.wizard.resume(self._progress.load())
            except ValueError as error:
                raise Refused(f"{self._progress.path}: {error}") from error

    def keep(self) -> None:
        """Save the partial result beside the board file, as the command does. Raise Refused."""
        kept = self.wizard.saved_state()
        if kept != self._kept:
            self._kept = kept
            self._progress.keep(kept)

    @property
    def _is_complete(self) -> bool:
        return self.wizard.is_done and not self.wizard.stopped

    def _write(self, write: Callable[[Path, Path], None], good: Text) -> dict[str, Any]:
        """Write the board file; the old one stays beside it."""
        source, target = self._file
        try:
            if target.exists():
                shutil.copy2(target, target.with_name(f"{target.name}.before"))
            write(source, target)
            self.learned = load_board(target, backend=self._board.backend, kind=self._board.kind)
        except (OSError, BoardFileError) as error:
            return _open(say("The board file can't be written: {reason}", reason=str(error)))
        self._progress.forget()
        where = (
            say("{file} is written; the old file is {file}.before.", file=target.name)
            if source == target
            else say("It is kept in the data folder as a board file of your own: {file}.", file=target.name)
        )
        return {"good": True, "words": join_sentences([good, where], " "), "items": []}


class MapJob(WritingJob):
    """Finds the sensor and the pixel of each node, and writes them into the board file."""

    what = "map"
    wizard: MapWizard

    def __init__(self, board: BoardDescription, file: OwnFile) -> None:
        """Begin with the empty board, or continue a saved map of this file. Raise Refused."""
        self.wizard = MapWizard(board, "both" if board.lights.has_strips else "channels")
        super().__init__(board, file)

    def result(self) -> dict[str, Any]:
        """Write the board file if everything is known."""
        if not self._is_complete:
            return _open(say("The map is not complete. The nodes found so far are kept: start again to go on."))
        wiring = self.wizard.wiring()
        if wiring.open:
            words = say("Some nodes gave no answer, so nothing was written. Repair them, then start again to go on.")
            return _open(join_sentences([capital(wiring.cause), words], " ") if wiring.cause else words)
        before = self._board.nodes
        moved = sum((one.ring or one.channel, one.pixel) != wiring.nodes[name] for name, one in before.items())
        good = say("{moved} of {count} nodes have changed.", moved=moved, count=len(before))
        return self._write(lambda source, target: write_wiring(source, target, wiring.nodes), good)


class CalibrateJob(WritingJob):
    """Measures what each linear sensor reads at rest and under stones, and writes it into the board file."""

    what = "calibrate"
    wizard: CalibrateWizard

    def __init__(self, board: BoardDescription, file: OwnFile) -> None:
        """Begin with the empty board, or continue a saved calibration of this file. Raise Refused."""
        self.wizard = CalibrateWizard(board)
        super().__init__(board, file)

    def result(self) -> dict[str, Any]:
        """Write the levels of the measured nodes once all had their turn."""
        if not self._is_complete or not self.wizard.measured:
            return _open(say("Some nodes were not measured. The others are kept: start again to go on."))
        levels = {node: one.levels for node, one in self.wizard.measured.items()}
        good = say_many("{count} node is measured.", "{count} nodes are measured.", len(levels))
        result = self._write(lambda source, target: write_calibration(source, target, levels), good)
        failed = say("Not measured: the two colours must move the sensor in opposite directions.")
        blurred = say("Stacks can't be told from single stones here: the table asks.")
        items = [
            {"node": node, "state": BAD, "words": join_sentences([node, failed], ": ")} for node in self.wizard.failed
        ]
        items += [
            {"node": node, "state": UNPROVEN, "words": join_sentences([node, blurred], ": ")}
            for node, one in levels.items()
            if not one.stacks
        ]
        return {**result, "good": result["good"] and not self.wizard.failed, "items": items}


JOBS: Mapping[str, type[MapJob | CalibrateJob]] = {"map": MapJob, "calibrate": CalibrateJob}
"""Jobs that write into a board file."""
WORK = ("check", *JOBS)


def _open(words: Text) -> dict[str, Any]:
    return {"good": False, "words": words, "items": []}


MEASURING: Mapping[str, Text] = {
    "white": say("Put a white stone on {node}."),
    "stack": say("Put a black stone on top of it, on {node}."),
    "bare": say("Take both stones off {node}."),
    "black": say("Put a black stone on {node}."),
    "off": say("Take the stone off {node}."),
}
"""Stage of a calibration → what to do."""


SIMPLE: Mapping[str, Text] = {
    "off": say("Thank you. Take the stone off again."),
    "colour": say("All lights show one colour. Which colour do you see? If some stay dark, choose: No light."),
}
"""Step → its instruction."""
COLOUR_OF_STRIP = say(
    "The strip on {pin} shows one colour. Which colour do you see? If some of its lights stay dark, choose: No light."
)


def instruction(what: str, doing: Doing, board: BoardDescription) -> Text:
    """Return the instruction of the present step."""
    if doing.stage in MEASURING:
        return fill(MEASURING[doing.stage], node=doing.node)
    if doing.do in SIMPLE:
        return fill(COLOUR_OF_STRIP, pin=doing.strip) if doing.strip else SIMPLE[doing.do]
    if doing.do == "wrong":
        if doing.node is None:
            return say("This was not expected. Take everything off the board; then try again.")
        return say("This was not expected. Take everything off the board; then try {node} again.", node=doing.node)
    if doing.do == "put":
        return _put(doing, board)
    lights = say("Take everything off the board. All lights show red, green, blue and white one after the other.")
    return lights if what == "check" else say("Take everything off the board.")


def _put(doing: Doing, board: BoardDescription) -> Text:
    white, node = board.channel_kind != "presence", doing.node
    if node is None:
        return say("Put a white stone where the light is.") if white else say("Put a stone where the light is.")
    if "/" in node:  # One of a well's nine sensors.
        return say("Put a stone over {sensor}.", sensor=board.sensor_words(board.sensor_names()[node]))
    if white and doing.piece == BLACK:
        return fill(MEASURING["black"], node=node)
    if doing.is_named:
        named = say("Put a stone on {node} itself, whether it is lit or not.", node=node)
        return say("Put a white stone on {node} itself, whether it is lit or not.", node=node) if white else named
    return say("Put a white stone on {node}.", node=node) if white else say("Put a stone on {node}.", node=node)


def hint(doing: Doing) -> Text:
    """Return a hint for a step that takes long."""
    if doing.stage:
        return say("The sensor shows no change. If all lies as asked, go on with what it reads; or go on without it.")
    if doing.do == "put":
        return say(
            "No answer. If another node is lit, take that one. If the stone lies there, go on without an answer."
        )
    return say("A stone is still detected. If none lies there, go on: this sensor is left out.")


def check_refused(board: BoardDescription) -> Text | None:
    """Return why a board can't be checked by stones, None if it can."""
    if not board.lights.has_strips and any(wiring.ring for wiring in board.nodes.values()):
        return say("This board has wells and no lights to lead stones by: use lodestone hardware check.")
    return None


def calibrate_refused(board: BoardDescription) -> Text | None:
    """Return why a board can't be calibrated, None if it can."""
    if board.kind != "level":
        return say("This board has no linear sensors, or is not opened with them: there is nothing to measure.")
    return None


def adopt(runtime: Runtime, description: BoardDescription) -> None:
    """Use a new description of the open board (channels, pixels, levels), on the loop's thread.

    Sensors and strip stay open. The game goes on as after a restart. Raise TableError or JournalError without any
    change.
    """
    before, paused = runtime.setting, runtime.table().paused
    board = replace(taps_of(runtime), description=description)
    runtime.change(replace(before, board=board), runtime.suspended_game(runtime.table()))
    board.sensors.describe(description)
    if paused and not runtime.table().paused:
        runtime.submit(GamePaused(at=runtime.now()))

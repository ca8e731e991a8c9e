"""The workshop's jobs: a wizard, the names of its steps, and its result."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from firmware_host.boardfile.load import BoardFileError, load_board
from firmware_host.hardware.boardfile import write_calibration, write_wiring
from firmware_host.hardware.calibrate_wizard import CalibrateWizard
from firmware_host.hardware.check_wizard import CheckWizard
from firmware_host.hardware.findings import findings
from firmware_host.hardware.map_wizard import MapWizard
from firmware_host.hardware.report import BAD, OK, UNPROVEN
from firmware_host.hardware.terminal import Progress
from firmware_host.hardware.touch import Touch
from firmware_host.hardware.wizard import Doing
from firmware_host.session.own_boards import OwnFile
from firmware_host.text.refusal import Refused
from firmware_host.text.words import Text, fill, joined, say, say_many
from hw.ports import BoardDescription, Colour


class Leads(Protocol):
    """The interface of a wizard to the workshop."""

    @property
    def done(self) -> bool:
        """Whether it is finished."""
        ...

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of the lit pixels."""
        ...

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Take one scan."""
        ...

    def say(self, words: str, at: float) -> None:
        """Process ``s`` or ``u``."""
        ...


class Job(Protocol):
    """One piece of work on a board."""

    @property
    def what(self) -> str:
        """Return ``check``, ``map`` or ``calibrate``."""
        ...

    @property
    def learned(self) -> BoardDescription | None:
        """Return the written board at the end, None if nothing was written."""
        ...

    @property
    def wizard(self) -> Leads:
        """Return the wizard of the job."""
        ...

    @property
    def touch(self) -> Touch:
        """Return the known data of the sensors."""
        ...

    def doing(self) -> Doing:
        """Return the step as data."""
        ...

    def keep(self) -> None:
        """Save the partial result, if the job has one. Raise Refused."""
        ...

    def result(self) -> dict[str, Any]:
        """Finish, also before the wizard's end: return ``good``, ``words``, ``items``."""
        ...


class CheckJob:
    """Tries each node with a stone. Changes nothing."""

    what = "check"
    learned: BoardDescription | None = None

    def __init__(self, board: BoardDescription) -> None:
        """Begin with the empty board."""
        self.wizard = CheckWizard(board)
        self._board = board

    @property
    def touch(self) -> Touch:
        """Return the known data of the sensors."""
        return self.wizard.stones.touch

    def doing(self) -> Doing:
        """Return the step as data."""
        return self.wizard.doing()

    def keep(self) -> None:
        """Do nothing: a check is quickly repeated."""

    def result(self) -> dict[str, Any]:
        """Return the result for every node."""
        found = findings(self._board, self.wizard)
        bad = sum(one.state == BAD for one in found)
        good = all(one.state == OK for one in found)
        if bad:
            words = say_many("{count} node is not in order.", "{count} nodes are not in order.", bad)
        elif good:
            words = say("Every node is in order.")
        else:
            words = say("Nothing wrong was found, but not every node was tried with a stone.")
        return {"good": good, "words": words, "items": [asdict(one) for one in found]}


class _Writes:
    """The common part of jobs that write their results into a board file."""

    what: str
    learned: BoardDescription | None = None
    wizard: MapWizard | CalibrateWizard

    def __init__(self, board: BoardDescription, file: OwnFile) -> None:
        """Continue the saved partial result for this file. Raise Refused."""
        self._board, self._file = board, file
        try:
            file.target.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise Refused(f"{error.filename}: can't be made: {error.strerror}") from error
        self._progress = Progress(file.target, self.what)
        self._kept: Mapping[str, Any] = self.wizard.kept()
        if self._progress.path.exists():
            try:
                self.wizard.resume(self._progress.load())
            except ValueError as error:
                raise Refused(f"{self._progress.path}: {error}") from error

    @property
    def touch(self) -> Touch:
        """Return the known data of the sensors."""
        return self.wizard.touch

    def keep(self) -> None:
        """Save the partial result beside the board file, as the command does. Raise Refused."""
        kept = self.wizard.kept()
        if kept != self._kept:
            self._kept = kept
            self._progress.keep(kept)

    @property
    def _ended(self) -> bool:
        return self.wizard.done and not self.wizard.stopped

    def _written(self, write: Callable[[Path, Path], None], good: Text) -> dict[str, Any]:
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
        return {"good": True, "words": joined([good, where], " "), "items": []}


class MapJob(_Writes):
    """Finds the sensor and the pixel of each node, and writes them into the board file."""

    what = "map"
    wizard: MapWizard

    def __init__(self, board: BoardDescription, file: OwnFile) -> None:
        """Begin with the empty board, or continue a saved map of this file. Raise Refused."""
        self.wizard = MapWizard(board, "both" if board.lights.wired else "channels")
        super().__init__(board, file)

    def doing(self) -> Doing:
        """Return the step as data: no node's light is known before it is mapped."""
        return self.wizard.doing({})

    def result(self) -> dict[str, Any]:
        """Write the board file if everything is known."""
        if not self._ended:
            return _open(say("The map is not complete. The nodes found so far are kept: start again to go on."))
        wiring = self.wizard.wiring()
        if wiring.open:
            return _open(
                say("Some places gave no answer, so nothing was written. Repair them, then start again to go on.")
            )
        before = self._board.nodes
        moved = sum((one.ring or one.channel, one.pixel) != wiring.nodes[name] for name, one in before.items())
        good = say("{moved} of {count} nodes have changed.", moved=moved, count=len(before))
        return self._written(lambda source, target: write_wiring(source, target, wiring.nodes), good)


class CalibrateJob(_Writes):
    """Measures what each linear sensor reads at rest and under stones, and writes it into the board file."""

    what = "calibrate"
    wizard: CalibrateWizard

    def __init__(self, board: BoardDescription, file: OwnFile) -> None:
        """Begin with the empty board, or continue a saved calibration of this file. Raise Refused."""
        self.wizard = CalibrateWizard(board)
        super().__init__(board, file)

    def doing(self) -> Doing:
        """Return the step as data."""
        return self.wizard.doing()

    def result(self) -> dict[str, Any]:
        """Write the levels of the measured nodes once all had their turn."""
        if not self._ended or not self.wizard.measured:
            return _open(say("Some nodes were not measured. The others are kept: start again to go on."))
        levels = {node: one.levels for node, one in self.wizard.measured.items()}
        good = say_many("{count} node is measured.", "{count} nodes are measured.", len(levels))
        result = self._written(lambda source, target: write_calibration(source, target, levels), good)
        failed = say("Not measured: the two colours must move the sensor in opposite directions.")
        blurred = say("Stacks can't be told from single stones here: the table asks.")
        items = [{"node": node, "state": BAD, "words": joined([node, failed], ": ")} for node in self.wizard.failed]
        items += [
            {"node": node, "state": UNPROVEN, "words": joined([node, blurred], ": ")}
            for node, one in levels.items()
            if not one.stacks
        ]
        return {**result, "good": result["good"] and not self.wizard.failed, "items": items}


JOBS: Mapping[str, Callable[[BoardDescription, OwnFile], Job]] = {"map": MapJob, "calibrate": CalibrateJob}
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


def asked(what: str, doing: Doing, board: BoardDescription) -> Text:
    """Return the instruction of the present step."""
    if doing.stage in MEASURING:
        return fill(MEASURING[doing.stage], node=doing.node)
    if doing.do == "off":
        return say("Thank you. Take the stone off again.")
    if doing.do == "wrong":
        if doing.node is None:
            return say("This was not expected. Take everything off the board; then try again.")
        return say("This was not expected. Take everything off the board; then try {node} again.", node=doing.node)
    if doing.do == "put":
        return _put(doing.node, board)
    lights = say("Take everything off the board. All lights show red, green, blue and white one after the other.")
    return lights if what == "check" else say("Take everything off the board.")


def _put(node: str | None, board: BoardDescription) -> Text:
    white = board.channel_kind != "presence"
    if node is None:
        return say("Put a white stone where the light is.") if white else say("Put a stone where the light is.")
    if "/" in node:  # One of a well's nine sensors.
        return say("Put a stone over {sensor}.", sensor=board.sensor_words(board.sensor_names()[node]))
    return say("Put a white stone on {node}.", node=node) if white else say("Put a stone on {node}.", node=node)


def hint(doing: Doing) -> Text:
    """Return a hint for a step that takes long."""
    if doing.stage:
        return say("The sensor shows no change. If all lies as asked, go on with what it reads; or go on without it.")
    if doing.do == "put":
        return say(
            "No answer. If another place is lit, take that one. If the stone lies there, go on without an answer."
        )
    return say("A stone is still felt. If none lies there, go on: this sensor is left out.")


def check_refused(board: BoardDescription) -> Text | None:
    """Return why a board can't be checked by stones, None if it can."""
    if not board.lights.wired and any(wiring.ring for wiring in board.nodes.values()):
        return say("This board has wells and no lights to lead stones by: use lodestone hardware check.")
    return None


def calibrate_refused(board: BoardDescription) -> Text | None:
    """Return why a board can't be calibrated, None if it can."""
    if board.kind != "level":
        return say("This board has no linear sensors, or is not opened with them: there is nothing to measure.")
    return None

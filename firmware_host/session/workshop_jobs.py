"""What the workshop can do with a board: a wizard, what its steps are called, and what comes of it."""

from __future__ import annotations

import importlib.resources
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from firmware_host.boardfile.load import BoardFileError, find_board
from firmware_host.hardware.boardfile import write_wiring
from firmware_host.hardware.check_wizard import CheckWizard
from firmware_host.hardware.findings import findings
from firmware_host.hardware.map_wizard import MapWizard
from firmware_host.hardware.report import BAD, OK
from firmware_host.hardware.terminal import Progress
from firmware_host.hardware.touch import Touch
from firmware_host.hardware.wizard import Doing
from firmware_host.session.game_selection import LaunchRequest
from firmware_host.text.refusal import Refused
from firmware_host.text.words import Text, say, say_many
from hw.ports import BoardDescription, Colour


class Leads(Protocol):
    """What the workshop asks of a wizard."""

    @property
    def done(self) -> bool:
        """Whether it has come to its end."""
        ...

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of what is lit now."""
        ...

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Take one scan."""
        ...

    def say(self, words: str, at: float) -> None:
        """Hear ``s`` or ``u``."""
        ...


class Job(Protocol):
    """One piece of work on a board."""

    @property
    def what(self) -> str:
        """Return ``check`` or ``map``."""
        ...

    @property
    def wizard(self) -> Leads:
        """Return what leads through it."""
        ...

    @property
    def touch(self) -> Touch:
        """Return what is known of the sensors."""
        ...

    def doing(self) -> Doing:
        """Return the step as data."""
        ...

    def keep(self) -> None:
        """Keep what is known for another time, where that counts. Raise Refused."""
        ...

    def result(self) -> dict[str, Any]:
        """Finish, whether the wizard has come to its end or not: ``good``, ``words``, ``items``."""
        ...


class CheckJob:
    """Tries each node with a stone. Changes nothing."""

    what = "check"

    def __init__(self, board: BoardDescription) -> None:
        """Begin with the empty board."""
        self.wizard = CheckWizard(board)
        self._board = board

    @property
    def touch(self) -> Touch:
        """Return what is known of the sensors."""
        return self.wizard.stones.touch

    def doing(self) -> Doing:
        """Return the step as data."""
        return self.wizard.doing()

    def keep(self) -> None:
        """Nothing: a check is soon made again."""

    def result(self) -> dict[str, Any]:
        """Return what was found of every node."""
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


class MapJob:
    """Learns which sensor and which pixel each node has, and writes it into the board file."""

    what = "map"

    def __init__(self, board: BoardDescription, file: Path) -> None:
        """Begin with the empty board, or go on where a map of this file was left. Raise Refused."""
        self.wizard = MapWizard(board, "both" if board.lights.wired else "channels")
        self._board, self._file = board, file
        self._progress = Progress(file, "map")
        self._kept: Mapping[str, Any] = self.wizard.kept()
        if self._progress.path.exists():
            try:
                self.wizard.resume(self._progress.load())
            except ValueError as error:
                raise Refused(f"{self._progress.path}: {error}") from error

    @property
    def touch(self) -> Touch:
        """Return what is known of the sensors."""
        return self.wizard.touch

    def doing(self) -> Doing:
        """Return the step as data: where a light is, nobody knows before it is mapped."""
        return self.wizard.doing({})

    def keep(self) -> None:
        """Write down what is known so far, beside the board file, as the command does. Raise Refused."""
        kept = self.wizard.kept()
        if kept != self._kept:
            self._kept = kept
            self._progress.keep(kept)

    def result(self) -> dict[str, Any]:
        """Write the board file when everything is known; the old one stays beside it."""
        wiring = self.wizard.wiring() if self.wizard.done and not self.wizard.stopped else None
        if wiring is None:
            words = say("The map is not complete. What is known is kept: begin again to go on.")
            return {"good": False, "words": words, "items": []}
        if wiring.open:
            words = say("Some places gave no answer, so nothing was written. Mend them, then begin again to go on.")
            return {"good": False, "words": words, "items": []}
        old = self._file.with_name(f"{self._file.name}.before")
        try:
            shutil.copy2(self._file, old)
            write_wiring(self._file, self._file, wiring.nodes)
        except (OSError, BoardFileError) as error:
            words = say("The board file can't be written: {reason}", reason=str(error))
            return {"good": False, "words": words, "items": []}
        self._progress.forget()
        before = self._board.nodes
        moved = sum((one.ring or one.channel, one.pixel) != wiring.nodes[name] for name, one in before.items())
        words = say(
            "{file} is written: {moved} of {count} nodes have changed. Start Lodestone again to play with it; "
            "the old file is {old}.",
            file=self._file.name, moved=moved, count=len(before), old=old.name,
        )  # fmt: skip
        return {"good": True, "words": words, "items": []}


def asked(what: str, doing: Doing, board: BoardDescription) -> Text:
    """Say what is to be done now."""
    if doing.do == "off":
        return say("Thank you. Take the stone off again.")
    if doing.do == "wrong":
        if doing.node is None:
            return say("This was not expected. Take everything off the board; then try again.")
        return say("This was not expected. Take everything off the board; then try {node} again.", node=doing.node)
    if doing.do == "put":
        return _put(doing.node, board)
    if what == "check":
        return say("Take everything off the board. All lights show red, green, blue and white one after the other.")
    return say("Take everything off the board.")


def _put(node: str | None, board: BoardDescription) -> Text:
    white = board.channel_kind != "presence"
    if node is None:
        return say("Put a white stone where the light is.") if white else say("Put a stone where the light is.")
    if "/" in node:  # One of a well's nine sensors.
        return say("Put a stone over {sensor}.", sensor=board.sensor_words(board.sensor_names()[node]))
    return say("Put a white stone on {node}.", node=node) if white else say("Put a stone on {node}.", node=node)


def hint(doing: Doing) -> Text:
    """Say what may be wrong when it takes long."""
    if doing.do == "put":
        return say(
            "No answer. If another place is lit, take that one. If the stone lies there, go on without an answer."
        )
    return say("A stone is still felt. If none lies there, go on: this sensor is left out.")


def own_file(request: LaunchRequest) -> Path | None:
    """Return the board file that a table was opened with; None for a shipped board, which is never overwritten."""
    if not request.names_board:
        return None
    path = find_board(request.board or "").resolve()
    shipped = Path(str(importlib.resources.files("boards"))).resolve()
    return None if path.parent == shipped else path


def check_refused(board: BoardDescription) -> Text | None:
    """Return why a board can't be checked by stones."""
    if not board.lights.wired and any(wiring.ring for wiring in board.nodes.values()):
        return say("This board has wells and no lights to lead stones by: use lodestone hardware check.")
    return None

"""The wizard that learns a board's wiring: it lights a pixel, a person puts a stone there, a sensor answers.

This module asks for the stones; :mod:`firmware_host.hardware.records` derives the wiring from the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.hardware.records import Learned, Record, Step, Wiring
from firmware_host.hardware.touch import Touch
from firmware_host.hardware.wizard import (
    ASKED,
    FELT,
    TROUBLE,
    Doing,
    Patience,
    Task,
    channels_text,
    named,
    put,
    rest_news,
    take,
)
from hw.ports import BoardDescription, Colour

HELP = (
    "s: there is no place or no answer, go on.   u: undo the last step.   q: stop, to go on later with --resume.   "
    "= NAME: the lit place is this node."
)


class MapWizard:
    """Learns channel and pixel of each node. Call :meth:`feed` until ``done``; then call :meth:`wiring`."""

    def __init__(self, board: BoardDescription, what: str = "both", patience: Patience | None = None) -> None:
        """``what`` to learn: ``both``, ``channels`` (pixels are right in the board file) or ``pixels``."""
        self.learned = Learned(board, what)
        self.done = False
        self.stopped = False
        """Whether a person has stopped it before the end."""
        self._board = board
        self._patience = patience or Patience()
        self._touch = Touch(board.channel_kind, board.channels)
        self._names = {channel: board.sensor_words(channel) for channel in board.sensors()}
        self._words = {sensor: board.sensor_words(channel) for sensor, channel in board.sensor_names().items()}
        self._news: list[str] = []
        self._stage = "rest"
        """``rest`` (watching the empty board), ``put``, ``wrong`` (take it off and try again) or ``off``."""
        self._step: Step | None = None
        self._asked = 0.0
        self._hinted = False
        self._complaint = ""
        self._blind = False
        """Whether no sensor detects the stone that must be taken off."""
        self._told_restless: set[int] = set()

    def resume(self, kept: object) -> None:
        """Continue from an earlier result of :meth:`kept`, and ask again for steps without answer. Raise ValueError."""
        self.learned.take_up(kept)
        again = self.learned.forget_failures()
        known = len(self.learned.records)
        self._news.append(
            f"{known} steps are known" + (f"; {again} without an answer are asked again" if again else "")
        )

    # -- what a front sees ---------------------------------------------------------------------------------------

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return the step's pixel → its colour; empty in the round of names, when pixels' places are unknown."""
        if self._step is None or self._step.round != "light":
            return {}
        return {self._step.pixel: {"put": ASKED, "off": FELT}.get(self._stage, TROUBLE)}

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present task for a hand, in a list."""
        step = self._step
        if step is None or self.done:
            return []
        node = step.node or None
        if self._stage == "put":
            return [put(next(iter(self._board.supply), "w"), f"{step.key} {self._asked:.3f}", node)]
        return [take(f"{step.key} {self._asked:.3f}", node)] if self._stage in {"wrong", "off"} else []

    def doing(self, pixels: Mapping[int, str]) -> Doing:
        """Return the present step as data; ``pixels`` maps known pixels to their nodes."""
        step, steps = self._step, self.learned.steps()
        done = sum(one.key in self.learned.records for one in steps)
        if step is None or self.done:
            return Doing("wait", done=done, of=len(steps))
        node = step.node or pixels.get(step.pixel)
        return Doing(self._stage, node, next(iter(self._board.supply), "w"), self._hinted, done, len(steps))

    def news(self) -> list[str]:
        """Return the lines to show since the last call."""
        news, self._news = self._news, []
        return news

    def kept(self) -> Mapping[str, Any]:
        """Return the state for a later :meth:`resume`, ready for JSON."""
        return self.learned.kept()

    def wiring(self) -> Wiring:
        """Return the wiring that follows from the answers so far."""
        return self.learned.wiring()

    @property
    def touch(self) -> Touch:
        """Return the state of the sensors."""
        return self._touch

    # -- what happens --------------------------------------------------------------------------------------------

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self.done:
            return
        self._touch.feed(readings, at)
        self._tell_restless()
        if self._stage == "rest":
            if self._touch.ready:
                self._news += rest_news(self._touch.stuck, self._names)
                self._ask(at)
        elif self._stage == "put":
            self._await_stone(at)
        else:
            self._await_empty(at)

    def say(self, words: str, at: float) -> None:
        """Process a typed line: see :data:`HELP`."""
        word, _, name = words.strip().partition(" ")
        if word == "q":
            self.done = self.stopped = True
        elif word == "u":
            self._undo(at)
        elif word == "s" and self._stage == "put":
            self._give_up("skipped", at)
        elif word == "s" and self._stage in {"wrong", "off"}:
            self._leave(at)
        elif word.startswith("=") and self._stage in {"put", "off"}:
            self._tell((word[1:] + name).strip(), at)
        elif words.strip():
            self._news.append(HELP)

    # -- asking --------------------------------------------------------------------------------------------------

    def _ask(self, at: float) -> None:
        step = self.learned.next()
        self._asked, self._hinted, self._blind = at, False, False
        self._step, self._stage = step, "put"
        if step is None:
            self.done = True
            return
        if self._complaint and not self._complaint.startswith(step.key):
            self._complaint = ""
        left = sum(
            other.round == step.round and other.key not in self.learned.records for other in self.learned.steps()
        )
        if step.round == "light":
            self._news.append(f"[{left}] pixel {step.pixel} is lit: put a {self._stone} there")
        else:
            on = f"over {self._words[step.node]}" if "/" in step.node else f"on {step.node}"
            self._news.append(f"[{left}] put a {self._stone} {on}")

    @property
    def _stone(self) -> str:
        return "stone" if self._board.channel_kind == "presence" else "white stone"

    def _await_stone(self, at: float) -> None:
        answers = sorted(self._touch.answers)
        if not answers:
            self._wait(at)
            return
        assert self._step is not None  # noqa: S101 - in stage "put" there is one
        if len(answers) > 1:
            self._refuse(f"{channels_text(answers)} answer together: their wires touch, or two stones lie there", at)
            return
        channel = answers[0]
        earlier = self.learned.earlier(self._step, channel)
        if earlier is not None:
            why = f"channel {channel} answers here, and it has answered for {earlier} already"
            if self._refuse(why, at):  # The channel may belong to either step.
                told = self.learned.records[earlier].told
                self.learned.records[earlier] = Record(
                    None, f"channel {channel} answers for {self._step.key}, too", told
                )
            return
        self._record(Record(channel, self._turned(channel)), at)

    def _turned(self, channel: int) -> str:
        """Return what is wrong with the sensor's reading of a white stone; empty if nothing is."""
        if self._board.kind == "polarity" and self._touch.last[channel] != 1:
            seen = {2: "as black: its two switches are swapped", 3: "with both its switches"}
            return f"channel {channel} sees a white stone {seen.get(self._touch.last[channel], 'no more')}"
        if self._board.kind == "level" and self._touch.away(channel) < 0:
            return f"channel {channel} sees a white stone as south: face down, or a black stone (calibrate tells)"
        return ""

    def _wait(self, at: float) -> None:
        waited = at - self._asked
        if self._patience.give_up is not None and waited >= self._patience.give_up:
            self._give_up("no channel answers", at)
        elif not self._hinted and waited >= self._patience.hint:
            self._hinted = True
            self._news.append(
                "no channel answers. If the stone lies there, its sensor is dead, not wired or (a switch for one "
                "pole) the stone upside down. s goes on without it"
            )

    # -- recording -----------------------------------------------------------------------------------------------

    def _record(self, record: Record, at: float) -> None:
        step = self._step
        assert step is not None  # noqa: S101 - a record is of a step
        self.learned.records[step.key] = record
        if record.channel is not None:
            self._news.append(f"    {step.key}: channel {record.channel}{named(record.channel, self._names)}")
        if record.why:
            self._news.append(f"    {record.why}")
        self._stage, self._asked, self._hinted = "off", at, False

    def _refuse(self, why: str, at: float) -> bool:
        """Ask for another try and return False; for the same fault again, record it and return True."""
        step = self._step
        assert step is not None  # noqa: S101 - in stage "put" there is one
        if self._complaint == f"{step.key}: {why}":
            self._complaint = ""
            self._record(Record(None, why), at)
            return True
        self._complaint = f"{step.key}: {why}"
        self._news.append(f"    {why}. Take it off and try again")
        self._stage, self._asked, self._hinted = "wrong", at, False
        return False

    def _give_up(self, why: str, at: float) -> None:
        self._blind = True
        self._record(Record(None, why), at)

    def _await_empty(self, at: float) -> None:
        answers = sorted(self._touch.answers)
        if not answers:
            if not self._blind or at - self._asked >= self._patience.clear:
                self._ask(at)
            return
        waited = at - max(self._asked, self._touch.since)
        if self._patience.give_up is not None and waited >= self._patience.give_up:
            self._leave(at)
        elif not self._hinted and waited >= self._patience.hint:
            self._hinted = True
            self._news.append(f"{channels_text(answers)} still feel a stone. If none lies there: s leaves them out")

    def _leave(self, at: float) -> None:
        """Continue although channels still answer, and ignore them from now on."""
        for channel in sorted(self._touch.answers):
            self._touch.ignore(channel)
            self._news.append(f"    channel {channel} hangs: it is left out from now on")
        self._ask(at)

    def _undo(self, at: float) -> None:
        if not self.learned.records:
            self._news.append("there is nothing to undo")
            return
        key, _ = self.learned.records.popitem()
        self._news.append(f"forgotten: {key}")
        self._complaint = ""
        if self._stage != "rest":
            # The stone on the board must come off before the step is repeated.
            self._step = next(step for step in self.learned.steps() if step.key == key)
            self._stage, self._asked, self._hinted, self._blind = "off", at, False, False

    def _tell(self, name: str, at: float) -> None:
        step = self._step
        if step is None or step.round != "light":
            self._news.append("names are told while a pixel is lit")
        elif name not in self._board.nodes:
            self._news.append(f"there is no node {name!r} on this board")
        else:
            known = self.learned.records.pop(step.key, Record(None))
            self._blind = known.channel is None
            self._record(Record(known.channel, known.why, name), at)
            self._news.append(f"    {step.key} is under {name}")

    def _tell_restless(self) -> None:
        for channel in sorted(self._touch.restless - self._told_restless):
            self._told_restless.add(channel)
            self._news.append(f"channel {channel}{named(channel, self._names)} never keeps still: it is left out")

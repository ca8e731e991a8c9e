"""Mapping a board: the wizard that learns channel and pixel of each node, and ``lodestone hardware map``.

A map needs two rounds. In the round of *lights* a stone is put at one lit pixel after another: pixel ↔ channel. In the
round of *names* a stone is put on one node after another, in wells over each of nine sensors (``b3/4``): node ↔
channel. No name has to be typed, and a sensor that answers to two lights or two names is found.

:class:`MapWizard` asks for the stones. :class:`Learned` holds the records of all steps and derives the wiring from them
(:class:`Wiring`): plain data, no time. A single missing pixel follows by elimination; what is missing else stays open,
and the board file is written only when nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from firmware_host.boardfile.load import BoardFileError
from firmware_host.extensions.workshop.faults import BuildersDiagnosis, dark_run
from firmware_host.extensions.workshop.terminal import Opened, Progress, lead
from firmware_host.extensions.workshop.wizard import (
    ASKED,
    FELT,
    TROUBLE,
    Doing,
    Patience,
    Task,
    TouchSensing,
    channels_text,
    name_note,
    put,
    rest_news,
    take,
)
from firmware_host.link.results import write_wiring
from firmware_host.text.words import Refused
from hw.ports import RING, BoardDescription, Colour, sensor_name

SILENCE_S = 4.5
"""After so long without any answer since the first stone was asked for, it is said that nothing answers."""
SILENT_STEPS = 3
"""Number of steps without an answer after which no more stones are asked for, if nothing has answered at all."""
BLACK, SOUTH = "b", 2
"""The piece with its south pole up, and what a sensor of kind ``polarity`` reads of it."""
SKIPPED, NO_ANSWER = "skipped", "no channel answers"
"""Reasons of a step without any answer."""
HELP = (
    "s: there is no place or no answer, go on.   u: undo the last step.   q: stop, to go on later with --resume.   "
    "= NAME: the lit place is this node."
)


class MapWizard:
    """Learns channel and pixel of each node. Call :meth:`feed` until ``done``; then call :meth:`wiring`."""

    def __init__(
        self,
        board: BoardDescription,
        what: str = "both",
        patience: Patience | None = None,
        pixels: Sequence[int] | None = None,
    ) -> None:
        """``what`` to learn: ``both``, ``channels`` (pixels are right in the board file) or ``pixels``; or ``check``.

        ``pixels`` are those to light, None for all.
        """
        self.learned = Learned(board, what, pixels=pixels)
        self.is_done = False
        self.stopped = False
        """Whether a person has stopped it before the end."""
        self._board = board
        self._patience = patience or Patience()
        self._touch = TouchSensing(board.channel_kind, board.channels)
        self._names = {channel: board.sensor_words(channel) for channel in board.sensors()}
        self._words = {sensor: board.sensor_words(channel) for sensor, channel in board.sensor_names().items()}
        self._news: list[str] = []
        self._stage = "rest"
        """``rest`` (watching the empty board), ``put``, ``wrong`` (take it off and try again) or ``off``."""
        self._step: MapStep | None = None
        self._asked = 0.0
        self._hinted = False
        self._complaint = ""
        self._blind = False
        """Whether no sensor detects the stone that must be taken off."""
        self._told_restless: set[int] = set()
        self._diagnosis = BuildersDiagnosis(board)
        self._began: float | None = None
        """When the first stone was asked for; None once a sensor has answered."""
        self._told_silence = False
        self.is_silent = False
        """Whether it has ended because no sensor answers at all."""

    def resume(self, kept: object) -> None:
        """Continue from an earlier :meth:`saved_state`, and ask again for steps without answer. Raise ValueError."""
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
        if step is None or self.is_done:
            return []
        node = step.node or None
        if self._stage == "put":
            return [put(self._piece(step), f"{step.key} {self._asked:.3f}", node)]
        return [take(f"{step.key} {self._asked:.3f}", node)] if self._stage in {"wrong", "off"} else []

    def doing(self, pixels: Mapping[int, str]) -> Doing:
        """Return the present step as data; ``pixels`` maps known pixels to their nodes."""
        step, steps = self._step, self.learned.steps()
        done = sum(one.key in self.learned.records for one in steps)
        if step is None or self.is_done:
            return Doing("wait", done=done, of=len(steps))
        node = step.node or pixels.get(step.pixel)
        is_named = self._is_named(step)
        return Doing(self._stage, node, self._piece(step), self._hinted, done, len(steps), is_named=is_named)

    def news(self) -> list[str]:
        """Return the lines to show since the last call."""
        news, self._news = self._news, []
        return news

    def saved_state(self) -> Mapping[str, Any]:
        """Return the state for a later :meth:`resume`, ready for JSON."""
        return self.learned.saved_state()

    def wiring(self) -> Wiring:
        """Return the wiring that follows from the answers so far."""
        return self.learned.wiring()

    @property
    def touch(self) -> TouchSensing:
        """Return the state of the sensors."""
        return self._touch

    # -- what happens --------------------------------------------------------------------------------------------

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self.is_done:
            return
        self._touch.feed(readings, at)
        self._tell_restless()
        if self._stage == "rest":
            if self._touch.ready:
                self._news += rest_news(self._touch.stuck, self._names)
                words, _ = self._diagnosis.failing(self._touch.stuck, self._touch.stuck)
                self._news += [words] if words else []
                self._began = at
                self._ask(at)
        elif self._stage == "put":
            self._await_stone(at)
        else:
            self._await_empty(at)

    def say(self, words: str, at: float) -> None:
        """Process a typed line: see :data:`HELP`."""
        word, _, name = words.strip().partition(" ")
        if word == "q":
            self.is_done = self.stopped = True
        elif word == "u":
            self._undo(at)
        elif word == "s" and self._stage == "put":
            self._give_up(SKIPPED, at)
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
            self.is_done = True
            return
        if self._complaint and not self._complaint.startswith(step.key):
            self._complaint = ""
        rounds = {step.round} if self.learned.what != "check" else {"light", "name"}
        left = sum(other.round in rounds and other.key not in self.learned.records for other in self.learned.steps())
        if step.round == "light":
            self._news.append(f"[{left}] pixel {step.pixel} is lit: put a {self._stone(step)} there")
        else:
            on = f"over {self._words[step.node]}" if "/" in step.node else f"on {step.node}"
            again = ", whether it is lit or not" if self._is_named(step) else ""
            self._news.append(f"[{left}] put a {self._stone(step)} {on}{again}")

    def _is_named(self, step: MapStep) -> bool:
        """Return whether a place is asked for by its name because its light has led to no answer."""
        return self.learned.what == "check" and step.round == "name" and self._board.lights.has_strips

    def _piece(self, step: MapStep) -> str:
        supply = self._board.supply
        return BLACK if step.is_black else "w" if "w" in supply else next(iter(supply), "w")

    def _stone(self, step: MapStep) -> str:
        if step.is_black:
            return "black stone"
        return "stone" if self._board.channel_kind == "presence" else "white stone"

    def _await_stone(self, at: float) -> None:
        answers = sorted(self._touch.answers)
        if not answers:
            self._wait(at)
            return
        self._began = None
        assert self._step is not None  # noqa: S101 - in stage "put" there is one
        if len(answers) > 1:
            why = f"{channels_text(answers)} answer together: their wires touch, or two stones lie there"
            words = self._diagnosis.together(answers)
            self._refuse(f"{why} ({words})" if words else why, at)
            return
        channel = answers[0]
        earlier = self.learned.earlier(self._step, channel)
        if earlier is not None:
            why = f"channel {channel} answers here, and it has answered for {earlier} already"
            if self._refuse(why, at):  # The channel may belong to either step.
                named = self.learned.records[earlier].named
                self.learned.records[earlier] = Record(
                    None, f"channel {channel} answers for {self._step.key}, too", named
                )
            return
        self._record(Record(channel, self._reading_fault(channel, self._step)), at)

    def _reading_fault(self, channel: int, step: MapStep) -> str:
        """Return what is wrong with the sensor's reading of a step's stone; empty if nothing is."""
        if step.is_black:
            seen = {1: "as white: its two switches are swapped", 3: "with both its switches"}
            reading = self._touch.last[channel]
            return "" if reading == SOUTH else f"channel {channel} sees a black stone {seen.get(reading, 'no more')}"
        if self._board.kind == "polarity" and self._touch.last[channel] != 1:
            seen = {2: "as black: its two switches are swapped", 3: "with both its switches"}
            return f"channel {channel} sees a white stone {seen.get(self._touch.last[channel], 'no more')}"
        if self._board.kind == "level" and self._touch.away(channel) < 0:
            return f"channel {channel} sees a white stone as south: face down, or a black stone (calibrate tells)"
        return ""

    def _wait(self, at: float) -> None:
        waited = at - self._asked
        if self._began is not None and not self._told_silence and at - self._began >= SILENCE_S:
            self._told_silence = True
            words, _ = self._diagnosis.failing(range(self._board.channels))
            step = self._step
            dark = dark_run(self._board, step.pixel) if step is not None and step.round == "light" else None
            self._news.append(f"nothing answers: {words if dark is None else dark.or_else(words)}")
        if self._patience.give_up is not None and waited >= self._patience.give_up:
            self._give_up(NO_ANSWER, at)
        elif not self._hinted and waited >= self._patience.hint:
            self._hinted = True
            unlit = "If no pixel is lit, s goes on. " if self._step is not None and self._step.round == "light" else ""
            self._news.append(
                f"no channel answers. {unlit}If the stone lies there, its sensor is dead, not wired or (a switch for "
                "one pole) the stone upside down. s goes on without it"
            )

    # -- recording -----------------------------------------------------------------------------------------------

    def _record(self, record: Record, at: float) -> None:
        step = self._step
        assert step is not None  # noqa: S101 - a record is of a step
        self.learned.records[step.key] = record
        if record.channel is not None:
            self._news.append(f"    {step.key}: channel {record.channel}{name_note(record.channel, self._names)}")
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
        if self._told_silence and self._began is not None and self.learned.tries >= SILENT_STEPS:
            self.is_done = self.stopped = self.is_silent = True

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
            why = known.why or (NO_ANSWER if known.channel is None else "")
            self._record(Record(known.channel, why, name), at)
            self._news.append(f"    {step.key} is under {name}")

    def _tell_restless(self) -> None:
        for channel in sorted(self._touch.restless - self._told_restless):
            self._told_restless.add(channel)
            self._news.append(f"channel {channel}{name_note(channel, self._names)} never keeps still: it is left out")


ROUNDS = {"both": ("light", "name"), "channels": ("name",), "pixels": ("light",), "check": ("light",)}
"""What to learn → the necessary rounds.

A ``check`` believes the board file: a place whose light has led to no answer is asked for again at once, by its name.
Without that nobody knows whether the sensor is dead or the pixel dark.
"""


Channels = int | tuple[int, ...]
"""A node's channel, or the nine of a well: the ring clockwise from north, then the middle."""


OF_BLACK = " (black)"
"""The end of a step's name with a black stone."""


@dataclass(frozen=True)
class MapStep:
    """One stone: where a pixel is lit (round ``light``), or on a named node or sensor (round ``name``)."""

    round: str
    pixel: int = -1
    node: str = ""
    is_black: bool = False
    """Whether a black stone is asked for, after a white one."""

    @property
    def key(self) -> str:
        """Return the step's name in saved records."""
        place = f"pixel {self.pixel}" if self.round == "light" else f"node {self.node}"
        return f"{place}{OF_BLACK}" if self.is_black else place


@dataclass(frozen=True)
class Record:
    """The result of a step: a channel, or None and the reason; ``named`` is the node named by a person, if any."""

    channel: int | None
    why: str = ""
    named: str = ""

    @property
    def is_silent(self) -> bool:
        """Whether nothing at all has answered."""
        return self.channel is None and self.why in {SKIPPED, NO_ANSWER}


@dataclass(frozen=True)
class Wiring:
    """The wiring that follows from all records."""

    nodes: Mapping[str, tuple[Channels, int]]
    """Node → (channel or nine channels, pixel); empty while ``open`` has entries."""
    notes: tuple[str, ...] = ()
    """Unproven results, and faults of the board."""
    open: tuple[str, ...] = ()
    """Missing results, one line each."""
    cause: str = ""
    """The part that all missing sensors have in common; empty if there is none."""


@dataclass
class Learned:
    """The records of all finished steps, in order."""

    board: BoardDescription
    what: str = "both"
    records: dict[str, Record] = field(default_factory=dict)
    pixels: Sequence[int] | None = None
    """The pixels to light; None for all."""

    def steps(self) -> list[MapStep]:
        """Return all steps in their order."""
        found: list[MapStep] = []
        pixels = range(self.board.lights.length) if self.pixels is None else self.pixels
        for part in ROUNDS[self.what]:
            if self.what == "check":
                lights = [MapStep("light", pixel=pixel) for pixel in pixels]
                names = [MapStep("name", node=sensor) for sensor in self.board.sensor_names()]
                for step in lights if self.board.lights.has_strips else names:
                    found += self._check_steps(step)
            elif part == "light":
                found += [MapStep("light", pixel=pixel) for pixel in pixels]
            else:
                found += [MapStep("name", node=sensor) for sensor in self.board.sensor_names()]
        return found

    @property
    def asks_black(self) -> bool:
        """Whether a check asks for a black stone, too: a white one proves only the half that feels north."""
        return self.board.kind == "polarity" and (not self.board.supply or BLACK in self.board.supply)

    def _check_steps(self, step: MapStep) -> Iterator[MapStep]:
        """Yield a step and what follows from it: by name if a light has led to no answer, and with both poles."""
        yield step
        record = self.records.get(step.key)
        if record is not None and record.is_silent and step.pixel in self._nodes:
            step = MapStep("name", node=self._nodes[step.pixel])
            yield step
            record = self.records.get(step.key)
        # Where a white stone has no answer a black one tells a dead half from a dead sensor.
        has_place = record is not None and (record.channel is not None or (record.is_silent and step.round == "name"))
        if has_place and self.asks_black:
            yield replace(step, is_black=True)

    @cached_property
    def _nodes(self) -> Mapping[int, str]:
        """The sensor under the middle of each pixel's node, by the board file."""
        return {wiring.pixel: self.sensor_of(node) for node, wiring in self.board.nodes.items()}

    @property
    def tries(self) -> int:
        """Return the number of finished steps; of a check only those by name, as others may have had no light."""
        return sum(self.what != "check" or key.startswith("node ") for key in self.records)

    def next(self) -> MapStep | None:
        """Return the first step without a record; nodes that a person named at a light are skipped. None at the end."""
        named = {
            f"node {self.sensor_of(record.named)}"
            for record in self.records.values()
            if record.named and (record.channel is not None or record.why)
        }
        return next((step for step in self.steps() if step.key not in self.records and step.key not in named), None)

    def earlier(self, step: MapStep, channel: int) -> str | None:
        """Return the key of another step of the same round with this channel; None if there is none."""
        begins = "pixel " if step.round == "light" else "node "
        for key, record in self.records.items():
            alike = key.startswith(begins) and key.endswith(OF_BLACK) == step.is_black
            if record.channel == channel and alike and key != step.key:
                return key
        return None

    def forget_failures(self) -> int:
        """Remove the records without a channel, so that their steps are repeated; return their number.

        What a person has named keeps its light: its node is asked for by its name.
        """
        failed = [key for key, record in self.records.items() if record.channel is None]
        for key in failed:
            record = self.records.pop(key)
            if record.named:
                self.records[key] = Record(None, "", record.named)
        return len(failed)

    # -- what follows --------------------------------------------------------------------------------------------

    def wiring(self) -> Wiring:
        """Return the wiring that the records prove; one missing channel and one missing pixel follow by elimination."""
        notes = [f"{key}: {record.why}" for key, record in self.records.items() if record.why]
        channels = self._channels(notes)
        unproven = [sensor for sensor in self.board.sensor_names() if sensor not in channels]
        free = [channel for channel in range(self.board.channels) if channel not in channels.values()]
        if shared := _shared_channels(channels):
            return Wiring({}, tuple(notes), tuple(shared))
        if len(unproven) == 1:
            notes.append(f"no sensor answered at {unproven[0]}: it gets channel {free[0]}, the only one left")
            channels[unproven[0]] = free[0]
            unproven = []
        pixels = self._pixels(channels)
        unlit = [node for node in self.board.nodes if node not in pixels]
        spare = [pixel for pixel in range(self.board.lights.length) if pixel not in pixels.values()]
        if len(unlit) == 1 and len(spare) == 1:
            notes.append(f"{unlit[0]}: pixel {spare[0]} is the only one left")
            pixels[unlit[0]] = spare[0]
            unlit = []
        if unproven or unlit:
            # Which of several channels belongs to which node nobody knows: a guess would be written as a fact.
            missing = [f"{name}: {self._missing(name, unproven, unlit)}" for name in dict.fromkeys([*unproven, *unlit])]
            cause = BuildersDiagnosis(self.board).failing(free)[0] if unproven else ""
            return Wiring({}, tuple(notes), tuple(missing), cause)
        return Wiring({node: (self._own(node, channels), pixels[node]) for node in self.board.nodes}, tuple(notes))

    @staticmethod
    def _missing(name: str, unproven: Sequence[str], unlit: Sequence[str]) -> str:
        if name in unproven and name in unlit:
            return "its channel and its pixel are not known"
        return "its channel is not known" if name in unproven else "its pixel is not known"

    def _own(self, node: str, channels: Mapping[str, int]) -> Channels:
        """Return a node's channel, or its nine channels."""
        if not self.board.nodes[node].ring:
            return channels[node]
        return tuple(channels[sensor_name(node, place)] for place in range(RING + 1))

    def sensor_of(self, node: str) -> str:
        """Return the name of the sensor that detects a stone in the middle of a node."""
        return sensor_name(node, RING if self.board.nodes[node].ring else None)

    def _channels(self, notes: list[str]) -> dict[str, int]:
        if self.what == "pixels":
            return dict(self.board.sensor_names())
        found: dict[str, int] = {}
        for key, record in self.records.items():
            part, _, name = key.partition(" ")
            if record.channel is not None and (part == "node" or record.named):
                node = name if part == "node" else self.sensor_of(record.named)
                if node in found and found[node] != record.channel:
                    notes.append(f"{node}: channels {found[node]} and {record.channel} both answered there")
                found[node] = record.channel
        return found

    def _pixels(self, channels: Mapping[str, int]) -> dict[str, int]:
        if self.what == "channels":
            return {node: wiring.pixel for node, wiring in self.board.nodes.items()}
        nodes = {channel: sensor.partition("/")[0] for sensor, channel in channels.items()}
        found = {}
        for key, record in self.records.items():
            part, _, number = key.partition(" ")
            if part != "pixel":
                continue
            node = record.named or (nodes.get(record.channel) if record.channel is not None else None)
            if node:
                found[node] = int(number)
        return found

    # -- keeping -------------------------------------------------------------------------------------------------

    def saved_state(self) -> dict[str, Any]:
        """Return all records, ready for JSON."""
        steps = [[key, record.channel, record.why, record.named] for key, record in self.records.items()]
        return {"board": self.board.name, "what": self.what, "records": steps}

    def take_up(self, kept: object) -> None:
        """Restore the result of :meth:`saved_state`. Raise ValueError naming the part that does not fit this board."""
        if not isinstance(kept, dict) or kept.get("board") != self.board.name or kept.get("what") not in ROUNDS:
            raise ValueError(f"expected what was learned of board {self.board.name!r}")
        if kept["what"] != "channels" and not self.board.lights.has_strips:
            raise ValueError("it was begun with lights, and this board has none")
        self.what = kept["what"]
        known = {step.key for step in self.steps()}
        records: dict[str, Record] = {}
        for entry in kept.get("records", ()):
            if not _is_record(entry, known, self.board.channels):
                raise ValueError(f"expected [step, channel, why, told] of a step of this board, got {entry!r:.80}")
            records[entry[0]] = Record(*entry[1:])
        self.records = records


def _is_record(entry: object, keys: set[str], channels: int) -> bool:
    if not isinstance(entry, list) or len(entry) != 4:
        return False
    key, channel, why, named = entry
    whole = isinstance(channel, int) and not isinstance(channel, bool) and 0 <= channel < channels
    return key in keys and (channel is None or whole) and isinstance(why, str) and isinstance(named, str)


def _shared_channels(channels: Mapping[str, int]) -> list[str]:
    owners: dict[int, list[str]] = {}
    for node, channel in channels.items():
        owners.setdefault(channel, []).append(node)
    return [f"{' and '.join(nodes)} share channel {channel}" for channel, nodes in owners.items() if len(nodes) > 1]


def run(board: Opened, target: Path, what: str | None, patience: Patience, *, resume: bool) -> int:
    """Map a board; return 0 when the board file is written, 1 when results are missing. Raise Refused.

    ``what`` is None for the usual: both where there are lights, or as the resumed map was begun.
    """
    progress = Progress(target, "map")
    if not board.description.lights.has_strips and what == "pixels":
        raise Refused("--what pixels: this board has no lights, expected channels")
    usual = "both" if board.description.lights.has_strips else "channels"
    wizard = MapWizard(board.description, what or usual, patience)
    if resume:
        try:
            wizard.resume(progress.load())
            if what not in {None, wizard.learned.what}:
                raise ValueError(f"it was begun with --what {wizard.learned.what}, not with --what {what}")
        except ValueError as error:
            raise progress.useless(str(error)) from error
    print(f"Mapping {board.description.name}. Take everything off the board.\n{HELP}", flush=True)
    finished = lead(board, progress, wizard)
    if not finished or wizard.stopped:
        print(f"Stopped. What is known so far is in {progress.path}: go on with --resume.")
        return 1
    wiring = wizard.wiring()
    for line in wiring.notes:
        print(f"note: {line}")
    if wiring.open:
        for line in (*([wiring.cause] if wiring.cause else []), *wiring.open):
            print(f"open: {line}")
        print(f"Nothing is written to {target}. Mend what is named, then go on with --resume.")
        return 1
    try:
        write_wiring(board.path, target, wiring.nodes)
    except BoardFileError as error:
        raise Refused(str(error)) from error
    progress.forget()
    before = board.description.nodes
    moved = sum((one.ring or one.channel, one.pixel) != wiring.nodes[name] for name, one in before.items())
    print(f"{target}: written; {moved} of {len(before)} nodes have changed.")
    return 0

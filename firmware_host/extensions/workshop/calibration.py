"""Calibrating linear sensors: the wizard that measures their levels, margins, plots, ``lodestone hardware calibrate``.

Steps for each node: a white stone, a black one on top of it, both off, a black stone, off. That gives four levels: at
rest, under either pole, under a stack of opposite poles. A threshold is halfway between two levels, and a reading must
exceed it by the hysteresis; what is left beside the noise is the margin. If two levels are too close to be
distinguished, the node is named, and the table will ask the players there.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from firmware_host.archive.files import check_output, write_output
from firmware_host.boardfile.load import BoardFileError
from firmware_host.extensions.workshop.faults import BuildersDiagnosis
from firmware_host.extensions.workshop.terminal import Opened, Progress, lead
from firmware_host.extensions.workshop.wizard import (
    ASKED,
    FELT,
    SETTLE_S,
    Doing,
    Patience,
    Task,
    TouchSensing,
    name_note,
    put,
    rest_news,
    take,
)
from firmware_host.link.results import write_calibration
from firmware_host.sensing.debounce import HYSTERESIS, scale, strengths
from firmware_host.text.words import Refused
from hw.ports import BoardDescription, Colour, LevelBands, NodeLevels
from hw.registry import SCHEMES

SAMPLE_S = 0.4
"""Time for which a steady level is sampled."""
LEAST_STEP = 5
"""Least change in level steps that means that a stone was put or taken."""
STILL = 8
"""Largest range in level steps of steady readings."""
NOISY_S = 3.0
"""Time for which the readings of a sensor that was moved may vary before that is told: hands are away by then."""
HELP = "Enter: it lies there (or is off), go on.   s: skip this node.   u: the last node anew.   q: stop."

STAGES = ("white", "stack", "bare", "black", "off")
ASK = {
    "white": "put a white stone on {node}",
    "stack": "put a black stone on top of it",
    "bare": "take both off",
    "black": "put a black stone on {node}",
    "off": "take it off",
}


@dataclass(frozen=True)
class Measured:
    """The measured levels of one sensor."""

    levels: NodeLevels
    spread: int
    """Largest distance of a reading from its level, in level steps."""


class CalibrateWizard:
    """Measures every node. Call :meth:`feed` until ``done``; then read ``measured`` and ``failed``."""

    def __init__(
        self, board: BoardDescription, nodes: Sequence[str] | None = None, patience: Patience | None = None
    ) -> None:
        """Start with the empty board; measure these nodes (None: all)."""
        self.is_done = False
        self.stopped = False
        self.measured: dict[str, Measured] = {}
        self.failed: dict[str, str] = {}
        """Node → why it was not measured."""
        self._board = board
        self._patience = patience or Patience()
        self._touch = TouchSensing("level", len(board.nodes))
        self._queue = list(nodes if nodes is not None else board.nodes)
        self._of = len(self._queue)
        self._order: list[str] = []
        self._node = ""
        self._stage = "rest"
        self._asked = 0.0
        self._hinted = False
        self._go = False
        self._moved_at: float | None = None
        """Time since which something lies there, or is off; None until the sensor shows it."""
        self._noisy = False
        """Whether it was told that the readings vary too much."""
        self._before = 0
        """Level of the sensor before this stage."""
        self._found: dict[str, tuple[int, int]] = {}
        """Stage → (level, spread) of the present node."""
        self._samples: list[tuple[float, int]] = []
        self._news: list[str] = []

    def resume(self, kept: object) -> None:
        """Continue from an earlier result of :meth:`saved_state`. Raise ValueError when it does not fit this board."""
        if not isinstance(kept, dict) or kept.get("board") != self._board.name or "measured" not in kept:
            raise ValueError(f"expected what was measured of board {self._board.name!r}")
        try:
            for node, (rest, north, south, stack, stacks, spread) in kept["measured"].items():
                self.measured[node] = Measured(
                    NodeLevels(int(rest), int(north), int(south), int(stack), bool(stacks)), int(spread)
                )
        except (TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"expected levels of nodes: {error}") from error
        self._queue = [node for node in self._queue if node not in self.measured]
        self._news.append(f"{len(self.measured)} nodes are measured already")

    # -- what a front sees ---------------------------------------------------------------------------------------

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return the pixel of the present node → its colour."""
        if not self._node or self.is_done:
            return {}
        colour = FELT if self._stage in {"bare", "off"} else ASKED
        return {self._board.nodes[self._node].pixel: colour}

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present task for a hand, in a list."""
        if not self._node or self.is_done:
            return []
        step = f"{self._node} {self._stage} {self._asked:.3f}"
        if self._stage in {"bare", "off"}:
            return [{**take(step, self._node), "all": True}]
        return [put("w" if self._stage == "white" else "b", step, self._node)]

    @property
    def touch(self) -> TouchSensing:
        """Return what is known of the sensors."""
        return self._touch

    def doing(self) -> Doing:
        """Return the step as data; ``stage`` is one of :data:`STAGES`."""
        done = len(self.measured.keys() | self.failed.keys())
        if not self._node or self.is_done:
            return Doing("wait", done=done, of=self._of)
        do, piece = ("off" if self._stage in {"bare", "off"} else "put"), ("w" if self._stage == "white" else "b")
        return Doing(do, self._node, piece, self._hinted, done, self._of, self._stage)

    def news(self) -> list[str]:
        """Return the lines to show since the last call."""
        news, self._news = self._news, []
        return news

    def saved_state(self) -> Mapping[str, Any]:
        """Return the state for a later :meth:`resume`, ready for JSON."""
        rows = {
            node: [one.levels.rest, one.levels.north, one.levels.south, one.levels.stack, one.levels.stacks, one.spread]
            for node, one in self.measured.items()
        }
        return {"board": self._board.name, "measured": rows}

    # -- what happens --------------------------------------------------------------------------------------------

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self.is_done:
            return
        self._touch.feed(readings, at)
        if self._stage == "rest":
            if self._touch.ready:
                names = {wiring.channel: node for node, wiring in self._board.nodes.items()}
                self._news += rest_news(self._touch.stuck, names)
                words, _ = BuildersDiagnosis(self._board).failing(self._touch.stuck, self._touch.stuck)
                self._news += [words] if words else []
                self._next_node(at)
            return
        reading = readings[self._channel]
        self._samples.append((at, reading))
        while self._samples[0][0] < at - SAMPLE_S:
            self._samples.pop(0)
        if self._has_moved(at):
            self._settle(at)
        else:
            self._wait(at)

    def say(self, words: str, at: float) -> None:
        """Process a typed line: see :data:`HELP`."""
        word = words.strip()
        if word == "q":
            self.is_done = self.stopped = True
        elif not self._node:
            self._news.append("the empty board is being watched; wait a moment")
        elif not word:
            self._go = True
        elif word == "s":
            self._fail("skipped", at)
        elif word == "u":
            self._undo(at)
        else:
            self._news.append(HELP)

    @property
    def _channel(self) -> int:
        return self._board.nodes[self._node].channel

    # -- one node after the other --------------------------------------------------------------------------------

    def _next_node(self, at: float) -> None:
        while self._queue:
            self._node = self._queue.pop(0)
            if self._channel in self._touch.stuck:
                self.failed[self._node] = f"channel {self._channel} reads {self._touch.stuck[self._channel]} at rest"
                continue
            self._order.append(self._node)
            self._found = {"rest": (self._touch.rest[self._channel], self._touch.noise[self._channel])}
            self._before = self._touch.rest[self._channel]
            self._news.append(f"[{len(self._queue) + 1}] {self._node}")
            self._ask("white", at)
            return
        self._node, self.is_done = "", True

    def _ask(self, stage: str, at: float) -> None:
        self._stage, self._asked, self._hinted, self._go = stage, at, False, False
        self._moved_at, self._noisy = None, False
        self._samples.clear()
        self._news.append("    " + ASK[stage].format(node=self._node))

    def _has_moved(self, at: float) -> bool:
        """Return whether the step is done, by the sensor or by the maker's word."""
        if self._go:
            return True
        level = self._samples[-1][1]
        if self._stage in {"bare", "off"}:
            rest, noise = self._found["rest"]
            return abs(level - rest) < max(LEAST_STEP, noise + 1) and at - self._asked >= SETTLE_S
        return abs(level - self._before) >= max(LEAST_STEP, 2 * self._found["rest"][1] + 1)

    def _settle(self, at: float) -> None:
        """Record the level after it has been steady for long enough, or as it is once people know how it varies."""
        readings = [reading for _, reading in self._samples]
        self._moved_at = at if self._moved_at is None else self._moved_at
        give_up = self._patience.give_up
        given_up = self._noisy and (self._go or (give_up is not None and at - self._asked >= give_up))
        if self._stage in {"bare", "off"}:
            self._done_with(self._found["rest"], at)
        elif at - self._samples[0][0] < SAMPLE_S * 0.9:
            return  # What came before the sensor was moved is no longer among them then.
        elif max(readings) - min(readings) > STILL and not given_up:
            if not self._noisy and at - self._moved_at >= NOISY_S:
                self._noisy, self._go = True, False
                self._news.append(
                    f"    channel {self._channel} is too noisy: it reads {min(readings)} to {max(readings)}, at most "
                    f"{STILL} steps apart are steady. Look at its supply and ground, and for motors and lamps nearby. "
                    "Enter goes on with the middle"
                )
        else:
            level = int(statistics.median_low(readings))
            self._done_with((level, max(abs(reading - level) for reading in readings)), at)

    def _done_with(self, found: tuple[int, int], at: float) -> None:
        self._found[self._stage] = found
        self._before = found[0]
        if self._stage == "off":
            self._conclude(at)
        else:
            self._ask(STAGES[STAGES.index(self._stage) + 1], at)

    def _wait(self, at: float) -> None:
        waited = at - self._asked
        if self._patience.give_up is not None and waited >= self._patience.give_up:
            # Two levels may be too close for a visible change: accept the present level.
            self._go = True
        elif not self._hinted and waited >= self._patience.hint:
            self._hinted = True
            other = sorted(self._touch.answers - {self._channel})
            names = {wiring.channel: node for node, wiring in self._board.nodes.items()}
            if other:
                self._news.append(
                    f"    channel {other[0]}{name_note(other[0], names)} answers instead: map the board first"
                )
            else:
                self._news.append(f"    channel {self._channel} shows no change. Enter goes on with what it reads")

    def _conclude(self, at: float) -> None:
        """Record the levels of the node, or its failure if a stone does not change them."""
        rest, north, south, stack = (self._found[stage][0] for stage in ("rest", "white", "black", "stack"))
        spread = max(spread for _, spread in self._found.values())
        low, high = sorted((north, south))
        if not low < rest < high or min(rest - low, high - rest) <= spread:
            self._fail(f"rest {rest}, white {north}, black {south}: either colour must move the sensor its own way", at)
            return
        bands = scale(NodeLevels(rest, north, south, stack, stacks=False), self._board.bands).bands
        for pole, single in (("N", abs(north - rest)), ("S", abs(south - rest))):
            # The scale says "stone" beyond the threshold and the hysteresis, and "nothing" only as far below.
            least, noise = bands[pole].rest, self._found["rest"][1]
            if single - spread < least + HYSTERESIS or noise + HYSTERESIS >= least:
                why = f"a stone moves it by {single} steps, with {HYSTERESIS} of hysteresis and {spread} of noise"
                self._fail(f"rest {rest}, white {north}, black {south}: {why}: take stronger magnets or less gap", at)
                return
        inside = min(max(stack, min(rest, north)), max(rest, north))
        levels = NodeLevels(rest, north, south, inside)
        close = overlaps(levels, spread)
        if close:
            levels = NodeLevels(rest, north, south, inside, stacks=False)
            self._news.append(f"    {self._node}: can't tell {'; '.join(close)}. The table will ask here")
        self.measured[self._node] = Measured(levels, spread)
        self.failed.pop(self._node, None)
        self._next_node(at)

    def _fail(self, why: str, at: float) -> None:
        self.failed[self._node] = why
        self._news.append(f"    {self._node}: {why}")
        self._next_node(at)

    def _undo(self, at: float) -> None:
        """Start the present node again or, in its first stage, the node before it."""
        if self._stage == "white" and len(self._order) > 1:
            self._queue.insert(0, self._order.pop())
        self._queue.insert(0, self._order.pop())
        self.measured.pop(self._queue[0], None)
        self._news.append(f"{self._queue[0]} anew: take off what lies there")
        self._next_node(at)


NAMES = ("nothing", "opposite stack", "stone", "like stack")
"""Names of the levels, from the weakest to the strongest."""


@dataclass(frozen=True)
class Margin:
    """Two neighbouring levels of one pole, and the margin between their noise and the threshold."""

    pole: str
    weaker: str
    stronger: str
    steps: float
    """Margin in level steps; below 0 one level may be taken for the other."""


def margins(levels: NodeLevels, spread: int) -> list[Margin]:
    """Return all margins of a sensor whose readings stay within ``spread`` steps of their level.

    A threshold is halfway between two levels, and a reading must exceed it by the hysteresis.
    """
    found = []
    for pole, strength in strengths(levels).items():
        for index, step in enumerate(strength.steps()):
            found.append(Margin(pole, NAMES[index], NAMES[index + 1], step / 2 - HYSTERESIS - spread))
    return found


def overlaps(levels: NodeLevels, spread: int) -> list[str]:
    """Return, in words, the pairs of levels that can't be distinguished."""
    poles = {"N": "north", "S": "south"}
    return [
        f"{one.weaker} and {one.stronger} ({poles[one.pole]}, {-one.steps:.0f} steps too close)"
        for one in margins(levels, spread)
        if one.steps < 0
    ]


WIDTH = 64
"""Columns of the terminal's plot, four level steps each."""
ROW, LEFT, PIXELS = 18, 60, 512
"""The SVG's row height, width of names and width of the scale, in user units."""
COLOURS = {"": "#9a9a9a", "N": "#d9c27a", "S": "#4a6fa5", "<": "#b0579a", ">": "#3f8f5b"}


def terminal_plot(measured: Mapping[str, Measured]) -> str:
    """Return one line per node: its levels on a scale from 0 to 255, and its least margin."""
    widest = max(map(len, measured), default=0)
    lines = [f"{'':{widest}}  {'0':<{WIDTH // 2}}{'128':<{WIDTH // 2 - 3}}255  steps to spare"]
    for node, one in measured.items():
        cells = ["·"] * WIDTH
        for level, sign in _marks(one):
            cells[min(WIDTH - 1, max(0, level) * WIDTH // 256)] = sign
        least = min(margins(one.levels, one.spread), key=lambda margin: margin.steps)
        note = f"  {'; '.join(overlaps(one.levels, one.spread))}" if least.steps < 0 else ""
        lines.append(f"{node:{widest}}  {''.join(cells)}  {least.steps:5.1f}{note}")
    lines.append("N north, S south, 0 rest, n and s opposite stacks, + and - like stacks; below 0 steps the table asks")
    return "\n".join(lines)


def _marks(one: Measured) -> list[tuple[int, str]]:
    """Return (level, sign) of all levels of a sensor; later signs hide earlier ones."""
    levels = one.levels
    found = [(levels.rest, "0")]
    for pole, signs, single in (("S", "s-S", levels.south), ("N", "n+N", levels.north)):
        way = 1 if single > levels.rest else -1
        strength = strengths(levels)[pole]
        for sign, away in zip(signs, (strength.opposite, strength.like, strength.single), strict=True):
            found.append((round(levels.rest + way * away), sign))
    return found


def svg_plot(name: str, measured: Mapping[str, Measured], usual: LevelBands) -> str:
    """Return an SVG with one row per node: colours for each reading's sensed state, bars for measured levels."""
    height = ROW * (len(measured) + 3)
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {LEFT + PIXELS + 60} {height}",
            "font-family": "sans-serif",
            "font-size": "11",
        },
    )
    ElementTree.SubElement(svg, "title").text = f"Levels of {name}"
    _text(svg, LEFT, 12, f"{name}: what each reading (0 to 255) is taken for, what was measured (bars), steps to spare")
    for row, (node, one) in enumerate(measured.items(), 1):
        top = ROW * row
        _text(svg, 4, top + 13, node)
        _bands(svg, one, usual, top)
        for level, sign in _marks(one):
            x = LEFT + PIXELS * min(255, max(0, level)) / 255
            half = PIXELS * max(one.spread, 0.5) / 255
            box = {"x": f"{x - half:.1f}", "y": str(top + 2), "width": f"{2 * half:.1f}", "height": str(ROW - 4)}
            drawn = ElementTree.SubElement(svg, "rect", {**box, "fill": "#111", "fill-opacity": "0.75"})
            ElementTree.SubElement(drawn, "title").text = f"{node} {sign} {level} ± {one.spread}"
        least = min(margin.steps for margin in margins(one.levels, one.spread))
        _text(svg, LEFT + PIXELS + 6, top + 13, f"{least:.1f}", "#b00020" if least < 0 else "#222")
    for index, (key, words) in enumerate(
        (("", "nothing"), ("N", "north"), ("S", "south"), ("<", "opposite stack"), (">", "like stack"))
    ):
        left, top = LEFT + index * 100, height - ROW
        box = {"x": str(left), "y": str(top - 9), "width": "10", "height": "10", "fill": COLOURS[key]}
        ElementTree.SubElement(svg, "rect", box)
        _text(svg, left + 14, top, words)
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def _bands(svg: ElementTree.Element, one: Measured, usual: LevelBands, top: int) -> None:
    """Draw the ranges of readings with the same sensed state."""
    sensed_states = [scale(one.levels, usual).sensed_state(reading, "?") for reading in range(256)]
    begin = 0
    for reading in range(1, 257):
        if reading < 256 and sensed_states[reading] == sensed_states[begin]:
            continue
        key = sensed_states[begin][1:] or sensed_states[begin]
        left, right = (LEFT + PIXELS * edge / 256 for edge in (begin, reading))
        box = {"x": f"{left:.1f}", "y": str(top), "width": f"{right - left:.1f}", "height": str(ROW - 1)}
        ElementTree.SubElement(svg, "rect", {**box, "fill": COLOURS[key], "fill-opacity": "0.55"})
        begin = reading


def _text(svg: ElementTree.Element, x: float, y: float, words: str, colour: str = "#222") -> None:
    ElementTree.SubElement(svg, "text", {"x": f"{x:.0f}", "y": f"{y:.0f}", "fill": colour}).text = words


@dataclass(frozen=True)
class CalibrationTask:
    """The nodes to calibrate (None: all), the board file to write, and the file for a drawing."""

    target: Path
    nodes: Sequence[str] | None
    svg: Path | None
    resume: bool = False


def run(board: Opened, task: CalibrationTask, patience: Patience) -> int:
    """Calibrate a board; return 0 when every node was measured, else 1. Raise Refused."""
    description = board.description
    if description.kind != "level":
        converters = ", ".join(name for name, scheme in SCHEMES.usable().items() if scheme.measures_levels)
        raise Refused(
            f"{description.name}: kind {description.kind!r} through {description.scheme} has nothing to calibrate, "
            f"expected 'level' or a converter ({converters}); see lodestone hardware check"
        )
    for node in task.nodes or ():
        if node not in description.nodes:
            raise Refused(f"--nodes: {node!r} is not a node of {description.name}")
    if task.svg is not None:
        check_output(task.svg, b"<svg")
    progress = Progress(task.target, "calibrate")
    wizard = CalibrateWizard(description, task.nodes, patience)
    if task.resume:
        try:
            wizard.resume(progress.load())
        except ValueError as error:
            raise progress.useless(str(error)) from error
    print(f"Calibrating {description.name}. Take everything off the board.\n{HELP}", flush=True)
    finished = lead(board, progress, wizard)
    if wizard.measured:
        print(terminal_plot(wizard.measured))
    if not finished or wizard.stopped:
        print(f"Stopped. What is known so far is in {progress.path}: go on with --resume.")
        return 1
    try:
        _write(board, task, wizard)
    except Refused as error:
        raise Refused(f"{error}. What was measured is in {progress.path}: name another file, with --resume") from error
    progress.forget()
    ambiguous_stacks = [node for node, one in wizard.measured.items() if not one.levels.stacks]
    if ambiguous_stacks:
        print(f"Stacks can't be told from stones at {', '.join(ambiguous_stacks)}: the table asks there.")
    for node, why in wizard.failed.items():
        print(f"not calibrated: {node}: {why}")
    return 1 if wizard.failed else 0


def _write(board: Opened, task: CalibrationTask, wizard: CalibrateWizard) -> None:
    try:
        if wizard.measured:
            levels = {node: one.levels for node, one in wizard.measured.items()}
            write_calibration(board.path, task.target, levels)
            print(f"{task.target}: {len(levels)} nodes calibrated.")
        if task.svg is not None:
            write_output(task.svg, svg_plot(board.description.name, wizard.measured, board.description.bands))
            print(f"{task.svg}: the margins, drawn.")
    except BoardFileError as error:
        raise Refused(str(error)) from error

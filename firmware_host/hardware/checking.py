"""Checking a board: wizards that watch it empty and then ask for stones, the report, and ``lodestone hardware check``.

The empty board is watched while all pixels show one colour after another: a sensor that answers is stuck, one that
never keeps still is loose, and people see dead pixels. A stone on each node proves the rest. The report has an item for
each pin, sensor and pixel: in order, bad, or unproven.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from firmware_host.hardware.mapping import HELP, MapWizard
from firmware_host.hardware.terminal import Front, Opened
from firmware_host.hardware.wizard import Doing, Patience, Task, TouchSensing
from firmware_host.sensing.diagnosis import Diagnosis
from firmware_host.table.lights import OFF, WHITE
from firmware_host.text.words import Refused
from hw import pi
from hw.pins import pin_list
from hw.ports import BoardDescription, Colour, HardwareError, LineCount, line_of

WATCH_S = 2.0
"""Time for which the empty board is watched, at least."""
SHOW_S = 0.4
"""Time for which each colour is shown."""
SHOWN: tuple[Colour, ...] = ((255, 0, 0), (0, 255, 0), (0, 0, 255), WHITE, OFF)


class LookWizard:
    """Watches the empty board while all pixels show one colour after another."""

    def __init__(self, board: BoardDescription) -> None:
        """Start with the first scan."""
        self.touch = TouchSensing(board.channel_kind, board.channels)
        """Findings on the empty board."""
        self.is_done = False
        self.colour = SHOWN[0]
        """Present colour of all pixels."""
        self._began: float | None = None

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self._began is None:
            self._began = at
        passed = at - self._began
        self.colour = SHOWN[min(int(passed / SHOW_S), len(SHOWN) - 1)]
        self.touch.feed(readings, at)
        self.is_done = passed >= max(WATCH_S, SHOW_S * len(SHOWN))


class CheckWizard:
    """Watches the empty board, then asks for a stone on each node, by its lit pixel or (without lights) by its name."""

    def __init__(self, board: BoardDescription, patience: Patience | None = None) -> None:
        """Start with the empty board."""
        self.look = LookWizard(board)
        self._board = board
        self._nodes = {wiring.pixel: name for name, wiring in board.nodes.items()} if board.lights.has_strips else {}
        what, pixels = ("pixels", sorted(self._nodes)) if board.lights.has_strips else ("channels", None)
        self.stones = MapWizard(board, what, patience, pixels)

    @property
    def is_done(self) -> bool:
        """Whether all nodes are done, or a person has stopped."""
        return self.stones.is_done

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of the lit pixels."""
        if not self.look.is_done:
            return dict.fromkeys(range(self._board.lights.length), self.look.colour)
        return self.stones.lights

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present tasks for a hand."""
        return self.stones.tasks

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        (self.stones if self.look.is_done else self.look).feed(readings, at)

    def say(self, words: str, at: float) -> None:
        """Process a command of the mapping wizard (``s``, ``u``, ``q``); while the board is watched only ``q``."""
        if self.look.is_done or words == "q":
            self.stones.say(words, at)

    def doing(self) -> Doing:
        """Return the present step as data."""
        return self.stones.doing(self._nodes)


LEAST_FAULTY, FAULTY_SHARE = 5, 0.02
"""Minimum number and share of damaged and missing frames for a faulty line; fewer are chance."""
OK, BAD, UNPROVEN = "ok", "bad", "unproven"
"""States of a part; an ``unproven`` one needs a stone (``--stones``) or a look."""


@dataclass(frozen=True)
class Item:
    """The result for one part."""

    part: str
    """``board``, ``pin``, ``sensor`` or ``pixel``."""
    name: str
    state: str
    text: str


@dataclass
class BoardReport:
    """The results of a check."""

    board: BoardDescription
    items: list[Item]

    @property
    def good(self) -> bool:
        """Whether nothing is bad."""
        return all(item.state != BAD for item in self.items)

    def text(self) -> str:
        """Return the report as text: bad parts one by one, many equal others in one line, and a count."""
        lines = []
        for part in ("board", "pin", "sensor", "pixel"):
            items = [item for item in self.items if item.part == part]
            for state in (OK, UNPROVEN):
                alike = [item for item in items if item.state == state]
                if len(alike) > 4 and part != "pin":
                    lines.append(f"{state:<9} {len(alike)} {part}s, such as {alike[0].name}: {alike[0].text}")
                else:
                    lines += [f"{state:<9} {part} {item.name}: {item.text}" for item in alike]
            lines += [f"{'BAD':<9} {part} {item.name}: {item.text}" for item in items if item.state == BAD]
        bad = sum(item.state == BAD for item in self.items)
        lines.append(
            f"{self.board.name}: " + (f"{bad} of {len(self.items)} parts are bad" if bad else "nothing is bad")
        )
        return "\n".join(lines)

    def json(self) -> str:
        """Return the report as one JSON object."""
        board = self.board
        head = {"board": board.name, "backend": board.backend, "scheme": board.scheme, "kind": board.kind}
        return json.dumps({**head, "ok": self.good, "items": [asdict(item) for item in self.items]})


def pin_items(board: BoardDescription) -> list[Item]:
    """Return the pins of an opened board, as ok unless sound disturbs them: opening fails for one that can't be set."""
    items = []
    for name in board.pins:
        pins = pin_list(board.pins, name)
        for index, pin in enumerate(pins):
            label = f"{name}[{index}]" if len(pins) > 1 else name
            items.append(Item("pin", label, OK, f"BCM {pin} could be set up"))
    for strip in board.lights.strips if board.lights.has_strips else ():
        sound = (
            pi.analogue_sound() if strip.over == "gpio" and strip.pin in pi.PWM_PINS and board.backend != "sim" else ""
        )
        text = f"{strip.pin} takes frames for {strip.length} pixels"
        if sound:
            text = (
                f"{strip.pin} is driven by PWM, which the analogue sound ({sound}) disturbs: run install.sh, or write "
                "dtparam=audio=off at the end of /boot/firmware/config.txt, and restart"
            )
        items.append(Item("pin", "strip", BAD if sound else OK, text))
    return items


def line_items(line: LineCount | None) -> list[Item]:
    """Return the result of a scanner's line; nothing for sensors that are read directly."""
    if line is None:
        return []
    faulty = line.damaged + line.missing
    told = f"{line.good} frames came whole, {line.damaged} damaged, {line.missing} are missing"
    if faulty < LEAST_FAULTY or faulty < FAULTY_SHARE * (line.good + faulty):
        return [Item("board", "line to the scanner", OK, told)]
    return [Item("board", "line to the scanner", BAD, f"{told}: look at its ground wire, cable and baud rate")]


def rest_items(board: BoardDescription, touch: TouchSensing) -> list[Item]:
    """Return the results on the empty board: stuck and restless sensors, and parts whose sensors all fail."""
    bad = set(touch.stuck) | touch.restless
    items = []
    words, _ = Diagnosis(board).failing(bad, touch.stuck)
    if words:
        items.append(Item("board", "wiring", BAD, words))
    for channel in board.sensor_names().values():
        node, where = board.sensor_words(channel), f"channel {channel}"
        if channel in touch.stuck:
            items.append(Item("sensor", node, BAD, f"{where} reads {touch.stuck[channel]} with nothing there: stuck"))
        elif channel in touch.restless:
            items.append(Item("sensor", node, BAD, f"{where} never keeps still: a loose contact"))
        else:
            noise = f", noise ±{touch.noise[channel]}" if board.kind == "level" else ""
            items.append(Item("sensor", node, UNPROVEN, f"quiet at rest ({where} reads {touch.rest[channel]}{noise})"))
    return items


def pixel_items(board: BoardDescription) -> list[Item]:
    """Return the pixels as unproven, because no program sees them; empty without lights."""
    if not board.lights.has_strips:
        return []
    return [
        Item("pixel", node, UNPROVEN, f"pixel {wiring.pixel} was sent red, green, blue and white; did all light up?")
        for node, wiring in board.nodes.items()
    ]


def stone_items(board: BoardDescription, wizard: MapWizard) -> list[Item]:
    """Return the results with stones: whether each pixel is at its node, and the node's (middle) sensor answers."""
    owners = {channel: board.sensor_words(channel) for channel in board.sensors()}
    sensors, pixels = [], []
    for node, wiring in board.nodes.items():
        record = wizard.learned.records.get(f"pixel {wiring.pixel}")
        text, pixel = f"channel {wiring.channel} felt its stone", f"pixel {wiring.pixel} led the stone there"
        state = lit = OK
        if record is None:
            state = lit = UNPROVEN
            text = pixel = "not asked any more"
        elif record.channel is None:
            state, lit, text = BAD, UNPROVEN, f"channel {wiring.channel}: {record.why}"
            pixel = f"pixel {wiring.pixel}: no sensor answered there"
        elif record.channel != wiring.channel:
            other = owners.get(record.channel, "nobody")
            state = lit = BAD
            text = f"channel {record.channel} ({other}'s) answered where its pixel is lit, expected {wiring.channel}"
            pixel = f"pixel {wiring.pixel} is lit at {other}, or the sensors are swapped: lodestone hardware map"
        elif record.why:
            state, text = BAD, record.why
        sensors.append(Item("sensor", owners[wiring.channel], state, text))
        pixels.append(Item("pixel", node, lit, pixel))
    return sensors + pixels


def merge_items(items: Sequence[Item]) -> list[Item]:
    """Return one item per part: the first bad one, else the last."""
    found: dict[tuple[str, str, str], Item] = {}
    for item in items:
        key = (item.part, item.name, item.text if item.part == "pin" else "")
        known = found.get(key)
        if known is None or known.state != BAD:
            found[key] = item
    return list(found.values())


def failure_report(board: BoardDescription, why: str) -> BoardReport:
    """Return the report of a board that can't be opened or read."""
    return BoardReport(board, [Item("board", board.name, BAD, why)])


Print = Callable[[str], None]


def run(board: Opened, *, stones: bool, as_json: bool, patience: Patience) -> int:
    """Check an opened board and print the report; return 0, or 1 when something is bad. Raise Refused."""

    def say(line: str) -> None:
        print(line, file=sys.stderr if as_json else sys.stdout, flush=True)

    if stones and not board.description.lights.has_strips:
        raise Refused("--stones: this board has no lights to lead stones by: lodestone hardware map names the places")
    try:
        items = _look(board, say)
        if stones:
            items += _ask(board, say, patience, to_errors=as_json)
        report = BoardReport(board.description, merge_items(items))
    except HardwareError as error:
        report = failure_report(board.description, str(error))
    return tell(report, as_json=as_json)


def tell(report: BoardReport, *, as_json: bool) -> int:
    """Print a report; return the exit code."""
    print(report.json() if as_json else report.text())
    return 0 if report.good else 1


def not_opened(description: BoardDescription, why: str, *, as_json: bool) -> int:
    """Print the report of a board that can't be opened; return the exit code."""
    return tell(failure_report(description, why), as_json=as_json)


def _look(board: Opened, say: Print) -> list[Item]:
    """Show all colours while the empty board is watched; return the findings."""
    description, parts = board.description, board.parts
    look = ", and look at the lights (red, green, blue, white)" if description.lights.has_strips else ""
    say(f"Checking {description.name}: take everything off the board{look}.")
    wizard, period, shown = LookWizard(description), 1.0 / description.scan_hz, None
    while not wizard.is_done:
        wizard.feed(parts.sensors.scan(), time.monotonic())
        if wizard.colour != shown:
            shown = wizard.colour
            parts.strip.show([shown] * parts.strip.length)
        time.sleep(period)
    touch = wizard.touch
    line = line_items(line_of(parts.sensors))
    return [*line, *pin_items(description), *rest_items(description, touch), *pixel_items(description)]


def _ask(board: Opened, say: Print, patience: Patience, *, to_errors: bool) -> list[Item]:
    """Ask for a stone at each lit pixel, whose node's sensor must answer; return the findings."""
    description = board.description
    wizard = MapWizard(description, "pixels", patience, sorted(one.pixel for one in description.nodes.values()))
    say(HELP)
    Front(board, out=sys.stderr if to_errors else sys.stdout).run(wizard)
    return stone_items(description, wizard)

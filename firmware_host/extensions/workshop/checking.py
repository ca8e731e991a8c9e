"""Checking a board: wizards that watch it empty and then ask for stones, the report, and ``lodestone hardware check``.

The empty board is watched while all pixels show one colour after another: a sensor that answers is stuck, one that
never keeps still is loose, and people see dead pixels. A stone on each node proves the rest. The report has an item for
each pin, sensor and pixel: in order, bad, or unproven.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from firmware_host.extensions.workshop.faults import BuildersDiagnosis, DarkRun, dark_run, dark_runs, strips_of
from firmware_host.extensions.workshop.mapping import HELP, OF_BLACK, MapWizard, Record
from firmware_host.extensions.workshop.terminal import Front, Keyboard, Opened
from firmware_host.extensions.workshop.wizard import (
    LEVEL_MIDDLE,
    LEVEL_STEP,
    SETTLE_S,
    Doing,
    Patience,
    Task,
    TouchSensing,
)
from firmware_host.link.preconditions import missing
from firmware_host.table.lights import OFF, WHITE
from firmware_host.text.words import Refused, Text, list_of, say
from hw.pins import pin_list
from hw.ports import (
    BoardDescription,
    Colour,
    ConfigurationCheck,
    HardwareError,
    LineCount,
    StripWiring,
    configuration_of,
    line_of,
)

WATCH_S = 2.0
"""Time for which the empty board is watched, at least."""
SHOW_S = 0.4
"""Time for which each colour is shown."""
COLOURS: Mapping[str, Colour] = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
DARK = "dark"
"""The answer of who sees no light."""
SHOWN: Mapping[str, Colour] = {**COLOURS, "white": WHITE, DARK: OFF}
"""What is shown while the empty board is watched."""
NAMED: Mapping[str, Text] = {
    "red": say("red"), "green": say("green"), "blue": say("blue"), "white": say("white"), DARK: say("dark")
}  # fmt: skip
ANSWER_S = 0.2
"""Wait for a typed answer, each time."""
LEAST_FAULTY, FAULTY_SHARE = 5, 0.02
"""Minimum number and share of damaged and missing frames for a faulty line; fewer are chance."""
OK, BAD, UNPROVEN = "ok", "bad", "unproven"
"""States of a part; an ``unproven`` one needs a stone (``--stones``) or a look."""


LIGHT_DEPENDENT = 3
"""Number of sensors that must answer with the lights before the lights are blamed: one or two have loose contacts."""


class EmptyBoard(TouchSensing):
    """Watches the empty board for as long as it is fed: nothing lies there, so whatever answers is wrong."""

    def __init__(self, kind: str, channels: int) -> None:
        """Start with the first scan."""
        super().__init__(kind, channels)
        self._early: list[tuple[Sequence[int], float, Colour]] = []
        """Scans from before the readings at rest were known."""
        self._colours: set[Colour] = set()
        self._away: dict[int, dict[Colour, tuple[float, float]]] = {}
        """Channel → colour → first and last time of the answer that goes on."""
        self._over: list[tuple[int, dict[Colour, tuple[float, float]]]] = []
        """The answers that are over, with their channels."""
        self._quiet_since: dict[int, float] = {}
        """Stuck channel → time since which it reads nothing."""

    def feed(self, readings: Sequence[int], at: float, shown: Colour = OFF) -> None:
        """Process one scan at a time in seconds; ``shown`` is the colour of all pixels until then."""
        super().feed(readings, at)
        self._early.append((list(readings), at, shown))
        if self.ready:
            for early in self._early:
                self._note(*early)
            self._early.clear()

    @property
    def answered(self) -> Mapping[int, frozenset[Colour]]:
        """Return channel → colours under which it answered, for those that are neither stuck nor restless."""
        found: dict[int, frozenset[Colour]] = {}
        for channel, parts in (*self._over, *self._away.items()):
            if channel not in self.stuck and channel not in self.restless:
                found[channel] = found.get(channel, frozenset()) | _settled(parts)
        return {channel: colours for channel, colours in sorted(found.items()) if colours}

    @property
    def by_lights(self) -> Mapping[int, frozenset[Colour]]:
        """Return those of :attr:`answered` that the lights explain: many, and none while all pixels were dark."""
        lit = {channel: colours for channel, colours in self.answered.items() if OFF not in colours}
        return lit if OFF in self._colours and len(lit) >= LIGHT_DEPENDENT else {}

    @property
    def light_words(self) -> Text | None:
        """Return what is wrong if readings change with the lights, None if they do not."""
        under = set().union(*self.by_lights.values())
        if not under:
            return None
        return say(
            "readings change with the lights: {count} sensors answered on the empty board while the lights were "
            "{colours}, and not while they were dark. Look at the supply, at the ground, and at the data wire beside "
            "the strip.",
            count=len(self.by_lights),
            colours=_colour_list(under),
        )

    def _note(self, readings: Sequence[int], at: float, shown: Colour) -> None:
        self._colours.add(shown)
        for channel, reading in enumerate(readings):
            if self._is_away(channel, reading):
                parts = self._away.setdefault(channel, {})
                parts[shown] = (parts.get(shown, (at, at))[0], at)
                self._quiet_since.pop(channel, None)
                continue
            if channel in self._away:
                self._over.append((channel, self._away.pop(channel)))
            # What answered at first only, as with the first colours, is not stuck.
            if channel in self.stuck and at - self._quiet_since.setdefault(channel, at) >= SETTLE_S:
                del self.stuck[channel]

    def _is_away(self, channel: int, reading: int) -> bool:
        if self.kind != "level":
            return bool(reading)
        if channel in self.stuck:
            return reading not in LEVEL_MIDDLE
        return abs(reading - self.rest[channel]) >= LEVEL_STEP


def _settled(parts: Mapping[Colour, tuple[float, float]]) -> frozenset[Colour]:
    """Return the colours of one answer; none for a moment's. A part that sleeps outlasts a light."""
    first, last = min(begin for begin, _ in parts.values()), max(end for _, end in parts.values())
    if last - first < SETTLE_S:
        return frozenset()
    lasting = frozenset(colour for colour, (begin, end) in parts.items() if end - begin >= SETTLE_S)
    return lasting or frozenset(list(parts)[:1])


def _colour_list(colours: Collection[Colour]) -> str:
    """Return the names of colours in the order in which they are shown."""
    return list_of(NAMED[name] for name, colour in SHOWN.items() if colour in colours)


class LookWizard:
    """Watches the empty board while all pixels show one colour after another."""

    def __init__(self, board: BoardDescription) -> None:
        """Start with the first scan."""
        self.touch = EmptyBoard(board.channel_kind, board.channels)
        """Findings on the empty board."""
        self.is_done = False
        self.colour = next(iter(SHOWN.values()))
        """Present colour of all pixels."""
        self._began: float | None = None

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if self._began is None:
            self._began = at
        passed = at - self._began
        self.touch.feed(readings, at, self.colour)
        self.colour = list(SHOWN.values())[min(int(passed / SHOW_S), len(SHOWN) - 1)]
        self.is_done = passed >= max(WATCH_S, SHOW_S * len(SHOWN))


ANSWERS = (*COLOURS, DARK)


Seen = Mapping[tuple[int, str], str]
"""Number of a strip and colour that was sent → answer."""


class ColourWizard:
    """Lights one strip after the other red, green and blue, and asks each time which colour people see.

    Strips are of different makes, and one with another order is not seen beside one in order.
    """

    def __init__(self, board: BoardDescription) -> None:
        """Ask nothing on a board without lights."""
        self._strips = list(strips_of(board))
        self.steps = [(number, colour) for number in range(len(self._strips)) for colour in COLOURS]
        """Number of a strip and colour, in the order in which they are asked for."""
        self.seen: dict[tuple[int, str], str] = {}
        """Step → answer."""
        self._board = board
        self.is_done = not self.steps

    @property
    def step(self) -> tuple[int, str]:
        """The strip and the colour that are shown now."""
        return next((step for step in self.steps if step not in self.seen), (0, DARK))

    @property
    def pixels(self) -> Sequence[int]:
        """The pixels that are lit now."""
        return self._strips[self.step[0]][1]

    @property
    def pin(self) -> str:
        """The pin of the strip that is lit now; empty where the board has one strip."""
        return self._strips[self.step[0]][0].pin if len(self._strips) > 1 else ""

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour, of all pixels."""
        colour = SHOWN[self.step[1]]
        return {pixel: colour if pixel in self.pixels else OFF for pixel in range(self._board.lights.length)}

    @property
    def question(self) -> str:
        """Return what people are asked now."""
        where = f"the strip on {self.pin} (pixels {self.pixels[0]} to {self.pixels[-1]})" if self.pin else "the strip"
        return (
            f"Which colour do you see on {where}: red, green, blue, or dark, also if only some pixels stay dark? "
            "(r, g, b, d; s: go on without an answer)"
        )

    def say(self, words: str) -> bool:
        """Take an answer, or its first letter; ``s`` ends the questions. Return False for any other."""
        begins = words.strip().lower()
        if begins == "s":
            self.is_done = True
            return True
        answer = next((one for one in ANSWERS if begins and one.startswith(begins)), None)
        if answer is None:
            return False
        self.seen[self.step] = answer
        self.is_done = len(self.seen) == len(self.steps)
        return True

    def undo(self) -> None:
        """Forget the last answer."""
        if self.seen:
            self.seen.popitem()


def colour_results(board: BoardDescription, seen: Seen) -> list[tuple[StripWiring, Text | None]]:
    """Return each strip whose colours people have told, and what is wrong with them in words; None if nothing is."""
    strips = [strip for strip, _ in strips_of(board)]
    answers = [{colour: seen[number, colour] for colour in COLOURS if (number, colour) in seen}
               for number in range(len(strips))]  # fmt: skip
    return [
        (strip, _colour_words(strip, one, is_alone=len(strips) == 1))
        for strip, one in zip(strips, answers, strict=True)
        if len(one) == len(COLOURS)
    ]


def _colour_words(strip: StripWiring, seen: Mapping[str, str], *, is_alone: bool) -> Text | None:
    if all(one == other for one, other in seen.items()):
        return None
    differences = list_of(
        say("{sent} was {seen}", sent=NAMED[one], seen=NAMED[other]) for one, other in seen.items() if one != other
    )
    if set(seen.values()) == set(COLOURS):
        letters = {one[0].upper(): other[0].upper() for one, other in seen.items()}
        order = "".join(letters.get(letter, letter) for letter in strip.order)
        if is_alone:
            return say(
                '{told}: write order = "{order}" into [lights] of the board file.', told=differences, order=order
            )
        return say(
            'on the strip on {pin} {told}: write order = "{order}" for this strip into [lights] of the board file.',
            pin=strip.pin, told=differences, order=order,
        )  # fmt: skip
    if set(seen.values()) == {DARK}:
        return say(
            "not every light of the strip on {pin} is lit: measure 5 V at its first pixel and at the first dark one, "
            "and look at the data line from {pin} on.",
            pin=strip.pin,
        )
    return say(
        "{told}: look at the strip's kind and supply, and at its data line from {pin}.", told=differences, pin=strip.pin
    )


def stones_wizard(board: BoardDescription, patience: Patience | None = None) -> MapWizard:
    """Return the wizard that asks for a stone on each node: by its light, or by its name on a board without lights."""
    return MapWizard(board, "check", patience, sorted(node.pixel for node in board.nodes.values()))


class CheckWizard:
    """Watches the empty board, asks for the lights' colours, then for a stone on each node.

    That is by the node's lit pixel or (without lights) by its name.
    """

    def __init__(self, board: BoardDescription, patience: Patience | None = None) -> None:
        """Start with the empty board."""
        self.look = LookWizard(board)
        self.colours = ColourWizard(board)
        self._board = board
        self._nodes = {wiring.pixel: name for name, wiring in board.nodes.items()} if board.lights.has_strips else {}
        self.stones = stones_wizard(board, patience)

    @property
    def is_done(self) -> bool:
        """Whether all nodes are done, or a person has stopped."""
        return self.stones.is_done

    @property
    def lights(self) -> Mapping[int, Colour]:
        """Return pixel → colour of the lit pixels."""
        if not self.look.is_done:
            return dict.fromkeys(range(self._board.lights.length), self.look.colour)
        if not self.colours.is_done:
            return self.colours.lights
        return self.stones.lights

    @property
    def tasks(self) -> Sequence[Task]:
        """Return the present tasks for a hand."""
        return self.stones.tasks if self.colours.is_done else ()

    def feed(self, readings: Sequence[int], at: float) -> None:
        """Process one scan at a time in seconds."""
        if not self.look.is_done:
            self.look.feed(readings, at)
        elif self.colours.is_done:
            self.stones.feed(readings, at)

    def say(self, words: str, at: float) -> None:
        """Process a command of the mapping wizard (``s``, ``u``, ``q``); while the board is watched only ``q``."""
        if words == "q" or (self.look.is_done and self.colours.is_done):
            self.stones.say(words, at)
        elif self.look.is_done:
            self.colours.undo() if words == "u" else self.colours.say(words)

    def doing(self) -> Doing:
        """Return the present step as data."""
        if self.look.is_done and not self.colours.is_done and not self.is_done:
            done, of = len(self.colours.seen), len(self.colours.steps)
            return Doing("colour", done=done, of=of, strip=self.colours.pin)
        return self.stones.doing(self._nodes)


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
    """Return the pins of an opened board as ok: opening fails for one that can't be set."""
    items = []
    for name in board.pins:
        pins = pin_list(board.pins, name)
        for index, pin in enumerate(pins):
            label = f"{name}[{index}]" if len(pins) > 1 else name
            items.append(Item("pin", label, OK, f"BCM {pin} could be set up"))
    for strip in board.lights.strips if board.lights.has_strips else ():
        items.append(Item("pin", "strip", OK, f"{strip.pin} takes frames for {strip.length} pixels"))
    return items


def computer_items(board: BoardDescription) -> list[Item]:
    """Return what this computer lacks for the board, of all that can be looked at (``preconditions.py``)."""
    return [Item("board", f"this computer ({key})", BAD, words) for key, words in missing(board)]


def line_items(line: LineCount | None) -> list[Item]:
    """Return the result of a scanner's line; nothing for sensors that are read directly."""
    if line is None:
        return []
    faulty = line.damaged + line.missing
    words = f"{line.good} frames came whole, {line.damaged} damaged, {line.missing} are missing"
    if faulty < LEAST_FAULTY or faulty < FAULTY_SHARE * (line.good + faulty):
        return [Item("board", "line to the scanner", OK, words)]
    return [Item("board", "line to the scanner", BAD, f"{words}: look at its ground wire, cable and baud rate")]


def configuration_items(found: ConfigurationCheck | None) -> list[Item]:
    """Return whether a scanner is configured as the board file means; nothing for sensors that are read directly."""
    if found is None:
        return []
    state = UNPROVEN if found.agrees is None else OK if found.agrees else BAD
    return [Item("board", "the scanner's configuration", state, found.words)]


def rest_items(board: BoardDescription, touch: EmptyBoard) -> list[Item]:
    """Return the results on the empty board: sensors that answered, and what explains many of them."""
    answered, by_lights, light_words = touch.answered, touch.by_lights, touch.light_words
    late = {channel: 1 for channel in answered if channel not in by_lights}
    items = []
    words, _ = BuildersDiagnosis(board).failing({*touch.stuck, *touch.restless, *late}, {**touch.stuck, **late})
    if words:
        items.append(Item("board", "wiring", BAD, words))
    if light_words is not None:
        items.append(Item("board", "lights and sensors", BAD, light_words))
    for channel in board.sensor_names().values():
        node, where = board.sensor_words(channel), f"channel {channel}"
        if channel in touch.stuck:
            items.append(Item("sensor", node, BAD, f"{where} reads {touch.stuck[channel]} with nothing there: stuck"))
        elif channel in touch.restless:
            items.append(Item("sensor", node, BAD, f"{where} never keeps still: a loose contact"))
        elif channel in late:
            under = _colour_list(answered[channel])
            why = "something lies on it, or its contact or a wire is loose"
            items.append(
                Item("sensor", node, BAD, f"{where} answered while nothing lay there (lights: {under}): {why}")
            )
        elif channel in by_lights:
            items.append(
                Item("sensor", node, UNPROVEN, f"{where} answered with the lights: {_colour_list(by_lights[channel])}")
            )
        else:
            noise = f", noise ±{touch.noise[channel]}" if board.kind == "level" else ""
            items.append(Item("sensor", node, UNPROVEN, f"quiet at rest ({where} reads {touch.rest[channel]}{noise})"))
    return items


def colour_items(board: BoardDescription, seen: Seen) -> list[Item]:
    """Return for each strip whether people saw the colours that were sent; nothing without lights or answers."""
    results = colour_results(board, seen)
    several = len(list(strips_of(board))) > 1
    return [
        Item(
            "board",
            f"colours on {strip.pin}" if several else "colours",
            BAD if wrong else OK,
            wrong or "red, green and blue were seen as they were sent",
        )
        for strip, wrong in results
    ]


def pixel_items(board: BoardDescription) -> list[Item]:
    """Return the pixels as unproven, because no program sees them; empty without lights."""
    if not board.lights.has_strips:
        return []
    return [
        Item("pixel", node, UNPROVEN, f"pixel {wiring.pixel} was sent red, green, blue and white; did all light up?")
        for node, wiring in board.nodes.items()
    ]


class StoneFindings:
    """What the stones of a check tell of each node, and what explains them together.

    A light that leads to no answer has two explanations, a sensor and a pixel. Asked for by its name, the sensor tells
    which. Where it was not asked, the order of the pixels decides: those before one that has led to an answer pass on
    its data, so a whole part's worth of them is not dark; those up to the end of the strip may be.
    """

    def __init__(self, board: BoardDescription, wizard: MapWizard) -> None:
        """Compare all records of a wizard with the order of the pixels."""
        self._board, self._wizard, self._diagnosis = board, wizard, BuildersDiagnosis(board)
        known, has_lights = wizard.learned.records, board.lights.has_strips
        self.by_light = {
            name: known[f"pixel {node.pixel}"]
            for name, node in board.nodes.items()
            if has_lights and f"pixel {node.pixel}" in known
        }
        """Node → the record of its light's step."""
        self.by_name = {
            name: known[key] for name in board.nodes if (key := f"node {wizard.learned.sensor_of(name)}") in known
        }
        """Node → the record of its name's step."""
        self.asks_black = wizard.learned.asks_black
        """Whether each node must feel a black stone, too."""
        self.by_black = {
            name: known[key]
            for name, node in board.nodes.items()
            for key in (f"pixel {node.pixel}{OF_BLACK}", f"node {wizard.learned.sensor_of(name)}{OF_BLACK}")
            if key in known
        }
        """Node → the record of its black stone."""
        pixels = {name: node.pixel for name, node in board.nodes.items()}
        silent = {name for name, record in self.by_light.items() if record.is_silent}
        self.dark = {name for name in silent if name in self.by_name and self.by_name[name].channel is not None}
        """Nodes at whose light nothing answered, whose sensors answer by their names."""
        unproven = silent - self.by_name.keys()
        self.runs: list[DarkRun] = []
        """Strips that get no data from some pixel on."""
        self.doubtful: dict[DarkRun, set[str]] = {}
        """Such strips of which no pixel was proved dark → their nodes, whose sensors may as well be dead."""
        answered = {pixels[name]: not record.is_silent for name, record in self.by_light.items()}
        for run in dark_runs(board, answered):
            nodes = {name for name in silent if pixels[name] in run.pixels}
            if nodes & self.dark:
                self.runs.append(run)
            elif len(nodes & unproven) > 1:
                self.doubtful[run] = nodes & unproven

    def record(self, node: str) -> Record | None:
        """Return what tells most of a node's sensor: its name's record, else its light's."""
        return self.by_name.get(node, self.by_light.get(node))

    def is_doubtful(self, node: str) -> bool:
        """Return whether nobody knows if a node's sensor or its pixel is at fault."""
        return any(node in nodes for nodes in self.doubtful.values())

    def causes(self) -> list[str]:
        """Return what explains many findings at once: a cut strip, a part that never answers, exchanged wires."""
        found, nodes = self._diagnosis, self._board.nodes
        records = {nodes[name].channel: record for name in nodes if (record := self.record(name)) is not None}
        names = self._board.sensor_names()  # Of a well all nine, where they were asked for.
        known = self._wizard.learned.records
        records |= {channel: known[f"node {name}"] for name, channel in names.items() if f"node {name}" in known}
        doubtful = {nodes[name].channel for several in self.doubtful.values() for name in several}
        half = {nodes[name].channel for name, record in self.by_black.items() if record.channel is not None}
        dead = {channel for channel, record in records.items() if record.channel is None} - half
        seen = {channel: record.channel for channel, record in records.items() if record.channel is not None}
        if self._wizard.is_silent:
            return [self._silence()]
        words = [str(run.words) for run in self.runs] + [found.failing(dead - doubtful)[0]]
        for run, several in self.doubtful.items():
            own = {nodes[name].channel for name in several}
            part, explained = found.failing(own | dead - doubtful)
            words.append(run.or_else(part if own <= explained else ""))
        return [one for one in (*words, found.exchange_words(seen)) if one]

    def _silence(self) -> str:
        """Return what explains that nothing has answered; without a stone on a named node it may be the lights."""
        words = self._diagnosis.failing(range(self._board.channels))[0]
        if self.by_name or not self.by_light:
            return words
        dark = dark_run(self._board, self._board.nodes[next(iter(self.by_light))].pixel)
        return words if dark is None else dark.or_else(words)


def stone_items(board: BoardDescription, wizard: MapWizard) -> list[Item]:
    """Return the results with stones: whether each pixel is at its node, and the node's (middle) sensor answers."""
    owners = {channel: board.sensor_words(channel) for channel in board.sensors()}
    found = StoneFindings(board, wizard)
    sensors, pixels = [], []
    for node, wiring in board.nodes.items():
        record, asked = found.record(node), "at its name" if node in found.by_name else "where its pixel is lit"
        text, pixel = f"channel {wiring.channel} felt its stone", f"pixel {wiring.pixel} led the stone there"
        state = lit = OK
        if record is None:
            state = lit = UNPROVEN
            text = pixel = "not asked any more"
        elif record.channel is None:
            state, lit, text = BAD, UNPROVEN, f"channel {wiring.channel}: {record.why}"
            pixel = f"pixel {wiring.pixel}: no sensor answered there"
            black = found.by_black.get(node)
            if black is not None and black.channel is not None:
                text = f"{text} with a white stone, only with a black one: look at its switch for north"
            if found.is_doubtful(node):
                state, text = UNPROVEN, f"{text}, and its pixel may be dark"
        elif record.channel != wiring.channel:
            other = owners.get(record.channel, "nobody")
            state = lit = BAD
            text = f"channel {record.channel} ({other}'s) answered {asked}, expected {wiring.channel}"
            pixel = f"pixel {wiring.pixel} is lit at {other}, or the sensors are swapped: lodestone hardware map"
        elif record.why:
            state, text = BAD, record.why
        if node in found.dark:
            run = next((run for run in found.runs if wiring.pixel in run.pixels), None)
            lit = BAD if run is None else UNPROVEN
            pixel = f"pixel {wiring.pixel} led to no answer, but a sensor answers there: it is dark, or lit elsewhere"
            if run is not None:  # One fault is one bad part: nobody knows of those behind it.
                pixel = f"pixel {wiring.pixel} gets no data, as all from {run.pixels[0]} on"
        sensors.append(Item("sensor", owners[wiring.channel], state, text))
        if board.kind == "polarity":
            state, text = _of_black(wiring.channel, found.by_black.get(node), owners)
            sensors.append(Item("sensor", f"{owners[wiring.channel]}, south", state, text))
        pixels.append(Item("pixel", node, lit, pixel))
    return sensors + pixels


def _of_black(channel: int, record: Record | None, owners: Mapping[int, str]) -> tuple[str, str]:
    """Return the state of the half of a sensor that feels south, and why."""
    if record is None:
        return UNPROVEN, f"channel {channel} was not tried with a black stone"
    if record.channel is None:
        return BAD, f"channel {channel} with a black stone: {record.why}"
    if record.channel != channel:
        other = owners.get(record.channel, "nobody")
        return BAD, f"channel {record.channel} ({other}'s) answered for a black stone, expected {channel}"
    return (BAD, record.why) if record.why else (OK, f"channel {channel} felt a black stone")


def wiring_items(board: BoardDescription, wizard: MapWizard) -> list[Item]:
    """Return what explains many findings with stones at once."""
    mistakes = StoneFindings(board, wizard).causes()
    return [
        Item("board", "wiring" if len(mistakes) == 1 else f"wiring {at + 1}", BAD, one)
        for at, one in enumerate(mistakes)
    ]


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

    def tell_now(line: str) -> None:
        print(line, file=sys.stderr if as_json else sys.stdout, flush=True)

    if stones and not board.description.lights.has_strips:
        raise Refused("--stones: this board has no lights to lead stones by: lodestone hardware map names the places")
    try:
        items = _look(board, tell_now)
        items += colour_items(
            board.description, ask_colours(board, tell_now, Keyboard() if sys.stdin.isatty() else None)
        )
        if stones:
            items += _ask(board, tell_now, patience, to_errors=as_json)
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


def _look(board: Opened, tell_now: Print) -> list[Item]:
    """Show all colours while the empty board is watched; return the findings."""
    description, parts = board.description, board.parts
    look = ", and look at the lights (red, green, blue, white)" if description.lights.has_strips else ""
    tell_now(f"Checking {description.name}: take everything off the board{look}.")
    wizard, period, shown = LookWizard(description), 1.0 / description.scan_hz, None
    while not wizard.is_done:
        wizard.feed(parts.sensors.scan(), time.monotonic())
        if wizard.colour != shown:
            shown = wizard.colour
            parts.strip.show([shown] * parts.strip.length)
        time.sleep(period)
    line = line_items(line_of(parts.sensors))
    return [
        *line,
        *configuration_items(configuration_of(parts.sensors)),
        *computer_items(description),
        *pin_items(description),
        *rest_items(description, wizard.touch),
        *pixel_items(description),
    ]


def ask_colours(board: Opened, tell_now: Print, keys: Keyboard | None) -> Seen:
    """Return the answers of who looks: a person with a keyboard, or the simulated eyes. None where nobody looks."""
    wizard, eyes = ColourWizard(board.description), board.parts.eyes if board.helped else None
    if keys is None and eyes is None:
        return {}
    shown = None
    while not wizard.is_done:
        if wizard.step != shown:
            shown = wizard.step
            board.parts.strip.show(list(wizard.lights.values()))
            tell_now(wizard.question)
        answer: str | None = None
        if eyes is not None:
            answer = nearest(eyes(wizard.pixels))
        elif keys is not None:
            answer = keys.line(ANSWER_S)
        if answer is not None and not wizard.say(answer):
            tell_now(wizard.question)
    board.parts.strip.show([OFF] * board.parts.strip.length)
    return wizard.seen


def nearest(colour: Colour) -> str:
    """Return the answer of who sees this colour."""
    strongest = max(zip(colour, COLOURS, strict=True))
    return strongest[1] if strongest[0] else DARK


def _ask(board: Opened, tell_now: Print, patience: Patience, *, to_errors: bool) -> list[Item]:
    """Ask for a stone at each lit pixel, whose node's sensor must answer; return the findings."""
    description = board.description
    wizard = stones_wizard(description, patience)
    tell_now(HELP)
    Front(board, out=sys.stderr if to_errors else sys.stdout).run(wizard)
    return [*wiring_items(description, wizard), *stone_items(description, wizard)]

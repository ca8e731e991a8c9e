"""The report of a check, as text with one line per part, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from firmware_host.hardware.map_wizard import MapWizard
from firmware_host.hardware.touch import Touch
from firmware_host.sensing.health import groups, wire_words
from hw import pi
from hw.neopixel_strip import PWM_PINS
from hw.pins import listed
from hw.ports import BoardDescription, LineCount

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
class Report:
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
        pins = listed(board.pins, name)
        for index, pin in enumerate(pins):
            label = f"{name}[{index}]" if len(pins) > 1 else name
            items.append(Item("pin", label, OK, f"BCM {pin} could be set up"))
    for strip in board.lights.strips if board.lights.wired else ():
        sound = pi.analogue_sound() if strip.over == "gpio" and strip.pin in PWM_PINS and board.backend != "sim" else ""
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


def rest_items(board: BoardDescription, touch: Touch) -> list[Item]:
    """Return the results on the empty board: stuck and restless sensors, and parts whose sensors all fail."""
    bad = set(touch.stuck) | touch.restless
    items = []
    for words, channels, look in _parts(board):
        if len(channels) > 1 and bad.issuperset(channels):
            items.append(Item("board", words, BAD, f"every sensor of it is stuck or restless: look at {look}"))
            break  # Smaller parts fail with it.
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


def _parts(board: BoardDescription) -> list[tuple[str, Sequence[int], str]]:
    """Return (name, channels, place to check) of each part on which several channels depend, the whole board first."""
    whole = ("the whole board", tuple(board.sensors()), wire_words(board))
    return [whole, *((group.name, group.channels, "its supply, ground and wires") for group in groups(board))]


def pixel_items(board: BoardDescription) -> list[Item]:
    """Return the pixels as unproven, because no program sees them; empty without lights."""
    if not board.lights.wired:
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


def merged(items: Sequence[Item]) -> list[Item]:
    """Return one item per part: the first bad one, else the last."""
    found: dict[tuple[str, str, str], Item] = {}
    for item in items:
        key = (item.part, item.name, item.text if item.part == "pin" else "")
        known = found.get(key)
        if known is None or known.state != BAD:
            found[key] = item
    return list(found.values())


def failed(board: BoardDescription, why: str) -> Report:
    """Return the report of a board that can't be opened or read."""
    return Report(board, [Item("board", board.name, BAD, why)])

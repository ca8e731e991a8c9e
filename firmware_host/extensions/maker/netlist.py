"""The whole circuit of a board: its scheme's sensors, the Pi's header, level shifter, pixels and power."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from firmware_host.extensions.maker.budget import SHIFTER_MA, PowerBudget, budget
from firmware_host.link.supplies import PI_MA, USB, sensors_circuit
from hw.circuit import (
    CAPACITOR,
    DECOUPLING,
    FUSE,
    GROUND,
    OPEN,
    RESISTOR,
    V5,
    V5_PI,
    V33,
    Block,
    Circuit,
    Pin,
    Pole,
    decoupling,
    pin_net,
)
from hw.lights import STRIPS
from hw.pins import HEADER, SPI_PINS, pin_list
from hw.ports import BoardDescription, StripWiring
from hw.registry import scheme_of
from hw.scheme import PIN_MA

SUPPLY, SUPPLY_OF = "5 V in", "supply of"
"""The net before the fuse, and how the name of the board's own supply begins."""
GROUND_PINS = (6, 9, 14, 20, 25, 30, 34, 39)
"""Pins of the header that are ground, the one first that a board's wiring names."""
POLARISED = frozenset({"10u", "1000u"})
"""Values of the capacitors that have a plus, which is at ``one``; exchanged they burst."""
USB_MA = 500.0
"""What a USB port gives to one device (USB 2.0)."""
FEEDS = (
    Pin("USB", "USB", USB, gives_ma=USB_MA),
    Pin("1", "3.3 V", V33, gives_ma=PIN_MA),
    Pin("2", "5 V", V5_PI, gives_ma=PI_MA),
)
"""The pins by which a Pi feeds others."""
CONNECTOR = "lever connector for 2 wires"
"""Joins two wires of 0.14 to 4 mm², up to 32 A (WAGO 221-412)."""
SHIFTERS = ((1, 2, 3), (4, 5, 6), (10, 9, 8), (13, 12, 11))
"""Pins of the four gates of a 74AHCT125: enable (active low), input and output."""


def circuit_of(board: BoardDescription) -> Circuit:
    """Return the circuit of a board, with the Pi first and power last. Raise HardwareError where no supply suffices."""
    circuit, found = sensors_circuit(board), budget(board)
    if board.lights.has_strips:
        circuit += _lights(board, found)
    if V5 in circuit.nets:
        circuit += _supply(found)
    return Circuit((_pi(board, circuit),)) + circuit


def _pi(board: BoardDescription, circuit: Circuit) -> Block:
    scheme, nets = scheme_of(board), circuit.nets
    used: dict[str, int] = {}
    for name, value in board.pins.items():
        for index, gpio in enumerate(pin_list(board.pins, name)):
            used[pin_net(name, None if isinstance(value, int) else index)] = gpio
    used |= {net: gpio for net, gpio in (scheme.bus_pins(board.options) | _selects()).items() if net in nets}
    signals = [Pin(str(HEADER[gpio]), f"GPIO {gpio}", net) for net, gpio in used.items()]
    data = [Pin(str(HEADER[line.gpio]), f"GPIO {line.gpio}", line.net) for line in strip_lines(board)]
    feeds = [pin for pin in FEEDS if pin.net in nets]
    ground = [Pin(str(GROUND_PINS[0]), "ground", GROUND)] if GROUND in nets else []
    return Block("computer", "Raspberry Pi", tuple(signals), (*feeds, *ground, *data))


@dataclass(frozen=True)
class StripLine:
    """A line from the Pi through the level shifter to a strip."""

    strip: int
    """Number of the strip, from 1."""
    what: str
    """``data`` or ``clock``."""
    end: str
    """The input of the first pixel: ``DIN``."""
    gpio: int

    @property
    def net(self) -> str:
        """The net before the level shifter."""
        return f"strip {self.strip} {self.what}, 3.3 V"


def strip_lines(board: BoardDescription) -> list[StripLine]:
    """Return the lines to all strips of a board, in the order of the level shifter's gates."""
    if not board.lights.has_strips:
        return []
    schemes = [(number, strip, STRIPS.get(strip.scheme)) for number, strip in enumerate(board.lights.strips, 1)]
    return [
        StripLine(number, what, scheme.inputs[what], gpio)
        for number, strip, scheme in schemes
        for what, gpio in scheme.lines(strip).items()
    ]


def _selects() -> dict[str, int]:
    """Return net → GPIO of all chip selects, because a scheme with two converters uses both."""
    return {
        f"SPI {bus}'s {what}": gpio for bus, pins in SPI_PINS.items() for what, gpio in pins.items() if "select" in what
    }


def _lights(board: BoardDescription, found: PowerBudget) -> Circuit:
    """Return the level shifter, the pixels and their feeds."""
    lines = strip_lines(board)
    left: list[Pin] = []
    right = [Pin("14", "VCC", V5, takes_ma=SHIFTER_MA), Pin("7", "GND", GROUND)]
    poles = [decoupling("level shifter", V5)] if lines else []
    for at, (enable, data, out) in enumerate(SHIFTERS):
        line = lines[at] if at < len(lines) else None
        left.append(Pin(str(data), f"{at + 1}A", line.net if line else GROUND))
        left.append(Pin(str(enable), f"{at + 1}OE", GROUND if line else V5))
        right.append(Pin(str(out), f"{at + 1}Y", f"{line.what} {line.strip}, 5 V" if line else OPEN))
    blocks = [Block("level shifter", "74AHCT125", tuple(left), tuple(right))] if lines else []
    begin, takes = 0, found.lights_ma / found.pixels  # The limit is of all strips together.
    for at, strip in enumerate(board.lights.strips, 1):
        group, own = f"strip {at}: {strip.length} pixels", [line for line in lines if line.strip == at]
        fed_by = {line.what: f"strip {at} {line.end}" for line in own}
        if driver := STRIPS.get(strip.scheme).controller:
            fed_by = {"data": f"{driver}'s data {at}"}
            pins = (Pin("", "5 V", V5), Pin("", "GND", GROUND), Pin("", "data", fed_by["data"]))
            blocks.append(Block(f"{driver} {strip.pin}", driver, pins, ()))
        pixels = _pixels(board, strip, begin, fed_by, takes)
        begin += strip.length
        blocks += [replace(one, group=group) for one in pixels]
        blocks += _feeds(at, found.feeds)
        poles += [Pole(RESISTOR, "330R", f"strip {at} {line.end}", f"{line.what} {at}, 5 V") for line in own]
        poles.append(Pole(CAPACITOR, "1000u", V5, GROUND, at=group))
        poles += [Pole(CAPACITOR, DECOUPLING, V5, GROUND, at=one.name) for one in pixels]
    return Circuit(tuple(blocks), tuple(poles))


def pixel_block(name: str) -> str:
    """Return the name of the block of a node's pixel."""
    return f"pixel {name}"


def _pixels(
    board: BoardDescription, strip: StripWiring, begin: int, fed_by: Mapping[str, str], takes_ma: float
) -> list[Block]:
    """Return the pixels of a strip, each handing its lines on to the next one."""
    scheme = STRIPS.get(strip.scheme)
    legs = scheme.legs
    names = {node.pixel: node.name for node in board.nodes.values()}
    numbers = range(begin, begin + strip.length)
    found = []
    for number in numbers:
        left = [Pin(legs.get("VDD", ""), "VDD", V5, takes_ma=takes_ma), Pin(legs.get("GND", ""), "GND", GROUND)]
        right = []
        for what, first in fed_by.items():
            into, out = scheme.inputs.get(what, "DIN"), scheme.outputs.get(what, f"{what} out")
            net = first if number == begin else f"{what} to pixel {number}"
            left.append(Pin(legs.get(into, ""), into, net))
            goes = OPEN if number == numbers[-1] else f"{what} to pixel {number + 1}"
            right.append(Pin(legs.get(out, ""), out, goes))
        name = names.get(number, f"number {number}, under no node")
        found.append(Block(pixel_block(name), f"{scheme.part}, {strip.order}", tuple(left), tuple(right)))
    return found


def _feeds(strip: int, feeds: int) -> list[Block]:
    """Return the connectors by which the 5 V enter a strip: a part for plus, and one for ground, at each feed."""
    return [
        Block(f"feed {feed} of strip {strip}, {what}", CONNECTOR, (Pin("1", "", net),), (Pin("2", "", net),))
        for feed in range(1, feeds + 1)
        for what, net in (("5 V", V5), ("ground", GROUND))
    ]


def _supply(found: PowerBudget) -> Circuit:
    """Return the board's own 5 V supply with its fuse."""
    plus = Pin("", "+", SUPPLY, gives_ma=1000 * found.supply_a)
    block = Block(f"{SUPPLY_OF} {found.feeds_what}", f"5 V, {found.supply_a:g} A", (plus, Pin("", "-", GROUND)), ())
    fuse = Pole(FUSE, f"{found.fuse.amperes:g} A ({found.fuse.kind})", SUPPLY, V5, gives_ma=1000 * found.fuse.amperes)
    return Circuit((block,), (fuse,))

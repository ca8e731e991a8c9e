"""The whole circuit of a board: its scheme's sensors, the Pi's header, level shifter, pixels and power."""

from __future__ import annotations

from dataclasses import dataclass

from hw.budget import SHIFTER_MA, PowerBudget, budget
from hw.circuit import (
    CAPACITOR,
    DECOUPLING,
    FUSE,
    GROUND,
    OPEN,
    RESISTOR,
    USB,
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
from hw.ports import BoardDescription
from hw.registry import scheme_of, sensors_circuit
from hw.regulator import PI_MA
from hw.scheme import PIN_MA

SUPPLY = "5 V in"
USB_MA = 500.0
"""What a USB port gives to one device (USB 2.0)."""
FEEDS = (
    Pin("USB", "USB", USB, gives_ma=USB_MA),
    Pin("1", "3.3 V", V33, gives_ma=PIN_MA),
    Pin("2", "5 V", V5_PI, gives_ma=PI_MA),
)
"""The pins by which a Pi feeds others."""
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
    ground = [Pin("6", "ground", GROUND)] if GROUND in nets else []
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
    """Return the level shifter and the strips."""
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
    for at, strip in enumerate(board.lights.strips, 1):
        name = f"strip {at}: {strip.length} pixels"
        takes = found.lights_ma * strip.length / found.pixels  # The limit is of all strips together.
        own, driver = [line for line in lines if line.strip == at], STRIPS.get(strip.scheme).controller
        inputs = tuple(Pin("", line.end, f"strip {at} {line.end}") for line in own)
        if driver:
            inputs = (Pin("", "DIN", f"{driver}'s data {at}"),)
            pins = (Pin("", "5 V", V5), Pin("", "GND", GROUND), Pin("", "data", f"{driver}'s data {at}"))
            blocks.append(Block(f"{driver} {strip.pin}", driver, pins, ()))
        feed = (Pin("", "5 V", V5, takes_ma=takes), Pin("", "GND", GROUND))
        blocks.append(Block(name, f"{STRIPS.get(strip.scheme).part}, {strip.order}", inputs + feed, ()))
        poles += [Pole(RESISTOR, "330R", f"strip {at} {line.end}", f"{line.what} {at}, 5 V") for line in own]
        poles.append(Pole(CAPACITOR, "1000u", V5, GROUND, at=name))
        poles.append(Pole(CAPACITOR, f"{strip.length} x {DECOUPLING}", V5, GROUND, at=name))
    return Circuit(tuple(blocks), tuple(poles))


def _supply(found: PowerBudget) -> Circuit:
    """Return the board's own 5 V supply with its fuse."""
    plus = Pin("", "+", SUPPLY, gives_ma=1000 * found.supply_a)
    block = Block(f"supply of {found.feeds_what}", f"5 V, {found.supply_a:g} A", (plus, Pin("", "-", GROUND)), ())
    fuse = Pole(FUSE, f"{found.fuse.amperes:g} A", SUPPLY, V5, gives_ma=1000 * found.fuse.amperes)
    return Circuit((block,), (fuse,))

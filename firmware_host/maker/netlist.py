"""The whole circuit of a board: its scheme's sensors, the Pi's header, level shifter, pixels and power."""

from __future__ import annotations

import re

from firmware_host.maker.power import budget
from firmware_host.maker.wiring import SHIFTERS
from hw.circuit import (
    CAPACITOR,
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
from hw.pins import HEADER, SPI_PINS, listed
from hw.ports import BoardDescription
from hw.registry import scheme_of

SUPPLY = "5 V in"


def circuit_of(board: BoardDescription) -> Circuit:
    """Return the circuit of a board, with the Pi first and power last."""
    sensors = scheme_of(board).circuit(board)
    return Circuit((_pi(board, sensors),)) + sensors + (_lights(board) if board.lights.wired else Circuit())


def _pi(board: BoardDescription, sensors: Circuit) -> Block:
    scheme = scheme_of(board)
    used: dict[str, int] = {}
    for name, value in board.pins.items():
        for index, gpio in enumerate(listed(board.pins, name)):
            used[pin_net(name, None if isinstance(value, int) else index)] = gpio
    nets = sensors.nets
    used |= {net: gpio for net, gpio in (scheme.bus_pins(board.options) | _selects()).items() if net in nets}
    signals = [Pin(str(HEADER[gpio]), f"GPIO {gpio}", net) for net, gpio in used.items()]
    data = [
        Pin(str(HEADER[int(strip.pin[1:])]), f"GPIO {strip.pin[1:]}", f"strip {at} data, 3.3 V")
        for at, strip in enumerate(board.lights.strips if board.lights.wired else (), 1)
    ]
    feeds = [Pin("USB", "USB", USB)] if USB in nets else []
    if (header := scheme.supply(board.options).header) is not None:
        number, name, _ = header
        feeds += [Pin(str(number), name, net) for net in (V33, V5_PI) if net in nets and net.endswith(name)]
    return Block("computer", "Raspberry Pi", tuple(signals), (*feeds, Pin("6", "GND", GROUND), *data))


def _selects() -> dict[str, int]:
    """Return net → GPIO of all chip selects, because a scheme with two converters uses both."""
    return {
        f"SPI {bus}'s {what}": gpio for bus, pins in SPI_PINS.items() for what, gpio in pins.items() if "select" in what
    }


def _lights(board: BoardDescription) -> Circuit:
    """Return the level shifter, the strips and their supply."""
    strips, found = board.lights.strips, budget(board)
    left: list[Pin] = []
    right = [Pin("14", "VCC", V5), Pin("7", "GND", GROUND)]
    blocks: list[Block] = []
    poles: list[Pole] = []
    for at, (enable, data, out) in enumerate(SHIFTERS, 1):
        wired = at <= len(strips)
        left.append(Pin(str(data), f"{at}A", f"strip {at} data, 3.3 V" if wired else GROUND))
        left.append(Pin(str(enable), f"{at}OE", GROUND if wired else V5))
        right.append(Pin(str(out), f"{at}Y", f"data {at}, 5 V" if wired else OPEN))
    blocks.append(Block("level shifter", "74AHCT125", tuple(left), tuple(right)))
    poles.append(decoupling("level shifter", V5))
    for at, strip in enumerate(strips, 1):
        name = f"strip {at}: {strip.length} pixels"
        pins = (Pin("", "DIN", f"strip {at} DIN"), Pin("", "5 V", V5), Pin("", "GND", GROUND))
        blocks.append(Block(name, f"WS2812B, {strip.order}", pins, ()))
        poles.append(Pole(RESISTOR, "330R", f"strip {at} DIN", f"data {at}, 5 V"))
        poles.append(Pole(CAPACITOR, "1000u", V5, GROUND, at=name))
    rated = f"5 V, {found.supply_a:g} A"
    blocks.append(Block("supply of the pixels", rated, (Pin("", "+", SUPPLY), Pin("", "-", GROUND)), ()))
    poles.append(Pole(FUSE, f"{found.fuse.amperes:g} A", SUPPLY, V5))
    return Circuit(tuple(blocks), tuple(poles))


def loose_ends(circuit: Circuit) -> list[str]:
    """Return the nets with only one pin or pole, which are faults of the circuit."""
    ends: dict[str, int] = {}
    pins = [pin.net for block in circuit.blocks for pin in block.pins]
    for net in (*pins, *(end for pole in circuit.poles for end in (pole.one, pole.other, pole.supply))):
        ends[net] = ends.get(net, 0) + 1
    return sorted(net for net, number in ends.items() if number < 2 and net != OPEN and not re.match("free", net))

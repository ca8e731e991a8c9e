"""What only whoever solders asks: legs that no sensor uses, wires that fork, what to measure before chips are in.

All of it follows from the circuit.

- Each leg of each chip is on one page: what stays free, and what hangs on unused inputs.
- The connectors at each feed of a strip join two wires. Where one wire comes and several go on there are connectors for
  five; each further one is joined to the one before by a wire of its own.
- What to measure is which nets are supplies, which legs of which chips they feed, which chips answer on a bus.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from firmware_host.extensions.maker.budget import SIGNAL_MM2, budget, rail_mm2
from firmware_host.extensions.maker.designators import names_by_part, names_of, spans
from firmware_host.extensions.maker.kicad import LEGS
from firmware_host.extensions.maker.netlist import CONNECTOR, GROUND_PINS, POLARISED, SUPPLY_OF
from firmware_host.link.supplies import CHARGER, USB, load_ma, sensors_circuit
from firmware_host.link.supplies import NAME as REGULATOR
from hw.circuit import CAPACITOR, FUSE, GROUND, HALL, OPEN, SUPPLIES, V5, V33_OWN, VOLTS, Block, Circuit
from hw.pins import number
from hw.ports import BoardDescription
from hw.registry import scheme_of

# -- legs of chips -----------------------------------------------------------------------------------------------------


LEGS_NOTES = (
    "Pin 1 of a chip is at its dot. Where it has a notch and no dot, hold it with the notch up: pin 1 is the upper "
    "left one. Pins are counted down the left side, then up the right side. Seen from below left is right: write the "
    "numbers of the corners beside each chip before you turn the board."
)
LEGS_HEADS = ("chip", "name", "its other legs")


def chips_of(board: BoardDescription) -> list[Block]:
    """Return the chips that read a board's sensors: no regulator, and no microcontroller with a table of its own."""
    own = scheme_of(board).own_pins(board)
    apart = {REGULATOR} if own is None else {REGULATOR, own.title}
    return [block for block in sensors_circuit(board).blocks if not apart & {block.name, block.part}]


def legs_rows(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, str]]:
    """Yield one row per chip: what the wiring calls it, its name on all papers, and the legs that lead nowhere else."""
    names, named = names_of(circuit), names_by_part(circuit)
    poles = [(named[id(pole)], pole) for pole in circuit.poles]
    used = Counter(pin.net for block in circuit.blocks for pin in block.pins)
    sensed = {end for _, pole in poles if pole.name for end in (pole.one, pole.other)}
    for chip in chips_of(board):
        free = [f"{pin.number} ({pin.name})" for pin in chip.pins if pin.number and pin.net == OPEN]
        alone = {pin.net: pin for pin in chip.pins if used[pin.net] == 1 and pin.net not in sensed}
        pulled = [
            f"{alone[pole.one].number} ({alone[pole.one].name}): {name} to {pole.other}"
            for name, pole in poles
            if pole.one in alone and not pole.at and alone[pole.one].number
        ]
        words = [", ".join(pulled), f"{', '.join(free)}: nothing" if free else ""]
        yield chip.name, names[chip.name], "; ".join(one for one in words if one) or "none"


# -- 5 V and ground ----------------------------------------------------------------------------------------------------


PLACES = 5
FORK = f"lever connector for {PLACES} wires"
"""Joins wires of 0.14 to 4 mm², up to 32 A (WAGO 221-415)."""
FEED_HEADS = ("from", "to", "wire")
FEED_NOTES = (
    f"A fork is a lever connector for {PLACES} wires, or several: one place of each is joined to one of the next. "
    "Behind the fuse no wire may be thinner, as each bears what the fuse holds."
)


def forks(board: BoardDescription, circuit: Circuit) -> int:
    """Return how many connectors all forks have together; 0 for a board without a supply of its own."""
    # The first has a place for the wire that comes; each further one takes two places for its joint to the one before.
    return sum(max(1, math.ceil((len(ends) - 1) / (PLACES - 2))) for _, _, ends in _ends(board, circuit))


def feed_rows(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, str]]:
    """Yield one row per wire: where it begins, where it ends, and its cross-section."""
    names = names_by_part(circuit)
    for net, source, ends in _ends(board, circuit):
        yield source, f"the fork of {net}", f"{budget(board).wire_mm2:g} mm²"
        yield from ((f"the fork of {net}", end, f"{mm2:g} mm²") for end, mm2 in ends)
    for pole in circuit.poles:
        if pole.kind == CAPACITOR and pole.value in POLARISED and pole.one == V5 and pole.at.startswith("strip"):
            pixel = f"{pole.at.partition(':')[0]}'s first pixel"
            yield f"{names[id(pole)]}, plus", f"5 V of {pixel}; its minus to ground there", "its legs"


def _ends(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, list[tuple[str, float]]]]:
    """Yield each net that forks, where its wire comes from, and where those of its fork end, with their mm²."""
    if V5 not in circuit.nets:
        return
    names = names_by_part(circuit)
    (supply,) = (names[id(block)] for block in circuit.blocks if block.name.startswith(SUPPLY_OF))
    (fuse,) = (names[id(pole)] for pole in circuit.poles if pole.kind == FUSE)
    thick = budget(board).wire_mm2
    fed = [block for block in circuit.blocks if not block.group and any(pin.net == V5 for pin in block.pins)]
    grounded = [one for one in circuit.blocks if one in fed or one.part == CONNECTOR]
    plus, minus = (
        [(end, thick) for block in blocks if (end := _end(block, net, names[id(block)]))]
        for net, blocks in ((V5, fed), (GROUND, grounded))
    )
    minus.append((f"the Pi, pin {GROUND_PINS[0]}", SIGNAL_MM2))
    own = sensors_circuit(board)
    if GROUND in own.nets and not {USB, CHARGER} & own.nets:
        rail = rail_mm2(load_ma(own, V33_OWN)) if V33_OWN in own.nets else SIGNAL_MM2
        minus.append(("the ground of chips and sensors", rail))
    yield V5, f"{supply}, +, through {fuse} in its holder", plus
    yield GROUND, f"{supply}, -", minus


def _end(block: Block, net: str, name: str) -> str:
    """Return where a wire of a net ends at a part: its name, and the leg that is fed; empty where it has none."""
    if block.part == CONNECTOR:
        return name if block.pins[0].net == net else ""
    pins = [pin for pin in block.pins if pin.net == net]
    fed = next((pin for pin in pins if pin.takes_ma), pins[-1] if pins else None)
    if fed is None:
        return ""
    leg = f"pin {fed.number} ({fed.name})" if fed.number else fed.name
    return f"{name} ({block.name}), {leg}"


# -- what to measure ---------------------------------------------------------------------------------------------------


RETURN = re.compile("GND|VSS|ground")
"""Names of legs that lead a part's current back."""
MEASURE_HEADS = ("when", "measure", "right is")
DEAD = "nothing is on, chips not in their sockets"
FED = "supplies and Pi on, chips not in their sockets"
RUNNING = "chips in, Pi started"
SHORT = "no short: a tester does not beep, or only for a moment"
MEASURE_NOTES = (
    "In this order. Where something is not right switch all off, look for solder between neighbours and for a part the "
    "wrong way round, and measure again. Chips go in and out only while all is off. All voltages may be a twentieth "
    "less or more."
)


def measure_rows(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, str]]:
    """Yield one row per measurement, in the order of work."""
    present = [net for net in SUPPLIES if net != GROUND and net in circuit.nets]
    for at, net in enumerate(present):
        yield DEAD, f"{net} and ground", SHORT
        for other in present[at + 1 :]:
            yield DEAD, f"{net} and {other}", SHORT
    for net in dict.fromkeys(pole.supply for pole in circuit.poles if pole.kind == HALL):
        legs = f"leg {LEGS['VCC']} of each hall part and {net}, leg {LEGS['GND']} and ground"
        yield DEAD, legs, "joined: a tester beeps"
    for net in present:
        for places in _fed(circuit, net):
            yield FED, places, f"{VOLTS[net]:g} V"
    addresses = _addresses(board, circuit)
    if addresses:
        bus = number(board.options, "i2c_bus")
        yield RUNNING, f"`sudo apt install i2c-tools`, then `i2cdetect -y {bus}`", f"it shows {' '.join(addresses)}"
    yield RUNNING, "`lodestone hardware check --board my-board.toml`", f"its last line: `{board.name}: nothing is bad`"


def _fed(circuit: Circuit, net: str) -> Iterator[str]:
    """Yield where a supply can be measured: the legs of alike chips in one row, and the connectors of the pixels."""
    names = names_by_part(circuit)
    alike: dict[tuple[str, str], list[str]] = {}
    for block in circuit.blocks:
        legs = None if block.group or block.part == CONNECTOR else _legs(block, net)
        if legs:
            alike.setdefault((block.part, legs), []).append(names[id(block)])
    for (part, legs), own in alike.items():
        yield f"{part} ({spans(own)}): {legs}"
    feeds = [names[id(one)] for one in circuit.blocks if one.part == CONNECTOR]
    if net == V5 and feeds:
        yield f"{feeds[0]} to {feeds[1]}" + (", and so at each feed" if len(feeds) > 2 else "")


def _legs(block: Block, net: str) -> str:
    """Return the legs between which a supply is measured; empty where a part has none of it."""
    grounds = [pin for pin in block.pins if pin.net == GROUND and pin.number]
    # Of several legs at ground the one that carries the current, not an enable or an address.
    ground = next((pin for pin in grounds if RETURN.search(pin.name)), grounds[0] if grounds else None)
    pins = [pin for pin in block.pins if pin.net == net and pin.number]
    fed = next((pin for pin in pins if pin.takes_ma or pin.gives_ma), None)
    if ground is None or fed is None:
        return ""
    return f"pin {fed.number} to pin {ground.number}"


def _addresses(board: BoardDescription, circuit: Circuit) -> list[str]:
    """Return the addresses of all chips on the I2C bus, as ``i2cdetect`` prints them."""
    first = board.options.get("address")
    if not isinstance(first, int) or "i2c_bus" not in board.options:
        return []
    data = f"I2C {number(board.options, 'i2c_bus')}'s SDA"
    chips = [one for one in circuit.blocks[1:] if any(pin.net == data and pin.name == "SDA" for pin in one.pins)]
    return [f"{first + at:02x}" for at in range(len(chips))]

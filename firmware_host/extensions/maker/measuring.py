"""What to measure before a board's chips get their supply, and what then must be there: one list for each board.

It follows from the circuit: which nets are supplies, which legs of which chips they feed, which chips answer on a bus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from firmware_host.extensions.maker.designators import names_of, spans
from firmware_host.extensions.maker.kicad import LEGS
from firmware_host.extensions.maker.netlist import CONNECTOR
from hw.circuit import GROUND, HALL, SUPPLIES, V5, VOLTS, Block, Circuit
from hw.pins import number
from hw.ports import BoardDescription

RETURN = re.compile("GND|VSS|ground")
"""Names of legs that lead a part's current back."""
HEADS = ("when", "measure", "right is")
DEAD = "nothing is on, chips not in their sockets"
FED = "supplies and Pi on, chips not in their sockets"
RUNNING = "chips in, Pi started"
SHORT = "no short: a tester does not beep, or only for a moment"
NOTES = (
    "In this order. Where something is not right switch all off, look for solder between neighbours and for a part the "
    "wrong way round, and measure again. Chips go in and out only while all is off. All voltages may be a twentieth "
    "less or more."
)


def rows(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, str]]:
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
    names = dict(zip(map(id, circuit.parts), names_of(circuit).values(), strict=True))
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

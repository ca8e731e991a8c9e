"""A board's circuit for KiCad 8 and later: its parts with references, pins and footprints, and KiCad's own netlist.

The schematic is written by ``kicad_sheet.py``, printed circuit boards by
``kicad_board.py``, both from the boxes here: a box for each block and for each part with poles.
Nets have the circuit's names; where two differ in case only (``b3`` and ``B3``), KiCad warns, and one of them gets a
number.

Footprints are those of KiCad's own libraries, for the parts of the wiring tables: with legs, as they are soldered by
hand. A reed has those of a resistor of its size: legs bent 5 mm from its glass. What hangs on cables (a supply, a
connector between wires, a microcontroller without numbered legs) has none.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from firmware_host.extensions.maker.designators import names_of
from hw.circuit import DIODE, FUSE, GROUND, HALL, OPEN, RESISTOR, SUPPLIES, Block, Circuit, Pin, Pole
from hw.sensor_parts import LINEAR, PARTS, REED

POWER_IN, POWER_OUT, PASSIVE = "power_in", "power_out", "passive"
OPEN_COLLECTOR, OUTPUT = "open_collector", "output"
"""KiCad's types of pins. What a supply bears judges budget.py: KiCad knows no currents. A hall switch pulls its
output down only; one that drove it would fight the others of a line, and KiCad's rules say so."""
BLADE = "blade"
"""What tells a blade fuse from one of glass in its value."""
FOOTPRINTS: Mapping[str, str] = MappingProxyType(
    {
        "74HC165": "Package_DIP:DIP-16_W7.62mm",
        "74AHCT125": "Package_DIP:DIP-14_W7.62mm",
        "CD74HC4067": "Package_SO:SOIC-24W_7.5x15.4mm_P1.27mm",
        "MCP3008": "Package_DIP:DIP-16_W7.62mm",
        "MCP23017": "Package_DIP:DIP-28_W7.62mm",
        "PCF8575": "Package_SO:SOIC-24W_7.5x15.4mm_P1.27mm",
        "ADS1115": "Package_SO:VSSOP-10_3x3mm_P0.5mm",
        "LM1085IT-3.3": "Package_TO_SOT_THT:TO-220-3_Vertical",
        "Raspberry Pi": "Connector_PinHeader_2.54mm:PinHeader_2x20_P2.54mm_Vertical",
        **dict.fromkeys(
            ("Raspberry Pi Pico", "Raspberry Pi Pico W", "Raspberry Pi Pico 2", "Raspberry Pi Pico 2 W"),
            "Module:RaspberryPi_Pico_Common_THT",
        ),
        "WS2812B": "LED_SMD:LED_WS2812B_PLCC4_5.0x5.0mm_P3.2mm",
        FUSE: "Fuse:Fuseholder_Cylinder-5x20mm_Schurter_FPG4_Vertical_Closed",
        BLADE: "Fuse:Fuseholder_Blade_ATO_Littelfuse_Pudenz_2_Pin",
        REED: "Resistor_THT:R_Axial_DIN0411_L9.9mm_D3.6mm_P20.32mm_Horizontal",
        HALL: "Package_TO_SOT_THT:TO-92_Inline",
        RESISTOR: "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P10.16mm_Horizontal",
        "100n": "Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm",
        "10u": "Capacitor_THT:CP_Radial_Tantal_D5.5mm_P2.50mm",
        "1000u": "Capacitor_THT:CP_Radial_D10.0mm_P5.00mm",
        "1N4148": "Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal",
        "1N5817": "Diode_THT:D_DO-41_SOD81_P10.16mm_Horizontal",
    }
)
"""Part, value, or kind of a part with poles → its footprint."""
LEGS = MappingProxyType({"VCC": "1", "GND": "2", "OUT": "3"})
"""Pins of a hall sensor with legs (TO-92: LPG; data sheets of DRV5023, DRV5032, DRV5033, DRV5055)."""
PLACE = "Place"
"""KiCad's field with the place of a part: which chip, which node."""
MISSING = "install the libraries for KiCad's files: pip install 'lodestone-board[kicad]'"
SPACE = uuid.UUID("6f0b5a1e-53a5-4d0e-9a54-0c9f3a4c6a11")
"""Space of the identifiers, so that a board's files are the same each time."""


@dataclass(frozen=True)
class Box:
    """A part: its reference, value and footprint, and the pins on its left and right side."""

    reference: str
    value: str
    part: str
    """What names its symbol: ``74HC165``, ``resistor``."""
    place: str
    """Which of its kind it is: ``chip 1 of 6``, ``D12``."""
    footprint: str
    """``library:name``; empty for a part that lies elsewhere."""
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins, left side first."""
        return self.left + self.right


def boxes(
    circuit: Circuit,
    footprints: Mapping[str, str] = FOOTPRINTS,
    legs: Mapping[str, str] = LEGS,
    known: Mapping[str, str] | None = None,
) -> list[Box]:
    """Return all parts of a circuit, with their names on all papers, and pins that have unique numbers.

    ``known`` are names that parts have elsewhere (:func:`~firmware_host.extensions.maker.designators.names_of`).
    """
    names = list(names_of(circuit, known).values())
    found = []
    for name, block in zip(names, circuit.blocks, strict=False):
        where = footprints.get(block.part.partition(",")[0], "")
        whole = where if all(pin.number.isdigit() for pin in block.pins) else ""
        found.append(Box(name, block.part, block.part, block.name, whole, *_number_pins(block)))
    for name, pole in zip(names[len(circuit.blocks) :], circuit.poles, strict=True):
        where = footprints.get(pole.value) or footprints.get(pole.kind, "")
        if pole.kind == FUSE and BLADE in pole.value:
            where = footprints[BLADE]
        found.append(Box(name, pole.value, pole.part or pole.kind, pole.place, where, *_poles(pole, legs)))
    return found


def _number_pins(block: Block) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
    """Return both sides of a block, where a pin without a number (or with a second one's) gets ``P1``, ``P2`` …."""
    taken: set[str] = set()
    pins = []
    for at, pin in enumerate(block.pins, 1):
        number = pin.number if pin.number and pin.number not in taken else f"P{at}"
        taken.add(number)
        pins.append(replace(pin, number=number))
    return tuple(pins[: len(block.left)]), tuple(pins[len(block.left) :])


def _poles(pole: Pole, legs: Mapping[str, str]) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
    if pole.kind == HALL:
        supply = Pin(legs["VCC"], "VCC", pole.supply, takes_ma=pole.takes_ma)
        return (Pin(legs["OUT"], "OUT", pole.one),), (Pin(legs["GND"], "GND", pole.other), supply)
    # KiCad's diodes have the cathode at pin 1.
    first, second = ("2", "1") if pole.kind == DIODE else ("1", "2")
    names = ("A", "K") if pole.kind == DIODE else ("", "")
    return (Pin(first, names[0], pole.one),), (Pin(second, names[1], pole.other),)


def pin_types(parts: Iterable[Box]) -> dict[tuple[str, str], str]:
    """Return (reference, number of a pin) → its type. One pin drives a supply; what else feeds it is passive."""
    found: dict[tuple[str, str], str] = {}
    driven: set[str] = set()
    for part in parts:
        for pin in part.pins:
            kind = PASSIVE
            if part.part in PARTS and pin.name == "OUT":
                kind = OUTPUT if part.part in LINEAR else OPEN_COLLECTOR
            elif pin.gives_ma and pin.net not in driven:
                kind = POWER_OUT
                driven.add(pin.net)
            elif (pin.takes_ma and pin.net in SUPPLIES) or (pin.net == GROUND and "GND" in pin.name):
                kind = POWER_IN
            found[part.reference, pin.number] = kind
    return found


def net_names(parts: Iterable[Box]) -> dict[str, str]:
    """Return net → its name for KiCad: its own one, with a number where others differ from it in case only."""
    alike: defaultdict[str, set[str]] = defaultdict(set)
    for part in parts:
        for pin in part.pins:
            alike[pin.net.casefold()].add(pin.net)
    return {
        net: net if number == 1 else f"{net} ({number})"
        for group in alike.values()
        for number, net in enumerate(sorted(group), 1)
    }


def identifier(name: str, what: str) -> str:
    """Return the identifier of something in a project's files."""
    return str(uuid.uuid5(SPACE, f"{name}: {what}"))


def netlist_text(name: str, parts: Sequence[Box]) -> str:
    """Return KiCad's own netlist (``.net``): each part with its value and footprint, each net with its pins."""
    names, nets = net_names(parts), defaultdict[str, list[tuple[str, str]]](list)
    for part in parts:
        for pin in part.pins:
            # KiCad names the net of a pin alone after it.
            net = names[pin.net] if pin.net != OPEN else f"unconnected-({part.reference}-Pad{pin.number})"
            nets[net].append((part.reference, pin.number))
    lines = ['(export (version "E")', f'  (design (source {_quote(name)}) (tool "lodestone"))', "  (components"]
    for part in parts:
        footprint = f" (footprint {_quote(part.footprint)})" if part.footprint else ""
        stamp = _quote(identifier(name, part.reference))
        lines.append(
            f"    (comp (ref {_quote(part.reference)}) (value {_quote(part.value)}){footprint} "
            f'(fields (field (name "{PLACE}") {_quote(part.place)})) (tstamps {stamp}))'
        )
    lines.append("  )\n  (nets")
    for code, (net, nodes) in enumerate(sorted(nets.items()), 1):
        ends = " ".join(f"(node (ref {_quote(reference)}) (pin {_quote(pin)}))" for reference, pin in sorted(nodes))
        lines.append(f'    (net (code "{code}") (name {_quote(net)}) {ends})')
    return "\n".join([*lines, "  )\n)\n"])


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

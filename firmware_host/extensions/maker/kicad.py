"""A board's circuit for KiCad 8 and later: its parts with references, pins and footprints, and KiCad's own netlist.

The schematic is written by ``kicad_sheet.py``, printed circuit boards by
``kicad_board.py``, both from the boxes here: a box for each block and for each part with poles.
Nets have the circuit's names; where two differ in case only (``b3`` and ``B3``), KiCad warns, and one of them gets a
number.

Footprints are those of KiCad's own libraries, for the parts of the wiring tables: with legs, as they are soldered by
hand. A part that lies elsewhere (a strip, a supply, a fuse in its holder) has none.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from hw.circuit import (
    CAPACITOR,
    DIODE,
    FUSE,
    GROUND,
    HALL,
    OPEN,
    RESISTOR,
    SUPPLIES,
    SWITCH,
    Block,
    Circuit,
    Pin,
    Pole,
)

LETTERS = {RESISTOR: "R", CAPACITOR: "C", DIODE: "D", SWITCH: "SW", HALL: "U", FUSE: "F"}
"""Kind of a part with poles → first letters of its reference (IEEE 315)."""
POWER_IN, POWER_OUT, PASSIVE = "power_in", "power_out", "passive"
"""KiCad's types of pins. What a supply bears judges :mod:`hw.budget`: KiCad knows no currents."""
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
        "Raspberry Pi Pico": "Module:RaspberryPi_Pico_Common_THT",
        HALL: "Package_TO_SOT_THT:TO-92_Inline",
        RESISTOR: "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P10.16mm_Horizontal",
        "100n": "Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm",
        "10u": "Capacitor_THT:CP_Radial_Tantal_D5.0mm_P2.50mm",
        "1000u": "Capacitor_THT:CP_Radial_D10.0mm_P5.00mm",
        "1N4148": "Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal",
        "1N5817": "Diode_THT:D_DO-41_SOD81_P10.16mm_Horizontal",
    }
)
"""Part, value, or kind of a part with poles → its footprint."""
LEGS = MappingProxyType({"VCC": "1", "GND": "2", "OUT": "3"})
"""Pins of a hall sensor with legs (TO-92: LPG; data sheets of DRV5023, DRV5032, DRV5033, DRV5055)."""
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
    footprint: str
    """``library:name``; empty for a part that lies elsewhere."""
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]

    @property
    def pins(self) -> tuple[Pin, ...]:
        """All pins, left side first."""
        return self.left + self.right


def boxes(circuit: Circuit, footprints: Mapping[str, str] = FOOTPRINTS, legs: Mapping[str, str] = LEGS) -> list[Box]:
    """Return all parts of a circuit, with references that are unique and pins that have unique numbers."""
    counted: Counter[str] = Counter()

    def reference(letters: str) -> str:
        counted[letters] += 1
        return f"{letters}{counted[letters]}"

    found = []
    for block in circuit.blocks:
        letters = "J" if block.part.startswith("header") else "U"
        where = footprints.get(block.part, "") if all(pin.number.isdigit() for pin in block.pins) else ""
        value = f"{block.part} ({block.name})"
        found.append(Box(reference(letters), value, block.part, where, *_numbered(block)))
    for pole in circuit.poles:
        value = f"{pole.value} ({pole.at})" if pole.at else pole.value or pole.part or pole.kind
        # A reed's legs are bent as its slot needs it.
        where = footprints.get(pole.value) or footprints.get(pole.kind, "")
        found.append(Box(reference(LETTERS[pole.kind]), value, pole.part or pole.kind, where, *_poles(pole, legs)))
    return found


def _numbered(block: Block) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
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
            if pin.gives_ma and pin.net not in driven:
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
    lines = ['(export (version "E")', f'  (design (source {_quoted(name)}) (tool "lodestone"))', "  (components"]
    for part in parts:
        footprint = f" (footprint {_quoted(part.footprint)})" if part.footprint else ""
        stamp = _quoted(identifier(name, part.reference))
        lines.append(
            f"    (comp (ref {_quoted(part.reference)}) (value {_quoted(part.value)}){footprint} (tstamps {stamp}))"
        )
    lines.append("  )\n  (nets")
    for code, (net, nodes) in enumerate(sorted(nets.items()), 1):
        ends = " ".join(f"(node (ref {_quoted(reference)}) (pin {_quoted(pin)}))" for reference, pin in sorted(nodes))
        lines.append(f'    (net (code "{code}") (name {_quoted(net)}) {ends})')
    return "\n".join([*lines, "  )\n)\n"])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""How the wires of a board's own 5 V supply fork: from the fuse, and from its ground, to all that hang on them.

The connectors at each feed of a strip join two wires. Where one wire comes and several go on there are connectors for
five; each further one is joined to the one before by a wire of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from firmware_host.extensions.maker.budget import budget, rail_mm2
from firmware_host.extensions.maker.designators import names_of
from firmware_host.extensions.maker.netlist import CONNECTOR, SUPPLY_OF
from hw.circuit import CAPACITOR, CHARGER, FUSE, GROUND, POLARISED, USB, V5, V33_OWN, Block, Circuit
from hw.pins import GROUND_PINS
from hw.ports import BoardDescription
from hw.registry import sensors_circuit

PLACES = 5
FORK = f"lever connector for {PLACES} wires"
"""Joins wires of 0.14 to 4 mm², up to 32 A (WAGO 221-415)."""
HEADS = ("from", "to", "wire")
SIGNAL_MM2 = 0.14
"""The wire of data and sensors."""
NOTES = (
    f"A fork is a lever connector for {PLACES} wires, or several: one place of each is joined to one of the next. "
    "Behind the fuse no wire may be thinner, as each bears what the fuse holds."
)


def forks(board: BoardDescription, circuit: Circuit) -> int:
    """Return how many connectors all forks have together; 0 for a board without a supply of its own."""
    # Each further connector takes two places for its joint to the one before.
    return sum(max(1, math.ceil((len(ends) + 1 - 2) / (PLACES - 2))) for _, _, ends in _ends(board, circuit))


def rows(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, str]]:
    """Yield one row per wire: where it begins, where it ends, and its cross-section."""
    names = dict(zip(map(id, circuit.parts), names_of(circuit).values(), strict=True))
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
    names = dict(zip(map(id, circuit.parts), names_of(circuit).values(), strict=True))
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
        rail = rail_mm2(own.load_ma(V33_OWN)) if V33_OWN in own.nets else SIGNAL_MM2
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

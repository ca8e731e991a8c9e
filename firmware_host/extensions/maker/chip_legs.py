"""The legs of chips that no row of a sensor names: which of them stay free, and what hangs on unused inputs.

They follow from the circuit, so that whoever solders finds each leg of each chip on one page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from firmware_host.extensions.maker.designators import names_of
from hw.circuit import OPEN, Block, Circuit
from hw.ports import BoardDescription
from hw.registry import scheme_of, sensors_circuit
from hw.regulator import NAME as REGULATOR

NOTES = (
    "Pin 1 of a chip is at its dot. Where it has a notch and no dot, hold it with the notch up: pin 1 is the upper "
    "left one. Pins are counted down the left side, then up the right side. Seen from below left is right: write the "
    "numbers of the corners beside each chip before you turn the board."
)
HEADS = ("chip", "name", "its other legs")


def chips_of(board: BoardDescription) -> list[Block]:
    """Return the chips that read a board's sensors: no regulator, and no microcontroller with a table of its own."""
    own = scheme_of(board).own_pins(board)
    apart = {REGULATOR} if own is None else {REGULATOR, own.title}
    return [block for block in sensors_circuit(board).blocks if not apart & {block.name, block.part}]


def rows(board: BoardDescription, circuit: Circuit) -> Iterator[tuple[str, str, str]]:
    """Yield one row per chip: what the wiring calls it, its name on all papers, and the legs that lead nowhere else."""
    names = names_of(circuit)
    poles = list(zip(list(names.values())[len(circuit.blocks) :], circuit.poles, strict=True))
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

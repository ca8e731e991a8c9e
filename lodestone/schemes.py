"""Boards of any size in any installed scheme, for contracts and tests."""

from __future__ import annotations

import re
from typing import Any

from hw.circuit import OPEN, Circuit
from hw.ports import BoardDescription, HardwareError, NodeWiring
from hw.registry import SCHEMES
from hw.scheme import Scheme


def described(scheme: str, kind: str, count: int) -> BoardDescription:
    """Return a board with a row of nodes n0, n1, …, channels in that order, wired as in the scheme's example.

    Raise HardwareError where the scheme can't carry it.
    """
    found = SCHEMES.get(scheme)
    pins = found.example(found.inputs(count, kind))
    if pins is None:
        raise HardwareError(f"{scheme} can't carry {count} nodes of kind {kind}")
    options = {name: option.default for name, option in found.options.items()}
    return BoardDescription("test", "spokes", "sim", kind, scheme, pins=pins, options=options, **row_of_nodes(count))


def carries(scheme: Scheme, kind: str, count: int) -> bool:
    """Return whether a Pi has pins for this number of nodes."""
    return kind in scheme.kinds and scheme.example(scheme.inputs(count, kind)) is not None


def row_of_nodes(count: int) -> dict[str, Any]:
    """Return the field ``nodes`` of a board with a row of so many."""
    return {"nodes": {f"n{index}": NodeWiring(f"n{index}", index, index, 10.0 * index, 0.0) for index in range(count)}}


def loose_ends(circuit: Circuit) -> list[str]:
    """Return the nets with only one pin or pole, which are faults of the circuit."""
    ends: dict[str, int] = {}
    pins = [pin.net for block in circuit.blocks for pin in block.pins]
    for net in (*pins, *(end for pole in circuit.poles for end in (pole.one, pole.other, pole.supply))):
        ends[net] = ends.get(net, 0) + 1
    return sorted(net for net, number in ends.items() if number < 2 and net != OPEN and not re.match("free", net))

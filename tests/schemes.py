"""Boards of any size in every installed scheme, for tests of all schemes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hw.circuit import OPEN, Circuit
from hw.ports import KINDS, BoardDescription, NodeWiring, SensorBank
from hw.registry import SCHEMES
from hw.scheme import Scheme

FOUND = SCHEMES.usable()
ON_PINS = tuple(name for name, scheme in FOUND.items() if not scheme.scans_itself)
WAYS = [(name, kind) for name in ON_PINS for kind in FOUND[name].kinds]
EVERY_WAY = [(name, kind) for name, scheme in FOUND.items() for kind in scheme.kinds]
EVERY_KIND = KINDS


def described(scheme: str, kind: str, count: int) -> BoardDescription:
    """Return a board with a row of nodes n0, n1, …, channels in that order, wired as in the scheme's example."""
    found = SCHEMES.get(scheme)
    pins = found.example(found.inputs(count, kind))
    assert pins is not None, f"{scheme} carries {count} nodes of kind {kind}"
    options = {name: option.default for name, option in found.options.items()}
    return BoardDescription("test", "spokes", "sim", kind, scheme, pins=pins, options=options, **_nodes(count))


def carries(scheme: Scheme, kind: str, count: int) -> bool:
    """Return whether a Pi has pins for this number of nodes."""
    return kind in scheme.kinds and scheme.example(scheme.inputs(count, kind)) is not None


def largest(scheme: str, kind: str) -> list[int]:
    """Return the largest number of nodes that a scheme can carry, of 12, 45, 81, 127 and 189."""
    return [count for count in (12, 45, 81, 127, 189) if carries(FOUND[scheme], kind, count)]


class Desk:
    """A computer with only these pins and this SPI device."""

    def __init__(self, gpio: Any, wait_us: Callable[[float], None] = lambda _: None, spi: Any = None) -> None:
        self.gpio, self.wait_us, self.spi = lambda: gpio, wait_us, lambda *_: spi


def opened(scheme: str, kind: str, count: int, pins: dict[str, Any], desk: Any) -> SensorBank:
    """Return a scheme's driver on pins that a test has wired."""
    return SCHEMES.get(scheme).open(replace(described(scheme, kind, 1), kind=kind, pins=pins, **_nodes(count)), desk)


def _nodes(count: int) -> dict[str, Any]:
    return {"nodes": {f"n{index}": NodeWiring(f"n{index}", index, index, 10.0 * index, 0.0) for index in range(count)}}


def loose_ends(circuit: Circuit) -> list[str]:
    """Return the nets with only one pin or pole, which are faults of the circuit."""
    ends: dict[str, int] = {}
    pins = [pin.net for block in circuit.blocks for pin in block.pins]
    for net in (*pins, *(end for pole in circuit.poles for end in (pole.one, pole.other, pole.supply))):
        ends[net] = ends.get(net, 0) + 1
    return sorted(net for net, number in ends.items() if number < 2 and net != OPEN and not re.match("free", net))

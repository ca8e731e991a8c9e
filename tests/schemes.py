"""Boards of any size in every installed scheme, for tests of all schemes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest

from firmware_host.boardfile.load import shipped_boards
from hw.lights import STRIPS
from hw.ports import KINDS, SensorBank
from hw.registry import SCHEMES
from lodestone.schemes import carries, described, loose_ends, row_of_nodes
from tests.deleted import LACKING

__all__ = ["carries", "described", "loose_ends"]

FOUND = SCHEMES.usable()
ON_PINS = tuple(name for name, scheme in FOUND.items() if not scheme.scans_itself)
WAYS = [(name, kind) for name in ON_PINS for kind in FOUND[name].kinds]
EVERY_WAY = [(name, kind) for name, scheme in FOUND.items() for kind in scheme.kinds]
EVERY_KIND = KINDS
KNOWN = {*SCHEMES.names(), *STRIPS.names(), *(path.stem for path in shipped_boards())}
"""Schemes, kinds of strips and shipped boards."""


def is_there(name: str) -> bool:
    """Return whether there is such a scheme, strip or shipped board; only a deleted extension may lack one."""
    return name in KNOWN or not LACKING


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip a test of schemes, strips or shipped boards that somebody has deleted with their extension."""
    return pytest.mark.skipif(
        not all(map(is_there, names)), reason=f"an extension with {' or '.join(names)} is deleted"
    )


def there(rows: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test that begin with a scheme, strip or board of none but these extensions."""
    return [row for row in rows if is_there(row if isinstance(row, str) else row[0])]


def choices_of(option: str) -> list[str]:
    """Return what schemes offer for one of their options, such as the names of microcontrollers."""
    return [one for scheme in FOUND.values() if option in scheme.options for one in scheme.options[option].choices]


def largest(scheme: str, kind: str) -> list[int]:
    """Return the largest number of nodes that a scheme can carry, of 12, 45, 81, 127 and 189."""
    return [count for count in (12, 45, 81, 127, 189) if carries(FOUND[scheme], kind, count)]


class Desk:
    """A computer with only these pins and this SPI device."""

    def __init__(self, gpio: Any, wait_us: Callable[[float], None] = lambda _: None, spi: Any = None) -> None:
        self.gpio, self.wait_us, self.spi = lambda: gpio, wait_us, lambda *_: spi


def opened(scheme: str, kind: str, count: int, pins: dict[str, Any], desk: Any) -> SensorBank:
    """Return a scheme's driver on pins that a test has wired."""
    return SCHEMES.get(scheme).open(
        replace(described(scheme, kind, 1), kind=kind, pins=pins, **row_of_nodes(count)), desk
    )

"""A table of the readings of linear sensors under common magnets at common distances, and under the board's own."""

from __future__ import annotations

from collections.abc import Iterator

from hw.magnets import Magnet, saturates, steps
from hw.ports import BoardDescription
from hw.registry import scheme_of
from hw.sensor_parts import LINEAR

DISCS = ((8.0, 2.0, "N35"), (10.0, 2.0, "N42"), (10.0, 3.0, "N42"))
GAPS_MM = (3.0, 5.0, 7.0)


def magnets_text(board: BoardDescription) -> str:
    """Return a Markdown table: the field, and each linear part's reading (of 128); the board's magnet comes first."""
    heads = ("magnet", "face to sensor", "field", *LINEAR)
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    volts = scheme_of(board).supply(board.options).volts
    return "\n".join([*lines, *(_row(magnet, volts) for magnet in _magnets(board))])


def _magnets(board: BoardDescription) -> Iterator[Magnet]:
    if board.magnet is not None:
        yield board.magnet
    for diameter, height, grade in DISCS:
        for gap in GAPS_MM:
            magnet = Magnet(diameter, height, grade, gap)
            if magnet != board.magnet:
                yield magnet


def _row(magnet: Magnet, volts: float) -> str:
    field = magnet.mt
    told = ("saturates" if saturates(part, field, volts) else f"{steps(part, field, volts)} of 128" for part in LINEAR)
    size = f"{magnet.mm:g} x {magnet.height_mm:g} mm, {magnet.grade}"
    return f"| {size} | {magnet.gap_mm:g} mm | {field:.0f} mT | {' | '.join(told)} |"

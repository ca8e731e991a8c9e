"""The list of parts of a board, from its file."""

from __future__ import annotations

import math
from collections.abc import Iterator

from firmware_host.maker.power import budget
from firmware_host.maker.tile_sheet import PLAY_MM, magnets_of
from hw import schemes
from hw.ports import CODED, BoardDescription

Row = tuple[object, str, str]
_SENSORS = {
    "presence": "reed switch, or omnipolar hall switch",
    "polarity": "unipolar hall switch, half of them for north, half for south",
    "level": "linear hall sensor (DRV5055, SS49E)",
}


def parts_text(board: BoardDescription) -> str:
    """Return the list as a table in Markdown."""
    rows = [*_electronics(board), *_lights(board), *_plate(board)]
    return "\n".join(
        ["| number | part | note |", "|---|---|---|", *(f"| {n} | {part} | {note} |" for n, part, note in rows)]
    )


def _electronics(board: BoardDescription) -> Iterator[Row]:
    inputs = board.inputs
    eights, sixteens = math.ceil(inputs / 8), math.ceil(inputs / schemes.CHANNELS_4067)
    kind = board.feels if schemes.inputs_of(board.scheme, board.feels, 1) == 2 or board.feels != "polarity" else "level"
    each = "one under each node" if inputs == board.channels else "two under each node"
    if board.kind == CODED:
        wells = sum(bool(node.ring) for node in board.nodes.values())
        each = f"nine under each of {wells} wells, one under each other node"
    yield 1, "Raspberry Pi with its own supply", "Zero 2 W, 3, 4 or 5"
    yield inputs, _SENSORS[kind], each
    if board.scheme.startswith("74hc165"):
        yield eights, "74HC165", "at 3.3 V, 100 nF beside each"
        yield inputs, "resistor 10 kΩ", "pull-ups; networks of 8 save soldering"
    elif board.scheme == "matrix":
        yield inputs, "diode 1N4148", "one beside each switch"
    elif board.scheme == "serial":
        yield 1, "Raspberry Pi Pico with the scanner's firmware", "reads the sensors, sends them over USB"
    elif board.scheme in {"4067", "mcp3008", "ads1115"}:
        muxed = board.scheme == "4067" or bool(schemes.listed(board.pins, "select"))
        if muxed:
            yield sixteens, "CD74HC4067", "at 3.3 V, 100 nF beside each"
        used = sixteens if muxed else inputs
        if board.scheme == "mcp3008":
            yield math.ceil(used / schemes.MCP3008_INPUTS), "MCP3008", "at 3.3 V, 100 nF beside each"
        elif board.scheme == "ads1115":
            yield math.ceil(used / schemes.ADS1115_INPUTS), "ADS1115", "at 3.3 V, 100 nF beside each"


def _lights(board: BoardDescription) -> Iterator[Row]:
    found = budget(board)
    strips = board.lights.strips
    yield found.pixels, f"WS2812B pixel, colour order {strips[0].order}", "single ones, or cut from a strip"
    yield 1, "74AHCT125 at 5 V", f"lifts the data of {len(strips)} strip{'s' * (len(strips) > 1)} from 3.3 V to 5 V"
    yield len(strips), "resistor 330 Ω, capacitor 1000 µF", "in each strip's data line; across its 5 V"
    yield (
        1,
        f"5 V supply of {found.supply_a:g} A, fuse of {found.fuse_a:g} A",
        "for the pixels only, ground joined to the Pi's",
    )


def _plate(board: BoardDescription) -> Iterator[Row]:
    if board.supply:
        pieces = ", ".join(f"{count} {letter}" for letter, count in board.supply.items())
        yield sum(board.supply.values()), f"round pieces of at most {board.node_mm:g} mm with a magnet each", pieces
    else:
        yield "", f"stones of {board.node_mm:g} mm with a magnet each", "white north up, black south up: docs/build.md"
    if board.tiles:
        made = [magnets_of(tile) for tile in board.tiles.values()]
        yield (
            len(made),
            f"octagonal tiles of {board.well_mm - PLAY_MM:g} mm",
            "`lodestone board tiles`: lines and magnets",
        )
        yield sum(map(len, made)), f"disc magnets of {board.sizes.magnet_mm:g} mm", "in the tiles' undersides"
    yield 1, "plate, 3 to 5 mm", "`lodestone board drawing`: holes, windows, print"

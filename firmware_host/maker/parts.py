"""The list of parts of a board, from its description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from firmware_host.maker.budget import budget, rail_mm2
from firmware_host.maker.netlist import circuit_of, strip_lines
from firmware_host.maker.tile_sheet import PLAY_MM, magnets_of
from hw.circuit import CAPACITOR, DECOUPLING, HALL, V33_OWN, Circuit
from hw.lights import STRIPS
from hw.ports import CODED, BoardDescription
from hw.registry import inputs_of, scheme_of, sensor_kind
from hw.regulator import NAME as REGULATOR
from hw.regulator import PART, cooling
from hw.sensor_parts import PARTS

Row = tuple[object, str, str]
_OTHERS = {
    "presence": "omnipolar hall switches with open drain, for 3.3 V (DRV5032, DRV5033)",
    "polarity": "unipolar hall switches with open drain, for 3.3 V (DRV5023)",
    "level": "more sensitive variants for weaker magnets (`lodestone board magnets`)",
}
"""Kind → sensors besides the usual one."""


def parts_text(board: BoardDescription) -> str:
    """Return the list of parts as a Markdown table."""
    rows = [*_electronics(board, circuit_of(board)), *_lights(board), *_plate(board)]
    return "\n".join(
        ["| number | part | note |", "|---|---|---|", *(f"| {n} | {part} | {note} |" for n, part, note in rows)]
    )


def _electronics(board: BoardDescription, circuit: Circuit) -> Iterator[Row]:
    inputs = inputs_of(board)
    each = "one under each node" if inputs == board.channels else "two under each node, one of them face down"
    if board.kind == CODED:
        wells = sum(bool(node.ring) for node in board.nodes.values())
        each = f"nine under each of {wells} wells, one under each other node"
    yield 1, "Raspberry Pi with its own supply", "Zero 2 W, 3, 4 or 5"
    kind, usual = sensor_kind(board), scheme_of(board).sensor_parts(sensor_kind(board))[0]
    others = "" if board.part else f"; the board file names no `part`, others: {_OTHERS[kind]}"
    yield inputs, PARTS[board.part or usual].about, each + others
    yield from ((part.number, part.name, part.note) for part in scheme_of(board).parts(board))
    regulator = next((block for block in circuit.blocks if block.name == REGULATOR), None)
    if regulator is not None:
        load = circuit.load_ma(V33_OWN)
        yield 1, f"regulator {PART}, TO-220", cooling(load)
        yield 2, "capacitor 10 µF, tantalum", "at the regulator's input and output"
        yield 1, f"wire of {rail_mm2(load):g} mm², red and black", "from the regulator to chips and sensors"
    chips = sum(pole.kind == CAPACITOR and pole.value == DECOUPLING for pole in circuit.poles)
    sensors = sum(pole.kind == HALL for pole in circuit.poles)
    if chips or sensors:
        beside = " and ".join(what for what, number in (("chip", chips), ("sensor", sensors)) if number)
        yield chips + sensors, "capacitor 100 nF", f"one beside each {beside}, between its supply and ground"


def _lights(board: BoardDescription) -> Iterator[Row]:
    found, strips = budget(board), board.lights.strips
    if found.pixels:
        kinds = Counter[str]()
        for one in strips:
            kinds[f"{STRIPS.get(one.scheme).part} pixel, colour order {one.order}"] += one.length
        yield from ((number, kind, "single ones, or cut from a strip") for kind, number in kinds.items())
        yield found.pixels, "capacitor 100 nF at 5 V", "one at each single pixel; a strip has them"
        lines = strip_lines(board)
        what = " and ".join(dict.fromkeys(line.what for line in lines))
        lifts = f"lifts the {what} of {len(strips)} strip{'s' * (len(strips) > 1)} from 3.3 V; 100 nF beside it"
        yield 1, "74AHCT125 at 5 V", lifts
        yield len(lines), "resistor 330 Ω", f"in the {what} line of each strip"
        yield len(strips), "capacitor 1000 µF", "across each strip's 5 V, where it begins"
    if found.total_ma:
        yield 1, f"5 V supply of {found.supply_a:g} A", f"for {found.feeds_what} only, ground joined to the Pi's"
        yield 1, f"{found.fuse.words} with a closed holder", "in the 5 V line, close to the supply"
        along = "from the supply to each feed, and along the pixels" if found.pixels else "from the supply"
        yield 1, f"wire of {found.wire_mm2:g} mm², red and black", f"{along}; 0.14 mm² for data and sensors"
    if found.pixels:
        feeds = "a pair at each feed" if found.feeds > 1 else "where the strip begins"
        yield found.feeds, f"connector for {max(3.0, found.supply_a):g} A or more", f"{feeds}; JST-SM bears 3 A"


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

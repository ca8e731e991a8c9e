"""A board's list of parts: what is soldered is its circuit, part by part; wire, plate and stones follow from the board.

Every part with a name (``U3``) is one of the circuit, so that list, schematic and KiCad's project have the same parts.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from firmware_host.extensions.maker.budget import LEAD_M, SIGNAL_MM2, budget, rail_mm2, strip_lengths
from firmware_host.extensions.maker.designators import names_of, spans
from firmware_host.extensions.maker.kicad import FOOTPRINTS
from firmware_host.extensions.maker.magnets import disc_words
from firmware_host.extensions.maker.netlist import CONNECTOR, SUPPLY_OF, circuit_of, strip_lines
from firmware_host.extensions.maker.pieces import cover_mm, pieces_of, plate_mm, sensor_kind
from firmware_host.extensions.maker.soldering import FORK, forks
from firmware_host.extensions.maker.tile_sheet import PLAY_MM, magnets_of
from firmware_host.link.supplies import NAME as REGULATOR
from firmware_host.link.supplies import USB, cooling, load_ma, sensors_circuit
from hw.circuit import (
    CAPACITOR,
    DIODE,
    FUSE,
    HALL,
    RESISTOR,
    SWITCH,
    V5,
    V33,
    V33_OWN,
    VOLTS,
    Block,
    Circuit,
    Part,
    Pole,
    input_nets,
)
from hw.lights import STRIPS
from hw.ports import CODED, BoardDescription
from hw.registry import has_switch_pairs, inputs_of, scheme_of
from hw.sensor_parts import AXIAL, PARTS


class PartRow(NamedTuple):
    """A row of the list: how many of what."""

    number: int | str
    """A number, a length such as ``19 m``, or nothing where the rules of the game say it."""
    part: str
    note: str
    names: tuple[str, ...] = ()
    """The names of its parts in the circuit, one each; none for wire, plate and stones."""


NUMBERS: Mapping[str, tuple[str, str]] = {
    **{f"{name} (TO-92": ("Texas Instruments", f"{name}LPG") for name in ("DRV5032AJ", "DRV5032FC", "DRV5032ZE")},
    **{f"{name} (TO-92": ("Texas Instruments", f"{name}QLPG") for name in ("DRV5033AJ", "DRV5033FA")},
    **{f"{name} (TO-92": ("Texas Instruments", f"{name}QLPG") for name in ("DRV5023AJ", "DRV5023FA", "DRV5023BI")},
    **{f"DRV5055A{one} ": ("Texas Instruments", f"DRV5055A{one}QLPG") for one in (1, 2, 3, 4)},
    "reed switch": ("Littelfuse", "MDSR-10-20-25"),
    "74HC165": ("Texas Instruments", "SN74HC165N"),
    "CD74HC4067": ("Texas Instruments", "CD74HC4067M96"),
    "MCP3008": ("Microchip", "MCP3008-I/P"),
    "ADS1115": ("Texas Instruments", "ADS1115IDGSR"),
    "MCP23017": ("Microchip", "MCP23017-E/SP"),
    "PCF8575": ("Texas Instruments", "PCF8575DW"),
    "74AHCT125": ("Texas Instruments", "SN74AHCT125N"),
    "LM1085IT-3.3": ("Texas Instruments", "LM1085IT-3.3/NOPB"),
    "diode 1N4148": ("Vishay", "1N4148-TAP"),
    "diode 1N5817": ("Diodes Incorporated", "1N5817-T"),
    "resistor 10 kΩ": ("Yageo", "CFR-25JB-52-10K"),
    "resistor 47 Ω": ("Yageo", "CFR-25JB-52-47R"),
    "resistor 330 Ω": ("Yageo", "CFR-25JB-52-330R"),
    "capacitor 100 nF": ("KEMET", "C320C104K5R5TA"),
    "capacitor 1000 µF": ("Panasonic", "EEU-FR1A102"),
    "capacitor 10 µF, tantalum": ("KEMET", "T350E106M025AT"),
    "fuse of 2 A": ("Littelfuse", "0217002.MXP"),
    "fuse of 3.15 A": ("Littelfuse", "02173.15HXP"),
    "fuse of 4 A": ("Littelfuse", "0217004.HXP"),
    "fuse of 5 A": ("Littelfuse", "0217005.HXP"),
    "lever connector": ("WAGO", "221-412"),
    FORK: ("WAGO", "221-415"),
    "Raspberry Pi Pico": ("Raspberry Pi", "SC0915"),
}
"""Words in a part's name → manufacturer and number of one part that fits, from their catalogues."""
TO_CHECK = frozenset(
    {
        *(f"DRV5032{one}LPG" for one in ("AJ", "FC", "ZE")),
        "DRV5023FAQLPG",
        "DRV5055A3QLPG",
        "LM1085IT-3.3/NOPB",
        "0217004.HXP",
        "02173.15HXP",
    }
)
"""Numbers that follow their makers' way of naming, and that no public list of a built circuit has shown yet."""
CHECK_WORDS = "check the number in the catalogue"
HEADS = ("number", "part", "note", "names")


def part_rows(board: BoardDescription) -> list[PartRow]:
    """Return the list of parts. Raise HardwareError where no supply suffices."""
    circuit = circuit_of(board)
    return [*_rows_of_parts(board, circuit), *_carriers(circuit), *_wires(board, circuit), *_plate_parts(board)]


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as a file for spreadsheets and workshops; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def parts_csv(board: BoardDescription, prices: Mapping[str, Decimal] | None = None) -> str:
    """Return the list of parts for a spreadsheet: the same rows, with a manufacturer's number where one part fits.

    The column ``price`` is for the maker to fill in. ``prices`` (:func:`read_prices`) are what one of each costs: they
    add what all of a row cost, and a last row with the sum.
    """
    heads = ("quantity", "part", "manufacturer", "manufacturer's number", "note", "names", "price")
    rows: list[Sequence[object]] = [heads if prices is None else (*heads, "sum")]
    whole, without = Decimal(0), 0
    for number, part, note, names in part_rows(board):
        known = max((words for words in NUMBERS if words in part), key=len, default=None)
        maker, called = NUMBERS[known] if known else ("", "")
        row = (number, part, maker, called, f"{note}; {CHECK_WORDS}" if called in TO_CHECK else note, spans(names))
        each = cost = None
        if prices is not None and isinstance(number, int):
            each = prices.get(part, prices.get(NUMBERS[known][1]) if known else None)
            cost = each and each * number
        whole += cost or 0
        without += each is None
        rows.append((*row, each) if prices is None else (*row, each, cost))
    if prices is not None:
        rows.append(("", "all that have a price", "", "", f"{without} rows have none", "", "", whole))
    return csv_text(rows)


def read_prices(text: str) -> dict[str, Decimal]:
    """Return part, or manufacturer's number → what one costs, from a file with the columns ``part`` and ``price``.

    The list of parts itself, its column ``price`` filled in, is such a file; empty prices are left out. Raise
    ValueError naming the line.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not {"part", "price"} <= set(reader.fieldnames or ()):
        raise ValueError(f"expected the columns part and price, got {', '.join(reader.fieldnames or ()) or 'none'}")
    found = {}
    for row in reader:
        text = (row["price"] or "").strip().replace(",", ".")
        if not text:
            continue
        try:
            price = Decimal(text)
        except InvalidOperation:
            price = Decimal(-1)
        if not price.is_finite() or price < 0:
            raise ValueError(f"line {reader.line_num}: price: expected a number such as 0.35, got {text[:20]!r}")
        found[row["part"]] = price
        if number := row.get("manufacturer's number"):
            found[number] = price
    return found


# -- what is soldered: the circuit -------------------------------------------------------------------------------------


_OTHERS = {
    "presence": "omnipolar hall switches with open drain, for 3.3 V (DRV5032, DRV5033)",
    "polarity": "unipolar hall switches with open drain, for 3.3 V (DRV5023)",
    "level": "more sensitive variants for weaker magnets (`lodestone board magnets`)",
}
"""Kind → sensors besides the usual one."""
_RESISTORS = {
    "10k": ("10 kΩ", "pull-ups; networks of 8 save soldering"),
    "47R": ("47 Ω", "in the clock line, close to what drives it; 33 to 100 Ω do, too"),
    "330R": ("330 Ω", "in each line from the level shifter, close to the first pixel"),
}
_CAPACITORS = {
    "10u": ("10 µF, tantalum", "at the regulator's input and output; 10 V or more; the leg with the mark is plus"),
    "1000u": ("1000 µF", "across each strip's 5 V, where it begins; electrolytic, 10 V or more; the stripe is minus"),
}
_DIODES = {
    "1N4148": ("diode 1N4148", "one beside each reed, the ring towards its row"),
    "1N5817": ("Schottky diode 1N5817", "from the Pi's 5 V to the microcontroller; three wires for the UART"),
}
Bought = tuple[str, str]
"""A part in words, and a note."""


def _rows_of_parts(board: BoardDescription, circuit: Circuit) -> Iterator[PartRow]:
    """Yield a row for all parts of the circuit that are bought as one."""
    rows: dict[Bought, list[str]] = {}
    for part, name in zip(circuit.parts, names_of(circuit).values(), strict=True):
        rows.setdefault(_bought(part, board, circuit), []).append(name)
    return (PartRow(len(names), *bought, tuple(names)) for bought, names in rows.items())


def _bought(part: Part, board: BoardDescription, circuit: Circuit) -> Bought:
    if isinstance(part, Block):
        return _block(part, board, circuit)
    words: Mapping[str, Callable[[], Bought]] = {
        HALL: lambda: _sensor(part, board),
        SWITCH: lambda: _sensor(part, board),
        RESISTOR: lambda: _value_of(part, _RESISTORS),
        CAPACITOR: lambda: _capacitor(part, board),
        DIODE: lambda: _DIODES.get(part.value, (f"diode {part.value}", "")),
        FUSE: lambda: (f"fuse of {part.value}", "in the 5 V line, close to the supply"),
    }
    return words[part.kind]()


def _value_of(pole: Pole, known: Mapping[str, Bought]) -> Bought:
    value, note = known.get(pole.value, (pole.value, ""))
    return f"{pole.kind} {value}", note


def _capacitor(pole: Pole, board: BoardDescription) -> Bought:
    if pole.value in _CAPACITORS:
        return _value_of(pole, _CAPACITORS)
    if pole.one == V5 and pole.at.startswith("pixel"):
        return "capacitor 100 nF at 5 V", "one at each single pixel; a strip has them"
    hall = PARTS[board.part or scheme_of(board).sensor_parts(sensor_kind(board))[0]].response != AXIAL
    beside = "chip and sensor" if hall else "chip"
    return "capacitor 100 nF", f"one beside each {beside}, between its supply and ground"


def _sensor(pole: Pole, board: BoardDescription) -> Bought:
    each = "two under each node, one of them face down" if has_switch_pairs(board) else "one under each node"
    if board.kind == CODED:
        wells = sum(bool(node.ring) for node in board.nodes.values())
        each = f"nine under each of {wells} wells, one under each other node"
    others = f"; the board file names no `part`, others: {_OTHERS[sensor_kind(board)]}"
    return PARTS[pole.part].about, each + ("" if board.part else others)


def _scans(board: BoardDescription) -> str:
    """Return the name of the part that scans a board by itself; empty where the Pi does."""
    own = scheme_of(board).own_pins(board)
    return own.title if own is not None else ""


def _block(block: Block, board: BoardDescription, circuit: Circuit) -> Bought:
    lines, strips = strip_lines(board), board.lights.strips
    what = " and ".join(dict.fromkeys(line.what for line in lines))
    several = "s" * (len(strips) > 1)
    known: dict[str, Bought] = {
        "computer": ("Raspberry Pi with its own supply", "Zero 2 W, 3, 4 or 5"),
        "level shifter": (
            f"{block.part} at 5 V",
            f"{_in_words(block.part)}lifts the {what} of {len(strips)} strip{several} from 3.3 V; 100 nF beside it",
        ),
        "charger": ("USB charger of 1 A with its cable", "for the microcontroller"),
    }
    if block.name == REGULATOR:
        return f"regulator {block.part}, TO-220", cooling(load_ma(circuit, V33_OWN))
    if block.name in known:
        return known[block.name]
    if block.part == _scans(board):
        return f"{block.part} with the scanner's firmware", "reads the sensors: microcontrollers.md"
    return _light_block(block, board) or (
        block.part,
        f"{_in_words(block.part)}at {_volts(block):g} V, 100 nF beside each",
    )


def _volts(block: Block) -> float:
    return next((VOLTS[pin.net] for pin in block.pins if pin.takes_ma and pin.net in VOLTS), VOLTS[V33])


def _light_block(block: Block, board: BoardDescription) -> Bought | None:
    """Return what the pixels and their supply are bought as; None for any other block."""
    if block.group:
        kind, _, order = block.part.rpartition(", ")
        return f"{kind} pixel, colour order {order}", "single ones on small boards, or cut from a strip"
    if block.name.startswith(SUPPLY_OF):
        found = budget(board)
        plug = f"with screws, or with a socket with screws that fits its plug and bears {found.supply_a:g} A"
        return f"5 V supply of {found.supply_a:g} A", f"for {found.feeds_what} only, ground joined to the Pi's; {plug}"
    if block.part == CONNECTOR:
        return block.part, "where 5 V enter a strip: one for plus and one for ground at each feed"
    for strip in board.lights.strips if board.lights.has_strips else ():
        if block.part == STRIPS.get(strip.scheme).controller:
            return block.part, f"at the address {strip.pin}, fed with 5 V as the pixels are"
    return None


# -- what is not: what carries chips, wire, plate, stones -------------------------------------------------------------


_CASE = re.compile(r":(DIP|SOIC|VSSOP)-(\d+)[\w.]*?(?:_P([\d.]+)mm)?$")
_CASES = {"SOIC": "SO"}


def _case(part: str) -> tuple[str, str]:
    """Return a chip's package and, where it fits no board with holes, the mm between its legs; empty for others."""
    found = _CASE.search(FOOTPRINTS.get(part, ""))
    return (f"{_CASES.get(found[1], found[1])}-{found[2]}", found[3] or "") if found else ("", "")


def _in_words(part: str) -> str:
    """Return a chip's package to begin a note with; empty for what has none."""
    case, _ = _case(part)
    return f"{case}, " if case else ""


def _carriers(circuit: Circuit) -> Iterator[PartRow]:
    """Yield what chips sit on: sockets for those with legs, adapters for small ones, a board with holes for all."""
    cases = Counter(_case(block.part) for block in circuit.blocks)
    del cases["", ""]
    for (case, pitch), number in cases.items():
        if pitch:
            adapter = f"adapter board {case} to 2.54 mm, its legs {pitch} mm apart"
            yield PartRow(number, adapter, "with two rows of pins; or a ready-made module that has the chip")
        else:
            yield PartRow(number, f"socket {case}", "one a chip; the chips go in last")
    if cases:
        yield PartRow(1, "board with holes 2.54 mm apart", "for sockets, adapters, resistors, capacitors; or several")
    if any(pin.net != USB for pin in circuit.blocks[0].pins):
        yield PartRow(1, "socket of 2 x 20 holes, 2.54 mm", "for the Pi's header; wires are soldered to it")


def _wires(board: BoardDescription, circuit: Circuit) -> Iterator[PartRow]:
    metres = f"{math.ceil(signal_wire_m(board))} m"
    legs = "both legs of each" if _wires_each(board) == 2 else "signal, supply and ground of each"
    beyond = "those from there to the Pi come on top"
    note = f"from sensors to their chips, {legs}; a quarter for bends; {beyond}"
    yield PartRow(metres, f"wire of {SIGNAL_MM2:g} mm², several colours", note)
    if USB in circuit.nets:
        reader = _scans(board)
        if reader and any(pin.net == USB for block in circuit.blocks if block.part == reader for pin in block.pins):
            yield PartRow(1, "USB cable", f"from Pi to {reader}: data and its supply")
    if V33_OWN in circuit.nets:
        gauge = f"wire of {rail_mm2(load_ma(circuit, V33_OWN)):g} mm², red and black"
        note = "from the regulator to chips and sensors; so much of each colour: along the chips, and a metre"
        yield PartRow(f"{math.ceil(rail_m(board))} m", gauge, note)
    if number := forks(board, circuit):
        fuse = budget(board).fuse
        holder = f"closed fuse holder, {fuse.kind.removesuffix(', F')}"
        yield PartRow(1, holder, f"with leads for wires of {budget(board).wire_mm2:g} mm²; the fuse lies in it")
        yield PartRow(number, FORK, "where the wire from the fuse forks, and where grounds meet")
    found = budget(board)
    if found.total_ma:
        feeds = found.feeds * len(board.lights.strips) if found.pixels else 1
        along = 1.25 * sum(strip_lengths(board)) / 1000
        where = "from the supply to each feed, and along the pixels" if found.pixels else "from the supply"
        gauge = f"wire of {found.wire_mm2:g} mm², red and black"
        note = (
            f"{where}; {SIGNAL_MM2:g} mm² for data and sensors; so much of each colour, {LEAD_M:g} m of it to each feed"
        )
        yield PartRow(f"{math.ceil(along + feeds * LEAD_M)} m", gauge, note)
        if found.pixels:
            yield PartRow(
                f"{math.ceil(along + LEAD_M)} m", f"wire of {SIGNAL_MM2:g} mm², one colour", "the pixels' data"
            )


def _wires_each(board: BoardDescription) -> int:
    """Return how many wires lead to a sensor: three where it has a supply."""
    return 2 if board.part and PARTS[board.part].response == AXIAL else 3


def _chips_places(board: BoardDescription) -> list[tuple[tuple[float, float], list[tuple[float, float]]]]:
    """Return for each chip at which sensors end the middle of these, and their places, mm; without chips all as one."""
    places = {channel: (node.x, node.y) for node in board.nodes.values() for channel in node.channels}
    ends = {pin.net: block.name for block in sensors_circuit(board).blocks for pin in block.left}
    nets = input_nets(board, inputs_of(board))
    share = len(nets) // len(places)
    groups: dict[str, list[tuple[float, float]]] = {}
    for at, net in enumerate(nets):
        groups.setdefault(ends.get(net, ""), []).append(places[sorted(places)[at // share]])
    return [
        ((sum(x for x, _ in group) / len(group), sum(y for _, y in group) / len(group)), group)
        for group in groups.values()
    ]


def signal_wire_m(board: BoardDescription) -> float:
    """Return the length of wire to the sensors, m: from each to the middle of those that its chip reads, and its feed.

    Of a part with a supply there are three wires, of a switch two; a quarter is added for bends.
    """
    total = sum(math.dist(middle, place) for middle, group in _chips_places(board) for place in group)
    return 1.25 * _wires_each(board) * total / 1000


def rail_m(board: BoardDescription) -> float:
    """Return the length of a regulator's wire to the chips, m: from one to the next, and to the first of them."""
    middles = [middle for middle, _ in _chips_places(board)]
    return LEAD_M + 1.25 * sum(math.dist(one, other) for one, other in itertools.pairwise(middles)) / 1000


SPARES = 20
"""A spare magnet for this number of magnets, at least two: they chip, and stick where they should not."""


def spares(number: int) -> int:
    """Return how many magnets to buy beyond a number."""
    return max(2, -(-number // SPARES))


def _plate_parts(board: BoardDescription) -> Iterator[PartRow]:
    magnet, pieces = board.magnet, pieces_of(board)
    about = "round pieces of at most" if board.supply else "stones of"
    limit = "" if pieces.words or not pieces.number else "at most, a stone on each node; the rules name no number"
    if magnet is not None:
        disc = f"disc magnets of {disc_words(magnet.mm, magnet.height_mm, magnet.grade)}"
        extra = spares(pieces.number)
        note = f"one a piece, {extra} to spare" if pieces.number else "one a stone, and one of twenty to spare"
        yield PartRow(pieces.number + extra if pieces.number else "", disc, f"{note}; {limit}" if limit else note)
    words = pieces.words or "; ".join(one for one in (limit, "white north up, black south up: build.md") if one)
    yield PartRow(pieces.number or "", f"{about} {board.node_mm:g} mm with a magnet each", words)
    if board.tiles:
        made = [magnets_of(tile) for tile in board.tiles.values()]
        octagons = f"octagonal tiles of {board.well_mm - PLAY_MM:g} mm"
        yield PartRow(len(made), octagons, "`lodestone board tiles`: lines and magnets")
        yield PartRow(sum(map(len, made)), f"disc magnets of {board.sizes.magnet_mm:g} mm", "in the tiles' undersides")
    cover, (least, most) = cover_mm(board), plate_mm(board)
    over = "" if cover is None else f"; {cover:.1f} mm of it, with its paint, stay over each sensor"
    yield PartRow(1, f"plate, {least} to {most} mm", f"`lodestone board drawing`: holes, windows, print{over}")

"""A board's tables in Markdown: parts, wiring, power and magnets, from its description and its circuit.

``python -m firmware_host.extensions.maker.tables`` updates those of build.md. There a table is between
``<!-- lodestone board WHAT BOARD -->`` and ``<!-- end -->``: the output of that command.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.maker import soldering
from firmware_host.extensions.maker.budget import PowerBudget, budget, lead_v, overload_words, rail_mm2
from firmware_host.extensions.maker.designators import names_of, spans
from firmware_host.extensions.maker.kicad import LEGS
from firmware_host.extensions.maker.magnets import (
    DEPTH_MM,
    GAPS_MM,
    OFF_STONE_MM,
    OFF_TILE_MM,
    MagnetJudge,
    MagnetVerdict,
    common,
    disc_words,
    judge_of,
    magnet_words,
    parts_of,
)
from firmware_host.extensions.maker.netlist import GROUND_PINS, SHIFTERS, circuit_of, strip_lines
from firmware_host.extensions.maker.parts_list import HEADS, part_rows
from firmware_host.extensions.maker.pieces import sensor_kind
from firmware_host.link.preconditions import settings
from firmware_host.link.supplies import CHARGER, USB, consumers, cooling, limit_ma, load_ma, sensors_circuit
from firmware_host.link.supplies import NAME as REGULATOR
from firmware_host.link.supplies import PART as REGULATOR_PART
from hw.circuit import GROUND, V5, V5_PI, V5_SCANNER, V33, V33_OWN, V33_SCANNER, Block, Circuit, input_nets
from hw.lights import STRIPS
from hw.magnets import Magnet
from hw.pins import HEADER
from hw.ports import BoardDescription, NodeWiring
from hw.registry import has_switch_pairs, inputs_of, scheme_of
from hw.sensor_parts import AXIAL, HALL_SWITCHES, LINEAR_OUTPUT, PARTS

TextRow = tuple[str, str, str]
Row = Sequence[object]


def markdown_table(heads: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table in Markdown."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


HALL_NOTES = (
    "Each hall switch: supply to {volts} with 100 nF to its ground, ground to ground, output (open drain) to its "
    "place. Never one that needs 5 V (A3144: 4.5 V), never one that drives its output (push-pull)."
)
POLES_NOTES = (
    "Of the two at a node the one for white has its marked face up (it closes for a south pole above it, which a stone "
    "with north up shows), the one for black has it down. Above the node's middle lies the one for white, below "
    "it the one for black."
)
LINEAR_NOTES = (
    "Each linear sensor: supply to {volts} with 100 nF to its ground, ground to ground, output to its place; marked "
    "face up. A stone with north up shows it a south pole, and it reads above half the supply."
)

LEGS_NOTES = (
    "The legs of a hall part in TO-92 (LPG), its marked face towards you, legs down. Supply and ground exchanged may "
    "destroy it: compare each part before you solder it."
)

REGULATOR_NOTES = (
    "Chips and sensors take more than the pin at hand gives: every 3.3 V below is this regulator's, never joined to "
    "another 3.3 V. Switch all supplies on and off together: chips without a supply would be fed through their signals."
)

FED_BY_5V = {
    "diode 1N5817": "through a Schottky diode to the microcontroller",
    REGULATOR_PART: "the sensors' regulator",
}


# -- parts -------------------------------------------------------------------------------------------------------------


def parts_text(board: BoardDescription) -> str:
    """Return the list of parts as a Markdown table."""
    rows = ((number, part, note, spans(names)) for number, part, note, names in part_rows(board))
    return markdown_table(HEADS, rows)


# -- wiring ------------------------------------------------------------------------------------------------------------


def wiring_text(board: BoardDescription) -> str:
    """Return all wiring tables of a board. Raise HardwareError where no supply suffices for its sensors."""
    scheme = scheme_of(board)
    notes = "\n\n".join(note for note in (scheme.notes_of(board), _part_notes(board), scheme.setup) if note)
    circuit, own = circuit_of(board), scheme.own_pins(board)
    on_header, regulated = header(board, circuit), regulator(circuit)
    used = markdown_table(("pin", "GPIO", "goes to"), on_header) if on_header else "No pin is used."
    parts = [f"### The Pi's header\n\n{used}{GROUND_NOTES if on_header else ''}"]
    if needed := settings(board):
        parts.append(f"### The Pi's settings\n\n{SETTINGS_NOTES}\n\n{markdown_table(SETTINGS_HEADS, needed)}")
    if own:
        parts.append(f"### {own.title}\n\n{markdown_table(('leg', 'name', 'goes to'), own.rows)}")
    if regulated:
        table = markdown_table(("pin", "name", "goes to"), regulated)
        parts.append(f"### Regulator ({REGULATOR_PART})\n\n{REGULATOR_NOTES}\n\n{table}")
    parts.append(f"### Sensors ({board.scheme}, {board.kind})\n\n{notes}\n\n{sensors_table(board, circuit)}")
    if chips := list(soldering.legs_rows(board, circuit)):
        parts.append(f"### Chips\n\n{soldering.LEGS_NOTES}\n\n{markdown_table(soldering.LEGS_HEADS, chips)}")
    if strip_lines(board):
        parts.append(f"### Level shifter (74AHCT125)\n\n{markdown_table(('pin', 'name', 'goes to'), shifter(board))}")
    if board.lights.has_strips:
        heads = ("pixel", "node", "wire from the one before", "names")
        parts.append(f"### Pixels\n\n{pixel_notes(board, circuit)}\n\n{markdown_table(heads, pixels(board, circuit))}")
    if wires := list(soldering.feed_rows(board, circuit)):
        parts.append(f"### 5 V and ground\n\n{soldering.FEED_NOTES}\n\n{markdown_table(soldering.FEED_HEADS, wires)}")
    measured = markdown_table(soldering.MEASURE_HEADS, soldering.measure_rows(board, circuit))
    parts.append(f"### Measure before you play\n\n{soldering.MEASURE_NOTES}\n\n{measured}")
    parts.append(f"### Names of the other parts\n\n{NAMES_NOTE}\n\n{names_table(circuit)}")
    return "\n\n".join(parts)


GROUND_NOTES = (
    "\n\nPin 1 is the one with the square solder joint, odd pins are in its row. Pins "
    f"{', '.join(map(str, GROUND_PINS[1:]))} are ground, too: a wire beside the clock may begin there."
)
SETTINGS_NOTES = (
    "`sudo ./install.sh --board my-board.toml` asks about these and sets them; the options named here answer. Without "
    "the installer write each `dtparam=` and `dtoverlay=` into `/boot/firmware/config.txt` by hand. Restart the Pi "
    'afterwards. "Before the 5" are the Zero 2 W, 3 and 4.'
)
SETTINGS_HEADS = ("what must be so", "Pi", "set by", "what happens without")
PIXEL_NOTES = (
    "What comes out of a pixel (data, with some kinds a clock) goes into the next one; 5 V and ground run along from "
    "pixel to pixel. Pixels follow one another as the table does, from pixel 0 on. Pixels cut from a strip have "
    "arrows, which point from a pixel's input to its output: away from the Pi."
)
ENTERING_NOTES = 'They enter where the table names connectors, which join them to the wires of "5 V and ground" below.'
NAMES_NOTE = "Schematic and KiCad's files call all parts as these tables do."


def _names_beside(circuit: Circuit) -> dict[str, list[str]]:
    """Return sensor or block → the names of what is there: itself, capacitors, and a sensor's diode or pull-up."""
    blocks, names = circuit.blocks, list(names_of(circuit).values())
    poles = list(zip(names[len(blocks) :], circuit.poles, strict=True))
    sensors = [(name, pole) for name, pole in poles if pole.name]
    ends = Counter(end for _, pole in sensors for end in {pole.one, pole.other})
    at = {end: pole.name for _, pole in sensors for end in (pole.one, pole.other) if ends[end] == 1}
    found = {block.name: [name] for name, block in zip(names, blocks, strict=False)}
    found |= {pole.name: [name] for name, pole in sensors}
    for name, pole in poles:
        places = {pole.at} if pole.at else {at[end] for end in (pole.one, pole.other) if end in at}
        for place in {} if pole.name else places & found.keys():
            found[place].append(name)
    return found


def names_table(circuit: Circuit) -> str:
    """Return the names of all parts that are in no row of a sensor or pixel."""
    beside = _names_beside(circuit)
    places = {pole.name for pole in circuit.poles if pole.name}
    places |= {block.name for block in circuit.blocks if block.group}
    in_rows = {name for place in places for name in beside[place]}
    rows: list[Row] = []
    for name, part in zip(names_of(circuit).values(), circuit.parts, strict=True):
        if name not in in_rows:
            what = (part.part, part.name) if isinstance(part, Block) else (f"{part.kind} {part.value}", part.place)
            rows.append((name, *what))
    return markdown_table(("name", "part", "which"), rows)


def _part_notes(board: BoardDescription) -> str:
    """Return the notes on soldering the sensors; empty for those without a supply."""
    kind, volts = sensor_kind(board), f"{scheme_of(board).supply(board.options).volts:g} V"
    if kind == "level":
        return f"{LINEAR_NOTES.format(volts=volts)}\n\n{legs_text()}"
    hall = HALL_NOTES.format(volts=volts)
    if kind == "polarity":
        return f"{hall} {POLES_NOTES}\n\n{legs_text()}"
    return f"{hall}\n\n{legs_text()}" if board.part in HALL_SWITCHES else ""


def legs_text() -> str:
    """Return the legs of a hall sensor, drawn as it lies with its marked face towards the reader."""
    left_to_right = [name for name, _ in sorted(LEGS.items(), key=lambda one: int(one[1]))]
    goes = {"VCC": "supply", "GND": "ground", "OUT": "output"}
    width = max(map(len, goes.values())) + 2
    rows = (
        " " + "_" * (3 * width),
        "/" + "marked face".center(3 * width) + "\\",
        "|" + "_" * (3 * width) + "|",
        " " + "".join("|".center(width) for _ in left_to_right),
        " " + "".join(LEGS[name].center(width) for name in left_to_right),
        " " + "".join(name.center(width) for name in left_to_right),
        " " + "".join(goes[name].center(width) for name in left_to_right),
    )
    drawn = "\n".join(row.rstrip() for row in rows)
    return f"{LEGS_NOTES}\n\n```text\n{drawn}\n```"


def shifter(board: BoardDescription) -> list[Row]:
    """Return one row per pin of the level shifter: pin, name, connection; sorted by pin."""
    rows: list[Row] = [
        (7, "GND", "ground"),
        (14, "VCC", "5 V of the pixels, 100 nF to pin 7"),
    ]
    lines = strip_lines(board)
    for number, (enable, data, out) in enumerate(SHIFTERS):
        if number < len(lines):
            line = lines[number]
            rows += [
                (enable, f"{number + 1}OE", "ground: always on"),
                (data, f"{number + 1}A", f"GPIO {line.gpio} (pin {HEADER[line.gpio]})"),
                (out, f"{number + 1}Y", f"330 Ω, then {line.end} of strip {line.strip}'s first pixel"),
            ]
        else:
            rows += [
                (enable, f"{number + 1}OE", "5 V: off"),
                (data, f"{number + 1}A", "ground"),
                (out, f"{number + 1}Y", "nothing"),
            ]
    return sorted(rows, key=lambda row: int(str(row[0])))


def header(board: BoardDescription, circuit: Circuit) -> list[tuple[str, str, str]]:
    """Return one row per used pin of the header of a board with this circuit: pin, GPIO, connection; sorted by pin."""
    goes = {one.net: f"strip {one.strip}: {one.what}, through a 74AHCT125 at 5 V" for one in strip_lines(board)}
    goes |= {V33: "supply of the sensors' chips", GROUND: _ground_words(board, circuit)}
    goes |= {V5_PI: " and ".join(FED_BY_5V.get(one.name, one.name) for one in consumers(circuit, V5_PI))}
    pins = (pin for pin in circuit.blocks[0].pins if pin.net != USB)
    rows = [(pin.number, pin.name, goes.get(pin.net, f"sensors: {pin.net}")) for pin in pins]
    bus = scheme_of(board).bus_pins(board.options)
    # A circuit of the scheme's own shows which of the bus's pins are wired; the others belong to the bus all the same.
    wired = bool(bus.keys() & circuit.nets)
    free = "nothing: {} is the bus's own, leave it free" if wired else "sensors: {}"
    rows += [
        (str(HEADER[gpio]), f"GPIO {gpio}", free.format(what)) for what, gpio in bus.items() if what not in circuit.nets
    ]
    return sorted((row for row in rows if row[2]), key=lambda row: int(row[0]))


def _ground_words(board: BoardDescription, circuit: Circuit) -> str:
    """Return what is joined to the Pi's ground; empty where it is alone, or joined through USB."""
    own = sensors_circuit(board)
    wired = not {USB, CHARGER} & own.nets
    ends = [
        ("chips", bool(own.blocks) and wired),
        ("sensors", bool(own.poles) and GROUND in own.nets and wired),
        ("level shifter", bool(strip_lines(board))),
        (f"the {'pixels' if board.lights.has_strips else 'sensors'}' own supply", V5 in circuit.nets),
    ]
    words = [what for what, joined in ends if joined]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def regulator(circuit: Circuit) -> list[Row]:
    """Return one row per pin of the sensors' regulator: pin, name, connection; none where there is none."""
    found = next((block for block in circuit.blocks if block.name == REGULATOR), None)
    if found is None:
        return []
    feed = found.left[0].net
    source = "the Pi's 5 V (pin 2)" if feed == V5_PI else "5 V of the board's own supply, behind its fuse"
    return [
        ("1", "GND", "ground"),
        ("2", "VOUT", "3.3 V of all chips and sensors; 10 µF (tantalum, plus here) to pin 1; the tab is joined to it"),
        ("3", "VIN", f"{source}; 10 µF (plus here) to pin 1"),
    ]


def sensors_table(board: BoardDescription, circuit: Circuit) -> str:
    """Return the Markdown table of all sensors, in channel order."""
    place, beside = scheme_of(board).label, _names_beside(circuit)
    names = {name: ", ".join(all_) for name, all_ in beside.items()}
    nodes = sorted(board.nodes.values(), key=lambda node: node.channel)
    nets = input_nets(board, inputs_of(board))
    if has_switch_pairs(board):
        rows = [
            (
                node.name,
                node.channel,
                *(f"{place(board, at)}: {names[nets[at]]}" for at in (2 * node.channel, 2 * node.channel + 1)),
            )
            for node in nodes
        ]
        return markdown_table(("node", "channel", "closes for north up (white)", "closes for south up (black)"), rows)
    return markdown_table(
        ("node", "channel", "soldered to", "names"),
        [
            (board.sensor_words(channel), channel, place(board, channel), names[net])
            for channel, net in zip(sorted(board.sensors()), nets, strict=True)
        ],
    )


def pixel_notes(board: BoardDescription, circuit: Circuit) -> str:
    """Return how one pixel is wired to the next, which leg is which, and where their supply enters."""
    notes = [PIXEL_NOTES, *([ENTERING_NOTES] if _entering(board, circuit) else [])]
    for scheme in dict.fromkeys(strip.scheme for strip in board.lights.strips):
        kind = STRIPS.get(scheme)
        legs = sorted(kind.legs.items(), key=lambda one: one[1])
        if legs:
            notes.append(f"Legs of a {kind.part.split()[0]}: {', '.join(f'{leg} {name}' for name, leg in legs)}.")
            if kind.corner:
                where = f"{kind.legs[kind.corner]} ({kind.corner})"
                notes.append(f"The cut corner of a single one is at {where} with most makers: compare its data sheet.")
    return " ".join(notes)


def pixels(board: BoardDescription, circuit: Circuit) -> list[Row]:
    """Return one row per pixel: number, node, distance (mm) from the pixel before it on its strip, names.

    Where 5 V and ground enter the strip the row names the connectors.
    """
    entering = _entering(board, circuit)
    names: Mapping[int, NodeWiring] = {node.pixel: node for node in board.nodes.values()}
    beside = _names_beside(circuit)
    called = [", ".join(beside[block.name]) for block in circuit.blocks if block.group]
    rows: list[Row] = []
    begin = 0
    for number, strip in enumerate(board.lights.strips, 1):
        before: NodeWiring | None = None
        for pixel in range(begin, begin + strip.length):
            node = names.get(pixel)
            first = f"from {strip.pin}: strip {number} begins" if pixel == begin else ""
            if node is None:
                rows.append((pixel, "none: stays dark", first + entering.get(pixel, ""), called[pixel]))
                continue
            far = f"{math.dist((before.x, before.y), (node.x, node.y)):.0f} mm" if before else ""
            rows.append((pixel, node.name, (first or far) + entering.get(pixel, ""), called[pixel]))
            before = node
        begin += strip.length
    return rows


def _entering(board: BoardDescription, circuit: Circuit) -> dict[int, str]:
    """Return pixel → words for the connectors by which 5 V and ground enter there, evenly spread over each strip."""
    names = list(names_of(circuit).values())
    begin, found = 0, {}
    for number, strip in enumerate(board.lights.strips, 1):
        feeds: dict[str, list[str]] = {}
        for name, block in zip(names, circuit.blocks, strict=False):
            feed = re.match(rf"(feed \d+) of strip {number},", block.name)
            if feed:
                feeds.setdefault(feed[1], []).append(name)
        for at, connectors in enumerate(feeds.values()):
            found[begin + strip.length * at // len(feeds)] = f"; 5 V and ground enter: {', '.join(connectors)}"
        begin += strip.length
    return found


# -- power -------------------------------------------------------------------------------------------------------------


def power_text(board: BoardDescription) -> str:
    """Return the budget as a Markdown table."""
    found, circuit = budget(board), circuit_of(board)
    rows = [*(_lights_power(found) if found.pixels else ()), *(_supply_power(found) if found.total_ma else ())]
    rows += [*_loads(board, circuit), *_unnamed_part(board)]
    return markdown_table(("what", "how much", "why"), rows)


def _lights_power(found: PowerBudget) -> Iterator[TextRow]:
    feeds = "its beginning" if found.feeds == 1 else f"{found.feeds} places, evenly spread from its beginning"
    yield "pixels dark", f"{found.idle_ma:.0f} mA", f"{found.pixels} x {found.idle_ma / found.pixels:.3g} mA"
    yield "pixels at the limit", f"{found.lights_ma:.0f} mA", f"max_current_ma = {found.limit_ma:g}, and the above"
    full = f"{found.pixels} x {found.unlimited_ma / found.pixels:.3g} mA"
    yield "all pixels at full, were there no limit", f"{found.unlimited_ma:.0f} mA", full
    yield "wire along the longest strip", f"{found.chain_m:.1f} m", f"{_wire(found)}; feed 5 V in at {feeds}"
    yield "one frame of light", f"{found.frame_ms:.1f} ms", "the longest strip"


def _supply_power(found: PowerBudget) -> Iterator[TextRow]:
    """Yield the rows of the board's own 5 V supply."""
    fuse = found.fuse
    yield f"5 V supply for {found.feeds_what}", f"{found.supply_a:g} A or more", "a quarter in reserve"
    if found.pixels:
        yield "should the limit fail", f"{(found.unlimited_ma + found.sensors_ma) / 1000:.1f} A", overload_words(found)
    holds = f"holds {fuse.holds_a:.1f} A for {fuse.holds_for}, opens within {fuse.opens_in} at {fuse.opens_a:.1f} A"
    yield "fuse in its 5 V line", f"{fuse.amperes:g} A ({fuse.kind})", f"against shorts: {holds}"
    loses = f"bears what the fuse holds; a metre loses {found.lead_v:.2f} V, there and back"
    yield "wire from this supply", _wire(found), loses


def _wire(found: PowerBudget) -> str:
    return f"{found.wire_mm2:g} mm² or more"


def _ma(current: float) -> str:
    return f"{current:.0f} mA" if current >= 10 else f"{current:.1g} mA"


def _loads(board: BoardDescription, circuit: Circuit) -> Iterator[TextRow]:
    """Yield a row for each supply but the pixels': its load, what takes it, and what gives how much at most."""
    supply = scheme_of(board).supply(board.options)
    sources = {
        V33: ("chips and sensors at 3.3 V", "the Pi's 3.3 V pin"),
        V33_SCANNER: ("chips and sensors at 3.3 V", supply.words),
        V5_SCANNER: ("chips and sensors at 5 V", supply.words),
        V33_OWN: ("chips and sensors at 3.3 V", "a regulator of their own"),
        V5_PI: ("from the Pi's 5 V pin", "the Pi's supply"),
        USB: ("microcontroller and what it feeds", "one USB port"),
        CHARGER: ("microcontroller and what it feeds", "a USB charger"),
    }
    for net, (what, source) in sources.items():
        takers = consumers(circuit, net)
        if takers:
            names = ", ".join(f"{one.number} x {one.name}: {_ma(one.ma)}" for one in takers)
            words = f"{names}; from {source}, {limit_ma(circuit, net):g} mA at most"
            yield what, _ma(load_ma(circuit, net)), words
        if net == V33_OWN and takers:
            load = load_ma(circuit, net)
            yield "the sensors' regulator", REGULATOR_PART, cooling(load)
            loses = f"a metre loses {lead_v(load / 1000, rail_mm2(load)):.2f} V, there and back"
            yield "wire from the regulator", f"{rail_mm2(load):g} mm² or more", loses


def _unnamed_part(board: BoardDescription) -> Iterator[TextRow]:
    """Yield a row with the sensors' largest current where the board file names no part."""
    if not board.part:
        usual, *others = scheme_of(board).sensor_parts(sensor_kind(board))
        most = max(others, key=lambda part: PARTS[part].ma, default=usual)
        if PARTS[most].ma > PARTS[usual].ma:
            inputs, each = inputs_of(board), PARTS[most].ma
            words = f"no `part` in [sensors]: all tables show {usual}; {inputs} x {most} would take {each:g} mA each"
            yield "other sensors", f"up to {_ma(inputs * each)}", words


# -- magnets -----------------------------------------------------------------------------------------------------------


_SWITCH_HEADS = (
    "part",
    "a piece alone",
    "at least, with all others",
    "closes by",
    "all others",
    "opens below",
    "verdict",
)
_LINEAR_HEADS = (
    "part",
    "a piece alone",
    "at least, with all others",
    "counts from",
    "all others",
    "nothing up to",
    "verdict",
)
_COUNTED = (
    "Counted: the weakest and the strongest magnet of its grade, from 10 to 35 °C; a piece "
    f"{OFF_STONE_MM:g} mm beside the middle (a tile {OFF_TILE_MM:g} mm), a sensor {DEPTH_MM:g} mm too deep or high; "
    "a piece on every other node, each with the pole that does most harm, and one of the game's highest stacks; the "
    "whole span of the part's data sheet. Not counted: steel nearby."
)


def magnets_text(board: BoardDescription) -> str:
    """Return two Markdown tables: all parts with the board's magnet, and the parts for all common magnets."""
    judge, parts = judge_of(board), parts_of(board)
    best = judge.best([board.part] if board.part else parts, common(board))
    magnet = board.magnet or (best[1] if best else common(board)[0])
    where = judge.surroundings(magnet).worst[1]
    linear = any(PARTS[part].response == LINEAR_OUTPUT for part in parts)
    heads = _LINEAR_HEADS if linear else _SWITCH_HEADS
    named = "Magnets" if board.magnet else "The board file names no magnet. With magnets"
    discs = dict.fromkeys((one.mm, one.height_mm, one.grade) for one in common(board))
    fits = (
        (disc_words(*disc), *(_fitting_parts(judge, parts, Magnet(*disc, gap, magnet.stone_mm)) for gap in GAPS_MM))
        for disc in discs
    )
    return "\n\n".join(
        (
            f"{named} of {magnet_words(magnet)}; their neighbours disturb {where} most:",
            markdown_table(heads, (_magnet_row(judge, judge.verdict(part, magnet), board.part) for part in parts)),
            "Parts that work on this board with common magnets, by the distance from the magnet's face to the sensor:",
            markdown_table(("magnet", *(f"{gap:g} mm" for gap in GAPS_MM)), fits),
            _COUNTED,
        )
    )


def _magnet_row(judge: MagnetJudge, verdict: MagnetVerdict, named: str) -> tuple[str, ...]:
    part = f"**{verdict.part}**" if verdict.part == named else verdict.part
    words = [f"no: {verdict.why}" if verdict.why else "works"]
    if PARTS[verdict.part].response == AXIAL:
        words.append("an estimate: try one")
    if verdict.unit == "steps" and judge.places.mixed and not verdict.why:
        far = f"tells stacks from stones up to {verdict.stack_mm:.1f} mm beside the middle"
        words.append(far if verdict.stack_mm >= 0 else "can't tell stacks from stones")
    return part, *verdict.figures, "; ".join(words)


def _fitting_parts(judge: MagnetJudge, parts: Sequence[str], magnet: Magnet) -> str:
    return ", ".join(part for part, _ in judge.fitting(parts, [magnet])) or "none"


# -- tables in pages ---------------------------------------------------------------------------------------------------


TABLES: Mapping[str, tuple[Callable[[BoardDescription], str], str]] = {
    "parts": (parts_text, "the list of parts"),
    "wiring": (wiring_text, "where every wire goes"),
    "power": (power_text, "supply, fuse and wires"),
    "magnets": (magnets_text, "which sensor part works with which magnet, beside its neighbours"),
}
"""WHAT of ``lodestone board`` → the function that returns its table, and its help."""
GUIDE = Path(__file__).parent / "build.md"
_PLACE = re.compile(r"(<!-- lodestone board (\S+) (\S+) -->\n).*?(<!-- end -->)", re.S)


def update_tables(page: str) -> str:
    """Return a page of Markdown with all its tables updated."""

    def table(found: re.Match[str]) -> str:
        text, _ = TABLES[found[2]]
        return f"{found[1]}{text(load_board(find_board(found[3])))}\n{found[4]}"

    return _PLACE.sub(table, page)


if __name__ == "__main__":
    GUIDE.write_text(update_tables(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")

"""A board's circuit for KiCad 8 and later: a schematic (``.kicad_sch``), from which KiCad makes netlist and plate.

Each block and each part with poles is a box that the file itself describes (no library of symbols is needed), and each
pin has a global label with its net's name: equal labels are joined, as in our own drawing
(:mod:`firmware_host.maker.schematic`). All pins are passive: currents are judged by
:mod:`firmware_host.maker.budget`, which knows the milliamperes that KiCad doesn't. Lengths are in mm on KiCad's grid
of 1.27 mm, y downwards on the sheet and upwards within a symbol.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firmware_host.maker.netlist import circuit_of
from firmware_host.text.words import Refused
from hw.circuit import CAPACITOR, DIODE, FUSE, HALL, OPEN, RESISTOR, SWITCH, Block, Circuit, Pin, Pole
from hw.ports import BoardDescription

GRID = 2.54
HALF = 7 * GRID
"""Half of a box's width."""
COLUMN = 30 * GRID
"""Distance between columns of boxes: two halves, and the labels on both sides."""
LETTERS = {RESISTOR: "R", CAPACITOR: "C", DIODE: "D", SWITCH: "SW", HALL: "U", FUSE: "F"}
"""Kind of a part with poles → first letters of its reference (IEEE 315)."""
ESCAPES = str.maketrans({"{": "{brace}", "/": "{slash}", "\\": "{backslash}"})
"""Signs in a net's name that KiCad writes otherwise (``EscapeString`` in its string_utils.cpp)."""
SPACE = uuid.UUID("6f0b5a1e-53a5-4d0e-9a54-0c9f3a4c6a11")
"""Space of the identifiers, so that a board's file is the same each time."""


@dataclass(frozen=True)
class Box:
    """A part on the sheet: its reference, value, and pins on its left and right side."""

    reference: str
    value: str
    left: tuple[Pin, ...]
    right: tuple[Pin, ...]

    @property
    def height(self) -> float:
        """Height of the box, mm."""
        return GRID * (max(len(self.left), len(self.right)) + 1)


def boxes(circuit: Circuit) -> list[Box]:
    """Return all parts of a circuit, with references that are unique and pins that have unique numbers."""
    counted: Counter[str] = Counter()

    def reference(letters: str) -> str:
        counted[letters] += 1
        return f"{letters}{counted[letters]}"

    found = [Box(reference("U"), f"{one.part} ({one.name})", *_numbered(one)) for one in circuit.blocks]
    for pole in circuit.poles:
        value = f"{pole.value} ({pole.at})" if pole.at else pole.value or pole.part or pole.kind
        found.append(Box(reference(LETTERS[pole.kind]), value, *_poles(pole)))
    return found


def _numbered(block: Block) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
    """Return both sides of a block, where a pin without a number (or with a second one's) gets ``P1``, ``P2`` …."""
    taken: set[str] = set()
    pins = []
    for at, pin in enumerate(block.pins, 1):
        number = pin.number if pin.number and pin.number not in taken else f"P{at}"
        taken.add(number)
        pins.append(Pin(number, pin.name, pin.net))
    return tuple(pins[: len(block.left)]), tuple(pins[len(block.left) :])


def _poles(pole: Pole) -> tuple[tuple[Pin, ...], tuple[Pin, ...]]:
    # KiCad's diodes have the cathode at pin 1; a sensor's three pins have the names of its data sheet.
    first, second = ("2", "1") if pole.kind == DIODE else ("1", "2")
    names = ("OUT", "GND") if pole.kind == HALL else ("A", "K") if pole.kind == DIODE else ("", "")
    left, right = (Pin(first, names[0], pole.one),), (Pin(second, names[1], pole.other),)
    return (left, (*right, Pin("3", "VCC", pole.supply))) if pole.supply else (left, right)


def write(board: BoardDescription, folder: Path) -> Path:
    """Write a board's schematic into a folder and return its file. Raise Refused without kiutils, and OSError."""
    try:
        from kiutils.items.common import Effects, Fill, Font, PageSettings, Position, Property, Stroke  # noqa: PLC0415 - an extra
        from kiutils.items.schitems import (  # noqa: PLC0415 - an extra
            GlobalLabel,
            HierarchicalSheetInstance,
            NoConnect,
            SchematicSymbol,
            SymbolProjectInstance,
            SymbolProjectPath,
        )
        from kiutils.items.syitems import SyRect  # noqa: PLC0415 - an extra
        from kiutils.schematic import Schematic  # noqa: PLC0415 - an extra
        from kiutils.symbol import Symbol, SymbolPin  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise Refused("board kicad needs kiutils: pip install 'lodestone-board[kicad]'") from error

    name = board.name
    sheet = Schematic.create_new()
    sheet.version, sheet.generator = 20230121, "lodestone"
    sheet.uuid = _identifier(name, "sheet")
    text = Effects(font=Font(height=1.27, width=1.27))
    hidden = Effects(font=Font(height=1.27, width=1.27), hide=True)
    parts = boxes(circuit_of(board))
    places = list(_places(parts))
    sheet.paper = PageSettings(
        paperSize="User",
        width=max(x for x, _ in places) + COLUMN,
        height=max(y + part.height for part, (_, y) in zip(parts, places, strict=True)) + 10 * GRID,
    )
    shapes: dict[tuple[object, ...], str] = {}
    for part, (x, y) in zip(parts, places, strict=True):
        key = tuple(tuple((pin.number, pin.name) for pin in side) for side in (part.left, part.right))
        entry = shapes.get(key)
        if entry is None:
            entry = shapes[key] = f"box_{len(shapes) + 1}"
            symbol = Symbol(entryName=entry, inBom=True, onBoard=True)
            symbol.properties = [
                Property("Reference", "U", 0, Position(0, GRID, 0), text),
                Property("Value", entry, 1, Position(0, -part.height - GRID, 0), text),
                Property("Footprint", "", 2, Position(0, 0, 0), hidden),
                Property("Datasheet", "", 3, Position(0, 0, 0), hidden),
            ]
            unit = Symbol(entryName=entry, unitId=1, styleId=1)
            unit.graphicItems = [
                SyRect(
                    start=Position(-HALF, 0),
                    end=Position(HALF, -part.height),
                    stroke=Stroke(width=0.254, type="default"),
                    fill=Fill("background"),
                )
            ]
            unit.pins = [
                SymbolPin("passive", "line", Position(dx, -dy, angle), GRID, pin.name or "~", text, pin.number, text)
                for pin, dx, dy, angle in _pins(part)
            ]
            symbol.units = [unit]
            sheet.libSymbols.append(symbol)
        placed = SchematicSymbol(entryName=entry, position=Position(x, y, 0), unit=1, inBom=True, onBoard=True)
        placed.uuid = _identifier(name, part.reference)
        placed.properties = [
            Property("Reference", part.reference, 0, Position(x, y - GRID, 0), text),
            Property("Value", part.value, 1, Position(x, y + part.height + GRID, 0), text),
            Property("Footprint", "", 2, Position(x, y, 0), hidden),
            Property("Datasheet", "", 3, Position(x, y, 0), hidden),
        ]
        path = SymbolProjectPath(sheetInstancePath=f"/{sheet.uuid}", reference=part.reference, unit=1)
        placed.instances = [SymbolProjectInstance(name=name, paths=[path])]
        sheet.schematicSymbols.append(placed)
        for pin, dx, dy, angle in _pins(part):
            at = _identifier(name, f"{part.reference}.{pin.number}")
            if pin.net == OPEN:
                sheet.noConnects.append(NoConnect(Position(x + dx, y + dy), at))
                continue
            # A label's angle is where its text runs to: away from the box.
            away = Position(x + dx, y + dy, 180 - angle)
            label = GlobalLabel(text=pin.net.translate(ESCAPES), shape="passive", position=away, uuid=at)
            sheet.globalLabels.append(label)
    sheet.sheetInstances = [HierarchicalSheetInstance(instancePath="/", page="1")]
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.kicad_sch"
    sheet.to_file(str(file))
    return file


def _identifier(board: str, what: str) -> str:
    return str(uuid.uuid5(SPACE, f"{board}: {what}"))


def _pins(part: Box) -> Iterator[tuple[Pin, float, float, int]]:
    """Yield each pin with the place of its end (mm right of and below the box's upper middle) and its angle."""
    for pins, x, angle in ((part.left, -HALF - GRID, 0), (part.right, HALF + GRID, 180)):
        for at, pin in enumerate(pins, 1):
            yield pin, x, at * GRID, angle


def _places(parts: Sequence[Box]) -> Iterator[tuple[float, float]]:
    """Yield the upper middle of each box, in columns of about a sheet's height."""
    heights = [part.height + 4 * GRID for part in parts]
    tall = max(*heights, (sum(heights) * COLUMN) ** 0.5)
    x, y = COLUMN, 5 * GRID
    for height in heights:
        if y > 5 * GRID and y + height > tall:
            x, y = x + COLUMN, 5 * GRID
        yield round(x / GRID) * GRID, round(y / GRID) * GRID
        y += height

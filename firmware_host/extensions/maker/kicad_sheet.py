"""Writes a schematic for KiCad 8 and later, with the symbols that it uses: needs kiutils.

Each part is a box, and each pin has a global label with its net's name: equal labels are joined, as in our own drawing
(``schematic.py``). The symbols stand in the file, as KiCad wants it, and in a library beside it that the project's
table names, so that KiCad finds them and one can change them. A supply that no pin drives (behind a fuse; ground) gets
KiCad's flag, which says that it is fed. Lengths are in mm on KiCad's grid of 1.27 mm, y downwards on the sheet and
upwards within a symbol.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from kiutils.items.common import Effects, Fill, Font, PageSettings, Position, Property, Stroke
from kiutils.items.schitems import (
    GlobalLabel,
    HierarchicalSheetInstance,
    NoConnect,
    SchematicSymbol,
    SymbolProjectInstance,
    SymbolProjectPath,
)
from kiutils.items.syitems import SyRect
from kiutils.libraries import Library, LibTable
from kiutils.schematic import Schematic
from kiutils.symbol import Symbol, SymbolLib, SymbolPin

from firmware_host.extensions.maker.kicad import PLACE, POWER_IN, POWER_OUT, Box, identifier, net_names, pin_types
from hw.circuit import OPEN, Pin

VERSION = "20230121"
"""The format of KiCad 7, which all later ones read."""
LIBRARY = "lodestone"
GRID = 2.54
HALF = 7 * GRID
"""Half of a box's width."""
COLUMN = 30 * GRID
"""Distance between columns of boxes: two halves, and the labels on both sides."""
ESCAPES = str.maketrans({"{": "{brace}", "/": "{slash}", "\\": "{backslash}"})
"""Signs in a net's name that KiCad writes otherwise (``EscapeString`` in its string_utils.cpp)."""
FLAG = "PWR_FLAG"
TEXT = Effects(font=Font(height=1.27, width=1.27))
HIDDEN = Effects(font=Font(height=1.27, width=1.27), hide=True)


def write(name: str, parts: Sequence[Box], folder: Path) -> Path:
    """Write the schematic of these parts, its symbols and the project; return the schematic's file. Raise OSError."""
    types, nets = pin_types(parts), net_names(parts)
    sheet = Schematic.create_new()
    sheet.version, sheet.generator = VERSION, LIBRARY
    sheet.uuid = identifier(name, "sheet")
    kinds = {(pin.net, types[part.reference, pin.number]) for part in parts for pin in part.pins}
    wanting = sorted({net for net, kind in kinds if kind == POWER_IN and (net, POWER_OUT) not in kinds})
    flags = [Box(f"#FLG{at:02}", FLAG, FLAG, "", "", (), (Pin("1", "", net),)) for at, net in enumerate(wanting, 1)]
    types |= {(flag.reference, "1"): POWER_OUT for flag in flags}
    everything = [*parts, *flags]
    places = list(_places(everything))
    sheet.paper = PageSettings(
        paperSize="User",
        width=max(x for x, _ in places) + COLUMN,
        height=max(y + _height(part) for part, (_, y) in zip(everything, places, strict=True)) + 10 * GRID,
    )
    symbols: dict[tuple[object, ...], Symbol] = {}
    for part, (x, y) in zip(everything, places, strict=True):
        symbol = _symbol(part, types, symbols)
        sheet.schematicSymbols.append(_place_symbol(name, sheet.uuid, part, symbol, (x, y)))
        for pin, dx, dy, angle in _pins(part):
            at = identifier(name, f"{part.reference}.{pin.number}")
            if pin.net == OPEN:
                sheet.noConnects.append(NoConnect(Position(x + dx, y + dy), at))
                continue
            # A label's angle is where its text runs to: away from the box.
            away = Position(x + dx, y + dy, 180 - angle)
            text = nets[pin.net].translate(ESCAPES)
            sheet.globalLabels.append(GlobalLabel(text=text, shape="passive", position=away, uuid=at))
    sheet.sheetInstances = [HierarchicalSheetInstance(instancePath="/", page="1")]
    library = SymbolLib(version=VERSION, generator=LIBRARY, symbols=list(symbols.values()))
    library.to_file(str(folder / f"{LIBRARY}.kicad_sym"), encoding="utf-8")
    for symbol in symbols.values():
        symbol.libraryNickname = LIBRARY
    sheet.libSymbols = list(symbols.values())
    write_table(folder, "sym", f"{LIBRARY}.kicad_sym")
    write_project_file(name, folder)
    file = folder / f"{name}.kicad_sch"
    sheet.to_file(str(file), encoding="utf-8")
    return file


def write_table(folder: Path, kind: str, file: str) -> None:
    """Write the project's table of libraries, ``sym`` for symbols or ``fp`` for footprints, with one in the folder."""
    table = LibTable(type=f"{kind}_lib_table", libs=[Library(name=LIBRARY, uri=f"${{KIPRJMOD}}/{file}")])
    table.to_file(str(folder / f"{kind}-lib-table"), encoding="utf-8")


def write_project_file(name: str, folder: Path, **more: object) -> None:
    """Write the project's own file, with more of its sections if given."""
    file = folder / f"{name}.kicad_pro"
    project = {"meta": {"filename": file.name, "version": 1}, **more}
    file.write_text(json.dumps(project, indent=2) + "\n", encoding="utf-8")


def _symbol(part: Box, types: dict[tuple[str, str], str], symbols: dict[tuple[object, ...], Symbol]) -> Symbol:
    """Return the symbol of a part; parts of the same shape have the same one."""
    sides = (
        [(pin.number, pin.name, types[part.reference, pin.number]) for pin in side] for side in (part.left, part.right)
    )
    key = (part.part, *map(tuple, sides))
    if key in symbols:
        return symbols[key]
    plain = "".join(sign if sign.isalnum() or sign in ".-_" else "_" for sign in part.part)
    same = sum(other[0] == part.part for other in symbols)
    entry = f"{plain}_{same + 1}" if same else plain
    letters = part.reference.rstrip("0123456789")
    symbol = Symbol(entryName=entry, inBom=part.part != FLAG, onBoard=True, isPower=part.part == FLAG)
    symbol.properties = [
        Property("Reference", letters, 0, Position(0, GRID, 0), HIDDEN if part.part == FLAG else TEXT),
        Property("Value", entry, 1, Position(0, -_height(part) - GRID, 0), TEXT),
        Property("Footprint", part.footprint, 2, Position(0, 0, 0), HIDDEN),
        Property("Datasheet", "", 3, Position(0, 0, 0), HIDDEN),
    ]
    unit = Symbol(entryName=entry, unitId=1, styleId=1)
    unit.graphicItems = [
        SyRect(
            start=Position(-HALF, 0),
            end=Position(HALF, -_height(part)),
            stroke=Stroke(width=0.254, type="default"),
            fill=Fill("background"),
        )
    ]
    unit.pins = [
        SymbolPin(
            types[part.reference, pin.number],
            "line",
            Position(dx, -dy, angle),
            GRID,
            pin.name or "~",
            TEXT,
            pin.number,
            TEXT,
        )
        for pin, dx, dy, angle in _pins(part)
    ]
    symbol.units = [unit]
    symbols[key] = symbol
    return symbol


def _place_symbol(name: str, sheet: str, part: Box, symbol: Symbol, place: tuple[float, float]) -> SchematicSymbol:
    x, y = place
    placed = SchematicSymbol(
        libraryNickname=LIBRARY,
        entryName=symbol.entryName,
        position=Position(x, y, 0),
        unit=1,
        inBom=part.part != FLAG,
        onBoard=True,
    )
    placed.uuid = identifier(name, part.reference)
    placed.properties = [
        Property("Reference", part.reference, 0, Position(x, y - GRID, 0), HIDDEN if part.part == FLAG else TEXT),
        Property("Value", part.value, 1, Position(x, y + _height(part) + GRID, 0), TEXT),
        Property("Footprint", part.footprint, 2, Position(x, y, 0), HIDDEN),
        Property("Datasheet", "", 3, Position(x, y, 0), HIDDEN),
        Property(PLACE, part.place, 4, Position(x, y + _height(part) + 2 * GRID, 0), TEXT),
    ]
    path = SymbolProjectPath(sheetInstancePath=f"/{sheet}", reference=part.reference, unit=1)
    placed.instances = [SymbolProjectInstance(name=name, paths=[path])]
    return placed


def _height(part: Box) -> float:
    return GRID * (max(len(part.left), len(part.right)) + 1)


def _pins(part: Box) -> Iterator[tuple[Pin, float, float, int]]:
    """Yield each pin with the place of its end (mm right of and below the box's upper middle) and its angle."""
    for pins, x, angle in ((part.left, -HALF - GRID, 0), (part.right, HALF + GRID, 180)):
        for at, pin in enumerate(pins, 1):
            yield pin, x, at * GRID, angle


def _places(parts: Sequence[Box]) -> Iterator[tuple[float, float]]:
    """Yield the upper middle of each box, in columns of about a sheet's height."""
    heights = [_height(part) + 4 * GRID for part in parts]
    tall = max(*heights, (sum(heights) * COLUMN) ** 0.5)
    x, y = COLUMN, 5 * GRID
    for height in heights:
        if y > 5 * GRID and y + height > tall:
            x, y = x + COLUMN, 5 * GRID
        yield round(x / GRID) * GRID, round(y / GRID) * GRID
        y += height

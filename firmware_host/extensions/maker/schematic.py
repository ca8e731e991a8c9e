"""A board's schematic, drawn from its netlist: blocks with pins, the parts at each pin, nets with names.

Equal names are connected; all ground signs are one net. Lengths are in mm, y upwards, as on a plate, so the same code
writes SVG and PDF.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from firmware_host.extensions.maker.designators import names_by_part, spans
from firmware_host.extensions.maker.netlist import POLARISED, circuit_of
from firmware_host.extensions.maker.plate import (
    CHARACTER_MM,
    DRILL,
    HEAD_MM,
    PRINT,
    SCALE,
    WINDOW,
    Circle,
    Label,
    Plate,
    Segment,
    Shape,
    title_block,
)
from hw.circuit import CAPACITOR, DIODE, FUSE, GROUND, HALL, OPEN, RESISTOR, SUPPLIES, SWITCH, Block, Circuit, Pin, Pole
from hw.ports import BoardDescription

ROW, TEXT, VALUE = 6.0, 2.2, 1.76
"""From row to row; height of names, and of parts' values."""
STUB, ARM = 6.0, 42.0
"""Distance from a block's edge to the branches of parts, and from there to the net at the far end."""
SYMBOL, HALL_SYMBOL = 8.0, 18.0
"""Width of a part's symbol; that of a hall sensor, which shows its supply."""
NAMES = 14.0
"""Space for a net's name before its first part."""
BODY, GAP = 34.0, 52.0
"""Width of a block; space between the columns of blocks for the nets' names."""
COLUMN = STUB + ARM + BODY + STUB + GAP
MARGIN = 15.0
HEAD = 8.0
"""Space for a page's title and legend."""
PLUS = "+"
"""Stands beside the plus of a capacitor that has one."""
LEGEND = (
    (PRINT, "wires, chips and names of their pins"),
    (SCALE, "numbers of pins"),
    (DRILL, "names of wires"),
    (WINDOW, "parts: name and value"),
)
"""Layer → what its colour means."""
SHAPE = 1.4
"""Ratio of a page's width to its height."""


def schematic(board: BoardDescription) -> Plate:
    """Return the drawing of a board's circuit."""
    return draw(circuit_of(board), _title(board))


def draw(circuit: Circuit, name: str) -> Plate:
    """Return the drawing of a circuit: its blocks in columns, then the parts without a block."""
    cells = _cells(_fold(circuit))
    total = sum(cell.height for cell in cells)
    columns = max(1, round(math.sqrt(SHAPE * total / COLUMN)))
    tall = 1.15 * max(total / columns, *(cell.height for cell in cells))
    filled = list(_columns(cells, tall))
    deepest = max(sum(cell.height for cell in column) for column in filled)
    return _page(name, name, (2 * MARGIN + len(filled) * COLUMN, 2 * MARGIN + HEAD + deepest), filled)


def pages(board: BoardDescription, paper: tuple[float, float]) -> list[Plate]:
    """Return the drawing of a board's circuit on pages of a paper (width and height, mm), larger where a block is."""
    name, cells = _title(board), _cells(_fold(circuit_of(board)))
    tall = max(paper[1] - 2 * MARGIN - HEAD, *(cell.height for cell in cells))
    larger = (tall + 2 * MARGIN + HEAD) / paper[1]
    size = (paper[0] * larger, paper[1] * larger)
    filled = list(_columns(cells, tall))
    return [
        _page(name, f"{name}, page {number} of {len(filled)}", size, [column])
        for number, column in enumerate(filled, 1)
    ]


def _title(board: BoardDescription) -> str:
    return f"{board.name}: schematic, {board.scheme}, {board.kind}, {len(board.nodes)} nodes"


def _columns(cells: Sequence[_Cell], tall: float) -> Iterator[list[_Cell]]:
    """Yield the cells in columns that are not higher than this."""
    column: list[_Cell] = []
    for cell in cells:
        if column and sum(one.height for one in column) + cell.height > tall + 1e-6:
            yield column
            column = []
        column.append(cell)
    yield column


def _page(name: str, title: str, size: tuple[float, float], columns: Sequence[Sequence[_Cell]]) -> Plate:
    shapes: list[Shape] = []
    for at, column in enumerate(columns):
        down = 0.0
        for cell in column:
            shapes += [one.move(MARGIN + at * COLUMN, size[1] - MARGIN - HEAD - down) for one in cell.shapes]
            down += cell.height
    shapes += title_block(*size, (f"{title}. Equal names are joined; all ground signs are.",), LEGEND)
    return Plate(name, *size, tuple(shapes), to_scale=False)


@dataclass
class _Cell:
    """The drawing of a block with the parts at its pins; its upper left corner is (0, 0)."""

    shapes: list[Shape] = field(default_factory=list)
    height: float = 0.0


@dataclass(frozen=True)
class _End:
    """A part seen from one of its nets."""

    pole: Pole
    near: str

    @property
    def far(self) -> str:
        """The net at its other end."""
        return self.pole.one if self.pole.other == self.near else self.pole.other


def _fold(circuit: Circuit) -> Circuit:
    """Return a circuit with fewer parts to draw: a strip as one, a sensor with its capacitor; values with names."""
    names = names_by_part(circuit)
    at = {pole.name: pole for pole in circuit.poles if pole.kind == HALL}
    in_group = {block.name: block.group for block in circuit.blocks if block.group}
    beside: dict[str, list[Pole]] = {}
    for pole in circuit.poles:
        place = in_group.get(pole.at, pole.at if pole.at in at else "")
        if place:
            beside.setdefault(place, []).append(pole)
    blocks: list[Block] = []
    for group, alike in itertools.groupby(circuit.blocks, key=lambda block: block.group):
        own = list(alike)
        if not group:
            blocks += [replace(block, part=f"{names[id(block)]} {block.part}") for block in own]
            continue
        part = f"{spans(names[id(block)] for block in own)}: {own[0].part}"
        # Data enters the first one; what hands it on leaves the last one, and each hands it to the next.
        left = tuple(_name_pin(pin, names[id(own[0])]) for pin in own[0].left)
        right = tuple(_name_pin(pin, names[id(own[-1])]) for pin in own[-1].right)
        blocks.append(replace(own[-1], name=group, part=part, left=left, right=right, group=""))
    folded = {id(pole) for all_ in beside.values() for pole in all_}
    poles: list[Pole] = []
    for pole in circuit.poles:
        if id(pole) not in folded:
            shown = [pole, *(beside.get(pole.name, ()) if pole.name in at else ())]
            value = ", ".join(f"{names[id(one)]} {one.value}" for one in shown)
            # Where the wire at its end has another name, the node is said.
            where = f", {pole.name}" if pole.name not in {"", pole.one} else ""
            poles.append(replace(pole, value=value + where))
    for place, all_ in beside.items():
        if place not in at:
            value = f"{spans(names[id(pole)] for pole in all_)}: {all_[0].value} each"
            poles.append(replace(all_[0], value=value, at=place))
    return Circuit(tuple(blocks), tuple(poles))


def _name_pin(pin: Pin, name: str) -> Pin:
    """Return a pin of one of many parts that are drawn as one: supplies go to all of them, a line to that one."""
    return pin if pin.net in SUPPLIES else replace(pin, name=f"{pin.name} of {name}")


def _cells(circuit: Circuit) -> list[_Cell]:
    left = list(circuit.poles)
    # The computer's block is drawn last, so that a pull-up is drawn at the chip that needs it.
    order = [*circuit.blocks[1:], *circuit.blocks[:1]]
    pinned = {*SUPPLIES, *(pin.net for block in circuit.blocks for pin in block.pins)}
    drawn = {block.name: _block(block, left, pinned) for block in order}
    cells = [drawn[block.name] for block in circuit.blocks]
    while left:
        cells.append(_chain(left))
    return cells


def _block(block: Block, left: list[Pole], pinned: AbstractSet[str]) -> _Cell:
    cell, edge = _Cell(), STUB + ARM
    shapes, depth = cell.shapes, [ROW, ROW]
    for side, pins in enumerate((block.left, block.right)):
        x, way = (edge, -1) if side == 0 else (edge + BODY, 1)
        for pin in pins:
            poles = _take_poles(left, pin.net, pinned) if side == 0 or pin.net not in SUPPLIES else []
            y = -depth[side] - ROW
            shapes.append(Label(PRINT, x - way * 1.2, y, TEXT, pin.name, "start" if side == 0 else "end"))
            shapes.append(Label(SCALE, x + way * 1.0, y + 1.3, TEXT * 0.8, pin.number, "end" if side == 0 else "start"))
            shapes += _arm(pin.net, poles, x, y, way)
            depth[side] += ROW * max(1, len(poles))
    down = max(depth) + ROW
    shapes += _box(edge, -ROW, BODY, down - ROW)
    shapes.append(Label(PRINT, edge + BODY / 2, -ROW + 3, TEXT * 1.2, f"{block.part} ({block.name})"))
    for pole in [one for one in left if one.at == block.name]:
        left.remove(pole)
        shapes += _between(pole, edge, -down - ROW)
        down += ROW
    cell.height = down + 2 * ROW
    return cell


def _take_poles(left: list[Pole], net: str, pinned: AbstractSet[str]) -> list[list[_End]]:
    """Remove from ``left`` and return the parts at a net, each with the parts in series behind it."""
    if net in (*SUPPLIES, OPEN):
        return []
    found = [[_End(pole, net)] for pole in left if net in {pole.one, pole.other} and not pole.at]
    for (first,) in found:
        left.remove(first.pole)
    for chain in found:
        while (far := chain[-1].far) not in pinned:
            behind = [pole for pole in left if far in {pole.one, pole.other}]
            if len(behind) != 1:
                break
            left.remove(behind[0])
            chain.append(_End(behind[0], far))
    return found


def _arm(net: str, poles: Sequence[Sequence[_End]], x: float, y: float, way: int) -> Iterator[Shape]:
    """Yield a pin's wire: to its net's name, or through its parts, one below the other."""
    out = x + way * STUB
    yield Segment(PRINT, x, y, out, y)
    if net == OPEN:
        yield Segment(PRINT, out - 1, y - 1, out + 1, y + 1)
        yield Segment(PRINT, out - 1, y + 1, out + 1, y - 1)
        return
    if not poles:
        yield from _end(net, out, y, way)
        return
    yield Label(DRILL, out, y + 2.2, TEXT, net, "end" if way < 0 else "start")
    for at, chain in enumerate(poles):
        row = y - at * ROW
        if at:
            yield Segment(PRINT, out, row, out, row + ROW)
        yield from _through(chain, out, row, way, "" if at else net)
    if len(poles) > 1:
        yield Circle(PRINT, out, y, 0.5)


def _through(chain: Sequence[_End], x: float, y: float, way: int, name: str) -> Iterator[Shape]:
    """Yield the parts on a wire from x to the left (``way`` -1) or right (1), and the net behind them.

    ``name`` stands over the wire's beginning: the first part's value does not reach it.
    """
    value, width = _long(chain[0].pole.value, VALUE), _width(chain[0].pole)
    begin = x + way * max(NAMES, _long(name, TEXT) + max(0.0, value - width) / 2 + 1.0)
    yield Segment(PRINT, x, y, begin, y)
    for seen in chain:
        end = begin + way * _width(seen.pole)
        near_is_right = way < 0
        yield from _symbol(seen.pole, min(begin, end), y, ring_right=(seen.pole.other == seen.near) == near_is_right)
        begin = end + way * 3
        yield Segment(PRINT, end, y, begin, y)
    yield from _end(chain[-1].far, begin, y, way)


def _between(pole: Pole, x: float, y: float) -> Iterator[Shape]:
    """Yield a part with the names of both its nets."""
    yield from _end(pole.one, x, y, -1)
    yield Segment(PRINT, x, y, x + 6, y)
    yield from _symbol(pole, x + 6, y, ring_right=True)
    yield Segment(PRINT, x + 6 + SYMBOL, y, x + 20, y)
    yield from _end(pole.other, x + 20, y, 1)


def _chain(left: list[Pole]) -> _Cell:
    """Return the drawing of a part without a block, and of the parts in series behind it."""
    cell, x = _Cell(), STUB + ARM
    pole = left.pop(0)
    cell.shapes += _end(pole.one, x, -ROW, -1)
    while True:
        cell.shapes.append(Segment(PRINT, x, -ROW, x + 5, -ROW))
        cell.shapes += _symbol(pole, x + 5, -ROW, ring_right=True)
        x += 5 + SYMBOL
        inner = [one for one in left if one.one == pole.other]
        if pole.other in SUPPLIES or len(inner) != 1:
            break
        left.remove(inner[0])
        pole = inner[0]
    cell.shapes.append(Segment(PRINT, x, -ROW, x + 3, -ROW))
    cell.shapes += _end(pole.other, x + 3, -ROW, 1)
    cell.height = ROW * 1.5
    return cell


# -- signs -------------------------------------------------------------------------------------------------------------


def _end(net: str, x: float, y: float, way: int) -> Iterator[Shape]:
    """Yield a wire's end: the ground sign, or the net's name."""
    if net != GROUND:
        yield Label(DRILL, x + way * 1.0, y, TEXT, net, "end" if way < 0 else "start")
        return
    for at, half in enumerate((1.8, 1.1, 0.4)):
        yield Segment(PRINT, x + way * at * 0.8, y - half, x + way * at * 0.8, y + half)


def _width(pole: Pole) -> float:
    return HALL_SYMBOL if pole.kind == HALL else SYMBOL


def _long(text: str, height: float) -> float:
    """Return about how long a text is."""
    return CHARACTER_MM / HEAD_MM * height * len(text)


def _symbol(pole: Pole, x: float, y: float, *, ring_right: bool) -> Iterator[Shape]:
    """Yield a part's symbol from (x, y) to the right, and its value; a diode's cathode is right or left."""
    width = _width(pole)
    end, middle = x + width, x + width / 2
    yield Label(WINDOW, middle, y + 2.7, VALUE, pole.value)
    if pole.kind in {RESISTOR, FUSE}:
        yield from _box(x, y + 1, SYMBOL, 2)
        if pole.kind == FUSE:
            yield Segment(PRINT, x, y, end, y)
    elif pole.kind == CAPACITOR:
        for side in (-0.6, 0.6):
            yield Segment(PRINT, middle + side, y - 1.6, middle + side, y + 1.6)
        yield Segment(PRINT, x, y, middle - 0.6, y)
        yield Segment(PRINT, middle + 0.6, y, end, y)
        if pole.value.split()[-1] in POLARISED:
            yield Label(PRINT, middle - 2.0, y + 0.9, TEXT * 0.6, PLUS)
    elif pole.kind == SWITCH:
        yield Segment(PRINT, x, y, x + 2, y)
        yield Segment(PRINT, x + 2, y, end - 2, y + 1.6)
        yield Segment(PRINT, end - 2, y, end, y)
    elif pole.kind == DIODE:
        ring, back = (middle + 1.5, middle - 1.5) if ring_right else (middle - 1.5, middle + 1.5)
        yield Segment(PRINT, x, y, end, y)
        yield Segment(PRINT, ring, y - 1.4, ring, y + 1.4)
        yield Segment(PRINT, back, y - 1.4, back, y + 1.4)
        yield Segment(PRINT, back, y - 1.4, ring, y)
        yield Segment(PRINT, back, y + 1.4, ring, y)
    elif pole.kind == HALL:
        yield from _box(x, y + 1.3, width, 2.6)
        yield Label(PRINT, middle, y, TEXT * 0.7, pole.supply)


def _box(x: float, top: float, width: float, height: float) -> Iterator[Segment]:
    corners = ((x, top), (x + width, top), (x + width, top - height), (x, top - height))
    for (x1, y1), (x2, y2) in itertools.pairwise((*corners, corners[0])):
        yield Segment(PRINT, x1, y1, x2, y2)

"""A drawing as a file: SVG, PDF at full size (one page, or A4 pages to glue together), or DXF in millimetres.

In SVG and PDF y goes downwards, on a plate upwards. The libraries for PDF and DXF are imported when they are needed.
"""

from __future__ import annotations

import importlib
import io
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host.archive.files import write_output
from firmware_host.extensions.maker.plate import (
    BLIND,
    CROSS,
    CUT,
    DRILL,
    LAYERS,
    PRINT,
    SCALE,
    WINDOW,
    Arc,
    Circle,
    DrawingError,
    Label,
    Outline,
    Plate,
    Segment,
    Shape,
)

COLOURS = {
    CUT: "#c00000",
    DRILL: "#0040c0",
    BLIND: "#8000a0",
    WINDOW: "#008040",
    PRINT: "#000000",
    SCALE: "#804000",
    CROSS: "#8090a0",
}
"""Layer → its colour in SVG and PDF."""
DXF_COLOURS = {CUT: 1, DRILL: 5, BLIND: 6, WINDOW: 3, PRINT: 7, SCALE: 30, CROSS: 8}
"""Layer → AutoCAD's colour number."""
STROKE_MM = 0.25
MISSING = "install the drawing libraries: pip install 'lodestone-board[drawing]'"


# -- SVG ---------------------------------------------------------------------------------------------------------------


SVG_CAPITALS = 0.7
"""Height of the fonts' capitals as a share of the font's size."""


def svg(plate: Plate) -> str:
    """Return the drawing as the text of an SVG file."""
    width, height = f"{plate.width:.3f}", f"{plate.height:.3f}"
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=f"{width}mm",
        height=f"{height}mm",
        viewBox=f"0 0 {width} {height}",
    )
    ET.SubElement(root, "title").text = f"{plate.name}, scale 1:1, {plate.width:.1f} x {plate.height:.1f} mm"
    for layer in LAYERS:
        style = {"fill": "none", "stroke": COLOURS[layer], "stroke-width": str(STROKE_MM)}
        group = ET.SubElement(root, "g", {"id": layer, **style})
        for shape in plate.shapes:
            if shape.layer == layer:
                _draw(group, shape, plate.height)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def write_svg(plate: Plate, path: Path) -> None:
    """Write an SVG file. Raise Refused when it can't be written."""
    write_output(path, svg(plate))


def _draw(group: ET.Element, shape: Shape, down: float) -> None:
    """Add a shape to the group of its layer; ``down`` is the drawing's height."""
    if isinstance(shape, Circle):
        ET.SubElement(group, "circle", cx=_mm(shape.x), cy=_mm(down - shape.y), r=_mm(shape.radius))
    elif isinstance(shape, Arc):
        x1, y1 = shape.ends()[0]
        ET.SubElement(group, "path", d=f"M {_mm(x1)} {_mm(down - y1)} {_arc(shape, down)}")
    elif isinstance(shape, Outline):
        ET.SubElement(group, "path", d=_outline(shape, down))
    elif isinstance(shape, Segment):
        ends = {"x1": shape.x1, "y1": down - shape.y1, "x2": shape.x2, "y2": down - shape.y2}
        ET.SubElement(group, "line", {name: _mm(value) for name, value in ends.items()})
    else:
        text = {
            "text-anchor": shape.anchor,
            "font-family": "sans-serif",
            "stroke": "none",
            "fill": COLOURS[shape.shown or shape.layer],
        }
        place = {"x": _mm(shape.x), "y": _mm(down - shape.y + shape.height / 2)}
        size = {"font-size": _mm(shape.height / SVG_CAPITALS)}
        ET.SubElement(group, "text", {**place, **size, **text}).text = shape.text


def _arc(arc: Arc, down: float, *, clockwise: bool = False) -> str:
    """Return a path's command for an arc, from its first point to its last, or back."""
    x, y = arc.ends()[0 if clockwise else 1]
    flags = f"{int(arc.end - arc.begin > 180)} {int(clockwise)}"  # Anticlockwise, with y upwards on the plate.
    return f"A {_mm(arc.radius)} {_mm(arc.radius)} 0 {flags} {_mm(x)} {_mm(down - y)}"


def _outline(outline: Outline, down: float) -> str:
    x, y, _ = outline.corners[0]
    found = [f"M {_mm(x)} {_mm(down - y)}"]
    for side, (_, _, bulge) in zip(outline.sides(), outline.corners, strict=True):
        found.append(
            f"L {_mm(side.x2)} {_mm(down - side.y2)}"
            if isinstance(side, Segment)
            else _arc(side, down, clockwise=bulge < 0)
        )
    return " ".join([*found, "Z"])


def _mm(value: float) -> str:
    return f"{value:.3f}"


# -- PDF ---------------------------------------------------------------------------------------------------------------


POINT_MM = 25.4 / 72
PDF_CAPITALS = 0.72
"""Height of Helvetica's capitals as a share of the font's size."""
A4_MM, LETTER_MM = (210.0, 297.0), (215.9, 279.4)
MARGIN_MM = 10.0
"""White margin of printers; the picture is inside it."""
OVERLAP_MM = 10.0
"""Overlap of neighbouring pages, for gluing."""
INSET_MM = OVERLAP_MM / 2
"""Distance of the crosses from the picture's edge: the middle of the overlap."""
MARK_MM = 5.0


@dataclass(frozen=True)
class Tile:
    """One page: its row (from the top) and column, the plate's point at the picture's top left, its paper."""

    row: int
    column: int
    x: float
    top: float
    paper: tuple[float, float] = A4_MM

    @property
    def step(self) -> tuple[float, float]:
        """Distance of neighbouring pages on the plate, to the right and down."""
        return steps_of(self.paper)

    def marks(self) -> list[tuple[float, float]]:
        """Return the plate's points with a cross on this page; neighbouring pages have the shared ones, too."""
        return [
            (self.x + dx, self.top - dy)
            for dx in (INSET_MM, INSET_MM + self.step[0])
            for dy in (INSET_MM, INSET_MM + self.step[1])
        ]


def steps_of(paper: tuple[float, float]) -> tuple[float, float]:
    """Return the distance of neighbouring pages of a paper on the plate, to the right and down."""
    return paper[0] - 2 * MARGIN_MM - OVERLAP_MM, paper[1] - 2 * MARGIN_MM - OVERLAP_MM


def tiles(plate: Plate, paper: tuple[float, float] = A4_MM) -> list[Tile]:
    """Return the pages of a paper that cover the plate, row by row from the top left."""
    right, down = steps_of(paper)
    columns = max(1, math.ceil((plate.width - OVERLAP_MM) / right))
    rows = max(1, math.ceil((plate.height - OVERLAP_MM) / down))
    return [
        Tile(row, column, column * right, plate.height - row * down, paper)
        for row in range(rows)
        for column in range(columns)
    ]


def write_pdf(plate: Plate, path: Path, paper: tuple[float, float] | None = None) -> None:
    """Write one page, or pages of a paper (mm) to glue together.

    Raise DrawingError when fpdf2 is missing, Refused when the file can't be written.
    """
    pen = _Pen(plate, paper or (plate.width, plate.height))
    if paper:
        for tile in tiles(plate, paper):
            pen.tile(tile)
    else:
        pen.page(0.0, plate.height)
    pen.save(path)


def write_pages(pages: Sequence[Plate], path: Path) -> None:
    """Write one page per plate, all of one size. Raise DrawingError and Refused like :func:`write_pdf`."""
    pen = _Pen(pages[0], (pages[0].width, pages[0].height))
    for page in pages:
        pen.turn_to(page)
        pen.page(0.0, page.height)
    pen.save(path)


class _Pen:
    """Draws the plate on pages; on a page y counts downwards."""

    def __init__(self, plate: Plate, size: tuple[float, float]) -> None:
        try:
            fpdf: Any = importlib.import_module("fpdf")
        except ImportError as error:
            raise DrawingError(f"--pdf needs fpdf2; {MISSING}") from error
        self._plate = plate
        self._pdf = fpdf.FPDF(unit="mm", format=size)
        self._pdf.set_auto_page_break(False)
        self._pdf.set_margin(0)
        self._pdf.set_title(f"{plate.name}, scale 1:1" if plate.to_scale else plate.name)
        self._pdf.set_creator("lodestone board")
        if plate.to_scale:
            preferences: Any = importlib.import_module("fpdf.prefs")
            self._pdf.viewer_preferences = preferences.ViewerPreferences(print_scaling="None")

    def turn_to(self, plate: Plate) -> None:
        """Draw another plate from now on."""
        self._plate = plate

    def page(self, left: float, top: float, margin: float = 0.0) -> None:
        """Add a page whose point (margin, margin) shows the plate's point (left, top)."""
        pdf, plate = self._pdf, self._plate
        if not margin:
            pdf.add_page()
        pdf.set_line_width(STROKE_MM)
        dx, dy = margin - left, margin + top
        sides = [side for outline in plate.of(Outline) for side in outline.sides()]
        for shape in (*plate.shapes, *sides):
            pdf.set_draw_color(COLOURS[shape.layer])
            if isinstance(shape, Circle):
                pdf.circle(dx + shape.x, dy - shape.y, shape.radius)
            elif isinstance(shape, Arc):
                corner = dx + shape.x - shape.radius, dy - shape.y - shape.radius
                pdf.arc(*corner, 2 * shape.radius, shape.begin, shape.end)
            elif isinstance(shape, Segment):
                pdf.line(dx + shape.x1, dy - shape.y1, dx + shape.x2, dy - shape.y2)
            elif isinstance(shape, Label):
                pdf.set_text_color(COLOURS[shape.shown or shape.layer])
                self._text(dx + shape.x, dy - shape.y + shape.height / 2, shape.height, shape.text, shape.anchor)

    def tile(self, tile: Tile) -> None:
        """Add a page with its part of the plate, marks for gluing, and its name."""
        pdf = self._pdf
        pdf.add_page()
        width, height = (side - 2 * MARGIN_MM for side in tile.paper)
        # A clip's end takes font and colours back in the file, which fpdf2 knows only of a context of its own.
        with pdf.local_context(), pdf.rect_clip(MARGIN_MM, MARGIN_MM, width, height):
            self.page(tile.x, tile.top, MARGIN_MM)
        pdf.set_draw_color(128, 128, 128)
        for x, y in tile.marks():
            across, down = MARGIN_MM + x - tile.x, MARGIN_MM + tile.top - y
            pdf.line(across - MARK_MM, down, across + MARK_MM, down)
            pdf.line(across, down - MARK_MM, across, down + MARK_MM)
        pdf.set_text_color(128, 128, 128)
        name = f"{self._plate.name}: row {tile.row + 1}, column {tile.column + 1}; at 100 % the crosses are "
        name += f"{tile.step[0]:g} x {tile.step[1]:g} mm apart; glue cross on cross"
        self._text(tile.paper[0] / 2, tile.paper[1] - MARGIN_MM / 2, 2.5, name)

    def save(self, path: Path) -> None:
        write_output(path, bytes(self._pdf.output()))

    def _text(self, x: float, baseline: float, height: float, text: str, anchor: str = "middle") -> None:
        text = text.encode("latin-1", "replace").decode("latin-1")  # The characters of PDF's own fonts.
        self._pdf.set_font("Helvetica", size=height / PDF_CAPITALS / POINT_MM)
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        self._pdf.text(x - self._pdf.get_string_width(text) * share, baseline, text)


# -- DXF ---------------------------------------------------------------------------------------------------------------


def write_dxf(plate: Plate, path: Path) -> None:
    """Write a DXF file. Raise DrawingError when ezdxf is missing, Refused when the file can't be written."""
    try:
        ezdxf: Any = importlib.import_module("ezdxf")
        aligned: Any = importlib.import_module("ezdxf.enums").TextEntityAlignment
    except ImportError as error:
        raise DrawingError(f"--dxf needs ezdxf; {MISSING}") from error
    document = ezdxf.new("R2010")
    document.units = ezdxf.units.MM
    for layer, colour in DXF_COLOURS.items():
        document.layers.add(layer, color=colour)
    space = document.modelspace()
    anchors = {"start": aligned.MIDDLE_LEFT, "middle": aligned.MIDDLE_CENTER, "end": aligned.MIDDLE_RIGHT}
    for shape in plate.shapes:
        on = {"layer": shape.layer}
        if isinstance(shape, Circle):
            space.add_circle((shape.x, shape.y), shape.radius, dxfattribs=on)
        elif isinstance(shape, Arc):
            space.add_arc((shape.x, shape.y), shape.radius, shape.begin % 360, shape.end % 360, dxfattribs=on)
        elif isinstance(shape, Outline):
            space.add_lwpolyline(shape.corners, format="xyb", close=True, dxfattribs=on)
        elif isinstance(shape, Segment):
            space.add_line((shape.x1, shape.y1), (shape.x2, shape.y2), dxfattribs=on)
        else:
            text = space.add_text(shape.text, height=shape.height, dxfattribs=on)
            text.set_placement((shape.x, shape.y), align=anchors[shape.anchor])
    text = io.StringIO()
    document.write(text)
    write_output(path, text.getvalue().encode(document.output_encoding, "dxfreplace"))

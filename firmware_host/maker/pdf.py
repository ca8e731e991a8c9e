"""A plate as PDF at full size: one page of the plate's size, or A4 pages to glue together."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware_host.maker.dxf import MISSING
from firmware_host.maker.plate import BLIND, CROSS, CUT, DRILL, PRINT, SCALE, WINDOW, Arc, DrawingError, Line, Plate

COLOURS = {
    CUT: (192, 0, 0),
    DRILL: (0, 64, 192),
    BLIND: (128, 0, 160),
    WINDOW: (0, 128, 64),
    PRINT: (0, 0, 0),
    SCALE: (128, 64, 0),
    CROSS: (128, 144, 160),
}
STROKE_MM = 0.25
POINT_MM = 25.4 / 72
CAPITALS = 0.72
"""Height of Helvetica's capitals as a share of the font's size."""
A4_MM = (210.0, 297.0)
MARGIN_MM = 10.0
"""White margin of printers; the picture is inside it."""
OVERLAP_MM = 10.0
"""Overlap of neighbouring pages, for gluing."""
STEP_X_MM, STEP_Y_MM = (side - 2 * MARGIN_MM - OVERLAP_MM for side in A4_MM)
"""Distance of neighbouring pages on the plate."""
INSET_MM = OVERLAP_MM / 2
"""Distance of the crosses from the picture's edge: the middle of the overlap."""
MARK_MM = 5.0


@dataclass(frozen=True)
class Tile:
    """One A4 page: its row (from the top) and column, and the plate's point at the picture's top left."""

    row: int
    column: int
    x: float
    top: float

    def marks(self) -> list[tuple[float, float]]:
        """Return the plate's points with a cross on this page; neighbouring pages have the shared ones, too."""
        return [
            (self.x + dx, self.top - dy)
            for dx in (INSET_MM, INSET_MM + STEP_X_MM)
            for dy in (INSET_MM, INSET_MM + STEP_Y_MM)
        ]


def tiles(plate: Plate) -> list[Tile]:
    """Return the A4 pages that cover the plate, row by row from the top left."""
    columns = max(1, math.ceil((plate.width - OVERLAP_MM) / STEP_X_MM))
    rows = max(1, math.ceil((plate.height - OVERLAP_MM) / STEP_Y_MM))
    return [
        Tile(row, column, column * STEP_X_MM, plate.height - row * STEP_Y_MM)
        for row in range(rows)
        for column in range(columns)
    ]


def write_pdf(plate: Plate, path: Path, *, a4: bool = False) -> None:
    """Write one page or A4 tiles. Raise DrawingError when fpdf2 is missing, OSError when the file can't be written."""
    pen = _Pen(plate, (plate.width, plate.height) if not a4 else A4_MM)
    if a4:
        for tile in tiles(plate):
            pen.tile(tile)
    else:
        pen.page(0.0, plate.height)
    pen.save(path)


def write_pages(pages: Sequence[Plate], path: Path) -> None:
    """Write one page per plate, all of one size. Raise DrawingError and OSError like :func:`write_pdf`."""
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
        self._pdf.set_title(f"{plate.name}, scale 1:1")
        self._pdf.set_creator("lodestone board drawing")
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
        for circle in plate.circles:
            pdf.set_draw_color(*COLOURS[circle.layer])
            pdf.circle(dx + circle.x, dy - circle.y, circle.radius)
        sides = [side for outline in plate.outlines for side in outline.sides()]
        for arc in (*plate.arcs, *(side for side in sides if isinstance(side, Arc))):
            pdf.set_draw_color(*COLOURS[arc.layer])
            corner = dx + arc.x - arc.radius, dy - arc.y - arc.radius
            pdf.arc(*corner, 2 * arc.radius, arc.begin, arc.end)
        for line in (*plate.lines, *(side for side in sides if isinstance(side, Line))):
            pdf.set_draw_color(*COLOURS[line.layer])
            pdf.line(dx + line.x1, dy - line.y1, dx + line.x2, dy - line.y2)
        for label in plate.labels:
            pdf.set_text_color(*COLOURS[label.layer])
            self._text(dx + label.x, dy - label.y + label.height / 2, label.height, label.text, label.anchor)

    def tile(self, tile: Tile) -> None:
        """Add an A4 page with its part of the plate, marks for gluing, and its name."""
        pdf = self._pdf
        pdf.add_page()
        width, height = (side - 2 * MARGIN_MM for side in A4_MM)
        with pdf.rect_clip(MARGIN_MM, MARGIN_MM, width, height):
            self.page(tile.x, tile.top, MARGIN_MM)
        pdf.set_draw_color(128, 128, 128)
        for x, y in tile.marks():
            across, down = MARGIN_MM + x - tile.x, MARGIN_MM + tile.top - y
            pdf.line(across - MARK_MM, down, across + MARK_MM, down)
            pdf.line(across, down - MARK_MM, across, down + MARK_MM)
        pdf.set_text_color(128, 128, 128)
        name = f"{self._plate.name}: row {tile.row + 1}, column {tile.column + 1}; at 100 % the crosses are "
        name += f"{STEP_X_MM:.0f} x {STEP_Y_MM:.0f} mm apart; glue cross on cross"
        self._text(A4_MM[0] / 2, A4_MM[1] - MARGIN_MM / 2, 2.5, name)

    def save(self, path: Path) -> None:
        self._pdf.output(str(path))

    def _text(self, x: float, baseline: float, height: float, text: str, anchor: str = "middle") -> None:
        text = text.encode("latin-1", "replace").decode("latin-1")  # The characters of PDF's own fonts.
        self._pdf.set_font("Helvetica", size=height / CAPITALS / POINT_MM)
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        self._pdf.text(x - self._pdf.get_string_width(text) * share, baseline, text)

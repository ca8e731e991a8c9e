"""A plate as SVG: one user unit is one millimetre, and the page's size is given in millimetres."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from firmware_host.maker.plate import BLIND, CROSS, CUT, DRILL, LAYERS, PRINT, SCALE, WINDOW, Arc, Line, Outline, Plate

COLOURS = {
    CUT: "#c00000",
    DRILL: "#0040c0",
    BLIND: "#8000a0",
    WINDOW: "#008040",
    PRINT: "#000000",
    SCALE: "#804000",
    CROSS: "#8090a0",
}
STROKE_MM = 0.25
CAPITALS = 0.7
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
        _draw(group, plate, layer)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def write_svg(plate: Plate, path: Path) -> None:
    """Write an SVG file. Raise OSError when it can't be written."""
    path.write_text(svg(plate), encoding="utf-8")


def _draw(group: ET.Element, plate: Plate, layer: str) -> None:
    """Add all shapes of one layer to its group. In SVG, y goes downwards."""
    down = plate.height
    for circle in plate.circles:
        if circle.layer == layer:
            ET.SubElement(group, "circle", cx=_mm(circle.x), cy=_mm(down - circle.y), r=_mm(circle.radius))
    for arc in plate.arcs:
        if arc.layer == layer:
            x1, y1 = arc.ends()[0]
            ET.SubElement(group, "path", d=f"M {_mm(x1)} {_mm(down - y1)} {_arc(arc, down)}")
    for outline in plate.outlines:
        if outline.layer == layer:
            ET.SubElement(group, "path", d=_outline(outline, down))
    for line in plate.lines:
        if line.layer == layer:
            ends = {"x1": line.x1, "y1": down - line.y1, "x2": line.x2, "y2": down - line.y2}
            ET.SubElement(group, "line", {name: _mm(value) for name, value in ends.items()})
    for label in plate.labels:
        if label.layer == layer:
            text = {"text-anchor": label.anchor, "font-family": "sans-serif", "stroke": "none", "fill": COLOURS[layer]}
            place = {"x": _mm(label.x), "y": _mm(down - label.y + label.height / 2)}
            size = {"font-size": _mm(label.height / CAPITALS)}
            ET.SubElement(group, "text", {**place, **size, **text}).text = label.text


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
            if isinstance(side, Line)
            else _arc(side, down, clockwise=bulge < 0)
        )
    return " ".join([*found, "Z"])


def _mm(value: float) -> str:
    return f"{value:.3f}"

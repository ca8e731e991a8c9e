"""A plate as DXF in millimetres, with one layer per kind of work."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from firmware_host.maker.plate import BLIND, CROSS, CUT, DRILL, PRINT, SCALE, WINDOW, DrawingError, Plate

COLOURS = {CUT: 1, DRILL: 5, BLIND: 6, WINDOW: 3, PRINT: 7, SCALE: 30, CROSS: 8}
"""Layer → AutoCAD's colour number."""
MISSING = "install the drawing libraries: pip install 'lodestone[drawing]'"


def write_dxf(plate: Plate, path: Path) -> None:
    """Write a DXF file. Raise DrawingError when ezdxf is missing, OSError when the file can't be written."""
    try:
        ezdxf: Any = importlib.import_module("ezdxf")
        aligned: Any = importlib.import_module("ezdxf.enums").TextEntityAlignment
    except ImportError as error:
        raise DrawingError(f"--dxf needs ezdxf; {MISSING}") from error
    document = ezdxf.new("R2010")
    document.units = ezdxf.units.MM
    for layer, colour in COLOURS.items():
        document.layers.add(layer, color=colour)
    space = document.modelspace()
    anchors = {"start": aligned.MIDDLE_LEFT, "middle": aligned.MIDDLE_CENTER, "end": aligned.MIDDLE_RIGHT}
    for circle in plate.circles:
        space.add_circle((circle.x, circle.y), circle.radius, dxfattribs={"layer": circle.layer})
    for arc in plate.arcs:
        on = {"layer": arc.layer}
        space.add_arc((arc.x, arc.y), arc.radius, arc.begin % 360, arc.end % 360, dxfattribs=on)
    for outline in plate.outlines:
        space.add_lwpolyline(outline.corners, format="xyb", close=True, dxfattribs={"layer": outline.layer})
    for line in plate.lines:
        space.add_line((line.x1, line.y1), (line.x2, line.y2), dxfattribs={"layer": line.layer})
    for label in plate.labels:
        text = space.add_text(label.text, height=label.height, dxfattribs={"layer": label.layer})
        text.set_placement((label.x, label.y), align=anchors[label.anchor])
    document.saveas(path)

"""The section [drawing] of a board file: the print on the plate, and the sizes of holes and cuts."""

from __future__ import annotations

from collections.abc import Collection

from firmware_host.boardfile.checks import Checks, Table, alike, difference, is_number
from hw.sizes import Sizes

KEYS = (
    "circles_mm",
    "style",
    "lines",
    "paths_mm",
    "hole_mm",
    "slot_mm",
    "window_mm",
    "window_at",
    "edge_mm",
    "ring_mm",
    "magnet_mm",
    "corner_mm",
)
STYLES = ("holes", "crossings", "cells")
"""What a node may look like on screens; see :class:`firmware_host.games.game.Layout`."""
USUAL = Sizes()
MAX_MM = 1000


def read_lines(checks: Checks, drawing: Table, nodes: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return the printed lines, each through two or more nodes."""
    lines = drawing.get("lines", [])
    if not isinstance(lines, list):
        checks.report("drawing", "lines", f"lines: expected lists of two or more nodes, got {lines!r:.60}")
        return ()
    drawn: list[tuple[str, ...]] = []
    reported: set[str] = set()
    for line in lines:
        names = line if isinstance(line, list) else [line]
        words = [name for name in names if isinstance(name, str)]
        if names is not line or len(names) < 2:
            why = f"lines: expected two or more nodes a line, got {line!r:.60}"
            checks.mistakes.append((checks.line_quoting(*words), why))
        for name in names:
            meant = alike(name, nodes) if name in words and name not in nodes else None
            if meant is not None:
                if name not in reported:  # A misspelt name may be in many lines: report it once, at its place.
                    _slip(checks, name, meant)
                reported.add(name)
            elif name not in words or name not in nodes:
                where = (name,) if name in words else words
                checks.mistakes.append((checks.line_quoting(*where), f"lines: {name!r:.60} is not among the nodes"))
        drawn.append(tuple(words))
    return tuple(drawn)


def _slip(checks: Checks, name: str, node: str) -> None:
    where = checks.line("nodes", node)
    why = f"lines: {name!r:.60} is not among the nodes, but {node!r:.60} (line {where}) is: {difference(node, name)}?"
    mistyped = sum(map(str.isdigit, node)) < sum(map(str.isdigit, name))
    checks.mistakes.append((where if mistyped else checks.line_quoting(name), why))


def read_circles(checks: Checks, drawing: Table) -> tuple[float, ...]:
    """Return the radii of the printed circles, mm."""
    circles = drawing.get("circles_mm", [])
    if not isinstance(circles, list) or not all(is_number(radius) and radius > 0 for radius in circles):
        checks.report("drawing", "circles_mm", f"circles_mm: expected a list of radii in mm, got {circles!r:.60}")
        return ()
    return tuple(map(float, circles))


def read_style(checks: Checks, drawing: Table) -> str:
    """Return what a node looks like on screens."""
    return checks.choice("drawing", drawing, "style", STYLES) if "style" in drawing else STYLES[0]


def read_paths(checks: Checks, drawing: Table) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return the printed curves, each as two or more points (x, y) in mm from the board's centre."""
    paths = drawing.get("paths_mm", [])
    for path in paths if isinstance(paths, list) else [paths]:
        points = path if isinstance(path, list) else []
        if len(points) < 2 or not all(map(_is_point, points)):
            why = f"paths_mm: expected lists of two or more points [x, y] in mm, got {path!r:.60}"
            checks.report("drawing", "paths_mm", why)
            return ()
    return tuple(tuple((float(x), float(y)) for x, y in path) for path in paths)


def read_sizes(checks: Checks, drawing: Table) -> Sizes:
    """Return the sizes of holes, windows and edge, in mm."""
    return Sizes(
        hole_mm=_length(checks, drawing, "hole_mm", 0.0),
        slot_mm=_slot(checks, drawing),
        window_mm=_length(checks, drawing, "window_mm", 0.5),
        window_at=_window_at(checks, drawing),
        edge_mm=_length(checks, drawing, "edge_mm", 1.0),
        ring_mm=_length(checks, drawing, "ring_mm", 1.0),
        magnet_mm=_length(checks, drawing, "magnet_mm", 0.5),
        corner_mm=_length(checks, drawing, "corner_mm", 0.0),
    )


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_number, value))


def _length(checks: Checks, drawing: Table, name: str, least: float) -> float:
    usual: float = getattr(USUAL, name)
    value = drawing.get(name, usual)
    if not is_number(value) or not least <= value <= MAX_MM:
        checks.report_value("drawing", drawing, name, f"a number (mm) from {least:g} to {MAX_MM}")
        return usual
    return float(value)


def _slot(checks: Checks, drawing: Table) -> tuple[float, float] | None:
    value = drawing.get("slot_mm")
    if value is None:
        return None
    if not isinstance(value, list) or not _is_point(value) or not 0 < value[1] <= value[0] <= MAX_MM:
        checks.report_value("drawing", drawing, "slot_mm", "[length, width] in mm, the length first")
        return None
    return float(value[0]), float(value[1])


def _window_at(checks: Checks, drawing: Table) -> tuple[float, float] | None:
    value = drawing.get("window_at")
    if value is None:
        return None
    if not isinstance(value, list) or not _is_point(value):
        checks.report_value("drawing", drawing, "window_at", "[right, up] in mm from the node's centre")
        return None
    return float(value[0]), float(value[1])

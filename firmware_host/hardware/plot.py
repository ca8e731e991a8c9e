"""Plots of the margins of level sensors: in the terminal, and as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from firmware_host.hardware.calibrate_wizard import Measured
from firmware_host.hardware.margins import margins, overlaps
from firmware_host.sensing.levels import scale, strengths
from hw.ports import LevelBands

WIDTH = 64
"""Columns of the terminal's plot, four level steps each."""
ROW, LEFT, PIXELS = 18, 60, 512
"""The SVG's row height, width of names and width of the scale, in user units."""
COLOURS = {"": "#9a9a9a", "N": "#d9c27a", "S": "#4a6fa5", "<": "#b0579a", ">": "#3f8f5b"}


def terminal_plot(measured: Mapping[str, Measured]) -> str:
    """Return one line per node: its levels on a scale from 0 to 255, and its least margin."""
    widest = max(map(len, measured), default=0)
    lines = [f"{'':{widest}}  {'0':<{WIDTH // 2}}{'128':<{WIDTH // 2 - 3}}255  steps to spare"]
    for node, one in measured.items():
        cells = ["·"] * WIDTH
        for level, sign in _marks(one):
            cells[min(WIDTH - 1, max(0, level) * WIDTH // 256)] = sign
        least = min(margins(one.levels, one.spread), key=lambda margin: margin.steps)
        note = f"  {'; '.join(overlaps(one.levels, one.spread))}" if least.steps < 0 else ""
        lines.append(f"{node:{widest}}  {''.join(cells)}  {least.steps:5.1f}{note}")
    lines.append("N north, S south, 0 rest, n and s opposite stacks, + and - like stacks; below 0 steps the table asks")
    return "\n".join(lines)


def _marks(one: Measured) -> list[tuple[int, str]]:
    """Return (level, sign) of all levels of a sensor; later signs hide earlier ones."""
    levels = one.levels
    found = [(levels.rest, "0")]
    for pole, signs, single in (("S", "s-S", levels.south), ("N", "n+N", levels.north)):
        way = 1 if single > levels.rest else -1
        strength = strengths(levels)[pole]
        for sign, away in zip(signs, (strength.opposite, strength.like, strength.single), strict=True):
            found.append((round(levels.rest + way * away), sign))
    return found


def svg_plot(name: str, measured: Mapping[str, Measured], usual: LevelBands) -> str:
    """Return an SVG with one row per node: colours for each reading's sensed state, bars for measured levels."""
    height = ROW * (len(measured) + 3)
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {LEFT + PIXELS + 60} {height}",
            "font-family": "sans-serif",
            "font-size": "11",
        },
    )
    ElementTree.SubElement(svg, "title").text = f"Levels of {name}"
    _text(svg, LEFT, 12, f"{name}: what each reading (0 to 255) is taken for, what was measured (bars), steps to spare")
    for row, (node, one) in enumerate(measured.items(), 1):
        top = ROW * row
        _text(svg, 4, top + 13, node)
        _bands(svg, one, usual, top)
        for level, sign in _marks(one):
            x = LEFT + PIXELS * min(255, max(0, level)) / 255
            half = PIXELS * max(one.spread, 0.5) / 255
            box = {"x": f"{x - half:.1f}", "y": str(top + 2), "width": f"{2 * half:.1f}", "height": str(ROW - 4)}
            drawn = ElementTree.SubElement(svg, "rect", {**box, "fill": "#111", "fill-opacity": "0.75"})
            ElementTree.SubElement(drawn, "title").text = f"{node} {sign} {level} ± {one.spread}"
        least = min(margin.steps for margin in margins(one.levels, one.spread))
        _text(svg, LEFT + PIXELS + 6, top + 13, f"{least:.1f}", "#b00020" if least < 0 else "#222")
    for index, (key, words) in enumerate(
        (("", "nothing"), ("N", "north"), ("S", "south"), ("<", "opposite stack"), (">", "like stack"))
    ):
        left, top = LEFT + index * 100, height - ROW
        box = {"x": str(left), "y": str(top - 9), "width": "10", "height": "10", "fill": COLOURS[key]}
        ElementTree.SubElement(svg, "rect", box)
        _text(svg, left + 14, top, words)
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"


def _bands(svg: ElementTree.Element, one: Measured, usual: LevelBands, top: int) -> None:
    """Draw the ranges of readings with the same sensed state."""
    sensed_states = [scale(one.levels, usual).sensed(reading, "?") for reading in range(256)]
    begin = 0
    for reading in range(1, 257):
        if reading < 256 and sensed_states[reading] == sensed_states[begin]:
            continue
        key = sensed_states[begin][1:] or sensed_states[begin]
        left, right = (LEFT + PIXELS * edge / 256 for edge in (begin, reading))
        box = {"x": f"{left:.1f}", "y": str(top), "width": f"{right - left:.1f}", "height": str(ROW - 1)}
        ElementTree.SubElement(svg, "rect", {**box, "fill": COLOURS[key], "fill-opacity": "0.55"})
        begin = reading


def _text(svg: ElementTree.Element, x: float, y: float, words: str, colour: str = "#222") -> None:
    ElementTree.SubElement(svg, "text", {"x": f"{x:.0f}", "y": f"{y:.0f}", "fill": colour}).text = words

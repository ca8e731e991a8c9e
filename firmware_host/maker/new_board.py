"""A first board file for any game, from its layout: ``python -m firmware_host.maker.new_board GAME FILE``.

Sensors and pixels are numbered row by row; whoever wires otherwise changes the numbers in the file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from math import hypot
from pathlib import Path

from firmware_host.games.game import GameError, Layout
from firmware_host.games.registry import game as find_game

PITCH_MM = 40.0
"""Length of a line on the plate."""

SENSORS = """\
scheme = "74hc165"
kind = "presence"           # "polarity": two switches a node, inputs 2c (north) and 2c + 1 (south) for channel c
scan_hz = 50
pins = { load = 5, clock = 6, data = 13, inhibit = 19 }   # BCM numbers
"""


def board_text(name: str, game: str, layout: Layout, about: str, pitch_mm: float = PITCH_MM) -> str:
    """Return a board file: channels row by row from the top left, the strip to and fro, ``pitch_mm`` a line's length.

    ``about`` stands in its first line.
    """
    rows = _rows(layout)
    nodes = [node for row in rows for node in row]
    strip = [node for at, row in enumerate(rows) for node in (row if at % 2 == 0 else reversed(row))]
    chips = -(-len(nodes) // 8)
    width = max(len(_key(node)) for node in nodes)
    circles = ", ".join(f"{radius * pitch_mm:.1f}" for radius in layout.circles)
    drawn = "\n".join("    [" + ", ".join(json.dumps(node) for node in line) + "]," for line in _straight(layout))
    wired = "\n".join(
        f"{_key(node):<{width}} = {{ channel = {channel:3}, pixel = {strip.index(node):3}, "
        f"x = {layout.nodes[node][0] * pitch_mm + 0.0:7.1f}, y = {layout.nodes[node][1] * pitch_mm + 0.0:7.1f} }}"
        for channel, node in enumerate(nodes)
    )
    return f"""\
# {about}: reed or hall switches behind {chips} 74HC165, one NeoPixel under each node.
#
# One node a line: its sensor channel, its pixel, and where it lies (mm from the centre, x to the right, y upwards).
# Channels run row by row from the top left, the strip to and fro; wire yours as you like and say so below.

[board]
name = "{name}"
game = "{game}"
backend = "gpio"            # "sim" simulates the very same wiring
node_mm = 22.0              # diameter of a printed node: a stone's

[sensors]
{SENSORS}
[lights]
pin = "D18"
length = {len(nodes)}
order = "GRB"
max_current_ma = 1500       # 20 mA a colour channel at full; the whole board stays under this

[drawing]
{f"circles_mm = [{circles}]{chr(10)}" if circles else ""}lines = [
{drawn}
]

[nodes]
{wired}
"""


def _key(node: str) -> str:
    return node if re.fullmatch(r"[A-Za-z0-9_-]+", node) else json.dumps(node)


def _rows(layout: Layout) -> list[list[str]]:
    """Return the nodes from the top, those of one height from the left."""
    rows: dict[float, list[str]] = {}
    for node, (_, y) in layout.nodes.items():
        rows.setdefault(round(y, 3) + 0.0, []).append(node)
    return [sorted(rows[y], key=lambda node: layout.nodes[node][0]) for y in sorted(rows, reverse=True)]


def _straight(layout: Layout) -> Sequence[Sequence[str]]:
    """Return the layout's lines by their direction, those joined that go straight on, but for what a circle draws."""
    left = {
        (one, _direction(layout, one, other)): other
        for pair in layout.lines
        if not _on_circle(layout, *pair)
        for one, other in (pair, pair[::-1])
    }
    found = []
    while left:
        node, (right, up) = next(iter(left))
        while (before := left.get((node, (-right, -up)))) is not None:
            node = before
        line = [node]
        while (following := left.pop((node, (right, up)), None)) is not None:
            del left[following, (-right, -up)]
            line.append(following)
            node = following
        found.append(((right, up), line))
    return [line for _, line in sorted(found, key=lambda one: one[0], reverse=True)]


def _direction(layout: Layout, one: str, other: str) -> tuple[float, float]:
    """Return where a line goes, so that equal directions compare equal and opposite ones differ in their signs."""
    (x, y), (to_x, to_y) = layout.nodes[one], layout.nodes[other]
    length = hypot(to_x - x, to_y - y)
    return round((to_x - x) / length, 3), round((to_y - y) / length, 3)


def _on_circle(layout: Layout, one: str, other: str) -> bool:
    radii = [hypot(*layout.nodes[node]) for node in (one, other)]
    return any(all(abs(radius - circle) < 1e-6 for radius in radii) for circle in layout.circles)


def main(argv: Sequence[str] | None = None) -> int:
    """Write a file; return the exit code: 1 where the game is unknown or the file can't be written."""
    parser = argparse.ArgumentParser(description="Write a first board file for a game.")
    parser.add_argument("game", help="a game's name")
    parser.add_argument("file", type=Path, help="the board file to write, such as hex-7.toml")
    parser.add_argument("--pitch", type=float, default=PITCH_MM, help=f"mm from node to node (default {PITCH_MM:g})")
    arguments = parser.parse_args(argv)
    try:
        game = find_game(arguments.game)
        layout = game.layout()
        about = f"{game.title} on {len(layout.nodes)} nodes"
        text = board_text(arguments.file.stem, game.name, layout, about, arguments.pitch)
        arguments.file.write_text(text, encoding="utf-8")
    except (GameError, OSError) as error:
        print(f"new_board: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.file}: {about}, {arguments.pitch:g} mm apart")
    return 0


if __name__ == "__main__":
    sys.exit(main())

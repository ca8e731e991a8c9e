"""Writes the shipped board files that follow from others: ``python -m firmware_host.extensions.maker.shipped_boards``.

Spokes in every scheme is ``spokes-45.toml`` with another section [sensors]; the grids follow from their games' layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from firmware_host.boardfile.load import load_board, shipped_boards
from firmware_host.extensions.maker.new_board import add_sensor
from firmware_host.games.registry import game as find_game
from firmware_host.link.new_board import board_text, pieces_of, sensors_text, usual_pitch
from hw.registry import SCHEMES
from hw.scheme import Scheme

FOLDER = Path(__file__).parents[2] / "boards"
ORIGINAL = "spokes-45"
ORIGINAL_PITCH_MM = 50.0

GRIDS: Mapping[str, tuple[str, str]] = {
    "go-9x9": ("phalanx", "Nine by nine points for Phalanx"),
    "hexhex-7": ("coil", "A hexagon of seven cells a side for Coil"),
}
"""For each file: the game, and what it is about."""

WELLS: Mapping[str, tuple[str, bool, str]] = {
    "octiles-53": ("octiles", False, "Octiles, tiles felt by one sensor a well"),
    "octiles-189": ("octiles", True, "Octiles, tiles read by nine sensors a well"),
}
"""For each file: the game, whether wells read tiles, and what it is about."""


def files() -> Iterator[tuple[str, str]]:
    """Yield name and text of every file that this module writes."""
    original = (FOLDER / f"{ORIGINAL}.toml").read_text(encoding="utf-8")
    nodes = len(load_board(FOLDER / f"{ORIGINAL}.toml").nodes)
    for scheme in SCHEMES.usable().values():
        fits = scheme.example(scheme.inputs(nodes, scheme.kinds[0])) is not None
        if fits and not scheme.scans_itself and f'scheme = "{scheme.name}"' not in original:
            yield f"{ORIGINAL}-{scheme.name}", _rewire(original, scheme, nodes)
    for name, (game, about) in GRIDS.items():
        layout = find_game(game).layout()
        yield name, add_sensor(board_text(name, game, layout, about), usual_pitch(layout))
    for name, (game, coded, about) in WELLS.items():
        rules = find_game(game)
        text = board_text(name, game, rules.layout(), about, pieces=pieces_of(rules, coded=coded))
        yield name, add_sensor(text, usual_pitch(rules.layout()))


def _rewire(original: str, scheme: Scheme, nodes: int) -> str:
    _, _, rest = original.partition("\n#\n")
    before, _, tail = rest.partition("[sensors]\n")
    _, _, after = tail.partition("\n[lights]")
    name, sensors = f"{ORIGINAL}-{scheme.name}", sensors_text(scheme, nodes, scheme.kinds[0])
    text = f"# Spokes on {nodes} nodes: {scheme.about}.\n#\n{before}[sensors]\n{sensors}\n[lights]{after}"
    return add_sensor(text.replace(f'name = "{ORIGINAL}"', f'name = "{name}"'), ORIGINAL_PITCH_MM)


def place_of(name: str) -> Path:
    """Return where a file is shipped: among the core's, or in the extension that has its scheme."""
    return next((path for path in shipped_boards() if path.stem == name), FOLDER / f"{name}.toml")


if __name__ == "__main__":
    for written, text in files():
        place_of(written).write_text(text, encoding="utf-8")

"""The sections ``[tiles]`` and ``[supply]`` of a board file: the pieces of a board."""

from __future__ import annotations

import re

from firmware_host.boardfile.checks import Checks
from hw.ports import CODED, TileMaking
from hw.tile_codes import MOST_TILES, RING, problems

TILES, SUPPLY = "tiles", "supply"
MOST_PIECES = 500
STONES = frozenset({"w", "b"})
_LINES = re.compile(r"[0-7]{2}( [0-7]{2})*")


def read_tiles(checks: Checks, kind: str) -> dict[str, TileMaking]:
    """Return name → tile; record mistakes in ``checks``. With kind ``coded`` each tile needs its ring of magnets."""
    table = checks.section(TILES, needed=kind == CODED)
    tiles: dict[str, TileMaking] = {}
    for name, entry in table.items():
        if isinstance(entry, str):
            tiles[name] = TileMaking(entry)
        elif isinstance(entry, dict):
            checks.known(TILES, entry, ("ring", "lines"), name)
            ring = checks.word(TILES, entry, "ring") if "ring" in entry else ""
            tiles[name] = TileMaking(ring, _lines(checks, name, entry.get("lines", "")))
        else:
            checks.wrong(TILES, name, f'{name}: expected {{ ring = "11010000", lines = "04 15" }}, got {entry!r:.60}')
            continue
        if kind == CODED and not tiles[name].ring:
            checks.wrong(TILES, name, f"{name}: ring: expected the pattern of its magnets, but it is missing")
    rings = {name: tile.ring for name, tile in tiles.items() if tile.ring}
    for name, why in problems(rings):
        checks.wrong(TILES, name, f"{name}: {why}")
    if len(tiles) > MOST_TILES:
        checks.wrong("", TILES, f"[{TILES}]: expected at most {MOST_TILES} tiles, got {len(tiles)}")
    if kind == CODED and not tiles and TILES in checks.data:
        checks.wrong("", TILES, f"[{TILES}]: there are no tiles, expected at least one")
    return tiles


def read_supply(checks: Checks, tiles: dict[str, TileMaking]) -> dict[str, int]:
    """Return letter → number of such pieces; record mistakes in ``checks``."""
    supply = {}
    table = checks.section(SUPPLY, needed=False)
    for letter in table:
        if not re.fullmatch("[a-z]", letter):
            checks.wrong(SUPPLY, letter, f"{letter}: expected a piece's letter, a to z")
        elif letter in tiles:
            checks.wrong(SUPPLY, letter, f"{letter}: is a tile already, expected another letter")
        supply[letter] = checks.whole(SUPPLY, table, letter, 0, MOST_PIECES)
    if not table:
        for name in STONES & tiles.keys():
            checks.wrong(TILES, name, f"{name}: stones have this name, expected another")
    return supply


def _lines(checks: Checks, name: str, value: object) -> tuple[tuple[int, int], ...]:
    """Return the pairs of edges in a text like ``04 15 26 37``; empty after a mistake."""
    if value == "":
        return ()
    pairs = value.split() if isinstance(value, str) and _LINES.fullmatch(value) else []
    edges = [int(edge) for pair in pairs for edge in pair]
    if not pairs or len(set(edges)) != len(edges):
        what = f"pairs of edges 0 to {RING - 1}, each edge once, such as '04 15 26 37'"
        checks.wrong(TILES, name, f"{name}: lines: expected {what}; got {value!r:.60}")
        return ()
    return tuple(zip(edges[::2], edges[1::2], strict=True))

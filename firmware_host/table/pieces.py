"""What pieces are called on lights and phones, and why one does not belong where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from firmware_host.games.game import Game, Stack, Step
from firmware_host.games.offers import HasTiles
from firmware_host.table import staging

if TYPE_CHECKING:
    from firmware_host.table.table import Table


EIGHTHS = 8
"""So many ways there are to turn a tile."""


def a_piece(game: Game[Any], piece: str) -> str:
    """Return a piece in words: ``a white stone``, ``tile 7, turned 3/8``, ``a blue runner``."""
    name = game.pieces[piece]
    if tile_of(game, piece) is not None:
        return name
    return f"a {name}" if " " in name else f"a {name} stone"


def _tiles(game: Any) -> frozenset[str]:
    """Return the names of a game's tiles; asked for every light, and dear to find out."""
    return _names_of_tiles(game)


@lru_cache(maxsize=16)
def _names_of_tiles(game: Any) -> frozenset[str]:
    return frozenset(game.tiles) if isinstance(game, HasTiles) else frozenset()


@lru_cache(maxsize=16)
def _round_noun(game: Any) -> str:
    """Return what pieces are called that are no tiles, where tiles lie, too: ``runner``."""
    others = {name.rpartition(" ")[2] for piece, name in game.pieces.items() if tile_of(game, piece) is None}
    return others.pop() if len(others) == 1 else "piece"


def noun(game: Any, nodes: Sequence[str]) -> str:
    """Return what lies on some nodes is called: ``stone``; with tiles ``tile``, ``runner``, or ``piece`` for both."""
    if not _tiles(game):
        return "stone"
    wells = game.layout().wells
    if all(node in wells for node in nodes):
        return "tile"
    return _round_noun(game) if wells.isdisjoint(nodes) else "piece"


def the_piece(game: Game[Any], node: str, sight: str = "", stack: Stack | None = None) -> str:
    """Return what is said of what lies on a node, or belongs there: ``the stone``, ``tile 9``, ``the blue runner``.

    ``sight`` is what a sensor sees of it, ``stack`` what it is known to be.
    """
    seen = tile_of(game, sight)
    if seen is not None:
        return f"tile {seen[0]}"
    if not _tiles(game) or not stack:
        return f"the {noun(game, [node])}"
    return game.pieces[stack[0]] if tile_of(game, stack[0]) is not None else f"the {game.pieces[stack[0]]}"


def tile_of(game: Game[Any], sight: str) -> tuple[str, int] | None:
    """Return name and turning (eighths clockwise) of a tile as it is written or seen (``7r5``); None: it is none."""
    name, _, turned = sight.rpartition("r")
    return (name, int(turned)) if name in _tiles(game) else None


def turned(eighths: Sequence[int]) -> str:
    """Say some turnings: ``turned 0, 1 or 3 eighths``."""
    if len(eighths) == EIGHTHS:
        return "however it is turned"
    words = [str(one) for one in sorted(eighths)]
    told = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return "not turned" if list(eighths) == [0] else f"turned {told} eighth{'' if list(eighths) == [1] else 's'}"


def how_it_works(game: Game[Any], steps: Sequence[Step], well: str) -> str:
    """Say how the next tile can be laid in a well: ``tile 4 works in b3 turned 1 or 3 eighths``; empty: not at all."""
    moves = [(step, move) for step in steps if step.partial for move in step.moves if move.target == well]
    tiles = [tile for _, move in moves if (tile := tile_of(game, move.pieces[0])) is not None]
    if not tiles:
        return ""
    words = f"tile {tiles[0][0]} works in {well} {turned(sorted({tile[1] for tile in tiles}))}"
    covered = next((move.pieces[0] for move in moves[0][0].moves if move.target is None), None)
    known = tile_of(game, covered or "")
    return f"{words}, once tile {known[0]} is out" if known is not None else words


def why_wrong(table: Table, node: str) -> str:
    """Say why what is seen on a node does not belong there."""
    game, sight = table.game, table.watch.tracker.seen[node]
    if not isinstance(game, HasTiles) or node not in game.layout().wells:
        return f"no {noun(game, [node])} belongs on {node} now"
    if sight == "?":
        return f"what lies in {node} can't be read: lay one tile flat in it, alone"
    seen, top = tile_of(game, sight), game.supply(table.ledger.now.position).piece
    if table.done_stages or table.phase != "resolving":
        return f"no {f'tile {seen[0]}' if seen else 'tile'} belongs in {node} now"
    if seen is not None and seen[0] != top:
        return f"that is tile {seen[0]} in {node}; tile {top} is on top of the stack"
    works = how_it_works(game, staging.offered(game, table.ledger.now.position), node)
    return works.partition(", once")[0] or f"no turn is possible with tile {top} in {node}"

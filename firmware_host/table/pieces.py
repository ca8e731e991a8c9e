"""What pieces are called on lights and phones, and why one does not belong where it lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firmware_host.games.game import Game
from firmware_host.games.offers import HasTiles
from firmware_host.table import staging

if TYPE_CHECKING:
    from firmware_host.table.table import Table


def a_piece(game: Game[Any], piece: str) -> str:
    """Return a piece in words: ``a white stone``, ``tile 7, turned 3/8``, ``a blue runner``."""
    name = game.pieces[piece]
    if tile_of(game, piece) is not None:
        return name
    return f"a {name}" if " " in name else f"a {name} stone"


def the_piece(game: Game[Any]) -> str:
    """Return what is said of a piece that no sensor names."""
    return "the piece" if isinstance(game, HasTiles) else "the stone"


def tile_of(game: Game[Any], sight: str) -> tuple[str, int] | None:
    """Return name and turning (eighths clockwise) of a tile as it is written or seen (``7r5``); None: it is none."""
    name, _, turned = sight.rpartition("r")
    return (name, int(turned)) if isinstance(game, HasTiles) and name in game.tiles else None


def turned(eighths: list[int]) -> str:
    """Say some turnings: ``not, 1 or 3 eighths``."""
    words = [str(one) if one else "not" for one in sorted(eighths)]
    told = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    return "not turned" if eighths == [0] else f"turned {told} eighth{'' if eighths == [1] else 's'}"


def why_wrong(table: Table, node: str) -> str:
    """Say why what is seen on a node does not belong there."""
    game, sight = table.game, table.watch.tracker.seen[node]
    if not isinstance(game, HasTiles) or node not in game.layout().wells:
        return f"no {'piece' if isinstance(game, HasTiles) else 'stone'} belongs on {node} now"
    if sight == "?":
        return f"what lies in {node} can't be read: lay one tile flat in it, alone"
    seen, top = tile_of(game, sight), game.supply(table.ledger.now.position).piece
    if table.done_stages or table.phase != "resolving":
        return f"no {f'tile {seen[0]}' if seen else 'tile'} belongs in {node} now"
    if seen is not None and seen[0] != top:
        return f"that is tile {seen[0]} in {node}; tile {top} is on top of the stack"
    steps = staging.offered(game, table.ledger.now.position)
    tiles = [tile_of(game, move.pieces[0]) for step in steps for move in step.moves if move.target == node]
    fitting = sorted({tile[1] for tile in tiles if tile is not None})
    if not fitting:
        return f"no turn is possible with tile {top} in {node}"
    return f"tile {top} works in {node} {turned(fitting)}"

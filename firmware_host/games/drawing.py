"""A game's board ready for JSON, as every page draws it: places, lines and tiles, paths of pieces, colours of seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Protocol, TypedDict

from firmware_host.games.capabilities import capabilities_of
from firmware_host.games.game import Game, Layout, NodeStyle, Step, bounded_cache
from firmware_host.games.naming import tint
from firmware_host.games.positions import SEED, starting
from firmware_host.text.json_reader import limits

Node = Annotated[str, "Node"]
_TWO = limits(minItems=2, maxItems=2)
Point = Annotated[Sequence[float], _TWO]
"""x and y."""


class LayoutView(TypedDict):
    """The drawing of a board: the field ``layout`` of a view (docs/view.md)."""

    nodes: Mapping[str, Point]
    lines: Sequence[Annotated[Sequence[Node], _TWO]]
    circles: Sequence[float]
    style: NodeStyle
    wells: Sequence[Node]
    paths: Sequence[Sequence[Point]]
    tiles: Mapping[str, Sequence[Annotated[Sequence[int], _TWO]]] | None


@bounded_cache(8)
def layout_view(game: Game[Any]) -> LayoutView:
    """Return the board's drawing and its tiles: the field ``layout`` of a table's and a replay's view."""
    return drawing(game, game.layout())


def drawing(game: Game[Any], layout: Layout) -> LayoutView:
    """Return the drawing of a game's board, or of a smaller one."""
    return {
        "nodes": {node: [round(x, 4), round(y, 4)] for node, (x, y) in layout.nodes.items()},
        "lines": [list(line) for line in layout.lines],
        "circles": list(layout.circles),
        "style": layout.style,
        "wells": [node for node in layout.nodes if node in layout.wells],
        "paths": [[list(point) for point in path] for path in layout.paths],
        "tiles": _tiles(game),
    }


def _tiles(game: Game[Any]) -> dict[str, list[list[int]]] | None:
    found = capabilities_of(game).tiles
    return {name: [list(line) for line in lines] for name, lines in found.tiles.items()} if found else None


# -- paths -------------------------------------------------------------------------------------------------------------

Way = tuple[str, ...]
"""The path of a piece: the node it leaves, those it passes in order along a line, the node it reaches."""


class Carried(Protocol):
    """What is carried from a node to another: a piece's move, or a task of a repair."""

    @property
    def source(self) -> str | None:
        """The node it leaves; None: it comes from the supply."""

    @property
    def target(self) -> str | None:
        """The node it reaches; None: it leaves the board."""


def ways_of(step: Step) -> list[Way]:
    """Return the paths of a step's pieces; pieces from the supply or off the board have none."""
    ends = [(move.source, move.target) for move in step.moves if move.source and move.target]
    if step.line and ends == [(step.line[0], step.line[-1])]:
        return [step.line]  # One piece runs along it, and may end where it began.
    return [way for move in step.moves for way in straight_way(move)]


def straight_way(carried: Carried) -> Sequence[Way]:
    """Return the path of what is carried; none where it stays, comes, or goes."""
    source, target = carried.source, carried.target
    return ((source, target),) if source and target and source != target else ()


MADE, ASKED = "made", "asked"


class Arrow(TypedDict):
    """A path that a drawing shows: of a piece that was moved, or that is to be moved."""

    kind: Annotated[str, limits(enum=("made", "asked"))]
    nodes: Annotated[Sequence[Node], limits(minItems=2)]


def arrows_along(kind: str, ways: Iterable[Way]) -> list[Arrow]:
    """Return some paths in the form of the view."""
    return [{"kind": kind, "nodes": list(way)} for way in ways]


# -- colours -----------------------------------------------------------------------------------------------------------

COLOUR_NAMES = dict(enumerate(("blue", "orange", "green", "pink", "yellow", "red", "violet", "white"), 1))
COLOURS = len(COLOUR_NAMES)
"""Number of colours for the seats' lights, numbered from 1 (docs/view.md)."""
SHINING = {"blue": 1, "yellow": 5, "red": 6, "green": 3}
"""Tints of pieces that can shine, and the nearest colour to each."""


def own_colours(game: Game[Any], mode: str) -> dict[int, int]:
    """Return the colours of seats whose pieces are named after a colour of light."""
    plays = game.plays(starting(game, mode, {SEED: 0}))
    named = {seat: SHINING.get(tint(game.pieces[piece])) for seat, piece in plays.items()}
    return {seat: colour for seat, colour in named.items() if colour is not None}

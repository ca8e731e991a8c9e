"""Positions of Octiles that are set up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from firmware_host.games.game import BadPosition, Game, Occupancy
from firmware_host.games.octiles import rules
from firmware_host.games.octiles.board import HOMES, NODE, NODES, OPPOSITE, TILES, WELLS
from firmware_host.games.octiles.names import RUNNERS as RUNNER_NAMES
from firmware_host.games.octiles.rules import EIGHTHS, RUNNERS, SEATED, Position
from firmware_host.link.set_up import SetUpChoice, who_acts
from firmware_host.text.words import capital, say

HIGHEST = 1


def choices(mode: str) -> Sequence[SetUpChoice]:
    """Return the sides."""
    return [who_acts({str(seat): capital(RUNNER_NAMES[side]) for seat, side in enumerate(SEATED[mode], 1)})]


def position(
    game: Game[Any],  # noqa: ARG001 - it has no options
    mode: str,
    lying: Occupancy,
    chosen: Mapping[str, str],
    rng: Random,
) -> Position:
    """Return the position in which these pieces lie. Raise BadPosition."""
    faces = tuple(_face(well, lying.get(well, ("",))[0]) for well in WELLS)
    laid = [face // EIGHTHS for face in faces if face]
    for tile in laid:
        if laid.count(tile) > 1:
            raise BadPosition(say("tile {tile} lies twice, but there is only one", tile=tile))
    runners = tuple(_runners(mode, side, lying) for side in SEATED[mode])
    stack = [tile for tile in TILES if tile not in laid]
    rng.shuffle(stack)
    return rules.parse(rules.text(Position(faces, runners, tuple(stack), mode, int(chosen["seat"]))))


def _face(well: str, piece: str) -> int:
    if not piece:
        return 0
    tile, _, turned = piece.partition("r")
    if tile not in map(str, TILES) or turned not in map(str, range(EIGHTHS)):
        raise BadPosition(say("only tiles lie in wells: look at {well}", well=well))
    return int(tile) * EIGHTHS + int(turned)


def _runners(mode: str, side: str, lying: Occupancy) -> tuple[int, ...]:
    nodes = [node for node in NODES if lying.get(node) == (side[0],)]
    name = RUNNER_NAMES[side]
    if len(nodes) != RUNNERS[mode]:
        raise BadPosition(
            say("{runner}: {count} of {most} are on the board",
                runner=capital(name), count=len(nodes), most=RUNNERS[mode])
        )  # fmt: skip
    for node in nodes:
        if any(node in HOMES[other] for other in HOMES if other not in {side, OPPOSITE[side]}):
            raise BadPosition(say("{runner} on {node}: no runner stands on others' pads", runner=name, node=node))
    return tuple(NODE[node] for node in nodes)

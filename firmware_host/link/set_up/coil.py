"""Positions of Coil that are set up by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from firmware_host.games.coil import rules
from firmware_host.games.coil.board import SIZE, board
from firmware_host.games.coil.rules import Options, Position
from firmware_host.games.game import BadPosition, Occupancy
from firmware_host.games.plain import PlainWithOptions
from firmware_host.link.set_up import SetUpChoice, who_acts
from firmware_host.text.words import say

HIGHEST = 1
NOBODY = "0"


def choices(mode: str) -> Sequence[SetUpChoice]:  # noqa: ARG001 - there is one mode
    """Return who plays black, and who acts."""
    one, two = say("Player {seat}", seat=1), say("Player {seat}", seat=2)
    black = {NOBODY: say("Not decided yet"), "1": one, "2": two}
    return [SetUpChoice("black", say("Who plays black?"), black), who_acts({"1": one, "2": two})]


def position(
    game: PlainWithOptions[Position, Options],
    mode: str,  # noqa: ARG001 - there is one mode
    lying: Occupancy,
    chosen: Mapping[str, str],
    rng: Random,  # noqa: ARG001 - nothing is hidden
) -> Position:
    """Return the position in which these pieces lie. Raise BadPosition."""
    cells, holder = board(SIZE), int(chosen["black"])
    sets = {
        colour: sum(1 << cells.numbers[node] for node, stack in lying.items() if stack == (colour,)) for colour in "bw"
    }
    if not holder and sets["w"]:
        node = next(node for node, stack in lying.items() if stack == ("w",))
        raise BadPosition(say("the stone on {node} is white: all are black until somebody plays black", node=node))
    phase = "main" if holder else "contract"
    ending = rules.ending(cells, sets["b"], sets["w"])
    return Position(SIZE, sets["b"], sets["w"], phase, int(chosen["seat"]), holder, ending, options=game.chosen)

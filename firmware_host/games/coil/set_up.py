"""Positions of Coil that are set up by hand."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.games.coil import rules
from firmware_host.games.coil.board import SIZE, board
from firmware_host.games.coil.rules import Position
from firmware_host.games.game import BadPosition, Occupancy
from firmware_host.games.setting_up import SetUpChoice, who_acts
from firmware_host.text.words import say

NOBODY = "0"


def choices() -> Sequence[SetUpChoice]:
    """Return who plays black, and who acts."""
    one, two = say("Player {seat}", seat=1), say("Player {seat}", seat=2)
    black = {NOBODY: say("Not decided yet"), "1": one, "2": two}
    return [SetUpChoice("black", say("Who plays black?"), black), who_acts({"1": one, "2": two})]


def position(lying: Occupancy, holder: int, seat: int) -> Position:
    """Return the position. Raise BadPosition."""
    cells = board(SIZE)
    sets = {
        colour: sum(1 << cells.numbers[node] for node, stack in lying.items() if stack == (colour,)) for colour in "bw"
    }
    if not holder and sets["w"]:
        node = next(node for node, stack in lying.items() if stack == ("w",))
        raise BadPosition(say("the stone on {node} is white: all are black until somebody plays black", node=node))
    phase = "main" if holder else "contract"
    ending = rules.ending(cells, sets["b"], sets["w"])
    return Position(SIZE, sets["b"], sets["w"], phase, seat, holder, ending)

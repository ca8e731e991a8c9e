"""How many pieces a board is played with, which way their magnets lie, and how far above the sensors they stand.

What a board file's [supply] says comes first; else the game's own stock; else a game without stacks has at most a
piece on each node. Lists of parts and printed parts ask here.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

from firmware_host.games.capabilities import HasFacts
from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from hw.ports import BoardDescription
from hw.registry import inputs_of, scheme_of
from hw.sensor_parts import AXIAL, PARTS, SensorPart

COLOURS = {"w": "white", "b": "black"}
WAYS = {"N": "north up", "S": "south up"}
LEAST_MM, SPAN_MM = 3, 2
"""Thinnest plate that bears holes, and how much thicker one may be than necessary."""


class Pieces(NamedTuple):
    """The pieces of a board."""

    number: int
    """How many to make; 0 where neither board nor game tells."""
    words: str
    """How many of each kind, and which way up; empty where the number is only a limit."""


def pieces_of(board: BoardDescription) -> Pieces:
    """Return the pieces of a board."""
    if board.supply:
        return Pieces(sum(board.supply.values()), ", ".join(f"{count} {one}" for one, count in board.supply.items()))
    try:
        game = find_game(board.game)
    except GameError:
        return Pieces(0, "")
    most: Counter[str] = Counter()
    for mode in game.modes:
        start = game.start(mode)
        stock = Counter(game.facts(start).stock) if isinstance(game, HasFacts) else Counter[str]()
        if stock:
            most |= stock + Counter(piece for stack in game.occupancy(start).values() for piece in stack)
    if most:
        ways = {one: WAYS.get(game.poles.get(one, ""), "any way up") for one in most}
        words = (f"{count} {COLOURS.get(one, one)}, {ways[one]}" for one, count in most.items())
        return Pieces(most.total(), "; ".join(words))
    alone = not any(game.simultaneous(game.start(mode)) for mode in game.modes)
    return Pieces(len(board.nodes) if alone else 0, "")


def sensor_kind(board: BoardDescription) -> str:
    """Return the kind of the soldered sensors: ``level`` also where a converter reads polarity from linear sensors."""
    return "level" if board.channel_kind == "polarity" and inputs_of(board) == board.channels else board.channel_kind


def cover_mm(board: BoardDescription) -> float | None:
    """Return how much of the plate, with paint, stays over a sensor's face, mm; None without a magnet."""
    if board.magnet is None:
        return None
    part = board.part or scheme_of(board).sensor_parts(sensor_kind(board))[0]
    return max(0.0, board.magnet.gap_mm - _element_mm(PARTS[part]))


def _element_mm(part: SensorPart) -> float:
    """Return how deep what feels the field lies below a part's face, mm: in a TO-92, and in the middle of a glass."""
    return 1.0 if part.response == AXIAL else 0.7


def plate_mm(board: BoardDescription) -> tuple[int, int]:
    """Return the least and largest thickness of a plate that leaves so much over its sensors, mm."""
    least = max(LEAST_MM, math.ceil(cover_mm(board) or 0.0))
    return least, least + SPAN_MM

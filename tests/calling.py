"""Spokes with loops that can be called, until the game itself can do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from firmware_host.games.game import BadAction, Foresees, Foresight, Game, GameError, Transition
from firmware_host.games.spokes import board, endings, resolution
from firmware_host.games.spokes.position import Position
from firmware_host.games.spokes.spokes import Spokes


class Calling(Spokes):
    def foresee(self, position: Position, max_positions: int, out_of_time: Callable[[], bool]) -> Foresight:
        if position.phase != "resolve":
            raise GameError("foresee: not being resolved")
        graph = resolution.explore(position.cells, max_positions, out_of_time=out_of_time)
        if graph.rests:
            return Foresight(True, False)
        if not graph.exact:
            return Foresight(None, None)
        loop = next((loop for loop in resolution.loops(graph) if 0 in loop), None)
        if loop is None:
            return Foresight(False, False)
        nodes = resolution.loop_nodes([graph.cells[member] for member in loop])
        return Foresight(False, True, tuple(board.NODES[node] for node in board.members(nodes)))

    def call_loop(self, position: Position, nodes: Sequence[str]) -> Transition[Position]:
        if position.phase != "resolve" or any(node not in board.INDEX for node in nodes):
            raise BadAction("loop: not being resolved, or an unknown node")
        bits = sum(1 << board.INDEX[node] for node in nodes) & (position.cells[0] | position.cells[1])
        if not bits:
            raise BadAction("loop: nothing would be cleared")
        over = replace(position, cells=resolution.cleared(position.cells, bits), phase="over")
        removed = tuple(board.NODES[node] for node in board.members(bits))
        return Transition(over, endings.status(over, "loop"), self.occupancy(position), removed)


def calling(game: Game[Any]) -> Game[Any]:
    return game if isinstance(game, Foresees) else Calling()

"""Stones on a board, hands that hold some, and what ideal sensors of one kind report: no rules, no table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware_host.games.game import Game


class Stones:
    """Stacks in the order in which they were really put; :meth:`feel` hears of every node that a hand has touched."""

    def __init__(self, game: Game[Any], kind: str) -> None:
        self.game = game
        self.kind = kind
        self.stones: dict[str, list[str]] = {}
        self.hand: list[str] = []

    def feel(self, node: str) -> None:
        raise NotImplementedError

    def lift(self, node: str, pieces: int | Sequence[str] = 1) -> None:
        """Lift so many from the top, or just these pieces (a person picks the right stone out of a stack)."""
        stack = self.stones[node]
        taken = stack[-pieces:] if isinstance(pieces, int) else list(pieces)
        for piece in taken:
            stack.remove(piece)
        self.hand = taken + self.hand
        if not stack:
            del self.stones[node]
        self.feel(node)

    def put(self, node: str, piece: str | None = None) -> None:
        """Put what is in the hand (or a piece from the supply) onto a node."""
        pieces = [piece] if piece else self.hand
        assert pieces, "the hand is empty"
        self.stones.setdefault(node, []).extend(pieces)
        if not piece:
            self.hand = []
        self.feel(node)

    def take_off(self, node: str) -> None:
        """Take all that lies on a node off the board."""
        self.lift(node, len(self.stones[node]))
        self.hand = []

    def sensed(self, node: str) -> str:
        """Return what a real sensor would show: the magnets' sum, the lower stone first."""
        stack = self.stones.get(node, [])
        if not stack:
            return ""
        poles = [self.game.poles[piece] for piece in stack]
        if self.kind == "coded" and node in self.game.layout().wells:
            return stack[0] if len(stack) == 1 else "?"
        if self.kind in {"presence", "coded"}:
            return "x"
        if self.kind == "polarity" or len(stack) == 1:
            return poles[0]
        return poles[0] + (">" if len(set(poles)) == 1 else "<")

"""Octiles played by strange hands until its natural end: each player takes the turn that gains most rows."""

from __future__ import annotations

from firmware_host.games.game import Step
from firmware_host.games.octiles.board import NODE, NODES, ROWS_GAINED
from firmware_host.games.octiles.rules import SEATED
from tests.hands.account import Account
from tests.hands.evening import WAYS, Evening, Way

MAX_ACTIONS = 300


class Race(Evening):
    """An evening of players who want to get home."""

    def choose(self) -> Step | None:
        offered = [step for step in self.legal if step.moves and step.after not in self.earlier()]
        self.random.shuffle(offered)
        return max(offered, key=self.gain, default=None)

    def gain(self, step: Step) -> int:
        """Return how many rows a step gains for its runner."""
        move = step.moves[-1]
        if not move.source or not move.target or move.source not in NODE:
            return 0
        side = SEATED[self.position.mode][self.table.actor - 1]
        return int(ROWS_GAINED[side][NODE[move.source] * len(NODES) + NODE[move.target]])

    def has_ended(self) -> bool:
        """Tell whether a game has come to its natural end."""
        return self.phase == "over" and self.table.ledger.now.status.reason == "goal"


def race(mode: str, kind: str, seed: int, ways: tuple[Way, ...] = WAYS) -> tuple[Account, bool]:
    """Play a game from its start; return what it has shown, and whether it came to its end."""
    evening = Race("octiles", mode, kind, None, seed)
    return evening.play(MAX_ACTIONS, ways), evening.has_ended()

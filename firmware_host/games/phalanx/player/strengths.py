"""The five levels of Phalanx, as the ladder of games between them has placed them (docs/strength.md)."""

from __future__ import annotations

from firmware_host.games.thinking import Budget, Strength

LEVELS = (
    Strength(Budget(nodes=300, depth=1, evaluation=0), spread=0.8),
    Strength(Budget(nodes=1_000, depth=2, evaluation=1), spread=0.3),
    Strength(Budget(nodes=3_000, depth=4), spread=0.15),
    Strength(Budget(nodes=30_000), spread=0.05),
    Strength(Budget(nodes=300_000), spread=0.01),
)

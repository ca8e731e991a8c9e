"""The five levels of Phalanx, as the ladder of games between them has placed them (docs/strength.md)."""

from __future__ import annotations

from firmware_host.games.thinking import Budget, Strength

LEVELS = (
    Strength(Budget(nodes=4_000, depth=2, evaluation=0), spread=0.14),
    Strength(Budget(nodes=4_000, depth=2, evaluation=0), spread=0.1),
    Strength(Budget(nodes=6_000), spread=0.065),
    Strength(Budget(nodes=12_000), spread=0.04),
    Strength(Budget(nodes=300_000)),
)

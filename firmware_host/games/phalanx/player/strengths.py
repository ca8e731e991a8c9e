"""The five levels of Phalanx, apart by how far ahead they look and how far below the best they choose."""

from __future__ import annotations

from firmware_host.games.thinking import Budget, Strength

LEVELS = (
    Strength(Budget(nodes=4_000, depth=2), spread=0.2),
    Strength(Budget(nodes=6_000, depth=3), spread=0.08),
    Strength(Budget(nodes=3_000)),
    Strength(Budget(nodes=65_000)),
    Strength(Budget(nodes=500_000)),
)
"""A deep search knows only bounds of all but the best actions, so that a spread would make it much weaker."""

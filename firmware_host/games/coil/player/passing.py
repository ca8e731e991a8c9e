"""Black's chance when somebody passes: random games overrate it, and the more so the better both players are.

``passing.toml`` was fitted by ``tools/fit_coil.py``.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path

DATA = Path(__file__).with_name("passing.toml")


@cache
def _fitted() -> tuple[list[tuple[float, float]], float]:
    """Return logarithm of the nodes and offset, for each strength of players that was fitted, and the slope."""
    found = tomllib.loads(DATA.read_text(encoding="utf-8"))
    return sorted((math.log(one["nodes"]), one["offset"]) for one in found["strength"]), found["slope"]


def logit(share: float) -> float:
    """Return the logit of a share, which is kept a little away from 0 and 1."""
    inside = min(max(share, 0.002), 0.998)
    return math.log(inside / (1 - inside))


def black_chance(found: float, nodes: int) -> float:
    """Return Black's chance between players with so many nodes an action, where a search found this share."""
    strengths, slope = _fitted()
    at = math.log(max(1, nodes))
    after = next((place for place, one in enumerate(strengths) if one[0] >= at), len(strengths) - 1)
    low, high = strengths[max(0, after - 1)], strengths[after]
    part = 0.0 if high[0] == low[0] else min(max((at - low[0]) / (high[0] - low[0]), 0.0), 1.0)
    offset = low[1] + part * (high[1] - low[1])
    return 1 / (1 + math.exp(-offset - slope * logit(found)))

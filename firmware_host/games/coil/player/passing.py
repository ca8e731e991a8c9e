"""Black's chance when somebody passes: how far a search errs about it depends on how long it is.

``passing.toml`` was fitted by ``tools/fit_coil.py``.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path

DATA = Path(__file__).with_name("passing.toml")


@cache
def _searches() -> list[tuple[float, float, float]]:
    """Return logarithm of the games, offset and slope, for each length of a search that was fitted."""
    found = tomllib.loads(DATA.read_text(encoding="utf-8"))["search"]
    return sorted((math.log(one["games"]), one["offset"], one["slope"]) for one in found)


def logit(share: float) -> float:
    """Return the logit of a share, which is kept a little away from 0 and 1."""
    inside = min(max(share, 0.002), 0.998)
    return math.log(inside / (1 - inside))


def black_chance(found: float, games: int) -> float:
    """Return Black's chance against a good White where a search of so many games has found a share for Black."""
    searches = _searches()
    at = math.log(max(1, games))
    after = next((place for place, one in enumerate(searches) if one[0] >= at), len(searches) - 1)
    low, high = searches[max(0, after - 1)], searches[after]
    part = 0.0 if high[0] == low[0] else min(max((at - low[0]) / (high[0] - low[0]), 0.0), 1.0)
    offset, slope = (low[k] + part * (high[k] - low[k]) for k in (1, 2))
    return 1 / (1 + math.exp(-offset - slope * logit(found)))

"""The evaluation's weights: read from the data file that the fitting tool writes, or the simple ones made here."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

from firmware_host.games.spokes.player.judge import (
    HOME_PATTERNS,
    INNER_PATTERNS,
    LEAD_PATTERNS,
    LEADS,
    RING_PATTERNS,
    STAGES,
    Weights,
)

FILE = "weights.json"
SIZES = {"homes": HOME_PATTERNS, "rings": RING_PATTERNS, "inner": INNER_PATTERNS, "leads": LEAD_PATTERNS}
TABLES = tuple(SIZES)


def simple_leads() -> list[int]:
    """Return what a lead on home nodes is worth, more towards the end, and a little the sector."""
    found = [0] * LEAD_PATTERNS
    for at in range(LEAD_PATTERNS):
        rest, lead = divmod(at, LEADS)
        rest, sector = divmod(rest, 3)
        stage = rest % STAGES
        found[at] = (lead - LEADS // 2) * (150 + 50 * (STAGES - 1 - stage)) + (sector - 1) * 50
    return found


def simple() -> Weights:
    """Return weights of the leads alone."""
    return Weights([0] * HOME_PATTERNS, [0] * RING_PATTERNS, [0] * INNER_PATTERNS, simple_leads())


@lru_cache(maxsize=1)
def learned() -> Weights:
    """Return the weights of the data file."""
    data = json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return Weights(*(table(data["weights"][name], SIZES[name]) for name in TABLES))


def table(sparse: dict[str, int], size: int) -> list[int]:
    """Return a list of weights from those that are not 0."""
    found = [0] * size
    for index, weight in sparse.items():
        found[int(index)] = weight
    return found

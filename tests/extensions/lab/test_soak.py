"""Fast games of computers with a simulated hand come to their end, whatever hand and table do at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extensions.lab.soaking import Played, soak
from tests.sampling import cases

SAMPLES = (
    Played("go-9x9", "presence", "2", 40, push=True),
    Played("go-9x9", "presence", "2", 3, push=True, lost=0.02),
    Played("spokes-45", "polarity", "4", 6),
    Played("spokes-45", "level", "2", 7, lost=0.02),
    Played("spokes-45", "level", "2", 3, phones=True),
    Played("go-9x9", "polarity", "2", 1, push=True, phones=True),
    Played("hexhex-7", "polarity", "2", 6, lost=0.02),
    Played("octiles-53", "presence", "2", 6),
    Played("octiles-189", None, "4", 3),
)
SHORT = [one for one in SAMPLES if one.board == "hexhex-7"]
"""The quickest."""
MANY = tuple(
    Played(board, kind, mode, seed, push=board == "go-9x9", lost=lost, phones=bool(seed % 2) and not lost)
    for board, mode, kinds in (
        ("go-9x9", "2", ("presence", "polarity", "level")),
        ("spokes-45", "2", ("presence", "polarity", "level")),
        ("spokes-45", "4", ("presence", "polarity", "level")),
        ("hexhex-7", "2", ("presence", "polarity")),
        ("octiles-53", "2", ("presence",)),
        ("octiles-189", "3", (None,)),
    )
    for kind in kinds
    for seed in range(100, 110)
    # A piece that is lost from a stack is seen by no sensor of another kind.
    for lost in ((0.0, 0.02) if board != "spokes-45" or kind == "level" else (0.0,))
)


@pytest.mark.parametrize("played", cases(SAMPLES, *SHORT), ids=str)
def test_a_fast_game_ends(tmp_path: Path, played: Played) -> None:
    soak(tmp_path, played)


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("played", MANY, ids=str)
def test_many_fast_games_end(tmp_path: Path, played: Played) -> None:
    soak(tmp_path, played)

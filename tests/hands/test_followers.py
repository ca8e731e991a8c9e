"""Lights, tasks and sentences each lead on by themselves, from disturbed boards of every game and kind of sensing.

``make bench ARGS=hands`` counts more of them. A fault names its board: ``lead(*THAT)`` repeats it.
"""

from __future__ import annotations

import pytest

from tests.hands.evening import SENSED
from tests.hands.followers import FOLLOWERS, lead
from tests.sampling import cases

ALL = [(game, kind) for game, _, kinds in SENSED for kind in kinds]
MODES = {game: modes for game, modes, _ in SENSED}
THOROUGH = 2_000
"""Boards of the thorough run for each game and kind of sensing, each for all three followers."""


def faults(game: str, kind: str, boards: range) -> list[str]:
    modes = MODES[game]
    found = (lead(game, modes[seed % len(modes)], kind, seed, who) for seed in boards for who in FOLLOWERS)
    return [fault for fault in found if fault is not None]


@pytest.mark.parametrize(("game", "kind"), cases(ALL, *ALL))
def test_each_of_the_three_leads_on(game: str, kind: str) -> None:
    assert faults(game, kind, range(12)) == []


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("game", "kind"), ALL)
def test_they_lead_on_from_many_boards(game: str, kind: str) -> None:
    assert faults(game, kind, range(1_000, 1_000 + THOROUGH)) == []

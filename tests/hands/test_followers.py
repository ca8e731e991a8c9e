"""Lights, tasks and sentences each lead on by themselves, from disturbed boards of every game, kind and phase.

``make bench ARGS=hands`` counts more of them. A fault names its board: ``lead(*THAT)`` repeats it.
"""

from __future__ import annotations

import pytest

from tests.hands.disorder import FAMILIES
from tests.hands.followers import lead, plan
from tests.sampling import few

THOROUGH = 2_000
"""Boards of the thorough run for each family."""


def faults(family: str, boards: int, first: int = 0) -> str:
    return "\n".join(f"{fault.kind}: {fault.text}" for case in plan(family, boards, first) if (fault := lead(*case)))


@pytest.mark.parametrize("family", few(FAMILIES, 5))
def test_who_obeys_comes_to_the_position_and_does_no_action(family: str) -> None:
    assert not faults(family, 12)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("family", FAMILIES)
def test_it_is_so_from_many_boards(family: str) -> None:
    assert not faults(family, THOROUGH, 1_000)

"""A stranger at the JSON lines: whatever was done to the board and pressed on phones, the table leads back to play.

A fault names the evening: ``play(*THAT)`` repeats it.
"""

from __future__ import annotations

import pytest

from tests.hands.account import Lost
from tests.hands.evening import SENSED, a_position
from tests.hands.followers import an_ending
from tests.hands.stranger import Stranger
from tests.sampling import cases, few

ALL = [(game, mode, kind) for game, modes, kinds in SENSED for mode in modes for kind in kinds]
FIRST = [
    ("spokes", "4", "presence"),
    ("phalanx", "2", "polarity"),
    ("coil", "2", "presence"),
    ("octiles", "2", "coded"),
]
EVENINGS = 30
"""Evenings of the thorough run for each game, mode and kind of sensing."""


def play(game: str, mode: str, kind: str, seed: int) -> int:
    """Play one evening; return how many actions by hand have counted."""
    ends = (game, mode) == ("spokes", "2") and seed % 4 == 1
    position = an_ending(game, mode, "clearing", seed)[0] if ends else a_position(game, mode, seed)
    return Stranger(game, mode, kind, position, seed).run()


@pytest.mark.parametrize(("game", "mode", "kind"), few(cases(ALL, *FIRST), 2))
def test_a_stranger_is_led_back(game: str, mode: str, kind: str) -> None:
    assert play(game, mode, kind, 2)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("game", "mode", "kind"), ALL)
def test_strangers_are_led_back(game: str, mode: str, kind: str) -> None:
    faults = []
    for seed in range(1000, 1000 + EVENINGS):
        try:
            play(game, mode, kind, seed)
        except Lost as lost:
            faults.append(f"{game} {mode} {kind} {seed}: {lost}")
    assert not faults, "\n".join(faults)

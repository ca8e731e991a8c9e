"""Whole games of Octiles by hand, in both layouts, for two, three and four players; errors made and mended."""

from __future__ import annotations

import pytest

from tests.table.octiles_evenings import ERRORS, KINDS, Octiles

GAMES = [(kind, mode) for kind in KINDS for mode in ("2", "3", "4")]


@pytest.mark.parametrize(("kind", "mode"), GAMES)
def test_a_whole_game_without_errors(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=int(mode))
    while not hands.over:
        hands.turn()
    assert (hands.asked == 0) == (kind == "coded")


@pytest.mark.parametrize(("kind", "mode"), GAMES)
def test_a_whole_game_with_errors(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=10 + int(mode))
    while not hands.over:
        hands.turn(*hands.random.sample(ERRORS, hands.random.choice((0, 0, 1, 2))))
    assert len(hands.meant) > 20


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_error_made_and_mended(kind: str, error: str) -> None:
    hands = Octiles(kind, "2", seed=5)
    for _ in range(14):
        if not hands.over:
            hands.turn(error)


@pytest.mark.parametrize(("kind", "mode"), GAMES)
def test_two_hands_at_once(kind: str, mode: str) -> None:
    hands = Octiles(kind, mode, seed=3)
    for _ in range(25):
        steps = hands.carried()
        if hands.over or not steps:
            break
        hands.at_once(hands.random.choice(steps))

"""Mixed strategies of simultaneous choices: known games, and what no opponent can gain."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_host.searching.matrix import ONE, gap, means, solve

ROCK_PAPER_SCISSORS = [500, 0, 1000, 1000, 500, 0, 0, 1000, 500]


def test_rock_paper_scissors_is_mixed_evenly() -> None:
    for mix in solve(ROCK_PAPER_SCISSORS, 3, 3, 500):
        assert all(abs(part - ONE // 3) < ONE // 50 for part in mix)


def test_a_saddle_point_is_found_and_nothing_else_is_played() -> None:
    mine, theirs = solve([3000, 5000, 1000, 9000], 2, 2, 400)
    assert mine[0] > 0.98 * ONE
    assert theirs[0] > 0.98 * ONE


def test_uneven_pennies_are_mixed_so_that_the_other_gains_nothing() -> None:
    # Both choose the first with the other's difference: 1 in 4, and 1 in 4 (worked out by hand).
    values = [40_000, 0, 0, 0, 20_000, 20_000, 0, 20_000, 20_000]
    mine, theirs = solve(values, 3, 3, 2000, 50)
    worths = means(values, theirs, 3)
    # The value is 40,000 p = 20,000 (1 - p): p = 1/3.
    assert abs(mine[0] - ONE / 3) < ONE / 50
    assert abs(max(worths) - 13_333) < 300


@settings(deadline=None, max_examples=30)
@given(rows=st.integers(1, 9), columns=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_neither_side_can_gain_much(rows: int, columns: int, seed: int) -> None:
    rng = Random(seed)
    values = [rng.randrange(1_000_001) for _ in range(rows * columns)]
    mine, theirs = solve(values, rows, columns, 3000, 3000)
    assert len(mine) == rows
    assert len(theirs) == columns
    assert 0.99 * ONE < sum(mine) <= ONE
    assert min(mine + theirs) >= 0
    against = means(values, theirs, rows)
    for_columns = [sum(values[row * columns + at] * mine[row] for row in range(rows)) / ONE for at in range(columns)]
    assert max(against) - min(for_columns) < 20_000
    assert abs(gap(values, mine, theirs) - (max(against) - min(for_columns))) < 100


def test_equal_values_are_no_fault() -> None:
    mine, theirs = solve([7] * 6, 2, 3, 100)
    assert max(mine) - min(mine) <= 1
    assert max(theirs) - min(theirs) <= 1


@pytest.mark.parametrize(("rows", "columns"), [(0, 2), (2, 0), (2, 2)])
def test_a_matrix_of_another_size_is_refused(rows: int, columns: int) -> None:
    with pytest.raises(ValueError, match=r"expected .* got 3"):
        solve([1, 2, 3], rows, columns, 10)

"""Generated tests try a fixed sample in ``make test``, all in the thorough run, without a word in each of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sampling import cases, is_sample, sampled, some


@pytest.fixture(scope="module")
def tried() -> Iterator[list[int]]:
    numbers: list[int] = []
    yield numbers
    assert len(numbers) == (12 if is_sample() else 60)


@settings(max_examples=60)
@given(number=st.integers())
def test_generated_tests_are_sampled(tried: list[int], number: int) -> None:
    """The examples are counted when all have been tried."""
    tried.append(number)


def test_few_examples_stay() -> None:
    asked = [settings(max_examples=number) for number in (3, 20, 100)]
    assert [sampled(one).max_examples for one in asked] == ([3, 5, 20] if is_sample() else [3, 20, 100])


def chosen(every: list[tuple[str, ...]], *kept: tuple[str, ...]) -> set[tuple[str, ...]]:
    params = cases(every, *kept)
    assert [param.values for param in params] == every, "none is lost"
    return {param.values for param in params if not param.marks}


def test_a_family_is_sampled_so_that_every_pair_of_values_meets() -> None:
    family = list(itertools.product("ab", "cde", "fgh"))
    some = chosen(family)
    assert len(some) == 9, "as few as can be"
    for first, second in ((0, 1), (0, 2), (1, 2)):
        assert {(case[first], case[second]) for case in some} == {(case[first], case[second]) for case in family}
    pairs = list(itertools.product("ab", "cde"))
    assert len(chosen(pairs)) == 3
    assert chosen(pairs, ("a", "d")) == {("a", "d")}


def test_of_a_long_row_every_fifth_is_taken() -> None:
    assert some(range(11)) == ([0, 5, 10] if is_sample() else list(range(11)))
    assert some("abcde", 3) == (["a", "d"] if is_sample() else list("abcde"))
    tried = [some("abcde", 3, str(name)) for name in range(20)]
    assert {one for row in tried for one in row} == set("abcde"), "among many things all of a row is tried"

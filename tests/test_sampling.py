"""Generated tests try a fixed sample in ``make test``, all in the thorough run, without a word in each of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sampling import cases, few, is_sample, sampled, some, together


@pytest.fixture(scope="module")
def tried() -> Iterator[list[int]]:
    numbers: list[int] = []
    yield numbers
    assert len(numbers) == (7 if is_sample() else 60)


@settings(max_examples=60)
@given(number=st.integers())
def test_generated_tests_are_sampled(tried: list[int], number: int) -> None:
    """The examples are counted when all have been tried."""
    tried.append(number)


def test_few_examples_stay() -> None:
    asked = [settings(max_examples=number) for number in (3, 20, 100)]
    assert [sampled(one).max_examples for one in asked] == ([3, 4, 12] if is_sample() else [3, 20, 100])


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


def test_of_repeats_so_many_stay_and_none_is_lost() -> None:
    row = [("a", 1), ("b", 2), pytest.param("c", 3, marks=pytest.mark.thorough), ("d", 4), ("e", 5), ("f", 6)]
    params = few(row, 2)
    assert [param.values for param in params] == [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 5), ("f", 6)]
    assert [param.values[0] for param in params if not param.marks] == ["a", "d"], "spread evenly"
    assert [param.values for param in few("ab", 5)] == [("a",), ("b",)]


def test_of_a_long_row_every_fifth_is_taken() -> None:
    assert some(range(11)) == ([0, 5, 10] if is_sample() else list(range(11)))
    assert some("abcde", 3) == (["a", "d"] if is_sample() else list("abcde"))
    tried = [some("abcde", 3, str(name)) for name in range(20)]
    assert {one for row in tried for one in row} == set("abcde"), "among many things all of a row is tried"


@pytest.fixture(scope="module")
def rows() -> Iterator[list[tuple[str, int]]]:
    taken: list[tuple[str, int]] = []
    yield taken
    assert taken == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


@together("letter", "ab")
@together("number", [1, 2])
def test_cases_of_one_test_have_its_fixtures(rows: list[tuple[str, int]], letter: str, number: int) -> None:
    rows.append((letter, number))


def test_of_cases_in_one_test_all_that_fail_are_named() -> None:
    tried: list[int] = []

    @together(
        ("number", "name"), [(1, "one"), (2, "two"), (3, "three"), pytest.param(4, "", marks=pytest.mark.thorough)]
    )
    def even(number: int, name: str) -> None:
        tried.append(number)
        assert number % 2 == 0
        assert name != "three"

    with pytest.raises(ExceptionGroup, match="2 of 4 cases") as raised:
        even()
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["case: {'number': 1, 'name': 'one'}"],
        ["case: {'number': 3, 'name': 'three'}"],
    ]
    assert tried == ([1, 2, 3] if is_sample() else [1, 2, 3, 4])

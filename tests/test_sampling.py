"""Generated tests try a fixed sample in ``make test``, all in the thorough run, without a word in each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sampling import is_sample, sampled


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

"""What ``make test`` has a sample of, and ``make test-thorough`` all: generated examples, and cases of families."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import combinations
from typing import Any, TypeVar
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

T = TypeVar("T")
PARAM = type(pytest.param())
SAMPLE, THOROUGH = "sample", "thorough"
FEWER, LEAST = 8, 4
"""A sample has an eighth of the examples, but not fewer than this."""
EACH = 5
"""A sample has every fifth of a long row."""


def register() -> None:
    """Make both profiles known and take the sample; ``--hypothesis-profile=thorough`` takes the other one."""
    # How long things take is told by `make bench`: other programs may run beside the tests.
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile(SAMPLE, unhurried, derandomize=True)
    settings.register_profile(THOROUGH, unhurried, print_blob=True)
    settings.load_profile(SAMPLE)


def is_sample() -> bool:
    """Tell whether a sample is asked for."""
    return settings.get_current_profile_name() == SAMPLE


def sampled(asked: settings) -> settings:
    """Return what a test asks for, with fewer examples where a sample is asked for."""
    if not is_sample():
        return asked
    few = min(asked.max_examples, max(LEAST, asked.max_examples // FEWER))
    return settings(asked, max_examples=few, derandomize=True, database=None)


def some(every: Iterable[T], each: int = EACH, of: str = "") -> list[T]:
    """Return all, or where a sample is asked for every so manieth of them, the first among them.

    Where one row is tried on many things, ``of`` names this one: each gets another part of the row.
    """
    return list(every)[crc32(of.encode()) % each :: each] if is_sample() else list(every)


def cases(every: Sequence[Any], *kept: Any) -> list[Any]:
    """Return the parameters of a test, all but the kept ones marked thorough.

    Where none is named, so many are kept of a family of tuples that every combination of all their parts but one is
    among them: each value of pairs, each pair of triples.
    """
    chosen = kept or _covering([tuple(case) for case in every])
    assert all(case in every for case in chosen), f"expected some of {every}, got {chosen}"
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)), marks=() if case in chosen else pytest.mark.thorough
        )
        for case in every
    ]


def few(every: Iterable[Any], count: int) -> list[Any]:
    """Return the parameters of a test, all but so many of them, spread evenly, marked thorough.

    For repeats of one promise. What is marked already does not count.
    """
    rows = [case if isinstance(case, PARAM) else _alone(case, 2 if type(case) is tuple else 1) for case in every]
    open_ = [place for place, row in enumerate(rows) if not row.marks]
    kept = {open_[number * len(open_) // count] for number in range(min(count, len(open_)))}
    return [
        row if row.marks or place in kept else pytest.param(*row.values, marks=pytest.mark.thorough, id=row.id)
        for place, row in enumerate(rows)
    ]


def together(names: str | Sequence[str], every: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Do what ``parametrize`` does, in one test: it fails with all cases that fail, each named.

    For many short cases, which would cost more as tests of their own. They share the test's fixtures, so a case must
    leave them as they are. Cases marked thorough are left out of a sample.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [case if isinstance(case, PARAM) else _alone(case, len(wanted)) for case in every]
    assert all(mark.name == THOROUGH for row in rows for mark in row.marks), "only thorough cases can be marked"

    def all_in_one(test: Callable[..., None]) -> Callable[..., None]:
        asked = inspect.signature(test)

        @wraps(test)
        def cases_of_test(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            for row in rows:
                case = dict(zip(wanted, row.values, strict=True))
                if row.marks and is_sample():
                    continue
                try:
                    test(**fixtures, **case)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - it is raised with the others
                    error.add_note(f"case: {case!r}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(rows)} cases", failed)

        others = [parameter for name, parameter in asked.parameters.items() if name not in wanted]
        cases_of_test.__signature__ = asked.replace(parameters=others)  # type: ignore[attr-defined]
        return cases_of_test

    return all_in_one


def _alone(case: Any, count: int) -> Any:
    return pytest.param(*(case if count > 1 else (case,)))


def _covering(every: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return cases that cover all, the one that covers most first, the earlier of two that cover as much."""

    def covered(case: tuple[Any, ...]) -> set[tuple[tuple[int, Any], ...]]:
        return set(combinations(enumerate(case), len(case) - 1))

    open_ = set().union(*map(covered, every))
    chosen: list[tuple[Any, ...]] = []
    while open_:
        best = max(every, key=lambda case: len(covered(case) & open_))
        chosen.append(best)
        open_ -= covered(best)
    return chosen

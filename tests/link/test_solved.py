"""Solved puzzles: days in a row, best times, and what is gone with a name."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from firmware_host.link.solved import Known, Solved, clock, days, enter, solvers, without

TODAY = date(2026, 11, 22)
ENTRY = st.builds(
    Solved,
    name=st.sampled_from(["Ann", "ann", "Bob"]),
    game=st.sampled_from(["one", "other"]),
    puzzle=st.sampled_from(["p", "q"]),
    day=st.integers(0, 3).map(lambda back: (TODAY - timedelta(days=back)).isoformat()),
    seconds=st.integers(0, 99),
    daily=st.booleans(),
)


def solved(back: int, seconds: int = 10, *, name: str = "Ann", daily: bool = True, puzzle: str = "p") -> Solved:
    return Solved(name, "one", puzzle, (TODAY - timedelta(days=back)).isoformat(), seconds, daily)


def test_days_in_a_row_end_where_one_is_missing() -> None:
    def streak(*days: int) -> int:
        return solvers([solved(back) for back in days], TODAY)[0].streak

    assert streak(0, 1, 2) == 3
    assert streak(1, 2) == 2, "today's may still come"
    assert streak(2, 3) == 0
    assert streak(0, 2) == 1
    assert solvers([solved(0, daily=False)], TODAY)[0].streak == 0, "another puzzle than that of the day"


def test_the_shortest_time_counts_and_a_name_is_known_however_it_is_written() -> None:
    entries: Known = {}
    for one in (solved(0, 40), solved(0, 30, name="ANN"), solved(1, 20), solved(0, 50), solved(0, 5, puzzle="q")):
        enter(entries, one)
    [ann] = solvers(entries.values(), TODAY)
    assert (ann.solved, ann.best, ann.today["one"]) == (2, {"one": 5}, 5)
    assert [one.seconds for one in entries.values()] == [20, 30, 5], "what was entered last is the last"
    assert days(entries.values()) == {"2026-11-22": 2, "2026-11-21": 1}


@given(st.lists(ENTRY, max_size=12))
def test_nothing_is_left_of_a_name_and_others_keep_all(found: list[Solved]) -> None:
    entries: Known = {}
    for one in found:
        enter(entries, one)
    left = without(entries.values(), "ANN")
    assert {one.name for one in left} <= {"Bob"}
    bob = [one for one in solvers(entries.values(), TODAY) if one.name == "Bob"]
    assert solvers(left, TODAY) == bob


def test_times_are_told_in_minutes() -> None:
    assert [clock(seconds) for seconds in (0, 7, 60, 754, 3600)] == ["0:00", "0:07", "1:00", "12:34", "60:00"]

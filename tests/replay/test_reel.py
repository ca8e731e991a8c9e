"""Where a replay stands: orders and time in, a moment out."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.replay.cursor import MAX_S, SHORTEST_S, Reel
from firmware_host.text.json_reader import InvalidField
from tests.sampling import together


def test_it_stands_at_the_beginning_until_it_is_told_to_play() -> None:
    reel = Reel(5)
    assert reel.tick(1e9) == reel
    assert (reel.at, reel.playing) == (0, False)


def test_each_moment_is_shown_for_the_pace_and_the_last_one_stays() -> None:
    reel = Reel(3, pace=2.0).obey({"do": "play"}, 10.0)
    assert (reel.at, reel.playing) == (0, True)
    assert reel.tick(11.9).at == 0
    reel = reel.tick(12.0)
    assert (reel.at, reel.playing) == (1, True)
    assert reel.tick(13.9).at == 1
    reel = reel.tick(14.3)
    assert (reel.at, reel.playing, reel.at_end) == (2, False, True)
    assert reel.tick(99.0) == reel


def test_a_machine_that_slept_skips_nothing() -> None:
    reel = Reel(9, pace=1.0).obey({"do": "play"}, 0.0).tick(500.0)
    assert reel.at == 1
    assert reel.tick(500.5).at == 1
    assert reel.tick(501.0).at == 2


def test_stepping_by_hand_stops_it_and_stays_within_the_game() -> None:
    reel = Reel(4).obey({"do": "play"}, 0.0)
    moments = []
    for do in ("on", "on", "back", "last", "on", "first", "back"):
        reel = reel.obey({"do": do}, 0.0)
        assert not reel.playing
        moments.append(reel.at)
    assert moments == [1, 2, 1, 3, 3, 0, 0]
    assert reel.obey({"do": "to", "moment": 2}, 0.0).at == 2


def test_play_at_the_end_begins_anew_and_pause_keeps_the_moment() -> None:
    reel = Reel(4, pace=1.0).obey({"do": "last"}, 0.0).obey({"do": "play"}, 5.0)
    assert (reel.at, reel.playing) == (0, True)
    paused = reel.tick(6.0).obey({"do": "pause"}, 6.5)
    assert (paused.at, paused.playing, paused.tick(60.0).at) == (1, False, 1)
    again = paused.obey({"do": "play"}, 60.0)
    assert (again.tick(60.9).at, again.tick(61.0).at) == (1, 2)


def test_a_game_of_one_moment_has_nothing_to_play() -> None:
    reel = Reel(1).obey({"do": "play"}, 0.0)
    assert (reel.at, reel.playing, reel.at_end) == (0, False, True)


def test_another_pace_holds_from_the_moment_that_is_shown() -> None:
    reel = Reel(4, pace=10.0).obey({"do": "play"}, 0.0).obey({"do": "pace", "seconds": 1}, 3.0)
    assert (reel.pace, reel.tick(3.9).at, reel.tick(4.0).at) == (1.0, 0, 1)


@together(
    ("order", "words"),
    [
        ({}, "do: expected a text, but it is missing"),
        ({"do": "hop"}, "do: expected one of first, back, play"),
        ({"do": "rewind"}, 'got "rewind"'),
        ({"do": ["play"]}, "do: expected"),
        ({"do": "play", "moment": 1}, "moment: unknown field, expected do"),
        ({"do": "to"}, "moment: expected a whole number from 0 to 3, but it is missing"),
        ({"do": "to", "moment": 4}, "got 4"),
        ({"do": "to", "moment": -1}, "got -1"),
        ({"do": "to", "moment": True}, "got true"),
        ({"do": "to", "moment": 1.0}, "got 1.0"),
        ({"do": "pace"}, "seconds: expected a number of seconds from 0.05 to 60"),
        ({"do": "pace", "seconds": 0}, "got 0"),
        ({"do": "pace", "seconds": math.nan}, "got NaN"),
        ({"do": "pace", "seconds": 61}, "got 61"),
        ({"do": "pace", "seconds": "2"}, "seconds"),
    ],
)
def test_an_order_that_nobody_can_follow_names_the_field(order: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidField) as caught:
        Reel(4).obey(order, 0.0)
    assert words in str(caught.value)


ORDERS = st.one_of(
    st.sampled_from(["first", "back", "play", "pause", "on", "last"]).map(lambda do: {"do": do}),
    st.integers(0, 6).map(lambda moment: {"do": "to", "moment": moment}),
    st.floats(SHORTEST_S, MAX_S).map(lambda seconds: {"do": "pace", "seconds": seconds}),
)


@given(st.lists(st.tuples(st.floats(0, 30), ORDERS)), st.integers(7, 12))
def test_whatever_is_ordered_it_stays_within_the_game_and_moves_one_at_a_time(
    orders: list[tuple[float, dict[str, Any]]], count: int
) -> None:
    reel, now = Reel(count), 0.0
    for wait, order in orders:
        now += wait
        ticked = reel.tick(now)
        assert ticked.at - reel.at in {0, 1}
        assert ticked.at == reel.at or (reel.playing and now >= reel.due)
        reel = ticked.obey(order, now)
        assert 0 <= reel.at < count
        assert not (reel.playing and reel.at_end)
        assert not reel.playing or now < reel.due <= now + MAX_S


@given(st.integers(2, 12), st.floats(SHORTEST_S, MAX_S))
def test_left_alone_it_comes_to_its_end(count: int, pace: float) -> None:
    reel = Reel(count, pace=pace).obey({"do": "play"}, 0.0)
    seen = [reel.at]
    while reel.playing:
        reel = reel.tick(reel.due)
        seen.append(reel.at)
    assert seen == list(range(count))

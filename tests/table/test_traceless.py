"""Steps after which the board looks the same to the sensors: the lights say where, people say that they made one."""

from __future__ import annotations

import pytest

from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.sentences import is_in

SHIFT = "./..../(bww)b....../................/................ 2 3 1 resolve -"
"""C1 may shift its third stone onto the stone of C2: no sensor that counts nothing sees it leave or arrive."""


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_where_no_sensor_can_tell_two_taps_are_asked_for(kind: str) -> None:
    evening = Evening(kind=kind).begin_at(SHIFT)
    assert evening.lights() == {"C1": "movable", "C2": "confirm"}
    words = evening.view()["lights"]["C2"]["words"]
    assert is_in("{step}; then tap", words)


def test_where_stones_are_counted_nothing_is_asked() -> None:
    assert Evening(kind="level").begin_at(SHIFT).lights() == {"C1": "movable"}


def test_a_step_that_was_chosen_on_a_phone_asks_for_the_taps_too() -> None:
    evening = Evening(kind="presence").begin_at(SHIFT)
    step = next(one for one in evening.view()["steps"] if ["C1", "C2"] in one["moves"])
    evening.say(ActionChosen(at=evening.at, seat=evening.table.actor or 0, action=step["action"]))
    message = evening.view()["message"]
    assert f"{step['words']}. The lights show the way." in message
    assert "tap C2 twice: no sensor here" in message

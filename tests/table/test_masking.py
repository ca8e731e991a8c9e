"""Who may have sensors ignored: players a few, the host and the program any number."""

from __future__ import annotations

import pytest

from firmware_host.table import events as ev
from tests.table.evening import Evening


def mask(evening: Evening, node: str, seat: int | None = None, reason: str = "the host says so") -> None:
    evening.say(ev.SensorMasked(at=evening.at, node=node, reason=reason, seat=seat))


@pytest.fixture
def evening() -> Evening:
    return Evening("spokes", "2").sit_and_start("Ada", "Bob")


def test_players_can_have_three_ignored_at_a_time_all_of_them_together(evening: Evening) -> None:
    for node, seat in (("A1", 1), ("B1", 2), ("B2", 1)):
        mask(evening, node, seat)
    for seat in (1, 2):
        assert evening.refused(ev.SensorMasked(at=evening.at, node="B3", reason="", seat=seat)) == "too_many"
    mask(evening, "B2", 2)  # One that is ignored already is no further one.
    evening.say(ev.SensorUnmasked(at=evening.at, node="A1", seat=2))
    mask(evening, "B3", 2)
    assert set(evening.view()["sensors"]["masked"]) == {"B1", "B2", "B3"}


def test_the_host_and_the_program_take_nothing_from_players(evening: Evening) -> None:
    for node in evening.game.layout().nodes:
        if node.startswith(("C", "D")):
            mask(evening, node, reason="row dead")
    for node in ("A1", "B1", "B2"):
        mask(evening, node, 1)
    assert evening.refused(ev.SensorMasked(at=evening.at, node="B3", reason="", seat=1)) == "too_many"
    mask(evening, "B3")
    assert len(evening.view()["sensors"]["masked"]) == 24 + 4


def test_a_player_gives_no_other_reason(evening: Evening) -> None:
    mask(evening, "A1", 1, "row dead")
    assert evening.view()["sensors"]["masked"] == {"A1": "a player says so"}
    assert evening.restarted().view()["sensors"]["masked"] == {"A1": "a player says so"}

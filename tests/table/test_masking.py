"""Who may have sensors ignored: players a few, the host and the program any number."""

from __future__ import annotations

import pytest

from firmware_host.table.subjects import masks
from firmware_host.table.subjects.masks import SensorMasked, SensorUnmasked
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from lodestone.evening import Evening


def mask(evening: Evening, node: str, seat: int | None = None, reason: str = "", fault: str | None = None) -> None:
    evening.say(SensorMasked(at=evening.at, node=node, reason=reason, seat=seat, fault=fault))


def masked(evening: Evening) -> dict[str, str]:
    shown: dict[str, str] = evening.view()["sensors"]["masked"]
    return shown


@pytest.fixture
def evening() -> Evening:
    return Evening("spokes", "2").sit_and_start("Ada", "Bob")


def test_players_can_have_three_ignored_at_a_time_all_of_them_together(evening: Evening) -> None:
    for node, seat in (("A1", 1), ("B1", 2), ("B2", 1)):
        mask(evening, node, seat)
    for seat in (1, 2):
        assert evening.refused(SensorMasked(at=evening.at, node="B3", reason="", seat=seat)) == "too_many"
    mask(evening, "B2", 2)  # One that is ignored already is no further one.
    evening.say(SensorUnmasked(at=evening.at, node="A1", seat=2))
    mask(evening, "B3", 2)
    assert set(evening.view()["sensors"]["masked"]) == {"B1", "B2", "B3"}


def test_the_host_and_the_program_take_nothing_from_players(evening: Evening) -> None:
    for node in evening.game.layout().nodes:
        if node.startswith(("C", "D")):
            mask(evening, node, reason="row dead", fault="chip:8")
    for node in ("A1", "B1", "B2"):
        mask(evening, node, 1)
    assert evening.refused(SensorMasked(at=evening.at, node="B3", reason="", seat=1)) == "too_many"
    mask(evening, "B3")
    assert len(evening.view()["sensors"]["masked"]) == 24 + 4


def test_a_player_gives_no_other_reason(evening: Evening) -> None:
    mask(evening, "A1", 1, "row dead", "chip:8")
    assert masked(evening) == {"A1": "a player says so"}
    assert masked(evening.restarted()) == {"A1": "a player says so"}


def test_the_journal_has_a_code_and_a_faults_words(evening: Evening) -> None:
    mask(evening, "A1", 1)
    mask(evening, "B1")
    mask(evening, "C1", reason="the chip of row C is dead", fault="chip:8")
    assert [data for kind, data in evening.entries if kind == "mask"] == [
        {"node": "A1", "reason": "player"},
        {"node": "B1", "reason": "host"},
        {"node": "C1", "reason": "chip:8", "words": "the chip of row C is dead"},
    ]
    shown = {"A1": "a player says so", "B1": "the host says so", "C1": "the chip of row C is dead"}
    assert masked(evening) == masked(evening.restarted()) == shown


def test_a_journal_of_an_earlier_version_has_words(evening: Evening) -> None:
    words = (
        "a player says so",
        "the host says so",
        "the chip of row C is dead",
        "a player says so",
        "a player says so",
    )
    old = zip(("A1", "B1", "C1", "C2", "C3"), words, strict=True)
    evening.entries += [("mask", {"node": node, "reason": reason}) for node, reason in old]
    again = evening.restarted()
    assert list(masked(again).values()) == list(words)
    assert [one.reason for one in masks.KEPT.of(again.table.ledger).values()][:3] == ["player", "host", words[2]]
    assert again.refused(SensorMasked(at=again.at, node="D1", seat=1)) == "too_many"


def test_where_no_sensor_works_a_phone_is_asked_and_no_tap() -> None:
    """A tap there is not sensed: neither the task nor the sentence nor the light asks for it."""
    evening = Evening("coil", kind="presence").sit_and_start("Ada", "Bob")
    mask(evening, "a1", 1)
    actor = evening.table.actor or 0
    assert "tap a1" not in evening.view()["lights"]["a1"]["words"]
    evening.say(ActionChosen(at=evening.at, seat=actor, action="a1"))
    view = evening.view()
    assert [(task["do"], task["node"]) for task in view["tasks"]] == [("put", "a1")]
    assert "No sensor works on a1: say on your phone" in view["message"]
    evening.say(Confirmed(at=evening.at, seat=actor, action="a1"))
    assert evening.done() == ["a1"]

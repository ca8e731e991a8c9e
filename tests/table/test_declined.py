"""After a refusal the same question has to wait: nobody is worn down by being asked."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_host.table import events as ev
from firmware_host.table.subjects.proposals import Declined, Proposed
from firmware_host.table.table import handle
from lodestone.evening import Evening
from tests.sampling import cases


def propose(evening: Evening, by: int = 1, what: str = "take-back", about: int | None = None) -> Proposed:
    return Proposed(at=evening.at, seat=by, what=what, about=about)


def declined(evening: Evening, seat: int = 1) -> list[dict[str, Any]]:
    return list(evening.view()["seats"][seat - 1]["declined"])


@pytest.fixture
def evening() -> Evening:
    """Two moves of a game have been played; one of them is worth taking back."""
    evening = Evening("coil", "2").sit_and_start("Ada", "Bob")
    for node in ("a1", "m7"):
        evening.put(node, "b")
        evening.wait(1.0)
    assert evening.done() == ["a1", "m7"]
    return evening


@pytest.mark.slow
@pytest.mark.parametrize("by", cases([1, 2], 2))
def test_after_a_refusal_the_same_is_not_asked_again_for_a_while(evening: Evening, by: int) -> None:
    """Declined by another (2), or withdrawn (1)."""
    for _ in range(3):
        evening.say(propose(evening))
        evening.say(Declined(at=evening.at, seat=by, what="take-back"))
        for _ in range(30):
            assert evening.refused(propose(evening)) == "too_soon"
        assert declined(evening) == [{"what": "take-back", "about": None}]
        evening.wait(31)
        assert declined(evening) == []


def test_others_may_ask_the_same_at_once(evening: Evening) -> None:
    evening.say(propose(evening))
    evening.say(Declined(at=evening.at, seat=2, what="take-back"))
    assert declined(evening, 2) == []
    evening.say(propose(evening, by=2))
    assert evening.view()["proposal"]["by"] == 2


def test_once_the_game_has_moved_on_it_is_another_question(evening: Evening) -> None:
    evening.say(propose(evening))
    evening.say(Declined(at=evening.at, seat=2, what="take-back"))
    evening.put("g7", "b")
    evening.wait(1.0)
    assert declined(evening) == []
    evening.say(propose(evening))
    assert evening.view()["proposal"] is not None


def test_the_page_is_told_when_the_pause_is_over(evening: Evening) -> None:
    evening.say(propose(evening))
    evening.say(Declined(at=evening.at, seat=2, what="take-back"))
    shown = handle(evening.table, ev.Tick(at=evening.at + 29))
    assert shown == []
    shown = handle(evening.table, ev.Tick(at=evening.at + 31))
    assert shown, "a button becomes live again without anything having happened"


def test_whose_phone_is_lost_tells_one_question_from_another() -> None:
    evening = Evening("spokes", "4").sit_and_start("Ada", "Bob", "Cleo", "Dan")
    for seat, action in {1: "wA1", 2: "bB1", 3: "wB2", 4: "bB3"}.items():
        evening.commit(seat, action)
    evening.say(propose(evening, what="reseal", about=2))
    evening.say(Declined(at=evening.at, seat=2, what="reseal"))
    assert evening.refused(propose(evening, what="reseal", about=2)) == "too_soon"
    evening.say(propose(evening, what="reseal", about=3))
    assert evening.view()["proposal"]["about"] == 3

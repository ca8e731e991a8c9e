"""What no sensor sees of the stones that are put down: their colours, and the second one of a stack."""

from __future__ import annotations

import pytest

from firmware_host.table import guide
from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import BoardChanged, Confirmed
from firmware_host.table.view import public_view
from lodestone.evening import Evening
from tests.sentences import sentence

COLOURS = sentence("The sensors here don't see")


def placing(kind: str, first: str, second: str, *, computers: tuple[int, ...] = ()) -> Evening:
    evening = Evening("spokes", kind=kind).sit_and_start("Ada", "Bob", computers=computers)
    evening.seal_all({1: first, 2: second})
    return evening


@pytest.mark.parametrize(("kind", "unseen"), [("presence", True), ("polarity", False), ("level", False)])
def test_phones_say_where_colours_are_not_seen(kind: str, unseen: bool) -> None:
    evening = placing(kind, "wD4", "bB3")
    assert public_view(evening.table)["reminder"] == (COLOURS if unseen else None)
    evening.put("D4", "w")
    evening.put("B3", "b")
    evening.wait(0.5)
    assert evening.phase != "placing"
    assert public_view(evening.table)["reminder"] is None


@pytest.mark.parametrize(("kind", "unseen"), [("presence", True), ("level", False)])
def test_so_they_do_while_a_board_is_set_up(kind: str, unseen: bool) -> None:
    """Where stones are to be put; nothing is said of them where some only have to go."""
    evening = Evening("phalanx", kind=kind).sit_and_start()
    assert public_view(evening.table)["reminder"] == (COLOURS if unseen else None)
    full = Evening("spokes", kind=kind)
    full.put("D4", "w")
    full.sit_and_start()
    full.wait(5.0)
    assert full.phase == "setup"
    assert public_view(full.table)["reminder"] is None


@pytest.mark.parametrize("kind", ["presence", "polarity"])
def test_one_stone_does_not_suffice_for_two_on_a_node(kind: str) -> None:
    """The second one is asked for until somebody taps the stack."""
    evening = placing(kind, "wD4", "bD4")
    evening.put("D4", "w")
    evening.wait(20.0)
    assert evening.phase == "placing"
    view = public_view(evening.table)
    assert "Bob black on D4. Then tap D4" in view["message"]
    assert view["lights"]["D4"]["meaning"] == "put"
    assert [task["do"] for task in view["tasks"]] == ["put", "tap"]
    evening.put("D4", "b")
    evening.wait(20.0)
    assert evening.phase == "placing"
    evening.lift("D4", 2)
    evening.wait(0.3)
    evening.put("D4")
    evening.wait(0.3)
    assert evening.phase != "placing"


def test_a_phone_may_say_that_both_lie() -> None:
    evening = placing("presence", "wD4", "bD4")
    assert evening.refused(Confirmed(at=evening.at, seat=1, action="placed")) == "bad_action"
    evening.put("D4", "w")
    evening.put("D4", "b")
    evening.say(Confirmed(at=evening.at, seat=1, action="placed"))
    evening.wait(0.3)
    assert evening.phase != "placing"


def test_a_sensor_that_is_masked_holds_nobody_up() -> None:
    """While a whole board is set up, nobody is asked about the nodes that it does not see."""
    evening = Evening("spokes").sit_and_start("Ada", "Bob")
    evening.say(SensorMasked(at=evening.at, seat=1, node="D12", reason="stuck"))
    evening.begin_at("./..../......../...........ww.../................ 2 2 2 resolve -")
    evening.wait(2.0)
    assert evening.phase == "resolving"


def masked(*placements: str, computers: tuple[int, ...] = ()) -> Evening:
    evening = Evening("spokes").sit_and_start("Ada", "Bob", computers=computers)
    evening.say(SensorMasked(at=evening.at, seat=None, node="D4", reason="stuck"))
    evening.seal_all(dict(enumerate(placements, 1)))
    return evening


def test_where_no_sensor_works_a_phone_says_that_the_stone_lies() -> None:
    evening = masked("wD4", "bB3")
    assert [(task["do"], task["node"], task["seat"]) for task in guide.tasks(evening.table)] == [
        ("put", "D4", 1),
        ("put", "B3", 2),
    ]
    evening.put("D4", "w")
    evening.put("B3", "b")
    evening.wait(20.0)
    view = public_view(evening.table)
    assert view["phase"] == "placing"
    assert {node: lamp["meaning"] for node, lamp in view["lights"].items()} == {"D4": "put"}
    assert [(task["do"], task["node"]) for task in view["tasks"]] == [("put", "D4")]
    assert "No sensor works on D4" in view["message"]
    assert "say on a phone" in view["lights"]["D4"]["words"]
    evening.say(Confirmed(at=evening.at, seat=2, action="placed"))
    evening.wait(0.3)
    assert evening.phase != "placing"


def test_a_stack_without_a_sensor_goes_on_by_a_phone_alone() -> None:
    evening = masked("wD4", "bD4")
    assert [(task["do"], task["node"]) for task in guide.tasks(evening.table)] == [("put", "D4"), ("put", "D4")]
    evening.wait(20.0)
    assert evening.phase == "placing"
    evening.say(Confirmed(at=evening.at, seat=1, action="placed"))
    evening.wait(0.3)
    assert evening.phase != "placing"


def test_where_computers_play_alone_nobody_is_asked() -> None:
    evening = masked("wD4", "bD4", computers=(1, 2))
    evening.wait(3.0)
    assert evening.phase != "placing"


@pytest.mark.parametrize(("computers", "seat"), [((), 1), ((1,), 2), ((2,), 1), ((1, 2), 1)])
def test_a_person_taps_rather_than_a_computers_hand(computers: tuple[int, ...], seat: int) -> None:
    """A hand that moves the computers' stones must not say that a person's stone lies."""
    evening = Evening("spokes").sit_and_start("Ada", "Bob", computers=computers)
    evening.seal_all({1: "wD4", 2: "bD4"})
    assert guide.tasks(evening.table)[-1] == {"do": "tap", "node": "D4", "seat": seat}


def test_where_levels_are_seen_nothing_is_asked() -> None:
    evening = placing("level", "wD4", "bD4")
    assert [task["do"] for task in guide.tasks(evening.table)] == ["put", "put"]
    evening.put("D4", "w")
    evening.wait(20.0)
    assert evening.phase == "placing"
    evening.put("D4", "b")
    evening.wait(0.5)
    assert evening.phase != "placing"


@pytest.mark.parametrize(("kind", "unseen"), [("presence", True), ("polarity", False)])
def test_a_repair_says_which_kind_belongs_where_no_sensor_sees_it(kind: str, unseen: bool) -> None:
    """Two hoplites of unequal colour are swept along in one moment: nothing tells which of them lies where."""
    evening = Evening("phalanx", kind=kind).begin_at("9/9/1ww6/ww7/9/9/6bb1/7b1/6bb1 w 1 2")
    white, black = ("x", "x") if kind == "presence" else ("N", "S")
    swept = (("C7", ""), ("G1", ""), ("E3", white), ("D7", black))
    evening.say(BoardChanged(at=evening.at, sensed_states=swept))
    evening.wait(10.0)
    view = public_view(evening.table)
    assert (", where the white hoplite belongs" in view["message"]) == unseen
    assert view["reminder"] == (COLOURS if unseen else None)

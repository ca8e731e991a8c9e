"""Octiles over sensors that are not believed, or dead without anybody knowing: asked on the phone, never guessed."""

from __future__ import annotations

import pytest

from firmware_host.table.subjects.masks import SensorMasked
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed, SensorChanged
from lodestone.evening import Evening
from tests.sentences import is_in, sentence
from tests.table.octiles_evenings import KINDS, Octiles, stage_of
from tests.table.test_tiles import MIDDLE, at, stage


def mask(evening: Evening, node: str) -> None:
    evening.say(SensorMasked(at=evening.at, node=node, reason="a player says so", seat=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("well", ["c2", "b3"])
def test_in_a_masked_well_the_phone_says_how_the_tile_lies(kind: str, well: str) -> None:
    hands = Octiles(kind, "2", 1, position=MIDDLE)
    evening = hands.evening
    mask(evening, well)
    step = next(one for one in hands.carried() if one.action.startswith(well))
    for move in step.moves[:-1]:
        hands.deed(move)
        hands.wait(0.5)
    assert hands.stage == [], "nothing is guessed"
    evening.say(ActionChosen(at=evening.at, seat=1, action=stage_of(step.action)))
    hidden = {one["action"]: one["hidden"] for one in evening.view()["steps"]}
    assert hidden[stage_of(step.action)]
    evening.say(Confirmed(at=evening.at, seat=1, action=stage_of(step.action)))
    assert hands.stage == [stage_of(step.action)]
    hands.coming = step.action
    hands.deed(step.moves[-1])
    hands.finish()
    hands.turn()


@pytest.mark.parametrize("kind", KINDS)
def test_a_masked_well_says_from_the_start_that_the_phone_is_asked(kind: str) -> None:
    evening = at(kind)
    assert evening.lights()["c2"] == "target"
    mask(evening, "c2")
    evening.wait(1.0)
    assert evening.lights()["c2"] == "confirm"
    words = evening.view()["lights"]["c2"]["words"]
    assert words.startswith("tile 4 may lie in c2, ")
    assert is_in("{step}; then say so on the phone", words)
    assert (
        sentence("No sensor works on {nodes}: say on your phone", nodes="c2", prompt="").strip()
        in (evening.view()["message"])
    )
    assert {node: light for node, light in evening.lights().items() if light == "confirm"} == {"c2": "confirm"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("meanwhile", ["held", "moved"])
def test_a_runner_that_moves_as_after_a_stage_in_a_masked_well_has_that_stage_asked(kind: str, meanwhile: str) -> None:
    hands = Octiles(kind, "2", 1, position=MIDDLE)
    evening = hands.evening
    mask(evening, "c2")
    step = next(one for one in hands.carried() if one.action == "c2r2:C2-C3")
    evening.put("c2", "4r2")
    evening.wait(2.0)
    hands.coming = step.action
    if meanwhile == "held":
        evening.lift("C2")
    else:
        hands.deed(step.moves[-1])
    evening.wait(0.5)
    assert evening.lights() == {"c2": "confirm"}
    assert hands.stage == [], "nothing is guessed, also where one stage alone explains it"
    assert "c2r2" in {choice["action"] for choice in evening.view()["question"]["choices"]}
    evening.wait(10.0)
    assert evening.view()["problem"] is None
    evening.say(Confirmed(at=evening.at, seat=1, action="c2r2"))
    if meanwhile == "held":
        assert evening.lights()["C3"] == "target"
        evening.put("C3")
    hands.finish()


def test_a_runner_that_is_put_back_leaves_no_question() -> None:
    evening = at("presence")
    mask(evening, "c2")
    evening.tap("C2")
    evening.wait(1.0)
    assert evening.view()["question"] is None
    assert evening.lights()["c2"] == "confirm"


@pytest.mark.parametrize("kind", KINDS)
def test_a_runner_that_starts_or_ends_on_a_masked_node_is_asked_about(kind: str) -> None:
    for end in (0, 1):
        hands = Octiles(kind, "2", 1, position=MIDDLE)
        step = hands.carried()[0]
        runner = step.moves[-1]
        hands.coming = step.action
        hands.lay(step.moves[:-1], step.action)
        mask(hands.evening, str(runner.target if end else runner.source))
        hands.deed(runner)
        hands.wait(3.0)
        assert hands.evening.done() == [], "one sensor alone says nothing for sure"
        hands.evening.say(Confirmed(at=hands.evening.at, seat=1, action=step.action))
        hands.finish()


@pytest.mark.parametrize("kind", KINDS)
def test_a_tile_on_a_dead_sensor_is_said_on_the_phone_and_the_sensor_is_offered(kind: str) -> None:
    evening = at(kind)
    evening.say(ActionChosen(at=evening.at, seat=1, action="c2r2"))
    evening.wait(31.0)  # It lies there, and nothing is seen.
    assert [suspect["node"] for suspect in evening.view()["sensors"]["suspects"]] == ["c2"]
    assert evening.refused(Confirmed(at=evening.at, seat=1, action="c2r2")) == "bad_action"
    mask(evening, "c2")
    evening.say(Confirmed(at=evening.at, seat=1, action="c2r2"))
    assert stage(evening) == ["c2r2"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_sensor_that_dies_under_a_runner_is_offered_and_play_goes_on(kind: str) -> None:
    evening = at(kind)
    evening.say(SensorChanged(at=evening.at, node="B4", sensed=""))
    evening.wait(31.0)
    assert evening.done() == []
    assert "B4" in [suspect["node"] for suspect in evening.view()["sensors"]["suspects"]]
    mask(evening, "B4")
    evening.wait(1.0)
    assert evening.table.watch.problem is None
    evening.put("c2", "4r2")
    evening.wait(0.6)
    if kind == "presence":
        evening.say(Confirmed(at=evening.at, seat=1, action="c2r2"))
    evening.carry("C2", "C3")
    evening.wait(0.7)
    assert evening.done() == ["c2r2:C2-C3"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("said", ["before the runner", "after the runner"])
def test_a_tile_laid_upon_another_that_is_drawn_out_from_under_it(kind: str, said: str) -> None:
    hands = Octiles(kind, "2", 1, position=MIDDLE)
    evening = hands.evening
    step = next(one for one in hands.carried() if len(one.moves) == 3)
    _, tile, runner = step.moves
    well = str(tile.target)
    evening.put(well, tile.pieces[0])
    hands.wait(1.5)
    assert hands.stage == [], "two tiles lie there"
    evening.stones[well] = [tile.pieces[0]]
    evening.feel(well)
    hands.wait(0.6)
    assert hands.stage == ([stage_of(step.action)] if kind == "coded" else [])
    if kind == "presence" and said == "before the runner":
        evening.say(Confirmed(at=evening.at, seat=1, action=stage_of(step.action)))
    hands.coming = step.action
    hands.deed(runner)
    hands.wait(1.0)
    if kind == "presence" and said == "after the runner":
        assert evening.done() == [], "one sensor a well has seen nothing of it"
        evening.say(Confirmed(at=evening.at, seat=1, action=stage_of(step.action)))
    hands.finish()


def test_the_phone_can_say_no_turning_that_the_runner_on_its_way_rules_out() -> None:
    hands = Octiles("presence", "2", 1, position=MIDDLE)
    evening = hands.evening
    there = [one for one in hands.carried() if one.action.startswith("c2")]
    step = next(one for one in there if sum(one.moves[-1] == other.moves[-1] for other in there) > 1)
    runner = step.moves[-1]
    legal = {stage_of(one.action) for one in there if one.moves[-1] == runner}
    evening.put("c2", step.moves[-2].pieces[0])
    hands.wait(0.1)
    hands.coming = step.action
    hands.deed(runner)
    hands.wait(0.6)
    wrong = next(f"c2r{turn}" for turn in range(8) if f"c2r{turn}" not in legal)
    assert evening.refused(Confirmed(at=evening.at, seat=1, action=wrong)) == "bad_action"
    evening.say(Confirmed(at=evening.at, seat=1, action=stage_of(step.action)))
    hands.finish()

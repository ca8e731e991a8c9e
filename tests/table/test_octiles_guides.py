"""What lights and phones say of tiles and runners: where they may go, what is to be taken out, turned, put back."""

from __future__ import annotations

import pytest

from firmware_host.table import guide
from firmware_host.table.change import Change
from firmware_host.table.lights import CYAN, frame
from firmware_host.table.subjects.resolving import ActionChosen
from firmware_host.text.words import capital, fill
from tests.sentences import sentence
from tests.table.octiles_evenings import KINDS, Octiles
from tests.table.test_tiles import MIDDLE, at, lay, stage


def words(evening: object) -> dict[str, str]:
    return {node: lamp.words for node, lamp in guide.lamps(evening.table).items()}  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
def test_a_well_says_how_the_tile_works_in_it_and_what_is_to_be_taken_out(kind: str) -> None:
    evening = at(kind)
    told = words(evening)
    assert told["c2"].startswith("tile 4 may lie in c2, ")
    assert told["b3"].endswith(", once tile 1 is out")
    evening.say(ActionChosen(at=evening.at, seat=1, action="b3r0"))
    assert evening.lights() == {"b3": "remove"}
    assert words(evening) == {"b3": "take tile 1, turned by 1 eighth out of b3 first"}
    evening.lift("b3")
    evening.hand = []
    evening.wait(0.3)
    assert evening.view()["message"].startswith("Ada has taken out the tile from b3: tile 4 may lie in b3, ")
    assert evening.lights()["b3"] == "best"


def test_while_it_is_asked_how_a_tile_lies_its_well_is_lit() -> None:
    evening = at("presence")
    evening.put("c2", "4r2")
    evening.wait(0.6)
    assert words(evening) == {"c2": sentence("how {piece} in {node} is turned", piece="the tile", node="c2")}
    assert evening.lights() == {"c2": "confirm"}


def test_who_has_only_looked_at_a_tile_is_asked_and_may_lay_the_new_one_elsewhere() -> None:
    evening = at("presence")
    evening.tap("b3")
    evening.wait(0.6)
    assert evening.view()["message"] == f"Ada: {sentence('or lay it somewhere', wells='b3')}."
    assert evening.lights()["b3"] == "confirm"
    assert evening.lights()["c2"] == "target"
    lay(evening, "c2r2")
    evening.carry("C2", "C3")
    evening.wait(0.6)
    assert evening.done() == ["c2r2:C2-C3"]


@pytest.mark.parametrize("kind", KINDS)
def test_runners_are_called_runners(kind: str) -> None:
    evening = at(kind)
    evening.lift("F2")
    evening.wait(0.1)
    assert (
        evening.view()["message"]
        == f"{capital(sentence('is yellow, and it is', node='F2', side='blue'))}. Put the yellow runner back on F2."
    )
    evening.put("F2")
    evening.wait(2.2)
    lay(evening, "c2r2")
    assert words(evening)["C2"] == "the blue runner on C2 may be moved"
    evening.lift("C2")
    evening.wait(0.3)
    assert evening.view()["message"].startswith("Ada holds the runner from C2: it may go to ")


def test_light_runs_along_a_line_in_its_order_also_where_it_comes_to_a_well_twice() -> None:
    hands = Octiles("coded", "2", seed=1, position=MIDDLE)
    game, seen = hands.evening.game, 0
    while not seen and not hands.over:
        for step in game.steps(hands.position):
            inner = step.line[1:-1]
            if len(set(inner)) == len(inner) or step.moves[-1].source == step.moves[-1].target:
                continue
            seen += 1
            hands.lay(step.moves[:-1], step.action)
            hands.evening.say(ActionChosen(at=hands.evening.at, seat=hands.seat, action=step.action))
            hands.evening.lift(str(step.moves[-1].source))
            hands.evening.wait(0.3)
            lamps = guide.lamps(hands.evening.table)
            for moment, node in enumerate(step.line[:-1]):
                lit = {one for one, colour in frame(lamps, (moment + 0.5) / 8, {}).items() if colour == CYAN}
                comet = step.line[int((moment + 0.5) / 8 * 5) % len(step.line)]
                assert node in lit, (moment, step.line)
                assert lit - {node, comet} <= {one.line[-1] for one in hands.evening.table.watch.tracker.steps}
            break
        else:
            hands.turn()
    assert seen


def test_a_tile_that_is_only_turned_wrong_is_turned_and_a_wrong_one_taken_out() -> None:
    evening = at("coded")
    evening.stones["b3"] = ["1r6"]
    evening.feel("b3")
    evening.wait(4.5)
    assert evening.view()["message"].startswith(
        sentence("board differs from the game: {first}.", first="turn tile 1 on b3 until it is turned by 1 eighth")[:-1]
    )
    assert [(task["do"], task["node"]) for task in evening.view()["tasks"]] == [("take", "b3"), ("put", "b3")]
    assert evening.view()["tasks"][1]["piece"] == "1r1"
    evening.stones["b3"] = ["7r1"]
    evening.feel("b3")
    evening.wait(0.1)
    assert evening.view()["message"].startswith(
        sentence(
            "board differs from the game: {first}.",
            first=sentence("not belong on {node}, take", piece="tile 7", node="b3"),
        )[:-1]
    )
    evening.lift("b3")
    evening.hand = []
    evening.wait(0.1)
    evening.put("b3", "1r1")
    evening.wait(0.3)
    assert evening.view()["problem"] is None


@pytest.mark.parametrize("kind", KINDS)
def test_at_set_up_everything_comes_off_before_it_is_put_on_and_tiles_never_pair_with_runners(kind: str) -> None:
    evening = at(kind)
    lay(evening, "c2r2")
    Change(evening.table).set_up()
    again = evening
    again.lift("b3")
    again.hand = []
    again.lift("F2")
    again.hand = []
    again.put("E4", "b")
    again.wait(0.5)
    deeds = [(t["do"], t.get("node") or (t["from"], t["to"]), t.get("piece")) for t in again.view()["tasks"]]
    assert again.phase == "setup"
    takes = [deed for deed in deeds if deed[0] == "take"]
    assert deeds[: len(takes)] == takes
    assert ("take", "c2", None) in takes, "it is not the tile that b3 lacks, or nobody can tell"
    assert ("move", ("E4", "F2"), None) in deeds
    assert ("put", "b3", "1r1") in deeds


@pytest.mark.parametrize("kind", KINDS)
def test_a_tile_that_is_chosen_elsewhere_is_taken_up_again(kind: str) -> None:
    evening = at(kind)
    lay(evening, "c2r2")
    evening.say(ActionChosen(at=evening.at, seat=1, action="c1r0"))
    assert stage(evening) == ["c2r2"]
    tasks = [task["do"] for task in evening.view()["tasks"]]
    if kind == "coded":  # The sensors tell which tile it is.
        assert (evening.lights(), tasks) == ({"c2": "remove", "c1": "best"}, ["move"])
    else:
        assert (evening.lights(), tasks) == ({"c2": "remove"}, ["take", "put"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_stage_that_was_chosen_and_lies_is_not_asked_for_again(kind: str) -> None:
    evening = at(kind)
    evening.say(ActionChosen(at=evening.at, seat=1, action="c2r2"))
    assert evening.view()["tasks"]
    lay(evening, "c2r2")
    assert stage(evening) == ["c2r2"]
    view = evening.view()
    assert view["tasks"] == []
    assert "c2" not in evening.lights()
    evening.lift("c2")
    evening.wait(2.0)
    assert stage(evening) == []
    assert evening.view()["wanted"] == "c2r2", "who takes it up again is led back to it"


@pytest.mark.parametrize("kind", KINDS)
def test_hands_that_do_each_task_once_bring_a_runner_round_its_loop(kind: str) -> None:
    evening = at(kind)
    evening.say(ActionChosen(at=evening.at, seat=1, action="b3r7:B4-B4"))
    lay(evening, "b3r7")
    evening.wait(10.0)
    tasks = guide.tasks(evening.table)
    assert [task["do"] for task in tasks] == ["tap", "tap"], "one tap means nothing here"
    for task in tasks:
        evening.tap(task["node"])
        evening.wait(0.3)
    evening.wait(3.0)
    assert evening.done() == ["b3r7:B4-B4"]


@pytest.mark.parametrize("kind", KINDS)
def test_who_lifts_a_tile_of_the_last_turn_is_told_what_takes_it_back(kind: str) -> None:
    """The next player holds nothing, and the tile may go to no pad."""
    evening = at(kind)
    lay(evening, "c2r2")
    evening.carry("C2", "C3")
    evening.wait(0.6)
    assert evening.done() == ["c2r2:C2-C3"]
    evening.lift("c2")
    evening.wait(0.1)
    back = fill(guide._TAKING_BACK, pieces="the tile from c2")
    assert evening.view()["message"] == f"{capital(back)}."

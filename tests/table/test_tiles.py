"""A turn in stages, by hand: a tile, then a runner; tried, put back, turned, and read or asked."""

from __future__ import annotations

import pytest

from firmware_host.games.game import Step
from firmware_host.table.hypotheses import Timings
from firmware_host.table.subjects.resolving import ActionChosen, Confirmed
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.text.words import capital
from lodestone.evening import Evening
from tests.sentences import sentence

KINDS = ["presence", "coded"]
OPEN = "a2:17r5,a3:9r3,b2:3r4,b3:1r1,b4:18r2,c3:8r2,c4:15r3,d4:2r2,e4:10r5 blue:A3,B4,C2,C4,D3;yellow:A2,D4,D5,F2,F3"
MIDDLE = f"{OPEN} 4,5,13,12,11,7,16,6,14 2 1"


def at(kind: str, text: str = MIDDLE, computers: tuple[int, ...] = ()) -> Evening:
    evening = Evening("octiles", kind=kind)
    for seat, name in ((1, "Ada"), (2, "Bob")):
        evening.say(SeatTaken(at=0.0, seat=seat, name=name, claim=f"c{seat}", computer=seat in computers))
    evening.say(GameStarted(at=0.0, seed=1))
    return evening.begin_at(text)


def stage(evening: Evening) -> list[str]:
    return list(evening.view()["stage"])


def tile(evening: Evening, action: str) -> Step:
    return next(step for step in evening.table.watch.tracker.steps if step.action == action)


def lay(evening: Evening, action: str) -> None:
    """Take a covered tile out, lay the top one, and say how it is turned where no sensor reads it."""
    for move in tile(evening, action).moves:
        if move.source is not None:
            evening.lift(move.source)
            evening.hand = []
        else:
            evening.put(move.target or "", move.pieces[0])
        evening.wait(0.2)
    evening.wait(0.5)
    question = evening.view()["question"]
    if question is not None and not stage(evening):
        evening.say(Confirmed(at=evening.at, seat=evening.table.actor or 0, action=action))
    assert stage(evening) == [action]


@pytest.mark.parametrize("kind", KINDS)
def test_a_turn_is_a_tile_and_a_runner_and_counts_when_the_runner_has_settled(kind: str) -> None:
    evening = at(kind)
    assert evening.view()["supply"] == {"piece": "4", "left": 9}
    assert "lay tile 4" in evening.view()["message"]
    wells = {step.action[:2] for step in evening.table.watch.tracker.steps}
    assert {node for node, meaning in evening.lights().items() if meaning == "target"} == wells
    lay(evening, "c2r2")
    assert evening.done() == []
    assert "tile 4 on c2, turned by 2 eighths" in evening.view()["message"]
    assert evening.view()["board"]["c2"] == ["4r2"], "people see it lie"
    assert evening.lights()["C2"] == "movable"
    evening.carry("C2", "C3")
    evening.wait(0.6)
    assert evening.done() == ["c2r2:C2-C3"]
    assert evening.view()["resolver"] == 2
    assert stage(evening) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_lifted_runner_sends_light_along_its_lines(kind: str) -> None:
    evening = at(kind)
    lay(evening, "b3r7")
    evening.lift("B4")
    evening.wait(0.3)
    lines = {step["action"]: step["line"] for step in evening.view()["steps"] if ":B4-" in step["action"]}
    assert lines.keys() == {"b3r7:B4-B4", "b3r7:B4-C3"}
    lights = evening.lights()
    for line in lines.values():
        assert lights[line[-1]] == "target"
        assert {lights[node] for node in line[:-1]} <= {"line", "target"}
    evening.put("B4")
    evening.wait(0.6)
    assert (evening.done(), stage(evening)) == ([], ["b3r7"]), "put back: nothing has happened"


@pytest.mark.parametrize("kind", KINDS)
def test_a_loop_is_meant_by_two_taps_of_the_runner(kind: str) -> None:
    evening = at(kind)
    lay(evening, "b3r7")
    evening.wait(0.5)
    evening.tap("B4")
    evening.wait(0.2)
    evening.tap("B4")
    evening.wait(0.6)
    assert (evening.done(), evening.view()["message"].endswith("back to B4.")) == ([], True), "it is shown first"
    evening.wait(1.5)
    assert evening.done() == ["b3r7:B4-B4"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_tile_may_be_taken_up_and_laid_elsewhere(kind: str) -> None:
    evening = at(kind)
    lay(evening, "c2r2")
    evening.lift("c2")
    evening.hand = []
    assert stage(evening) == [], "at once"
    evening.wait(2.0)
    assert evening.table.watch.problem is None
    lay(evening, "c1r0")
    evening.carry("C2", "D2")
    evening.wait(0.6)
    assert evening.done() == ["c1r0:C2-D2"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_covered_tile_comes_out_first_and_goes_under_the_stack(kind: str) -> None:
    evening = at(kind)
    lay(evening, "b3r0")
    evening.carry("B4", "B2")
    evening.wait(0.6)
    assert evening.done() == ["b3r0:B4-B2"]
    assert evening.view()["tidying"] == sentence("goes to the bottom of", tile=1)
    assert evening.view()["message"].startswith(f"{capital(sentence('goes to the bottom of', tile=1))}. Bob: ")
    evening.say(Confirmed(at=evening.at, seat=1, action="tidied"))
    assert evening.view()["tidying"] is None


def test_where_no_sensor_reads_the_turning_the_phone_is_asked_among_the_legal_ones() -> None:
    evening = at("presence")
    evening.put("c2", "4r2")
    evening.wait(0.6)
    question = evening.view()["question"]
    assert question["text"] == sentence("How is the tile turned? The")
    assert [choice["action"] for choice in question["choices"]] == [
        step.action for step in evening.table.watch.tracker.steps if step.action.startswith("c2")
    ]
    assert evening.refused(Confirmed(at=evening.at, seat=2, action="c2r2")) == "not_your_turn"
    assert evening.refused(Confirmed(at=evening.at, seat=1, action="c3r2")) == "bad_action"
    evening.say(Confirmed(at=evening.at, seat=1, action="c2r2"))
    assert stage(evening) == ["c2r2"]
    assert evening.view()["question"] is None


def test_whoever_has_said_the_turning_before_is_not_asked_and_may_turn_it_afterwards() -> None:
    evening = at("presence")
    evening.say(ActionChosen(at=evening.at, seat=1, action="c2r2"))
    assert evening.lights() == {"c2": "put"}
    evening.put("c2", "4r2")
    evening.wait(0.6)
    assert stage(evening) == ["c2r2"]
    evening.say(ActionChosen(at=evening.at, seat=1, action="c2r0"))
    assert stage(evening) == ["c2r0"], "on the phone it is turned where it lies"
    evening.say(ActionChosen(at=evening.at, seat=1, action="c1r0"))
    assert stage(evening) == ["c2r0"]
    assert evening.lights() == {"c2": "remove"}, "another well: the lights lead there"
    assert [(task["do"], task["node"]) for task in evening.view()["tasks"]] == [("take", "c2"), ("put", "c1")]
    evening.lift("c2")
    evening.hand = []
    evening.put("c1", "4r0")
    evening.wait(0.6)
    assert stage(evening) == ["c1r0"], "and it was said how it lies there"


def test_a_whole_turn_can_be_chosen_on_the_phone_and_is_guided_stage_by_stage() -> None:
    evening = at("coded")
    evening.say(ActionChosen(at=evening.at, seat=1, action="b3r0:B4-B2"))
    tasks = evening.view()["tasks"]
    assert [(task["do"], task.get("node")) for task in tasks] == [("take", "b3"), ("put", "b3")]
    assert tasks[1]["piece"] == "4r0"
    evening.lift("b3")
    evening.hand = []
    evening.wait(0.2)
    assert [task["do"] for task in evening.view()["tasks"]] == ["put"], "the covered tile is out"
    evening.put("b3", "4r0")
    evening.wait(0.6)
    assert [(task["do"], task["from"], task["to"]) for task in evening.view()["tasks"]] == [("move", "B4", "B2")]
    assert evening.lights()["B2"] in {"best", "line", "target"}


def test_a_wrong_tile_a_wrong_turning_and_an_unreadable_one_are_told() -> None:
    evening = at("coded")
    evening.put("c2", "9r0")
    evening.wait(1.5)
    assert f"{capital(sentence('that is tile', tile=9, well='c2', top=4))}" in evening.view()["message"]
    evening.lift("c2")
    evening.hand = []
    evening.put("c2", "4r1")
    evening.wait(1.5)
    legal = sorted({step.action for step in evening.table.watch.tracker.steps if step.action.startswith("c2")})
    assert "c2r1" not in legal
    assert "Tile 4 may lie in c2, turned " in evening.view()["message"]
    evening.put("c2", "9r0")  # Two, one on the other.
    evening.wait(1.5)
    assert "What lies in c2 can't be read" in evening.view()["message"]
    assert evening.done() == []


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_power_cut_the_turn_begins_anew_and_the_board_is_guided_back(kind: str) -> None:
    evening = Evening("octiles", kind=kind)
    for seat in (1, 2):
        evening.say(SeatTaken(at=0.0, seat=seat, name=f"P{seat}", claim=f"c{seat}"))
    evening.say(GameStarted(at=0.0, seed=3))
    for node, stack in evening.game.occupancy(evening.table.ledger.now.position).items():
        evening.put(node, stack[0])
    evening.wait(0.5)
    first = evening.table.watch.tracker.steps[0]
    lay(evening, first.action)
    again = evening.restarted()
    again.wait(0.5)
    assert (again.phase, stage(again)) == ("setup", [])
    well = first.moves[-1].target or ""
    assert again.lights()[well] == "remove"
    assert "take t" in again.view()["message"]
    again.lift(well)
    again.hand = []
    again.wait(0.5)
    assert again.phase == "resolving"


def test_a_computers_exchange_of_felt_tiles_counts_once_its_tap_has_answered() -> None:
    """A tile put in another's place feels like a first tap, and nobody can be asked which lies there: a second one is
    the answer, which waits for what may follow alone."""
    evening = at("presence", computers=(1,))
    turn = next(one for one in evening.game.steps(evening.table.ledger.now.position) if one.action.startswith("b3r7:"))
    evening.say(ActionChosen(at=evening.at, seat=1, action=turn.action))
    evening.lift("b3")
    evening.hand = []
    evening.wait(0.3)
    evening.put("b3", "4r7")
    evening.wait(0.5)
    evening.tap("b3")
    evening.wait(Timings().extendable - 0.1)
    assert stage(evening) == []
    evening.wait(0.2)
    assert stage(evening) == ["b3r7"], evening.view()["message"]
    assert evening.view()["question"] is None


@pytest.mark.parametrize("pause", [0.05, 1.0, 6.0])
def test_a_tile_that_is_read_is_not_asked_about_where_its_runner_is_in_the_hand_already(pause: float) -> None:
    evening = at("coded")
    evening.lift("C2")
    evening.wait(pause)
    evening.hand = []
    evening.put("c2", "4r2")
    evening.wait(0.05)
    assert evening.view()["message"] == "Ada: tile 4 on c2, turned by 2 eighths."
    evening.wait(0.2)
    assert stage(evening) == ["c2r2"]
    assert evening.view()["question"] is None
    assert evening.lights()["C3"] == "target"
    evening.put("C3", "b")
    evening.wait(0.6)
    assert evening.done() == ["c2r2:C2-C3"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_asks_for_what_is_not_known(kind: str) -> None:
    """A tile that was read may be asked about, too: where so much was moved that nothing follows from it any more."""
    evening = at(kind)
    evening.put("c2", "4r2")
    runners = {node: stack[0] for node, stack in evening.table.watch.target.items() if node[0].isupper()}
    for node in runners:
        evening.lift(node)
        evening.wait(0.04)
    evening.hand = []
    for node, runner in runners.items():
        evening.put(node, runner)
        evening.wait(0.04)
    evening.wait(1.0)
    view, read = evening.view(), kind == "coded"
    choices = [choice["action"] for choice in view["question"]["choices"]]
    assert choices == ["c2r2"] if read else "c2r2" in choices
    turned = sentence("How is the tile turned? The sensors can't tell.")
    assert view["question"]["text"] == (sentence("Was it this move?") if read else turned)
    what = "what was done" if read else "is turned"
    assert view["message"].endswith(f"{what}.")
    assert view["lights"]["c2"]["words"].endswith(what)

"""The check of the board from the host's page: the board is taken from the table, led through, and given back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.workshop.checking import COLOURS, nearest
from firmware_host.extensions.workshop.own_file import OwnFile, own_file
from firmware_host.extensions.workshop.service import IDLE_S, Workshop, adopt
from firmware_host.link.results import write_wiring
from firmware_host.link.tap import with_taps
from firmware_host.session.game_selection import LaunchRequest, with_own_board
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.proposals import GamePaused, GameResumed
from hw.ports import BoardDescription, OpenBoard
from simulator.board import SimulatedBoard
from tests.hosts import HostedTable
from tests.sentences import sentence


class Shop:
    """A table, its workshop, and somebody who does what the page says."""

    def __init__(self, folder: Path, file: Path | str | None = None, kind: str = "presence") -> None:
        request = LaunchRequest(str(file) if file else None, simulate=True, kind=kind)
        self.table = HostedTable(folder, request)
        self.shop = Workshop(self.table.runtime, own_file(request, folder))
        self.parts = self.table.parts[-1]

    @property
    def step(self) -> Any:
        return self.shop.state()["step"]

    @property
    def result(self) -> Any:
        return self.shop.state()["result"]

    def wait_for(self, what: Callable[[], bool], seconds: float = 20.0) -> None:
        end = self.table.clock.now + seconds
        while not what():
            assert self.table.clock.now < end, self.shop.state()
            self.table.wait(0.05)

    def begin(self, what: str = "check") -> None:
        self.shop.begin(what, pause=False)
        if what == "check":
            self.look()
        self.wait_for(lambda: self.step["do"] == "put")

    def look(self) -> None:
        """Say which colours the lights show."""
        self.wait_for(lambda: self.step["do"] == "colour")
        for _ in COLOURS:
            self.shop.answer(nearest(self.parts.shown_colour()))
            self.table.wait(0.05)

    def node(self, piece: str = "w") -> None:
        """Do one node: the stone goes where the light really is, whatever the page says."""
        lit = self.parts.lit_node() or self.step["node"]
        assert lit is not None
        done = self.step["done"]
        self.table.hand.put(lit, piece)
        self.wait_for(lambda: self.step["do"] != "put")
        self.table.hand.take_off(lit)
        self.wait_for(lambda: self.step is None or (self.step["do"] == "put" and self.step["done"] >= done))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.table.close()


def refusal(deed: Callable[[], object]) -> str:
    with pytest.raises(TableError) as caught:
        deed()
    return caught.value.code


def test_it_is_what_the_panel_asks_for(here: Shop) -> None:
    service = here.shop
    assert service.state()["step"] is None
    assert set(service.state()["refused"]) == {"map", "calibrate"}, "no board was named"


def test_every_node_is_lit_and_named_and_a_board_in_order_is_called_so(here: Shop) -> None:
    here.begin()
    asked = []
    while here.step is not None:
        assert here.step["node"] == here.parts.lit_node()
        assert here.step["words"] == f"Put a stone on {here.step['node']}."
        asked.append(here.step["node"])
        here.node()
    assert sorted(asked) == sorted(here.parts.description.nodes)
    assert here.result["good"] is True
    assert here.result["words"] == "Every node is in order."


def test_dead_and_stuck_sensors_are_named(here: Shop) -> None:
    here.parts.world.set_fault("stuck-on", "D12")
    here.begin()
    dead = here.step["node"]
    here.parts.world.set_fault("stuck-off", dead)
    here.table.hand.put(dead, "w")
    here.wait_for(lambda: here.step["hint"] is not None)
    assert here.step["choices"] == ["skip"]
    here.shop.answer("skip")
    here.wait_for(lambda: here.step["do"] == "put")
    assert here.step["node"] == dead, "asked for by its name: its light may be dark"
    assert here.step["words"] == sentence("Put a stone on {node} itself", node=dead)
    here.shop.answer("skip")
    here.table.hand.take_off(dead)
    here.wait_for(lambda: here.step["do"] == "put")
    here.node()
    here.shop.stop()
    found = {one["node"]: one for one in here.result["items"] if one["state"] == "bad"}
    assert set(found) == {"D12", dead}
    assert "where none lies" in found["D12"]["words"]
    assert "gave no answer" in found[dead]["words"]
    assert sum(one["state"] == "ok" for one in here.result["items"]) == 1
    assert here.result["good"] is False


def test_a_dark_pixel_is_named_and_not_its_sensor(here: Shop) -> None:
    here.begin()
    dark = here.step["node"]
    here.shop.answer("skip")
    here.wait_for(lambda: here.step["do"] == "put")
    assert here.step["node"] == dark
    here.node()
    here.shop.stop()
    (found,) = [one for one in here.result["items"] if one["state"] == "bad"]
    assert found == {"node": dark, "state": "bad", "words": sentence("its pixel is dark, or lit elsewhere", node=dark)}


def test_the_table_sees_nothing_of_it_and_gets_its_lights_back(here: Shop) -> None:
    table = here.table
    table.sit()
    table.start()
    table.say(GamePaused)
    table.wait(0.5)
    strip, frame, lying = table.runtime.setting.board.strip, here.parts.wire.pixels(), table.view["board"]
    here.begin()
    assert here.parts.wire.pixels() != frame
    here.node()
    lit = here.parts.lit_node()
    assert lit is not None
    before = table.runtime.table().watch.tracker.sensed[lit]
    table.hand.put(lit, "w")
    table.wait(0.5)
    assert here.step["felt"] == [lit]
    assert table.runtime.table().watch.tracker.sensed[lit] == before
    here.shop.stop()
    assert here.parts.wire.pixels() == frame
    assert table.runtime.setting.board.strip is strip
    assert table.view["board"] == lying
    table.wait(0.5)
    assert table.runtime.table().watch.tracker.sensed[lit] != before, "from now on the table feels what lies there"


def test_a_game_that_runs_is_paused_if_the_host_agrees_and_going_on_ends_the_check(here: Shop) -> None:
    table = here.table
    table.sit()
    table.start()
    assert refusal(lambda: here.shop.begin("check", pause=False)) == "wrong_phase"
    assert table.view["paused"] is False
    here.shop.begin("check", pause=True)
    assert table.view["paused"] is True
    assert refusal(lambda: here.shop.begin("check", pause=True)) == "wrong_phase"
    table.say(GameResumed)
    assert here.step is None
    assert table.view["paused"] is False


def test_it_ends_when_nobody_does_anything(here: Shop) -> None:
    here.begin()
    here.table.clock.now += IDLE_S - 1
    here.table.wait(0.1)
    assert here.step is not None
    here.table.clock.now += 1
    here.table.wait(0.1)
    assert here.step is None
    assert here.result["good"] is False


def test_answers_out_of_place_are_refused(here: Shop) -> None:
    assert refusal(lambda: here.shop.answer("skip")) == "wrong_phase"
    here.begin()
    assert refusal(lambda: here.shop.answer("undo")) == "bad_action", "nothing is done yet"
    assert refusal(lambda: here.shop.answer("q")) == "bad_action"
    here.node()
    here.shop.answer("undo")
    here.shop.stop()
    here.shop.stop()
    assert here.step is None


def test_another_board_on_the_table_ends_it(here: Shop) -> None:
    here.begin()
    here.table.host.new_game("hexhex-7", "2", ())
    assert here.step is None
    assert here.shop.state()["board"] == "hexhex-7"


@pytest.fixture
def miswired(tmp_path: Path) -> Iterator[tuple[Shop, Path]]:
    """A board whose file says two nodes' pixels the wrong way round."""
    right = find_board("spokes-45").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(right, encoding="utf-8")
    write_wiring(file, file, swapped(file))
    shop = Shop(tmp_path, file)
    shop.parts = shop.table.parts[-1] = SimulatedBoard(
        load(find_board("spokes-45")), shop.table.clock, seed=1, is_stepped=True
    )
    board = shop.table.runtime.setting.board
    really = with_taps(OpenBoard(shop.parts.sensors(), shop.parts.strip(), board.description), clock=shop.table.clock)
    board.sensors, board.strip = really.sensors, really.strip
    yield shop, file
    shop.table.close()


def load(path: Path) -> BoardDescription:
    return load_board(path, backend="sim", kind="presence")


def wiring(path: Path) -> dict[str, tuple[int, int]]:
    return {name: (one.channel, one.pixel) for name, one in load(path).nodes.items()}


def swapped(path: Path) -> dict[str, tuple[int, int]]:
    there = wiring(path)
    (a, b), (c, d) = there["A1"], there["B1"]
    return {**there, "A1": (c, b), "B1": (a, d)}


def test_a_map_writes_the_board_file_and_keeps_the_old_one(miswired: tuple[Shop, Path]) -> None:
    here, file = miswired
    wrong = file.read_bytes()
    here.begin("map")
    assert here.step["node"] is None, "where a light is, is not known yet"
    here.node()
    here.shop.stop()
    assert here.result["good"] is False
    assert file.read_bytes() == wrong
    here.begin("map")
    assert here.step["done"] == 1, "it goes on where it was left"
    while here.step is not None:
        here.node()
    assert here.result["good"] is True, here.result
    assert wiring(file) == wiring(find_board("spokes-45"))
    assert felt(here, "A1") == {"A1"}, "the table goes on with the new wiring at once"
    assert here.shop.state()["refused"] == {"calibrate": here.shop.state()["refused"]["calibrate"]}
    assert (file.parent / "mine.toml.before").read_bytes() == wrong
    assert not (file.parent / "mine.map.json").exists()


def felt(here: Shop, node: str) -> set[str]:
    """Return the nodes at which the table feels a stone that is put down and taken off again."""
    here.table.wait(0.5)
    before = dict(here.table.runtime.table().watch.tracker.sensed)
    here.table.hand.put(node, "w")
    here.table.wait(0.5)
    after = dict(here.table.runtime.table().watch.tracker.sensed)
    here.table.hand.take_off(node)
    here.table.wait(0.5)
    return {name for name, sensed in after.items() if sensed != before[name]}


def test_a_wrong_board_file_is_felt_wrong(miswired: tuple[Shop, Path]) -> None:
    assert felt(miswired[0], "A1") == {"B1"}


def test_a_paused_game_goes_on_with_the_new_description(miswired: tuple[Shop, Path]) -> None:
    table = miswired[0].table
    table.sit()
    table.start()
    table.say(GamePaused)
    table.wait(0.3)
    game, moves = table.view["game"]["id"], table.view["log"]
    adopt(table.runtime, load(find_board("spokes-45")))
    assert (table.view["game"]["id"], table.view["log"], table.view["paused"]) == (game, moves, True)
    assert felt(miswired[0], "A1") == {"A1"}
    table.say(GameResumed)
    assert table.view["paused"] is False


def test_a_shipped_board_is_calibrated_into_a_copy_with_which_the_table_opens_from_now_on(tmp_path: Path) -> None:
    request = LaunchRequest("spokes-45", simulate=True, kind="level")
    shipped = find_board("spokes-45")
    before, own = shipped.read_bytes(), own_file(request, tmp_path)
    assert own is not None
    assert own.source == shipped.resolve()
    assert with_own_board(request, tmp_path) == request
    here = Shop(tmp_path, "spokes-45", "level")
    known = {name: [128, 200, 56, 180, True, 1] for name in here.parts.description.nodes if name != "C3"}
    own.target.parent.mkdir()
    progress = own.target.with_name(f"{own.target.stem}.calibrate.json")
    progress.write_text(json.dumps({"board": here.parts.description.name, "measured": known}))
    here.begin("calibrate")
    said = []
    for piece in ("w", "b", None, "b", None):
        said.append(here.step["words"])
        assert (here.step["node"], here.parts.lit_node(), here.step["done"]) == ("C3", "C3", 44)
        if piece is not None:
            here.table.hand.put("C3", piece)
        while piece is None and here.table.hand.count("C3"):
            here.table.hand.take_off("C3")
        here.wait_for(lambda: here.step is None or here.step["words"] != said[-1])
    assert said[1:3] == [sentence("a black stone on top", node="C3"), "Take both stones off C3."]
    assert here.result["good"] is True, here.result
    assert own.target.name in here.result["words"]
    levels = load_board(own.target, backend="sim", kind="level").calibration
    assert (levels["A1"].rest, len(levels)) == (128, 45)
    assert here.parts.description.calibration.get("C3") != levels["C3"]
    assert here.table.runtime.setting.board.description.calibration == levels, "the table measures by it at once"
    assert shipped.read_bytes() == before
    assert not progress.exists()
    assert with_own_board(request, tmp_path).board == str(own.target)
    here.table.close()


def test_a_sensor_that_shows_nothing_may_be_gone_on_with_or_left_out(tmp_path: Path) -> None:
    here = Shop(tmp_path, "spokes-45", "level")
    here.begin("calibrate")
    node = here.step["node"]
    assert here.step["choices"] == ["skip"]
    here.wait_for(lambda: here.step["hint"] is not None)
    assert here.step["choices"] == ["skip", "go"]
    here.shop.answer("go")
    here.wait_for(lambda: "on top of it" in here.step["words"])
    here.shop.answer("skip")
    here.wait_for(lambda: here.step["node"] != node)
    assert here.step["done"] == 1
    here.shop.stop()
    assert here.result["good"] is False
    assert "start again to go on" in here.result["words"]
    here.table.close()


def test_what_was_made_of_another_file_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "locked" / "board.toml"
    file.parent.mkdir()
    file.write_bytes(find_board("spokes-45").read_bytes())
    request = LaunchRequest(str(file))
    assert own_file(request, tmp_path) == OwnFile(file, file)
    assert own_file(LaunchRequest(), tmp_path) is None
    copy = own_file(LaunchRequest("spokes-45"), tmp_path)
    assert copy is not None
    copy.target.parent.mkdir()
    copy.target.write_bytes(file.read_bytes())
    assert with_own_board(LaunchRequest("spokes-45"), tmp_path).board == str(copy.target)
    file.write_text("# another\n" + file.read_text())
    assert with_own_board(request, tmp_path) == request


def test_progress_that_cant_be_kept_ends_it_with_the_reason(miswired: tuple[Shop, Path]) -> None:
    here, file = miswired
    (file.parent / ".mine.map.json.new").mkdir()
    here.begin("map")
    lit = here.parts.lit_node()
    assert lit is not None
    here.table.hand.put(lit, "w")
    here.wait_for(lambda: here.step is None)
    assert "mine.map.json: can't be written" in here.result["words"]


def test_a_shipped_board_is_not_mapped(here: Shop) -> None:
    assert refusal(lambda: here.shop.begin("map", pause=False)) == "bad_board"
    assert refusal(lambda: here.shop.begin("paint", pause=False)) == "bad_action"


def test_an_answer_to_a_step_that_is_over_changes_nothing(tmp_path: Path) -> None:
    """A second tap on the same button comes when the next node is asked for."""
    shop = Shop(tmp_path)
    shop.begin()
    asked = shop.step
    shop.shop.answer("skip", asked["done"])
    shop.shop.answer("skip", asked["done"])
    assert shop.step["done"] == asked["done"] + 1
    shop.wait_for(lambda: shop.step["do"] == "put")
    shop.shop.answer("skip", shop.step["done"])
    assert shop.step["done"] == asked["done"] + 2
    shop.table.close()


def test_a_board_that_tells_poles_is_tried_with_both(tmp_path: Path) -> None:
    shop = Shop(tmp_path, kind="polarity")
    shop.begin()
    first = shop.step["node"]
    shop.node()
    assert shop.step["node"] == first
    assert shop.step["words"] == sentence("Put a black stone on {node}.", node=first)
    shop.node("b")
    shop.node()
    shop.node("w")  # A white one where a black one is asked for.
    shop.shop.stop()
    found = [one for one in shop.result["items"] if one["state"] != "unproven"]
    assert [one["state"] for one in found] == ["ok", "bad"]
    assert found[1]["words"] == sentence("did not feel the black stone as black", node=found[1]["node"])
    shop.table.close()

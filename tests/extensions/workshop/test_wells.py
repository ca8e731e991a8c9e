"""The wizards, the report and the live readings of a board with nine sensors in each well."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from firmware_host.boardfile.checks import BoardFileError
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.workshop.checking import BAD, OK, EmptyBoard, rest_items, stone_items
from firmware_host.extensions.workshop.mapping import MapWizard
from firmware_host.extensions.workshop.measure import changes, screen
from firmware_host.link.results import write_wiring
from firmware_host.link.tap import Tap
from hw.ports import BoardDescription
from tests.extensions.workshop.workshop import PATIENCE, Workshop
from tests.sensing.wells import described, small

COUNT = 20


def resoldered(board: BoardDescription, seed: int) -> BoardDescription:
    """Return the board with its channels and pixels in any order."""
    random = Random(seed)
    channels, pixels = random.sample(range(board.channels), board.channels), random.sample(range(4), 4)
    nodes = {}
    for (name, node), pixel in zip(board.nodes.items(), pixels, strict=True):
        own = tuple(channels[channel] for channel in node.channels)
        nodes[name] = replace(node, channel=own[-1], ring=own if node.ring else (), pixel=pixel)
    return replace(board, nodes=nodes)


def wiring_of(board: BoardDescription) -> dict[str, object]:
    return {name: (node.ring or node.channel, node.pixel) for name, node in board.nodes.items()}


@pytest.mark.parametrize("seed", range(4))
def test_any_wiring_of_nine_sensors_a_well_is_learned(seed: int) -> None:
    real = resoldered(small(), seed)
    shop = Workshop(real, seed)
    wizard = MapWizard(small(), patience=PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert wiring.nodes == wiring_of(real)
    assert wiring.notes == wiring.open == ()
    assert "put a stone over b3, ring sensor 4" in shop.text
    assert "put a stone over c3, middle sensor" in shop.text
    assert "put a stone on B3" in shop.text


def test_one_dead_sensor_of_nine_gets_the_channel_that_is_left() -> None:
    real = resoldered(small(), 9)
    shop = Workshop(real)
    shop.world.set_fault("stuck-off", "c3/5")
    wizard = MapWizard(small(), "channels", PATIENCE)
    shop.run(wizard)
    wiring = wizard.wiring()
    assert {node: own for node, (own, _) in wiring.nodes.items()} == {
        name: node.ring or node.channel for name, node in real.nodes.items()
    }
    assert any("no sensor answered at c3/5" in note for note in wiring.notes)


def test_a_wizard_goes_on_where_it_was_stopped() -> None:
    real = resoldered(small(), 5)
    shop = Workshop(real)
    wizard = MapWizard(small(), "channels", PATIENCE)
    shop.run(wizard, until=lambda: len(wizard.learned.records) == 12)
    again = MapWizard(small(), "channels", PATIENCE)
    again.resume(json.loads(json.dumps(wizard.saved_state())))
    for place in list(shop.world.stones()):
        shop.hand.take_off(place)
    shop.run(again)
    assert {node: own for node, (own, _) in again.wiring().nodes.items()} == {
        name: node.ring or node.channel for name, node in real.nodes.items()
    }
    assert shop.text.count("put a stone") == COUNT, "no stone is asked for twice"


def test_what_was_learned_is_written_and_read(tmp_path: Path) -> None:
    source = find_board("octiles-189")
    board = load_board(source)
    channels = list(range(board.channels))
    Random(3).shuffle(channels)
    nodes: dict[str, tuple[int | tuple[int, ...], int]] = {
        name: (tuple(channels[one] for one in node.ring) if node.ring else channels[node.channel], node.pixel)
        for name, node in board.nodes.items()
    }
    write_wiring(source, tmp_path / "my.toml", nodes)
    assert wiring_of(load_board(tmp_path / "my.toml")) == nodes
    write_wiring(source, tmp_path / "same.toml", {n: (w.ring or w.channel, w.pixel) for n, w in board.nodes.items()})
    assert (tmp_path / "same.toml").read_text() == source.read_text()
    with pytest.raises(BoardFileError, match=r"wrong\.toml:\d+"):
        write_wiring(source, tmp_path / "wrong.toml", nodes | dict.fromkeys(list(nodes)[-2:], (0, 0)))
    assert not (tmp_path / "wrong.toml").exists()


def test_each_of_nine_sensors_is_checked_by_its_name() -> None:
    board = small()
    shop = Workshop(board)
    shop.world.set_fault("stuck-on", "b3/4")
    shop.world.set_fault("flapping", "c3/middle")
    wizard = MapWizard(board, "pixels", PATIENCE)
    wizard.learned.pixels = [0, 1, 2, 3]
    shop.run(wizard)
    touch = EmptyBoard(board.channel_kind, board.channels)
    for number in range(200):
        shop.clock.now += 0.02
        touch.feed(shop.sensors.scan(), number * 0.02)
    items = {item.name: item for item in rest_items(board, touch)}
    assert len(items) == COUNT
    assert items["b3, ring sensor 4"].state == BAD
    assert "channel 4 reads 1 with nothing there: stuck" in items["b3, ring sensor 4"].text
    assert "channel 17 never keeps still" in items["c3, middle sensor"].text
    assert items["b3, ring sensor 5"].text == "quiet at rest (channel 5 reads 0)"
    shown = {item.name: item.state for item in stone_items(board, wizard) if item.part == "sensor"}
    assert shown == {"b3, middle sensor": OK, "c3, middle sensor": BAD, "B3": OK, "C3": OK}


def test_the_monitor_shows_tiles() -> None:
    board = small()
    shop = Workshop(board)
    before = list(shop.sensors.scan())
    shop.world.put("b3", "7r5")
    shop.world.put("c3", "1r0")
    shop.world.put("c3", "3r0")
    shop.world.put("C3", "r")
    shop.clock.now += 1
    after = list(shop.sensors.scan())
    (row,) = screen(board, after, 50.0).splitlines()[1:]
    assert row.split() == ["b3", "7r5", "c3", "●●●●·●···", "B3", "·", "C3", "●"]
    assert {board.sensor_words(channel) for channel, _, _ in changes(board, before, after)} >= {
        "C3",
        "c3, ring sensor 5",
    }


def test_the_panel_hears_each_sensor() -> None:
    board = small()
    shop = Workshop(board)
    tap = Tap(shop.sensors, board, clock=shop.clock)
    shop.world.put("b3", "1r0")
    shop.clock.now += 1
    tap.scan()
    told = tap.snapshot()
    assert told["kind"] == "presence"
    assert [node["node"] for node in told["nodes"]][8:10] == ["b3, middle sensor", "c3, ring sensor 0"]
    assert [node["reading"] for node in told["nodes"]][:9] == [1, 1, 1, 1, 0, 0, 0, 0, 0]


def test_the_commands_on_the_shipped_board(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--sim", "--board", "octiles-189"]
    assert main(["hardware", "check", *arguments]) == 0
    assert "189 sensors, such as b5, ring sensor 0: quiet at rest" in capsys.readouterr().out
    assert main(["hardware", "bench", *arguments, "--json"]) == 0
    figures = {figure["name"]: figure["value"] for figure in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["channels"] == 189
    assert figures["GPIO calls a scan"] == 2
    assert main(["hardware", "monitor", *arguments, "--seconds", "0.2"]) == 0
    assert main(["hardware", "calibrate", *arguments]) == 1
    assert "has nothing to calibrate" in capsys.readouterr().err
    assert described().channel_kind == "presence"

"""The commands as a person runs them, over simulated boards on the real clock."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.workshop.checking import line_items
from firmware_host.extensions.workshop.extension import EXTENSION, attach_workshop
from firmware_host.extensions.workshop.mapping import MapWizard
from firmware_host.extensions.workshop.measure import CountingComputer, CountingGpio, changes, screen
from firmware_host.extensions.workshop.service import Workshop
from firmware_host.extensions.workshop.terminal import Progress, lead, open_for
from firmware_host.link.results import write_wiring
from firmware_host.link.tap import Tap
from firmware_host.text.words import Refused
from hw.ports import HardwareError, LineCount, line_of
from hw.registry import open_bank
from lodestone.tables import KEY, SimulatedTable
from simulator.board import SimulatedBoard
from tests import forked
from tests.extensions.workshop.workshop import PATIENCE, small_board
from tests.schemes import needs
from tests.web_panel.table import ADDRESS
from web_panel.app import create_app

SMALL = """# My own board.
[board]
name = "tiny"       # two nodes
game = "spokes"
backend = "gpio"

[sensors]
scheme = "74hc165"
kind = "presence"
scan_hz = 100
pins = { load = 5, clock = 6, data = 13 }

[lights]
pin = "D18"
length = 3
order = "GRB"
max_current_ma = 500

[nodes]
A1 = { channel = 0, pixel = 0, x = 0.0, y = 0.0 }    # the middle
B1 = { channel = 1, pixel = 1, x = 0.0, y = 50.0 }
B2 = { channel = 2, pixel = 2, x = 50.0, y = 0.0 }
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(SMALL)
    return path


@pytest.mark.thorough
def test_map_learns_another_wiring_and_keeps_the_rest_of_the_file(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wired = tiny.with_name("wired.toml")
    write_wiring(tiny, wired, {"A1": (2, 1), "B1": (0, 2), "B2": (1, 0)})
    assert main(["hardware", "map", "--board", str(tiny), "--sim", "--wired-as", str(wired), "--hands", "help"]) == 0
    assert "3 of 3 nodes have changed" in capsys.readouterr().out
    assert tiny.read_text() == wired.read_text()
    assert "A1 = { channel = 2, pixel = 1, x = 0.0, y = 0.0 }    # the middle" in tiny.read_text()
    assert not tiny.with_name("tiny.map.json").exists(), "what was kept on the way is not needed any more"
    assert main(["hardware", "check", "--board", str(tiny), "--sim", "--stones", "--hands", "help", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


@pytest.mark.thorough
def test_a_board_behind_a_scanner_is_mapped(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pins = "pins = { load = 5, clock = 6, data = 13 }"
    tiny.write_text(SMALL.replace('"74hc165"', '"serial"').replace(pins, 'device = "/dev/ttyACM0"'))
    wired = tiny.with_name("wired.toml")
    write_wiring(tiny, wired, {"A1": (1, 1), "B1": (0, 2), "B2": (2, 0)})
    assert main(["hardware", "map", "--board", str(tiny), "--sim", "--wired-as", str(wired), "--hands", "help"]) == 0
    assert tiny.read_text() == wired.read_text()
    assert "3 of 3 nodes have changed" in capsys.readouterr().out


def test_stopped_and_taken_up_again(tiny: Path) -> None:
    command = ["hardware", "map", "--board", str(tiny), "--sim"]
    before = tiny.read_text()
    stopped = forked.run(*command, given="hello\nq\n")
    assert stopped.returncode == 1
    assert "go on with --resume" in stopped.stdout
    assert tiny.read_text() == before
    other = forked.run(*command, "--what", "pixels", "--resume")
    assert "it was begun with --what both, not with --what pixels" in other.stderr
    resumed = forked.run(*command, "--hands", "help", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "0 of 3 nodes have changed" in resumed.stdout


def test_a_board_that_is_lost_on_the_way_loses_nothing(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_for(_arguments(tiny)) as board:
        changed: set[int] = set()
        whole = board.parts.sensors.scan
        rest = whole()

        def scan() -> Sequence[int]:
            changed.update(channel for channel, (was, now) in enumerate(zip(rest, whole(), strict=True)) if was != now)
            if len(changed) > 1:
                raise HardwareError("the board does not answer")
            return whole()

        monkeypatch.setattr(board.parts.sensors, "scan", scan)
        progress = Progress(tiny, "map")
        with pytest.raises(Refused, match="go on with --resume"):
            lead(board, progress, MapWizard(board.description, patience=PATIENCE))
        kept = progress.load()
    assert isinstance(kept, dict)
    assert kept["records"][0][:2] == ["pixel 0", 0]


def _arguments(board: Path) -> argparse.Namespace:
    return argparse.Namespace(board=str(board), sim=True, kind=None, wired_as=None, seed=0, hands="help")


@pytest.mark.thorough
def test_ctrl_c_ends_without_a_traceback(tiny: Path) -> None:
    # It waits for a stone that is never put down.
    words = ["hardware", "check", "--stones", "--board", str(tiny), "--sim"]
    command = [sys.executable, "-m", "firmware_host.commands.cli", *words]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}

    def listen() -> None:  # A shell's background jobs, and all that they start, ignore the signal.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(command, **pipes, preexec_fn=listen) as process:  # noqa: PLW1509 - nothing else runs yet
        assert process.stdout is not None
        assert "take everything off" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=200)
    assert process.returncode == 130
    assert errors == "lodestone: interrupted\n"


def test_calibrate_writes_levels_and_a_drawing(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawing, out = tiny.with_name("margins.svg"), tiny.with_name("mine.toml")
    words = ["hardware", "calibrate", "--board", str(tiny), "--sim", "--hands", "help", "--nodes", "A1"]
    assert main([*words, "--kind", "level", "--svg", str(drawing), "--out", str(out)]) == 0
    assert "steps to spare" in capsys.readouterr().out
    levels = load_board(out).calibration["A1"]
    assert levels.south < levels.rest < levels.stack < levels.north
    assert drawing.read_text().startswith("<svg")
    assert main([*words, "--out", str(out)]) == 1
    assert "has nothing to calibrate" in capsys.readouterr().err


@needs("spokes-45-mcp3008")
def test_a_converter_that_tells_poles_is_calibrated_by_its_levels(tmp_path: Path) -> None:
    board, out = tmp_path / "poles.toml", tmp_path / "out.toml"
    text = find_board("spokes-45-mcp3008").read_text().replace('kind = "level"', 'kind = "polarity"')
    board.write_text(text)
    words = ["hardware", "calibrate", "--board", str(board), "--sim", "--hands", "help", "--nodes", "C3"]
    assert main([*words, "--out", str(out)]) == 0
    written = load_board(out)
    assert written.kind == "polarity"
    assert set(written.calibration) == {"C3"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["map", "--kind", "level"], "--kind is for simulated boards: add --sim"),
        (["map", "--hands", "help"], "--hands help is for simulated boards: add --sim"),
        (["map", "--sim", "--resume", "--out", "nowhere.toml"], "nothing to resume: nowhere.map.json"),
        (["map", "--sim", "--out", "/nowhere/x.toml"], "can't be written: there is no folder /nowhere"),
        (["calibrate", "--sim", "--out", "/"], "can't be written: it is a folder"),
        (["calibrate", "--sim", "--kind", "level", "--svg", "/"], "can't be written: it is a folder"),
        (["map", "--sim", "--out", "pyproject.toml"], "pyproject.toml: is there already, and is no board file"),
        (["prove", "--sim", "--out", "/"], "can't be written: it is a folder"),
        (["prove", "--sim", "--out", "README.md"], "README.md: is there already, and is not what this command writes"),
        (["map", "--sim", "--wired-as", "nothing.toml"], "nothing.toml: there is no such file"),
        (["monitor", "--board", "nothing"], "expected sim, a file, or one of"),
        (["calibrate", "--sim", "--kind", "level", "--nodes", "Z1"], "--nodes: 'Z1' is not a node"),
        (["bench"], "no GPIO library is installed"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", *words]) == 1
    error = capsys.readouterr().err
    assert why in error
    assert "Traceback" not in error


def test_check_of_a_board_that_cannot_be_opened_is_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "check", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert "no GPIO library" in told["items"][0]["text"]


def test_bench_counts_what_the_driver_documents(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "bench", "--sim", "--json"]) == 0
    figures = {one["name"]: one["value"] for one in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["channels"] == 45
    assert figures["GPIO calls a scan"] == 135
    assert figures["scan to lights, 99th percentile"] > 0, "how much it may be is what `make bench` tells"


def test_bench_adds_the_time_of_a_part_that_sleeps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "bench", "--sim", "--json"]) == 0
    figures = {one["name"]: one["value"] for one in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["DRV5032AJ: between two of its measurements, at most"] == 75
    assert figures["a stone to lights, at worst"] > 3 * 1000 / figures["scans a second in play"] + 75


def test_pins_of_a_real_board_are_counted_alike() -> None:
    board = small_board()
    parts = SimulatedBoard(board)
    sensors = parts.sensors()
    pins = CountingGpio(parts.gpio)
    parts.gpio.calls = 0
    sensors.scan()
    for _ in range(3):
        pins.output(5, pins.LOW)
    assert pins.calls == 3
    assert parts.gpio.calls == 3 * len(board.nodes) + 3


def test_a_computer_that_counts_knows_what_drivers_do_with_its_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = SimulatedBoard(small_board())
    monkeypatch.setattr("hw.buses.open_gpio", parts.breadboard.gpio)
    counting = CountingComputer()
    sensors = open_bank(parts.description, counting)
    before = counting.calls(), parts.gpio.calls
    sensors.scan()
    assert counting.calls() - before[0] == parts.gpio.calls - before[1] == 3 * len(parts.description.nodes)


def test_monitor_shows_changes_and_not_noise(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hardware", "monitor", "--sim", "--kind", "level", "--seconds", "0.3"]) == 0
    assert capsys.readouterr().out == "", "noise is not worth a line"
    board = small_board("level")
    quiet, touched = [128] * 8, [130, 128, 128, 203, 128, 128, 128, 128]
    assert changes(board, quiet, touched) == [(3, 128, 203)]
    assert "  B3 203  +75" in screen(board, touched, 50.0)


def test_the_panel_shows_what_the_table_scans_and_scans_nothing_itself(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path)
    tap = Tap(table.board.sensors, table.description, clock=table.clock)
    table.board.sensors = tap
    app = create_app(
        table.runtime, secret=KEY, addresses=[ADDRESS], attached={EXTENSION: attach_workshop(Workshop(table.runtime))}
    )
    client = app.test_client()
    assert client.get("/api/hardware").get_json()["nodes"][0]["reading"] is None, "nothing was scanned yet"
    table.hand.put("D12", "w")
    table.wait(0.5)
    calls = table.parts.gpio.calls
    for _ in range(5):
        told = client.get("/api/hardware").get_json()
    assert table.parts.gpio.calls == calls, "looking costs the board nothing"
    readings = {node["node"]: node["reading"] for node in told["nodes"]}
    assert readings == {node: int(node == "D12") for node in table.description.nodes}
    assert told["line"] is None, "no scanner"
    assert told["scans"] == 25
    assert told["rate"] == pytest.approx(50.0)
    assert b"What the sensors read" in client.get("/hardware").data
    table.parts.world.set_fault("lost")
    table.wait(0.1)
    assert "does not answer" in client.get("/api/hardware").get_json()["error"]
    table.close()


def test_the_frames_of_a_scanner_are_counted_and_judged() -> None:
    class Scanner:
        channels, kind, line = 8, "presence", LineCount(900, 3, 1)

        def scan(self) -> list[int]:
            return [0] * 8

        def close(self) -> None:
            pass

    tap = Tap(Scanner(), small_board("presence"))
    assert tap.snapshot()["line"] == {"good": 900, "damaged": 3, "missing": 1}
    (item,) = line_items(line_of(Scanner()))
    assert (item.state, item.text) == ("ok", "900 frames came whole, 3 damaged, 1 are missing")
    (item,) = line_items(LineCount(100, 20, 5))
    assert item.state == "bad"
    assert "20 damaged, 5 are missing: look at its ground wire" in item.text
    (item,) = line_items(LineCount(1, 1, 1))
    assert item.state == "ok", "a frame or two at the start are chance"
    assert line_items(None) == []


def test_a_tap_hands_everything_on() -> None:
    class Lost:
        channels, kind, closed = 3, "presence", False

        def scan(self) -> list[int]:
            raise HardwareError("gone")

        def close(self) -> None:
            self.closed = True

    lost = Lost()
    tap = Tap(lost, small_board())
    with pytest.raises(HardwareError, match="gone"):
        tap.scan()
    tap.close()
    assert lost.closed


def test_a_shipped_board_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = find_board("spokes-45")
    before = source.read_bytes()
    shutil.copy(source, tmp_path / "spokes.toml")
    monkeypatch.chdir(tmp_path)
    words = ["hardware", "calibrate", "--sim", "--kind", "level", "--nodes", "A1", "--hands", "help"]
    assert main(words) == 0
    assert (tmp_path / "spokes-45.toml").exists()
    assert source.read_bytes() == before
    capsys.readouterr()

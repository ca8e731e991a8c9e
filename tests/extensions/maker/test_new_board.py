"""A first board file is made from any game's layout, and the program accepts it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import dist, hypot
from pathlib import Path

import pytest

from firmware_host.boardfile.load import check_layout, load_board
from firmware_host.commands.cli import main as cli
from firmware_host.extensions.maker.netlist import circuit_of
from firmware_host.extensions.maker.new_board import NOT_YET, main
from firmware_host.extensions.maker.plate import plate
from firmware_host.extensions.maker.tables import wiring_text
from firmware_host.games.game import Layout
from firmware_host.games.registry import GAMES
from firmware_host.link.new_board import board_text
from firmware_host.link.supplies import limit_ma, load_ma
from hw.circuit import VOLTS
from hw.lights import STRIPS
from hw.pins import pin_list
from hw.ports import CODED, BoardDescription
from tests.sampling import cases, few
from tests.schemes import FOUND, choices_of, needs, there

WRITTEN = [(name, on) for name in sorted(GAMES) for on in choices_of("microcontroller")]
PLAIN = sorted(name for name, game in GAMES.items() if not game.layout().wells)


def written(layout: Layout, folder: Path, game: str = "phalanx", pitch_mm: float = 40.0) -> BoardDescription:
    path = folder / "board.toml"
    path.write_text(board_text("board", game, layout, "A board", pitch_mm), encoding="utf-8")
    return load_board(path)


@pytest.mark.parametrize("name", PLAIN)
def test_the_program_takes_it(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"my-{name}.toml"
    assert main([name, str(path), "--pitch", "35"]) == 0
    assert f"on {len(GAMES[name].layout().nodes)} nodes" in capsys.readouterr().out
    board, layout = load_board(path), GAMES[name].layout()
    check_layout(board, layout.nodes)
    assert (board.name, board.game) == (f"my-{name}", name)
    numbers = list(range(len(layout.nodes)))
    assert [wiring.channel for wiring in board.nodes.values()] == numbers
    assert sorted(wiring.pixel for wiring in board.nodes.values()) == numbers
    for node, (x, y) in layout.nodes.items():
        assert (board.nodes[node].x, board.nodes[node].y) == pytest.approx((35 * x, 35 * y), abs=0.051)


@pytest.mark.parametrize("name", PLAIN)
def test_every_line_is_drawn_once_and_straight(name: str, tmp_path: Path) -> None:
    layout = GAMES[name].layout()
    board = written(layout, tmp_path, name)
    radii = {node: round(hypot(*place), 6) for node, place in layout.nodes.items()}
    curved = {frozenset(p) for p in layout.lines if radii[p[0]] == radii[p[1]] and radii[p[0]] in layout.circles}
    drawn = Counter(frozenset(pair) for line in board.lines for pair in pairwise(line))
    assert set(drawn) <= set(map(frozenset, layout.lines)) - curved
    assert set(drawn.values()) == {1}
    for one, other in layout.lines:
        assert {one, other} in curved or any(one in line and other in line for line in board.lines)
    for line in board.lines:
        places = [layout.nodes[node] for node in line]
        assert sum(dist(*pair) for pair in pairwise(places)) == pytest.approx(dist(places[0], places[-1]), rel=1e-5)


def test_the_strip_runs_to_and_fro_without_jumps(tmp_path: Path) -> None:
    board = written(GAMES["phalanx"].layout(), tmp_path)
    spots = [(wiring.x, wiring.y) for wiring in sorted(board.nodes.values(), key=lambda wiring: wiring.pixel)]
    assert {round(dist(*pair), 1) for pair in pairwise(spots)} == {40.0}


def test_lines_that_run_round_the_board_are_no_trouble(tmp_path: Path) -> None:
    nodes = {name: (float(at), 0.0) for at, name in enumerate("abcd")}
    for extra in (("a", "d"), ("b", "d"), ("a", "c")):
        for lines in ((*pairwise("abcd"), extra), (extra, *pairwise("abcd"))):
            assert written(Layout(nodes, lines), tmp_path).lines == (tuple("abcd"),)


def test_any_name_of_a_node_can_stand_in_it(tmp_path: Path) -> None:
    names = ["a 1", 'the "corner"', "b.2", "Ж"]
    layout = Layout({name: (float(at), 0.0) for at, name in enumerate(names)}, tuple(pairwise(names)))
    board = written(layout, tmp_path, pitch_mm=30)
    assert list(board.nodes) == names
    assert board.lines == (tuple(names),)


def test_what_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess", str(tmp_path / "chess.toml")]) == 1
    assert "expected one of coil" in capsys.readouterr().err
    assert main(["spokes", str(tmp_path / "s.toml"), "--scheme", "9000"]) == 1
    assert f"scheme: expected one of {min(FOUND)}, " in capsys.readouterr().err
    assert main(["spokes", str(tmp_path / "s.toml"), "--scheme", "direct"]) == 1
    assert "scheme direct can't carry 45 inputs, 27 at most" in capsys.readouterr().err
    assert main(["coil", str(tmp_path / "no" / "folder.toml")]) == 1
    assert "No such file" in capsys.readouterr().err
    for wrong in ("0", "-40", "nan", "inf", "far"):
        with pytest.raises(SystemExit):
            main(["coil", str(tmp_path / "coil.toml"), "--pitch", wrong])
        assert "--pitch: expected mm" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "my.toml"
    path.write_text("the work of an evening")
    assert main(["phalanx", str(path)]) == 1
    assert f"{path} is there already: choose another name, or add --force" in capsys.readouterr().err
    assert path.read_text() == "the work of an evening"
    assert main(["phalanx", str(path), "--force"]) == 0
    assert load_board(path).game == "phalanx"


def test_a_board_without_lights_for_a_scanner_on_a_laptop(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    assert main(["spokes", str(path), "--scheme", "serial", "--no-lights"]) == 0
    board = load_board(path)
    assert (board.scheme, board.lights.has_strips, len(board.nodes)) == ("serial", False, 45)
    assert "pixel" not in path.read_text().lower()


def test_the_command_writes_a_board_of_a_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    assert cli(["board", "new", "spokes", str(path), "--scheme", "serial", "--kind", "level"]) == 0
    board = load_board(path)
    assert (board.kind, board.part) == ("level", "DRV5055A3")
    assert cli(["board", "new", "spokes", str(tmp_path / "no.toml"), "--scheme", "direct"]) == 1
    told = capsys.readouterr().err
    assert f"can't carry 45 inputs, 27 at most: expected one of {min(FOUND)}, " in told
    assert not (tmp_path / "no.toml").exists()


def test_a_new_board_names_its_microcontroller(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    assert cli(["board", "new", "spokes", str(path), "--on", "nano", "--kind", "polarity"]) == 0
    board = load_board(path)
    assert (board.scheme, board.options["microcontroller"]) == ("serial", "nano")
    assert "### Arduino Nano" in wiring_text(board)
    refused = tmp_path / "no.toml"
    for call, why in (
        (["--on", "pico-2", "--scheme", "direct"], "--on: scheme direct has no microcontroller: leave one of both out"),
        (["--on", "uno", "--kind", "level"], "the Arduino Uno's 5V gives 440 mA"),
    ):
        assert cli(["board", "new", "spokes", str(refused), *call]) == 1
        assert why in capsys.readouterr().err
    odd = tmp_path / 'my "best".toml'
    assert cli(["board", "new", "phalanx", str(odd)]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert cli(["board", "new", "phalanx", str(refused), "--on", "pico", "--kind", "level"]) == 1
    assert "81 inputs by 4067 take 6 pins with an ADC and 4 others, a pico has 3" in capsys.readouterr().err
    assert not refused.exists()
    assert not odd.exists(), "nothing half-done"


@pytest.mark.parametrize(("name", "on"), cases(WRITTEN, ("spokes", "pico")))
def test_what_board_new_writes_can_be_made(name: str, on: str, tmp_path: Path) -> None:
    for kind in ("presence", "polarity", "level"):
        path = tmp_path / f"{kind}.toml"
        if main([name, str(path), "--on", on, "--kind", kind, "--pitch", "62"]) == 0:
            circuit = circuit_of(load_board(path))
            assert all(load_ma(circuit, net) <= limit_ma(circuit, net) for net in VOLTS if load_ma(circuit, net))


@pytest.mark.parametrize(("scheme", "feeds"), few(there([("matrix", False), ("74hc165", True), ("mcp3008", False)]), 2))
def test_the_header_feeds_what_has_a_supply(scheme: str, feeds: bool, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert cli(["board", "new", "spokes", str(path), "--scheme", scheme, "--pitch", "50"]) == 0
    text = wiring_text(load_board(path))
    assert ("| 1 | 3.3 V | supply" in text) == feeds
    assert ("| 2 | 5 V | the sensors' regulator |" in text) == (scheme == "mcp3008")


@pytest.mark.slow
def test_a_first_board_file_for_a_game_with_tiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    assert main(["octiles", str(path), "--coded", "--pitch", "70"]) == 0
    board = load_board(path)
    assert (board.kind, board.channels, len(board.tiles)) == (CODED, 189, 18)
    assert board.nodes["b3"].x == -70.0
    plate(board)
    assert main(["octiles", str(path), "--force"]) == 0
    assert load_board(path).kind == "presence"
    assert main(["spokes", str(path), "--coded"]) == 1
    assert "--coded: Spokes has no tiles" in capsys.readouterr().err


@pytest.mark.parametrize("strip", few(STRIPS.names(), 1))
def test_every_strip_finds_a_place_beside_every_scheme(
    strip: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for scheme in there(["74hc165-spi", "mcp3008", "ads1115", "4067"]):
        path = tmp_path / f"{scheme}.toml"
        assert main(["spokes", str(path), "--scheme", scheme, "--strip", strip]) == 0, capsys.readouterr().err
        board = load_board(path)
        lines = STRIPS.get(strip).pins(board.lights.strips[0])
        assert not {pin for name in board.pins for pin in pin_list(board.pins, name)} & set(lines)


@needs("mcp3008", "apa102")
def test_a_refusal_names_no_file_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(STRIPS.get("apa102")), "spi_pins", {10: 0})
    assert main(["spokes", str(tmp_path / "no.toml"), "--scheme", "mcp3008", "--strip", "apa102"]) == 1
    told = capsys.readouterr().err
    assert "mcp3008 with apa102" in told
    assert NOT_YET not in told
    assert "no.toml" not in told

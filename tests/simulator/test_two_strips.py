"""A simulated board with pixels on two strips, one of them over SPI: lights and pages show one board."""

from __future__ import annotations

from pathlib import Path

from firmware_host.boardfile.load import find_board, load_board
from hw.ports import OpenBoard
from lodestone.tables import SimulatedTable
from simulator.board import open_board
from tests.session.test_runtime import seal, sit

LIGHTS = 'pin = "D18"\nlength = 45\n'
TWO = 'pin = "D18"\nlength = 24\nsecond = { pin = "D10", length = 21, order = "RGB" }\n'


def written(tmp_path: Path, extra: str = "") -> Path:
    path = tmp_path / "my.toml"
    path.write_text(find_board("spokes-45").read_text().replace(LIGHTS, TWO + extra))
    return path


def opened(tmp_path: Path) -> OpenBoard:
    return open_board(load_board(written(tmp_path), backend="sim"))


def pixels(board: OpenBoard) -> dict[str, list[int]]:
    colours = board.simulated.wire.pixels()
    return {node: list(colours[wiring.pixel]) for node, wiring in board.description.nodes.items()}


def test_nodes_on_both_strips_show_their_colours(tmp_path: Path) -> None:
    board = opened(tmp_path)
    try:
        nodes = board.description.nodes
        assert (nodes["D11"].pixel, nodes["D12"].pixel) == (23, 24), "the strips meet between these two"
        frame = [(0, 0, 0)] * board.strip.length
        frame[23], frame[24] = (255, 0, 9), (0, 255, 9)
        board.strip.show(frame)
        shown = pixels(board)
        assert (shown["D11"], shown["D12"]) == ([255, 0, 9], [0, 255, 9])
        assert sum(map(sum, shown.values())) == 2 * 264
    finally:
        board.close()


def test_a_turn_is_lit_on_both_strips_at_half_brightness(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, board=str(written(tmp_path, "brightness = 0.5\n")))
    sit(table)
    seal(table, {1: "wC1", 2: "wD1"})
    table.wait(0.5)
    table.hand.put("C1", "w")
    table.hand.put("D1", "w")
    table.wait(0.5)
    table.hand.lift("D1")
    table.wait(0.2)
    assert table.description.nodes["1"].pixel > 24, "on the second strip"
    assert table.pixel("1") == (0, 128, 128)
    table.close()

"""A maker's way with a Pico: the commands of microcontrollers.md, in a real MicroPython on simulated chips."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firmware_host.boardfile.load import load_board
from firmware_host.commands.cli import main
from firmware_host.extensions import scanner
from hw.registry import open_board
from lodestone.boards import Clock
from simulator.stones import World
from tests.e2e.program import eventually
from tests.extensions.scanner.micropython.pico import Pico
from tests.hw.test_every_scheme import AT_REST

pytestmark = pytest.mark.thorough
PAGE = Path(scanner.__file__).parent / "microcontrollers.md"


def test_from_a_new_board_file_to_stones_that_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, config = tmp_path / "mine.toml", tmp_path / "config.py"
    assert main(["board", "new", "spokes", str(file), "--scheme", "serial", "--no-lights"]) == 0
    assert main(["board", "sketch", str(file), "--out", str(config)]) == 0
    board = load_board(file)
    clock = Clock()
    world = World([node.name for node in sorted(board.nodes.values(), key=lambda one: one.channels)], "presence", clock)
    told = config.read_text().replace("BOARD = ''", "BOARD = 'pico'")  # A real Pico's MicroPython says what it is.
    pico = Pico(board, world, "74hc165", config=told)
    try:
        file.write_text(re.sub(r"(?m)^device = .*", f'device = "{pico.folder}/ttyACM0"', file.read_text()))
        assert main(["hardware", "check", "--board", str(file)]) == 0
        assert "mine: nothing is bad" in capsys.readouterr().out
        chosen = sorted(board.nodes)[::7]
        for node in chosen:
            world.put(node, "b")
        clock.now += AT_REST
        opened = open_board(load_board(file))
        try:
            wanted = [int(name in chosen) for name in (one.name for one in board.nodes.values())]
            channels = [node.channel for node in board.nodes.values()]
            eventually(lambda: [opened.sensors.scan()[at] for at in channels] == wanted)
        finally:
            opened.close()
        assert pico.violations == []
    finally:
        pico.close()
    for command in ("board sketch", "hardware check --board", "hardware monitor --board"):
        assert f"lodestone {command}" in PAGE.read_text(encoding="utf-8")

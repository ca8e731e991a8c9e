"""Which colours people see: each strip is asked for, with its own pin and order."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.commands.cli import main
from firmware_host.extensions.workshop.checking import (
    COLOURS,
    DARK,
    ColourWizard,
    Seen,
    ask_colours,
    colour_items,
    nearest,
)
from firmware_host.extensions.workshop.terminal import Opened
from firmware_host.table.lights import OFF
from hw.ports import BoardDescription, StripWiring
from simulator.board import SimulatedBoard, open_board
from tests.extensions.workshop.test_commands import SMALL
from tests.extensions.workshop.workshop import small_board
from tests.sentences import sentence


def on_strips(*strips: StripWiring) -> BoardDescription:
    board = small_board()
    return replace(board, lights=replace(board.lights, strips=strips))


TWO = on_strips(StripWiring("D18", 5, "GRB"), StripWiring("D12", 3, "GRB"))


def asked(
    board: BoardDescription, soldered: BoardDescription, broken: Callable[[SimulatedBoard], None] = lambda _: None
) -> tuple[Seen, list[str]]:
    """Return what the simulated eyes have told, and what they were asked, as by the command."""
    parts = open_board(board, soldered=soldered)
    told: list[str] = []
    try:
        broken(parts.simulated)
        return ask_colours(Opened(Path(), board, parts, helped=True), told.append, None), told
    finally:
        parts.close()


def items(board: BoardDescription, seen: Seen) -> dict[str, tuple[str, str]]:
    return {item.name: (item.state, item.text) for item in colour_items(board, seen)}


def test_the_order_of_the_second_strip_is_told_with_its_pin() -> None:
    second = on_strips(StripWiring("D18", 5, "GRB"), StripWiring("D12", 3, "RGB"))
    seen, questions = asked(TWO, second)
    differences = "red was green and green was red"
    found = items(TWO, seen)
    assert found["colours on D18"][0] == "ok"
    words = sentence("for this strip into [lights]", pin="D12", told=differences, order="RGB")
    assert found["colours on D12"] == ("bad", words)
    assert len(questions) == 6
    assert "on the strip on D12 (pixels 5 to 7)" in questions[3]


def test_the_loose_wire_of_a_second_strip_is_dark_beside_a_lit_one() -> None:
    second = on_strips(StripWiring("D18", 5, "GRB"), StripWiring("D13", 3, "GRB"))
    found = items(TWO, asked(TWO, second)[0])
    assert found["colours on D18"][0] == "ok"
    assert found["colours on D12"] == ("bad", sentence("not every light of the strip", pin="D12"))


def test_a_strip_that_is_lit_in_part_is_not_in_order() -> None:
    def cut(parts: SimulatedBoard) -> None:
        parts.wire.wires[0].broken_from = 3

    board = small_board()
    found = items(board, asked(board, board, cut)[0])
    assert found == {"colours": ("bad", sentence("not every light of the strip", pin="D18"))}


def test_one_strip_is_lit_at_a_time() -> None:
    wizard = ColourWizard(TWO)
    shown = []
    while not wizard.is_done:
        shown.append([pixel for pixel, colour in wizard.lights.items() if colour != OFF])
        assert wizard.say(wizard.step[1])
    assert shown == [list(range(5))] * 3 + [[5, 6, 7]] * 3
    assert [state for state, _ in items(TWO, wizard.seen).values()] == ["ok", "ok"]


def test_an_empty_line_is_no_answer() -> None:
    wizard = ColourWizard(small_board())
    for words in ("", " ", "\t", "x", "redd"):
        assert not wizard.say(words)
    assert wizard.seen == {}
    assert wizard.say(" R ")
    assert wizard.step[1] == "green"
    wizard.undo()
    assert wizard.step[1] == "red"
    assert wizard.say(" s ")
    assert wizard.is_done
    assert items(small_board(), wizard.seen) == {}


def test_a_board_without_lights_is_asked_nothing() -> None:
    assert ColourWizard(on_strips(StripWiring("", 8, "GRB", "absent"))).is_done
    assert nearest(OFF) == DARK
    assert [nearest(colour) for colour in COLOURS.values()] == list(COLOURS)


@pytest.mark.thorough
def test_the_command_asks_for_each_strip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = 'length = 2\nsecond = { pin = "D12", length = 1, order = "GRB" }'
    text = SMALL.replace("data = 13", "data = 26").replace("length = 3", second)
    board, wired = tmp_path / "board.toml", tmp_path / "wired.toml"
    board.write_text(text, encoding="utf-8")
    wired.write_text(text.replace('pin = "D12"', 'pin = "D13"'), encoding="utf-8")
    words = ["hardware", "check", "--board", str(board), "--sim", "--hands", "help", "--stones", "--json"]
    assert main([*words, "--wired-as", str(wired)]) == 1
    report = json.loads(capsys.readouterr().out)
    bad = {(item["part"], item["name"]): item["text"] for item in report["items"] if item["state"] == "bad"}
    assert set(bad) == {("board", "wiring"), ("board", "colours on D12")}
    assert bad["board", "wiring"] == sentence("on the whole strip", pin="D12", pixels="2")

"""A light that leads to no answer: a dark pixel is told from a dead sensor, a cut strip from a dead chip."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.workshop.checking import (
    BAD,
    OK,
    UNPROVEN,
    BoardReport,
    stones_wizard,
)
from firmware_host.extensions.workshop.mapping import MapWizard
from hw.ports import BoardDescription, StripWiring
from tests.extensions.workshop.workshop import PATIENCE, Workshop, report, small_board
from tests.sentences import sentence

EIGHT = 8


def spokes() -> BoardDescription:
    return load_board(find_board("spokes-45"), backend="sim")


def on_two_strips(board: BoardDescription, first: int) -> BoardDescription:
    strips = (StripWiring("D18", first), StripWiring("D12", len(board.nodes) - first))
    return replace(board, lights=replace(board.lights, strips=strips))


def by_names(board: BoardDescription, shop: Workshop) -> BoardReport:
    return report(board, shop, stones_wizard(board, PATIENCE))


def by_lights(board: BoardDescription, shop: Workshop) -> BoardReport:
    """Check a board whose nodes nobody asks for by their names."""
    return report(board, shop, MapWizard(board, "pixels", PATIENCE))


def causes(found: BoardReport) -> list[str]:
    return [item.text for item in found.items if item.part == "board"]


def cut_words(first: int) -> str:
    return sentence("pixel {first} on", first=first, pin="D18", before=first - 1)


def strip_words(pin: str, pixels: str) -> str:
    return sentence("on the whole strip", pin=pin, pixels=pixels)


def states(found: BoardReport, part: str) -> list[str]:
    return [item.state for item in found.items if item.part == part]


@pytest.mark.parametrize("cut", [1, 3, 7])
def test_a_cut_strip_is_named_with_its_pixels_and_no_sensor_is_blamed(cut: int) -> None:
    board = small_board()
    shop = Workshop(board)
    shop.parts.wire.wires[0].broken_from = cut
    found = by_names(board, shop)
    assert causes(found) == [cut_words(cut)]
    assert states(found, "sensor") == [OK] * EIGHT
    assert states(found, "pixel") == [OK] * cut + [UNPROVEN] * (EIGHT - cut)
    assert "put a stone on C3, whether" in shop.text


def test_the_loose_wire_of_a_second_strip_is_named_with_its_pin() -> None:
    board = on_two_strips(small_board(), 5)
    shop = Workshop(board)
    shop.parts.wire.wires[1].broken_from = 0
    (cause,) = causes(found := by_names(board, shop))
    assert cause == strip_words("D12", "5 to 7")
    assert states(found, "sensor") == [OK] * EIGHT


def test_a_cut_in_the_first_of_two_strips_ends_with_that_strip() -> None:
    board = on_two_strips(small_board(), 5)
    shop = Workshop(board)
    shop.parts.wire.wires[0].broken_from = 3
    (cause,) = causes(found := by_names(board, shop))
    assert cause == cut_words(3)
    assert states(found, "pixel") == [OK] * 3 + [UNPROVEN] * 2 + [OK] * 3


def test_a_dead_chip_at_the_end_of_the_strip_is_no_dark_pixel() -> None:
    board = spokes()
    shop = Workshop(board)
    for node in ("12", "13", "14", "15", "16"):
        shop.world.set_fault("stuck-off", node)
    (cause,) = causes(found := by_names(board, shop))
    assert cause.startswith("chip 6 of 6 detects nothing anywhere")
    assert states(found, "sensor")[40:] == [BAD] * 5
    assert states(found, "pixel")[40:] == [UNPROVEN] * 5


def test_a_cut_strip_and_a_dead_sensor_behind_it_are_both_named() -> None:
    board = small_board()
    shop = Workshop(board)
    shop.parts.wire.wires[0].broken_from = 4
    shop.world.set_fault("stuck-off", "C2")
    (cause,) = causes(found := by_names(board, shop))
    assert cause == cut_words(4)
    bad = [item.name for item in found.items if item.part == "sensor" and item.state == BAD]
    assert bad == ["C2"]


def test_one_pixel_that_passes_on_its_data_is_dark_alone() -> None:
    board = small_board()
    shop = Workshop(board)
    pixels = shop.parts.wire.pixels
    shop.parts.wire.pixels = lambda: [(0, 0, 0) if at == 3 else lit for at, lit in enumerate(pixels())]  # type: ignore[method-assign]
    found = by_names(board, shop)
    assert causes(found) == []
    assert [item.text for item in found.items if item.state == BAD] == [
        "pixel 3 led to no answer, but a sensor answers there: it is dark, or lit elsewhere"
    ]


def test_where_nobody_knows_the_strip_is_named_first_and_a_chip_only_if_it_explains_as_much() -> None:
    for cut, chip in ((40, "chip 6 of 6 detects nothing"), (16, "chip 3 of 6 (with those behind it)"), (21, "")):
        board = spokes()
        shop = Workshop(board)
        shop.parts.wire.wires[0].broken_from = cut
        (cause,) = causes(found := by_lights(board, shop))
        strip, _, other = cause.partition(" If these pixels are lit: ")
        assert strip == cut_words(cut)
        assert other.startswith(chip) if chip else not other
        assert states(found, "sensor")[cut:] == [UNPROVEN] * (45 - cut)


def test_lights_further_on_prove_those_before_them() -> None:
    board = spokes()
    shop = Workshop(board)
    for node, wiring in board.nodes.items():
        if 8 <= wiring.channel < 16:
            shop.world.set_fault("stuck-off", node)
    (cause,) = causes(by_lights(board, shop))
    assert cause.startswith("chip 2 of 6 detects nothing anywhere")


def test_what_never_answers_at_all_is_asked_by_name_before_sensors_are_blamed() -> None:
    board = small_board()
    shop = Workshop(board, bend=lambda readings: [0] * len(readings))
    wizard = stones_wizard(board, PATIENCE)
    (cause,) = causes(report(board, shop, wizard))
    assert cause.startswith("no sensor answers:")
    assert wizard.learned.tries == 3, "three named nodes are enough"
    told = next(line for line in shop.told if line.startswith("nothing answers"))
    both = strip_words("D18", "0 to 7") + " If these pixels are lit: no sensor answers"
    assert both in told
    shop = Workshop(board, bend=lambda readings: [0] * len(readings))
    (cause,) = causes(by_lights(board, shop))
    assert cause.startswith(both)


def test_a_strip_without_any_light_is_named_and_every_sensor_is_proved() -> None:
    board = small_board()
    shop = Workshop(board)
    shop.parts.wire.wires[0].broken_from = 0
    (cause,) = causes(found := by_names(board, shop))
    assert cause == strip_words("D18", "0 to 7")
    assert states(found, "sensor") == [OK] * EIGHT

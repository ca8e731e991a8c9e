"""The check's report for each fault, by readings alone and with stones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.extensions import workshop
from firmware_host.extensions.workshop.checking import (
    BAD,
    OK,
    BoardReport,
    EmptyBoard,
    Item,
    computer_items,
    failure_report,
    merge_items,
    pin_items,
    pixel_items,
    rest_items,
    stone_items,
    stones_wizard,
)
from firmware_host.link import preconditions
from firmware_host.link.preconditions import table
from hw import pi
from hw.ports import BoardDescription
from tests.extensions.workshop.workshop import NAMES, PATIENCE, SCAN_S, Bend, Workshop, rewired, small_board
from tests.schemes import needs


def checked(board: BoardDescription, shop: Workshop, *, stones: bool) -> BoardReport:
    touch = EmptyBoard(board.kind, len(board.nodes))
    for _ in range(200):
        shop.clock.now += SCAN_S
        touch.feed(shop.bend(list(shop.sensors.scan())), shop.clock.now)
    items = [*pin_items(board), *rest_items(board, touch), *pixel_items(board)]
    if stones:
        wizard = stones_wizard(board, PATIENCE)
        shop.run(wizard)
        items += stone_items(board, wizard)
    return BoardReport(board, merge_items(items))


def bad(report: BoardReport) -> dict[tuple[str, str], str]:
    return {(item.part, item.name): item.text for item in report.items if item.state == BAD}


def test_a_board_in_order_is_proved_by_stones() -> None:
    for kind in ("presence", "polarity", "level"):
        board = small_board(kind)
        report = checked(board, Workshop(board), stones=True)
        assert report.good
        assert {item.state for item in report.items} == {OK}
        parts = [item.part for item in report.items]
        assert parts.count("sensor") == (2 if kind == "polarity" else 1) * len(NAMES), "with both poles, where it tells"
        assert parts.count("pixel") == len(NAMES)
        assert parts.count("pin") == sum(len(p) if isinstance(p, tuple) else 1 for p in board.pins.values()) + 1


def test_without_stones_nothing_more_is_claimed_than_was_seen() -> None:
    board = small_board()
    report = checked(board, Workshop(board), stones=False)
    assert report.good
    assert {item.state for item in report.items if item.part in {"sensor", "pixel"}} == {"unproven"}


def test_dead_stuck_and_flapping_sensors_are_named() -> None:
    board = small_board()
    shop = Workshop(board)
    shop.world.set_fault("stuck-off", "B1")
    shop.world.set_fault("stuck-on", "C2")
    shop.world.set_fault("flapping", "C3")
    report = checked(board, shop, stones=True)
    found = bad(report)
    assert found["sensor", "B1"] == "channel 1: no channel answers"
    assert "channel 6 reads 1 with nothing there" in found["sensor", "C2"]
    assert "channel 7 never keeps still" in found["sensor", "C3"]
    assert not report.good
    assert "3 of" in report.text().splitlines()[-1]


def test_swapped_wires_and_pixels_are_named() -> None:
    board = small_board()
    shop = Workshop(rewired(board, [1, 0, 2, 3, 4, 5, 6, 7], [0, 1, 2, 3, 4, 5, 7, 6]))
    found = bad(checked(board, shop, stones=True))
    assert found["sensor", "A1"] == "channel 1 (B1's) answered where its pixel is lit, expected 0"
    assert {name for _, name in found} == {"A1", "B1", "C2", "C3"}


def dead_line(readings: list[int]) -> list[int]:
    return [1] * len(readings)


def test_a_line_that_fails_as_a_whole_is_named_with_its_pin() -> None:
    board = small_board()
    bend: Bend = dead_line
    report = checked(board, Workshop(board, bend=bend), stones=False)
    text = bad(report)["board", "wiring"]
    assert "data line (GPIO13)" in text


def test_sound_on_the_strip_s_pwm_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pi, "model", lambda *_: "Raspberry Pi 4 Model B Rev 1.4")
    monkeypatch.setattr(preconditions, "analogue_sound", lambda _: "bcm2835 Headphones")
    monkeypatch.setattr(preconditions, "missing_core_clock", lambda _: ())
    board = small_board("presence")
    told = {}
    for pin, over, backend in (
        ("D18", "gpio", "gpio"),
        ("D21", "gpio", "gpio"),
        ("D10", "spi", "gpio"),
        ("D18", "gpio", "sim"),
    ):
        strip = replace(board.lights.strips[0], pin=pin, over=over)
        one = replace(board, backend=backend, lights=replace(board.lights, strips=(strip,)))
        told[pin, backend] = computer_items(one)
    assert {way: [item.name for item in items] for way, items in told.items() if items} == {
        ("D18", "gpio"): ["this computer (sound)"]
    }
    assert told["D18", "gpio"][0].state == BAD
    assert "(bcm2835 Headphones) disturbs: run install.sh" in told["D18", "gpio"][0].text


def test_reports_are_read_by_programs() -> None:
    board = small_board()
    shop = Workshop(board)
    shop.world.set_fault("stuck-on", "B2")
    told = json.loads(checked(board, shop, stones=False).json())
    assert told["ok"] is False
    assert [item["name"] for item in told["items"] if item["state"] == "bad"] == ["B2"]
    lost = json.loads(failure_report(board, "the board does not answer").json())
    assert lost["items"] == [{"part": "board", "name": board.name, "state": "bad", "text": "the board does not answer"}]


def test_what_is_bad_once_stays_bad() -> None:
    items = [Item("sensor", "A1", BAD, "stuck"), Item("sensor", "A1", OK, "felt"), Item("sensor", "B1", OK, "felt")]
    assert [item.state for item in merge_items(items)] == [BAD, OK]


@needs("ads1115", "apa102", "4067", "mcp3008", "sk6812-rgbw", "wled", "matrix", "serial")
def test_the_page_has_what_the_computer_must_have() -> None:
    page = Path(workshop.__file__).parent / "hardware.md"
    assert table() in page.read_text(encoding="utf-8"), "python -m firmware_host.link.preconditions"

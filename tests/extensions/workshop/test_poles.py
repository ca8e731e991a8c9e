"""A board of kind polarity is in order only if each node feels both poles: a white stone proves half of a sensor."""

from __future__ import annotations

from dataclasses import replace

from firmware_host.extensions.workshop.checking import (
    BAD,
    OK,
    UNPROVEN,
    BoardReport,
    stones_wizard,
)
from firmware_host.extensions.workshop.mapping import MapWizard
from hw.ports import no_lights
from tests.extensions.workshop.workshop import NAMES, PATIENCE, Bend, Workshop, report, small_board

NORTH, SOUTH = 1, 2
BOARD = small_board("polarity")


def checked(bend: Bend = list) -> tuple[BoardReport, Workshop]:
    shop = Workshop(BOARD, bend=bend)
    return report(BOARD, shop, stones_wizard(BOARD, PATIENCE)), shop


def bad(found: BoardReport) -> dict[str, str]:
    return {item.name: item.text for item in found.items if item.state == BAD}


def south(found: BoardReport) -> list[str]:
    return [item.state for item in found.items if item.name.endswith(", south")]


def test_each_node_is_asked_for_both_poles() -> None:
    found, shop = checked()
    assert {item.state for item in found.items} == {OK}
    assert south(found) == [OK] * len(NAMES)
    asked = [line.split(": ")[1] for line in shop.told if "is lit" in line]
    assert asked == ["put a white stone there", "put a black stone there"] * len(NAMES)


def test_dead_south_switches_are_named() -> None:
    found, _ = checked(lambda readings: [reading & NORTH for reading in readings])
    assert bad(found) == {
        f"{name}, south": f"channel {at} with a black stone: no channel answers" for at, name in enumerate(NAMES)
    }


def test_the_souths_of_two_nodes_exchanged_are_named() -> None:
    def exchanged(readings: list[int]) -> list[int]:
        one, other = readings[2], readings[5]
        return [
            {2: one & NORTH | other & SOUTH, 5: other & NORTH | one & SOUTH}.get(at, reading)
            for at, reading in enumerate(readings)
        ]

    assert bad(checked(exchanged)[0]) == {
        "B2, south": "channel 5 (C1's) answered for a black stone, expected 2",
        "C1, south": "channel 2 (B2's) answered for a black stone, expected 5",
    }


def test_both_switches_of_a_node_exchanged_are_named() -> None:
    found, _ = checked(
        lambda readings: [{1: 2, 2: 1}.get(one, one) if at == 3 else one for at, one in enumerate(readings)]
    )
    assert set(bad(found)) == {"B3", "B3, south"}
    assert "sees a black stone as white: its two switches are swapped" in bad(found)["B3, south"]


def test_a_south_switch_that_hears_both_poles_is_named() -> None:
    found, _ = checked(lambda readings: [3 if one and at == 3 else one for at, one in enumerate(readings)])
    assert "with both its switches" in bad(found)["B3, south"]


def test_what_no_black_stone_has_tried_is_unproven() -> None:
    found = report(BOARD, Workshop(BOARD), MapWizard(BOARD, "pixels", PATIENCE))
    assert south(found) == [UNPROVEN] * len(NAMES)
    assert [item.state for item in found.items if item.part == "sensor" and "south" not in item.name] == [OK] * len(
        NAMES
    )


def test_a_dead_sensor_feels_neither_pole() -> None:
    shop = Workshop(BOARD)
    shop.world.set_fault("stuck-off", "B2")
    found = report(BOARD, shop, stones_wizard(BOARD, PATIENCE))
    assert set(bad(found)) == {"B2", "B2, south"}


def test_dead_north_switches_are_no_broken_line() -> None:
    found, _ = checked(lambda readings: [reading & SOUTH for reading in readings])
    assert [item.name for item in found.items if item.part == "board"] == []
    assert set(bad(found)) == set(NAMES)
    assert bad(found)["A1"].endswith("only with a black one: look at its switch for north")
    assert south(found) == [OK] * len(NAMES)


def test_a_board_without_lights_is_asked_by_its_names() -> None:
    board = replace(BOARD, lights=no_lights(len(NAMES)))
    shop = Workshop(board)
    found = report(board, shop, stones_wizard(board, PATIENCE))
    assert south(found) == [OK] * len(NAMES)
    assert [line.split("] ")[1] for line in shop.told if "] put" in line][:2] == [
        "put a white stone on A1",
        "put a black stone on A1",
    ]


def test_a_dark_pixel_s_node_feels_both_poles_by_its_name() -> None:
    shop = Workshop(BOARD)
    shop.parts.wire.wires[0].broken_from = 6
    found = report(BOARD, shop, stones_wizard(BOARD, PATIENCE))
    assert set(bad(found)) == {"wiring"}
    assert south(found) == [OK] * len(NAMES)
    assert "put a black stone on C3, whether" in shop.text


def test_one_step_back_asks_for_the_black_stone_again() -> None:
    shop = Workshop(BOARD)
    wizard = stones_wizard(BOARD, PATIENCE)
    shop.run(wizard, until=lambda: len(wizard.learned.records) == 2)
    wizard.say("u", shop.clock.now)
    assert list(wizard.learned.records) == ["pixel 0"]
    found = report(BOARD, shop, wizard)
    assert {item.state for item in found.items} == {OK}

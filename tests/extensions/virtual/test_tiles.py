"""Tiles on the virtual board: dragged, turned by wheel, keys and taps, and felt as they then lie."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tests.e2e.program import eventually
from tests.extensions.virtual.test_page import Shown, shown

__all__ = ["shown"]

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

wells = pytest.mark.parametrize(
    "shown",
    [
        pytest.param((1280, 800, "octiles-189", "coded"), marks=pytest.mark.thorough),
        (360, 740, "octiles-53", "presence"),
    ],
    ids=["desktop", "phone"],
    indirect=True,
)


def lies(shown: Shown, well: str, piece: str) -> None:
    eventually(lambda: shown.parts.world.stones().get(well) == [piece], f"{piece} lies on {well}")


@wells
def test_a_tile_is_dragged_turned_and_given_back(shown: Shown) -> None:
    page = shown.page
    shown.drag("tray-7", shown.centre("b3"))
    shown.says("On b3: tile 7.")
    lies(shown, "b3", "7r0")
    expect(page.locator("#tray-7")).to_have_class("tile-tray gone")
    x, y = shown.centre("b3")
    page.mouse.click(x + 8, y)
    shown.says("On b3: tile 7, turned by 1 eighth.")
    page.mouse.click(x - 8, y)
    shown.says("On b3: tile 7.")
    lies(shown, "b3", "7r0")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*shown.centre("c3"), steps=3)
    for turned in (1, 2):
        shown.wheel(turned)
    page.mouse.up()
    shown.says("On c3: tile 7, turned by 2 eighths.")
    assert shown.parts.world.stones() == {"c3": ["7r2"]}
    expect(page.locator('[data-node="c3"]')).to_have_attribute("aria-label", "c3: tile 7, turned by 2 eighths")
    shown.drag("c3", (3, 3))
    shown.says("Back in the bowl.")
    assert shown.parts.world.stones() == {}
    expect(page.locator("#tray-7")).to_have_class("tile-tray")
    assert shown.parts.world.snapshot()["hands"] == {}


@pytest.mark.thorough
@wells
def test_keys_turn_tiles_in_the_hand_and_where_they_lie(shown: Shown) -> None:
    page, keys = shown.page, shown.page.keyboard
    page.locator("#tray-12").focus()
    keys.press("Enter")
    shown.says("In the hand: tile 12.")
    keys.press("]")
    shown.says("In the hand: tile 12, turned by 1 eighth.")
    page.locator('[data-node="b2"]').focus()
    keys.press("Enter")
    shown.says("On b2: tile 12, turned by 1 eighth.")
    for _ in range(2):
        keys.press("[")
    shown.says("On b2: tile 12, turned by 7 eighths.")
    lies(shown, "b2", "12r7")
    keys.press("Enter")
    shown.says("Lifted from b2: tile 12, turned by 7 eighths.")
    keys.press("]")
    page.locator('[data-node="c3"]').focus()
    keys.press("Enter")
    shown.says("On c3: tile 12.")
    lies(shown, "c3", "12r0")
    page.locator("#tray-12").focus()
    keys.press("Enter")
    assert shown.parts.world.stones() == {"c3": ["12r0"]}, "there is one of each"


@pytest.mark.thorough
@wells
def test_pieces_of_four_colours_and_everything_in_reach(shown: Shown) -> None:
    page = shown.page
    for letter, colour, node in (("b", "blue", "A1"), ("y", "yellow", "F6"), ("r", "red", "A6"), ("g", "green", "C1")):
        shown.drag(f"tray-{letter}", shown.centre(node))
        shown.says(f"On {node}: {colour}.")
    if page.evaluate("innerWidth") < 500:
        page.set_viewport_size({"width": 320, "height": 640})
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for button in page.locator("button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44


@pytest.mark.thorough
@wells
def test_a_tile_that_is_turned_on_and_on_is_lifted_once(shown: Shown) -> None:
    """As hands do it: a contact that opened and closed with each eighth would be taken for a broken one."""
    page, world = shown.page, shown.parts.world
    world.put("b3", "7r0")
    felt: list[bool] = []
    told = world.on_change

    def note() -> None:
        felt.append("b3" in world.stones())
        if told is not None:
            told()

    world.on_change = note
    x, y = shown.centre("b3")
    expect(page.locator('[data-node="b3"] .tile-number')).to_have_text("7")
    page.clock.install(time=0)  # However slow the machine, there is no pause between two turns.
    page.clock.pause_at(60_000)
    for _ in range(7):
        page.mouse.click(x + 8, y)
    page.clock.run_for(1000)
    shown.says("On b3: tile 7, turned by 7 eighths.")
    assert [there for there, after in pairwise([*felt, None]) if there != after] == [False, True]
    felt.clear()
    page.locator('[data-node="b3"]').focus()
    for eighths in range(6, 0, -1):
        page.keyboard.press("[")
        shown.says(f"In the hand: tile 7, turned by {eighths} eighth")
    page.clock.run_for(1000)
    shown.says("On b3: tile 7, turned by 1 eighth.")
    assert [there for there, after in pairwise([*felt, None]) if there != after] == [False, True]
    page.keyboard.press("]")
    page.keyboard.press("Enter")
    shown.says("In the hand: tile 7, turned by 2 eighths.")
    page.locator('[data-node="c3"]').press("Enter")
    lies(shown, "c3", "7r2")
    x, y = shown.centre("c3")
    page.mouse.click(x + 8, y)
    shown.drag("c3", shown.centre("b3"))
    lies(shown, "b3", "7r3")
    assert world.snapshot()["hands"] == {}

"""What phones and the big screen show while parts of the board are broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.e2e.program import eventually
from tests.e2e.room import menu, shut
from tests.e2e.test_phones import start
from tests.e2e.test_phones import table as table  # noqa: PLC0414 - the fixture
from tests.e2e.test_whole_game import seal
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_a_stuck_sensor_is_asked_about_on_the_phones(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    seal(bob, "bD10")
    table.until("placing")
    table.parts.world.set_fault("stuck-off", "D10")
    watch = table.runtime.table().watch
    watch.timings = replace(watch.timings, suspect=2.0)  # Half a minute is long for a test.
    table.put("wD2", "bD10")
    card = ann.locator('[data-card="stuck"]')
    card.locator("summary").click()
    channel = table.parts.description.nodes["D10"].channel
    expect(card).to_contain_text(f"The sensor of D10 (channel {channel}) shows nothing.")
    card.get_by_role("button", name="The sensor of D10 is wrong").click()
    ann.locator("#ask").get_by_role("button", name="Yes").click()
    ann.get_by_role("button", name="All stones are down").click()  # Nothing else tells that it lies.
    table.until("sealing")
    expect(bob.locator("#trouble")).to_contain_text("the sensor of D10 (a player says so)")


@pytest.mark.thorough
def test_lost_lights_and_a_broken_line_are_told_everywhere(
    table: ServedTable, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    ann, _ = start(table, phones)
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    screen.goto(f"{table.base}/tv")
    seal(ann, "wD2")
    table.parts.wire.dead = True
    with_phones = "The lights are lost"
    seal(phones[1].pages[0], "bD10")
    table.until("placing")
    for page in (ann, screen):
        expect(page.locator("#trouble")).to_contain_text(with_phones)
        lights = (menu(page, "legend") if page is ann else page).locator("#lights")
        expect(lights).to_contain_text("put your stone here")
    shut(ann)
    table.parts.wire.dead = False
    expect(screen.locator("#trouble")).to_be_hidden()
    table.parts.world.set_fault("data-low")
    for locator in (ann.locator("#problem"), screen.locator("#message")):
        expect(locator).to_contain_text("the chain's data line (GPIO13) is open or shorted")
    table.parts.world.clear_faults()
    eventually(lambda: table.view["standstill"] is None, "play goes on")
    table.put("wD2", "bD10")
    table.until("sealing")
    screen.context.close()

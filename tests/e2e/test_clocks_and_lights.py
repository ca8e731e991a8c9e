"""What only a browser shows of clocks, which go on by themselves, and how the host chooses them, and the lights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.games.clocks import ClockSetting
from firmware_host.table.subjects.timekeeping import ClocksChosen
from tests.e2e.program import Program
from tests.e2e.room import Room, part, shut
from tests.e2e.test_phones import start
from tests.e2e.test_whole_game import seal
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

REFUSAL = {"error": {"code": "wrong_phase", "message": "not now"}}


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as served:
        yield served


@pytest.mark.thorough
def test_clocks_go_on_by_themselves(table: ServedTable, phones: Sequence[BrowserContext], screen: Page) -> None:
    """The own one is large, and goes on without a word of the table."""
    table.runtime.submit(ClocksChosen(at=table.runtime.now(), setting=ClockSetting(main=600, odds={2: 1200})))
    ann, bob = start(table, phones)
    screen.goto(f"{table.base}/tv")
    clock = ann.locator("#clock .clock")
    expect(clock).to_have_text(re.compile(r"^9:\d\d$"))
    expect(ann.locator("#seats .clock")).to_have_count(2)
    expect(screen.locator("#seats .clock")).to_have_count(2)
    before, told_by_it = table.runtime.view(None)[0], clock.text_content() or ""
    expect(clock).not_to_have_text(told_by_it)
    assert table.runtime.view(None)[0] == before, "no view was sent for it"

    seal(bob, "bD13")
    expect(ann.locator("#seats .clock.runs")).to_have_count(1)
    seal(ann, "wD12")
    table.until("placing")
    expect(ann.locator(".clock.runs")).to_have_count(0)


def test_the_host_chooses_clocks_and_lights(program: Program, browser: Browser) -> None:
    program.start("--new", "--kind", "polarity")
    with Room.around(program, browser) as room:
        host = room.host()
        host.locator("#clocks").click()
        own = host.locator("#clock-main")
        host.locator("summary", has_text="Other times").first.click()
        own.fill("0")
        host.get_by_role("button", name="Use these times").click()
        assert own.evaluate("(field) => field.validationMessage") == "1 to 1440"
        assert room.view["clocks"] is None
        host.get_by_role("button", name="Fast 5 min + 3 s").click()
        expect(host.locator("#clock-fast")).to_have_attribute("aria-pressed", "true")
        host.locator("#clock-strict").click()
        expect(host.locator("#sheet")).to_contain_text("Now: 5:00 for each player, 3 s more after each turn, strict.")
        host.locator("summary", has_text="Other times for some players").click()
        host.locator("#odds-2").select_option("1200")
        expect(host.locator("#sheet")).to_contain_text("one player has another time")
        assert [seat["main"] for seat in room.view["clocks"]["seats"]] == [300, 1200]
        shut(host)
        expect(host.locator("#clocks")).to_contain_text("Fast")
        part(host, "Hardware")
        host.locator("#lights-night").click()
        expect(host.locator("#lights-night")).to_have_attribute("aria-checked", "true")
        with host.expect_response("**/api/host/lights"):
            host.locator("#lights-sleep").select_option("60")
        host.reload()
        expect(host.locator("#lights-sleep")).to_have_value("60")


def test_what_the_table_refuses_is_not_shown_as_chosen(program: Program, browser: Browser) -> None:
    program.start("--new", "--kind", "polarity")
    with Room.around(program, browser) as room:
        host = room.host()
        part(host, "Hardware")
        host.route("**/api/host/lights", lambda route: route.fulfill(status=409, json=REFUSAL))
        sleep, brightness = host.locator("#lights-sleep"), host.locator("#brightness")
        before = sleep.input_value(), brightness.input_value()
        assert before[0] != "60"
        sleep.select_option("60")
        expect(host.locator("#error")).to_have_text("not now")
        expect(sleep).to_have_value(before[0])
        brightness.press("Home")
        expect(brightness).to_have_value(before[1])
        host.unroute("**/api/host/lights")
        sleep.select_option("60")
        expect(sleep.locator("option[selected]")).to_have_attribute("value", "60")
        expect(sleep).to_have_value("60")

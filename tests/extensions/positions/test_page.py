"""A position set up on a phone, by taps and by stones laid on the board in any order; and played from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from firmware_host.table.subjects.seats import SeatTaken
from tests.analysers import ScriptedAnalyser
from tests.attached import attached
from tests.deleted import LACKING
from tests.e2e.room import faults_of
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    search = ScriptedAnalyser("C2-D3-3")
    search.ready = True
    with ServedTable.opened(tmp_path, analyser=search, attached=attached(tmp_path, "positions", "puzzles")) as served:
        yield served


def tap(page: Page, node: str) -> None:
    box = page.locator(f"#board [data-node='{node}']").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_position_is_tapped_explained_looked_into_and_played(table: ServedTable, browser: Browser) -> None:
    for seat, name in ((1, "Ann"), (2, "Bob")):
        table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=seat, name=name, claim=name))
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    faults = faults_of(page)
    page.goto(f"{table.base}/host#{TOKEN}")
    expect(page).to_have_url(f"{table.base}/host")
    page.goto(f"{table.base}/position")
    page.locator("#piece-w").click()
    for node in ("C2", "D3"):
        tap(page, node)
    expect(page.locator("#told")).to_contain_text("This position works")
    page.locator("#best").click()
    expect(page.locator("[data-card=best]")).to_contain_text("C2 pushes D3 to 3")
    tap(page, "D3")
    expect(page.locator("[data-card=best]")).to_have_count(0)
    page.locator("#piece-none").click()
    tap(page, "D3")
    page.locator("#piece-w").click()
    tap(page, "D3")
    page.locator("#choose-seat").select_option("2")
    page.locator("#play-it").click()
    page.wait_for_url("**/play")
    assert table.view["phase"] == "setup"
    table.set_up()
    assert table.until("resolving")["resolver"] == 2
    assert not faults
    context.close()


@pytest.mark.thorough
def test_stones_that_are_laid_in_any_order_appear_and_are_asked_about(table: ServedTable, browser: Browser) -> None:
    """This board's sensors feel that something lies, not its colour: a tap tells that."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{table.base}/position")
    page.locator("#follows").click()
    table.hand.put("D3", "w")
    expect(page.locator("#told")).to_contain_text("What lies on D3?")
    page.locator("#piece-w").click()
    tap(page, "D3")
    expect(page.locator("#told")).to_contain_text("This position works")
    table.hand.put("B1", "b")
    expect(page.locator("#told")).to_contain_text("What lies on B1?")
    table.hand.lift("B1")
    expect(page.locator("#told")).to_contain_text("This position works")
    expect(page.locator("#play-it")).to_contain_text("The host begins games")
    context.close()


def test_stones_are_followed_one_look_at_a_time_and_after_a_lost_connection(
    table: ServedTable, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.clock.install()
    page.goto(f"{table.base}/position")
    held: list[Route] = []
    page.route("**/api/position/lying", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    with page.expect_request("**/api/position/lying"):
        page.locator("#follows").click()
    page.clock.run_for(5000)
    assert len(held) == 1
    held[0].abort()
    table.hand.put("D3", "w")
    while len(held) < 2:
        page.clock.run_for(1000)
    expect(page.locator("#follows")).to_have_attribute("aria-checked", "true")
    held[1].continue_()
    page.unroute("**/api/position/lying")
    page.clock.resume()
    expect(page.locator("#told")).to_contain_text("What lies on D3?")
    context.close()


def test_what_was_laid_is_there_after_the_page_was_left(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{table.base}/position")
    page.locator("#piece-w").click()
    for node in ("C2", "D3"):
        tap(page, node)
    page.locator("#choose-seat").select_option("2")
    expect(page.locator("#told")).to_contain_text("This position works")
    page.reload()
    expect(page.locator("#choose-seat")).to_have_value("2")
    expect(page.locator("#board .stones")).to_have_count(2)
    expect(page.locator("#told")).to_contain_text("This position works")
    page.locator("#clear").click()
    page.reload()
    expect(page.locator("#choose-seat")).to_have_value("2")
    expect(page.locator("#board .stones")).to_have_count(0)
    context.close()


@pytest.mark.skipif("how_to_play" in LACKING, reason="the rules open over the page")
def test_the_rules_open_over_what_was_laid(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{table.base}/position")
    page.locator("#piece-w").click()
    tap(page, "D3")
    page.locator("#help").click()
    page.get_by_role("dialog").get_by_role("button", name="Got it").click()
    assert page.url == f"{table.base}/position"
    expect(page.locator("#board .stones")).to_have_count(1)
    context.close()

"""How to play, in a browser: the way there, all pictures drawn, on a narrow phone and in German."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from firmware_host.games.capabilities import how_to_play_of
from firmware_host.games.registry import GAMES
from tests.attached import attached
from tests.e2e.room import faults_of
from tests.e2e.test_phones import shows_sealed, start
from tests.e2e.test_whole_game import seal
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

TAUGHT = sorted(name for name, game in GAMES.items() if how_to_play_of(game))


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, attached=attached(tmp_path, "puzzles")) as served:
        yield served


def all_drawn(page: Page, name: str) -> None:
    """Check that each picture of a game shows the pieces, lights and arrows that it has."""
    told = page.evaluate("(name) => fetch(`/api/how-to-play/${name}`).then((answer) => answer.json())", name)
    expect(page.locator(".learn .board > svg")).to_have_count(len(told["pictures"]))
    for fold in page.locator(".learn details:has(.board)").all():
        fold.evaluate("(one) => { one.open = true; }")
    for at, picture in enumerate(told["pictures"], 1):
        drawing = page.locator(f"#picture-{at}")
        nodes = (picture["layout"] or told["layout"])["nodes"]
        expect(drawing.locator(".node")).to_have_count(len(nodes))
        expect(drawing.locator(".stones")).to_have_count(len(picture["board"]))
        expect(drawing.locator(".glow.lit")).to_have_count(len(picture["lights"]))
        expect(drawing.locator(".arrow")).to_have_count(len(picture["arrows"]))
        box = drawing.locator("svg").bounding_box()
        assert box is not None
        assert box["width"] >= 110
        assert box["height"] >= 80


def test_the_rules_open_over_the_lobby(table: ServedTable, phones: list[BrowserContext]) -> None:
    page = phones[0].new_page()
    faults = faults_of(page)
    page.goto(table.base)
    page.locator("#menu").click()
    expect(page.locator("#aim")).to_contain_text(table.view["game"]["aim"])
    page.keyboard.press("Escape")
    page.locator("#help").click()
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("heading", level=1)).to_have_text(f"How to play {table.view['game']['title']}")
    all_drawn(page, table.view["game"]["name"])
    sheet.get_by_role("button", name="Got it").click()
    expect(sheet).to_have_count(0)
    expect(page.locator("#seats .place").first).to_be_visible()
    assert faults == []


def test_rules_that_are_asked_for_twice_open_once(table: ServedTable, phones: list[BrowserContext]) -> None:
    """The sheet is there at once, and is filled when the rules have come."""
    page = phones[0].new_page()
    faults = faults_of(page)
    held: list[Route] = []
    page.route("**/how-to-play/*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    page.goto(table.base)
    page.locator("#help").evaluate("(one) => { one.click(); one.click(); }")
    sheet = page.locator("dialog.help")
    expect(sheet).to_have_text(re.compile("One moment …"))
    for route in held:
        route.continue_()
    page.unroute("**/how-to-play/*")
    expect(sheet.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator("dialog")).to_have_count(2)  # The other one is for questions.
    all_drawn(page, table.view["game"]["name"])
    assert faults == []
    sheet.get_by_role("button", name="Got it").click()
    page.wait_for_function("!history.state?.over")


def test_rules_that_do_not_come_leave_no_sheet(table: ServedTable, phones: list[BrowserContext]) -> None:
    page = phones[0].new_page()
    page.goto(table.base)
    page.route("**/how-to-play/*", lambda route: route.abort())
    page.locator("#help").click()
    expect(page.locator("#error")).to_be_visible()
    expect(page.locator("dialog.help")).to_have_count(0)
    page.unroute("**/how-to-play/*")
    page.locator("#help").click()
    all_drawn(page, table.view["game"]["name"])


@pytest.mark.thorough
def test_whoever_reads_the_rules_keeps_what_was_chosen(
    table: ServedTable, phones: list[BrowserContext], screen: Page
) -> None:
    ann, _ = start(table, phones)
    ann.locator("#colour-w").click()
    ann.locator('[data-node="D2"]').click()
    chosen = ann.get_by_role("button", name="Seal white on D2")
    expect(chosen).to_be_enabled()
    ann.locator("#help").click()
    expect(ann.locator(".learn svg").first).to_be_visible()
    ann.get_by_role("button", name="Got it").click()
    expect(chosen).to_be_enabled()

    screen.goto(f"{table.base}/tv")
    screen.locator("#aim a").click()
    expect(screen.locator(".learn svg").first).to_be_visible()
    screen.locator("#back").click()
    expect(screen.locator("#board svg")).to_be_visible()


@pytest.mark.thorough
def test_a_phone_that_has_sealed_may_read_the_rules_meanwhile(table: ServedTable, phones: list[BrowserContext]) -> None:
    """It opens its seal from there, too."""
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    shows_sealed(ann)
    ann.locator("#help").click()
    expect(ann.locator(".learn svg").first).to_be_visible()
    seal(bob, "bD9")
    assert table.until("placing")["board"] == {"D2": ["w"], "D9": ["b"]}


@pytest.mark.thorough
def test_every_sheet_fits_a_narrow_phone_in_german(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640}, locale="de-DE")
    page = context.new_page()
    faults = faults_of(page)
    for name in TAUGHT:
        page.goto(f"{table.base}/how-to-play/{name}")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"So wird {GAMES[name].title} gespielt")
        all_drawn(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
    assert faults == []
    context.close()

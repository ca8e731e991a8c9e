"""Sheets and other dialogs are in the history: a phone's way back closes them, and leaves the page only after that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.table.subjects.seats import SeatTaken
from tests.deleted import LACKING
from tests.e2e.room import menu, shut
from tests.e2e.staged import house, scenes, show, staged
from tests.e2e.test_phones import table  # noqa: F401 - a fixture
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable, signed
from web_panel.access import SEAT_COOKIE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """Return a phone that is choosing, and came from another page."""
    for folder in ("house", "scenes"):
        (tmp_path / folder).mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, viewport={"width": 390, "height": 844})
        page.goto(f"{base}/how-to-play")
        page.goto(f"{base}/play")
        show(page, scenes(tmp_path / "scenes")["sealing"])
        yield page
        context.close()


@pytest.mark.thorough
def test_back_closes_a_sheet_and_then_leaves_the_page(page: Page) -> None:
    sheet = menu(page, "players")
    page.go_back()
    expect(sheet).to_be_hidden()
    assert page.url.endswith("/play")
    for _ in range(2):  # Closed in another way it leaves nothing behind, however often.
        menu(page)
        shut(page)
    menu(page).locator("#sheet-back").click()
    expect(sheet).to_be_hidden()
    page.wait_for_function("!history.state?.over")
    page.go_back()
    assert page.url.endswith("/how-to-play")


@pytest.mark.skipif("how_to_play" in LACKING, reason="a dialog over a sheet")
def test_back_closes_what_was_opened_last(page: Page) -> None:
    sheet = menu(page)
    sheet.locator("#how").click()
    help_ = page.locator("dialog.help")
    expect(help_).to_be_visible()
    page.go_back()
    expect(help_).to_have_count(0)
    expect(sheet).to_be_visible()
    page.go_back()
    expect(sheet).to_be_hidden()
    assert page.url.endswith("/play")


def test_what_is_chosen_beside_the_words_stands_in_them(page: Page, tmp_path: Path) -> None:
    field = menu(page, "moves").locator("#typed")
    page.locator("#next").click()
    first = field.input_value()
    assert first
    page.locator("#next").click()
    expect(field).not_to_have_value(first)
    second = field.input_value()
    field.press("Enter")
    expect(field).to_have_value(second)
    page.locator("#previous").click()
    expect(field).to_have_value(first)
    field.fill("w")  # What is being typed stays where the page is drawn again.
    show(page, scenes(tmp_path)["sealing"])
    expect(field).to_have_value("w")
    field.press("Enter")
    expect(page.locator("#seal")).to_contain_text(first)


def test_a_question_about_a_game_ends_with_it(page: Page, tmp_path: Path) -> None:
    view = scenes(tmp_path)["sealing"]
    menu(page, "resign")
    question = page.locator("#ask")
    expect(question).to_contain_text("Resign this game?")
    show(page, {**view, "seq": view["seq"] + 1, "turn": view["turn"] + 1})
    expect(question).to_be_visible()
    show(page, {**view, "seq": view["seq"] + 2, "game": {**view["game"], "id": "spokes-00000001"}})
    expect(question).to_be_hidden()


def test_the_host_is_not_asked_about_a_step_that_is_no_longer_the_last(browser: Browser, tmp_path: Path) -> None:
    for folder in ("house", "scenes"):
        (tmp_path / folder).mkdir()
    view = {**scenes(tmp_path / "scenes")["phalanx acting"], "host": True, "you": None, "cannot": {"take-back": ""}}
    log = [*view["log"], {"n": 90, "text": "one"}]
    with house(tmp_path / "house") as base:
        context, page = staged(browser, viewport={"width": 390, "height": 844})
        page.goto(f"{base}/host#{TOKEN}")
        show(page, {**view, "log": log})
        page.locator("#take-back").click()
        question = page.locator("#ask")
        expect(question).to_be_visible()
        show(page, {**view, "log": log, "seq": view["seq"] + 1})
        expect(question).to_be_visible()
        show(page, {**view, "log": [*log, {"n": 91, "text": "another"}], "seq": view["seq"] + 2})
        expect(question).to_be_hidden()
        context.close()


@pytest.mark.thorough
def test_a_page_that_is_loaded_again_has_no_sheet_left_in_its_history(page: Page) -> None:
    menu(page)
    page.reload()
    page.wait_for_function("!history.state?.over")
    page.go_back()
    assert page.url.endswith("/how-to-play")


@pytest.mark.thorough
def test_who_sits_moves_to_a_free_seat(table: ServedTable, phones: Sequence[BrowserContext]) -> None:  # noqa: F811
    table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=1, name="Ann", claim="claim 1"))
    phones[0].add_cookies([{"name": SEAT_COOKIE, "value": signed([1, "claim 1"]), "url": table.base}])
    page = phones[0].new_page()
    page.goto(f"{table.base}/")
    page.locator("#seat-2").click()
    page.get_by_role("button", name="Move here").click()
    expect(page.locator("#seat-2 .name")).to_have_text("Ann")
    expect(page.locator("#seat-1")).to_contain_text("free")
    assert [(seat["taken"], seat["name"]) for seat in table.view["seats"]][1] == (True, "Ann")

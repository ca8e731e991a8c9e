"""Company on phones: a sign that all see, what the host allows, and a draw on which all agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from firmware_host.table.subjects.company import CompanyChosen
from tests.analysers import ScriptedAnalyser
from tests.e2e.room import menu, shut
from tests.e2e.test_analysis import resolving
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, analyser=ScriptedAnalyser("wC2")) as served:
        yield served


def test_a_sign_is_seen_by_all_and_each_phone_may_keep_it_to_itself(
    table: ServedTable, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    ann, bob = resolving(table, phones)
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    screen.goto(f"{table.base}/tv")
    ann.set_viewport_size({"width": 320, "height": 640})
    sheet = menu(ann, "signs")
    assert sheet.locator(".sign-grid button").count() == 12
    for button in sheet.locator(".sign-grid button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    assert ann.evaluate("document.documentElement.scrollWidth") <= 320
    sheet.locator("#sign-wave").click()
    for page in (ann, bob, screen):
        expect(page.locator("#said")).to_contain_text("Ann waves.")
    bubble, board = (screen.locator(one).bounding_box() for one in ("#said p", "#board"))
    assert bubble is not None
    assert board is not None
    assert bubble["x"] >= board["x"] + board["width"], "on the big screen it hides nothing of the board"
    expect(screen.locator("#said p")).to_be_in_viewport(ratio=1)
    menu(bob, "signs").locator("#quiet").click()
    shut(bob)
    expect(bob.locator("#said p")).to_have_count(0)
    table.runtime.submit(CompanyChosen(at=table.runtime.now(), words=False, signs=False))
    expect(ann.locator("#said p")).to_have_count(0)
    expect(menu(ann, "signs").locator(".sign-grid")).to_have_count(0)
    expect(ann.locator("#sheet")).to_contain_text(sentence("The host has switched signs off."))


@pytest.mark.thorough
def test_a_draw_is_offered_and_accepted(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = resolving(table, phones)
    menu(ann, "propose-draw")
    expect(bob.locator("#proposal")).to_contain_text("Ann offers a draw.")
    bob.locator("#agree").click()
    table.until("over")
    for page in (ann, bob):
        expect(page.locator("body")).to_contain_text("A draw")

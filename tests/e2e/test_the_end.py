"""The end on phones and on the big screen: who stood how, and another game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.table.subjects.resolving import Resigned
from tests.analysers import ScriptedAnalyser
from tests.e2e.room import menu, shut
from tests.e2e.staged import show, staged
from tests.e2e.test_analysis import resolving
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("wC2")


@pytest.fixture
def table(tmp_path: Path, search: ScriptedAnalyser) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, analyser=search) as served:
        yield served


def how_it_went(table: ServedTable, phones: Sequence[BrowserContext], browser: Browser) -> tuple[Page, Page, Page]:
    """Let somebody resign in the first phase; return both phones, which tell how it went, and the big screen."""
    ann, bob = resolving(table, phones)
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    screen.goto(f"{table.base}/tv")
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=2))
    table.until("over")
    for page, words in ((ann, "You win"), (bob, "Ann wins")):
        expect(page.locator("#headline")).to_have_text(words)
        page.locator("#how-it-went").click()
    return ann, bob, screen


@pytest.mark.thorough
def test_the_end_tells_how_it_went_and_leads_to_another_game(
    table: ServedTable, search: ScriptedAnalyser, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    search.ready = True
    ann, bob, screen = how_it_went(table, phones, browser)
    for page in (ann, bob, screen):
        expect(page.locator(".series li")).to_have_text(
            [
                "Spokes: Ann 1, Bob 0.",
                "Best of 3, wins still needed: Ann 1, Bob 2.",
                "Best of 5, wins still needed: Ann 2, Bob 3.",
            ]
        )
    ann.set_viewport_size({"width": 320, "height": 640})
    assert ann.evaluate("document.documentElement.scrollWidth") <= 320
    game = table.view["game"]["id"]
    expect(ann.locator("#record")).to_have_attribute("href", f"/api/records/{game}.jsonl")
    shut(ann)
    expect(ann.get_by_role("link", name="Watch again")).to_have_attribute("href", f"/replay/{game}")
    expect(ann.get_by_role("link", name="Check seals")).to_have_attribute("href", "/proof")
    shut(bob)
    ann.locator("#how-it-went").click()
    expect(ann.locator("#sheet")).to_contain_text("How it went")
    bob.get_by_role("button", name="Play again").click()
    table.until("setup")
    expect(ann.locator("#sheet")).to_be_hidden()
    assert [seat["name"] for seat in table.view["seats"]] == ["Ann", "Bob"], "nobody begins in this game"
    assert table.view["game"]["id"] != game
    expect(ann.locator(".ended")).to_have_count(0)
    screen.context.close()


@pytest.mark.thorough
def test_a_game_that_begins_at_once_takes_its_phones_along(
    table: ServedTable, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    """It comes right behind its lobby, before a phone that leaves the table has arrived there."""
    ann, _ = resolving(table, phones)
    seated = ann.evaluate("fetch('/api/state').then((answer) => answer.json())")
    lobby = {**seated, "phase": "lobby", "seq": seated["seq"] + 1}
    begun = {**seated, "seq": seated["seq"] + 2, "game": {**seated["game"], "id": "spokes-00000001"}}
    context, page = staged(browser)
    page.goto(f"{table.base}/play")
    show(page, seated)
    page.evaluate("([one, other]) => { window.stage(one); window.stage(other); }", [lobby, begun])
    page.wait_for_url(f"{table.base}/")
    show(page, begun)
    page.wait_for_url(f"{table.base}/play")
    context.close()


def test_the_end_is_taken_back_by_phones(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = resolving(table, phones)
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=2))
    table.until("over")
    bob.set_viewport_size({"width": 360, "height": 740})
    expect(bob.locator("#headline")).to_have_text("Ann wins")
    more = menu(bob).locator("[data-card=more]")
    expect(more.get_by_role("button")).to_have_text([sentence("Ask to take back the")])
    assert bob.evaluate("document.documentElement.scrollWidth") <= 360
    more.get_by_role("button").click()
    expect(ann.locator("[data-card=proposal]")).to_contain_text("Bob proposes")
    expect(bob.locator("#decline")).to_have_text("Withdraw")
    expect(ann.locator("#decline")).to_have_text("No")
    expect(ann.locator(".result")).to_be_visible()
    ann.locator("#agree").click()
    table.until("resolving")
    for page in (ann, bob):
        expect(page.locator(".result")).to_have_count(0)

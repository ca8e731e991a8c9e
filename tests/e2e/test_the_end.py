"""The end on phones and on the big screen: who stood how, what was better, a picture to keep, and another game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from firmware_host.table import events as ev
from tests.analysers import ScriptedAnalyser
from tests.e2e.room import menu
from tests.e2e.test_analysis import resolving
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("wC2")


@pytest.fixture
def table(tmp_path: Path, search: ScriptedAnalyser) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, analyser=search) as served:
        yield served


@pytest.mark.thorough
def test_the_end_tells_how_it_went_and_leads_to_another_game(
    table: ServedTable, search: ScriptedAnalyser, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    search.ready = True
    ann, bob = resolving(table, phones)
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    screen.goto(f"{table.base}/tv")
    table.runtime.submit(ev.Resigned(at=table.runtime.now(), seat=2))
    table.until("over")
    for page in (ann, bob, screen):
        expect(page.locator(".review .curve")).to_be_visible()
        expect(page.locator(".turning-points")).to_contain_text("Better: White on C2.")
        expect(page.locator(".series li")).to_have_text(
            ["Spokes: Ann 1, Bob 0.", "Best of 3: Ann needs 1 more, Bob 2.", "Best of 5: Ann needs 2 more, Bob 3."]
        )
    expect(screen.locator(".review button")).to_have_count(0)
    wide = [ann.locator(part).evaluate("(one) => one.clientWidth") for part in (".review", ".turning-points")]
    assert wide[0] == wide[1], "the list is as wide as the card lets it be"
    ann.get_by_role("button", name="Show what was better").click()
    expect(ann.locator("#better")).to_contain_text("The board before.")
    ann.get_by_role("button", name="Step forward").click()
    expect(ann.locator("#better [role=status]")).to_contain_text("white on C2")
    ann.get_by_role("button", name="Close").click()
    ann.set_viewport_size({"width": 320, "height": 640})
    assert ann.evaluate("document.documentElement.scrollWidth") <= 320
    with ann.expect_download() as kept:
        ann.get_by_role("button", name="Save a picture").click()
    drawn = ElementTree.parse(kept.value.path()).getroot()
    words = " ".join(text for text in drawn.itertext())
    assert "Ann has won." in words
    assert drawn.find(".//{http://www.w3.org/2000/svg}polyline") is not None
    assert not [one for one in drawn.iter() if "href" in str(one.attrib) and "http" in str(one.attrib.values())]
    game = table.view["game"]["id"]
    expect(ann.get_by_role("link", name="Watch the replay")).to_have_attribute("href", f"/replay/{game}")
    expect(ann.get_by_role("link", name="Download the record")).to_have_attribute("href", f"/api/records/{game}.jsonl")
    bob.get_by_role("button", name="Again, with seats turned").click()
    table.until("lobby")
    assert [seat["name"] for seat in table.view["seats"]] == ["Bob", "Ann"]
    ann.wait_for_url(f"{table.base}/")
    screen.context.close()


def test_the_end_is_taken_back_by_phones(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = resolving(table, phones)
    table.runtime.submit(ev.Resigned(at=table.runtime.now(), seat=2))
    table.until("over")
    bob.set_viewport_size({"width": 360, "height": 740})
    expect(bob.locator(".result")).to_contain_text("Ann has won.")
    more = menu(bob).locator("[data-card=more]")
    expect(more.get_by_role("button")).to_have_text(["Ask to take back the last action"])
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

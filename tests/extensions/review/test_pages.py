"""The review on phones, on the big screen and on the page of a replay."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Route, expect

from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.extensions.review.extension import EXTENSION, show_reviews
from firmware_host.extensions.review.reviews import Reviews
from lodestone.evening import Evening
from tests.analysers import ScriptedAnalyser
from tests.e2e.staged import house, scenes, show, staged
from tests.e2e.test_replay_own import GAME, Library, Opener, library, open_page, opened
from tests.e2e.test_the_end import how_it_went, search, table
from tests.replay.played import recorded
from tests.web_panel.table import ServedTable

__all__ = ["library", "open_page", "search", "table"]

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.mark.thorough
def test_the_end_tells_what_was_better(
    table: ServedTable, search: ScriptedAnalyser, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    search.ready = True
    ann, bob, screen = how_it_went(table, phones, browser)
    for page in (ann, bob, screen):
        expect(page.locator(".review .curve")).to_be_visible()
        expect(page.locator(".turning-points")).to_contain_text("Better: White on C2.")
    expect(screen.locator(".review button")).to_have_count(0)
    expect(screen.locator("#result")).to_have_css("row-gap", screen.evaluate(
        "`${Number((0.6 * parseFloat(getComputedStyle(document.documentElement).fontSize)).toFixed(4))}px`"
    ))  # fmt: skip
    expect(screen.locator("#result > svg.curve")).to_have_count(0)
    ann.get_by_role("button", name="Show what was better").click()
    expect(ann.locator("#better")).to_contain_text("The board before.")
    ann.get_by_role("button", name="Step forward").click()
    expect(ann.locator("#better [role=status]")).to_contain_text("white on C2")
    ann.get_by_role("button", name="Close").click()
    ann.set_viewport_size({"width": 320, "height": 640})
    assert ann.evaluate("document.documentElement.scrollWidth") <= 320
    screen.set_viewport_size({"width": 1920, "height": 500})
    expect(screen.locator(".turning-points")).to_be_hidden()
    expect(screen.locator("#result .moment")).to_be_visible()
    screen.context.close()


def test_an_answer_that_says_nothing_new_is_not_drawn(browser: Browser, tmp_path: Path) -> None:
    view = scenes(tmp_path, "en")["phalanx over"]
    asked: list[int] = []

    def answer(route: Route) -> None:
        asked.append(min(len(asked), 3))
        drawn.append(page.evaluate("window.drawn"))
        route.fulfill(json={"game": view["game"]["id"], "state": "thinking", "done": asked[-1] // 3, "of": 5})

    drawn: list[int] = []
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, viewport={"width": 1280, "height": 720})
        page.goto(f"{base}/tv")
        page.evaluate(
            """() => {
              window.drawn = 0;
              const log = document.getElementById("log");
              new MutationObserver(() => { window.drawn += 1; }).observe(log, { childList: true });
            }"""
        )
        page.route("**/api/review", answer)
        show(page, view)
        expect(page.locator("#result")).to_contain_text("The review is being made: 1 of 5.")
        assert drawn[1:4] == [drawn[1]] * 3, "the second and the third answer are those of before"
        context.close()


@pytest.mark.thorough
def test_a_game_of_long_ago_is_reviewed_when_somebody_asks(library: Library, open_page: Opener) -> None:
    """The players' own search looks at it; the loop of a table lets it."""
    table, lines = Evening("spokes").table, recorded("coil", "a1", "pass", "g7", "b1", resigns=1)
    library.add(lines, GAME)
    expect(open_page(library.page(GAME)).locator("#review")).to_be_hidden()
    with closing(AnalysisProcess()) as analyser:
        reviews = Reviews(analyser)
        with opened({EXTENSION: show_reviews(reviews)}) as searching:
            searching.add(lines, GAME)
            page = open_page(searching.page(GAME))
            page.locator("#review summary").click()
            page.get_by_role("button", name="Review this game").click()
            expect(page.locator("#review")).to_contain_text("The review is being made: 0 of 4.")
            while reviews.of(GAME)["state"] != "ready":
                analyser.ask(reviews.questions(table))
                page.wait_for_timeout(20)
            expect(page.locator("#review .curve")).to_be_visible()
            better = page.locator("#review .turning-points button", has_text="Show what was better").first
            better.click()
            page.locator("#better-on").click()
            expect(page.locator("#better [role=status]")).not_to_have_text("The board before.")

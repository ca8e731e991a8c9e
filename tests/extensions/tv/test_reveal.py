"""The reveal on the big screen: it counts once all seals are open, and shows nothing of them before."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.staged import house, scenes, show, staged
from tests.e2e.test_reveal import around
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def counts(page: Page, moments: list[Any]) -> None:
    reveal, stone = page.locator("#reveal"), page.locator('[data-node="D12"] .stone')
    for moment in moments[:2]:
        show(page, moment)
        expect(reveal).to_be_hidden()
        expect(page.locator("#seats .wax")).to_have_count(4 if moment["phase"] == "revealing" else 0)
    show(page, moments[2])
    for left in (3, 2, 1):
        expect(reveal.locator(".counter b")).to_have_text(f"{left}")
        expect(stone).to_have_count(0)
        page.clock.run_for(900)
    expect(reveal).to_be_hidden()
    expect(stone).to_have_count(1)
    expect(page.locator('[data-node="D12"].planned')).to_have_count(1)


def test_the_big_screen_counts_and_then_shows(browser: Browser, tmp_path: Any) -> None:
    views = scenes(tmp_path)
    moments = around(views)
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, reduced_motion="no-preference")
        page.clock.install(time=0)
        page.goto(f"{base}/tv")
        page.clock.pause_at(60_000)
        counts(page, moments)
        show(page, moments[1])
        show(page, {**moments[0], "turn": 1})
        expect(page.locator("#reveal")).to_be_hidden()  # A void turn opens nothing.
        context.close()


@pytest.mark.thorough
def test_where_nothing_may_move_it_is_shown_at_once(browser: Browser, tmp_path: Any) -> None:
    views = scenes(tmp_path)
    moments = around(views)
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, reduced_motion="reduce")
        page.goto(f"{base}/tv")
        for moment in moments:
            show(page, moment)
        expect(page.locator('[data-node="D12"] .stone')).to_have_count(1)
        expect(page.locator("#reveal")).to_be_hidden()
        the_curve_of_the_score(page, moments[2], views["over"])
        context.close()


def the_curve_of_the_score(page: Page, view: Any, over: Any) -> None:
    lines = [{**line, "score": 3 - at} for at, line in enumerate(over["result"]["lines"][:2])]
    course = [{"turn": turn, "scores": scores} for turn, scores in enumerate(([0, 0], [1, 2], [3, 2]), 1)]
    result = {**over["result"], "lines": lines, "course": course}
    show(page, {**over, "you": None, "turn": view["turn"] + 2, "result": result})
    expect(page.locator("#result .course")).to_have_count(2)
    expect(page.get_by_role("img", name=sentence("How the score went, turn"))).to_be_visible()

"""The reveal on the big screen and on phones: they count once all seals are open, and show nothing of them before."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.staged import house, scenes, show, staged
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def around(views: Any) -> list[Any]:
    """Return the moments of one turn: sealing, all sealed, all open."""
    opened = {**views["placing"], "you": None}
    closed = {
        **views["sealing"],
        "you": None,
        "seats": [{**seat, "sealed": True} for seat in views["sealing"]["seats"]],
    }
    return [{**closed, "seats": views["sealing"]["seats"]}, {**closed, "phase": "revealing"}, opened]


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
def test_a_phone_counts_with_it_and_nobody_has_to_wait(browser: Browser, tmp_path: Any) -> None:
    views = scenes(tmp_path)
    sealed = {**around(views)[1], "you": views["sealing"]["you"]}
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, reduced_motion="no-preference")
        page.clock.install(time=0)
        page.goto(f"{base}/play")
        page.clock.pause_at(60_000)
        count, stone = page.locator("#count"), page.locator('[data-node="D12"] .stone')
        for ends in ("by itself", "by a tap", "by what happens"):
            show(page, sealed)
            expect(count, ends).to_be_hidden()
            show(page, views["placing"])
            expect(count.locator(".counter b"), ends).to_have_text("3")
            expect(stone, ends).to_have_count(0)
            if ends == "by itself":
                page.clock.run_for(2700)
            elif ends == "by a tap":
                page.locator("#headline").click()
            else:
                show(page, {**views["placing"], "paused": True})
            expect(count, ends).to_be_hidden()
            expect(stone, ends).to_have_count(1)
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

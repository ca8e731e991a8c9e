"""What a page shows later is styled when it comes: no sheet is fetched at that moment; one that failed comes later."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.staged import Scenes, show, staged
from tests.sampling import together

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SHEETS = "[...document.styleSheets].map((one) => one.href.split('/static/')[1])"


@together("size", [(360, 740), (1280, 800)])
def test_the_end_needs_no_further_sheet(browser: Browser, base: str, views: Scenes, size: tuple[int, int]) -> None:
    context, page = staged(browser, viewport={"width": size[0], "height": size[1]})
    page.goto(f"{base}/play")
    show(page, views["phalanx acting"])
    expect(page.locator("#headline")).not_to_have_text("At the table")
    context.route("**/*.css", lambda route: route.abort())
    show(page, views["phalanx over"])
    crown = page.locator(".crown").bounding_box()
    assert crown is not None
    assert (crown["width"], crown["height"]) == (80, 48)
    assert page.locator("#head").evaluate("(head) => head.scrollHeight - head.clientHeight") <= 1
    assert page.locator(".three").evaluate("(one) => getComputedStyle(one).display") == "grid"
    context.close()


def test_a_crown_without_its_sheet_is_no_larger(browser: Browser, base: str, views: Scenes) -> None:
    context, page = staged(browser, viewport={"width": 360, "height": 740})
    context.route("**/end.css", lambda route: route.abort())
    page.goto(f"{base}/play")
    show(page, views["phalanx over"])
    crown = page.locator(".crown").bounding_box()
    assert crown is not None
    assert (crown["width"], crown["height"]) == (80, 48)
    context.close()


def test_a_lesson_is_styled_before_it_begins(browser: Browser, base: str) -> None:
    context, page = staged(browser)
    page.goto(f"{base}/play")
    assert "learn/lesson.css" in page.evaluate(SHEETS)
    context.close()


def test_a_sheet_that_did_not_come_is_asked_for_again(browser: Browser, base: str, views: Scenes) -> None:
    """And one that the page has is not asked for."""
    context, page = staged(browser)
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.url)
        route.abort() if len(asked) == 1 else route.continue_()

    context.route("**/players.css", answer)
    page.goto(f"{base}/play")
    while len(asked) < 2:
        show(page, views["phalanx waiting"])
    page.wait_for_function("[...document.styleSheets].some((one) => one.href.endsWith('/players.css'))")
    show(page, views["phalanx over"])
    expect(page.locator(".crown")).to_be_visible()
    sheets = page.evaluate("[...document.querySelectorAll('link[rel=stylesheet]')].map((one) => one.href)")
    assert len(sheets) == len(set(sheets))
    assert len(asked) == 2
    context.close()

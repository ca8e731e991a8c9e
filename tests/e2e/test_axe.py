"""Every page in every moment that looks different, judged by axe: light and dark, on a phone and on a desktop."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.deleted import LACKING
from tests.e2e.chromium import DRAWN
from tests.e2e.room import menu, shut
from tests.e2e.staged import PAGES, Scenes, show, staged
from tests.sampling import cases, some

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

PHONE = {"viewport": {"width": 360, "height": 740}, "color_scheme": "light"}
DESKTOP = {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"}
OPTIONS = {"resultTypes": ["violations"], "rules": {"meta-viewport": {"enabled": True}}}


STILL = """async () => {
  const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime));
  await Promise.allSettled(ending.map((one) => one.finished));
}"""
"""Waits until a page stands still: a crown that falls into its place makes room for itself on the way."""


class Judge:
    """Gathers what axe finds, so that a test tells all of it at once."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.found: list[str] = []
        self.looked = 0

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.evaluate(Axe().axe_script)

    def judge(self, moment: str, *, drawing: bool = True) -> None:
        """Look at the page; without the ``drawing`` of the board where just that has been looked at."""
        self.page.evaluate(STILL)
        self.page.evaluate(DRAWN)
        where = {"exclude": [] if drawing else [["#board"]]}
        answer = self.page.evaluate("([where, options]) => axe.run(where, options)", [where, OPTIONS])
        self.looked += 1
        assert answer["passes"], "axe has seen nothing"
        for broken in answer["violations"]:
            for node in broken["nodes"]:
                self.found.append(f"{moment}: {broken['id']}: {node['html'][:160]} {node['failureSummary'][:300]}")


@pytest.mark.parametrize("how", cases([PHONE, DESKTOP], PHONE), ids=["phone, light", "desktop, dark"])
def test_no_moment_of_play_has_a_barrier(browser: Browser, base: str, views: Scenes, how: Any) -> None:
    context, page = staged(browser, **how)
    judge = Judge(page)
    judge.open(f"{base}/play")
    drawings: set[tuple[str, int]] = set()
    moments = some(((name, view) for name, view in views.items() if view["phase"] != "lobby"), 8)
    for name, view in moments:
        show(page, view)
        drawn = page.locator("#board svg").first.get_attribute("class") or "", len(view["layout"]["nodes"])
        judge.judge(name, drawing=drawn not in drawings)
        drawings.add(drawn)
    assert judge.found == []
    assert judge.looked == len(moments)
    context.close()


@pytest.mark.thorough
def test_no_sheet_of_the_menu_has_a_barrier(browser: Browser, base: str, views: Scenes) -> None:
    context, page = staged(browser, **PHONE)
    judge = Judge(page)
    judge.open(f"{base}/play")
    for name in ("sealing", "phalanx acting", "octiles acting"):
        show(page, {**views[name], "host": True})
        sound = ["sound-line"] if "audio" not in LACKING else []
        for line in ("", "moves", "happened", "legend", "players", *sound, "seats-tile"):
            menu(page, line)
            judge.judge(f"{name}: {line}", drawing=False)
            shut(page)
    assert judge.found == []
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("how", cases([PHONE, DESKTOP], PHONE), ids=["phone, dark", "desktop, light"])
def test_no_page_has_a_barrier(browser: Browser, base: str, views: Scenes, how: Any) -> None:
    scheme = "dark" if how is PHONE else "light"
    context, page = staged(browser, **{**how, "color_scheme": scheme})
    judge = Judge(page)
    judge.open(f"{base}/")
    for name in some(("lobby empty", "lobby full", "lobby asked")):
        show(page, views[name])
        judge.judge(name)
    judge.open(f"{base}/tv")
    for name in some(("lobby empty", "lobby full", "sealing", "problem", "octiles acting", "over", "coil masked")):
        show(page, {**views[name], "you": None})
        judge.judge(f"tv: {name}")
    context.close()
    context = browser.new_context(**{**how, "color_scheme": scheme})
    page = judge.page = context.new_page()
    for path, sign in some(PAGES.items(), 6):
        judge.open(base + path)
        page.locator(sign).first.wait_for()
        judge.judge(path)
    context.close()
    assert judge.found == []

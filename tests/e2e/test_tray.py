"""The tray of a phone's game: it covers no more of the board than people let it, and says what they are to know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.room import begin_lesson
from tests.e2e.staged import Scenes, scenes, show, staged
from tests.sampling import few
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

REACHES = """() => document.querySelector("#board svg").getBoundingClientRect().bottom
  - document.querySelector(".tray").getBoundingClientRect().top"""
"""How far the tray reaches over the board, px."""
LIST = [{"action": f"w{node}", "words": f"White on {node}", "leads": "It holds the middle against all that may come."}
        for node in ("D1", "D5", "C7", "B2", "C1")]  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return scenes(tmp_path_factory.mktemp("scenes"), "en")


@pytest.fixture
def page(browser: Browser, base: str) -> Iterator[Page]:
    context, page = staged(browser, locale="en", viewport={"width": 390, "height": 664})
    page.goto(f"{base}/play")
    yield page
    context.close()


def hinted(page: Page, view: Any, **more: Any) -> None:
    """Show a view in which this phone may have hints, and let the table answer with a long one."""
    hint = {"level": 1, "words": "Look at the lit stones.", "nodes": [], "ways": [], "puts": [], "drawn": True,
            "choices": LIST, **more}  # fmt: skip

    def answer(route: Any) -> None:
        level = json.loads(route.request.post_data)["level"]
        route.fulfill(json={"hint": {**hint, "level": level, "choices": LIST if level > 1 else []}})

    page.route("**/api/hint", answer)
    mine = view["you"]["seat"]
    show(page, {**view, "seats": [{**seat, "hints": seat["seat"] == mine} for seat in view["seats"]]})


def test_a_tray_that_covers_the_board_is_put_down(page: Page, told: Scenes) -> None:
    hinted(page, told["phalanx acting"])
    grip = page.locator("#grip")
    expect(grip).to_be_hidden()
    page.locator("#hint").click()
    page.locator("#hint").click()
    expect(page.locator(".hint-list li")).to_have_count(len(LIST))
    assert page.evaluate(REACHES) > 40
    grip.click()
    assert page.evaluate(REACHES) <= 12
    expect(grip).to_have_attribute("aria-expanded", "false")
    page.locator("#hint-close").scroll_into_view_if_needed()
    page.locator("#hint-close").click()
    expect(page.locator(".hint-list")).to_have_count(0)
    expect(grip).to_be_hidden()


def test_a_grip_does_not_come_and_go(page: Page, told: Scenes) -> None:
    """With its grip a tray is higher: it must not hide it again for that."""
    states = """() => new Promise((done) => { const found = new Set();
      let left = 30; const look = () => { found.add(document.querySelector("#grip").hidden);
        left -= 1; if (left) requestAnimationFrame(look); else done(found.size); };
      setTimeout(look, 100); })"""
    for name in ("held", "octiles of 3 waiting", "watching", "partners placing"):
        show(page, {**told[name], "host": True})
        expect(page.locator("#grip")).to_be_visible()
        assert page.evaluate(states) == 1, name


def test_a_tray_stays_down_until_somebody_wants_it_up(page: Page, told: Scenes) -> None:
    hinted(page, told["phalanx acting"])
    for _ in range(2):
        page.locator("#hint").click()
    page.locator("#grip").click()
    page.locator("#hint").scroll_into_view_if_needed()
    page.locator("#hint").click()
    expect(page.locator("#hint-play")).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".hint-list li")).to_have_count(1)  # The others have been told.
    assert page.evaluate(REACHES) <= 12


def test_what_a_hint_has_proposed_and_is_chosen_is_told_no_more(page: Page, told: Scenes) -> None:
    view = told["phalanx acting"]
    hinted(page, view)
    page.locator("#hint").click()
    page.locator("#hint").click()
    expect(page.locator(".hint-list")).to_be_visible()
    seats = [{**seat, "hints": True} for seat in view["seats"]]
    show(page, {**view, "seats": seats, "wanted": LIST[0]["action"]})
    expect(page.locator(".hint-list")).to_have_count(0)


def test_three_and_four_stand_in_two_columns(page: Page, told: Scenes) -> None:
    for name in ("octiles of 3 waiting", "octiles of 4 waiting", "watching"):
        show(page, told[name])
        # It was measured at once, and red by chance beside other tests: not before the first two stand in one row.
        page.wait_for_function("""() => {
          const tops = [...document.querySelectorAll("#seats > li")].map((one) => one.getBoundingClientRect().top);
          return tops[0] === tops[1];
        }""")
        tops = page.locator("#seats > li").evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
        assert tops[0] == tops[1] < tops[2], name
        assert page.evaluate(REACHES) <= 60, name


def test_stones_are_down_once_they_lie_not_while_the_board_is_mended(page: Page, told: Scenes) -> None:
    placing = told["placing"]
    show(page, placing)
    open_ones = page.locator(".todo li:not(.done)").count()
    assert open_ones > 0
    fault = {"kind": "node", "text": "The stone on D1 is black.", "fault": True, "nodes": ["D1"]}
    show(page, {**placing, "problem": {**(placing["problem"] or {}), **fault}, "tasks": []})
    expect(page.locator("#headline")).to_have_text("Put the board right")
    assert page.locator(".todo li:not(.done)").count() == open_ones


def test_the_host_goes_on_after_a_pause(page: Page, told: Scenes) -> None:
    show(page, {**told["held"], "host": True})
    expect(page.locator("#go-on")).to_be_visible()
    show(page, {**told["held"], "host": False})
    expect(page.locator("#go-on")).to_have_count(0)


def test_who_was_declined_is_told(page: Page, told: Scenes) -> None:
    view = told["coil acting"]
    declined = [{"what": "take-back", "about": None}]
    show(
        page, {**view, "seats": [{**seat, "declined": declined if seat["seat"] == 1 else []} for seat in view["seats"]]}
    )
    expect(page.locator('[data-card="declined"]')).to_be_visible()


def test_a_question_goes_with_its_turn(page: Page, told: Scenes) -> None:
    show(page, told["coil acting"])
    page.locator("#step-pass").click()
    expect(page.locator("#ask")).to_be_visible()
    show(page, told["coil waiting"])
    expect(page.locator("#ask")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), few([(390, 664), (320, 640)], 1))
def test_a_lesson_begins_beside_a_whole_board(browser: Browser, tmp_path: Path, width: int, height: int) -> None:
    with ServedTable.opened(tmp_path, board="go-9x9") as table:
        context = browser.new_context(viewport={"width": width, "height": height})
        page = context.new_page()
        begin_lesson(page, table.base, "02-move")
        expect(page.locator("#lesson-show")).to_be_in_viewport(ratio=1)
        assert page.evaluate(REACHES) <= 12
        page.locator("#lesson-show").click()
        expect(page.locator("#lesson-hint")).to_be_visible()
        assert page.evaluate(REACHES) <= 12
        context.close()

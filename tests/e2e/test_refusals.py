"""What a page can't do it says, with the reason, and no longer than the reason stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from firmware_host.table.subjects.proposals import GamePaused, GameResumed
from firmware_host.text.words import capital
from tests.e2e.program import eventually
from tests.e2e.room import menu, shut, tap
from tests.e2e.staged import house, show, staged
from tests.e2e.test_phones import start
from tests.e2e.test_phones import table as table  # noqa: PLC0414 - the fixture
from tests.e2e.test_picking import square as square  # noqa: PLC0414
from tests.e2e.test_picking import start as start_acting
from tests.e2e.test_whole_game import seal
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def why(page: Page, words: str) -> None:
    """See what is said below the drawing."""
    expect(page.locator("#why")).to_have_text(words)


# -- a refusal and its reason ------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_refusal_goes_with_the_state_that_it_belongs_to(
    table: ServedTable, phones: Sequence[BrowserContext], browser: Browser, tmp_path: Path
) -> None:
    """A page is led through views: a refusal stays while nothing that matters changes, and no longer."""
    ann, _ = start(table, phones)
    view: Mapping[str, Any] = ann.evaluate("fetch('/api/state').then((answer) => answer.json())")
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser)
        page.goto(f"{base}/play")
        show(page, view)
        page.locator("#colour-w").click()
        page.locator('[data-node="D2"]').click()
        page.locator("#seal").click()
        refusal = page.locator("#error")
        expect(refusal).to_have_text(sentence("this phone has no seat"))
        for same in ({"seq": 1000}, {"log": [{"n": 1, "text": "Bob seals."}]}, {"notices": ["The lights are lost."]}):
            show(page, {**view, **same})
            expect(refusal).to_be_visible()
        show(page, {**view, "paused": True, "message": sentence("The host has paused the game.")})
        expect(refusal).to_be_hidden()
        context.close()


@pytest.mark.thorough
def test_what_was_refused_while_the_host_paused_is_gone_when_play_goes_on(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    ann, _ = start(table, phones)

    def hold_first(route: Route) -> None:
        table.runtime.submit(GamePaused(at=table.runtime.now()))
        route.continue_()

    ann.route("**/api/seal", hold_first)
    ann.locator("#colour-w").click()
    ann.locator('[data-node="D2"]').click()
    with ann.expect_response("**/api/seal") as answer:
        ann.locator("#seal").click()
    assert answer.value.json()["error"]["code"] == "paused"
    sealing = ann.locator("#seal")
    expect(sealing).to_be_disabled()
    expect(sealing).to_contain_text(sentence("The host has paused the game."))
    table.runtime.submit(GameResumed(at=table.runtime.now()))
    expect(sealing).to_be_enabled()
    expect(ann.locator("#error")).to_be_hidden()
    ann.unroute("**/api/seal")
    sealing.click()
    expect(ann.get_by_role("heading", name="Sealed")).to_be_visible()


@pytest.mark.thorough
def test_that_the_table_could_not_be_reached_goes_when_it_answers(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    ann, _ = start(table, phones)
    ann.route("**/api/resign", lambda route: route.abort())
    menu(ann, "resign")
    ann.locator('#ask [value="yes"]').click()
    expect(ann.locator("#error")).to_contain_text("The table can't be reached.")
    ann.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # The phone wakes up.
    expect(ann.locator("#error")).to_be_hidden()


# -- grey buttons ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_after_a_refusal_the_button_is_grey_and_says_why(square: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start_acting(square, phones)
    square.hand.carry("G3", "J3")
    eventually(lambda: square.view["can"]["take-back"], "something can be taken back")
    menu(ann, "propose-take-back")
    bob.locator("#decline").click()
    expect(ann.locator('#proposal [data-card="declined"]')).to_be_visible()
    ask = menu(ann).locator("#propose-take-back")
    expect(ask).to_be_disabled()
    expect(ask).to_contain_text(sentence("Just declined. You can ask"))


# -- taps that mean nothing --------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_tap_on_what_is_not_placed_on_says_why(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start(table, phones)
    sent: list[str] = []
    ann.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    ann.locator('[data-node="5"]').click(force=True)
    why(ann, f"{sentence('is a home: new', node=5)}.")
    ann.locator('[data-node="D2"]').click()
    expect(ann.locator("#why")).to_have_count(0)
    typed = menu(ann, "moves").locator("#typed")
    for text, words in (
        ("w5", f"{sentence('is a home: new', node=5)}."),
        ("nonsense", f"{capital(sentence('type a colour and a', example='wD16'))}."),
    ):
        typed.fill(text)
        typed.press("Enter")
        expect(ann.locator("#sheet [role=alert]")).to_have_text(words)
        expect(typed).to_have_value("D2")
    shut(ann)
    assert sent == [], "what a finger shows in secret is asked nobody"
    seal(ann, "wD2")


@pytest.mark.thorough
def test_a_tap_against_the_rules_says_which(square: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start_acting(square, phones)

    tap(ann, "B8")
    why(ann, "The hoplite on B8 is White's.")
    tap(ann, "E5")
    why(ann, f"{capital(sentence('it would stand alone: no', node='E5'))}.")
    tap(ann, "G3")
    expect(ann.locator("#why")).to_have_count(0)
    tap(ann, "E5")
    why(ann, f"{capital(sentence('it would stand alone, next', node='E5'))}.")
    tap(ann, "A9")
    why(ann, f"{sentence('is a goal: nobody goes', node='A9')}.")
    expect(ann.locator(".aim")).to_have_count(6)  # What was begun is not lost.
    ann.get_by_role("button", name="Clear").click()
    expect(ann.locator("#why")).to_have_count(0)
    tap(ann, "A9")
    square.hand.carry("H2", "F3")
    expect(ann.locator("#why")).to_have_count(0)
    expect(bob.locator("#why")).to_have_count(0)


@pytest.fixture
def race(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, board="octiles-53") as served:
        yield served


@pytest.mark.thorough
def test_a_tile_that_can_not_lie_so_says_why(race: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start_acting(race, phones)
    tile = race.view["supply"]["piece"]
    tap(ann, "A1")
    why(ann, f"{capital(sentence('is laid first, then a', tile=tile))}.")
    steps = {step["action"] for step in race.view["steps"]}
    well = next(well for well in race.view["layout"]["wells"] if 0 < sum(s.startswith(well) for s in steps) < 8)
    ann.locator(f'[data-node="{well}"]').click()
    strip = ann.locator(".strip")
    for _ in range(8):
        turned = strip.get_attribute("data-turn")
        if f"{well}r{turned}" not in steps:
            break
        ann.locator("#turn-on").click()
        expect(strip).not_to_have_attribute("data-turn", str(turned))
    expect(strip.locator(".hint")).to_contain_text(f"across {well}")
    lay = ann.locator("#lay")
    expect(lay).to_be_disabled()
    expect(lay).to_have_attribute("title", "not possible like this")


# -- sensors -----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_only_the_acting_player_is_asked_about_sensors(square: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start_acting(square, phones)
    square.hand.lift("B8")
    expect(bob.locator("#problem")).to_contain_text("Put the hoplite back on B8")
    expect(ann.locator('[data-card="sensor"]')).to_be_visible()
    expect(ann.locator('[data-card="sensor"]')).not_to_have_attribute("open", "")
    expect(bob.locator('[data-card="sensor"]')).to_have_count(0)

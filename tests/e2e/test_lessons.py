"""A lesson by one phone, in a browser: from the lobby to the mark that it is done, with a seal of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from firmware_host.games.lessons import lessons_of
from firmware_host.games.registry import GAMES
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from tests.analysers import ScriptedAnalyser
from tests.e2e.program import eventually
from tests.e2e.room import begin_lesson, choose, faults_of, types
from tests.sentences import sentence
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("wD12")


@pytest.fixture
def table(tmp_path: Path, search: ScriptedAnalyser) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, analyser=search) as served:
        yield served


def test_a_phone_alone_learns_to_seal(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640}, reduced_motion="reduce")
    page = context.new_page()
    faults = faults_of(page)
    begin_lesson(page, table.base, "06-sealing")
    expect(page.locator("#steps")).to_contain_text("Lesson 6 of 8")
    expect(page.locator("#headline")).to_have_text("Seal white on D3")
    expect(page.locator("#message")).to_contain_text("Each turn begins in secret")
    for colour, said in (("b", "Choose white."), ("w", "nobody could look first")):
        page.locator(f"#colour-{colour}").click()
        types(page, f"{colour}D3")
        page.locator("#seal").click()
        expect(page.locator("#message")).to_contain_text(said)
    expect(page.locator("#headline")).to_have_text("Put down, then resolve")  # The next task beside what was right.
    assert (table.view["phase"], table.view["lesson"]) == ("lobby", None), "what is promised private stays so"
    page.locator("#lesson-show").click()
    expect(page.locator("#lesson-hint")).to_have_text("This is one way: C2 pushes D3 to 3.")
    choose(page, "C2-D3-3")
    expect(page.locator("#message")).to_contain_text("That was a whole turn")
    expect(page.locator("#lesson-following")).to_have_text("Next lesson")
    page.locator("#lesson-following").click()
    expect(page.locator("#steps")).to_contain_text("Lesson 7 of 8")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320, "nothing is cut off on a narrow phone"
    page.locator("#lesson-stop").click()
    page.locator("#learn-open").click()
    page.get_by_text("All 8 lessons").click()
    expect(page.locator("#lesson-06-sealing")).to_contain_text("✓ done")
    assert not faults
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("locale", ["fr-FR", "pl-PL", "de-DE"])
def test_the_words_of_a_lesson_are_never_cut(table: ServedTable, browser: Browser, locale: str) -> None:
    """Each lesson's task, in languages that need many words: none of it lies behind the board."""
    cut = {}
    for lesson in lessons_of(GAMES["spokes"]):
        context = browser.new_context(viewport={"width": 360, "height": 740}, locale=locale)
        page = context.new_page()
        begin_lesson(page, table.base, lesson.name)
        expect(page.locator("#message")).not_to_be_empty()
        expect(page.locator("#lesson-stop")).to_be_visible()
        page.wait_for_function("[...document.styleSheets].some((one) => one.href?.endsWith('/lesson.css'))")
        cut[lesson.name] = page.locator(".head").evaluate("(one) => one.scrollHeight - one.clientHeight")
        context.close()
    assert len(cut) > 5
    assert {name: by for name, by in cut.items() if by > 1} == {}


@pytest.mark.thorough
def test_a_first_game_is_played_with_hints_on(table: ServedTable, search: ScriptedAnalyser, browser: Browser) -> None:
    """Offered where none has been played: this phone is told at each turn what can be done, until it wants no more."""
    table.host.has_played = lambda game: False  # type: ignore[method-assign]
    search.ready = True
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    faults = faults_of(page)
    page.goto(table.base)
    page.locator("#learn-open").click()
    expect(page.locator("#sheet")).to_contain_text("Start with the first lesson")
    page.locator("#first-game").click()
    expect(page.locator("#stand-up")).to_be_visible()
    expect(page).to_have_url(f"{table.base}/")
    page.locator("#learn-open").click()
    expect(page.locator("#guided")).to_be_visible()
    table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=2, name="Bob", claim="bob"))
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    page.wait_for_url("**/play")
    told = page.locator('[data-card="hint"]')
    expect(told.locator("li").first).to_contain_text("D12")
    told.locator("#guided-off").click()
    expect(told.locator("#guided-off")).to_have_count(0)
    page.reload()
    expect(page.locator("#hint")).to_have_attribute("aria-label", "Give me a hint")
    assert not faults
    context.close()


@pytest.mark.thorough
def test_the_host_stops_a_guests_lesson_for_longer_than_a_tap(table: ServedTable, browser: Browser) -> None:
    size = {"width": 360, "height": 740}
    context, other = browser.new_context(viewport=size), browser.new_context(viewport=size)
    guest, host = context.new_page(), other.new_page()
    guest.goto(table.base)
    guest.locator("#learn-open").click()
    guest.locator("#learn").click()
    guest.wait_for_url("**/play")
    host.goto(f"{table.base}/host#{TOKEN}")
    expect(host.locator("[data-card=now]")).to_contain_text(sentence("only you begin lessons and puzzles here"))
    host.locator("#stop-lesson").click()
    expect(host.locator("#allow-lessons")).to_be_visible()
    assert host.evaluate("document.documentElement.scrollWidth") <= 360
    guest.wait_for_url(f"{table.base}/")
    guest.locator("#learn-open").click()
    guest.locator("#learn").click()
    expect(guest.locator("#error")).to_contain_text("only the host begins one")
    assert table.view["lesson"] is None
    host.locator("#allow-lessons").click()
    expect(host.locator("#allow-lessons")).to_have_count(0)
    guest.locator("#learn-open").click()
    guest.locator("#learn").click()
    guest.wait_for_url("**/play")
    eventually(lambda: table.view["lesson"] is not None, "the lesson has begun")
    context.close()
    other.close()


@pytest.mark.thorough
def test_who_learns_alone_is_called_when_the_game_begins(table: ServedTable, browser: Browser) -> None:
    """From the lobby into a lesson on this phone; the others start; one tap, and this phone is in the game."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    faults = faults_of(page)
    page.goto(table.base)
    page.locator("#sit").click()
    page.get_by_label("name").fill("Ann")
    page.keyboard.press("Enter")
    expect(page.locator("#stand-up")).to_be_visible()
    page.locator("#learn-open").click()
    page.locator("#learn-phone").check()
    page.locator("#learn").click()
    page.wait_for_url("**/play?alone=1")
    expect(page.locator("#steps")).to_contain_text("Lesson 1 of 8")
    words, board = page.locator("#message").bounding_box(), page.locator("#board svg").bounding_box()
    assert words is not None and board is not None  # noqa: PT018
    assert words["y"] + words["height"] <= board["y"] + 2, "the board covers none of the task's words"
    table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=2, name="Bob", claim="bob"))
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    expect(page.locator("[data-card=called]")).to_contain_text(sentence("The game at the table has begun"))
    choose(page, "C2-D3-3")
    expect(page.locator("#headline")).to_have_text("Right!")
    page.locator("#to-the-game").click()
    page.wait_for_url(f"{table.base}/play")
    expect(page.locator("#who")).to_contain_text("Ann")
    eventually(lambda: table.view["phase"] == "sealing", "the game goes on where it was")
    assert not faults
    context.close()


@pytest.mark.thorough
def test_a_watcher_learns_beside_a_game(table: ServedTable, browser: Browser) -> None:
    for seat, name in ((1, "Ann"), (2, "Bob")):
        table.runtime.submit(SeatTaken(at=table.runtime.now(), seat=seat, name=name, claim=name))
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(table.base)
    page.locator("#learn-open").click()
    expect(page.locator("#sheet")).to_contain_text(sentence("lessons are on this phone"))
    page.locator("#learn").click()
    page.wait_for_url("**/play?alone=1")
    expect(page.locator("#steps")).to_contain_text("Lesson 1 of 8")
    assert table.view["lesson"] is None
    context.close()

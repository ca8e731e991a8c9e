"""Phones and the big screen while a search looks ahead: how it ends, hints on demand, and all may call a loop."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.games.game import Analysis
from firmware_host.games.registry import game
from firmware_host.table.subjects.resolving import AnalysisFound
from firmware_host.text.words import say
from tests.analysers import ScriptedAnalyser
from tests.analysis.test_engine_process import is_alive
from tests.e2e.program import Program, eventually
from tests.e2e.room import menu, shut
from tests.e2e.test_phones import start
from tests.e2e.test_whole_game import put_down, seal, sit_down
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

WAY = Analysis(True, False, way=("D12-D13-D14",), end="rest", cells="x")


@pytest.fixture
def search() -> ScriptedAnalyser:
    return ScriptedAnalyser("D12-D13-D14")


@pytest.fixture
def table(tmp_path: Path, search: ScriptedAnalyser) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, analyser=search) as served:
        yield served


def resolving(table: ServedTable, phones: Sequence[BrowserContext]) -> tuple[Page, Page]:
    """Two white stones lie side by side, and Ann resolves."""
    ann, bob = start(table, phones)
    seal(ann, "wD12")
    seal(bob, "wD13")
    table.until("placing")
    table.put("wD12", "wD13")
    table.until("resolving")
    return ann, bob


def search_says(table: ServedTable, known: Analysis, seconds: float = 0.3) -> None:
    here = table.runtime._table
    assert here is not None
    position = game("spokes").text(here.ledger.now.position)
    table.runtime.submit(AnalysisFound(at=table.runtime.now(), position=position, analysis=known, seconds=seconds))


def test_a_hint_is_asked_for_and_shown_tap_by_tap(
    table: ServedTable, search: ScriptedAnalyser, phones: Sequence[BrowserContext], browser: Browser
) -> None:
    search.ready, search.second_best, search.reasons = True, None, (say("It brings a stone home."),)
    ann, bob = resolving(table, phones)
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    screen.goto(f"{table.base}/tv")
    search_says(table, WAY)
    for page in (ann, bob):
        expect(page.locator(".outlook")).to_contain_text(sentence("The stones can come to rest."))
    expect(screen.locator("#outlook")).to_have_text(sentence("The stones can come to rest."))
    expect(menu(ann, "legend").locator("#lights li", has_text="this way")).to_have_count(0)
    shut(ann)
    expect(bob.locator("#hint")).to_have_count(0)
    ann.get_by_role("button", name="Give me a hint").click()
    expect(ann.locator("[data-card=hint]")).to_contain_text("Look at the stone on D13.")
    expect(ann.locator(".node.hinted")).to_have_attribute("data-node", "D13")
    expect(menu(bob, "happened").locator("#log")).to_contain_text("Ann asks for a hint.")
    shut(bob)
    ann.get_by_role("button", name="Tell me what to do").click()
    expect(ann.locator("[data-card=hint] li")).to_contain_text("It brings a stone home.")
    expect(bob.locator(".node.hinted")).to_have_count(0)
    assert "best" not in {light["meaning"] for light in table.view["lights"].values()}
    ann.set_viewport_size({"width": 320, "height": 640})
    assert ann.evaluate("document.documentElement.scrollWidth") <= 320
    ann.get_by_role("button", name="Show it on the board here").click()
    expect(ann.locator(".arrow.asked")).to_have_attribute("data-way", "D13 D14")
    expect(bob.locator(".arrow.asked")).to_have_count(0)
    assert (table.view["wanted"], table.view["tasks"]) == (None, []), "it is shown, not done"
    ann.get_by_role("button", name="Play it").click()
    for page in (ann, bob):
        expect(page.locator(".arrow.asked")).to_have_attribute("data-way", "D13 D14")
    expect(menu(ann, "legend").locator("#lights li", has_text="this way")).to_contain_text("D14")
    screen.context.close()


@pytest.mark.thorough
def test_all_agree_to_call_a_loop(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = resolving(table, phones)
    search_says(table, Analysis(None, None))
    expect(ann.locator(".outlook")).to_contain_text(sentence("Whether the stones can come"))
    expect(ann.locator("#propose-loop")).to_have_count(0)
    search_says(table, Analysis(None, None, ("D12", "D13")), 2.0)
    expect(bob.locator("#propose-loop")).to_be_visible()
    ann.get_by_role("button", name=sentence("Ask all to call this")).click()
    expect(bob.locator("#propose-loop")).to_have_count(0)
    for page in (ann, bob):
        asked = sentence("come off and the game ends", by="Ann", nodes="D12, D13")
        expect(page.locator("#proposal")).to_contain_text(asked)
    expect(menu(ann, "moves").get_by_role("button", name="D12 pushes D13 to D14")).to_be_visible()
    shut(ann)
    bob.get_by_role("button", name="No", exact=True).click()
    expect(ann.locator('#proposal [data-card="declined"]')).to_be_visible()
    expect(ann.get_by_role("button", name=sentence("Ask all to call this"))).to_be_disabled()  # For a while.
    bob.get_by_role("button", name=sentence("Ask all to call this")).click()
    ann.get_by_role("button", name="I agree").click()
    table.until("clearing")
    for node in ("D12", "D13"):
        table.hand.take_off(node)
    table.until("over")
    for page in (ann, bob):
        expect(page.locator(".ended")).to_be_visible()
    expect(menu(ann, "happened").locator("#log")).to_contain_text(sentence("All players agree that nothing"))


@pytest.mark.thorough
def test_what_is_below_does_not_jump_when_the_way_is_found(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    """A finger on its way to a step, or to a button, still meets it."""
    ann, _ = resolving(table, phones)
    ann.set_viewport_size({"width": 390, "height": 844})
    place = """["#hint", "#board svg"].map((one) => document.querySelector(one).getBoundingClientRect().top)"""
    before = ann.evaluate(place)
    search_says(table, WAY)
    expect(ann.locator(".outlook")).to_contain_text(sentence("The stones can come to rest."))
    assert ann.evaluate(place) == pytest.approx(before, abs=1)


def searches(program: Program) -> list[int]:
    """Return the program's child processes."""
    assert program.process is not None
    tasks = Path(f"/proc/{program.process.pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


@pytest.mark.thorough
@pytest.mark.parametrize("end", [pytest.param(signal.SIGTERM, marks=pytest.mark.thorough), signal.SIGKILL])
def test_the_program_looks_ahead_and_leaves_no_search_behind(
    program: Program, phones: Sequence[BrowserContext], end: signal.Signals
) -> None:
    program.start("--new")
    ann, bob = sit_down(program, phones[0], 1, "Ann"), sit_down(program, phones[1], 2, "Bob")
    program.start_game()
    program.until_phase("sealing")
    assert searches(program) == [], "nothing is searched before anything is to be resolved"
    for page, placement in ((ann, "wD12"), (bob, "wD13")):
        page.wait_for_url("**/play")
        seal(page, placement)
    put_down(program, ("wD12", "wD13"))
    program.until_phase("resolving")
    known = eventually(lambda: program.state()["analysis"], "an answer")
    assert known["rest_reachable"] is True
    expect(ann.locator(".outlook")).to_contain_text(sentence("The stones can come to rest."))
    children = searches(program)
    assert len(children) == 1
    program.stop(end)
    eventually(lambda: not any(map(is_alive, children)), "the end of the search")

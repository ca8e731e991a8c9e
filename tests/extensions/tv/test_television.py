"""The big screen beside a real table: read from afar, told what is proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.rounds import SealCommitted
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from tests.e2e.program import Program
from tests.e2e.room import Room
from tests.e2e.test_phones import start
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SMALL = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.tagName !== "title")
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .map((one) => {
    const svg = one.ownerSVGElement;
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    return [parseFloat(getComputedStyle(one).fontSize) * scale, one.textContent];
  })"""

ENDS = "[...document.querySelectorAll('.tv-page :not(svg *)')].map((one) => one.getBoundingClientRect().bottom)"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as served:
        yield served


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "computer", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_it_is_read_from_afar_with_four_long_names(tmp_path: Path, browser: Browser) -> None:
    """At 1080 lines no text is smaller than 19 px and nothing is cut off, also with four long names at the end."""
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    with ServedTable.opened(tmp_path, "4") as table:
        now = table.runtime.now()
        for number in range(1, 5):
            name = f"{number} of the Longest Names"
            table.runtime.submit(SeatTaken(at=now, seat=number, name=name, claim=f"c{number}"))
        table.runtime.submit(GameStarted(at=now))
        table.until("sealing")
        screen.goto(f"{table.base}/tv")
        expect(screen.locator("#seats li")).to_have_count(4)
        for phase in ("sealing", "over"):
            if phase == "over":
                for number in (2, 3, 4):
                    table.runtime.submit(Resigned(at=now, seat=number))
                expect(screen.locator("#result .ranks li")).to_have_count(4)
            sizes = screen.evaluate(SMALL)
            assert len(sizes) > 50
            assert [text for size, text in sizes if size < 19] == []
            assert max(screen.evaluate(ENDS)) <= 1080
    screen.context.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "board", ["hexhex-7", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("go-9x9", "octiles-53"))]
)
def test_every_other_game_is_read_from_afar(tmp_path: Path, browser: Browser, board: str) -> None:
    """At 1080 lines no text is smaller than 24 px and nothing is cut off, in play and at the end."""
    screen = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    with ServedTable.opened(tmp_path, board=board) as table:
        now = table.runtime.now()
        for number in (1, 2):
            name = f"{number} of the Longest Names"
            table.runtime.submit(SeatTaken(at=now, seat=number, name=name, claim=f"c{number}"))
        table.runtime.submit(GameStarted(at=now))
        table.set_up()
        table.until("resolving")
        screen.goto(f"{table.base}/tv")
        expect(screen.locator("#seats li")).to_have_count(2)
        for phase in ("resolving", "over"):
            if phase == "over":
                table.runtime.submit(Resigned(at=now, seat=2))
                expect(screen.locator("#result .moment")).to_be_visible()
            assert [text for size, text in screen.evaluate(SMALL) if size < 19] == []
            ends = screen.evaluate(
                "[...document.querySelectorAll('.tv-page *')].map((e) => e.getBoundingClientRect().bottom)"
            )
            assert max(ends) <= 1080
    screen.context.close()


@pytest.mark.thorough
def test_it_shows_what_is_proposed(table: ServedTable, phones: Sequence[BrowserContext], screen: Page) -> None:
    ann, bob = start(table, phones)
    screen.goto(f"{table.base}/tv")
    proposal = screen.locator("#proposal")
    expect(screen.locator("#seats")).to_contain_text("Ann")
    expect(proposal).to_be_hidden()
    table.runtime.submit(SealCommitted(at=table.runtime.now(), seat=1, turn=1, commitment="0" * 64))
    ann.locator("#reseal-own").click()
    expect(proposal).to_contain_text("Ann proposes that Ann seals this turn again")
    expect(proposal).to_contain_text("Waiting for Bob.")
    bob.locator("#decline").click()
    expect(proposal).to_be_hidden()

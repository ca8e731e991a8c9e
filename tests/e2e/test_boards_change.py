"""The host changes game and board at a running table: every page that is open follows by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.deleted import LACKING
from tests.e2e.program import Program, eventually
from tests.e2e.test_whole_game import seal, sit_down

pytestmark = pytest.mark.e2e


def seated(program: Program, context: BrowserContext) -> Page:
    """Let a phone sit down on seat 1, with a computer on seat 2."""
    page = context.new_page()
    page.goto(program.join_link(1))
    page.locator("#stand-up").wait_for()
    assert program.as_host("computer", seat=2)[0] == 200
    return page


@pytest.mark.thorough
def test_every_open_page_follows(program: Program, browser: Browser, phones: Sequence[BrowserContext]) -> None:
    program.start("--hands", "all", "--pause", "0.01")
    phone = seated(program, phones[0])
    screens = browser.new_context(viewport={"width": 1280, "height": 800})
    board, tv, sensors = screens.new_page(), screens.new_page(), screens.new_page()
    board.goto(program.base + "/board")
    tv.goto(program.base + "/tv")
    if "workshop" not in LACKING:
        sensors.goto(program.base + "/hardware")
        expect(sensors.locator("#sensors tr")).to_have_count(45)
    expect(board.locator("[data-node=D12]")).to_be_visible()
    program.start_game()
    first = program.state()["game"]["id"]
    expect(phone.locator("[data-node=D12]").first).to_be_visible()

    assert program.as_host("new", board="hexhex-7", mode="2", rules=[])[0] == 200
    expect(board.locator("[data-node=g7]")).to_be_visible()
    expect(board.locator("[data-node=D12]")).to_have_count(0)
    if "workshop" not in LACKING:
        expect(sensors.locator("#sensors tr")).to_have_count(127)
    program.start_game()
    for page in (phone, tv):
        expect(page.locator("[data-node=g7]").first).to_be_visible()
        expect(page.locator("[data-node=D12]")).to_have_count(0)

    assert program.as_host("take-up", id=first)[0] == 200
    for page in (phone, tv, board):
        expect(page.locator("[data-node=D12]").first).to_be_visible()
        expect(page.locator("[data-node=g7]")).to_have_count(0)
    screens.close()


@pytest.mark.thorough
def test_what_was_sealed_in_a_game_that_was_set_aside_is_opened_when_it_is_back(
    program: Program, phones: Sequence[BrowserContext]
) -> None:
    program.start("--kind", "polarity")
    ann, bob = (sit_down(program, phone, seat, f"P{seat}") for seat, phone in enumerate(phones[:2], 1))
    program.start_game()
    first = program.state()["game"]["id"]
    for page in (ann, bob):
        page.wait_for_url("**/play")
    program.until_phase("sealing")
    seal(ann, "wD12")
    eventually(lambda: "1" in program.state()["seal"]["commitments"], "Ann's seal")
    assert program.as_host("new", board="spokes-45", mode="2", rules=[])[0] == 200
    for page in (ann, bob):
        page.wait_for_url("**/")
        expect(page.locator("#seats > *").first).to_be_visible()
    assert program.as_host("take-up", id=first)[0] == 200
    for page in (ann, bob):
        page.wait_for_url("**/play")
    program.until_phase("sealing")
    seal(bob, "bD5")
    eventually(lambda: program.state()["phase"] == "placing", "both phones open what they have sealed")

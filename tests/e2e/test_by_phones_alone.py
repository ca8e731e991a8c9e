"""No board in the room: two phones play a whole game, and Lodestone moves every stone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.program import Program, eventually
from tests.e2e.room import SCREEN, Room, choose
from tests.e2e.test_whole_game import GAME, seal, verify_the_record

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
ALONE = "All phones, no board"


@pytest.mark.thorough
def test_two_phones_play_a_whole_game_without_a_board(program: Program, browser: Browser) -> None:
    program.start("--new", "--pause", "0.02")
    with Room.around(program, browser) as room:
        host, pages = room.host(SCREEN), [room.player(1, "Ann"), room.player(2, "Bob")]
        switch = host.get_by_role("switch", name=ALONE)
        expect(switch).not_to_be_checked()
        switch.click()
        expect(switch).to_be_checked()
        host.get_by_role("button", name="Start").click()
        for page in pages:
            page.wait_for_url("**/play")
        for turn, (placements, steps) in enumerate(GAME, 1):
            assert program.until_phase("sealing")["turn"] == turn
            for page, placement in zip(pages, placements, strict=True):
                seal(page, placement)
            for action in steps:
                view = program.until_phase("resolving")
                choose(pages[view["resolver"] - 1], action)
                program.counted(view, action)
        view = program.until_phase("over")
        assert view["result"]["reason"] == "loop"
        for page in pages:
            expect(page.locator(".ended")).to_be_visible()
        verify_the_record(program, GAME[-1][1][-1])
        expect(switch).to_be_checked()


def test_the_switch_is_off_again_at_once(program: Program, browser: Browser) -> None:
    program.start("--new", "--kind", "polarity", "--hands", "computer", "--pause", "0.02")
    with Room.around(program, browser) as room:
        program.join(1, "Ann")
        program.join(2, "Bob")
        host = room.host(SCREEN)
        switch = host.get_by_role("switch", name=ALONE)
        switch.click()
        eventually(lambda: whose(program) == "all", "everybody's stones are moved")
        switch.click()
        eventually(lambda: whose(program) == "computer", "only the computers' are")
        expect(switch).not_to_be_checked()


def whose(program: Program) -> str:
    return str(program.get("/api/host/state", Cookie=program.be_host())["hardware"]["hands"])

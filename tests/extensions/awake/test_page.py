"""A screen stays on by a lock or by a film; where a browser has neither, the big screen says what to set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import PHONE, SCREEN, SPY, Room, expect, locks
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "computer", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


def trusted(room: Room, path: str) -> Page:
    """Return a page at this machine's own address, which browsers trust as they do HTTPS."""
    context = room.browser.new_context(viewport=PHONE if path.startswith("/host") else SCREEN)
    room.contexts.append(context)
    context.grant_permissions(["screen-wake-lock"])  # A browser with a window grants it by itself.
    context.add_init_script(SPY)
    page = context.new_page()
    page.goto(room.program.base + path)
    return page


@pytest.mark.thorough
def test_the_big_screen_and_the_virtual_board_stay_on(room: Room) -> None:
    for path in ("/tv", "/board"):
        page = trusted(room, path)
        eventually(lambda page=page: locks(page) == 1, f"{path} stays on")
        expect(page.locator("#awake")).to_have_count(1 if path == "/tv" else 0)
        expect(page.locator("#awake:visible")).to_have_count(0)


def test_a_phone_stays_on_in_its_players_turn_alone(room: Room) -> None:
    phone = trusted(room, f"/host#{room.program.host_token()}")
    phone.locator("#play-now").click()
    phone.locator("#own-name").fill("Ann")
    phone.locator("#own-name-go").click()
    phone.wait_for_url("**/play")
    eventually(lambda: locks(phone) == 1, "it is Ann's turn to choose")
    phone.locator('[data-node="D12"]').click()
    phone.locator("#seal").click()
    eventually(lambda: locks(phone) == 0, "she has sealed")


def test_without_a_lock_big_screens_play_a_film(room: Room) -> None:
    for path in ("/tv", "/board"):
        page = room.open(path, SCREEN)
        film = page.locator("video.film")
        eventually(lambda film=film: film.evaluate("(one) => !one.paused && one.currentTime > 0"), f"{path} plays it")
        assert film.evaluate("(one) => one.loop && one.muted && one.clientWidth === innerWidth"), path
        expect(page.locator("#awake:visible")).to_have_count(0)


@pytest.mark.thorough
def test_it_says_what_to_set_where_it_can_not_stay_on(room: Room) -> None:
    context = room.browser.new_context(viewport=SCREEN, locale="en-GB")
    room.contexts.append(context)
    context.add_init_script("HTMLMediaElement.prototype.play = () => Promise.reject(new Error())")
    tv = context.new_page()
    tv.goto(f"{room.base}/tv")
    expect(tv.locator("#awake")).to_have_text(sentence("This screen can't keep itself on"))
    room.program.as_host("computer", seat=1)
    room.program.as_host("computer", seat=2)
    room.program.as_host("start")
    expect(tv.locator("#awake")).to_be_hidden()

"""Nobody misses what concerns them: requests for seats, proposals, a lost connection, the start of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from firmware_host.table.subjects.rounds import SealCommitted
from tests.e2e.program import Program
from tests.e2e.room import Room, menu, seat, seat_computer
from tests.e2e.test_joining import asks
from tests.e2e.test_phones import start
from tests.e2e.test_phones import table as table  # noqa: PLC0414 - the fixture
from tests.sentences import sentence
from tests.web_panel.table import ServedTable
from web_panel import streams

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SOON_MS = 30_000
"""The page tells it after two to five seconds of its own, which take longer on a busy machine."""


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "all", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_the_host_is_asked_for_a_seat_wherever_the_host_looks(room: Room) -> None:
    host, ann = room.host(), room.player(1, "Ann")
    room.player(2, "Bob")
    host.get_by_role("button", name="Start").click()
    ann.wait_for_url("**/play")
    fresh = room.open("/")
    for path in ("/play", "/"):
        host.goto(room.base + path)
        code = asks(fresh, "Ann")
        asked = host.get_by_role("region", name="Another phone asks for Ann's seat")
        expect(asked.locator(".ask-code")).to_have_text(code)
        expect(ann.locator("#asks")).to_be_empty()
        asked.get_by_role("button", name="Refuse").click()
        expect(fresh.locator(".ask-code")).to_have_count(0)
    asks(fresh, "Ann")
    host.goto(f"{room.base}/play")
    host.get_by_role("button", name="Allow").click()
    fresh.wait_for_url("**/play")


@pytest.mark.thorough
def test_a_seated_phone_that_loads_the_lobby_after_the_start_is_led_to_the_table_once(room: Room) -> None:
    host, ann = room.host(), room.player(1, "Ann")
    room.player(2, "Bob")
    ann.goto("about:blank")
    host.get_by_role("button", name="Start").click()
    expect(host.get_by_role("button", name="Pause")).to_be_visible()
    ann.goto(f"{room.base}/")
    ann.wait_for_url("**/play")
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()
    menu(ann, "lobby")  # On purpose: then nobody is led away.
    expect(ann.get_by_role("link", name="To the game")).to_be_visible()
    expect(ann).to_have_url(f"{room.base}/")


@pytest.mark.thorough
def test_a_player_called_like_a_computer_keeps_it_off_no_seat(room: Room) -> None:
    room.player(1, "Computer 2")
    host = room.host()
    seat_computer(host, 2)
    expect(seat(host, 2)).to_contain_text("Computer 2 (2)")


def test_a_lost_connection_is_told_at_large_and_found_again(
    table: ServedTable, phones: Sequence[BrowserContext], screen: Page
) -> None:
    ann, _ = start(table, phones)
    screen.goto(f"{table.base}/tv")
    expect(screen.locator("#seats")).to_contain_text("Ann")
    for page in (ann, screen):
        page.route("**/api/state", lambda route: route.abort())
        page.route("**/api/events", lambda route: route.abort())
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    for page in (ann, screen):
        banner = page.locator(".lost #net")
        expect(banner).to_have_text(sentence("No connection to the table"))
        assert float(page.locator("#board").evaluate("(board) => getComputedStyle(board).opacity")) < 0.5
    box, room = screen.locator("#net").bounding_box(), screen.viewport_size
    assert box is not None
    assert room is not None
    assert box["width"] > 0.9 * room["width"], "it is no tiny word"
    for page in (ann, screen):
        page.unroute("**/api/state")
        page.unroute("**/api/events")
        expect(page.locator("body.lost")).to_have_count(0)
        expect(page.locator("#net")).to_have_text("")


@pytest.mark.thorough
def test_a_table_that_does_not_answer_is_told_within_seconds(
    table: ServedTable, phones: Sequence[BrowserContext], screen: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a page that has just been loaded, beside a button that was pressed, and where the stream falls silent."""
    _, bob = start(table, phones)
    net = screen.locator("#net")
    screen.route("**/api/events", lambda _: None)
    screen.route("**/api/state", lambda _: None)
    screen.goto(f"{table.base}/play")
    expect(net).to_have_text("connecting …", timeout=SOON_MS)
    expect(screen.locator(".lost #net")).to_have_text(sentence("The table does not answer"))
    screen.unroute("**/api/events")
    screen.unroute("**/api/state")
    screen.reload()
    expect(screen.get_by_role("heading", name="All choose in secret")).to_be_visible()

    held: list[Route] = []
    bob.route("**/api/propose", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    table.runtime.submit(SealCommitted(at=table.runtime.now(), seat=2, turn=1, commitment="0" * 64))
    asked = bob.locator("#reseal-own")
    asked.click()
    expect(asked).to_have_attribute("aria-busy", "true", timeout=SOON_MS)
    expect(bob.locator("#net")).to_have_text("Waiting for the table …", timeout=SOON_MS)
    asked.click()
    assert len(held) == 1, "it is on its way already"
    held[0].continue_()
    expect(bob.locator("#net")).to_have_text("")
    expect(bob.locator("#proposal")).to_contain_text("Bob proposes that Bob seals this turn again")
    bob.route("**/api/greet", lambda route: held.append(route))  # noqa: PLW0108
    menu(bob, "signs").locator("#sign-wave").click()
    expect(bob.locator("#menu")).to_have_attribute("aria-busy", "true")  # The sheet has closed over the button.
    held[1].continue_()
    expect(bob.locator("#menu[aria-busy]")).to_have_count(0)

    monkeypatch.setattr(streams, "HEARTBEAT_S", 600.0)
    screen.route("**/api/state", lambda _: None)
    expect(net).to_have_text("connecting …", timeout=SOON_MS)
    monkeypatch.undo()
    expect(net).to_have_text("")


def test_two_taps_in_quick_succession_are_one(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    _, bob = start(table, phones)
    table.runtime.submit(SealCommitted(at=table.runtime.now(), seat=2, turn=1, commitment="0" * 64))
    held: list[Route] = []
    bob.route("**/api/propose", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    asked = bob.locator("#reseal-own")
    asked.evaluate("(one) => { one.click(); one.click(); }")
    expect(asked).to_have_attribute("aria-busy", "true")
    assert len(held) == 1
    held[0].fulfill(status=503, json={"error": {"code": "busy", "message": "busy"}})
    expect(bob.locator("#error")).to_have_text("busy")
    bob.unroute("**/api/propose")
    asked.click()
    expect(bob.locator("#proposal")).to_contain_text("Bob proposes that Bob seals this turn again")

"""The first five minutes on one computer: the seats' codes on the virtual board, three clicks to the first seal, and a
host's page that is composed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import SCREEN, Room, expect
from tests.sampling import cases
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

LAPTOP = {"width": 1280, "height": 800}
WIDEST_BUTTON = 480
"""Pixels: a hand on a mouse sees a wider one as a bar."""


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "computer", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_the_virtual_board_shows_the_seats_codes_until_the_game_begins(room: Room) -> None:
    """The codes are those of the big screen; who hides them there hides them here."""
    board, tv, host = room.open("/board", SCREEN), room.open("/tv", SCREEN), room.host()
    expect(board.locator("#codes img.code")).to_have_count(2)
    sources = [[one.get_attribute("src") for one in page.locator("img.code").all()] for page in (board, tv)]
    assert sources[0] == sources[1]
    assert smallest(board.locator("#codes img.code").all()) >= 120, "a phone reads it from the chair"
    room.player(1, "Ann")
    expect(board.locator("#codes")).to_contain_text("Ann")
    expect(board.locator("#codes img.code")).to_have_count(1)
    status, _ = room.program.as_host("tickets", shown=False)
    assert status == 200
    expect(board.locator('#codes img[src^="/qr/seat/"]')).to_have_count(0)
    expect(board.locator("#joining")).to_have_text(sentence("The host has the links"))
    host.get_by_role("button", name="Start").click()
    expect(board.locator("#codes")).to_be_hidden()
    expect(board.locator("#joining")).to_be_hidden()


def smallest(codes: list[Any]) -> float:
    return min(min(box["width"], box["height"]) for one in codes if (box := one.bounding_box()))


def test_three_clicks_lead_from_the_hosts_link_to_the_first_sealed_stone(room: Room) -> None:
    page = room.open("/nowhere", LAPTOP)
    clicks: list[str] = []
    page.context.expose_binding("clicked", lambda _, on: clicks.append(on))
    page.context.add_init_script(
        "addEventListener('pointerdown', (event) => event.isTrusted && clicked(event.target.tagName), true)"
    )
    page.goto(f"{room.base}/host#{room.program.host_token()}")
    page.locator("#play-now").click()
    page.wait_for_url("**/here")
    phone, board = page.frame_locator("#phone"), page.frame_locator("#table")
    expect(board.locator('[data-node="D12"]')).to_be_visible()
    phone.locator('[data-node="D12"]').click()
    phone.locator("#seal").click()
    eventually(lambda: seal_of(room, 1), "the stone is sealed")
    assert len(clicks) == 3, clicks
    assert [one["computer"] for one in room.view["seats"]] == [False, True]
    # All of it is seen at once, and the board is large.
    assert not page.evaluate("document.scrollingElement.scrollHeight > innerHeight")
    drawn = board.locator("#board svg").bounding_box()
    assert drawn is not None
    assert drawn["width"] >= 600
    # The stones are laid here, too.
    expect(board.locator("#tray-w")).to_be_visible()
    expect(board.locator("#codes")).to_be_hidden()
    # In a low window the board is smaller, and covers nothing below it.
    page.set_viewport_size({"width": 1280, "height": 560})
    drawn, below = (board.locator(what).bounding_box() for what in ("#board svg", "#say"))
    assert drawn is not None
    assert below is not None
    assert drawn["y"] + drawn["height"] <= below["y"] + 1


def seal_of(room: Room, seat: int) -> bool:
    """Tell whether a seat has sealed in this turn, or all have and the turn has gone on."""
    view = room.view
    return view["phase"] in {"placing", "resolving"} or bool(view["seats"][seat - 1]["sealed"])


@pytest.mark.thorough
def test_a_narrow_window_turns_between_board_and_phone(room: Room) -> None:
    page = room.open("/here", {"width": 390, "height": 844})
    phone, board = page.locator("#phone"), page.locator("#table")
    expect(board).to_be_visible()
    expect(phone).to_be_hidden()
    page.locator("#to-phone").click()
    expect(phone).to_be_visible()
    expect(board).to_be_hidden()
    page.locator("#to-table").click()
    expect(board).to_be_visible()
    assert not page.evaluate("document.scrollingElement.scrollWidth > innerWidth")


@pytest.mark.thorough
def test_the_hosts_link_in_the_lobby_of_the_virtual_board_begins_too(room: Room) -> None:
    """The same button stands on the virtual board for the browser that is the host; it is not there for others."""
    page = room.host(SCREEN)
    page.goto(f"{room.base}/board")
    page.locator("#play-here").click()
    page.wait_for_url("**/here")
    expect(page.frame_locator("#phone").locator("#seal")).to_be_visible()
    assert room.view["phase"] == "sealing"


@pytest.mark.thorough
@pytest.mark.parametrize("size", cases([LAPTOP, {"width": 1920, "height": 1080}], LAPTOP), ids=["laptop", "desktop"])
def test_the_hosts_page_on_a_desktop_is_composed(room: Room, size: Any) -> None:
    """Its two columns end at the same height, in the lobby and in a game, and no button is a bar."""
    host = room.host(size)
    expect(host.locator("#codes img.code")).to_have_count(2)
    is_composed(host)
    room.player(1, "Ann")
    expect(host.locator("#codes img.code")).to_have_count(1)
    is_composed(host)
    host.locator("#start").click()
    expect(host.locator("#pause")).to_be_visible()
    is_composed(host)


def is_composed(host: Page) -> None:
    """Both columns end within two pixels of each other, above the tray; buttons are no bars."""
    found = host.evaluate("""() => {
      const boxes = [...document.querySelectorAll("#part-table > *")].map((one) => one.getBoundingClientRect())
        .filter((box) => box.height);
      const middle = innerWidth / 2;
      const ends = [boxes.filter((box) => box.right < middle + 8), boxes.filter((box) => box.left > middle - 8)]
        .map((column) => Math.max(...column.map((box) => box.bottom)));
      const widths = [...document.querySelectorAll("#go .go, #go .button")]
        .map((one) => one.getBoundingClientRect().width);
      const tray = document.querySelector(".host > .tray").getBoundingClientRect();
      return { ends, widest: Math.max(...widths), tray: tray.top, foot: tray.bottom, high: innerHeight };
    }""")
    assert abs(found["ends"][0] - found["ends"][1]) <= 2, found
    assert found["widest"] <= WIDEST_BUTTON, found
    assert max(found["ends"]) <= found["tray"] < found["foot"] <= found["high"], found

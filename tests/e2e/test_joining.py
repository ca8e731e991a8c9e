"""Sitting down: a ticket is good for one phone, and a seat moves to another phone only with the host's consent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import SCREEN, Room, expect, menu, seat, sheet_of, shut, sit_down
from tests.e2e.test_whole_game import seal
from tests.sampling import cases
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


SCAN = sentence("To join, scan the code")


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--kind", "polarity", "--hands", "all", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_a_link_is_good_for_one_phone(room: Room) -> None:
    host = room.host()
    sheet = sheet_of(host, 1)
    link = sheet.get_by_label("Link to seat 1").input_value()
    assert link == room.program.join_link(1, link.partition("/join")[0]), "the host sees what the room sees"
    expect(sheet.get_by_role("img", name="QR code to join seat 1")).to_be_visible()
    sheet.get_by_role("button", name="Copy the link").click()
    expect(sheet.get_by_role("status")).to_have_text("Copied.")
    shut(host)

    ann = room.guest(link)  # Whoever opens it sits at once; a name may follow.
    expect(ann.get_by_role("heading", name="You sit")).to_be_visible()
    expect(ann.locator("#who")).to_have_text("1Player 1")
    sit_down(ann, "Ann")
    late = room.guest(link)
    expect(late.locator("#message")).to_have_text(sentence("sits here. In the lobby", name="Ann"))

    ann.get_by_role("button", name="Stand up").click()
    expect(late.locator("#error")).to_have_text(sentence("this code is used up"))
    expect(late.get_by_role("button", name="Sit in seat 1")).to_be_visible()
    assert room.view["seats"][0]["taken"] is False

    late.get_by_role("link", name="To the lobby").click()
    seat(late, 2).click()
    seat(late, 1).click()
    late.get_by_role("button", name="Sit in seat 1").click()
    name = late.get_by_label("Name", exact=True)  # Whoever has none on this phone is asked first.
    name.fill("Eve")
    name.press("Enter")
    expect(late.locator("#who")).to_have_text("1Eve")
    expect(seat(host, 1)).to_contain_text("Eve")
    late.goto(room.program.join_link(2, room.base))
    expect(late.locator("#message")).to_have_text("This phone already has seat 1.")
    bare = room.open("/join/2")
    expect(bare.locator("#message")).to_have_text(sentence("This link gives you no"))


FORBIDDEN = """for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("Access is denied", "SecurityError"); } });
}"""
NO_COOKIES = 'Object.defineProperty(Document.prototype, "cookie", { get: () => "", set() {} });'
KEEPS_NOTHING = sentence("browser keeps nothing for this")


@pytest.mark.parametrize("script", cases([FORBIDDEN, NO_COOKIES], NO_COOKIES), ids=["no storage", "no cookies"])
def test_a_browser_that_keeps_nothing_takes_no_seat_and_is_told_why(room: Room, script: str) -> None:
    page = room.open("/")
    page.add_init_script(script)
    page.goto(room.program.join_link(1, room.base))
    page.reload()
    expect(page.locator("#error")).to_contain_text(KEEPS_NOTHING)
    page.goto(f"{room.base}/")
    page.get_by_role("button", name="Sit in seat 1").click()
    expect(page.locator("#error")).to_contain_text(KEEPS_NOTHING)
    assert not any(seat["taken"] for seat in room.view["seats"])
    if script == NO_COOKIES:
        page.goto(f"{room.base}/host#{room.program.host_token()}")
        expect(page.locator("#error")).to_contain_text(KEEPS_NOTHING)
        expect(page.locator("#page")).to_be_hidden()
    page.goto(f"{room.base}/play")
    expect(page.locator("#message")).not_to_have_text("Loading the table …")


@pytest.mark.thorough
def test_a_phone_keeps_its_players_name(room: Room) -> None:
    """Unless somebody else at the table has it."""
    ann = room.player(1, "Ann")
    ann.get_by_role("button", name="Stand up").click()
    ann.get_by_role("button", name="Sit in seat 1").click()
    expect(ann.locator("#who")).to_have_text("1Ann")
    ann.get_by_role("button", name="Stand up").click()
    expect(ann.get_by_role("heading", name="Where do you sit?")).to_be_visible()
    room.program.join(1, "Ann")
    ann.get_by_role("button", name="Sit in seat 2").click()
    expect(ann.locator("#who")).to_have_text("2Player 2")


@pytest.mark.thorough
def test_a_name_is_not_cut_or_refused_without_a_word(room: Room) -> None:
    host, page = room.host(), room.guest(room.program.join_link(1))
    words = page.get_by_text(sentence("A name has up to"))
    field = page.get_by_label("Name", exact=True)
    expect(field).to_be_visible()
    field.fill("")
    field.press_sequentially("Maximiliane von Hohenste")
    expect(words).to_be_visible()
    field.press("Backspace")
    expect(words).to_be_hidden()
    field.press("Enter")
    expect(seat(host, 1)).to_contain_text("Maximiliane von Hohenst")
    room.program.join(2, "Bob")
    for refused in ("Bob", " "):
        field.fill(refused)
        field.press("Enter")
        expect(field).to_have_value("Maximiliane von Hohenst")


@pytest.mark.thorough
def test_the_host_decides_who_sees_the_codes(room: Room) -> None:
    host, guest, screen = room.host(), room.open("/"), room.open("/tv", SCREEN)
    sit = guest.get_by_role("button", name="Sit in seat")
    expect(sit).to_have_text("Sit in seat 1")
    expect(screen.locator("#message")).to_have_text("Waiting for 2 more players.")
    expect(screen.locator("#joining")).to_have_text(SCAN)
    expect(screen.get_by_role("img", name="QR code to join seat 1")).to_be_visible()
    switch = sheet_of(host, 2).get_by_role("switch", name="Everybody sees the codes")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    link = host.get_by_label("Link to seat 2").input_value()
    expect(sit).to_have_count(0)
    expect(guest.locator("#message")).to_have_text(sentence("The host has the links"))
    expect(sheet_of(guest, 1)).to_contain_text(sentence("Free: the host gives you"))
    shut(guest)
    expect(screen.get_by_role("img", name="QR code to join seat 1")).to_have_count(0)
    expect(screen.get_by_role("img", name="QR code of the lobby")).to_be_visible()
    expect(screen.locator("#joining")).to_have_text(sentence("The host has the links"))
    expect(screen.get_by_text("scan")).to_have_count(0)
    sit_down(room.guest(link), "Bob")
    expect(screen.get_by_role("heading", name="Bob")).to_be_visible()
    shut(host)
    sheet_of(host, 1).get_by_role("switch", name="Everybody sees the codes").click()
    expect(sit).to_have_count(1)
    expect(screen.get_by_role("img", name="QR code to join seat 1")).to_be_visible()
    menu(guest, "codes")
    expect(guest.get_by_role("img", name="QR code to join seat 1")).to_be_visible()
    shut(guest)
    room.player(1, "Ann")
    expect(guest.get_by_role("heading", name="You watch")).to_be_visible()
    expect(screen.locator("#joining")).to_be_hidden()


@pytest.mark.thorough
def test_a_seat_moves_to_another_phone_with_the_hosts_consent(room: Room) -> None:
    room.program.join(2, "Bob")
    host, ann = room.host(), room.player(1, "Ann")
    host.get_by_role("button", name="Start").click()
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()

    fresh = room.open("/")
    code = asks(fresh, "Ann")
    asked = host.get_by_role("region", name="Another phone asks for Ann's seat")
    expect(asked.locator(".ask-code")).to_have_text(code)
    asked.get_by_role("button", name="Refuse").click()
    expect(fresh.get_by_role("alert").filter(has_text="host")).to_be_visible()
    expect(fresh.locator(".ask-code")).to_have_count(0)
    expect(asked).to_have_count(0)

    code = asks(fresh, "Ann")
    fresh.reload()
    expect(fresh.locator(".ask-code")).to_have_text(code)
    asked.get_by_role("button", name="Allow").click()
    fresh.wait_for_url("**/play")
    expect(ann.get_by_role("heading", name="Choose in secret", exact=True)).to_have_count(0)
    seal(fresh, "wD2")
    eventually(lambda: room.view["seats"][0]["sealed"], "the seal that counts is the new phone's")
    ann.goto(f"{room.base}/")
    expect(ann.get_by_role("heading", name=sentence("Is one of these seats"))).to_be_visible()
    expect(fresh.locator("#seats .me")).to_contain_text("Ann")
    assert [one["name"] for one in room.view["seats"]] == ["Ann", "Bob"]
    eventually(lambda: not room.view["asks"], "no question is left")


def asks(page: Page, name: str) -> str:
    """Ask for somebody's seat; return the code that the phone shows."""
    page.get_by_role("group", name="This is my seat").get_by_role("button", name=name).click()
    expect(page.locator(".ask-code")).to_be_visible()
    return page.locator(".ask-code").inner_text()

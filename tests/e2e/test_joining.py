"""Sitting down: a ticket is good for one phone, and a seat moves to another phone only with the host's consent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import SCREEN, Room, expect, seat, sit_down
from tests.e2e.test_whole_game import seal

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


SCAN = "To join, tap “Sit here” at a free seat, or scan its code with another phone on the same network."


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--kind", "polarity", "--hands", "all", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_a_link_is_good_for_one_phone(room: Room) -> None:
    host = room.host()
    link = host.get_by_label("Link to seat 1").input_value()
    assert link == room.program.join_link(1, link.partition("/join")[0]), "the host sees what the room sees"
    seat(host, 1).get_by_role("button", name="Copy the link").click()
    expect(seat(host, 1).get_by_role("status")).to_have_text("Copied.")
    ann, early = room.guest(link), room.guest(link)
    expect(early.get_by_role("button", name="Sit down")).to_be_visible()
    expect(early.locator("#message")).to_have_text("Spokes. Homes 1–8.")
    sit_down(ann, "Ann")

    expect(early.locator("#message")).to_have_text("Ann sits here. In the lobby you see which seats are free.")
    expect(early.get_by_role("button", name="Sit down")).to_be_hidden()
    late = room.guest(link)
    expect(late.locator("#message")).to_have_text("Ann sits here. In the lobby you see which seats are free.")

    ann.get_by_role("button", name="Leave").click()
    expect(late.get_by_role("button", name="Sit down")).to_be_visible()
    late.get_by_label("Your name").fill("Eve")
    late.get_by_role("button", name="Sit down").click()
    expect(late.locator("#error")).to_have_text("this code is used up or too old: scan the seat's new one")
    assert room.view["seats"][0]["taken"] is False

    late.get_by_role("link", name="To the lobby").click()
    seat(late, 1).get_by_role("link", name="Sit here").click()
    expect(late.get_by_label("Your name")).to_be_visible()
    sit_down(late, "Eve")
    expect(seat(host, 1).get_by_role("heading")).to_have_text("Eve")
    late.goto(room.program.join_link(2, room.base))
    expect(late.locator("#message")).to_have_text("This phone already has seat 1.")
    bare = room.open("/join/2")
    expect(bare.locator("#message")).to_have_text(
        "This link has no ticket. Scan the code of a free seat, or ask the host for the link."
    )


@pytest.mark.thorough
def test_a_name_that_is_too_long_is_not_cut_without_a_word(room: Room) -> None:
    host, page = room.host(), room.open("/")
    page.get_by_role("link", name="Sit here").first.click()
    words = page.get_by_text("A name has up to 24 letters.")
    field = page.get_by_label("Your name")
    expect(field).to_be_visible()
    field.press_sequentially("Maximiliane von Hohenste")
    expect(words).to_be_visible()
    field.press("Backspace")
    expect(words).to_be_hidden()
    page.get_by_role("button", name="Sit down").click()
    for place in (page.get_by_label("Name"), host.get_by_label("Name").first):
        expect(place).to_have_value("Maximiliane von Hohenst")


@pytest.mark.thorough
def test_the_host_decides_who_sees_the_codes(room: Room) -> None:
    host, guest, screen = room.host(), room.open("/"), room.open("/tv", SCREEN)
    expect(guest.get_by_role("link", name="Sit here")).to_have_count(2)
    for page in (guest, screen):
        expect(page.locator("#message")).to_have_text("Waiting for 2 more players.")
        expect(page.locator("#joining")).to_have_text(SCAN)
    expect(screen.get_by_role("img", name="QR code to join seat 1")).to_be_visible()
    host.get_by_role("switch").click()
    expect(host.get_by_role("switch")).to_have_attribute("aria-checked", "false")
    expect(guest.get_by_text("Free: the host gives you a code for this seat.")).to_have_count(2)
    expect(guest.get_by_role("link", name="Sit here")).to_have_count(0)
    expect(screen.get_by_role("img", name="QR code to join seat 1")).to_have_count(0)
    expect(screen.get_by_role("img", name="QR code of the lobby")).to_be_visible()
    for page in (guest, screen):
        expect(page.locator("#message")).to_have_text("Waiting for 2 more players.")
        expect(page.locator("#joining")).to_have_text("The host has the links to the free seats.")
        expect(page.get_by_text("scan")).to_have_count(0)
    sit_down(room.guest(host.get_by_label("Link to seat 2").input_value()), "Bob")
    expect(screen.get_by_role("heading", name="Bob")).to_be_visible()
    host.get_by_role("switch").click()
    expect(guest.get_by_role("link", name="Sit here")).to_have_count(1)
    expect(screen.get_by_role("img", name="QR code to join seat 1")).to_be_visible()
    expect(guest.locator("#joining")).to_have_text(SCAN)
    room.player(1, "Ann")
    for page in (guest, screen):
        expect(page.locator("#joining")).to_be_hidden()


@pytest.mark.thorough
def test_a_seat_moves_to_another_phone_with_the_hosts_consent(room: Room) -> None:
    room.program.join(2, "Bob")
    host, ann = room.host(), room.player(1, "Ann")
    host.get_by_role("button", name="Start the game").click()
    expect(ann.get_by_role("heading", name="Your secret placement")).to_be_visible()

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
    expect(ann.get_by_role("heading", name="Your secret placement")).to_have_count(0)
    seal(fresh, "wD2")
    eventually(lambda: room.view["seats"][0]["sealed"], "the seal that counts is the new phone's")
    ann.goto(f"{room.base}/")
    expect(ann.get_by_role("heading", name="Is one of these seats yours?")).to_be_visible()
    expect(fresh.locator("#seats .me")).to_contain_text("Ann")
    assert [one["name"] for one in room.view["seats"]] == ["Ann", "Bob"]
    eventually(lambda: not room.view["asks"], "no question is left")


def asks(page: Page, name: str) -> str:
    """Ask for somebody's seat; return the code that the phone shows."""
    page.get_by_role("group", name="This is my seat").get_by_role("button", name=name).click()
    expect(page.locator(".ask-code")).to_be_visible()
    return page.locator(".ask-code").inner_text()

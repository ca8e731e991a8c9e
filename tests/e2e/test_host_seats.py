"""The host gives out the seats: how many play, names, colours, computers, and who must go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import Room, agree, expect, seat, sit_down

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "all", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_the_host_gives_out_the_seats_and_starts(room: Room) -> None:
    host, ann = room.host(), room.player(1, "Ann")
    guest = room.open("/")
    expect(guest.locator("#seats .card")).to_have_count(2)
    players = host.get_by_role("group", name="Players", exact=True)
    players.get_by_role("button", name="4 players").click()
    for page in (host, guest):
        expect(page.locator("#seats .card")).to_have_count(4)
    expect(ann.locator("#stand-up")).to_be_visible()
    players.get_by_role("button", name="2 players").click()
    expect(guest.locator("#seats .card")).to_have_count(2)

    start = host.get_by_role("button", name="Start the game")
    expect(start).to_be_disabled()
    seat(host, 2).get_by_role("button", name="A computer plays").click()
    expect(seat(guest, 2)).to_contain_text("A computer plays here:")
    expect(start).to_be_enabled()
    seat(host, 2).get_by_role("button", name="Remove the computer").click()
    expect(start).to_be_disabled()
    bob = room.player(2, "Bob")
    expect(seat(host, 2).get_by_role("heading")).to_have_text("Bob")

    seat(host, 2).get_by_role("button", name="Free this seat").click()
    agree(host, "No")
    seat(host, 2).get_by_role("button", name="Free this seat").click()
    expect(host.locator("#asktext")).to_have_text("Free Bob's seat? That phone can only watch then.")
    agree(host)
    expect(bob.locator("#stand-up")).to_have_count(0)
    expect(seat(bob, 2).get_by_role("link", name="Sit here")).to_be_visible()

    seat(host, 2).get_by_role("button", name="A computer plays").click()
    expect(start).to_be_enabled()
    start.dblclick()  # A hurried finger.
    ann.wait_for_url("**/play")
    expect(ann.get_by_role("heading", name="Your secret placement")).to_be_visible()
    expect(host.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    expect(host.locator("#error")).to_be_hidden()


@pytest.mark.thorough
def test_names_and_colours_are_given_by_the_host_and_by_oneself(room: Room) -> None:
    host, ann, bob = room.host(), room.player(1, "Ann"), room.player(2, "Bob")
    theirs = seat(host, 1)
    theirs.get_by_text("Name and colour").click()
    theirs.get_by_label("Name", exact=True).fill("Anna")
    bob.get_by_label("Name", exact=True).fill("Robert")
    theirs.get_by_role("button", name="Save").click()
    expect(seat(ann, 1).get_by_role("heading")).to_have_text("Anna")
    expect(seat(bob, 1).get_by_role("heading")).to_have_text("Anna")
    expect(bob.get_by_label("Name", exact=True)).to_have_value("Robert")
    bob.get_by_role("button", name="Save").click()
    expect(seat(host, 2).get_by_role("heading")).to_have_text("Robert")

    assert colours(room) == [1, 2]
    swap = colour(theirs, "orange, Robert has it: swap")
    swap.click()
    eventually(lambda: colours(room) == [2, 1], "who has the chosen colour gets the other")
    expect(colour(seat(bob, 2), "blue")).to_have_attribute("aria-pressed", "true")
    colour(seat(bob, 2), "violet").click()
    eventually(lambda: colours(room) == [2, 7], "a colour that nobody has")
    expect(colour(theirs, "violet, Robert has it: swap")).to_be_visible()
    paint = "(dot) => getComputedStyle(dot).backgroundColor"
    drawn = {page: seat(page, 2).locator("h2 .dot, h3 .dot").evaluate(paint) for page in (host, ann, bob)}
    assert set(drawn.values()) == {"rgb(106, 61, 154)"}, "the same on every phone"

    assert refusal(ann, "host/name", {"seat": 2, "name": "Bobby"}) == "not_host"
    assert refusal(ann, "host/dismiss", {"seat": 2}) == "not_host"
    assert [one["name"] for one in room.view["seats"]] == ["Anna", "Robert"]


def colours(room: Room) -> list[int]:
    return [one["colour"] for one in room.view["seats"]]


def colour(card: Locator, name: str) -> Locator:
    return card.get_by_role("group", name="Colour").get_by_role("button", name=name, exact=True)


def refusal(page: Page, path: str, body: object) -> str:
    """Return the code by which a phone is refused a deed."""
    deed = """([path, body]) => fetch(`/api/${path}`, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Lodestone": "1" }, body: JSON.stringify(body),
    }).then((answer) => answer.json()).then((answer) => answer.error.code)"""
    return str(page.evaluate(deed, [path, body]))


@pytest.mark.thorough
def test_levels_are_chosen_in_the_lobby_and_a_computer_plays_on_for_somebody_who_is_away(room: Room) -> None:
    host, ann = room.host(), room.player(1, "Ann")
    level = seat(host, 2).get_by_label("Level of the computer")
    level.select_option("Expert")
    expect(seat(host, 2)).to_contain_text("The best that this program can do")
    seat(host, 2).get_by_role("button", name="A computer plays").click()
    expect(seat(ann, 2)).to_contain_text("A computer plays here: Expert.")
    level.select_option("Beginner")
    expect(seat(ann, 2)).to_contain_text("A computer plays here: Beginner.")
    host.get_by_role("button", name="Start the game").click()
    ann.wait_for_url("**/play")
    expect(ann.locator("#seats")).to_contain_text("computer, Beginner")

    seat(host, 1).get_by_text("Is somebody away?").click()
    seat(host, 1).get_by_role("button", name="Let a computer play on").click()
    expect(ann.locator("#panel")).to_contain_text("You are watching.")
    eventually(lambda: room.program.state()["turn"] > 1, "two computers play")
    guest = room.open("/")
    guest.get_by_role("button", name="Ann", exact=True).click()
    host.get_by_role("button", name="Allow").click()
    guest.wait_for_url("**/play")
    assert not room.program.state()["seats"][0]["computer"]


def test_somebody_alone_finds_an_opponent_in_the_lobby(room: Room) -> None:
    """Only the host's phone can seat computers: it needs no other page for that, nor to start."""
    host, guest = room.host(), room.open("/")
    seat(host, 1).get_by_text("Sit here with this phone").click()
    sit_down(host, "Ann")
    expect(host.locator("#joining")).to_have_text(
        "To join, scan the code of a free seat with another phone on the same network."
    )
    theirs = seat(host, 2)
    theirs.get_by_label("Level of the computer on seat 2").select_option("Experienced")
    theirs.get_by_role("button", name="A computer plays").click()
    expect(seat(guest, 2)).to_contain_text("A computer plays here: Experienced.")
    theirs.get_by_label("Level of the computer on seat 2").select_option("Strong")
    expect(seat(guest, 2)).to_contain_text("A computer plays here: Strong.")
    expect(guest.get_by_label("Level of the computer on seat 2")).to_have_count(0)
    host.get_by_role("button", name="Start the game").click()
    host.wait_for_url("**/play")


@pytest.mark.thorough
def test_the_lobby_has_one_button_to_press(room: Room) -> None:
    """Before the first game as well, when lessons are offered above the seats."""
    guest = room.open("/")
    expect(guest.get_by_role("button", name="Start with the first lesson")).to_be_visible()
    expect(seat(guest, 1).get_by_role("link", name="Sit here")).to_be_visible()
    expect(guest.locator(".primary:visible")).to_have_text(["Sit here"])
    ann = room.player(1, "Ann")
    expect(ann.locator(".primary:visible")).to_have_text(["Start with the first lesson"])
    host = room.host()
    seat(host, 2).get_by_role("button", name="A computer plays").click()
    host.get_by_role("link", name="The lobby").click()
    expect(host.locator(".primary:visible")).to_have_text(["Start the game"])

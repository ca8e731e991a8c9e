"""The host gives out the seats: how many play, names, colours, computers, and who must go."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import Room, agree, expect, menu, seat, seat_computer, sheet_of, shut
from tests.sentences import sentence

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
    expect(guest.locator("#seats .place")).to_have_count(2)
    players(host, "4 players")
    expect(host.locator("#seats button")).to_have_count(4)
    expect(guest.locator("#seats .place")).to_have_count(4)
    expect(ann.locator("#stand-up")).to_be_visible()
    start = host.locator("#start")
    expect(start).to_have_text("StartComputers take seats 2, 3 and 4")
    players(host, "2 players")
    expect(guest.locator("#seats .place")).to_have_count(2)

    expect(start).to_have_text("StartA computer takes seat 2")
    seat_computer(host, 2)
    expect(seat(guest, 2)).to_contain_text("Computer 2Casual")
    expect(start).to_have_text("Start")
    sheet_of(host, 2).get_by_role("button", name="Remove the computer").click()
    shut(host)
    expect(start).to_have_text("StartA computer takes seat 2")
    bob = room.player(2, "Bob")
    expect(seat(host, 2)).to_contain_text("Bob")

    sheet_of(host, 2).get_by_role("button", name="Free this seat").click()
    agree(host, "No")
    host.locator("#sheet").get_by_role("button", name="Free this seat").click()
    expect(host.locator("#asktext")).to_have_text(sentence("'s seat? That phone can", name="Bob"))
    agree(host)
    expect(bob.locator("#stand-up")).to_have_count(0)
    expect(bob.get_by_role("button", name="Sit in seat 2")).to_be_visible()
    shut(host)

    expect(start).to_have_text("StartA computer takes seat 2")
    start.dblclick()  # A hurried finger.
    ann.wait_for_url("**/play")
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()
    expect(host.get_by_role("button", name="Pause")).to_be_visible()
    expect(host.locator("#error")).to_be_hidden()
    assert room.view["seats"][1]["computer"]


def players(host: Page, words: str) -> None:
    """Let the host choose for how many the game is."""
    host.locator("#game-card").click()
    host.get_by_role("group", name="Players", exact=True).get_by_role("button", name=words).click()
    shut(host)


@pytest.mark.thorough
def test_names_and_colours_are_given_by_the_host_and_by_oneself(room: Room) -> None:
    host, ann, bob = room.host(), room.player(1, "Ann"), room.player(2, "Bob")
    theirs = sheet_of(host, 1)
    theirs.get_by_label("Name", exact=True).fill("Anna")
    bob.get_by_label("Name", exact=True).fill("Robert")
    theirs.get_by_label("Name", exact=True).press("Enter")
    expect(ann.locator("#who")).to_contain_text("Anna")
    expect(seat(bob, 1)).to_contain_text("Anna")
    expect(bob.get_by_label("Name", exact=True)).to_have_value("Robert")
    bob.get_by_label("Name", exact=True).press("Enter")
    expect(seat(host, 2)).to_contain_text("Robert")

    assert colours(room) == [1, 2]
    swap = colour(theirs, "orange, Robert has it: swap")
    swap.click()
    eventually(lambda: colours(room) == [2, 1], "who has the chosen colour gets the other")
    mine = bob.locator("#panel")
    expect(colour(mine, "blue")).to_have_attribute("aria-pressed", "true")
    colour(mine, "violet").click()
    eventually(lambda: colours(room) == [2, 7], "a colour that nobody has")
    expect(colour(theirs, "violet, Robert has it: swap")).to_be_visible()
    paint = "(disc) => getComputedStyle(disc).backgroundColor"
    drawn = {page: seat(page, 2).locator(".disc").evaluate(paint) for page in (host, ann, bob)}
    assert set(drawn.values()) == {"rgb(169, 139, 255)"}, "the same on every phone"

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
    sheet = sheet_of(host, 2)
    expect(sheet.get_by_role("button", name="Expert")).to_contain_text(sentence("best that this program can"))
    sheet.get_by_role("button", name="Expert").click()
    expect(seat(ann, 2)).to_contain_text("Expert")
    sheet.get_by_role("button", name=re.compile("^Beginner")).click()
    expect(seat(ann, 2)).to_contain_text("Beginner")
    shut(host)
    host.get_by_role("button", name="Start").click()
    ann.wait_for_url("**/play")
    expect(menu(ann, "players")).to_contain_text("computer, Beginner")
    shut(ann)

    sheet_of(host, 1).get_by_role("group", name="Let a computer play on").get_by_role("button", name="Casual").click()
    shut(host)
    expect(ann.locator("#panel")).to_contain_text("You are watching.")
    eventually(lambda: room.program.state()["turn"] > 1, "two computers play")
    guest = room.open("/")
    guest.get_by_role("group", name="This is my seat").get_by_role("button", name="Ann").click()
    host.get_by_role("button", name="Allow").click()
    guest.wait_for_url("**/play")
    assert not room.program.state()["seats"][0]["computer"]


@pytest.mark.thorough
def test_somebody_alone_finds_an_opponent_in_the_lobby(room: Room) -> None:
    """Only the host's phone can seat computers: it needs no other page for that, nor to start."""
    host, guest = room.host(), room.open("/")
    sheet_of(host, 1).get_by_text("Sit here with this phone").click()
    host.get_by_label("Name", exact=True).fill("Ann")
    host.get_by_role("button", name="Sit in seat 1").click()
    expect(host.locator("#who")).to_have_text("1Ann")
    seat_computer(host, 2, "Experienced")
    expect(seat(guest, 2)).to_contain_text("Experienced")
    sheet_of(host, 2).get_by_role("button", name="Strong").click()
    expect(seat(guest, 2)).to_contain_text("Strong")
    shut(host)
    sheet_of(guest, 2)
    expect(guest.locator("#sheet").get_by_role("button", name="Strong")).to_have_count(0)
    host.get_by_role("button", name="Start").click()
    host.wait_for_url("**/play")


def test_the_first_host_plays_at_once_or_invites(room: Room) -> None:
    """Two equal buttons; who plays gives a name, and a computer sits opposite."""
    host = room.host()
    expect(host.locator("#play-now")).to_be_enabled()
    boxes = [host.locator(one).bounding_box() for one in ("#play-now", "#invite")]
    assert all(boxes)
    assert [(box["width"], box["height"]) for box in boxes if box] == [(boxes[0]["width"], boxes[0]["height"])] * 2  # type: ignore[index]
    host.get_by_role("button", name="Invite others").click()
    expect(host.locator("#sheet").get_by_role("img", name="QR code to join seat")).to_have_count(2)
    shut(host)
    host.get_by_role("button", name="Play now against the computer").click()
    host.get_by_label("Name", exact=True).fill("Ann")
    host.get_by_role("button", name="Play", exact=True).click()
    host.wait_for_url("**/play")
    expect(host.locator("#who")).to_contain_text("Ann")
    assert [seat["computer"] for seat in room.program.state()["seats"]] == [False, True]


EDGES = """() => [...document.querySelectorAll(".go, .primary, #seats button")].filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect()).map((box) => [box.top, box.bottom])"""


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(390, 664), (360, 740), (320, 640), (844, 390)])
def test_the_lobby_has_one_button_to_press(room: Room, size: tuple[int, int]) -> None:
    """It is in sight without scrolling, for a guest, for somebody seated who has none, and for the host."""
    guest, ann, host = room.open("/"), room.player(2, "Ann"), room.host()
    players(host, "4 players")
    for page, words in ((guest, ["Sit in seat 1"]), (ann, []), (host, ["StartComputers take seats 1, 3 and 4"])):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        expect(page.locator("#seats button")).to_have_count(4)
        brass = page.locator(".go:visible, .primary:visible")
        expect(brass).to_have_text(words)
        assert page.evaluate("document.documentElement.scrollHeight") <= size[1], "nothing lies below the fold"
        edges = page.evaluate(EDGES)  # All in one moment: what the next view draws anew has no box meanwhile.
        assert len(edges) == len(words) + 4
        assert all(top >= 0 and bottom <= size[1] for top, bottom in edges), edges


@pytest.mark.thorough
def test_from_the_code_to_the_first_sealed_stone_in_five_taps(room: Room) -> None:
    """Somebody who knows nothing: the code's link, the host's start, a colour, a hole, the seal."""
    host, page = room.host(), room.guest(room.program.join_link(1))
    expect(page.get_by_role("heading", name="You sit")).to_be_visible()
    host.get_by_role("button", name="Start").click()
    page.wait_for_url("**/play")
    taps = ("#colour-w", '[data-node="D2"]', "#seal")
    for tap in taps:
        page.locator(tap).click()
    eventually(lambda: room.view["turn"] > 1 or room.view["seats"][0]["sealed"], "the stone is sealed")
    assert len(taps) <= 5

"""The page of the person who runs the table: how a phone becomes the host's, and that there may be two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests import forked
from tests.e2e.program import Program
from tests.e2e.room import Room, expect, menu
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--kind", "polarity", "--hands", "all", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


def paste(page: Page, text: str) -> None:
    page.get_by_label(sentence("The host's link, or the")).fill(text)
    page.get_by_role("button", name="I am the host").click()


def anew(data: Path) -> None:
    forked.run("host", "--anew", "--data", str(data), check=True)


@pytest.mark.thorough
def test_the_printed_link_makes_a_phone_the_hosts_until_there_is_a_new_one(room: Room) -> None:
    host = room.host()
    assert host.url == f"{room.base}/host", "the word of the link stays in no history"
    assert "lodestone-host" not in host.evaluate("document.cookie"), "no script reads it"
    host.reload()
    expect(host.get_by_role("button", name="Invite others")).to_be_visible()
    old = room.program.host_token()

    anew(room.program.data)
    host.reload()
    expect(host.get_by_role("button", name="I am the host")).to_be_visible()
    expect(host.locator("#page")).to_be_hidden()

    late = room.open(f"/host#{old}")
    expect(late.locator("#error")).to_have_text(sentence("this is not the host's"))
    paste(late, "no such word")
    expect(late.locator("#error")).to_have_text(sentence("this is not the host's"))
    paste(late, f"  {room.base}/host#{room.program.host_token()} ")
    expect(late.get_by_role("button", name="Invite others")).to_be_visible()
    expect(late.locator("#error")).to_be_hidden()

    menu(late, "leave")
    expect(late.get_by_role("button", name="I am the host")).to_be_visible()
    late.goto(f"{room.base}/")
    expect(menu(late).get_by_role("link", name="For the host")).to_be_visible()


@pytest.mark.thorough
def test_two_hosts_see_the_same_and_players_are_told(room: Room) -> None:
    ann, bob = room.player(1, "Ann"), room.player(2, "Bob")
    first, second = room.host(), room.host()
    second.get_by_role("button", name="Start").click()
    for page in (ann, bob):
        expect(page.get_by_role("heading", name="Choose in secret")).to_be_visible()

    first.get_by_role("button", name="Pause").click()
    for page in (ann, bob, first, second):
        expect(page.get_by_text(sentence("The host has paused the game.")).first).to_be_visible()
    turn = room.view["turn"]
    assert ann.evaluate(SEAL, turn) == ["paused", sentence("the host has paused the game")]
    second.get_by_role("button", name="Go on").click()
    expect(first.get_by_role("button", name="Pause")).to_be_visible()
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()
    assert room.view["paused"] is False
    assert ann.evaluate(SEAL, turn) is None
    expect(bob.locator("#seats")).to_contain_text("sealed")


SEAL = """(turn) => fetch("/api/seal", {
  method: "POST", headers: { "Content-Type": "application/json", "X-Lodestone": "1" },
  body: JSON.stringify({ turn, commitment: "0".repeat(64) }),
}).then((answer) => answer.json()).then(({ error }) => (error ? [error.code, error.message] : null))"""

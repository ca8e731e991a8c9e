"""Two programs, two hosts' pages: one opens a room, the other joins it by the invitation, a game begins at both."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import agree, expect
from tests.link.brokers import RealBroker
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    found = RealBroker("own", tmp_path)
    yield found
    found.close()


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[list[Program]]:
    made = [Program(tmp_path / name, "--game", "coil", "--kind", "polarity").start() for name in ("ada", "ben")]
    yield made
    for one in made:
        one.stop(signal.SIGKILL)


def host_of(browser: Browser, home: Program) -> Page:
    page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    page.goto(f"{home.base}/host#{home.host_token()}")

    def is_open() -> bool:  # While the first answers come the page is drawn anew, and a tap may meet what is replaced.
        shown = page.locator("#open-name").is_visible()
        if not shown:
            page.locator("#room").click()
        return shown

    eventually(is_open, "the sheet")
    return page


def test_two_hosts_meet(browser: Browser, homes: list[Program], broker: RealBroker) -> None:
    """The invitation is shown to be copied, the words to compare are the same, a game begins at both tables."""
    ada, ben = (host_of(browser, home) for home in homes)
    ada.get_by_label(sentence("What the others call this")).first.fill("Ada's")
    ada.get_by_label("MQTT broker").fill(broker.url)
    ada.get_by_role("button", name="Open a room").click()
    link = ada.locator("#link-play").input_value()
    assert link.startswith("lodestone-room:?")
    for does, words in (("false", sentence("copy it with your keyboard")), ("true", "Copied.")):
        ada.evaluate(f"document.execCommand = () => {does}")
        ada.locator("#copy-play").click()
        expect(ada.locator('[data-card="invitation-play"]').get_by_role("status")).to_have_text(words)
        expect(ada.locator("#error")).to_be_hidden()
    ben.locator("#join-name").fill("Ben's")
    ben.locator("#invitation").fill("lodestone-room:?broker=x")
    ben.get_by_role("button", name="Join").click()
    expect(ben.get_by_role("alert")).to_contain_text("the invitation is not whole")
    ben.locator("#room").click()
    expect(ben.locator("#join-name")).to_have_value("Ben's")
    ben.locator("#invitation").fill(link)
    ben.get_by_role("button", name="Join").click()
    expect(ada.locator("#room-tables")).to_contain_text("Ben's: here")
    expect(ben.locator("#room-tables")).to_contain_text("Ada's: here")
    assert ada.locator("#room-words").inner_text() == ben.locator("#room-words").inner_text()

    game = homes[0].state()["game"]["id"]
    for seat, home in enumerate(homes, 1):
        eventually(lambda home=home: home.state()["game"]["id"] == game, "both tables open the same game")
        home.as_host("computer", seat=seat, level=1)
    for home in homes:
        eventually(lambda home=home: all(one["taken"] for one in home.state()["seats"]), "both seats are taken at both")
    homes[1].start_game()
    for home in homes:  # How it goes on: test_processes.py.
        eventually(lambda home=home: home.state()["phase"] == "resolving", "the game begins at both tables")
    assert [home.state()["game"]["id"] for home in homes] == [game, game]

    ben.get_by_role("button", name="Leave the room").click()
    agree(ben)
    expect(ben.locator("#room-tables")).to_be_hidden()
    assert homes[1].get("/api/host/state", Cookie=homes[1].be_host())["room"] is None

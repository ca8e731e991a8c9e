"""Two programs, two hosts' pages: one opens a room, the other joins it by the invitation, a game begins at both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from lodestone.server import Server
from tests.e2e.room import agree, expect
from tests.link.brokers import RealBroker

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    found = RealBroker("own", tmp_path)
    yield found
    found.close()


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[list[Server]]:
    made = []
    for name in ("ada", "ben"):
        (tmp_path / name).mkdir()
        made.append(Server(tmp_path / name, "--game", "coil", "--hands", "all", "--pause", "0"))
    yield made
    for one in made:
        one.close()


def host_of(browser: Browser, home: Server) -> Page:
    page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    token = (home.folder / "data" / "host").read_text(encoding="ascii").strip()
    page.goto(f"{home.url}/host#{token}")
    page.locator("#room").click()
    return page


def test_two_hosts_meet(browser: Browser, homes: list[Server], broker: RealBroker) -> None:
    """The invitation is shown to be copied, the words to compare are the same, and the boards follow each other."""
    ada, ben = (host_of(browser, home) for home in homes)
    ada.get_by_label("What the others call this table").first.fill("Ada's")
    ada.get_by_label("MQTT broker").fill(broker.url)
    ada.get_by_role("button", name="Open a room").click()
    link = ada.locator("#link-play").input_value()
    assert link.startswith("lodestone-room:?")
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

    for seat, home in enumerate(homes, 1):
        home.until(lambda view: view["game"]["id"] == homes[0].view["game"]["id"])
        home.host().post("/api/host/computer", {"seat": seat, "level": 1})
    for home in homes:
        home.until(lambda view: all(one["taken"] for one in view["seats"]))
    homes[1].host().post("/api/host/start", {})
    for home in homes:
        home.until(lambda view: len(view["board"]) >= 3, within=120)

    ben.get_by_role("button", name="Leave the room").click()
    agree(ben)
    expect(ben.locator("#room-tables")).to_be_hidden()
    assert homes[1].host().get("/api/host/state")["room"] is None

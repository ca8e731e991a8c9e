"""The host lets a new table play on for one that is lost, with the button of the host's page in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.e2e.room import Room, expect
from tests.extensions.rooms.test_processes import Home, meet
from tests.link.brokers import RealBroker
from tests.sentences import sentence
from tests.waiting import eventually

BOARD = ("--sim", "--board", "hexhex-7")


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_a_new_table_plays_on_for_a_lost_one(tmp_path: Path, broker: RealBroker, browser: Browser) -> None:
    """Computers play at two tables; one is lost with its card, and the game goes on with a third one."""
    homes = meet(tmp_path, broker.url, BOARD, BOARD)
    try:
        first, lost = homes
        first.host.post("/api/host/start", {})
        first.until(lambda view: view["turn"] and view["turn"] >= 3)
        lost.kill()
        eventually(lambda: not first.room["tables"][0]["here"], "the lost table is away")
        new = Home(tmp_path / "new", *BOARD)
        homes[1] = new
        new.host.post("/api/host/room/join", {"name": "Home 2", "link": first.room["link"]})
        eventually(lambda: any(one["instead_of"] for one in first.room["tables"]), "the new table may play on")
        turn = first.view["turn"]
        with Room.around(first.program, browser) as room:
            page = room.host()
            page.locator("#room").click()
            button = page.get_by_role("button", name=sentence("Let the new", heir="Home 2"))
            expect(page.locator("#room-tables li")).to_have_count(1)  # Nobody is listed twice.
            button.click()
            page.locator("#ask button[value=yes]").click()
            expect(button).to_have_count(0)  # A page that is closed earlier may not have sent its request yet.
        for home in homes:
            home.until(lambda view: view["turn"] and view["turn"] >= turn + 2)
        assert not any(one["instead_of"] for one in first.room["tables"])
    finally:
        for home in homes:
            home.close()

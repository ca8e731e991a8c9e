"""The program is killed while phones open their seals: they hold what they sealed, and send it again by themselves."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.program import Program, eventually
from tests.e2e.room import Room
from tests.e2e.test_whole_game import seal

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--board", "sim")
    with Room.around(program, browser) as room:
        yield room


@pytest.mark.thorough
def test_phones_send_their_openings_again(program: Program, room: Room) -> None:
    ann, bob = room.player(1, "Ann"), room.player(2, "Bob")
    program.start_game()
    for page in (ann, bob):
        expect(page.get_by_role("heading", name="Choose in secret")).to_be_visible()
    bob.route("**/api/open", lambda route: route.abort())
    seal(ann, "wD2")
    seal(bob, "bD10")
    eventually(lambda: program.state()["seats"][0]["opened"], "Ann's opening")
    program.stop(signal.SIGKILL)
    held = b"".join(path.read_bytes() for path in program.data.rglob("*") if path.is_file())
    assert b"wD2" not in held
    bob.unroute_all()
    program.start("--resume")
    assert program.until_phase("placing")["board"] == {"D2": ["w"], "D10": ["b"]}

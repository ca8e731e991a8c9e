"""A damaged game on the host's page: what is whole of it is saved."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.program import Program
from tests.sentences import find, parts
from tests.session.test_resuming import spoil_unfinished, two_games

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_the_host_saves_what_is_whole_of_a_damaged_game(
    program: Program, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil_unfinished(two_games(program.data / "journal.sqlite"))
    monkeypatch.setenv("NOTIFY_SOCKET", str(program.data / "nobody"))
    program.start("--resume")
    page = browser.new_page(viewport={"width": 360, "height": 740}, locale="de")
    page.goto(f"{program.base}/host#{program.host_token()}")
    repair = page.locator("#repair")
    repair.scroll_into_view_if_needed()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    repair.click()
    expect(page.locator("#asktext")).to_have_text(find("undamaged part of the game?", "de")[0])
    page.locator("#ask button[value=yes]").click()
    kept, *_ = parts(find("damaged files are kept in", "de")[0])
    expect(page.locator("#notices, .notice").filter(has_text=kept).first).to_be_visible()
    expect(repair).to_have_count(0)
    assert program.as_host("take-up", id="spokes-00000002")[0] == 200
    page.close()

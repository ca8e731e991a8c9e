"""The machine's card on the host's page: a backup from the whole program, which can be restored, and its log."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from firmware_host.upkeep.restore import restore
from tests.e2e.program import Program

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_the_host_downloads_a_backup_and_the_log(program: Program, browser: Browser, tmp_path: Path) -> None:
    program.start("--new", "--kind", "polarity")
    context = browser.new_context(viewport={"width": 320, "height": 740})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{program.base}/host?part=hardware#{program.host_token()}")
    card = page.locator("#care [data-card=care]")
    expect(card).to_contain_text("The machine")
    expect(card.locator("#care-shutdown")).to_have_count(0)
    with page.expect_download() as kept:
        card.locator("#care-backup").click()
    assert kept.value.suggested_filename.startswith("lodestone-backup-")
    kept.value.save_as(tmp_path / "kept.zip")
    restore(tmp_path / "kept.zip", tmp_path / "fresh")
    assert (tmp_path / "fresh" / "journal.sqlite").exists()
    assert not (tmp_path / "fresh" / "key").exists()
    with page.expect_download() as log:
        card.locator("#care-log").click()
    assert log.value.suggested_filename.endswith(".txt")
    expect(card.get_by_role("button", name="Look for an update")).to_have_count(0)  # install.sh has not put it here.
    assert complaints == []

    told = {"version": "0.1.0", "found": "0.2.0", "doing": None, "told": None, "good": True}
    care = {"warnings": [], "files": True, "power": False, "update": told}
    page.route("**/api/host/care", lambda route: route.fulfill(json=care))
    page.goto(f"{program.base}/host?part=hardware")
    expect(card).to_contain_text("An update is available: Lodestone 0.2.0.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    told.update(found=None, doing="Fetching the update …")
    card.get_by_role("button", name="Update now").click()
    page.locator("#ask button[value=yes]").click()
    expect(page.locator("#error")).to_contain_text("only a Lodestone that install.sh has put in place updates itself")
    expect(card.get_by_role("progressbar", name="Fetching the update …")).to_be_visible()
    told.update(version="0.2.0", doing=None, told="Lodestone 0.2.0 runs now.")
    expect(card).to_contain_text("Lodestone 0.2.0 runs now.")
    context.close()

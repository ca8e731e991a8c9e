"""The machine's card on the host's page: a backup from the whole program, which can be restored, and its log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from firmware_host.extensions.appliance.backup import restore
from tests.e2e.program import Program
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.mark.thorough
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

    told = {"version": "0.1.0", "found": "0.2.0", "doing": None, "message": None, "good": True}
    care = {"warnings": [], "files": True, "power": False, "update": told}
    page.route("**/api/host/care", lambda route: route.fulfill(json=care))
    page.goto(f"{program.base}/host?part=hardware")
    expect(card).to_contain_text("An update is available: Lodestone 0.2.0.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    told.update(found=None, doing="Fetching the update …")
    card.get_by_role("button", name="Update now").click()
    page.locator("#ask button[value=yes]").click()
    expect(page.locator("#error")).to_contain_text(sentence("only a Lodestone that install.sh"))
    expect(card.get_by_role("progressbar", name="Fetching the update …")).to_be_visible()
    told.update(version="0.2.0", doing=None, message="Lodestone 0.2.0 runs now.")
    expect(card).to_contain_text("Lodestone 0.2.0 runs now.")
    complaints.clear()  # The browser's own line about the refused update.
    choose_a_network(page, card.locator("#care-network"), care)
    assert complaints == []
    context.close()


def choose_a_network(page: Page, link: Locator, care: dict[str, Any]) -> None:
    """Choose a hidden network on the page of the Wi-Fi; the service behind it is that of test_wifi.py."""
    home = {"id": b"Home".hex(), "name": "Home", "signal": 80, "kind": "psk", "in_use": False}
    free = {**home, "id": b"Free".hex(), "name": "Free", "kind": "open"}
    network = {
        "offered": True,
        "host": True,
        "confirms": False,
        "asked": None,
        "hotspot": "Lodestone-ab3d",
        "networks": [home, free],
        "doing": None,
        "message": None,
        "good": True,
    }
    sent: list[Any] = []
    page.route("**/api/network", lambda route: route.fulfill(json=network))
    page.route(
        "**/api/network/join",
        lambda route: (sent.append(route.request.post_data_json), route.fulfill(json={"ok": True, "code": None})),
    )
    care.update(network=True)
    page.reload()
    link.click()
    expect(page.locator("#message")).to_have_text(sentence("The table knows no network", name="Lodestone-ab3d"))
    expect(page.locator("#network option")).to_have_text(
        ["Home (80 %)", "Free (80 %, without a password)", "Another, hidden network …"]
    )
    page.get_by_label("Its password").fill("12345678")
    page.locator("#network").select_option("Free (80 %, without a password)")
    expect(page.get_by_label("Its password")).to_be_hidden()
    page.locator("#network").select_option("Another, hidden network …")
    page.get_by_label("The name of the network").fill("Café")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="Join this network").click()
    page.locator("#ask button[value=yes]").click()
    expect(page.get_by_label("Its password")).to_have_value("")
    network.update(doing="Joining Café …")
    expect(page.locator("#message")).to_have_text("Joining Café …")
    assert sent == [{"network": "Café".encode().hex(), "password": "12345678", "hidden": True}]

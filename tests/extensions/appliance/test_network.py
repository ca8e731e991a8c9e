"""The table's Wi-Fi from a phone in its hotspot: alone at first, and at the host's word once somebody is the host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from firmware_host.extensions.appliance.care import Care
from firmware_host.extensions.appliance.extension import EXTENSION, attach_care
from firmware_host.extensions.appliance.update import Updates
from tests.e2e.room import faults_of
from tests.extensions.appliance.wifi import FREE, HOME, FakeWifi
from tests.sentences import sentence
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


class NearWifi(FakeWifi):
    """A hotspot whose guests are on this machine."""

    def is_guest(self, address: str | None) -> bool:
        return self.hotspot is not None


@pytest.fixture
def wifi() -> NearWifi:
    wifi = NearWifi()
    wifi.networks = [HOME, FREE]
    return wifi


@pytest.fixture
def table(tmp_path: Path, wifi: NearWifi) -> Iterator[ServedTable]:
    care = Care(tmp_path, "1.0", Updates(None, None, "1.0"), wifi)
    with ServedTable.opened(tmp_path, attached={EXTENSION: attach_care(care)}, virtual=True) as served:
        yield served


@pytest.mark.thorough
@pytest.mark.parametrize("reloaded", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_a_guest_shows_the_host_a_code_for_a_network(
    table: ServedTable, wifi: NearWifi, browser: Browser, reloaded: bool
) -> None:
    context, other = browser.new_context(viewport={"width": 360, "height": 740}), browser.new_context()
    guest, host = context.new_page(), other.new_page()
    faults = [faults_of(guest), faults_of(host)]
    guest.goto(f"{table.base}/network")
    button, why = guest.locator("#join"), guest.locator("#confirm-row")
    expect(button).to_have_text("Join this network")
    expect(why).to_be_hidden()
    guest.locator("#network").select_option("Free (40 %, without a password)")
    expect(button).to_have_text("Ask the host")
    expect(why).to_be_visible()

    host.goto(f"{table.base}/host#{TOKEN}")
    expect(host.locator("#part-table")).to_be_visible()
    guest.locator("#network").select_option("Home (80 %)")
    expect(button).to_have_text("Ask the host")
    guest.get_by_label("Its password").fill("12345678")
    button.click()
    expect(guest.locator("#message")).to_have_text(sentence("The host has to allow"))
    expect(guest.locator("#code")).to_be_in_viewport()
    assert guest.evaluate("document.documentElement.scrollWidth") <= 360
    if reloaded:
        guest.reload()
    code = guest.locator("#code")
    expect(code).to_have_text(host.locator("#asks .ask-code").inner_text())
    card = host.locator("[data-card=network-ask]")
    expect(card).to_contain_text(sentence("A phone wants the table", name="Home"))
    card.get_by_role("button", name="Refuse").click()
    expect(guest.locator("#message")).to_have_text(sentence("The host has not allowed"))
    expect(card).to_have_count(0)
    assert wifi.joined == []

    guest.locator("#network").select_option("Another, hidden network \u2026")
    guest.get_by_label("The name of the network").fill("Caf\u00e9")
    button.click()
    expect(card).to_contain_text("Caf\u00e9")
    expect(card.locator(".notice")).to_have_text(re.compile("^It has no password"))
    wifi.doing = "Joining Caf\u00e9 \u2026"
    card.get_by_role("button", name="Allow").click()
    expect(guest.locator("#message")).to_have_text("Joining Caf\u00e9 \u2026")
    expect(code).to_be_hidden()
    assert wifi.joined == [("Caf\u00e9".encode().hex(), "", True)]
    assert faults == [[], []]
    context.close()
    other.close()


def test_screens_show_the_code_of_the_own_wifi_first(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context()
    # The workshop's lines ask for what this table has not.
    context.route("**/api/host/workshop", lambda route: route.fulfill(body="null", content_type="application/json"))
    screen, host = context.new_page(), context.new_page()
    faults = [faults_of(screen), faults_of(host)]
    for path in ("/tv", "/board"):
        screen.goto(f"{table.base}{path}")
        first = screen.locator("[data-card]").first
        expect(first).to_have_attribute("data-card", "wifi")
        expect(first).to_contain_text("Lodestone-ab3d")
    host.goto(f"{table.base}/host?part=hardware#{TOKEN}")
    expect(host.locator("#own-wifi")).to_be_visible()
    expect(host.locator("#care [data-card=care]")).to_contain_text("Choose the Wi-Fi")
    assert faults == [[], []]
    context.close()

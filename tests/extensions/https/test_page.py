"""A table over HTTPS: what its addresses say, and a screen that stays on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright

from tests.deleted import LACKING
from tests.e2e.chromium import LAN_NAME, launched
from tests.e2e.program import Program, eventually
from tests.e2e.room import PHONE, SPY, expect, locks
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(600)]


class SecureTable:
    """A program that speaks HTTPS by its own certificate, and browsers that put up with it."""

    def __init__(self, program: Program, browser: Browser) -> None:
        self.program, self.browser = program, browser
        self.base = f"https://{LAN_NAME}:{program.port}"

    def phone(self, *permissions: str) -> BrowserContext:
        context = self.browser.new_context(viewport=PHONE, locale="en-GB", has_touch=True)
        context.grant_permissions(list(permissions), origin=self.base)
        context.add_init_script(SPY)
        return context

    def player(self, *permissions: str) -> Page:
        """Return the phone of the host, who plays against a computer and has the first turn."""
        page = self.phone(*permissions).new_page()
        page.goto(f"{self.base}/host#{self.program.host_token()}")
        page.locator("#play-now").click()
        page.locator("#own-name").fill("Ann")
        page.locator("#own-name-go").click()
        page.wait_for_url("**/play")
        return page


@pytest.fixture
def table(program: Program, playwright: Playwright) -> Iterator[SecureTable]:
    program.start("--new", "--hands", "computer", "--pause", "0.01", "--https")
    browser = launched(playwright, "--ignore-certificate-errors")
    yield SecureTable(program, browser)
    browser.close()


@pytest.mark.skipif("awake" in LACKING, reason="keeps phones on")
def test_over_https_a_phone_stays_on_in_its_turn(table: SecureTable) -> None:
    phone = table.player("screen-wake-lock")
    assert phone.evaluate("isSecureContext")
    eventually(lambda: locks(phone) == 1, "it is Ann's turn to choose")
    assert any(cookie["name"].startswith("__Host-") and cookie["secure"] for cookie in phone.context.cookies())


@pytest.mark.thorough
def test_what_browsers_warn_of_is_explained(table: SecureTable) -> None:
    page = table.phone().new_page()
    page.goto(f"http://{LAN_NAME}:{table.program.port}/host#word")
    expect(page.get_by_role("heading")).to_have_text(sentence("What the warning means"))
    expect(page.locator("#go")).to_have_attribute("href", f"{table.base}/host#word")
    page.goto(f"{table.base}/tv")
    expect(page.locator("#joining")).to_contain_text(sentence("Your phone warns once"))
    expect(page.locator("#join figcaption")).to_contain_text("https://")

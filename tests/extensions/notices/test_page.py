"""A notification calls a player who looks elsewhere, on addresses that browsers trust."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.program import Program, eventually
from tests.e2e.room import PHONE, Room, expect, menu, shut

pytestmark = [pytest.mark.e2e, pytest.mark.thorough, pytest.mark.timeout(600)]

AWAY = """(() => {
  const away = () => sessionStorage.getItem("test-away") === "1";
  Object.defineProperty(document, "visibilityState", { get: () => (away() ? "hidden" : "visible") });
  Object.defineProperty(document, "hidden", { get: away });
})()"""
"""A driven browser's pages are never hidden: a test says when they are."""
NO_PLACE = """(() => {
  if (Notification.permission === "granted") return;
  const shown = new Map();
  Object.defineProperty(Notification, "permission", { get: () => sessionStorage.getItem("test-leave") ?? "default" });
  Notification.requestPermission = async () => {
    sessionStorage.setItem("test-leave", "granted");
    return "granted";
  };
  Object.assign(ServiceWorkerRegistration.prototype, {
    async showNotification(title, { tag, body }) { shown.set(tag, { title, body, close: () => shown.delete(tag) }); },
    async getNotifications({ tag }) { return [shown.get(tag)].filter(Boolean); },
  });
})()"""
"""The headless shell has no place for notifications and permits none, whatever is granted; Chromium with
``--headless=new`` does. The service worker is the browser's own in both."""
SHOWN = """async () => {
  const worker = await navigator.serviceWorker.getRegistration("/static/shared/notices_worker.js");
  const found = await worker?.getNotifications({ tag: "lodestone-turn" }) ?? [];
  return found.map(({ title, body }) => ({ title, body }));
}"""


@pytest.fixture
def room(program: Program, browser: Browser) -> Iterator[Room]:
    program.start("--new", "--hands", "all", "--pause", "0.01")
    with Room.around(program, browser) as room:
        yield room


def away(page: Page, yes: bool) -> None:
    page.evaluate(
        """(yes) => {
          sessionStorage.setItem("test-away", yes ? "1" : "0");
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        yes,
    )


def shown(page: Page) -> list[Any]:
    return list(page.evaluate(SHOWN))


def test_a_player_who_looks_elsewhere_is_called(room: Room) -> None:
    context = room.browser.new_context(viewport=PHONE, locale="en-GB", has_touch=True)
    room.contexts.append(context)
    context.grant_permissions(["notifications"], origin=room.program.base)
    for script in (AWAY, NO_PLACE):
        context.add_init_script(script)
    phone = context.new_page()
    phone.goto(f"{room.program.base}/host#{room.program.host_token()}")
    phone.locator("#play-now").click()
    phone.locator("#own-name").fill("Ann")
    phone.locator("#own-name-go").click()
    phone.wait_for_url("**/play")
    switch = menu(phone).locator("#notices")
    expect(switch).to_have_attribute("aria-checked", "false")
    switch.click()
    eventually(lambda: phone.evaluate("localStorage.getItem('lodestone-notices')") == "on", "the switch is on")
    expect(switch).to_have_attribute("aria-checked", "true")
    shut(phone)
    phone.locator('[data-node="D12"]').click()
    away(phone, True)
    phone.evaluate("document.getElementById('seal').click()")
    (told,) = eventually(lambda: shown(phone), "it is her turn again")
    assert told["title"]
    assert told["body"]
    away(phone, False)
    eventually(lambda: not shown(phone), "she has seen it")


def test_an_address_that_browsers_do_not_trust_has_no_such_switch(room: Room) -> None:
    phone = room.host()
    phone.locator("#play-now").click()
    phone.locator("#own-name").fill("Ann")
    phone.locator("#own-name-go").click()
    phone.wait_for_url("**/play")
    expect(menu(phone).locator("#letters")).to_be_visible()
    expect(phone.locator("#notices")).to_have_count(0)

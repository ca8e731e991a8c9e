"""A room with a table: the host's phone, players' phones, and screens, each with cookies of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Expect, Locator, Page

from tests.e2e.chromium import LAN_NAME
from tests.e2e.program import PATIENCE_S, Program

PHONE = {"width": 360, "height": 740}
SCREEN = {"width": 1280, "height": 900}

expect = Expect()
"""As patient as a slow machine needs."""
expect.set_options(timeout=1000 * PATIENCE_S)


SPY = """(() => {
  const locks = (window.locks = new Set());
  const request = navigator.wakeLock?.request.bind(navigator.wakeLock);
  if (request) navigator.wakeLock.request = async (kind) => {
    const lock = await request(kind);
    locks.add(lock);
    lock.addEventListener("release", () => locks.delete(lock));
    return lock;
  };
})()"""
"""Counts the browser's own locks."""

ENDING = ".ended #headline, #result .moment"
"""Who has won, on phones and on the big screen."""


class Room:
    """Opens pages on the address that phones use, which browsers do not trust. Use :meth:`around`."""

    def __init__(self, program: Program, browser: Browser) -> None:
        self.program = program
        self.browser = browser
        self.base = f"http://{LAN_NAME}:{program.port}"
        self.contexts: list[BrowserContext] = []

    @classmethod
    @contextmanager
    def around(cls, program: Program, browser: Browser) -> Iterator[Room]:
        room = cls(program, browser)
        try:
            yield room
        finally:
            for context in room.contexts:
                context.close()

    @property
    def view(self) -> Any:
        return self.program.state()

    def open(self, path: str, size: Any = None) -> Page:
        """Return a page of a browser that nobody knows yet."""
        context = self.browser.new_context(viewport=size or PHONE, locale="en-GB", has_touch=True)
        self.contexts.append(context)
        page = context.new_page()
        page.goto(self.base + path)
        return page

    def host(self, size: Any = None) -> Page:
        """Return the host's page, opened by the link that the program prints."""
        page = self.open(f"/host#{self.program.host_token()}", size)
        expect(page.locator("#page")).to_be_visible()
        return page

    def guest(self, link: str) -> Page:
        """Return a phone that has opened a seat's link."""
        return self.open(link.partition(f":{self.program.port}")[2])

    def player(self, seat: int, name: str) -> Page:
        """Return the phone of somebody who has sat down, in the lobby."""
        page = self.guest(self.program.join_link(seat))
        sit_down(page, name)
        return page


def sit_down(page: Page, name: str) -> None:
    """Give one's name on the phone of somebody who has opened a seat's link, and so sits."""
    expect(page.locator("#who")).to_be_visible()
    if page.url.endswith("/host"):
        own = page.locator("#seats").get_by_text("you", exact=True)
        own.click()
    field = page.get_by_label("Name", exact=True)
    field.fill(name)
    field.press("Enter")
    expect(page.locator("#who")).to_contain_text(name)
    if page.url.endswith("/host"):
        shut(page)
    else:
        expect(page.locator("#stand-up")).to_be_visible()


def won_by(name: str) -> re.Pattern[str]:
    """Return the headline of the end: on the winner's own phone, and on all others."""
    return re.compile(f"^(You win|{re.escape(name)} wins)$")


def agree(page: Page, answer: str = "Yes") -> None:
    """Answer the question that the page asks back."""
    page.locator("#ask").get_by_role("button", name=answer, exact=True).click()


def part(page: Page, name: str) -> None:
    """Open one of the three parts of the host's page."""
    menu(page, f"to-{name.lower()}")


def seat(page: Page, number: int) -> Locator:
    """Return a seat's disc in the lobby, or its line on the host's page."""
    return page.locator(f'#seats [data-card="{number}"]')


def menu(page: Page, line: str = "") -> Locator:
    """Open the menu of a page, and a line of it by its id; return the sheet. :func:`shut` closes it."""
    page.locator("#menu").click()
    sheet = page.locator("#sheet")
    expect(sheet).to_be_visible()
    if line:
        sheet.locator(f"#{line}").click()
    return sheet


def shut(page: Page) -> None:
    """Close the sheet."""
    page.keyboard.press("Escape")
    expect(page.locator("#sheet")).to_be_hidden()


def choose(page: Page, action: str) -> None:
    """Choose a step from the list of whoever acts; the sheet closes by itself."""
    step = page.locator(f'[id="step-{action}"]')
    sheet = menu(page, "moves")
    if not step.is_visible():
        sheet.locator("details.group", has=step).locator("summary").click()
    step.click()
    expect(sheet).to_be_hidden()


def types(page: Page, placement: str) -> None:
    """Type a placement, as ``wD2``; the sheet closes by itself."""
    field = menu(page, "moves").locator("#typed")
    field.fill(placement)
    field.press("Enter")
    expect(field).to_be_hidden()


def begin_lesson(page: Page, base: str, name: str) -> None:
    """Begin a lesson on a phone alone."""
    page.goto(base)
    page.locator("#learn-open").click()
    page.locator("#learn-phone").check()
    page.locator("#sheet summary").first.click()
    page.locator(f"#lesson-{name}").click()
    page.wait_for_url("**/play?alone=1")


def tap(page: Page, node: str) -> None:
    """Tap the middle of a node, whatever lies there."""
    x, y = page.locator(f'[data-node="{node}"]').evaluate(
        "(group) => { const { e, f } = group.getScreenCTM(); return [e, f]; }"
    )
    page.mouse.click(x, y)


def sheet_of(page: Page, number: int) -> Locator:
    """Open the sheet of a seat; return it."""
    seat(page, number).click()
    return page.locator("#sheet")


def seat_computer(page: Page, number: int, level: str = "Casual") -> None:
    """Let the host give a free seat to a computer."""
    sheet_of(page, number).get_by_role("group", name="A computer plays").get_by_role("button", name=level).click()
    expect(page.locator("#sheet").get_by_text("Level of the computer")).to_be_visible()
    shut(page)


def faults_of(page: Page) -> list[str]:
    """Return what goes wrong on a page, as it comes: errors, and what the policy refuses."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    return faults


def locks(page: Page) -> int:
    return int(page.evaluate("locks.size"))

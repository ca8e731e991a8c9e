"""The check of the board from the host's page, in a browser as narrow as phones get."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.e2e.program import Program
from tests.e2e.room import expect
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def test_the_page_draws_the_node_to_touch_and_follows_the_stone(program: Program, browser: Browser) -> None:
    program.start("--new", "--kind", "presence")
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{program.base}/host?part=hardware#{program.host_token()}")
    begin = page.get_by_role("button", name="Check the board")
    begin.focus()
    begin.press("Enter")
    card = page.locator('[data-card="workshop"]')
    lit = card.locator(".glow.lit")
    for done, colour in enumerate(("Red", "Green", "Blue")):
        expect(card).to_contain_text(f"{done} of 3 done")  # An answer belongs to the step that the page shows.
        expect(card.locator(".workshop-words")).to_contain_text("Which colour do you see?")
        page.get_by_role("button", name=colour, exact=True).press("Enter")
    expect(card.locator(".workshop-words")).to_contain_text("Put a stone on")
    expect(lit).to_have_count(1)
    node = card.locator(".node", has=page.locator(".glow.lit")).get_attribute("data-node")
    program.hand("put", node=node, piece="w")
    expect(card.locator(".workshop-words")).to_have_text(sentence("Thank you. Take the stone"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    program.do({"do": "take", "node": node})
    expect(card).to_contain_text("1 of 45 done")
    expect(card.locator(".workshop-words")).to_contain_text("Put a stone on")
    page.get_by_role("button", name="Stop").press("Enter")
    expect(card).to_contain_text(sentence("Nothing wrong was found, but"))
    expect(page.get_by_role("button", name="Check it again")).to_be_visible()
    assert complaints == []
    context.close()

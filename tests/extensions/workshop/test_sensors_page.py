"""The page of live readings, in a browser, beside a running table."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.program import Program
from tests.sampling import cases


@pytest.mark.parametrize("width", cases([320, 360, 1280], 320))
def test_a_stone_shows_on_the_page_of_readings(program: Program, browser: Browser, width: int) -> None:
    program.start("--new", "--kind", "presence")
    context = browser.new_context(viewport={"width": width, "height": 740})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{program.base}/hardware")
    expect(page.locator("#sensors tr")).to_have_count(45)
    node = {320: "D12", 360: "B2", 1280: "7"}[width]
    program.hand("put", node=node, piece="b")
    felt = page.locator("#sensors tr.felt")
    expect(felt).to_have_count(1)
    expect(felt.locator("th")).to_have_text(node)
    expect(felt).to_contain_text("stone")
    expect(page.locator("#picture g.felt")).to_have_attribute("data-node", node)
    expect(page.locator("#picture g")).to_have_count(45)
    expect(page.locator("#message")).to_contain_text("scans a second")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []
    context.close()

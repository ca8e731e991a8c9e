"""The reveal on phones: they count once all seals are open, and show nothing of them before."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.staged import house, scenes, show, staged

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def around(views: Any) -> list[Any]:
    """Return the moments of one turn: sealing, all sealed, all open."""
    opened = {**views["placing"], "you": None}
    closed = {
        **views["sealing"],
        "you": None,
        "seats": [{**seat, "sealed": True} for seat in views["sealing"]["seats"]],
    }
    return [{**closed, "seats": views["sealing"]["seats"]}, {**closed, "phase": "revealing"}, opened]


@pytest.mark.thorough
def test_a_phone_counts_with_it_and_nobody_has_to_wait(browser: Browser, tmp_path: Any) -> None:
    views = scenes(tmp_path)
    sealed = {**around(views)[1], "you": views["sealing"]["you"]}
    (tmp_path / "house").mkdir()
    with house(tmp_path / "house") as base:
        context, page = staged(browser, reduced_motion="no-preference")
        page.clock.install(time=0)
        page.goto(f"{base}/play")
        page.clock.pause_at(60_000)
        count, stone = page.locator("#count"), page.locator('[data-node="D12"] .stone')
        for ends in ("by itself", "by a tap", "by what happens"):
            show(page, sealed)
            expect(count, ends).to_be_hidden()
            show(page, views["placing"])
            expect(count.locator(".counter b"), ends).to_have_text("3")
            expect(stone, ends).to_have_count(0)
            if ends == "by itself":
                page.clock.run_for(2700)
            elif ends == "by a tap":
                page.locator("#headline").click()
            else:
                show(page, {**views["placing"], "paused": True})
            expect(count, ends).to_be_hidden()
            expect(stone, ends).to_have_count(1)
        context.close()

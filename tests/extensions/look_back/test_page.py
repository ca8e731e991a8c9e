"""A phone looks back, in a browser: what it shows meanwhile, and what others see of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.e2e.program import eventually
from tests.e2e.room import menu
from tests.e2e.test_picking import start
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def hexagon(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, board="hexhex-7") as served:
        yield served


def test_a_phone_steps_back_through_the_moves_alone(hexagon: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """Others see nothing of it; meanwhile the game goes on, and the title says whose turn it is."""
    ann, bob = start(hexagon, phones)
    stones = ann.locator("#board [data-node='b2'] use, #board [data-node='b2'] .stone")
    hexagon.hand.put("b2", "b")
    eventually(lambda: hexagon.view["resolver"] == 2, "the stone counts")
    menu(ann, "happened").locator("#past").click()
    expect(ann.locator("#past-back")).to_be_enabled()
    expect(stones.first).to_be_attached()
    ann.locator("#past-back").click()
    expect(ann.locator("#message")).to_have_text("The game begins: Ann against Bob.")
    expect(ann.locator("#past-back")).to_be_disabled()
    expect(bob.locator("#past-back")).to_have_count(0)
    hexagon.hand.put("c3", "b")
    expect(ann).to_have_title(re.compile("^● "))
    expect(ann.locator("#message")).to_have_text("The game begins: Ann against Bob.")
    expect(ann.locator('.tray [data-card="past"]')).to_contain_text("It is your turn.")
    ann.locator("#past-close").click()
    expect(ann.locator("#headline")).to_have_text("Your turn")

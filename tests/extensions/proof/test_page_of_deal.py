"""A shuffled stack: its seal is on phones before the first tile, and each phone checks it when the game is over."""

from __future__ import annotations

import copy
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from firmware_host.extensions.proof.requests import Seals
from firmware_host.games.seals import chain_of, deal_seal
from firmware_host.table.subjects.resolving import Resigned
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from tests.e2e.room import menu
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, board="octiles-53") as served:
        for seat, name in ((1, "Ann"), (2, "Bob")):
            served.runtime.submit(SeatTaken(at=0.0, seat=seat, name=name, claim=f"c{seat}"))
        yield served


def opened(table: ServedTable, phone: BrowserContext, path: str) -> Page:
    page = phone.new_page()
    page.goto(f"{table.base}{path}")
    return page


def told(table: ServedTable) -> dict[str, Any]:
    seats = [{"seat": seat, "name": f"P{seat}", "computer": False} for seat in (1, 2)]
    return copy.deepcopy({**Seals(table.runtime, table.journal).account(), "title": "A game", "seats": seats})


@pytest.mark.thorough
def test_every_phone_checks_that_the_stack_was_not_changed(
    table: ServedTable, phones: Sequence[BrowserContext], screen: Page
) -> None:
    deal = table.view["deal"]
    lobby = opened(table, phones[0], "/")
    expect(lobby.locator('[data-card="deal"]')).to_contain_text(deal["short"])
    proof = opened(table, phones[0], "/proof")
    expect(proof.locator("#verdict")).to_contain_text(sentence("order of the stack is sealed"))
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    screen.goto(f"{table.base}/tv")
    expect(screen.locator("#log")).to_contain_text(f"Its seal: {deal['short']}.")
    play = opened(table, phones[1], "/play")
    expect(menu(play, "happened")).to_contain_text(sentence("The proof that nobody changed"))
    seed, position = told(table)["deal"]["seed"], told(table)["deal"]["position"]
    assert (seed, position) == (None, None), "while the game is played"
    expect(proof.locator('[data-card="deal"]')).to_contain_text(sentence("sealed until the game is"))
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=1))
    expect(proof.locator("#verdict")).to_contain_text(sentence("stack lay as it was"))
    card = proof.locator('[data-card="deal"]')
    expect(card.locator(":scope > summary .mark")).to_have_text("✓checked on this phone")
    shown = told(table)["deal"]
    for text in (shown["commitment"], shown["seed"], shown["position"]):
        expect(card).to_contain_text(text)
    assert proof.evaluate("document.documentElement.scrollWidth") <= 360
    card.get_by_text(sentence("Work it out on another")).click()
    commands = card.get_by_role("textbox", name="Commands for the stack").input_value()
    found = subprocess.run(["sh", "-c", commands], capture_output=True, text=True, check=True).stdout
    assert found.split()[0] == shown["commitment"] == deal["commitment"]


@pytest.mark.thorough
def test_a_table_that_lies_about_the_stack_is_caught(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    table.runtime.submit(GameStarted(at=table.runtime.now()))
    witness = opened(table, phones[0], "/play")
    expect(witness.locator("#supply")).not_to_be_empty()
    table.runtime.submit(Resigned(at=table.runtime.now(), seat=1))
    true = told(table)
    lie: list[Any] = [true]
    pages = [opened(table, phone, "/proof") for phone in phones[:2]]
    for page in pages:
        page.route("**/api/proof", lambda route: route.fulfill(json=lie[0]))
    known = pages[0]

    def verdicts() -> list[str]:
        found = []
        for page in pages:
            page.reload()
            expect(page.locator("#verdict .wax")).to_be_visible()
            found.append(str(page.locator("#headline").text_content()))
        return found

    assert verdicts() == ["It fits", "It fits"]
    for field, value in (
        ("seed", "0" * 32),
        ("position", true["deal"]["position"].replace("18", "19")),
        ("seed", "x'; ls"),
    ):
        lie[0] = copy.deepcopy(true)
        lie[0]["deal"][field] = value
        assert verdicts() == ["It does not fit", "It does not fit"], field
        expect(known.locator('[data-card="deal"]')).to_contain_text(sentence("what is opened is not"))
        assert known.locator("textarea").count() == 0, "nothing to be pasted"
    other = {"seed": "1" * 32, "position": true["deal"]["position"]}
    lie[0] = copy.deepcopy(true)
    lie[0]["deal"] |= {**other, "commitment": deal_seal(true["game"], other["seed"], other["position"])}
    assert verdicts()[0] == "It does not fit", "it fits in itself; but this phone was there when the game began"
    expect(known.locator('[data-card="deal"]')).to_contain_text(sentence("was shown another seal"))


@pytest.mark.thorough
def test_every_phone_checks_the_lots_of_all_tables(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """While the game is played: nothing of it tells what comes next."""
    entries = pytest.importorskip("firmware_host.extensions.rooms.entries")
    game = table.view["game"]["id"]
    chains = {seat: chain_of(game, f"{seat}" * 64, 18) for seat in (1, 2)}
    lots = {seat: chain[0] for seat, chain in chains.items()}
    table.runtime.submit(GameStarted(at=table.runtime.now(), lots=lots, together=True))
    page = opened(table, phones[0], "/proof")
    expect(page.locator("#verdict")).to_contain_text("No piece was drawn yet.")
    play = opened(table, phones[1], "/play")
    expect(menu(play, "happened")).to_contain_text(sentence("The proof that nobody changed"))
    for seat, chain in chains.items():
        table.runtime.submit(entries.LotOpened(at=table.runtime.now(), seat=seat, number=chain[1]))
    expect(page.locator("#verdict")).to_contain_text(sentence("drawn with the numbers that"))
    card = page.locator('[data-card="lots"]')
    expect(card).to_contain_text(lots[1])
    expect(card.locator("dd").first).to_have_text(table.view["supply"]["piece"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    card.get_by_text(sentence("Work it out on another")).click()
    commands = card.get_by_role("textbox", name="Commands for the stack").input_value()
    found = subprocess.run(["sh", "-c", commands], capture_output=True, text=True, check=True).stdout.split()
    assert [found[0], found[2]] == [lots[1], lots[2]]
    lie = told(table)
    lie["lots"]["opened"][1]["number"] = "0" * 64
    page.route("**/api/proof", lambda route: route.fulfill(json=lie))
    page.reload()
    expect(page.locator("#headline")).to_have_text("It does not fit")
    expect(card).to_contain_text(sentence("what is opened is not"))

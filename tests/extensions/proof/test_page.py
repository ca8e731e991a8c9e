"""The proof on real screens: each phone works it out anew, whatever the table says; a lie is marked where it is."""

from __future__ import annotations

import copy
import json
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.games.seals import FIRST_HISTORY, commitment, next_history
from firmware_host.table.subjects.proposals import Agreed, Proposed
from firmware_host.table.subjects.resolving import Resigned
from tests.e2e.test_phones import shows_sealed, start
from tests.e2e.test_whole_game import seal
from tests.sampling import some
from tests.sentences import sentence
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

TURNS = (("wD12", "wD3"), ("wD8", "wD15"))
"""Placements far apart: after each the next one is sealed."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as served:
        yield served


@pytest.fixture
def stranger(table: ServedTable, browser: Browser) -> Iterator[Page]:
    """A third phone, on the insecure origin, small; nothing may fail or be refused on it."""
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{table.base}/proof")
    yield page
    context.close()
    assert errors == []


def verdict(page: Page, words: str) -> None:
    expect(page.locator("#verdict")).to_contain_text(words)


def told(table: ServedTable) -> Any:
    with urllib.request.urlopen(f"{table.local}/api/proof", timeout=60) as answer:
        return json.loads(answer.read())


def play(table: ServedTable, people: tuple[Page, Page]) -> None:
    for placements in TURNS:
        table.until("sealing")
        for page, placement in zip(people, placements, strict=True):
            expect(page.get_by_role("heading", name="Choose in secret")).to_be_visible()
            seal(page, placement)
        table.until("placing")
        table.put(*placements)
    table.until("sealing")


@pytest.mark.thorough
def test_a_third_phone_checks_two_turns(table: ServedTable, phones: Sequence[BrowserContext], stranger: Page) -> None:
    verdict(stranger, "Nothing was sealed yet")
    ann, bob = start(table, phones)
    seal(ann, TURNS[0][0])
    shows_sealed(ann)
    verdict(stranger, "No turn was revealed yet")
    expect(stranger.locator(".seals .mark")).to_have_text("–not opened yet")
    assert "D12" not in stranger.content()
    seal(bob, TURNS[0][1])
    verdict(stranger, sentence("worked out all seals again", seals="2 seals", turns="1 turn"))
    verdict(stranger, sentence("could know or change a placement"))
    table.until("placing")
    table.put(*TURNS[0])
    table.until("sealing")
    for page, placement in zip((ann, bob), TURNS[1], strict=True):
        expect(page.get_by_role("heading", name="Choose in secret")).to_be_visible()
        seal(page, placement)
    verdict(stranger, sentence("worked out all seals again", seals="4 seals", turns="2 turns"))
    expect(stranger.locator("#own")).to_contain_text(sentence("None of these seals was"))
    expect(stranger.locator(".turn > summary .mark")).to_have_text(["✓checked on this phone"] * 2)
    assert stranger.evaluate("document.documentElement.scrollWidth") == 320
    ann.goto(f"{table.base}/proof")
    expect(ann.locator("#own")).to_contain_text(sentence("of these seals were made", count=2))
    assert ann.locator("#head").text_content() == stranger.locator("#head").text_content()


@pytest.mark.thorough
def test_a_phone_opens_its_seal_from_this_page_too(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    seal(ann, TURNS[0][0])
    shows_sealed(ann)
    ann.goto(f"{table.base}/proof")
    seal(bob, TURNS[0][1])
    verdict(ann, "worked out all seals again (2 seals, 1 turn)")


def test_anybody_can_work_a_turn_out(table: ServedTable, phones: Sequence[BrowserContext], stranger: Page) -> None:
    """By keyboard: the turn, its commands, the copy of them; then a shell gets what was sealed."""
    play(table, start(table, phones))
    verdict(stranger, "4 seals, 2 turns")
    newest = stranger.locator(".turn").first
    newest.locator("summary").last.focus()
    stranger.keyboard.press("Enter")
    area = newest.get_by_role("textbox", name="Commands for turn 2")
    expect(area).to_be_visible()
    commands = area.input_value()
    newest.get_by_role("button", name="Copy").focus()
    stranger.keyboard.press("Enter")
    expect(stranger.locator("#copied")).not_to_be_empty()
    assert stranger.evaluate("getSelection().toString() || document.activeElement.value") == commands
    found = subprocess.run(["sh", "-c", commands], capture_output=True, text=True, check=True)
    numbers = [line.split()[0] for line in found.stdout.splitlines()]
    assert numbers == [line.split()[-1] for line in commands.splitlines() if line.startswith("#")]
    turn = told(table)["turns"][1]
    assert numbers == [*(one["commitment"] for one in turn["seals"]), turn["after"]]


# -- a table that lies -------------------------------------------------------------------------------------------------


def forged(proof: Any) -> None:
    """Another placement of seat 1 in turn 1, everything after it made anew: no hash is wrong any more."""
    proof["turns"][0]["seals"][0]["action"] = "wD5"
    history = FIRST_HISTORY
    for turn in proof["turns"]:
        turn["history"] = history
        for one in turn["seals"]:
            one["commitment"] = commitment(
                proof["game"], turn["turn"], one["seat"], history, one["action"], one["nonce"]
            )
        remade(turn)
        history = turn["after"]


def changed(turn: int, place: int, **fields: Any) -> Callable[[Any], None]:
    def lie(proof: Any) -> None:
        proof["turns"][turn]["seals"][place].update(fields)

    return lie


def early(proof: Any) -> None:
    one = proof["turns"][0]["seals"][0]
    one["opened_n"] = one["n"]


def unbound(proof: Any) -> None:
    del proof["turns"][0]


def rebound(proof: Any) -> None:
    proof["turns"][1]["after"] = "0" * 64


def twice(proof: Any) -> None:
    proof["turns"][1]["seals"].append(proof["turns"][1]["seals"][0])


def unopened(proof: Any) -> None:
    proof["turns"][1]["seals"][0].update(action=None, nonce=None)


def remade(turn: Any) -> None:
    """Bind what comes after a turn to what it says now."""
    opened = [one for one in turn["seals"] if one["action"] is not None]
    actions = {one["seat"]: one["action"] for one in opened}
    turn["after"] = next_history(turn["history"], turn["turn"], actions, {one["seat"]: one["nonce"] for one in opened})


def exchanged(true: Any) -> Any:
    """Seat 1's last placement is another, rightly sealed and bound to the true turn before."""
    proof = copy.deepcopy(true)
    turn = proof["turns"][-1]
    one = turn["seals"][0]
    one["action"] = "wD5"
    one["commitment"] = commitment(proof["game"], turn["turn"], 1, turn["history"], "wD5", one["nonce"])
    remade(turn)
    return proof


def dropped(true: Any) -> Any:
    """Seat 1 has never placed anything in the last turn."""
    proof = copy.deepcopy(true)
    del proof["turns"][-1]["seals"][0]
    remade(proof["turns"][-1])
    return proof


LIES: dict[str, tuple[Callable[[Any], None], int, str]] = {
    "a nonce": (changed(0, 1, nonce="0" * 32), 1, "wD3 is not what was sealed"),
    "a placement": (changed(1, 0, action="wD7"), 2, "wD7 is not what was sealed"),
    "a seal": (changed(0, 0, commitment="0" * 64), 1, "wD12 is not what was sealed"),
    "another's seal": (changed(1, 0, seat=2), 2, sentence("two seals in it")),
    "no opening": (unopened, 2, "revealed without opening this seal"),
    "an early opening": (early, 1, "opened before all had sealed"),
    "a turn left out": (unbound, 2, sentence("not fit those before")),
    "the binding": (rebound, 2, sentence("not follow from what was")),
    "a seal twice": (twice, 2, sentence("two seals in it")),
    "no form": (changed(0, 0, nonce="Z"), 1, sentence("opening does not have the right")),
    "a command": (changed(0, 0, action="wD1'; ls #"), 1, sentence("opening does not have the right")),
}
"""What is changed → (the lie, the turn that is marked, what is said)."""


@pytest.mark.thorough
def test_a_table_that_lies_is_caught(table: ServedTable, phones: Sequence[BrowserContext], stranger: Page) -> None:
    ann, bob = start(table, phones)
    play(table, (ann, bob))
    verdict(stranger, "All seals fit")
    true = told(table)
    lie: list[Any] = [true]
    for page in (stranger, ann):
        page.route("**/api/proof", lambda route: route.fulfill(json=lie[0]))
    for what, (change, marked, words) in some(LIES.items()):
        lie[0] = copy.deepcopy(true)
        change(lie[0])
        stranger.reload()
        verdict(stranger, "It does not fit")
        broken = stranger.locator(".turn", has=stranger.locator(".notice.error"))
        assert broken.count() == 1, f"{what}: only where the lie is"
        expect(broken.locator("summary b").first).to_have_text(f"Turn {marked}")
        expect(broken.locator(".notice.error").first).to_be_visible()
        expect(broken).to_contain_text(words)
        expect(broken.locator(":scope > summary .mark")).to_have_text("✗does not fit")
        for area in stranger.locator("textarea").all():
            assert "ls" not in area.input_value(), "nothing to be pasted that is not a number"
    lie[0] = {"turns": 3}
    stranger.reload()
    verdict(stranger, "is not a proof")
    lie[0] = copy.deepcopy(true)
    forged(lie[0])
    stranger.reload()
    verdict(stranger, "All seals fit")  # A stranger can't know: that is why those who sealed look themselves.
    ann.goto(f"{table.base}/proof")
    verdict(ann, "It does not fit")
    expect(ann.locator("#turns")).to_contain_text(sentence("What this phone sealed for", seat=1))
    for lie[0] in (exchanged(true), dropped(true)):
        ann.reload()
        verdict(ann, "It does not fit")
        expect(ann.locator("#turns .notice.error")).to_have_count(1)
        expect(ann.locator("#turns")).to_contain_text(sentence("What this phone sealed for", seat=1))
        stranger.reload()
        verdict(stranger, "All seals fit")
    lie[0] = copy.deepcopy(true)
    lie[0]["seats"][1]["computer"] = True
    ann.reload()
    verdict(ann, "All seals fit")
    verdict(ann, sentence("person's placement or change"))
    expect(ann.locator("#computers")).to_be_visible()
    expect(ann.locator(".seals .mark").first).to_have_text("✓fits, made on this phone")


# -- what else may have happened ---------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_lost_resigned_and_unrevealed_seals(
    table: ServedTable, phones: Sequence[BrowserContext], stranger: Page
) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD12")
    shows_sealed(ann)
    seal_number = told(table)["turns"][0]["seals"][0]["commitment"]
    now = table.runtime.now
    table.runtime.submit(Proposed(at=now(), seat=1, what="reseal"))
    table.runtime.submit(Agreed(at=now(), seat=2, what="reseal"))
    expect(stranger.locator(".seals .mark")).to_have_text("–given up, made again")
    expect(stranger.locator(".seals")).to_contain_text("all others agreed")
    expect(stranger.locator("#anew")).to_contain_text(sentence("given up and made again", count=1))
    expect(stranger.locator(".seals")).to_contain_text(seal_number)
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()
    seal(ann, "wD12")
    expect(stranger.locator(".seals .mark")).to_have_text(["–given up, made again", "–not opened yet"])
    table.runtime.submit(Resigned(at=now(), seat=1))
    expect(stranger.locator(".seals .mark")).to_have_text(["–given up, made again", "–resigned, never opened"])
    expect(stranger.locator(".turn")).to_contain_text("never revealed")
    assert "D12" not in stranger.locator("body").inner_text()
    del bob


@pytest.mark.thorough
def test_a_game_without_secrets_says_so(tmp_path: Path, browser: Browser) -> None:
    page = browser.new_context().new_page()
    with ServedTable.opened(tmp_path, board="hexhex-7") as table:
        page.goto(f"{table.base}/proof")
        verdict(page, sentence("game has no secret choices"))
        expect(page.locator("#meaning")).to_be_hidden()
        expect(page.locator("#turns")).to_be_empty()
    page.context.close()

"""A seal that does not open: what the phones concerned, the others and the host are offered, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from firmware_host.archive import records
from firmware_host.replay.scenes import film
from firmware_host.table.subjects import proposals
from tests.e2e.room import menu
from tests.e2e.test_phones import shows_sealed, start
from tests.e2e.test_whole_game import seal
from tests.sentences import saying, sentence
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable
from tests.web_panel.wire import get

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedTable]:
    monkeypatch.setattr(proposals, "OBJECTION_S", 1.0)
    with ServedTable.opened(tmp_path) as served:
        yield served


def host_phone(table: ServedTable, phone: BrowserContext) -> Page:
    page = phone.new_page()
    page.goto(f"{table.base}/host#{TOKEN}")
    expect(page.locator("#page")).to_be_visible()
    return page


def taken_over(table: ServedTable, phone: BrowserContext, host: Page, name: str) -> Page:
    """Let another phone have somebody's seat; return its page."""
    page = phone.new_page()
    page.goto(f"{table.base}/")
    page.get_by_role("group", name="This is my seat").get_by_role("button", name=name).click()
    host.get_by_role("button", name="Allow").click()
    page.wait_for_url("**/play")
    return page


@pytest.mark.thorough
def test_a_phone_that_took_the_seat_over_says_at_once_where_the_seal_is(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    """Before the others have sealed, too; and the way out is a button of that card."""
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    shows_sealed(ann)
    host = host_phone(table, phones[3])
    new = taken_over(table, phones[2], host, "Ann")
    expect(new.get_by_role("heading", name=sentence("Your seal is not on"))).to_be_visible()
    assert table.view["phase"] == "sealing"
    expect(new.get_by_role("heading", name="Sealed", exact=True)).to_have_count(0)
    new.locator('#panel [data-card="elsewhere"]').get_by_role("button", name="let me seal again").click()
    bob.get_by_role("button", name="I agree").click()
    expect(new.get_by_role("heading", name="Choose in secret")).to_be_visible()
    seal(new, "wD3")
    seal(bob, "bD10")
    assert table.until("placing")["board"] == {"D3": ["w"], "D10": ["b"]}


@pytest.mark.thorough
def test_the_phone_with_the_seal_asks_for_the_seat_and_opens(
    table: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    ann, bob = start(table, phones)
    seal(ann, "wD2")
    host = host_phone(table, phones[3])
    new = taken_over(table, phones[2], host, "Ann")
    seal(bob, "bD10")
    expect(new.get_by_role("heading", name=sentence("Your seal is not on"))).to_be_visible()
    expect(ann.get_by_role("heading", name="The seal of Ann is on this phone")).to_be_visible()
    asks = ann.get_by_role("button", name=sentence("the host for the seat"))
    for answer in ("Refuse", "Allow"):
        asks.click()
        expect(ann.get_by_role("heading", name=saying("show this code to"))).to_be_visible()
        host.get_by_role("button", name=answer).click()
        if answer == "Refuse":
            expect(ann.locator('#panel [data-card="held"]').get_by_role("alert")).to_have_text(
                sentence("the host has not given")
            )
    assert table.until("placing")["board"] == {"D2": ["w"], "D10": ["b"]}


def never_opens(page: Page) -> None:
    """Let a phone seal, and keep to itself from then on."""
    for path in ("ready", "open"):
        page.route(f"**/api/{path}", lambda route: route.abort())


@pytest.mark.thorough
def test_who_seals_and_never_opens_holds_nobody_up(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    never_opens(bob)
    seal(ann, "wD2")
    seal(bob, "bD10")
    table.until("revealing")
    ways = ann.locator('#panel [data-card="reveal"]')
    expect(ways).to_contain_text("If it can't be found")
    ways.get_by_role("button", name=sentence("Void this turn: all seal")).click()
    table.until("sealing")
    assert table.view["seal"]["commitments"] == {}
    first = {one["commitment"] for one in get(table, "/api/proof").json["turns"][0]["seals"]}
    bob.unroute_all()
    seal(ann, "wD2")
    seal(bob, "bD10")
    table.until("placing")
    turn = get(table, "/api/proof").json["turns"][0]
    assert not first & {one["commitment"] for one in turn["seals"] if one["void"] is None}, "another secret number"
    told_of_the_void_turn(table, phones[2])


def told_of_the_void_turn(table: ServedTable, phone: BrowserContext) -> None:
    """Proof page, record and replay tell of it, and nothing of what the void seals held."""
    page = phone.new_page()
    page.goto(f"{table.base}/proof")
    expect(page.locator("#verdict")).to_contain_text("All seals fit")
    expect(page.locator("#void")).to_contain_text("1 turn was declared void")
    expect(page.locator(".turn .mark", has_text="void, never opened")).to_have_count(2)
    expect(page.locator(".turn")).to_contain_text(saying("players agreed that the turn"))
    lines = list(records.export(table.journal, table.view["game"]["id"]))
    assert "2 placements as they were sealed" in str(records.verify_lines(lines))
    seals = film(lines).scenes[1].seals
    assert [(one.void, one.action) for one in seals] == [(True, None)] * 2 + [(False, "wD2"), (False, "bD10")]


@pytest.mark.thorough
def test_the_host_can_void_the_turn(table: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, bob = start(table, phones)
    host = host_phone(table, phones[3])
    expect(host.get_by_role("button", name="Pause")).to_be_visible()
    expect(host.get_by_role("button", name="Void this turn")).to_have_count(0)
    never_opens(bob)
    seal(ann, "wD2")
    seal(bob, "bD10")
    host.get_by_role("button", name="Void this turn").click()
    host.locator("#ask").get_by_role("button", name="Yes").click()
    expect(ann.get_by_role("heading", name="Choose in secret")).to_be_visible()
    expect(menu(ann, "happened").locator("#log")).to_contain_text(sentence("has declared this turn void"))
    assert table.view["seal"]["commitments"] == {}

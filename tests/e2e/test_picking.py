"""Steps picked on the drawing of any board: large first where a thumb is too broad, by keys, as a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from firmware_host.games.capabilities import how_to_play_of
from firmware_host.games.registry import GAMES
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from tests.e2e.program import eventually
from tests.e2e.room import menu
from tests.sentences import sentence
from tests.web_panel.table import ServedTable, signed
from web_panel.access import SEAT_COOKIE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


_SHEET = how_to_play_of(GAMES["phalanx"])
PUSH = _SHEET.terms["to push"] if _SHEET else ""
RULES = sentence("Rules: {rules}", rules=sentence("first turn has four actions"))


@pytest.fixture
def hexagon(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, board="hexhex-7") as served:
        yield served


@pytest.fixture
def square(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, board="go-9x9", rules={"second_player_bonus": True}) as served:
        yield served


def start(table: ServedTable, phones: Sequence[BrowserContext], width: int = 360) -> tuple[Page, Page]:
    """Two people, before the first step."""
    now = table.runtime.now()
    for seat, (phone, name) in enumerate(zip(phones, ("Ann", "Bob"), strict=False), 1):
        table.runtime.submit(SeatTaken(at=now, seat=seat, name=name, claim=f"claim {seat}"))
        phone.add_cookies([{"name": SEAT_COOKIE, "value": signed([seat, f"claim {seat}"]), "url": table.base}])
    table.runtime.submit(GameStarted(at=now))
    table.set_up()
    table.until("resolving")
    ann, bob = (phone.new_page() for phone in phones[:2])
    for page in (ann, bob):
        page.set_viewport_size({"width": width, "height": 740})
        page.goto(f"{table.base}/play")
        expect(page.locator("#seats")).to_contain_text("acts now")
    return ann, bob


def tap_beside(page: Page, node: str, aside: float) -> None:
    """Tap some pixels beside the middle of a node."""
    x, y = page.locator(f'[data-node="{node}"]').evaluate(
        "(group) => { const { e, f } = group.getScreenCTM(); return [e, f]; }"
    )
    page.mouse.click(x + aside, y)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [320, 390])
def test_on_a_small_drawing_what_was_tapped_is_shown_large_first(
    hexagon: ServedTable, phones: Sequence[BrowserContext], width: int
) -> None:
    """127 nodes on a phone: neighbours are too near to each other for a thumb to be trusted."""
    ann, bob = start(hexagon, phones, width)
    assert ann.evaluate("document.documentElement.scrollWidth") <= width
    tap_beside(ann, "g7", 6)
    expect(ann.locator(".strip .magnified")).to_be_visible()
    expect(ann.locator(".strip")).to_be_in_viewport(ratio=1)
    assert hexagon.view["wanted"] is None, "nothing is asked of the table yet"
    ann.get_by_role("button", name="Clear").click()
    expect(ann.locator(".strip")).to_have_count(0)
    tap_beside(ann, "a1", -4)
    tap_beside(ann, "h6", 5)
    expect(ann.locator(".strip [role=status]")).to_have_text("h6")
    ann.get_by_role("button", name="Black on h6").click()
    expect(ann.locator(".wish")).to_contain_text("black on h6")
    expect(bob.locator("#panel")).to_contain_text("Ann wants: black on h6.")
    assert hexagon.view["wanted"] == "h6"
    tap_beside(bob, "c3", 0)
    expect(bob.locator(".strip")).to_have_count(0)
    hexagon.hand.put("b2", "b")
    eventually(lambda: hexagon.view["resolver"] == 2, "whoever was led elsewhere is not bound to it")


@pytest.mark.thorough
def test_on_a_large_drawing_one_tap_leads(hexagon: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start(hexagon, phones, 1440)
    ann.locator('[data-node="f3"]').click()
    expect(ann.locator(".wish")).to_contain_text("black on f3")
    ann.locator('[data-node="f4"]').click()
    expect(ann.locator(".wish")).to_contain_text("black on f4")
    expect(ann.locator(".strip")).to_have_count(0)


@pytest.mark.thorough
def test_arrows_go_the_way_they_point(hexagon: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start(hexagon, phones)
    ann.locator('[data-node="g7"]').focus()
    for key, reached in (("Right", ["g8"]), ("Left", ["g7"]), ("Up", ["f6", "f7"]), ("Up", ["e5", "e6", "e7"])):
        ann.keyboard.press(f"Arrow{key}")
        assert ann.evaluate("document.activeElement.dataset.node") in reached
    ann.locator('[data-node="g7"]').focus()
    expect(ann.locator(":focus")).to_have_attribute("aria-label", "g7, centre, empty")
    ann.keyboard.press("Enter")
    expect(ann.locator(".wish")).to_contain_text("black on g7")


@pytest.mark.thorough
def test_a_piece_its_aims_and_the_way_back(square: ServedTable, phones: Sequence[BrowserContext]) -> None:
    ann, _ = start(square, phones)
    ann.locator("#message a.term").first.click()
    expect(ann.get_by_role("dialog")).to_contain_text(PUSH)
    ann.get_by_role("button", name="Got it").click()
    piece = ann.locator('[data-node="G3"]')
    piece.click()
    expect(ann.locator(".aim")).to_have_count(6)
    expect(ann.locator('[data-node="J2"]')).to_have_attribute("aria-label", "J2, south-east, empty, may go here")
    expect(ann.locator(".strip")).to_contain_text("From G3: tap where it should go.")
    piece.click()
    expect(ann.locator(".aim")).to_have_count(0)
    piece.focus()
    ann.keyboard.press("Enter")
    expect(ann.locator(".aim")).to_have_count(6)
    ann.keyboard.press("Escape")
    expect(ann.locator(".aim")).to_have_count(0)
    ann.keyboard.press("Enter")
    ann.locator('[data-node="H2"]').click()
    expect(ann.locator('[data-node="H2"]')).to_have_attribute("aria-pressed", "true")
    ann.locator('[data-node="F3"]').focus()
    ann.keyboard.press("Enter")
    expect(ann.locator(".wish")).to_contain_text("H2 to F3")
    square.hand.carry("H2", "F3")
    expect(ann.locator("#message")).to_contain_text("2 of 3 actions left")
    expect(ann.locator(".wish")).to_have_count(0)


@pytest.mark.thorough
def test_the_list_is_folded_by_source_and_stays_as_it_was_opened(
    square: ServedTable, phones: Sequence[BrowserContext]
) -> None:
    ann, _ = start(square, phones)
    card = menu(ann, "moves").locator('[data-card="steps"]')
    expect(card).to_contain_text("All 32 possible moves as a list")
    expect(card.get_by_role("button")).to_have_count(0)
    card.get_by_text("From H3 (6)").click()
    expect(card.get_by_role("button")).to_have_count(6)
    card.get_by_role("button", name="H3 to F3").click()
    expect(ann.locator(".wish")).to_contain_text("H3 to F3")
    menu(ann, "moves")
    card.get_by_text("From H3 (6)").click()
    expect(card.get_by_role("button", name="H3 to F3")).to_have_attribute("aria-pressed", "true")
    square.hand.carry("G2", "F3")
    expect(ann.locator("#message")).to_contain_text("2 of 3 actions left")
    expect(card.get_by_role("button", name="H3 to E3")).to_be_visible()
    expect(card.get_by_text("From the supply")).to_be_visible()


@pytest.mark.thorough
def test_rules_in_force_are_told(square: ServedTable, phones: Sequence[BrowserContext]) -> None:
    lobby = phones[2].new_page()
    lobby.goto(f"{square.base}/")
    lobby.locator("#menu").click()
    expect(lobby.locator("#rules")).to_have_text(RULES)
    ann, _ = start(square, phones)
    expect(menu(ann, "players").locator("#rules")).to_have_text(RULES)


VIEW: dict[str, Any] = {
    "layout": {"nodes": {node: [x, 0] for x, node in enumerate("abcdef")}},
    "board": {"a": ["w"], "b": ["w"], "c": ["b"], "f": ["w"]},
    "steps": [
        {
            "action": "push",
            "words": "push",
            "moves": [["c", "d"], ["b", "c"], ["a", "b"]],
            "line": ["a", "b", "c", "d"],
        },
        {"action": "off", "words": "off", "moves": [["c", None], ["b", "c"], ["a", "b"]], "line": ["a", "b", "c"]},
        {"action": "a-d", "words": "move", "moves": [["a", "d"]], "line": []},
        {"action": "+d", "words": "add", "moves": [[None, "d"]], "line": []},
        {"action": "-f", "words": "take f off", "moves": [["f", None]], "line": []},
        {"action": "end", "words": "end", "moves": [], "line": []},
    ],
}


def test_what_a_tap_can_mean(square: ServedTable, phones: Sequence[BrowserContext]) -> None:
    """All from the moves: a line is pushed from any of its own pieces, towards whatever lies before them."""
    page = phones[0].new_page()
    page.goto(f"{square.base}/join/1")
    found = page.evaluate(
        """async (view) => {
          const { bySource, offers, spoken } = await import("/static/shared/steps.js");
          const names = (steps) => steps.map((step) => step.action);
          const { from, direct } = offers(view);
          return {
            from: Object.fromEntries([...from].map(([source, aims]) =>
              [source, Object.fromEntries([...aims].map(([aim, steps]) => [aim, names(steps)]))])),
            direct: Object.fromEntries([...direct].map(([node, steps]) => [node, names(steps)])),
            groups: bySource(view).map(([source, steps]) => [source, names(steps)]),
            spoken: names(spoken(view)),
          };
        }""",
        VIEW,
    )
    pushed = {"c": ["push", "off"], "d": ["push"]}
    assert found == {
        "from": {"a": {"c": ["push", "off"], "d": ["push", "a-d"]}, "b": pushed, "f": {}},
        "direct": {"d": ["+d"], "f": ["-f"]},
        "groups": [["", ["+d"]], ["a", ["push", "off", "a-d"]], ["f", ["-f"]]],
        "spoken": ["end"],
    }

"""Whole games of Coil on 127 nodes: two phones, a virtual hand; a coil closes, or White can't lose any more."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.hands import KEYS, POINTER, TAPS, Hands
from tests.e2e.program import Program, eventually
from tests.e2e.room import ENDING, menu, won_by
from tests.e2e.test_whole_game import sit_down, verify_the_record
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

BOARD = ("--board", "hexhex-7", "--sim")
# fmt: off
WALL = (
    "c3", "c4", "c6", "c7",
    "d3", "d5", "d6",
    "e3", "e10", "e11",
    "f3", "f9", "f10",
    "g3", "g5", "g6", "g7", "g11",
    "h3", "h4", "h10",
    "i4", "i8", "i9",
    "j3", "j6", "j7",
    "k3", "k4", "k5", "k7",
)
# fmt: on
"""White stones after which no coil is possible, whatever else is black."""


def seated(program: Program, phones: Sequence[BrowserContext]) -> tuple[Page, Page]:
    """Two people before the first stone."""
    program.start("--new", *BOARD)
    ann, bob = (sit_down(program, phone, seat, name) for phone, seat, name in
                ((phones[0], 1, "Ann"), (phones[1], 2, "Bob")))  # fmt: skip
    expect(ann.locator("#bar .about")).to_contain_text("Coil")
    program.start_game()
    for page in (ann, bob):
        page.wait_for_url("**/play")
        expect(page.locator("#seats")).to_contain_text("acts now")
    return ann, bob


def pick(page: Page, node: str) -> None:
    """Tap a node of the drawing, look at it magnified, and ask to be led there."""
    page.locator(f'[data-node="{node}"]').click()
    expect(page.locator(".strip .magnified")).to_be_visible()
    page.locator(f"#pick-{node}").click()
    expect(page.locator(".wish")).to_contain_text(f"black on {node}")


def passes(page: Page) -> None:
    page.locator("#step-pass").click()
    page.locator("#ask").get_by_role("button", name="Yes").click()


def one_after_the_other(program: Program, white: str, black: str | None) -> None:
    """Quick players: Black's stone comes before the table has written White's down."""
    stones = len(program.state()["board"])
    program.hand("put", node=white, piece="w")
    if black is not None:
        time.sleep(0.15)  # So soon after the other stone is what is tested.
        program.hand("put", node=black, piece="b")
    eventually(lambda: len(program.state()["board"]) == stones + 1 + (black is not None), f"{white}, {black} count")


@pytest.mark.thorough
def test_a_coil_closes(program: Program, phones: Sequence[BrowserContext]) -> None:
    ann, bob = seated(program, phones)
    for page in (ann, bob):
        expect(page.locator("#seats")).not_to_contain_text("plays")
    pick(ann, "g6")
    light = program.lit("g6")
    assert light[2] > light[0], f"g6 breathes in seat 1's blue, not {light}"
    program.act("g6")
    expect(bob.get_by_role("heading", name="Your turn")).to_be_visible()
    program.act("g8")
    program.act("f6")
    bob.locator("#step-pass").click()
    bob.locator("#ask").get_by_role("button", name="No", exact=True).click()
    expect(bob.locator("#step-pass")).to_be_visible()
    bob.locator("#step-pass").press("Enter")
    bob.locator("#ask").get_by_role("button", name="Yes").click()
    for page in (ann, bob):
        expect(page.locator("#seats li")).to_contain_text(["plays white", "plays black"])
    expect(ann.locator("#who")).to_contain_text("plays white")
    for action in ("a1", "f7", "a3", "h6", "a5", "h7"):
        program.act(action)
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("coil", [2])
    assert {node for node, light in view["lights"].items() if light["meaning"] == "won"} == {
        "f6", "f7", "g6", "g8", "h6", "h7",
    }  # fmt: skip
    for page in (ann, bob):
        expect(page.locator(".ended")).to_be_visible()
        expect(page.locator(ENDING)).to_have_text(won_by("Bob"))
        expect(page.locator("#message")).to_contain_text(sentence("Black stones have closed a"))
        expect(page.locator(".result .duel")).to_have_count(0)
        expect(page.locator("#step-pass")).to_have_count(0)
    bob.locator("#menu").click()
    bob.locator("#new").click()
    ann.wait_for_url("**/")


@pytest.mark.thorough
def test_white_can_not_lose_and_both_agree(program: Program, phones: Sequence[BrowserContext]) -> None:
    ann, bob = seated(program, phones)
    passes(ann)
    expect(bob.locator("#who")).to_contain_text("plays white")
    black = [node for node in program.state()["layout"]["nodes"] if node not in WALL]
    for count, node in enumerate(WALL):
        assert program.state()["decided"] is None
        one_after_the_other(program, node, black[2 * count] if count < len(WALL) - 1 else None)
    for page in (ann, bob):
        expect(page.locator('[data-card="decided"]')).to_contain_text("White can't lose any more")
        expect(page.get_by_role("button", name="End it: Bob wins")).to_be_visible()
    ann.get_by_role("button", name="End it: Bob wins").click()
    expect(bob.locator("#proposal")).to_contain_text("Ann proposes to end the game")
    bob.get_by_role("button", name="No", exact=True).click()
    expect(ann.locator("#decline")).to_have_count(0)
    bob.get_by_role("button", name="End it: Bob wins").click()
    ann.get_by_role("button", name="I agree").click()
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("decided", [2])
    for page in (ann, bob):
        expect(page.locator(ENDING)).to_have_text(won_by("Bob"))
    eventually(lambda: program.state()["decided"] is None, "nothing is offered any more")


def takes_back(program: Program, hands: Hands, asking: Page, asked: Page) -> None:
    """Agree at the second asking to take the last action back; the hand takes its stone off where the lights say so."""
    placed, last = program.state()["board"], program.state()["log"][-1]
    for answer in ("No", "I agree"):
        menu(asking, "propose-take-back")
        asked.get_by_role("button", name=answer, exact=True).click()
        for page in (asking, asked):
            expect(page.locator('[data-card="proposal"]')).to_have_count(0)
    view = eventually(lambda: (v := program.state())["log"][-1] != last and v, "it is taken back")
    while view["tasks"]:
        (task,) = view["tasks"]
        assert task["do"] == "take"
        assert placed[task["node"]]
        hands.take(task["node"])
        view = eventually(lambda: (v := program.state())["tasks"] != [task] and v, "it is taken off")  # noqa: B023
    program.until_phase("resolving")


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_a_whole_game_by_hand_with_what_is_taken_back(
    program: Program, phones: Sequence[BrowserContext], screen: Page
) -> None:
    """Every stone comes out of the virtual board's tray; stones and the pass itself are taken back on the way."""
    ann, bob = seated(program, phones)
    hands = Hands(program, screen, TAPS, POINTER, KEYS)
    hands.open()
    black = [node for node in program.state()["layout"]["nodes"] if node not in WALL]

    def put(node: str, piece: str) -> None:
        stones = len(program.state()["board"])
        hands.put(node, piece)
        eventually(lambda: len(program.state()["board"]) == stones + 1, f"{node} counts")

    put(black[0], "b")
    takes_back(program, hands, ann, bob)
    put(black[1], "b")
    put(black[0], "b")
    put(black[2], "b")
    for again in (False, True):
        passes(bob)
        for page in (ann, bob):
            expect(page.locator("#seats li")).to_contain_text(["plays white", "plays black"])
        if not again:
            takes_back(program, hands, bob, ann)
            expect(ann.locator("#seats")).not_to_contain_text("plays black")
    for count, node in enumerate(WALL, 3):
        assert program.state()["decided"] is None
        put(node, "w")
        if count == 8:
            takes_back(program, hands, ann, bob)
            put(node, "w")
        if node != WALL[-1]:
            put(black[count], "b")
        if count == 12:
            takes_back(program, hands, ann, bob)
            put(black[count], "b")
    bob.get_by_role("button", name="End it: Ann wins").click()
    ann.get_by_role("button", name="I agree").click()
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("decided", [1])
    assert view["board"] == hands.stones
    for page in (ann, bob):
        expect(page.locator(ENDING)).to_have_text(won_by("Ann"))
    verify_the_record(program, WALL[-1])

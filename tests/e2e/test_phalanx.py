"""A whole game of Phalanx: two phones, a virtual hand; moves, adds, a push, a dead hoplite, a goal."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.program import Program, eventually
from tests.e2e.room import ENDING, menu, won_by
from tests.e2e.test_whole_game import sit_down
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

BOARD = ("--board", "go-9x9", "--sim")


def seated(program: Program, phones: Sequence[BrowserContext]) -> tuple[Page, Page]:
    """Two people, the hoplites set up as the lights say."""
    program.start("--new", *BOARD)
    ann, bob = (sit_down(program, phone, seat, name) for phone, seat, name in
                ((phones[0], 1, "Ann"), (phones[1], 2, "Bob")))  # fmt: skip
    expect(ann.locator("#bar .about")).to_contain_text("Phalanx")
    program.start_game()
    for page in (ann, bob):
        page.wait_for_url("**/play")
    for page in (ann, bob):
        expect(page.locator("#reminder")).to_have_text(sentence("The sensors here don't see"))
    program.follow_the_lights("setup")
    program.until_phase("resolving")
    for page in (ann, bob):
        expect(page.locator("#reminder")).to_be_hidden()
    return ann, bob


def end_on_the_phone(program: Program, page: Page) -> None:
    before = program.state()
    page.get_by_role("button", name="End the turn").click()
    program.counted(before, "end")


def end_by_tapping_twice(program: Program, node: str) -> None:
    before = program.state()
    program.tapped(node, before, "end", times=2)


def take_back(program: Program, asks: Page, agrees: Page, node: str) -> None:
    """The last action is taken back by agreement, and the lights lead the board back."""
    menu(asks, "propose-take-back")
    agrees.get_by_role("button", name="I agree").click()
    program.until_phase("setup")
    expect(asks.locator("#message")).to_contain_text(node)
    program.follow_the_lights("setup")
    assert node not in program.until_phase("resolving")["board"]


def push(program: Program, page: Page) -> None:
    """Picked on the phone: the rear of the line, then whom it meets. Light runs along it; all are slid one by one."""
    page.locator('[data-node="H3"]').click()
    page.locator('[data-node="B3"]').click()
    page.locator(".strip").get_by_role("button", name="The line from H3 pushes").click()
    expect(page.locator(".wish")).to_contain_text("the line from H3 pushes towards G3")
    lights = program.state()["lights"]
    assert [node for node, light in lights.items() if light["meaning"] == "line"]
    program.act("H3>w")


def the_dead_come_off(program: Program, pages: tuple[Page, Page], node: str) -> None:
    """Play waits until a hoplite that stands alone is off the board."""
    view = program.until_phase("clearing")
    assert view["result"] is None
    assert {at: light["meaning"] for at, light in view["lights"].items()} == {node: "remove"}
    for page in pages:
        expect(page.locator('[data-card="clearing"]')).to_contain_text(node)
        expect(page.locator(".ended")).to_have_count(0)
        expect(page.locator("#again")).to_have_count(0)
    program.follow_the_lights("clearing")
    assert node not in program.until_phase("resolving")["board"]


@pytest.mark.thorough
def test_a_whole_game(program: Program, phones: Sequence[BrowserContext]) -> None:
    ann, bob = pages = seated(program, phones)
    for page in pages:
        expect(page.locator("#seats li")).to_contain_text(["plays black", "plays white"])
        expect(page.locator("#message")).to_contain_text("ove, add or push; 3 of 3 actions left")
    expect(bob.get_by_role("heading", name="Ann's turn")).to_be_visible()
    for action in ("+F3", "+E3"):
        program.act(action)
    expect(bob.locator("#message")).to_contain_text("1 of 3 actions left")
    end_on_the_phone(program, ann)
    for action in ("C8-B6", "C7-B5", "B8-B4"):
        program.act(action)
    program.act("+D3")
    take_back(program, bob, ann, "D3")
    for action in ("+D3", "+C3"):
        program.act(action)
    end_on_the_phone(program, ann)
    program.act("B7-B3")
    end_by_tapping_twice(program, "B5")
    assert program.state()["turn"] == 5
    push(program, ann)
    the_dead_come_off(program, pages, "A3")
    for action in ("+A3", "H2-A4"):
        program.act(action)
    end_on_the_phone(program, bob)
    for action in ("G2-A5", "G3-A6", "F3-A7"):
        program.act(action)
    program.act("B6-C4")
    end_by_tapping_twice(program, "C4")
    program.act("E3-A8")
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("goal", [1])
    eventually(lambda: {node for node, light in program.state()["lights"].items() if light["meaning"] == "won"}
               == {"A8", "A9"}, "the goal is lit")  # fmt: skip
    for page in pages:
        expect(page.locator(ENDING)).to_have_text(won_by("Ann"))
        expect(page.locator(".decided")).to_have_attribute("data-reason", "goal")

"""A seat's colour on every screen: on the drawing, in lists and in the result, as its player chose it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.program import Program, eventually
from tests.e2e.tongues import Evening

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

VIOLET, BLUE = "rgb(169, 139, 255)", "rgb(62, 162, 255)"


@pytest.mark.thorough
def test_a_chosen_colour_is_shown_everywhere(program: Program, browser: Browser) -> None:
    people = Evening(program, browser, ("en-GB", "en-GB"))
    try:
        tv = people.open("/tv", "en-GB", 1920, 1080)
        people.sit()
        home = tv.locator('#board [data-node="1"] .home')
        expect(home).to_have_css("stroke", BLUE)
        people.phones[0].locator("#colour-1-7").click()
        eventually(lambda: people.view["seats"][0]["colour"] == 7, "violet is chosen")
        expect(home).to_have_css("stroke", VIOLET)
        people.start()
        for page in (tv, *people.phones):
            expect(page.locator('#board [data-node="1"] .home')).to_have_css("stroke", VIOLET)
            expect(page.locator("#seats .dot, #seats .disc").first).to_have_css("background-color", VIOLET)
        expect(people.phones[0].locator("#who .disc")).to_have_css("background-color", VIOLET)
        people.seal()
        program.until_phase("placing")
        expect(tv.locator('#board [data-node="A1"] .glow')).to_have_css("stroke", VIOLET)
        expect(tv.locator("#lights .lamp.put.seat-7")).to_have_count(1)
        people.place()
        people.resign(people.phones[1])
        expect(tv.locator(".roles .disc").first).to_have_css("background-color", VIOLET)
        proof = people.open("/proof", "en-GB")
        expect(proof.locator(".seals .disc").first).to_have_css("background-color", VIOLET)
    finally:
        people.close()


@pytest.mark.thorough
def test_where_pieces_have_colours_seats_are_shown_in_those(program: Program, browser: Browser) -> None:
    people = Evening(program, browser, ("en-GB", "en-GB"), "--board", "octiles-53")
    try:
        people.sit()
        expect(people.phones[0].locator(".swatch")).to_have_count(0)
        people.start()
        for page in people.phones:
            dots = page.locator("#seats .disc")
            expect(dots.first).to_have_css("background-color", "rgb(47, 120, 200)")
            expect(dots.last).to_have_css("background-color", "rgb(232, 191, 44)")
    finally:
        people.close()

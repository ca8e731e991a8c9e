"""White stays white where a browser darkens light pages by itself, and stones have letters on request."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.e2e.chromium import launched
from tests.e2e.program import Program
from tests.e2e.room import PHONE, Room, menu, shut

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SWITCHES = ("--force-dark-mode", "--enable-features=WebContentsForceDark", "--blink-settings=forceDarkModeEnabled=true")
"""The first two are those of a browser with a window, the last one is what they set in its engine."""
LIGHT, DARK = 170, 90
"""Of 255: a white stone is lighter, a black one and a darkened page are darker."""


@pytest.fixture
def room(program: Program, playwright: Playwright) -> Iterator[Room]:
    program.start("--new", "--hands", "computer", "--pause", "0.01")
    browser = launched(playwright, *SWITCHES)
    with Room.around(program, browser) as room:
        yield room
    browser.close()


@pytest.mark.thorough
def test_stones_keep_their_colours(room: Room) -> None:
    """In the whole circle of a stone, on the virtual board and on a phone, alone and in a stack."""
    for node, pieces in {"A1": "w", "D12": "b", "C3": "bw", "C7": "wb"}.items():
        for piece in pieces:
            room.program.hand("put", node=node, piece=piece)
    board = room.open("/board", {"width": 1280, "height": 800})
    expect(board.locator('[data-node="C7"] .pip')).to_have_count(2)
    assert grey(board, None) < DARK, "the browser darkens pages"
    assert grey(board, "A1") > LIGHT
    assert grey(board, "D12") < DARK
    assert grey(board, "C3", (9, -2)) > LIGHT, "the white one lies on top"
    assert grey(board, "C3", (0, 1)) < DARK, "its sign says that a black one is below"
    assert grey(board, "C7", (9, -2)) < DARK
    assert grey(board, "C7", (0, 1)) > LIGHT


def test_letters_tell_stones_apart_on_request(room: Room) -> None:
    """For browsers that darken and do not say so. The switch is in the menu of the game, and is kept."""
    host = room.host(PHONE)
    host.locator("#play-now").click()
    host.locator("#own-name").fill("Ann")
    host.locator("#own-name-go").click()
    host.wait_for_url("**/play")
    stones = host.locator("#panel .chip-stone")
    expect(stones).to_have_count(2)
    plain = [one.screenshot() for one in stones.all()]
    menu(host, "letters")
    shut(host)
    lettered = [one.screenshot() for one in stones.all()]
    assert not set(plain) & set(lettered)
    host.reload()
    expect(stones).to_have_count(2)
    assert [one.screenshot() for one in stones.all()] == lettered, "it is kept"
    menu(host, "letters")
    shut(host)
    assert [one.screenshot() for one in stones.all()] == plain


def grey(page: Page, node: str | None, off: tuple[int, int] = (3, 4)) -> float:
    """Return how light a node's stone is, so far ``off`` its middle; without a node how light the page's corner is."""
    at = [5, 5]
    if node is not None:
        at = page.locator(f'[data-node="{node}"]').evaluate(
            """(group, [x, y]) => {
              const { e, f, a } = group.getScreenCTM();
              return [e + x * a, f + y * a].map(Math.round);
            }""",
            list(off),
        )
    red, green, blue = page.evaluate(
        """async ([picture, x, y]) => {
          const bytes = Uint8Array.from(atob(picture), (one) => one.charCodeAt(0));
          const drawn = new OffscreenCanvas(1, 1).getContext("2d");
          drawn.drawImage(await createImageBitmap(new Blob([bytes])), -x, -y);
          return [...drawn.getImageData(0, 0, 1, 1).data].slice(0, 3);
        }""",
        [base64.b64encode(page.screenshot()).decode(), *at],
    )
    return float(0.3 * red + 0.6 * green + 0.1 * blue)

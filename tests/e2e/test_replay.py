"""A recorded game on real screens: a phone and a big one stay in step, buttons, keys and slider move both."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.archive.records.recorder import a_loop_record
from tests.e2e.chromium import LAN_NAME
from tests.e2e.program import Program, eventually
from tests.forked import Forked
from tests.replay.played import a_push_that_kills, recorded, whole
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

PHONE, BIG = {"width": 390, "height": 844}, {"width": 1440, "height": 900}


class Replay(Program):
    """``lodestone replay`` as a process of its own."""

    def show(self, record: tuple[str, ...], *options: str) -> None:
        path = self.data.parent / "game.jsonl"
        path.write_text("\n".join(record) + "\n")
        self.process = Forked("replay", str(path), "--port", str(self.port), *options)
        eventually(self._answers, "the first answer")


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Replay]:
    running = Replay(tmp_path / "games")
    yield running
    if running.process is not None and running.process.poll() is None:
        out = running.stop(signal.SIGTERM)
        assert "Traceback" not in out


@pytest.fixture
def screens(browser: Browser) -> Iterator[list[Page]]:
    contexts = [browser.new_context(viewport=size) for size in (PHONE, BIG)]
    pages = [context.new_page() for context in contexts]
    errors: list[str] = []
    for page in pages:
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
    yield pages
    for context in contexts:
        context.close()
    assert errors == [], "no script or style was refused, none failed"


def opened(replay: Replay, screens: list[Page]) -> tuple[Page, Page]:
    """Open both screens by the table's name (an insecure origin, as on a real network), standing still at the start."""
    replay.post("/api/replay", {"do": "first"})
    for page in screens:
        page.goto(f"http://{LAN_NAME}:{replay.port}/")
        page.wait_for_url("**/replay")
        expect(page.locator("#count")).to_have_text(re.compile(r"^1 of \d+$"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    phone, big = screens
    return phone, big


def both(screens: list[Page], words: str) -> None:
    for page in screens:
        expect(page.locator("#words")).to_have_text(words)


def lit(page: Page) -> dict[str, str]:
    """Return the marked nodes and their meanings as they are drawn."""
    drawn: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.glow.lit')].map((glow) =>"
        " [glow.closest('.node').dataset.node, glow.classList[2]]))"
    )
    return drawn


def letters(page: Page) -> dict[str, str]:
    """Return the stones as they are drawn."""
    drawn: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.node')].filter((node) => node.querySelector('.stone'))"
        ".map((node) => [node.dataset.node, node.querySelector('.stone.black') ? 'B' : 'W']))"
    )
    return drawn


@pytest.mark.thorough
def test_coil_on_two_screens_by_buttons_keys_and_slider(replay: Replay, screens: list[Page]) -> None:
    replay.show(recorded("coil", "a1", "pass", "g7", "b1", resigns=1), "--pace", "60")
    phone, big = opened(replay, screens)
    both(screens, "The game begins: Ada against Grace.")
    phone.get_by_role("button", name="Step forward").click()
    both(screens, "Ada: a stone on a1.")
    assert [letters(page) for page in screens] == [{"a1": "B"}, {"a1": "B"}]
    assert [lit(page) for page in screens] == [{"a1": "put"}, {"a1": "put"}]
    eventually(lambda: sum(replay.pixels()["a1"]) > 0, "the stone's light")
    big.keyboard.press("ArrowRight")
    both(screens, f"Grace: {sentence('pass, and play Black from')}.")
    big.keyboard.press("ArrowRight")
    both(screens, "Ada: a stone on g7.")
    expect(phone.locator("#title")).to_have_text("Coil · turn 3")
    expect(phone.locator("#seats li.acts .name")).to_have_text("Ada")
    big.keyboard.press("ArrowLeft")
    both(screens, f"Grace: {sentence('pass, and play Black from')}.")
    big.keyboard.press("End")
    both(screens, "Grace has won. The other player has resigned.")
    big.keyboard.press("Home")
    both(screens, "The game begins: Ada against Grace.")
    phone.get_by_role("slider", name="Moment of the game").fill("4")
    both(screens, "Grace: a stone on b1.")
    expect(big.get_by_role("slider")).to_have_value("4")
    phone.get_by_role("button", name="To the beginning").click()
    both(screens, "The game begins: Ada against Grace.")
    big.keyboard.press("Space")
    for page in screens:
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
    phone.get_by_label("Seconds per moment").select_option("0.5")
    both(screens, "Grace has won. The other player has resigned.")
    for page in screens:
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        expect(page.get_by_label("Seconds per moment")).to_have_value("0.5")


@pytest.mark.thorough
def test_phalanx_shows_pushes_and_the_dead(replay: Replay, screens: list[Page]) -> None:
    record, step, dead = a_push_that_kills()
    replay.show(record, "--pace", "60")
    phone, big = opened(replay, screens)
    moments = replay.state()["moments"]
    big.get_by_role("slider").fill(str(moments - 3))
    for page in screens:
        expect(page.locator(".glow.lit.line")).to_have_count(len(step.line))
        expect(page.locator("#marks")).to_contain_text("moved along")
    assert all(lit(page) == dict.fromkeys(step.line, "line") for page in screens)
    phone.get_by_role("button", name="Step forward").click()
    for page in screens:
        expect(page.locator("#words")).to_contain_text("Dead, because they stand alone: ")
    assert [set(lit(page)) for page in screens] == [set(dead), set(dead)]
    assert set(dead) <= letters(big).keys()
    phone.get_by_role("button", name="Step forward").click()
    for page in screens:
        expect(page.locator("#words")).to_contain_text(sentence("The record ends here: the"))
    assert not set(dead) & letters(big).keys()


@pytest.mark.thorough
def test_spokes_shows_placements_a_loop_and_the_result(replay: Replay, screens: list[Page]) -> None:
    replay.show(a_loop_record(), "--pace", "60")
    phone, _big = opened(replay, screens)
    phone.get_by_role("button", name="Step forward").click()
    both(screens, "Ada places white on C2; Grace places white on C3.")
    assert [lit(page) for page in screens] == [{"C2": "put", "C3": "put"}] * 2
    for page in screens:
        expect(page.locator("#scores li")).to_have_text(
            ["Ada: 0 on home nodes, 2 in the sector", "Grace: 0 on home nodes, 0 in the sector"]
        )
        page.get_by_text("What was sealed in turn 1").click()
        for seat, placed in ((1, "white on C2"), (2, "white on C3")):
            expect(page.locator("#seals li").nth(seat - 1)).to_contain_text(placed)
            expect(page.locator("#seals li code").nth(3 * seat - 3)).to_have_text(re.compile("^[0-9a-f]{64}$"))
    phone.get_by_role("button", name="Step forward").click()
    both(screens, sentence("This circling can never end"))
    assert [set(lit(page).values()) for page in screens] == [{"loop"}] * 2
    phone.get_by_role("button", name="To the end").click()
    for page in screens:
        expect(page.locator("#words")).to_contain_text(f"Grace has won. {sentence('loop ended the game; its')}")
        expect(page.locator("#standing")).to_contain_text("Grace: 0 on home nodes, 0 in the sector - won")
        expect(page.locator("#scores")).to_be_hidden()
        expect(page.locator("#seals")).to_be_hidden()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "size",
    [
        (360, 640),
        *(
            pytest.param(size, marks=pytest.mark.thorough)
            for size in ((844, 390), (1920, 1080), (390, 844), (768, 1024), (1440, 900))
        ),
    ],
)
def test_board_and_controls_are_in_sight_and_large_enough(
    replay: Replay, browser: Browser, size: tuple[int, int]
) -> None:
    """Nothing to scroll for, on a phone upright or sideways, a tablet, a TV; targets of a thumb's size."""
    width, height = size
    replay.show(recorded("coil", "a1", "pass", "g7"), "--pace", "60")
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(f"{replay.base}/replay")
    expect(page.locator("#count")).to_have_text("1 of 5")
    names = ["To the beginning", "Step back", "Pause", "Step forward", "To the end"]
    for name in names:
        place = page.get_by_role("button", name=name).bounding_box()
        assert place is not None
        assert min(place["width"], place["height"]) >= 44, (name, place)
        assert place["y"] + place["height"] <= height
    board, bar = page.locator("#board svg").bounding_box(), page.locator(".controls").bounding_box()
    words = page.locator("#words").bounding_box()
    assert board
    assert bar
    assert words
    assert board["y"] >= 0
    assert board["y"] + board["height"] <= height
    assert board["width"] > 0.4 * min(width, height), "the board is what it is about"
    for other in (board, words):
        beside = other["x"] + other["width"] <= bar["x"] + 1
        assert beside or other["y"] + other["height"] <= bar["y"] + 1, "nothing lies under the controls"
    context.close()


@pytest.mark.thorough
def test_it_ends_by_itself_when_it_is_shown_once(replay: Replay) -> None:
    replay.show(recorded("coil", "a1", "pass", "g7", resigns=1), "--pace", "0.3", "--once")
    assert replay.process is not None
    out, _ = replay.process.communicate(timeout=200)
    assert replay.process.returncode == 0
    assert "the record is in order" in out


@pytest.mark.thorough
def test_tiles_and_the_ways_of_runners(replay: Replay, screens: list[Page]) -> None:
    """A record of a game with tiles: they lie in their wells as they were turned, the way that was run is drawn."""
    replay.show(whole("octiles"))
    phone, big = opened(replay, screens)
    for page in (phone, big):
        expect(page.locator(".well .tile")).to_have_count(0)
    replay.post("/api/replay", {"do": "to", "moment": 39})
    board = replay.state()["board"]
    laid = {node: stack[0] for node, stack in board.items() if "r" in stack[0] and stack[0] != "r"}
    assert len(laid) > 10
    for page in (phone, big):
        expect(page.locator(".well .tile")).to_have_count(len(laid))
        for well, piece in laid.items():
            place = page.locator(f'[data-node="{well}"] .tile-number')
            expect(place).to_have_text(piece.partition("r")[0])
        expect(page.locator(".arrow.made")).to_have_count(1)
        expect(page.locator(".home")).to_have_count(10)

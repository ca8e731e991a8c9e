"""A recorded game at a running table: each browser steps by itself, by buttons, keys, slider, time and address."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from firmware_host.plug import Attached, Extension
from firmware_host.replay.scenes import Film, film
from tests.archive.records.recorder import a_record, forged, head
from tests.e2e.chromium import LAN_NAME
from tests.e2e.test_replay import letters, lit
from tests.replay.played import recorded, whole
from tests.sampling import cases
from tests.sentences import saying, sentence
from tests.web_panel.records import Shelf, panel_of
from web_panel.api.records import CHUNK
from web_panel.serve import serve

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

GAME = "coil-0a1b2c3d"
Opener = Callable[..., Page]


@dataclass
class Library:
    """Records behind a real server."""

    shelf: Shelf
    base: str
    films: dict[str, Film] = field(default_factory=dict)

    def add(self, lines: tuple[str, ...], name: str) -> Film:
        self.shelf.games[name] = lines
        return film(lines)

    def page(self, name: str, moment: str = "") -> str:
        return f"{self.base}/host/replay/{name}{moment}"


@contextmanager
def opened(attached: Mapping[Extension, Attached] | None = None) -> Iterator[Library]:
    """Serve records, with what extensions add."""
    listener = socket.create_server(("127.0.0.1", 0))
    base = f"http://{LAN_NAME}:{listener.getsockname()[1]}"
    shelf = Shelf()
    handle = serve(panel_of(shelf, addresses=[base], attached=attached), listener)
    yield Library(shelf, base)
    handle.close()


@pytest.fixture
def library() -> Iterator[Library]:
    with opened() as served:
        yield served


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opener]:
    """Opens pages in browsers of their own; nothing may fail on them, unless a test says which failure it waits for."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []
    awaited: list[str] = []

    def opener(address: str, width: int = 390, height: int = 844, fails: str = "", reduced: bool = False) -> Page:
        awaited.extend([fails] if fails else [])
        context = browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce" if reduced else "no-preference"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        return page

    yield opener
    for context in contexts:
        context.close()
    assert [error for error in errors if not any(words in error for words in awaited)] == []


def says(page: Page, words: str) -> None:
    expect(page.locator("#words")).to_have_text(words)


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def lies(shown: Film, at: int) -> set[str]:
    return {node for node, stack in shown.scenes[at].board.items() if len(stack[-1]) == 1}


@pytest.mark.parametrize(
    "game", ["spokes", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("phalanx", "coil", "octiles"))]
)
def test_every_game_is_stepped_through_by_each_browser_alone(library: Library, open_page: Opener, game: str) -> None:
    name = f"{game}-0a1b2c3d"
    shown = library.add(whole(game), name)
    words, last = [str(scene.words) for scene in shown.scenes], len(shown.scenes) - 1
    phone, tablet = open_page(library.page(name)), open_page(library.page(name), 768, 1024)
    for page in (phone, tablet):
        says(page, words[0])
        expect(page.locator("#count")).to_have_text(f"1 of {last + 1}")
        expect(page).to_have_title("Replay – Lodestone")
    press(phone, "Step forward")
    says(phone, words[1])
    phone.keyboard.press("ArrowRight")
    says(phone, words[2])
    assert set(letters(phone)) == lies(shown, 2)
    assert set(lit(phone)) == set(shown.scenes[2].marks)
    phone.keyboard.press("ArrowLeft")
    says(phone, words[1])
    phone.keyboard.press("End")
    says(phone, words[last])
    expect(phone.get_by_role("button", name="Step forward")).to_have_attribute("aria-disabled", "true")
    phone.get_by_role("button", name="Step forward").dispatch_event("click")
    says(phone, words[last])
    middle = last // 2
    phone.get_by_role("slider", name="Moment of the game").fill(str(middle))
    says(phone, words[middle])
    assert set(letters(phone)) == lies(shown, middle)
    expect(phone.locator("#title")).to_have_text(f"{shown.game.title} · turn {shown.scenes[middle].turn}")
    if shown.game.scoring:
        assert phone.locator("#scores li").all_text_contents() == [str(line) for line in shown.scenes[middle].scores]
    press(phone, "To the beginning")
    says(phone, words[0])
    says(tablet, words[0])
    expect(tablet.locator("#count")).to_have_text(f"1 of {last + 1}")


@pytest.mark.thorough
def test_it_plays_by_itself_to_its_end_and_can_be_stopped(library: Library, open_page: Opener) -> None:
    shown = library.add(recorded("coil", "a1", "pass", "g7", "b1", resigns=1), GAME)
    page = open_page(library.page(GAME))
    says(page, str(shown.scenes[0].words))
    page.get_by_label("Seconds per moment").select_option("1")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#count")).to_have_text("2 of 7")
    press(page, "Pause")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    stopped = page.locator("#count").text_content()
    page.wait_for_timeout(1500)  # More than the time of a moment: nothing happens, which no event can tell.
    expect(page.locator("#count")).to_have_text(stopped or "")
    press(page, "Play")
    expect(page.locator("#count")).to_have_text("7 of 7")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    press(page, "Play")
    expect(page.locator("#count")).to_have_text("1 of 7")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.thorough
def test_an_address_names_the_moment(library: Library, open_page: Opener) -> None:
    shown = library.add(whole("phalanx"), "phalanx-0a1b2c3d")
    words = [str(scene.words) for scene in shown.scenes]
    page = open_page(library.page("phalanx-0a1b2c3d", "#101"))
    says(page, words[100])
    press(page, "Step forward")
    page.wait_for_url("**/host/replay/phalanx-0a1b2c3d#102")
    link = page.get_by_role("link", name="Link to this moment")
    expect(link).to_have_attribute("href", "#102")
    says(open_page(page.url), words[101])
    page.evaluate("location.hash = '#3'")
    says(page, words[2])
    for odd in ("#0", "#x", "#-4", "#1e3"):
        says(open_page(library.page("phalanx-0a1b2c3d", odd)), words[0])
    says(open_page(library.page("phalanx-0a1b2c3d", "#999999")), words[-1])


@pytest.mark.thorough
def test_only_what_is_looked_at_is_fetched(library: Library, open_page: Opener) -> None:
    shown = library.add(whole("phalanx"), "phalanx-0a1b2c3d")
    asked: list[str] = []
    page = open_page("about:blank")
    page.on("request", lambda request: asked.append(request.url) if re.search(r"/\d+$", request.url) else None)
    page.goto(library.page("phalanx-0a1b2c3d"))
    says(page, str(shown.scenes[0].words))
    for _ in range(CHUNK - 1):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_have_text(f"{CHUNK} of {len(shown.scenes)}")
    page.keyboard.press("Home")
    says(page, str(shown.scenes[0].words))
    assert sorted(int(url.rpartition("/")[2]) for url in asked) == [0, CHUNK], "each piece once, the next one ahead"


@pytest.mark.thorough
def test_a_game_that_goes_on_is_shown_on(library: Library, open_page: Opener) -> None:
    whole_game = [json.loads(line) for line in whole("phalanx")[1:]]
    actions = [event["data"]["action"] for event in whole_game if event["kind"] == "action"]
    name = "phalanx-0a1b2c3d"
    before = library.add(recorded("phalanx", *actions[: CHUNK + 20]), name)
    page = open_page(library.page(name), fails="409")
    says(page, str(before.scenes[0].words))
    after = library.add(recorded("phalanx", *actions[: CHUNK + 30]), name)
    says(open_page(library.page(name)), str(after.scenes[0].words))
    page.keyboard.press("End")
    expect(page.locator("#count")).to_have_text(f"{len(before.scenes)} of {len(after.scenes)}")
    says(page, str(after.scenes[len(before.scenes) - 1].words))
    page.keyboard.press("End")
    says(page, str(after.scenes[-1].words))


def test_who_is_not_the_host_is_told_so(library: Library, open_page: Opener) -> None:
    library.shelf.is_host = False
    page = open_page(library.page(GAME), 320, 640, fails="403")
    expect(page.locator("main")).to_contain_text(sentence("only the host can do"))
    expect(page.get_by_role("link", name="To the host's page")).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(0)


UNSHOWN = [
    ("newer", "This record has format 3, this program reads format 2: Lodestone 9.1.0 wrote it."),
    ("broken", saying("changed or is missing, first")),
    ("none", "there is no game none"),
]


@pytest.mark.parametrize(
    ("name", "words"),
    cases(UNSHOWN, UNSHOWN[1]),
)
def test_what_can_not_be_shown_says_why(
    library: Library, open_page: Opener, name: str, words: str | re.Pattern[str]
) -> None:
    library.shelf.games["newer"] = tuple(forged(head(record=3, version="9.1.0")))
    library.shelf.games["broken"] = a_record()[:-2]
    page = open_page(library.page(name), 320, 640, fails="status of 40")
    expect(page.locator("#words")).to_contain_text(words)
    expect(page.get_by_role("slider")).to_be_hidden()
    expect(page.get_by_role("link", name="To the host's page")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.thorough
def test_a_table_that_does_not_answer_is_named_and_asked_again(library: Library, open_page: Opener) -> None:
    shown = library.add(whole("phalanx"), "phalanx-0a1b2c3d")
    page = open_page(library.page("phalanx-0a1b2c3d"), fails="ERR_FAILED")
    says(page, str(shown.scenes[0].words))

    def fail(route: Route) -> None:
        route.abort()

    page.route("**/api/host/**", fail)
    page.keyboard.press("End")
    expect(page.locator("#error")).to_have_text(sentence("reached. Is this phone on"))
    page.unroute("**/api/host/**", fail)
    page.keyboard.press("End")
    says(page, str(shown.scenes[-1].words))
    expect(page.locator("#error")).to_be_hidden()


@pytest.mark.thorough
def test_what_was_sealed_is_shown_with_its_commitments(library: Library, open_page: Opener) -> None:
    shown = library.add(a_record(), "spokes-0a1b2c3d")
    at = next(place for place, scene in enumerate(shown.scenes) if scene.seals)
    page = open_page(library.page("spokes-0a1b2c3d"), 320, 640)
    expect(page.locator("#seals")).to_be_hidden()
    expect(page.get_by_role("slider")).to_have_attribute("max", str(len(shown.scenes) - 1))
    page.get_by_role("slider").fill(str(at))
    page.get_by_text(f"What was sealed in turn {shown.scenes[at].turn}").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    for seal in shown.scenes[at].seals:
        row = page.locator("#seals li", has_text=shown.names[seal.seat])
        for told in (str(seal.words), seal.commitment, seal.action, seal.nonce):
            expect(row).to_contain_text(told or "")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_of_a_record_are_text_and_nothing_else(library: Library, open_page: Opener) -> None:
    evil = "<img src=x onerror=a()>"

    def rename(header: Any, _events: Any) -> None:
        header["seats"]["1"]["name"] = evil

    library.add(tuple(forged(rename, a_record())), "spokes-0a1b2c3d")
    page = open_page(library.page("spokes-0a1b2c3d", "#2"))
    expect(page.locator("#words")).to_contain_text(f"{evil} places ")
    expect(page.locator("#seats .name").first).to_have_text(evil)
    expect(page.locator("main img")).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "size",
    [
        (320, 568),
        *(pytest.param(one, marks=pytest.mark.thorough) for one in ((1920, 1080), (360, 640), (844, 390), (768, 1024))),
    ],
)
def test_board_and_controls_are_in_sight_on_every_screen(
    library: Library, open_page: Opener, size: tuple[int, int]
) -> None:
    width, height = size
    library.add(whole("octiles"), "octiles-0a1b2c3d")
    page = open_page(library.page("octiles-0a1b2c3d", "#40"), width, height)
    expect(page.locator("#count")).to_have_text(re.compile("^40 of"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name in ("To the beginning", "Step back", "Play", "Step forward", "To the end"):
        place = page.get_by_role("button", name=name, exact=True).bounding_box()
        assert place is not None
        assert min(place["width"], place["height"]) >= 44, (name, place)
        assert place["y"] + place["height"] <= height
    board, bar = page.locator("#board svg").bounding_box(), page.locator(".controls").bounding_box()
    assert board
    assert bar
    beside = board["x"] + board["width"] <= bar["x"] + 1
    assert beside or board["y"] + board["height"] <= bar["y"] + 1, "nothing lies under the controls"


@pytest.mark.thorough
def test_who_wants_no_motion_sees_none(library: Library, open_page: Opener) -> None:
    library.add(recorded("coil", "a1", "pass", "g7"), GAME)
    page = open_page(library.page(GAME, "#2"), reduced=True)
    says(page, "Ada: a stone on a1.")
    assert page.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length") == 0
    moving = open_page(library.page(GAME, "#2"))
    says(moving, "Ada: a stone on a1.")
    assert moving.evaluate("document.getAnimations().filter((one) => one.playState === 'running').length") > 0

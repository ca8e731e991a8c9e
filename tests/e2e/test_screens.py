"""Every page in every moment fits every screen: nothing to scroll sideways, targets for thumbs, no motion unasked."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, expect

from firmware_host.games.registry import GAMES
from tests.deleted import LACKING
from tests.e2e.room import menu, shut
from tests.e2e.staged import PAGES, Scenes, scenes, show, staged
from tests.e2e.tongues import PSEUDO, long_language
from tests.sampling import cases, some
from tests.sentences import is_in
from tests.web_panel.fake_host import TOKEN
from web_panel.languages import LANGUAGES

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

WIDTHS = (320, 360, 768, 1024, 1920)
WIDE = """() => {
  const room = document.documentElement.clientWidth;
  return document.documentElement.scrollWidth <= room ? [] : [...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > room + 1).slice(0, 3)
    .map((one) => `${one.tagName}#${one.id}.${one.getAttribute("class")}`).concat("wide");
}"""
OUTSIDE = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest("svg, .visually-hidden, dialog:not([open])"))
  .filter((one) => [...one.childNodes].some((part) => part.nodeType === Node.TEXT_NODE && part.data.trim()))
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => `${one.outerHTML.slice(0, 80)}: past the edge`)"""
"""What lies past the edge in a box that hides it: the page is not too wide then."""
SMALL = """() => [...document.querySelectorAll("button, input, select, summary, a.button, label.tick")]
  .filter((one) => one.checkVisibility() && !one.closest("label.tick > *") && one.type !== "range")
  .filter((one) => {
    // What lies over a whole card, and takes its taps, is as large as the card.
    const box = one.getBoundingClientRect(), over = getComputedStyle(one, "::after");
    const [width, height] = over.position === "absolute" && over.pointerEvents !== "none"
      ? [parseFloat(over.width) || 0, parseFloat(over.height) || 0] : [0, 0];
    return Math.max(box.height, height) < 43.5 || Math.max(box.width, width) < 43.5;
  })
  .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module", params=cases(["en", "de"], "de"))
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Scenes]:
    return request.param, scenes(tmp_path_factory.mktemp("scenes"), request.param)


@pytest.fixture(params=cases(["de", PSEUDO], PSEUDO))
def long_words(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Scenes]]:
    """The longest language that is shipped, and a made-up one that is longer by two fifths: for one test, as no other
    page speaks German meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == PSEUDO:
            patch.setenv(LANGUAGES, str(long_language(tmp_path_factory.mktemp("languages"))))
        yield request.param, scenes(tmp_path_factory.mktemp("scenes"), request.param)


CUT = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && !one.closest("svg, .visually-hidden, pre, code, .name, #names, input"))
  .filter((one) => [...one.childNodes].some((part) => part.nodeType === Node.TEXT_NODE && part.data.trim()))
  .filter((one) => one.clientWidth > 1 && ["hidden", "clip"].includes(getComputedStyle(one).overflowX))
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.outerHTML.slice(0, 120)}: cut`)"""


BROKEN = """() => [...document.querySelectorAll(".name")].filter((one) => one.checkVisibility())
  .flatMap((one) => [...one.childNodes])
  .filter((part) => part.nodeType === Node.TEXT_NODE && /^\\s*\\S{1,10}\\s*$/.test(part.data))
  .filter((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
  }).map((part) => `${part.data}: a short name in two lines`)"""
SHORTENED = """() => [...document.querySelectorAll(".name")].filter((one) => one.checkVisibility())
  .filter((one) => one.textContent.trim().length <= 10 && one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.outerHTML.slice(0, 80)}: a short name is cut`)"""


SPLIT = """() => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
  while (texts.nextNode()) {
    const { data, parentElement: one } = texts.currentNode;
    if (!data.trim() || !one.checkVisibility() || one.closest("svg, pre, code, .visually-hidden, .unseen")) continue;
    for (const { 0: word, index } of data.matchAll(/[\\p{L}]{2,10}/gu)) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
      if (Math.max(...tops) - Math.min(...tops) > 4) found.push(`${word} in ${data.trim().slice(0, 60)}: in two lines`);
    }
  }
  return found;
}"""
"""Words of at most ten letters that are broken without a hyphen."""


def misfits(page: Page, name: str, widths: Sequence[int] = WIDTHS) -> list[str]:
    """Return what is too wide at any width, and what is too small for a thumb on phones."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        found += [
            f"{name} {width} {one}"
            for script in (WIDE, OUTSIDE, BROKEN, SHORTENED, SPLIT)
            for one in page.evaluate(script)
        ]
        if width == WIDTHS[0]:
            found += [f"{name} small: {one}" for one in page.evaluate(SMALL)]
    return found


def of_computers(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a TV shows of a view where computers play: their rows have the most words."""
    level = {"level": 3, "name": view["levels"][2]["name"], "about": ""}
    return {**view, "you": None, "seats": [{**seat, "computer": True, "level": level} for seat in view["seats"]]}


def test_every_moment_fits(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    language, views = told
    context, page = staged(browser, locale=language)
    found: list[str] = []
    for path, lobby in (("/", True), ("/play", False), ("/tv", False)):
        page.goto(base + path)
        shown = {name for name, view in views.items() if (view["phase"] == "lobby") == lobby}
        if path == "/tv":
            shown &= {"placing", "over", "octiles acting", "phalanx acting"}
        for name in some(sorted(shown), 16):
            show(page, of_computers(views[name]) if path == "/tv" else views[name])
            found += misfits(page, f"{path} {name}")
    context.close()
    assert found == []


@pytest.mark.thorough
def test_every_moment_fits_in_long_words(browser: Browser, base: str, long_words: tuple[str, Scenes]) -> None:
    """On the narrowest phone, a usual one and a laptop: nothing is too wide, and no word is cut."""
    language, views = long_words
    context, page = staged(browser, locale=language)
    found: list[str] = []
    for path, lobby in (("/", True), ("/play", False), ("/tv", False)):
        page.goto(base + path)
        assert page.locator("html").get_attribute("lang") == language
        for name in some(sorted(name for name, view in views.items() if (view["phase"] == "lobby") == lobby), 12):
            show(page, {**views[name], "you": None} if path == "/tv" else views[name])
            for width in (320, 390, 1280):
                found += misfits(page, f"{path} {name}", [width])
                found += [f"{path} {name} {width} {one}" for one in page.evaluate(CUT)]
    context.close()
    assert not found, "\n".join(found)


@pytest.mark.thorough
def test_every_page_fits_in_long_words(browser: Browser, base: str, long_words: tuple[str, Scenes]) -> None:
    context = browser.new_context(locale=long_words[0])
    page = context.new_page()
    found: list[str] = []
    for path, sign in PAGES.items():
        page.goto(base + path)
        page.locator(sign).first.wait_for()
        for width in (320, 390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            found += [
                f"{path} {width} {one}" for script in (WIDE, OUTSIDE, CUT, SPLIT) for one in page.evaluate(script)
            ]
    context.close()
    assert not found, "\n".join(found)


@pytest.mark.thorough
def test_every_page_fits(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    context = browser.new_context(locale=told[0])
    page = context.new_page()
    found: list[str] = []
    for path, sign in some(PAGES.items(), 3):
        page.goto(base + path)
        page.locator(sign).first.wait_for()
        found += misfits(page, path)
    context.close()
    assert found == []


GREY = """() => [...document.querySelectorAll("button:disabled, button[aria-disabled=true], input:disabled")]
  .filter((one) => one.checkVisibility() && !(one.title && (one.ariaDisabled || one.textContent.includes(one.title))))
  .map((one) => one.outerHTML.slice(0, 160))"""


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_a_grey_button_says_why(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """In every moment on every page, to eyes and to a pointer; those of a replay, which are signs, to a pointer."""
    _, views = told
    context, page = staged(browser)
    found, grey = [], 0
    for path in ("/", "/play", "/host"):
        page.goto(base + path)
        for name, view in sorted(views.items(), key=lambda one: bool(one[1]["phase"] == "lobby")):
            if (view["phase"] == "lobby") == (path == "/") or path == "/host":
                show(page, {**view, "host": path == "/host"})
                grey += page.locator("button:disabled:visible").count()
                found += [f"{path} {name} {one}" for one in page.evaluate(GREY)]
        assert page.url == base + path, "who sees a game begin is led to the seat: lobbies come last"
    context.close()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{base}/host#{TOKEN}")
    page.locator("#games li").first.wait_for(state="attached")
    page.goto(f"{base}/host/replay/coil-0a1b2c3d")
    page.locator("#first[aria-disabled=true]").wait_for()
    found += [f"replay {one}" for one in page.evaluate(GREY)]
    context.close()
    assert found == []
    assert grey > 2, "some are grey"


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_nothing_moves_where_that_is_not_wished(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """Lights and lines move for others: the test looks at that, too."""
    moved = {}
    for wish in ("reduce", "no-preference"):
        context, page = staged(browser, reduced_motion=wish)
        moved[wish] = 0
        for path in ("/play", "/tv"):
            page.goto(base + path)
            for view in some(view for view in told[1].values() if view["phase"] != "lobby"):
                show(page, view)
                moved[wish] += page.evaluate("document.getAnimations().length")
        context.close()
    assert moved["reduce"] == 0
    assert moved["no-preference"] > 10


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_what_colours_alone_show_stays_where_colours_are_forced(
    browser: Browser, base: str, told: tuple[str, Scenes]
) -> None:
    """The colours of seats, to choose from as well, and which way a switch is turned."""
    context, page = staged(browser, forced_colors="active")
    page.goto(f"{base}/")
    show(page, told[1]["lobby full"])
    shown = "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
    colours = page.locator(".swatches .disc").evaluate_all(shown)
    assert len(set(colours)) == len(colours) == 8
    assert set(page.locator("#seats .disc").evaluate_all(shown)) <= set(colours)
    page.goto(f"{base}/play")
    show(page, told[1]["sealing"])
    ground, knob = (
        menu(page)
        .locator("#names .toggle")
        .evaluate("(one) => [null, '::after'].map((part) => getComputedStyle(one, part).backgroundColor)")
    )
    assert ground != knob
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_what_a_guest_reads(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """Words that once puzzled guests, in the moments in which they stood there."""
    _, views = told
    context, page = staged(browser, locale="en-GB")

    def reads(name: str, path: str = "/play", **change: object) -> str:
        if not page.url.endswith(path):
            page.goto(base + path)
        show(page, {**views[name], **change})
        return str(page.locator("main").inner_text())

    def sheet(line: str) -> str:
        text = str(menu(page, line).inner_text())
        shut(page)
        return text

    assert "Waiting for" not in reads("sealing")
    assert "choosing · acts afterwards" in reads("sealing")
    assert "acts next" not in reads("placing")
    assert "Waiting for" not in reads("proposal"), "its reader has the buttons"
    assert "possible move" not in reads("phalanx waiting"), "how many there are is no news"
    won = {str(node): {"meaning": "won", "words": "", "seat": 1} for node in range(1, 9)}
    reads("over", lights=won)
    legend = sheet("legend")
    assert f"{views['over']['seats'][0]['name']}: has won" in legend
    assert "1, 2, 3" not in legend
    happened = views["resolving from 1"]["log"]
    reads("resolving from 1")
    numbers = menu(page, "happened").locator("#log li").evaluate_all("lines => lines.map((line) => line.value)")
    shut(page)
    assert numbers == [line["n"] for line in reversed(happened)], "the newest line has the highest number"
    assert is_in("Is one of the seats", reads("watching")), "a computer may play on for its reader"
    computers = [{**seat, "computer": True, "level": seat["level"] or views["phalanx waiting"]["levels"][0]}
                 for seat in views["phalanx waiting"]["seats"]]  # fmt: skip
    moves = [{**step, "moves": [["A1", "A2"]]} for step in views["phalanx waiting"]["steps"][:1]]
    assert "not known yet" in reads("phalanx waiting", steps=moves)
    assert "not known yet" not in reads("phalanx waiting", steps=moves, seats=computers), (
        "its other steps are not shown"
    )
    placed = views["coil acting"]["brought"]
    assert placed, "a stone from the supply was the last step"
    reads("coil acting")
    assert page.locator(".node.brought").evaluate_all("all => all.map((one) => one.dataset.node)") == placed
    context.close()


@pytest.mark.thorough
def test_dates_are_told_in_the_readers_form(browser: Browser, base: str) -> None:
    read = {}
    for locale in ("en-GB", "en-US", "de-DE"):
        context = browser.new_context(locale=locale, timezone_id="UTC")
        page = context.new_page()
        page.goto(f"{base}/host#{TOKEN}")
        read[locale] = page.locator("#games li .hint").first.inner_text().partition(" · ")[0]
        page.goto(f"{base}/host/replay/coil-0a1b2c3d")
        page.locator("#game", has_text="coil").wait_for()
        read[f"{locale} replay"] = page.locator("#game").inner_text().rpartition("played ")[2]
        context.close()
    assert len(set(read.values())) == len(read), f"three forms of two dates: {read}"


FOLD = """() => {
  const { scrollHeight, clientHeight } = document.documentElement;
  const below = [...document.querySelectorAll(".tray, #headline, #board > svg, .bar, .tray .go, .tray .wait")]
    .filter((one) => one.checkVisibility())
    .filter((one) => { const box = one.getBoundingClientRect();
      return box.bottom > innerHeight + 1 || box.top < -1 || box.right > innerWidth + 1; })
    .map((one) => one.outerHTML.slice(0, 60));
  return scrollHeight > clientHeight + 1 ? [`${scrollHeight} high`, ...below] : below;
}"""
BOARD = (
    "() => Math.min(...['width', 'height'].map((way) => document.querySelector('#board').getBoundingClientRect()[way]))"
)


def test_a_game_is_one_screen(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """Bar, headline, board, tray and the button to press next: nothing lies below the fold, sideways neither."""
    found: list[str] = []
    context, page = staged(browser, locale=told[0])
    page.goto(f"{base}/play")
    for width, height, least in ((390, 664, 180), (360, 740, 200), (320, 640, 180), (844, 390, 360), (768, 1024, 300)):
        page.set_viewport_size({"width": width, "height": height})
        for name, view in some(told[1].items(), 8):
            if view["phase"] in {"lobby", "over"}:
                continue
            show(page, view)
            found += [f"{name} {width}×{height}: {one}" for one in page.evaluate(FOLD)]
            size = page.evaluate(BOARD)
            if size < least:
                found.append(f"{name} {width}×{height}: board {size}")
    context.close()
    assert found == []


ROWS = """() => [...document.querySelectorAll(".players > li")].filter((one) => one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().height > 7 * parseFloat(getComputedStyle(one).fontSize))
  .map((one) => `${one.getBoundingClientRect().height} high: ${one.outerHTML.slice(0, 60)}`)"""


@pytest.mark.thorough
def test_a_player_is_a_row_of_few_lines(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """In every mode, on the page and in the menu: so all of them are seen at once."""
    found: list[str] = []
    context, page = staged(browser, locale=told[0], viewport={"width": 390, "height": 844})
    page.goto(f"{base}/play")
    for name, view in some(told[1].items(), 8):
        if view["phase"] != "lobby":
            show(page, view)
            found += [f"{name}: {one}" for one in page.evaluate(ROWS)]
            menu(page, "players")
            found += [f"{name}, menu: {one}" for one in page.evaluate(ROWS)]
            shut(page)
    context.close()
    assert found == []


@pytest.mark.thorough
def test_partners_know_each_other_and_their_homes_while_they_choose(
    browser: Browser, base: str, told: tuple[str, Scenes]
) -> None:
    context, page = staged(browser, locale=told[0], viewport={"width": 390, "height": 664})
    page.goto(f"{base}/play")
    for name in ("partners sealing", "partners choosing after 1", "partners choosing after 3"):
        view = told[1][name]
        own = next(seat for seat in view["seats"] if seat["seat"] == view["you"]["seat"])
        partner = next(seat for seat in view["seats"] if seat["team"] == own["team"] and seat != own)
        show(page, view)
        row = page.locator("#partner")
        expect(row).to_be_in_viewport(ratio=1)
        expect(row).to_contain_text(partner["name"])
        for home in (own["homes"][0], own["homes"][-1], partner["homes"][0]):
            expect(row).to_contain_text(home)
        assert row.locator(f".seat-{own['colour']}").count() == row.locator(f".seat-{partner['colour']}").count() == 1
    context.close()


CENTRE = """() => { const box = document.querySelector("#board > svg").getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2, box.width]; }"""


SIZES = ((390, 844), (390, 664), (320, 640), (844, 390), (1280, 800))


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), cases(SIZES, SIZES[1]))
def test_the_board_stays_put(browser: Browser, base: str, told: tuple[str, Scenes], width: int, height: int) -> None:
    """Through all moments of a game, whatever is said and offered beside it: its centre and width by 2 px at most."""
    context, page = staged(browser, locale=told[0], viewport={"width": width, "height": height})
    page.goto(f"{base}/play")
    boards: dict[str, dict[str, list[float]]] = {}
    for name, view in some(told[1].items(), 2):
        if view["phase"] not in {"lobby", "over"}:
            show(page, view)
            boards.setdefault(view["game"]["name"], {})[name] = page.evaluate(CENTRE)
    context.close()
    moved = {
        name: [centre, first]
        for places in boards.values() for name, centre in places.items()
        if (first := next(iter(places.values()))) and any(abs(a - b) > 2 for a, b in zip(centre, first, strict=True))
    }  # fmt: skip
    assert moved == {}


APART = """() => { const [crown, board] = [".crown", "#board > svg"].map((one) => document.querySelector(one))
  .map((one) => one?.getBoundingClientRect()); return !crown || crown.top >= board.bottom - 1; }"""


@pytest.mark.thorough
def test_the_end_says_why_and_its_crown_covers_nothing(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    context, page = staged(browser, locale=told[0], viewport={"width": 390, "height": 844})
    page.goto(f"{base}/play")
    for name, view in told[1].items():
        if view["phase"] == "over":
            show(page, view)
            page.wait_for_function(APART)  # Once the style of the end has come.
            won = view["you"]["seat"] in view["result"]["winners"]
            assert page.locator(".crown").count() == won, name
            assert page.locator("main.beaten").count() == (not won), name
            expect(page.locator(".decided")).to_have_attribute("data-reason", "resigned")
    view = told[1]["over"]
    tied = [{**line, "score": 0, "tiebreak": 16 - 6 * at, "won": not at, "names": [f"{at}"], "seats": [at + 1]}
            for at, line in enumerate(view["result"]["lines"][:2])]  # fmt: skip
    show(page, {**view, "result": {**view["result"], "reason": "full", "lines": tied, "winners": [1]}})
    expect(page.locator(".decided")).to_contain_text("16 : 10")
    expect(page.locator(".duel")).to_have_count(0)
    view = told[1]["octiles over"]
    show(page, {**view, "result": {**view["result"], "reason": "goal"}})
    expect(page.locator(".decided")).to_have_attribute("data-reason", "goal")
    expect(page.locator(".duel")).to_have_count(0)
    context.close()


NAMELESS = """() => {
  const told = [...document.querySelectorAll("#head, #error, #picked, #proposal, #reminder, #trouble")]
    .map((one) => one.innerText).join(" ");
  const said = new Set(told.match(/[\\p{L}\\p{N}]+/gu));
  const drawn = [...document.querySelectorAll("#board svg text")].filter((one) => one.checkVisibility())
    .map((one) => one.textContent.trim());
  return [...document.querySelectorAll("#board [data-node]")].map((one) => one.dataset.node)
    .filter((name) => /\\p{L}/u.test(name) && said.has(name) && !drawn.includes(name));
}"""


@pytest.mark.thorough
def test_a_phone_draws_the_names_that_a_text_names(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """At every moment; a refusal stands in the tray, too, and is told while nothing else changes."""
    context, page = staged(browser, locale=told[0], viewport={"width": 390, "height": 844})
    page.goto(f"{base}/play")
    for name, view in told[1].items():
        if view["phase"] != "lobby":
            show(page, view)
            assert page.evaluate(NAMELESS) == [], name
    drawn = page.locator("#board .named text")
    for name, names in (
        ("problem", ["C5"]),
        ("sealing", []),
        ("placing", ["A1", "B3", "D12", "D13"]),
        ("octiles question", ["a2"]),
    ):
        show(page, told[1][name])
        expect(drawn).to_have_text(names)
    show(page, told[1]["resolving from 1"])
    page.evaluate("() => import('/static/shared/live.js').then(({ explain }) => explain('A1, B3: C5.'))")
    expect(drawn).to_have_text(["A1", "B3", "C5"])
    context.close()


@pytest.mark.thorough
def test_names_and_scores_stay_in_sight(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """On a phone of the usual size, whatever is to be done, each on one line; partners see their own."""
    context, page = staged(browser, locale=told[0], viewport={"width": 390, "height": 844})
    page.goto(f"{base}/play")
    for name in ("sealing", "resolving from 1", "phalanx acting", "coil acting", "octiles of 4 acting"):
        show(page, told[1][name])
        for seat in told[1][name]["seats"]:
            row = page.locator(f'#seats [data-seat="{seat["seat"]}"]')
            expect(row).to_be_in_viewport(ratio=1)
            assert row.evaluate("(one) => one.getBoundingClientRect().height") < 48, name
    context.close()


RINGS = """(node) => [...document.querySelector(`#board [data-node="${node}"]`).children]
  .filter((one) => one.matches("circle:not(.spot, .may, .lampwell, .ring-of, .home-well)"))
  .filter((one) => getComputedStyle(one).stroke !== "none").map((one) => getComputedStyle(one).stroke)"""
WIDTH = """(node) => document.querySelector(`#board [data-node="${node}"] > .stones`).getBoundingClientRect().width"""
CYAN, IVORY = "rgb(34, 227, 242)", "rgb(255, 244, 220)"


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_a_picked_stone_is_lifted_with_one_ring_and_its_goals_are_cyan(
    browser: Browser, base: str, told: tuple[str, Scenes]
) -> None:
    """Nothing else may be moved then, and nothing else shines; what lies beside it stays as it was."""
    context, page = staged(browser, viewport={"width": 390, "height": 844})
    page.goto(f"{base}/play")
    for name, source, other, goals in (
        ("resolving from 1", "A1", "D12", ["B3"]),
        ("phalanx acting", "G3", "H3", ["F2", "G1", "H1", "H4", "J2", "J3"]),
        ("attracted", "D16", "D1", ["D1"]),
    ):
        show(page, told[1][name])
        before = {one: page.evaluate(WIDTH, one) for one in (source, other)}
        page.locator(f'#board [data-node="{source}"]').click(force=True)
        expect(page.locator(f'#board [data-node="{source}"]')).to_have_class(re.compile(r"\blifted\b"))
        assert page.evaluate(WIDTH, source) > 1.1 * before[source], name
        assert page.evaluate(WIDTH, other) == pytest.approx(before[other], abs=0.1), name
        assert page.evaluate(RINGS, source) == [IVORY], name
        assert other in goals or page.evaluate(RINGS, other) == [], name
        shine = page.locator("#board .node:has(> .glow.target)")
        assert sorted(shine.evaluate_all("all => all.map((one) => one.dataset.node)")) == goals, name
        for goal in goals:
            assert set(page.evaluate(RINGS, goal)) == {CYAN}, (name, goal)
        page.locator(f'#board [data-node="{source}"]').click(force=True)
        expect(page.locator("#board .lifted, #board .lift, #board .glow.target")).to_have_count(0)
        assert page.evaluate(WIDTH, source) == pytest.approx(before[source], abs=0.1), name
    context.close()


UNLIT = """() => [...document.querySelectorAll(".board :is(.glow, .sign > circle)")]
  .filter((one) => ["none", "rgb(0, 0, 0)"].includes(getComputedStyle(one)[one.matches(".glow") ? "stroke" : "fill"]))
  .map((one) => one.getAttribute("class") ?? `a sign, ${one.parentNode.getAttribute("class")}`)"""


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_a_lamp_has_a_colour_whosever_it_is(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """In every moment; what is nobody's, as on a board that is set up once more, shines white."""
    context, page = staged(browser, viewport={"width": 390, "height": 844})
    page.goto(f"{base}/play")
    unlit = {}
    nobodys = {node: {**light, "seat": None} for node, light in told[1]["placing"]["lights"].items()}
    for name, view in {**told[1], "nobody's": {**told[1]["placing"], "lights": nobodys}}.items():
        if view["phase"] != "lobby":
            show(page, view)
            unlit[name] = page.evaluate(UNLIT)
    context.close()
    assert {name: found for name, found in unlit.items() if found} == {}


BLOCK = """(lower) => { const pip = document.querySelector(`.board .pip.lower.${lower}`);
  const shape = pip?.closest(".stone")?.cloneNode(true);
  shape?.querySelectorAll("[transform='translate(11.2 12)']").forEach((one) => one.remove());
  return shape ? shape.innerHTML : null; }"""
PUT = """async ([node, piece]) => (await fetch("/sim/put", { method: "POST", body: JSON.stringify({ node, piece }),
  headers: { "Content-Type": "application/json", "X-Lodestone": "1" } })).ok"""


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_a_block_looks_the_same_on_every_screen(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """On a phone, the big screen, the virtual board, in a puzzle and in the how-to: two edges and one pip."""
    view = told[1]["resolving from 1"]
    game = GAMES["spokes"]
    solved = []
    if "puzzles" not in LACKING:
        from firmware_host.extensions.puzzles.store import shipped_puzzles  # noqa: PLC0415 - may be away

        lying = ((one.id, game.occupancy(game.parse(one.position)).values()) for one in shipped_puzzles(game))
        solved = [next(f"/puzzles/spokes#{id_}" for id_, stacks in lying if ("b", "w") in stacks)]
    seen: dict[str, str] = {}
    context, page = staged(browser, viewport={"width": 390, "height": 844})
    for path in ("/play", "/tv"):
        page.goto(base + path)
        show(page, {**view, "board": {"C3": ["b", "w"]}, "lights": {}, "you": None if path == "/tv" else view["you"]})
        seen[path] = page.evaluate(BLOCK, "black")
    context.close()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    sheet = ["/how-to-play/spokes"] if "how_to_play" not in LACKING else []
    for path in (*solved, *sheet, "/board"):
        page.goto(base + path)
        page.locator(".board [data-node='C3']").first.wait_for(state="attached")
        for piece in ("b", "w") if path == "/board" else ():
            assert page.evaluate(PUT, ["C3", piece])
        page.locator(".board .pip.lower.black").first.wait_for(state="attached")
        seen[path] = page.evaluate(BLOCK, "black")
    context.close()
    assert None not in seen.values()
    assert len(set(seen.values())) == 1, seen


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_wood_has_grain(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    """By day and in the evening: much of the board differs from the same board without it, none of it by much."""
    for scheme, name in (("light", "phalanx acting"), ("dark", "resolving from 1")):
        context, page = staged(browser, viewport={"width": 390, "height": 844}, color_scheme=scheme)
        page.goto(f"{base}/play")
        show(page, told[1][name])
        taken = []
        for _ in range(2):
            taken.append(Image.open(io.BytesIO(page.locator("#board > svg").screenshot())).convert("L"))
            page.evaluate("document.querySelectorAll('#grain path').forEach((one) => one.remove())")
        context.close()
        counts = ImageChops.difference(*taken).histogram()
        assert sum(counts[2:]) > 0.1 * sum(counts), (scheme, sum(counts[2:]) / sum(counts))
        assert sum(counts[40:]) == 0, scheme


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["en"], indirect=True)
def test_learning_has_one_golden_button(browser: Browser, base: str, told: tuple[str, Scenes]) -> None:
    context, page = staged(browser, viewport={"width": 390, "height": 844})
    page.goto(base)
    show(page, told[1]["lobby empty"])
    page.locator("#learn-open").click()
    expect(page.locator("#sheet #learn")).to_be_visible()
    expect(page.locator("#sheet :is(.go, .primary):visible")).to_have_count(1)
    context.close()


ENLARGE = "(size) => { document.documentElement.style.fontSize = size; }"


@pytest.mark.thorough
@pytest.mark.parametrize("told", ["de"], indirect=True)
@pytest.mark.parametrize(("width", "height"), [(320, 640), (390, 844), (844, 390)])
def test_large_text_makes_a_page_longer_not_wider(
    browser: Browser, base: str, told: tuple[str, Scenes], width: int, height: int
) -> None:
    """Text of 150 and 200 %, in the lobby, in all moments of a game with its menu, and on all other pages."""
    found: list[str] = []

    def look(page: Page, name: str) -> None:
        for size in ("150%", "200%"):
            page.evaluate(ENLARGE, size)
            found.extend(f"{name} {size} {one}" for one in page.evaluate(WIDE))
        page.evaluate(ENLARGE, "")

    for path in ("/", "/play"):
        context, page = staged(browser, locale="de", viewport={"width": width, "height": height})
        page.goto(base + path)
        for name, view in told[1].items():
            if (view["phase"] == "lobby") == (path == "/"):
                show(page, view)
                look(page, name)
        menu(page)
        look(page, f"the menu of {path}")
        context.close()
    context = browser.new_context(locale="de", viewport={"width": width, "height": height})
    page = context.new_page()
    for path, sign in PAGES.items():
        page.goto(base + path)
        page.locator(sign).first.wait_for()
        look(page, path)
    context.close()
    assert found == []

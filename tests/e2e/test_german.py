"""Pages in other languages: a made-up one that shows what no catalogue knows, German, and two at one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.program import Program, eventually
from tests.e2e.room import ENDING, menu, shut, types
from tests.e2e.tongues import NAMES, PSEUDO, Evening, brackets, pseudo_language, untold
from tests.sentences import sentence

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

BOARDS = ("spokes-45", *(pytest.param(one, marks=pytest.mark.thorough) for one in ("go-9x9", "hexhex-7", "octiles-53")))


@contextmanager
def evening(program: Program, browser: Browser, *locales: str, board: str = "spokes-45") -> Iterator[Evening]:
    people = Evening(program, browser, locales, "--board", board)
    try:
        yield people
    finally:
        people.close()


# -- nothing is said that is in no catalogue ------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("board", BOARDS)
def test_every_word_of_every_page_comes_from_a_catalogue(
    program: Program, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str
) -> None:
    """A short game in a language whose every sentence stands in brackets: nothing stands outside of them."""
    monkeypatch.setenv("LODESTONE_LANGUAGES", str(pseudo_language(tmp_path)))
    with evening(program, browser, PSEUDO, PSEUDO, board=board) as people:
        screens = [
            people.open(path, PSEUDO, 1280, 800)
            for path in ("/tv", "/play", "/", "/proof", "/hardware", "/how-to-play", "/puzzles")
        ]
        host = people.open(f"/host#{program.host_token()}", PSEUDO)
        expect(host.locator("#seats button").first).to_be_visible()

        english: dict[str, list[str]] = {}

        def look(when: str) -> None:
            for page in [*people.phones, *screens, host]:
                for word in untold(page, *NAMES):
                    english.setdefault(word, []).append(f"{page.url.removeprefix(people.base)} {when}")

        play(people, look)
        host.goto(f"{people.base}/host/replay/{people.view['game']['id']}")
        expect(host.locator("#words")).to_have_text(re.compile("⟦"))
        look("in the replay")
        assert not english, str({word: when[0] for word, when in english.items()})
        for page in [*people.phones, host]:
            eventually(lambda: brackets(page) > 8, "the page is drawn")  # noqa: B023


def play(people: Evening, look: Callable[[str], None]) -> None:
    """Play a short game, and have a look at every moment that shows something else."""
    people.phones[0].locator("#sit").wait_for()
    look("in the lobby")
    people.phones[0].locator("#menu").click()
    look("in the menu of the lobby")
    people.phones[0].goto(f"{people.base}/join/1")
    people.phones[0].locator("#lobby").wait_for()
    look("on the page of a seat")
    people.sit()
    look("when all sit")
    people.start()
    if people.view["phase"] == "sealing":
        people.seal(lambda: look("while all seal"))
        people.program.until_phase("placing")
        look("while stones are put down")
        people.place()
    look("before the first step")
    virtual_board(people)
    assert people.program.as_host("pause")[0] == 200
    eventually(lambda: people.view["paused"], "the host pauses")
    look("while the host pauses")
    assert people.program.as_host("continue")[0] == 200
    eventually(lambda: not people.view["paused"] and people.view["phase"] == "resolving", "the host goes on")
    ask(people, look)
    for _ in range(2):
        action = people.choose()
        expect(people.actor().locator("#unwant")).to_be_visible()
        look("when a step is wanted")
        people.do(action)
        question = people.actor().locator('[data-card="question"] button')
        if people.view["question"]:
            question.first.wait_for()
            look("when the sensors can't tell")
            question.first.click()
        look("after a step")
        if people.view["phase"] != "resolving" or not people.view["steps"]:
            break
    sheet = menu(people.phones[0])
    look("in the menu")
    if sheet.locator("#propose-take-back").count():
        sheet.locator("#propose-take-back").click()
        expect(people.phones[1].locator("#agree")).to_be_visible()
        look("when taking back is proposed")
        people.phones[1].locator("#decline").click()
        expect(people.phones[1].locator("#agree")).to_have_count(0)
    people.resign(people.phones[0])
    people.program.until_phase("over")
    expect(people.phones[1].locator('[data-card="result"]')).to_be_visible()
    look("at the end")


def virtual_board(people: Evening) -> None:
    """Somebody moves pieces there: one in the hand, one that is gone from it, and a sensor that breaks."""
    page, hand = people.open("/board", PSEUDO, 1280, 800), people.program.hand
    tray = page.locator("[data-piece]").last  # A tile where there are any.
    tray.press("Enter")
    expect(page.locator("#say")).to_have_text(re.compile("⟦In the hand"))
    tray.press("]")
    assert untold(page, *NAMES) == []
    tray.press("[")
    state = people.program.get("/sim/state")
    free = next(node for node in state["pixels"] if node not in state["stones"])
    hand("fault", kind="stuck-off", node=free)
    expect(page.locator("#faults")).to_have_text(f"{free}: ⟦stuck off⟧")
    assert untold(page, *NAMES) == []
    for mine in state["hands"]:
        hand("put", node="supply", hand=mine)
    page.locator("[data-node]").first.press("Enter")
    expect(page.locator("#say")).to_have_text("⟦the hand holds nothing⟧")
    assert untold(page, *NAMES) == []
    eventually(lambda: brackets(page) > 30, "the page is drawn")
    hand("fault", kind="clear")
    page.context.close()


def ask(people: Evening, look: Callable[[str], None]) -> None:
    """Another phone asks for a seat, and the host refuses."""
    stranger = people.open("/", PSEUDO)
    stranger.locator("#mine-2").click()
    code = stranger.locator(".ask-code").inner_text()
    eventually(lambda: people.view["asks"], "somebody asks")
    look("when a phone asks for a seat")
    assert untold(stranger, *NAMES) == []
    assert people.program.as_host("refuse", code=code)[0] == 200
    expect(stranger.locator('#panel [role="alert"]')).to_have_text(re.compile("⟦"))
    assert untold(stranger, *NAMES) == []


# -- German ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_game_in_german(program: Program, browser: Browser) -> None:
    with evening(program, browser, "de-DE", "de-AT") as people:
        ann, bob = people.phones
        expect(ann.locator("html")).to_have_attribute("lang", "de")
        expect(ann).to_have_title("Lodestone – die Lobby")
        expect(ann.locator("#message")).to_have_text("Tippe auf einen freien Sitz.")
        tv = people.open("/tv", "de-DE", 1920, 1080)
        host = people.open(f"/host#{program.host_token()}", "de-DE", 768)
        expect(tv.locator("html")).to_have_attribute("lang", "de")
        expect(host.locator("#bar")).to_contain_text("Spielleitung")
        people.sit()
        people.start()
        expect(ann).to_have_title("● Wähle im Geheimen – Lodestone")
        expect(ann.get_by_role("heading", name="Wähle im Geheimen")).to_be_visible()
        expect(ann.get_by_role("radio", name="schwarz")).to_be_visible()
        node = ann.locator('[data-node="D5"]')
        expect(node).to_have_attribute("aria-label", "D5, Osten")
        ann.get_by_role("radio", name="weiß").click()
        node.click()
        expect(ann.locator("#seal")).to_have_text("Versiegeln: weiß auf D5")
        people.seal()
        people.place()
        expect(people.actor().get_by_role("heading", name="Du bist dran")).to_be_visible()
        prompt = r"^Einen leuchtenden Stein bewegen; \d Schritte sind möglich\.$"
        expect(tv.locator("#message")).to_have_text(re.compile(prompt))
        expect(menu(people.actor(), "moves").locator('[data-card="steps"] button').first).to_have_text(
            re.compile(r"^\w+ schiebt \w+ nach \w+$")
        )
        shut(people.actor())
        people.do(people.choose())
        proof = people.open("/proof", "de-DE")
        expect(proof.locator("#words")).to_contain_text(
            sentence("worked out all seals again", language="de", seals="2 Siegel", turns="1 Zug")
        )
        people.resign(ann)
        expect(bob.locator(ENDING)).to_have_text("Du hast gewonnen")
        expect(tv.locator("#result")).to_contain_text("Das Spiel endete durch Aufgabe.")
        nothing = people.open("/no-such-page", "de-DE")
        expect(nothing.get_by_role("heading", name="Nicht gefunden")).to_be_visible()


@pytest.mark.thorough
def test_refusals_on_a_german_phone(program: Program, browser: Browser) -> None:
    """What the table, the panel and the page itself refuse."""
    with evening(program, browser, "de-DE", "de-DE") as people:
        ann, bob = people.phones
        people.sit()
        ann.goto(f"{people.base}/join/2#{'x' * 22}")
        expect(ann.locator("#message")).to_have_text("Dieses Handy hat schon Sitz 1.")
        third = people.open(f"/join/1#{'x' * 22}", "de-DE")
        expect(third.locator("body")).to_contain_text("Hier sitzt Ann.")
        ann.goto(f"{people.base}/")
        people.start()
        ann.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
        types(ann, "wD2")
        ann.locator("#seal").click()
        expect(ann.locator("#error")).to_have_text(sentence("seal would be lost", language="de"))
        bob.evaluate("() => { window.fetch = () => Promise.reject(new Error('no net')); }")
        people.resign(bob)
        expect(bob.locator("#error")).to_have_text(sentence("reached. Is this phone on", language="de"))


# -- several languages at one table ---------------------------------------------------------------------------------


@pytest.mark.thorough
def test_two_phones_of_one_table_read_two_languages(program: Program, browser: Browser) -> None:
    with evening(program, browser, "de-DE", "en-GB") as people:
        german, english = people.phones
        people.sit()
        people.start()
        expect(german.locator("#headline")).to_have_text("Wähle im Geheimen")
        expect(english.locator("#headline")).to_have_text("Choose in secret")
        people.seal()
        people.place()
        expect(german.locator("#seats")).to_contain_text("am Zug")
        expect(english.locator("#seats")).to_contain_text("acts now")
        colours = "[...document.querySelectorAll('.stone')].map((stone) => stone.getAttribute('class')).sort().join()"
        assert german.evaluate(colours) == english.evaluate(colours) != "", "drawn alike, whatever they are called"


def test_a_language_is_chosen_on_the_page(program: Program, browser: Browser) -> None:
    """By keyboard, and kept; the other pages of that browser follow, other phones don't."""
    with evening(program, browser, "en-GB", "en-GB") as people:
        page, other = people.phones
        expect(page.locator("#message")).to_have_text("Tap a free seat.")
        button = menu(page, "languages").get_by_role("button", name="Deutsch")
        expect(button).to_have_attribute("aria-pressed", "false")
        expect(button).to_have_attribute("lang", "de")
        button.focus()
        page.keyboard.press("Enter")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.locator("#message")).to_have_text("Tippe auf einen freien Sitz.")
        expect(menu(page, "languages").get_by_role("button", name="Deutsch")).to_have_attribute("aria-pressed", "true")
        page.goto(f"{people.base}/tv")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.get_by_role("group", name="Sprache")).to_be_visible()
        other.reload()
        expect(other.locator("html")).to_have_attribute("lang", "en")
        page.get_by_role("button", name="English").click()
        expect(page.locator("html")).to_have_attribute("lang", "en")

"""Puzzles, in a browser: on a narrow phone, by taps and from the list; a wrong try, the right one, what is kept."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from firmware_host.extensions.puzzles import store
from firmware_host.extensions.puzzles.puzzle import Puzzle, kinds_of
from firmware_host.games.registry import GAMES
from tests.analysers import ScriptedAnalyser
from tests.attached import attached
from tests.e2e.program import eventually
from tests.e2e.room import faults_of
from tests.sampling import few
from tests.sentences import saying, sentence
from tests.web_panel.fake_host import TOKEN
from tests.web_panel.table import ServedTable

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path, attached=attached(tmp_path, "puzzles")) as served:
        yield served


def puzzle_of(name: str, kind: str) -> Puzzle:
    return next(puzzle for puzzle in store.shipped_puzzles(GAMES[name]) if puzzle.kind == kind)


def tap(page: Page, node: str, action: str) -> None:
    """Tap a node; where the drawing is too small for a thumb, press what is shown large then."""
    page.locator(f'#board [data-node="{node}"]').click(force=True)
    button = page.locator(f'[id="pick-{action}"]')
    expect(button.or_(page.locator(".head:is(.right, .wrong)")).first).to_be_visible()
    if button.is_visible():
        button.click()


@pytest.mark.thorough
def test_a_puzzle_is_tried_and_solved_on_a_narrow_phone(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    faults = faults_of(page)
    puzzle = puzzle_of("coil", "close")
    told: Any = None
    page.goto(f"{table.base}/puzzles/coil#{puzzle.id}")
    expect(page.locator("#asked")).to_have_text(sentence("Black closes a coil with"))
    expect(page.locator("#board .ring").first).to_have_css("fill", "none")
    told = page.evaluate("(path) => fetch(path).then((answer) => answer.json())", f"/api/puzzles/coil/{puzzle.id}")
    wrong = next(step["action"] for step in told["steps"] if step["action"] != puzzle.answer[0])
    tap(page, wrong, wrong)
    expect(page.locator("#verdict")).to_have_text("This stone closes no coil.")
    page.locator("#again").click()
    expect(page.locator("#verdict")).to_have_text("")
    tap(page, puzzle.answer[0], puzzle.answer[0])
    expect(page.locator("#asked")).to_have_text("Right!")
    page.locator("#puzzles").click()
    expect(page.locator('#list [aria-current="true"]').first).to_contain_text("✓")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.reload()
    page.locator("#puzzles").click()
    expect(page.locator('#list [aria-current="true"]').first).to_contain_text("✓")

    assert not faults
    context.close()


@pytest.mark.thorough
def test_a_tap_on_what_can_not_be_moved_is_answered(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    puzzle = puzzle_of("spokes", next(iter(kinds_of(GAMES["spokes"]))))
    page.goto(f"{table.base}/puzzles/spokes#{puzzle.id}")
    page.locator("#board .can").first.wait_for()
    page.locator("#board .node:not(.can, .bare)").first.click(force=True)
    expect(page.locator("#why")).to_have_text("That is not possible now.")
    page.locator("#board .can").first.click(force=True)
    expect(page.locator("#why")).to_have_count(0)
    context.close()


@pytest.mark.thorough
def test_puzzles_are_solved_from_the_list_and_solutions_are_shown(table: ServedTable, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    faults = faults_of(page)

    # A tile, then a runner, both from the list, by keys.
    puzzle = puzzle_of("octiles", "home")
    page.goto(f"{table.base}/puzzles/octiles#{puzzle.id}")
    laid = puzzle.answer[0].partition(":")[0]
    expect(page.locator("#board .stone.blue")).to_have_count(5)
    for action in (laid, puzzle.answer[0]):
        page.locator("#puzzles").click()
        page.locator("#by-words").click()
        button = page.locator(f'[id="step-{action}"]')
        button.evaluate(
            "node => { for (let at = node; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true; }"
        )
        button.press("Enter")
    expect(page.locator("#asked")).to_have_text("Right!")
    expect(page.locator("#next")).to_be_visible()

    # The solution of one of several steps.
    puzzle = puzzle_of("spokes", "most")
    page.goto(f"{table.base}/puzzles/spokes#{puzzle.id}")
    page.locator("#solution").click()
    expect(page.locator('[data-card="solution"] li')).to_have_count(len(puzzle.answer))
    expect(page.locator("#asked")).to_have_text("The solution")
    assert page.evaluate("JSON.parse(localStorage['lodestone-puzzles']).solved.spokes") is None
    assert not faults
    context.close()


STONES = """(host) => [...host.querySelectorAll(".stone, .tile")].length"""


@pytest.mark.parametrize(("width", "height"), few([(390, 844), (1280, 800)], 1))
def test_puzzles_stand_by_theme_with_small_boards_and_days_in_a_row(
    table: ServedTable, browser: Browser, width: int, height: int
) -> None:
    """On a phone in a sheet, on a desk beside the board, where they fill what else would be empty."""
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    faults = faults_of(page)
    game = GAMES["spokes"]
    shipped = store.shipped_puzzles(game)
    desk = width > 1000
    page.goto(f"{table.base}/puzzles/spokes")
    page.evaluate(
        """async (solved) => { const { day } = await (await fetch("/api/puzzles/spokes")).json();
        const before = (days) => new Date(Date.parse(day) - days * 86400000).toISOString().slice(0, 10);
        localStorage["lodestone-puzzles"] = JSON.stringify({ solved: { spokes: solved },
          days: [before(4), before(1), day] }); }""",
        [one.id for one in shipped if one.kind == "win"][:2],
    )
    page.goto(f"{table.base}/puzzles/spokes?again#{next(one.id for one in shipped if one.kind == 'rest')}")
    if not desk:
        page.locator("#puzzles").click()
    host = page.locator("#themes" if desk else "#sheet")
    expect(host.locator(".theme")).to_have_count(len(kinds_of(game)))
    for kind in kinds_of(game):
        count = sum(one.kind == kind for one in shipped)
        expect(host.locator(f"#theme-{kind}")).to_contain_text(
            sentence("{done} of {count} solved", done=2 if kind == "win" else 0, count=count)
        )
    host.locator("#theme-win").click()
    wins = [one for one in shipped if one.kind == "win"]
    small = host.locator(".small-boards .small-board")
    expect(small).to_have_count(len(wins))
    expect(small.locator("svg.miniature")).to_have_count(len(wins))
    for one in wins[:4]:
        button = host.locator(f'.small-boards [data-puzzle="{one.id}"]')
        assert button.evaluate(STONES) == len(game.occupancy(game.parse(one.position)))
    assert [one.is_visible() for one in small.get_by_text("✓").all()] == [True, True]
    expect(host.locator(".week i.done")).to_have_count(3)
    expect(host.locator("#streak")).to_contain_text(sentence("Solved the puzzle of the day", count=2))
    boxes = [one.bounding_box() for one in (page.locator("#board > svg"), host, page.locator(".tray"))]
    if desk:
        (board, list_, tray) = (one or {} for one in boxes)
        assert list_["x"] >= board["x"] + board["width"] - 1
        assert list_["height"] >= height * 0.35, "what else would be empty is used"
        assert tray["y"] + tray["height"] == pytest.approx(height, abs=1)
        assert list_["y"] + list_["height"] <= tray["y"] + 1
    small.nth(3).click()
    expect(page.locator("#board .stone").first).to_be_visible()
    expect(page).to_have_url(re.compile(f"#{wins[3].id}$"))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not faults
    context.close()


def moves_of(puzzle: Puzzle) -> list[list[Any]]:
    """Return what hands move for each action of an answer."""
    game, found = GAMES[puzzle.game], []
    position = game.parse(puzzle.position)
    for action in puzzle.answer:
        found.append([*next(step for step in game.steps(position) if step.action == action).moves])
        position = game.apply(position, {puzzle.seat: action}).position
    return found


def test_a_puzzle_is_set_up_by_light_and_solved_by_hand(table: ServedTable, browser: Browser) -> None:
    """From a puzzle's page to the board, by lights and hands to the solution, and on to the next one."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    faults = faults_of(page)
    game = GAMES["spokes"]
    lying = {one: game.occupancy(game.parse(one.position)).values() for one in store.shipped_puzzles(game)}
    single = [
        one
        for one in store.shipped_puzzles(game)
        if len(one.answer) == 2 and all(len(stack) == 1 for stack in lying[one])
    ]
    puzzle = min(single, key=lambda one: len(lying[one]))
    page.goto(f"{table.base}/puzzles/spokes#{puzzle.id}")
    page.locator("#set-up").click()
    page.wait_for_url("**/play")
    expect(page.locator("#headline")).to_have_text(table.view["lesson"]["title"])
    expect(page.locator("#board .halo").first).to_have_attribute("fill", re.compile("^url.#bloom-"))
    table.set_up()
    expect(page.locator("#message")).to_contain_text("Resolve so that")
    for number, moves in enumerate(moves_of(puzzle), 1):
        for move in moves:
            table.hand.carry(str(move.source), str(move.target))
        if number < len(puzzle.answer):
            eventually(
                lambda: table.view["message"] == table.view["lesson"]["words"] and not table.view["tasks"], "it goes on"
            )
    expect(page.locator("#headline")).to_have_text("Right!")
    expect(page.locator("#message")).to_contain_text("Proved:")
    expect(page.locator("#puzzle-time")).to_contain_text(re.compile(r"Solved in \d+:\d\d"))
    expect(page.locator("#book-it, #too-quick")).to_be_visible()
    page.locator("#puzzle-next").click()
    expect(page.locator("#puzzle-next")).to_have_count(0)
    assert table.view["lesson"]["name"] != puzzle.id
    page.locator("#lesson-stop").click()
    page.wait_for_url("**/puzzles/spokes#*")
    page.locator("#puzzles").click()
    expect(page.locator("#list")).to_contain_text("✓")
    assert table.view["lesson"] is None
    assert not faults
    context.close()


def test_only_positions_of_games_with_puzzles_are_offered_as_one(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("firmware_host.extensions.positions")
    with ServedTable.opened(
        tmp_path, analyser=ScriptedAnalyser("C2-D3-3"), attached=attached(tmp_path, "positions", "puzzles")
    ) as table:
        context = browser.new_context(viewport={"width": 390, "height": 844})
        page = context.new_page()
        page.goto(f"{table.base}/host#{TOKEN}")
        expect(page).to_have_url(f"{table.base}/host")

        def offered(modes: Mapping[str, int]) -> None:
            page.goto(f"{table.base}/position")
            for mode, count in modes.items():
                page.locator("#mode").select_option(mode)
                expect(page.locator("#best")).to_be_visible()
                expect(page.locator("#pose")).to_have_count(count)

        kinds = kinds_of(GAMES["spokes"])
        offered({"4": 1, "2": 1})
        only = {name: replace(kind, modes=("4",)) for name, kind in kinds.items()}
        monkeypatch.setattr("firmware_host.extensions.puzzles.requests.kinds_of", lambda _game: only)
        offered({"2": 0, "4": 1})
        monkeypatch.setattr("firmware_host.extensions.puzzles.requests.kinds_of", lambda _game: {})
        offered({"2": 0, "4": 0})
        context.close()


@pytest.mark.thorough
def test_a_time_stands_in_the_book_until_the_host_removes_its_day(table: ServedTable, browser: Browser) -> None:
    pytest.importorskip("firmware_host.extensions.book")
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    faults = faults_of(page)
    puzzle = puzzle_of("coil", "close")

    def solve(seconds: int) -> None:
        page.goto(f"{table.base}/puzzles/coil#{puzzle.id}")
        page.reload()  # Where only what follows the # has changed.
        expect(page.locator("#asked")).to_have_text(sentence("Black closes a coil with"))
        page.clock.fast_forward(seconds * 1000)
        tap(page, puzzle.answer[0], puzzle.answer[0])
        expect(page.locator("#asked")).to_have_text("Right!")

    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    solve(1)
    expect(page.locator("#too-quick")).to_have_text(sentence("The book takes times of", time="0:03"))
    expect(page.locator("#book-it")).to_have_count(0)
    solve(75)
    expect(page.locator("#puzzle-time")).to_have_text("Solved in 1:15.")
    page.locator("#solver").fill("Ann")
    page.locator("#book-it").click()
    expect(page.locator('[data-card="booking"]')).to_contain_text(sentence("It is in the book", name="Ann"))

    page.goto(f"{table.base}/host#{TOKEN}")
    expect(page.locator("#part-table")).to_be_visible()
    page.goto(f"{table.base}/book")
    expect(page.get_by_role("row", name="Ann")).to_be_visible()
    page.get_by_text("Remove all of a day").click()
    page.locator("button[data-day]").click()
    expect(page.locator("#asktext")).to_contain_text(saying("Remove the one puzzle"))
    page.locator("#ask button[value=yes]").click()
    expect(page.locator("#puzzles")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert not faults
    context.close()

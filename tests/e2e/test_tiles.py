"""Games with tiles through the pages: looked at, turned, laid, taken up again; runners along their lines."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from firmware_host.archive.journal import Journal
from firmware_host.games.positions import starting
from firmware_host.games.registry import game as find_game
from tests.archive.records.recorder import BOARDS, Recorder
from tests.e2e.program import Program, eventually
from tests.e2e.racing import NAMES, Race
from tests.e2e.room import ENDING, menu, shut, won_by
from tests.games.octiles_positions import greedy_action
from tests.sampling import is_sample
from tests.sentences import saying

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def turn_until(page: Page, *, possible: bool) -> str:
    """Turn the tile that is looked at, by keys and by buttons, until it can lie so (or can't); return the turning."""
    lay = page.locator("#lay")
    for key in ("]", "ArrowRight", "[", "ArrowLeft", "ArrowLeft"):
        if lay.is_enabled() == possible:
            break
        page.keyboard.press(key)
    for _ in range(8):
        if lay.is_enabled() == possible:
            break
        page.locator("#turn-on").click()
    assert lay.is_enabled() == possible
    return str(page.locator(".strip").get_attribute("data-turn"))


def look_at(race: Race, well: str) -> str:
    """Tap a well on the acting phone, turn the tile there; return the stage that is chosen."""
    page, piece = race.page, race.view["supply"]["piece"]
    place = page.locator(f'[data-node="{well}"]')
    place.click(position={"x": 30, "y": 20})
    expect(page.locator(".strip [role=status]")).to_contain_text(f"Tile {piece} on {well}")
    expect(place.locator(".tile-number")).to_have_text(piece)
    expect(page.locator(".trail.may").first).to_be_attached()
    place.focus()
    if race.turnings(well) < 8:
        turn_until(page, possible=False)
        expect(page.locator(".strip [role=status]")).to_contain_text("not possible")
        expect(page.locator(f'[data-node="{well}"].impossible')).to_have_count(1)
    assert race.view["wanted"] is None
    return f"{well}r{turn_until(page, possible=True)}"


def runner_by_the_phone(race: Race) -> None:
    """Tap a runner: its lines run; tap an end. Lifted it may be put back; on a wrong node it is told."""
    page, step = race.page, race.view["steps"][0]
    source, target = step["line"][0], step["line"][-1]
    page.locator(f'[data-node="{source}"]').click()
    ends = [one for one in race.view["steps"] if one["line"][0] == source]
    expect(page.locator(".trail.runs")).to_have_count(len(ends))
    page.locator(f'[data-node="{target}"]').click()
    if page.locator(f"#pick-{step['action']}".replace(":", "\\:")).count():
        page.locator(f"#pick-{step['action']}".replace(":", "\\:")).click()
    eventually(lambda: race.view["wanted"] == step["action"], "the end is chosen")
    race.program.hand("lift", node=source)
    eventually(lambda: any(light["meaning"] == "line" for light in race.view["lights"].values()), "the line is lit")
    expect(race.pages[1].locator(".trail.runs")).not_to_have_count(0)
    before = race.view
    race.program.hand("put", node=source)
    time.sleep(1.2)  # No condition shows that it is seen to be back: its line stays lit, because it is named.
    assert (race.view["log"], race.view["stage"]) == (before["log"], before["stage"]), "put back: nothing is done"
    taken = {one["line"][-1] for one in race.view["steps"]} | set(race.view["board"])
    wrong = next(node for node in ("C3", "D4", "C4", "D3") if node not in taken)
    race.program.hand("move", **{"from": source, "to": wrong})
    eventually(lambda: race.view["problem"], "a wrong node is told")
    expect(page.locator("#problem")).to_contain_text(wrong)
    race.program.hand("move", **{"from": wrong, "to": target})
    race.program.counted(before, step["action"])


def a_tile_is_covered(race: Race) -> None:
    """Turns on, until one covers a tile: where that goes is told, and ticked off on a phone."""
    for _ in range(10):
        covered = any(len(step["moves"]) > 1 for step in race.view["steps"])
        race.turn(covering=True)
        if covered:
            break
    assert "bottom of the stack" in race.view["tidying"]
    for page in race.pages:
        expect(page.locator('[data-card="tidying"]')).to_contain_text(saying("goes to the bottom"))
    race.pages[0].locator("#tidied").click()
    for page in race.pages:
        expect(page.locator('[data-card="tidying"]')).to_have_count(0)
    assert race.view["tidying"] is None


def resigned(race: Race) -> None:
    page = race.pages[0]
    menu(page, "resign")
    page.locator("#ask").get_by_role("button", name="Yes").click()
    race.program.until_phase("over")
    for one in race.pages:
        expect(one.locator(ENDING)).to_have_text(won_by("Bob"))
        expect(one.locator(".result")).to_contain_text("Runners on their goal")
        expect(one.locator("#supply .tile")).to_have_count(0)


@pytest.mark.thorough
def test_where_a_well_tells_only_that_a_tile_lies(program: Program, phones: Sequence[BrowserContext]) -> None:
    """The turning is chosen on the phone beforehand, or told by pictures once the tile lies."""
    race = Race(program, phones, "octiles-53")
    ann, bob = race.pages
    for page, marks in ((ann, ["plays blue", "plays yellow"]), (bob, ["plays blue", "plays yellow"])):
        expect(page.locator("#seats li")).to_contain_text(marks)
        expect(menu(page, "players").locator("#counted")).to_have_text("Runners on their goal")
        shut(page)
        expect(page.locator("#seats .score")).to_have_text(["0", "0"])
        expect(page.locator("#supply")).to_contain_text("18 in the stack")
        expect(page.locator(".home")).to_have_count(10)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(ann.locator("#message")).to_contain_text(saying("runner off the home side, as"))
    laid = look_at(race, min((step["moves"][-1][1] for step in race.view["steps"]), key=race.turnings))
    well = laid.partition("r")[0]
    ann.locator("#lay").click()
    expect(ann.locator(".wish")).to_contain_text(f"on {well}")
    expect(bob.locator("#panel")).to_contain_text("Ann wants: tile")
    race.looks(well, race.tile(laid), ghost=True)
    ann.locator("#unwant").click()
    expect(bob.locator(".ghost")).to_have_count(0)
    assert race.view["wanted"] is None
    look_at(race, well)
    laid = f"{well}r{turn_until(ann, possible=True)}"
    ann.locator("#lay").click()
    eventually(lambda: race.view["wanted"] == laid, "chosen again")
    program.hand("put", node="c3", piece=race.tile(laid))
    eventually(lambda: race.view["problem"], "a wrong well is told")
    expect(ann.locator("#problem")).to_contain_text("c3")
    program.hand("move", **{"from": "c3", "to": well})
    eventually(lambda: race.view["stage"] == [laid], "what was chosen is not asked again")
    race.looks(well, race.tile(laid))
    race.take_up(well)
    eventually(lambda: race.view["stage"] == [], "taken up again")
    race.looks(well, race.tile(laid), ghost=True)
    ann.locator("#unwant").click()
    expect(ann.locator(".well .tile")).to_have_count(0)
    race.lay(race.view["steps"][-1]["action"])
    runner_by_the_phone(race)
    expect(bob.locator("#supply")).to_contain_text("17 in the stack")
    a_tile_is_covered(race)
    resigned(race)


def turned_where_it_lies(race: Race, hands: Page, well: str, eighths: int) -> None:
    """Turn a tile on the page of the virtual board."""
    hands.goto(f"{race.program.base}/board")
    hands.locator(f'[data-node="{well}"]').focus()

    def lies() -> str | None:
        return race.program.get("/sim/state")["stones"].get(well)

    for _ in range(eighths):
        before = lies()
        hands.keyboard.press("]")
        eventually(lambda: lies() not in (None, before), "turned by an eighth")  # noqa: B023


def test_where_wells_read_tiles(program: Program, phones: Sequence[BrowserContext]) -> None:
    """A wrong tile, well and turning are told; on the virtual board the tile is turned where it lies."""
    race = Race(program, phones, "octiles-189")
    ann = race.page
    laid = min((step["action"] for step in race.view["steps"]), key=lambda laid: race.turnings(laid[:2]))
    well, top = laid.partition("r")[0], race.view["supply"]["piece"]
    other = "1" if top != "1" else "2"
    program.hand("put", node=well, piece=f"{other}r0")
    expect(ann.locator("#problem")).to_contain_text(saying("that is tile {tile} in", tile=other, top=top))
    race.take_up(well)
    program.hand("put", node="c3", piece=race.tile(laid))
    expect(ann.locator("#problem")).to_contain_text("c3")
    race.take_up("c3")
    expect(ann.locator("#problem")).to_be_hidden()
    wrong = race.other_turning(laid)
    program.hand("put", node=well, piece=race.tile(wrong))
    if race.turnings(well) < 8:
        expect(ann.locator("#problem")).to_contain_text("turned")
    if is_sample():  # A page of the virtual board turns tiles in tests/extensions/virtual/test_tiles.py.
        race.lay(laid)
    else:
        turned_where_it_lies(race, phones[3].new_page(), well, (int(laid[-1]) - int(wrong[-1])) % 8)
    eventually(lambda: race.view["stage"] == [laid], f"read: {race.view['message']}")
    expect(ann.locator("#problem")).to_be_hidden()
    expect(ann.locator('[data-card="question"]')).to_have_count(0)
    runner_by_the_phone(race)
    if not is_sample():
        a_tile_is_covered(race)
    resigned(race)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("seats", "sides"),
    [pytest.param(3, ["blue", "red", "yellow"], marks=pytest.mark.thorough), (4, ["blue", "red", "yellow", "green"])],
)
def test_three_and_four_sides(program: Program, phones: Sequence[BrowserContext], seats: int, sides: list[str]) -> None:
    """Everybody sees who plays which side, and plays a turn."""
    race = Race(program, phones, "octiles-189", seats)
    for page in race.pages:
        expect(page.locator("#seats li")).to_contain_text([f"plays {side}" for side in sides])
        expect(page.locator(".home")).to_have_count(5 * seats)
        expect(page.locator(".well:has(.tile)")).to_have_count(2 if seats == 3 else 0)
    for number in range(1, seats + 1):
        assert race.view["resolver"] == number
        expect(race.page.get_by_role("heading", name="Lay tile")).to_be_visible()
        race.turn()
    expect(menu(race.pages[0], "happened").locator("#log")).to_contain_text(NAMES[seats - 1])
    assert race.view["turn"] == seats + 1


def last_turn(folder: Path) -> str:
    """Record a greedy game up to its last turn, which seat 1 does; return that turn."""
    game = find_game("octiles")
    for seed in range(100):
        rng, position, actions = Random(seed), starting(game, "2", {"seed": seed}), []
        while not game.status(position).over:
            seat = game.actor(position) or 0
            actions.append(greedy_action(position, seat, rng))
            position = game.apply(position, {seat: actions[-1]}).position
        if game.status(position).winners == (1,) and game.status(position).reason == "goal" and len(actions) % 2:
            break
    folder.mkdir(parents=True)
    journal = Journal(folder / "journal.sqlite")
    recorder = Recorder(journal, "octiles-0a1b2c3d", seed=seed, game="octiles")
    for action in actions[:-1]:
        recorder.step(action)
    journal.close()
    return str(actions[-1])


@pytest.mark.thorough
def test_the_last_runner_reaches_its_goal(program: Program, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that was broken off is built up again by the lights, tiles and all, and won on every screen."""
    monkeypatch.setitem(BOARDS, "octiles-189", "octiles")
    action = last_turn(program.data)
    program.start("--board", "octiles-189", "--sim")
    screens = [
        browser.new_context(viewport=size).new_page()
        for size in ({"width": 360, "height": 740}, {"width": 1440, "height": 900})
    ]
    for page, path in zip(screens, ("play", "tv"), strict=True):
        page.goto(f"{program.base}/{path}")
    program.follow_the_lights("setup")
    view = program.until_phase("resolving")
    for page in screens:
        expect(page.locator("#seats .score")).to_have_text([str(line["score"]) for line in view["standing"]])
    assert view["standing"][0]["score"] == 4
    Race.at(program).lay(action.partition(":")[0])
    step = next(step for step in program.state()["steps"] if step["action"] == action)
    program.hand("move", **{"from": step["line"][0], "to": step["line"][-1]})
    view = program.until_phase("over")
    assert (view["result"]["reason"], view["result"]["winners"]) == ("goal", [1])
    for page in screens:
        expect(page.locator(ENDING)).to_have_text(won_by("Ada"))
        expect(page.locator(".duel")).to_have_count(0)  # The goal decides, not a number.
        page.context.close()

"""Whole games with tiles in browsers: a phone for each player, a hand on the virtual board that errs and mends it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import closing
from random import Random

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from firmware_host.archive.journal import Journal
from firmware_host.games.octiles import flat
from firmware_host.games.octiles.board import ROWS_GAINED
from firmware_host.games.octiles.flat import FlatOctiles
from firmware_host.games.octiles.rules import SEATED
from firmware_host.games.positions import starting
from firmware_host.games.registry import game as find_game
from tests.e2e.hands import KEYS, POINTER, TAPS, Hands
from tests.e2e.program import Program, eventually
from tests.e2e.racing import NAMES, Race
from tests.e2e.room import ENDING, won_by
from tests.e2e.test_whole_game import verify_the_record
from tests.sentences import saying

pytestmark = [pytest.mark.e2e, pytest.mark.thorough, pytest.mark.timeout(600)]

GAME = find_game("octiles")
PLAYOUTS = 400


def soon_over(mode: str, seed: int) -> list[str]:
    """Return the turns of the shortest of many greedy games that begin with a deal."""
    start, rng, best, race = starting(GAME, mode, {"seed": seed}), Random(seed), None, FlatOctiles()
    for _ in range(PLAYOUTS):
        race.begin(start)
        turns: list[str] = []
        while not race.ending and (best is None or len(turns) + 1 < len(best)):
            listed = [int(race.move_list[at]) for at in range(race.list_moves())]
            gain = ROWS_GAINED[SEATED[mode][race.seat]]
            gains = [0 if turn == flat.PASS else gain[(turn >> 6 & 63) * 36 + (turn & 63)] for turn in listed]
            turn = rng.choice([turn for turn, rows in zip(listed, gains, strict=True) if rows == max(gains)])
            turns.append(flat.action(turn))
            race.play(turn)
        if race.ending == flat.GOAL_REACHED:
            best = turns
    assert best is not None
    return best


class Evening(Race):
    """A game whose pieces a hand moves on the virtual board's page, in the turns that were planned."""

    def __init__(self, program: Program, phones: list[BrowserContext], hands: Hands, board: str, seats: int) -> None:
        self.hands, self.coded = hands, board == "octiles-189"
        super().__init__(program, phones, board, seats)
        with closing(Journal(program.data / "journal.sqlite", writer=False)) as journal:
            (start,) = [one for one in journal.entries(self.view["game"]["id"]) if one.kind == "start"]
        self.position = starting(GAME, str(seats), {"seed": start.data["seed"]})
        self.plan = soon_over(str(seats), start.data["seed"])

    # -- hands -------------------------------------------------------------------------------------------------------

    def set_up(self) -> None:
        self.hands.open()
        self.program.follow_the_lights("setup", lambda task: self.put(task["node"], task["piece"]))

    def put(self, node: str, piece: str) -> None:
        self.hands.put(node, piece)

    def take_up(self, well: str) -> None:
        self.hands.take(well)

    def move(self, source: str, target: str) -> None:
        self.hands.move(source, target)

    def tap(self, node: str) -> None:
        self.hands.tap(node)

    # -- turns -------------------------------------------------------------------------------------------------------

    def play(self, action: str, mishaps: list[Mishap]) -> None:
        """Play a planned turn, every other one with the next mishap before what is right; see it on every phone."""
        before, seat = self.view, self.position.seat
        assert before["resolver"] == seat
        expect(self.page.locator("#hint, #step-pass").first).to_be_visible()
        if action == "pass":
            self.passes()
        else:
            laid, _, _ = action.partition(":")
            if mishaps and before["turn"] % 2 == 0 and mishaps[0](self, action):
                mishaps.pop(0)
            if self.view["stage"] != [laid]:
                self.lay(laid)
            self.run(next(step for step in self.view["steps"] if step["action"] == action))
        after = GAME.apply(self.position, {seat: action})
        self.position = after.position
        if not after.status.over:
            eventually(lambda: self.view["turn"] == before["turn"] + 1, "the next turn")
            self.is_told()

    def passes(self) -> None:
        self.page.locator("#step-pass").click()
        self.page.locator("#ask").get_by_role("button", name="Yes").click()

    def is_told(self) -> None:
        """See that the table, the board and every phone have the game as the rules have it."""
        lying = {node: list(stack) for node, stack in GAME.occupancy(self.position).items()}
        view = self.view
        assert view["board"] == lying
        assert self.hands.stones == lying
        assert view["problem"] is None
        scores = [str(line.score) for line in GAME.explain(self.position)]
        top = GAME.supply(self.position)
        for page in self.pages:
            expect(page.locator("#seats .score")).to_have_text(scores)
            expect(page.locator("#supply")).to_contain_text(f"Tile {top.piece} is next")
            expect(page.locator("#supply")).to_contain_text(f"{top.left} in the stack")
            expect(page.locator("#problem")).to_be_hidden()
        if view["tidying"]:
            self.pages[0].locator("#tidied").click()
            for page in self.pages:
                expect(page.locator('[data-card="tidying"]')).to_have_count(0)

    def clear(self, well: str) -> None:
        """Take a tile out that is to be covered."""
        if well in self.hands.stones:
            self.take_up(well)
            time.sleep(0.4)  # The well is seen empty; no view shows that.

    def told(self, words: str | re.Pattern[str]) -> None:
        for page in self.pages:
            expect(page.locator("#problem")).to_contain_text(words)

    def over(self, winner: int) -> None:
        """See the result on every phone."""
        view = self.program.until_phase("over")
        assert (view["result"]["reason"], view["result"]["winners"]) == ("goal", [winner])
        assert self.hands.stones == {node: list(stack) for node, stack in GAME.occupancy(self.position).items()}
        for page in self.pages:
            expect(page.locator(".ended")).to_be_visible()
            expect(page.locator(ENDING)).to_have_text(won_by(f"{NAMES[winner - 1]}"))


# -- mishaps, each of which tells whether it was possible ------------------------------------------------------------

Mishap = Callable[[Evening, str], bool]


def wrong_tile(evening: Evening, action: str) -> bool:
    """Lay another tile than the top one; where wells can't read, nobody but the players could know."""
    well, top = action[:2], evening.view["supply"]["piece"]
    other = next(name for name in GAME.tiles if name != top and not any(
        stack[0].startswith(f"{name}r") for stack in evening.hands.stones.values()))  # fmt: skip
    evening.clear(well)
    evening.put(well, f"{other}r0")
    if evening.coded:
        evening.told(saying("that is tile {tile} in", tile=other, top=top))
    evening.take_up(well)
    eventually(lambda: evening.view["stage"] == [] and not evening.view["question"], "it is taken up again")
    return True


def wrong_turning(evening: Evening, action: str) -> bool:
    """Lay the tile otherwise than planned, and turn it where it lies until it is right."""
    laid, well = action.partition(":")[0], action[:2]
    wrong = evening.other_turning(laid)
    possible = any(step["action"] == wrong for step in evening.view["steps"])
    evening.clear(well)
    evening.put(well, evening.tile(wrong))
    if evening.coded and not possible:
        evening.told("turned")
    elif possible:
        evening.say(wrong)
    evening.hands.turn(well, int(laid[-1]) - int(wrong[-1]))
    if not evening.coded:
        eventually(lambda: not evening.view["stage"], "what was lifted to be turned is asked about again")
        evening.say(laid)
    eventually(lambda: evening.view["stage"] == [laid], f"{laid} lies")
    return True


def tried_otherwise(evening: Evening, action: str) -> bool:
    """Lay the tile in another well first, where a turn is possible, too."""
    other = next((step["action"] for step in evening.view["steps"] if step["action"][:2] != action[:2]), None)
    if other is None:
        return False
    well = other.partition("r")[0]
    under = evening.hands.stones.get(well)
    evening.lay(other)
    evening.take_up(well)
    if under:
        time.sleep(0.4)  # The well is seen empty; no view shows that.
        evening.put(well, under[0])
    eventually(lambda: evening.view["stage"] == [] and not evening.view["problem"], "the board is as before")
    return True


def wrong_end(evening: Evening, action: str) -> bool:
    """Put the runner where no line leads, and from there where it belongs."""
    laid, _, run = action.partition(":")
    evening.lay(laid)
    source, _, target = run.partition("-")
    ends = {step["line"][-1] for step in evening.view["steps"]} | set(evening.view["board"])
    wrong = next(node for node in GAME.layout().nodes if node[0] in "BCDE" and node[1] in "2345" and node not in ends)
    evening.move(source, wrong)
    evening.told(wrong)
    if source != target:
        evening.move(wrong, source)
    eventually(lambda: evening.view["problem"] is None, "put back")
    return True


def foreign_runner(evening: Evening, action: str) -> bool:
    """Lift somebody else's runner, be told so, and put it back; before the tile lies and while it does."""
    own = evening.position.seat
    letters = set(GAME.plays(evening.position).values()) - {GAME.plays(evening.position)[own]}
    node = next(node for node, stack in evening.view["board"].items() if stack[0] in letters)
    for stage in (None, action.partition(":")[0]):
        if stage:
            evening.lay(stage)
        with evening.hands.holding(node):
            evening.told(node)
        eventually(lambda: evening.view["problem"] is None, "put back")
    return True


MISHAPS = (wrong_tile, wrong_end, wrong_turning, foreign_runner, tried_otherwise)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(
    ("board", "screen", "ways"),
    [("octiles-53", (360, 740), (TAPS, KEYS)), ("octiles-189", (1440, 900), (POINTER, TAPS, KEYS))],
    indirect=["screen"],
    ids=["octiles-53", "octiles-189"],
)
def test_a_whole_game(
    program: Program, phones: list[BrowserContext], screen: Page, board: str, ways: tuple[str, ...], seats: int
) -> None:
    evening = Evening(program, phones, Hands(program, screen, *ways), board, seats)
    mishaps = list(MISHAPS)
    for action in evening.plan:
        evening.play(action, mishaps)
    assert mishaps == []
    evening.over((len(evening.plan) - 1) % seats + 1)
    verify_the_record(program, evening.plan[-1])

"""The two forms of the rules of Octiles, compared exactly: turns, results, winners, endings, forwards and back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from firmware_host.games.octiles import flat as flat_form
from firmware_host.games.octiles import rules as reference
from firmware_host.games.octiles.flat import NO_TURN, SHOWN, WIN, FlatOctiles, action, parts, period, turn_of
from firmware_host.games.octiles.rules import Position
from firmware_host.games.registry import game
from tests.forms import share
from tests.games import octiles_reference as slow
from tests.games.mutations import Load, Mutation, compares, loader, notices, untried
from tests.games.octiles_positions import positions, scattered, wandered
from tests.games.test_octiles_rules import NOBODY_MOVES, there_and_back
from tests.sampling import cases

OCTILES: Any = game("octiles")
FLAT = FlatOctiles()

# -- the same game in both forms -------------------------------------------------------------------------------------


class Comparison:
    """A game's two forms side by side; ``met`` counts positions."""

    def __init__(self, load: Load) -> None:
        self.rules, self.flat, self.game = load("rules"), load("flat"), load("").GAME
        self.along, self.fresh, self.met = self.flat.FlatOctiles(), self.flat.FlatOctiles(), 0

    def games(self, mode: str, games: int, *, longest: int = 200, results: int = 16) -> None:
        """Play random games; every so manieth position has all its turns tried (``results``)."""
        for number in range(games):
            rng = Random(f"{mode} {number}")
            if number % 2:
                now = self.game.start_with(mode, {"seed": number})
            else:  # Runners at home and goal, crowded or few tiles: what random games seldom come to.
                now = self.game.parse(slow.write(scattered(rng, mode, rng.randint(0, 17))))
            self.along.begin(now)
            for turn in range(longest):
                if self.position(now, results=turn % results == 0):
                    break
                if rng.random() < (0.002 if mode == "2" else 0.05):
                    now = self.game.resign(now, rng.choice(self.rules.active(now))).position
                    self.along.begin(now)
                else:
                    now = self.played(now, rng.choice(self.game.actions(now)[now.seat]))

    def line(self, text: str, actions: list[str]) -> None:
        """Play a line from a position, with all turns tried on the way."""
        now = self.game.parse(text)
        self.along.begin(now)
        for chosen in actions:
            self.position(now, results=True)
            now = self.played(now, chosen)
        self.position(now, results=True)

    @compares("turns or where one leads", lambda self, now, **_: self.game.text(now))
    def position(self, now: Any, *, results: bool) -> bool:
        """Compare the turns of a position, and with ``results`` what each leads to; return whether the game is over."""
        self.met += 1
        self.ended_alike(now, self.along)
        if self.rules.status(now).over:
            return True
        offered = self.game.actions(now)[now.seat]
        for one in (self.along, self.fresh) if results else (self.along,):
            if one is self.fresh:
                one.begin(now)
            listed = sorted(self.flat.action(int(one.move_list[at])) for at in range(one.list_moves()))
            assert listed == list(offered)
        for chosen in offered if results else ():
            self.fresh.begin(now)
            self.fresh.play(self.flat.turn_of(chosen))
            self.ended_alike(self.after(now, chosen), self.fresh)
        return False

    def after(self, now: Any, chosen: str) -> Any:
        turn = self.flat.turn_of(chosen)
        return (
            self.rules.after_pass(now) if turn == self.flat.PASS else self.rules.after_turn(now, self.flat.parts(turn))
        )

    def played(self, now: Any, chosen: str) -> Any:
        self.along.play(self.flat.turn_of(chosen))
        return self.after(now, chosen)

    @compares("the end, whose turn it is or what lies where", lambda self, now, _found: self.game.text(now))
    def ended_alike(self, now: Any, found: Any) -> None:
        """How the game has ended, for whom, whose turn it is and what lies where are the same."""
        status = self.rules.status(now)
        endings = {0: None, self.flat.GOAL_REACHED: "goal", self.flat.DRAW: "draw"}
        if status.reason != "resigned":
            winners = (int(found.winner) + 1,) if found.winner >= 0 else ()
            assert (endings[found.ending], winners) == (status.reason, status.winners)
        faces, runners, stack, seat = found.state()
        told = tuple(faces), tuple(map(tuple, runners)), tuple(stack), seat + 1
        assert told == now.key
        if not status.over:
            assert [other for other in range(1, 5) if found.passed >> other - 1 & 1] == sorted(now.passed)


CYCLE = there_and_back()
CROWDED = "- blue:A1,A2,A3,B4,C4;yellow:A4,A5,E4,F2,F3 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18 2 1"
"""All home pads of blue are occupied: its runners must leave them."""


def compare(load: Load, games: int, **how: int) -> int:
    """Compare random games of all modes, a crowded home, a position's third time, and passes in a row."""
    both = Comparison(load)
    both.line(CROWDED, [])
    both.line(OCTILES.text(CYCLE[0]), (CYCLE[1] * 2)[:8])
    for mode, text in NOBODY_MOVES.items():
        both.line(text, ["pass"] * int(mode))
        both.games(mode, games, **how)
    return both.met


def test_both_forms_have_the_same_turns_and_results() -> None:
    assert compare(loader("octiles"), share(6)) > share(1000)


@pytest.mark.thorough
def test_both_forms_have_the_same_turns_and_results_in_hundreds_of_thousands_of_positions() -> None:
    assert compare(loader("octiles"), 1500, longest=400, results=40) > 200_000


REFERENCE = {
    "R1": ("notation.py", "sorted(offer.turns)] or [PASS]", "sorted(offer.turns)] + [PASS]"),
    "R2": ("rules.py", "ending=DRAW) if _all_passed(after) else", "ending=DRAW) if False else"),
    "R3": ("rules.py", "REPEATS = 3", "REPEATS = 2"),
    "the vacate rule": ("rules.py", "if taken >= HOME[side]:", "if False:"),
    "the goal keeps": ("rules.py", "if node not in GOAL[side]]", "]"),
    "covered tiles": ("rules.py", "((covered // EIGHTHS,) if covered else ())", "()"),
    "the past": ("rules.py", "past=() if for_ever else", "past=() if True else"),
}
FLAT_FORM = {
    "R1": ("if last == 0:\n            self.move_list", "if last >= 0:\n            self.move_list"),
    "R2": ("if self.passed & self._active == self._active:", "if False:"),
    "R3": ("_REPEATS: Final = 3", "_REPEATS: Final = 2"),
    "the vacate rule": ("if self.taken & home == home:", "if False:"),
    "the goal keeps": ("movers &= ~self.goal[seat]", "movers &= -1"),
    "covered tiles": ("self.stack[self.bottom] = covered >> 3", "self.stack[self.bottom] = covered"),
    "the past": (
        "            else:\n                self._remember()",
        "            else:\n                self._remembered = 0",
    ),
    "passes in a row": ("            self.passed = 0\n", "            self.passed &= -1\n"),
    "a loop": ("_EDGES + node if self._stops >> node & 1 else _DEAD + 1", "_DEAD + 1"),
}
MUTATIONS = [
    *(Mutation(ruling, *change) for ruling, change in REFERENCE.items()),
    *(Mutation(ruling, "flat.py", *change) for ruling, change in FLAT_FORM.items()),
]


@pytest.mark.slow
@pytest.mark.parametrize("mutation", cases(MUTATIONS, *MUTATIONS[::15]), ids=str)
def test_a_ruling_altered_in_either_form_is_noticed(mutation: Mutation, tmp_path: Path) -> None:
    def check(load: Load) -> None:
        compare(load, 4, longest=12, results=4)

    assert notices(check, "octiles", mutation, tmp_path)


def test_every_ruling_is_altered_in_both_forms() -> None:
    forms = {"reference": ["rules.py", "notation.py"], "flat": ["flat.py"]}
    assert untried("octiles", MUTATIONS, forms) == []


# -- what only searches ask ------------------------------------------------------------------------------------------


def worth(seats: int) -> list[list[int]]:
    """Return worths of nodes that all differ."""
    rng = Random(5)
    return [rng.sample(range(-500, 500), 36) for _ in range(seats)]


def begin(track: FlatOctiles, position: Position) -> list[list[int]]:
    worths = worth(int(position.mode))
    track.begin(position)
    for seat, values in enumerate(worths):
        track.worth_of(seat, values)
    return worths


def asked(track: FlatOctiles, position: Position, worths: list[list[int]]) -> None:
    """The short list has one turn for each board that the full one leads to; the best turn is the best of them."""
    full = [int(track.move_list[at]) for at in range(track.turns(0, flat_form.ALL))]
    short = [int(track.move_list[at]) for at in range(track.turns(0, SHOWN))]
    assert sorted(map(action, full)) == [one for one in OCTILES.actions(position)[position.seat] if one != "pass"]
    assert set(short) == {turn for turn in full if parts(turn)[1] < period(position.stack[0])}
    assert len(short) == len(set(short))
    gains: dict[int, int] = {}
    for turn in full:
        _, _, source, target = parts(turn)
        gains[turn] = worths[position.seat - 1][target] - worths[position.seat - 1][source]
        if reference.status(reference.after_turn(position, parts(turn))).reason == "goal":
            gains[turn] += WIN
    best = track.best()
    assert best == max(gains.values(), default=NO_TURN)
    if gains:
        assert gains[int(track.best_turn)] == best


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "seed"), cases([(mode, seed) for mode in "234" for seed in range(3)]))
def test_a_random_game_is_the_same_forwards_and_back(mode: str, seed: int) -> None:
    rng = Random(seed)
    position: Position = OCTILES.start_with(mode, {"seed": seed})
    track = FlatOctiles()
    worths = begin(track, position)
    played = [position]
    for number in range(150):
        if number % 3 == 0:
            asked(track, position, worths)
        turn = turn_of(OCTILES.random_action(position, position.seat, rng))
        won = track.make(turn) if turn != flat_form.PASS else bool(track.skip())
        position = OCTILES.apply(position, {position.seat: action(turn)}).position
        if OCTILES.status(position).over:
            assert won == (OCTILES.status(position).reason == "goal")
            break
        assert not won
        played.append(position)
    while track.made >= len(played):
        track.unmake()
    for position in reversed(played):
        if track.made % 5 == 0:
            asked(track, position, worths)
        if track.made:
            track.unmake()


@settings(max_examples=60)
@given(positions())
def test_any_position_has_its_best_turn(position: Position) -> None:
    asked(FLAT, position, begin(FLAT, position))


def test_the_past_of_a_position_is_known() -> None:
    """R3: one turn before the third time, that turn is a draw, and no other."""
    now, cycle = CYCLE
    for chosen in (cycle * 2)[:7]:
        now = OCTILES.apply(now, {now.seat: chosen}).position
    for chosen in OCTILES.actions(now)[now.seat]:
        FLAT.begin(now)
        FLAT.play(turn_of(chosen))
        assert (FLAT.ending == flat_form.DRAW) == (chosen == cycle[3])


# -- random games ----------------------------------------------------------------------------------------------------


def test_random_games_see_draws() -> None:
    for text in NOBODY_MOVES.values():
        assert OCTILES.playout(OCTILES.parse(text), Random(1)).reason == "draw"


@pytest.mark.parametrize("mode", "234")
def test_random_turns_are_all_equally_likely(mode: str) -> None:
    now, each = wandered(Random(8), mode, 40), 60
    turns, rng = OCTILES.actions(now)[now.seat], Random(3)
    FLAT.begin(now)
    FLAT.seed(rng.getrandbits(32))
    drawn = Counter(int(FLAT.draw(len(turns))) for _ in range(each * len(turns)))
    assert set(drawn) == set(range(len(turns)))
    chi = sum((count - each) ** 2 / each for count in drawn.values())
    assert abs(chi - len(turns)) < 5 * (2 * len(turns)) ** 0.5

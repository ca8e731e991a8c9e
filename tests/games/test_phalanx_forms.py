"""Phalanx' two forms of the rules do the same: every action, every board, every winner and ending, in seeded games.

:func:`compare` reads both forms from one loader, so that it is tried on copies of the game with a ruling altered in one
of them (tests/games/mutations.py): it must notice each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.forms import PARTS, compare_many, share
from tests.games.mutations import Load, Mutation, choices_of, compares, loader, notices, untried
from tests.sampling import cases

ENDS = {"RUNS": 0, "WON": 1, "LOST": 2, "DRAWN": 3}
MUTATIONS = [
    Mutation("R1", "rules.py", "    empty = PLAYABLE & ~own & ~other", "    empty = BOARD & ~own & ~other"),
    Mutation("R1", "flat.py", "PLAY_LOW: Final = 0x1FF7FDFF7FDFE", "PLAY_LOW: Final = 0x1FF7FDFF7FDFF"),
    Mutation("R1", "flat.py", "PLAY_HIGH: Final = 0x3FDFF7FDFF", "PLAY_HIGH: Final = 0x7FDFF7FDFF"),
    Mutation("R2", "rules.py", "theirs, beyond & PLAYABLE,", "theirs, beyond,"),
    Mutation("R2", "flat.py", "LOW_OF[at] & PLAY_LOW", "LOW_OF[at] & LOW"),
    Mutation("R2", "flat.py", "HIGH_OF[at] & PLAY_HIGH", "HIGH_OF[at] & HIGH"),
    Mutation(
        "R3",
        "rules.py",
        "ACTIONS + (self.second_player_bonus and turn == BONUS_TURN)",
        "ACTIONS + (turn == BONUS_TURN)",
    ),
    Mutation("R3", "flat.py", "4 if turn == 2 and self._options.second_player_bonus else 3", "4 if turn == 2 else 3"),
    Mutation("R4", "rules.py", "    if beyond & own:  # R4\n        return None\n", ""),
    Mutation("R4", "flat.py", "if more <= 0 or own_at(spot, at):", "if more <= 0:"),
    Mutation("R5", "rules.py", "for side in (acted, OTHER[acted]):", "for side in (OTHER[acted], acted):"),
    Mutation("R5", "flat.py", "        return WON\n    if spot.own_low", "        return LOST\n    if spot.own_low"),
    Mutation("R6", "rules.py", "REPEATS = 3", "REPEATS = 4"),
    Mutation("R6", "rules.py", "(empty and position.idle) or", ""),
    Mutation("R6", "flat.py", "if drawn or times >= 2:", "if drawn or times >= 3:"),
    Mutation("R6", "flat.py", "drawn = empty and spot.idle != 0", "drawn = False"),
]


class Recorded(Random):
    """Random numbers that remember what was chosen."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.chosen: list[tuple[int, Any]] = []

    def choice(self, seq: Sequence[Any]) -> Any:
        found = super().choice(seq)
        self.chosen.append((len(seq), found))
        return found


class Forms:
    """Both forms of one copy of the game, side by side."""

    def __init__(self, load: Load) -> None:
        self.rules, self.flat, self.board = load("rules"), load("flat"), load("board")
        self.thinking, self.forms = load("player.thinking"), load("player.forms")
        self.game = load("").GAME
        self.games = [self.game.with_rules(vars(options)) for options in choices_of(self.rules.Options)]
        self.positions = 0
        self.endings: Counter[str | None] = Counter()

    def line(self, position: Any) -> Any:
        found = self.flat.PhalanxLine(self.forms.weights(0), 1)
        found.begin(position)
        return found

    def moves(self, line: Any, ply: int) -> dict[str, int]:
        moves = [code & 0xFFFF for code in line.move_list[: line.expand(ply)]]
        assert len(set(moves)) == len(moves)
        return {self.thinking.action_text(move): move for move in moves}

    @compares("actions or where one leads", lambda self, position: self.game.text(position))
    def compare_actions(self, position: Any) -> None:
        """Compare a running position: what is offered, and where each action leads."""
        self.positions += 1
        game, line = self.game, self.line(position)
        moves = self.moves(line, 0)
        assert sorted(moves) == sorted(game.legal(position))
        for action, move in moves.items():
            after = game.after(position, action)
            status = game.status(after)
            swapped = line.play(0, move)
            spot = line.spot(1)
            self.compare_end(spot.outcome, status, position.seat)
            assert line.board(1) == after.board, action
            if status.over:
                self.endings[status.reason] += 1
            else:
                assert swapped == (after.side != position.side), action
                assert ("bw"[spot.side], spot.left, spot.turn) == (after.side, after.left, after.turn), action
                assert line.key(1) == self.line(after).key(0), action

    def compare_end(self, ended: int, status: Any, acted: int) -> None:
        expected = "RUNS"
        if status.over:
            expected = ("WON" if acted in status.winners else "LOST") if status.winners else "DRAWN"
        assert next(name for name, number in ENDS.items() if number == ended) == expected

    @compares("pushes", lambda self, position: self.game.text(position))
    def compare_pushes(self, position: Any) -> None:
        """Compare what the estimate counts, all directions at once, with the pushes of one or two hoplites."""
        armies = self.thinking.line_from(position, self.forms.weights(1))
        armies.measure(0)
        own, other = self.rules.sides(position)
        short = [push for push in self.rules.pushes(own, other) if len(push.other) < 3]
        assert armies.spot(0).own_pushes == len(short) + 256 * sum(not push.landing for push in short)

    def compare_playout(self, seed: int) -> None:
        """Play the actions of a random game of the flat form again, by the reference: one of all, each time."""
        game = self.games[seed % len(self.games)]
        rng = Recorded(seed)
        position = game.start("2")
        for _ in range(seed % 5):  # From within a turn, too.
            position = game.after(position, Random(seed).choice(game.legal(position)))
        told = game.playout(position, rng)
        for count, code in rng.chosen:
            assert not game.status(position).over
            assert count == len(game.legal(position))
            position = game.after(position, self.thinking.action_text(code & 0xFFFF))
            self.positions += 1
        assert game.status(position) == told
        self.endings[told.reason] += 1

    def compare_game(self, seed: int) -> None:
        """Compare along a random game; the end of a turn and going back come more often than they would."""
        game = self.games[seed % len(self.games)]
        rng, position = Random(seed), game.start("2")
        ends = (0.05, 0.3, 0.6)[seed % 3]
        for number in range(60):
            status = game.status(position)
            if status.over:
                self.endings[status.reason] += 1
                return
            if number % 4 == 0:
                self.compare_actions(position)
            action = "end" if rng.random() < ends else rng.choice(game.legal(position))
            self.follow(position, action)
            position = game.after(position, action)

    @compares("where an action leads", lambda self, position, action: f"{action} in {self.game.text(position)}")
    def follow(self, position: Any, action: str) -> None:
        """Compare where one action leads."""
        game, line = self.game, self.line(position)
        line.play(0, self.moves(line, 0)[action])
        after = game.after(position, action)
        self.compare_end(line.spot(1).outcome, game.status(after), position.seat)
        assert line.board(1) == after.board
        self.positions += 1

    def crowd(self, rng: Random, near: str) -> Any:
        """Return a running position of close armies near a point; None where chance has ended it."""
        rules, board = self.rules, self.board
        centre = board.BIT[near]
        free = centre
        for _ in range(3):
            free |= board.near(free)
        points = board.members(free & board.PLAYABLE)
        rng.shuffle(points)
        black, white = rng.randint(2, 9), rng.randint(2, 9)
        own, other = sum(points[:black]), sum(points[black : black + white])
        number = rng.randint(1, 40)
        side = board.SIDES[(number - 1) % 2]
        # A line of the side that acts stands behind a shorter one, which has a goal (R2) or an own hoplite (R4) ahead.
        by = rng.choice([by for by in board.SHIFT.values() if board.shift_points(centre, by) & board.BOARD])
        line = [centre]
        for _ in range(4):
            line.append(board.shift_points(line[-1], by) & board.BOARD)
        pushed = sum(line[1 : 1 + rng.randint(1, 2)])
        pushing = sum(line) & ~pushed
        black, white = (pushing, pushed) if side == "b" else (pushed, pushing)
        own, other = (own | black) & ~white & board.PLAYABLE, (other | white) & ~black & board.PLAYABLE
        other &= ~own
        if max(own.bit_count(), other.bit_count()) > board.HOPLITES:
            return None
        own, other = rules.survivors(own), rules.survivors(other)
        if not own or not other or rules.winner(own, other, side):
            return None
        left = rng.randint(1, 3)
        past = ((side, own, other),) if left == 3 else ()
        return rules.Position((own, other), side, left, number, past)


BACK_AND_FORTH = ["G2-F3", "end", "B7-D8", "end", "F3-G2", "end", "D8-B7", "end"]


def compare(load: Load, seeds: Sequence[int] = range(9), crowds: int = 160) -> Forms:
    """Compare both forms along seeded games and on crowded boards. Raise AssertionError where they differ."""
    forms = Forms(load)
    position = forms.game.start("2")
    for action in BACK_AND_FORTH * 2:
        forms.follow(position, action)
        position = forms.game.after(position, action)
    assert forms.game.status(position).reason == "draw"
    for seed in seeds:
        forms.compare_game(seed)
        forms.compare_playout(seed)
    places = ("A9", "J1", "B8", "H2", "E5", "A5", "E9")
    rng = Random(1 + min(seeds))
    for number in range(crowds):
        found = forms.crowd(rng, places[number % len(places)])
        if found is not None:
            forms.compare_actions(found)
            forms.compare_pushes(found)
    compare_double_wins(forms)
    return forms


def compare_double_wins(forms: Forms) -> None:
    """Compare the winner where one action brings both sides next to their goals, or leaves neither a hoplite (R5)."""
    board, rules = forms.board, forms.rules
    spot = forms.flat.FlatPosition()
    goals = {"b": board.NEAR_GOAL["b"], "w": board.NEAR_GOAL["w"]}
    low = (1 << forms.flat.CUT) - 1
    for own_points, other_points in ((goals, goals), ({"b": 0, "w": 0}, {"b": 0, "w": 0}), (goals, {"b": 0, "w": 0})):
        for number, side in enumerate("bw"):
            other = board.OTHER[side]
            own, opp = own_points[side], other_points[other]
            spot.side = number
            spot.own_low, spot.own_high = own & low, own >> forms.flat.CUT
            spot.opp_low, spot.opp_high = opp & low, opp >> forms.flat.CUT
            winner = rules.winner(*rules.board_of(side, own, opp), side)
            assert forms.flat.outcome_for_own(spot) == (ENDS["WON"] if winner[0] == side else ENDS["LOST"])


def test_both_forms_do_the_same() -> None:
    forms = compare(loader("phalanx"), range(share(30)), share(400))
    assert forms.positions > share(4_000)
    assert {"goal", "draw", "eliminated"} <= set(forms.endings)


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", PARTS)
def test_both_forms_do_the_same_in_a_million_positions(part: int) -> None:
    compare_many(part, 50, lambda seeds: compare(loader("phalanx"), seeds, 20).positions)


@pytest.mark.slow
@pytest.mark.parametrize("mutation", cases(MUTATIONS, *MUTATIONS[::15]), ids=str)
def test_a_ruling_altered_in_one_form_is_noticed(mutation: Mutation, tmp_path: Path) -> None:
    assert notices(compare, "phalanx", mutation, tmp_path)


def test_every_ruling_is_altered_in_both_forms() -> None:
    assert untried("phalanx", MUTATIONS, {"reference": ("rules.py",), "flat": ("flat.py",)}) == []


def test_a_random_game_that_never_ends_counts_as_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_host.games.phalanx.phalanx.LONGEST", 1)
    game: Any = loader("phalanx")("").GAME
    rng = Recorded(1)
    assert game.playout(game.start("2"), rng).winners == ()
    assert len(rng.chosen) <= 6, "two turns of three actions"

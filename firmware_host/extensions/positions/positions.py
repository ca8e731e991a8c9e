"""Positions that people set up by hand, on the board or by tapping, to play, look into or make a puzzle of them.

Between games the board's sensors tell what lies. Where they can't tell the piece, the page asks for it. What is set up
is checked by the game (:mod:`firmware_host.games.capabilities`), which says why it is none. Searches of a position wait
in the table's queue behind everything that a game needs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from firmware_host.analysis.questions import ActionQuestion, Answer, PuzzleQuestion, Question
from firmware_host.games import naming
from firmware_host.games.capabilities import HasSetUp, capabilities_of, rules_of, set_up
from firmware_host.games.drawing import layout_view
from firmware_host.games.game import Game, GameError, Occupancy, Stack
from firmware_host.games.puzzles import Puzzle, kinds_of
from firmware_host.games.registry import game as find_game
from firmware_host.puzzles import store
from firmware_host.searching.playouts import computer_player_of
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import Table
from firmware_host.table.subjects.hints import hint_view
from firmware_host.table.subjects.seats import GameStarted, ModeChosen
from firmware_host.text.words import say

KEPT = 3
"""Maximum number of positions that are searched or whose answers are kept; the newest."""
KEPT_S = 120.0
"""How long an answer that nobody asks for is kept, seconds."""


class Positions:
    """The positions that phones set up at a table. Requests are thread-safe, and raise TableError."""

    def __init__(self, runtime: Runtime) -> None:
        """Begin without any; the table's analyser searches them."""
        self._loop = runtime
        self._analyser = runtime.computers.analyser
        self._asked: Mapping[Question, float] = {}
        """Question → when it was asked last; replaced, never changed."""
        runtime.search_for(self.questions)

    def choices(self) -> dict[str, Any]:
        """Return what can be set up: game, its drawing and pieces, its modes with what is chosen beside the board."""
        game = self._game()
        names = capabilities_of(game).tiles
        return {
            "game": game.name,
            "title": game.title,
            "layout": layout_view(game),
            "pieces": dict(game.pieces),
            "tints": naming.tints(game.pieces),
            "tiles": list(names.tiles) if names else [],
            "mode": self._loop.ask(lambda: self._loop.table().ledger.mode),
            "modes": {
                mode: [
                    {"name": one.name, "words": one.words, "options": dict(one.options)}
                    for one in game.set_up_choices(mode)
                ]
                for mode in game.modes
            },
            "starts": {
                mode: {node: list(stack) for node, stack in game.occupancy(game.start(mode)).items()}
                for mode in game.modes
            },
            "highest": game.highest,
            "searches": self._analyser is not None,
            "puzzles": bool(kinds_of(game)),
        }

    def lying(self) -> dict[str, list[str] | None]:
        """Return what lies on the board, as far as its sensors tell: null where something lies, but not what."""
        game = self._game()
        return self._loop.ask(lambda: read_board(self._between_games(), game.highest))

    def check(self, mode: str, lying: Occupancy, chosen: Mapping[str, str]) -> None:
        """Raise TableError, saying why, if no position looks so."""
        self._position(mode, lying, chosen)

    def play(self, mode: str, lying: Occupancy, chosen: Mapping[str, str], seat: int | None) -> None:
        """Begin a game in this position; everybody sits already. The lights ask for what does not lie yet."""
        game, position = self._position(mode, lying, chosen, SystemRandom())
        self._loop.do(lambda: self._play(mode, game.text(position), seat))

    def look_into(self, mode: str, lying: Occupancy, chosen: Mapping[str, str]) -> dict[str, Any] | None:
        """Return the best actions of the seat that acts, as a hint has them; None while the search runs: ask again."""
        game, position = self._position(mode, lying, chosen)
        seat = int(chosen["seat"])
        rules = tuple(sorted(rules_of(game)))
        level = len(computer_player_of(game).strengths)
        answer = self._answer(ActionQuestion(game.name, rules, game.text(position), seat, level, 1, ranked=True))
        if answer is None:
            return None
        if not answer.choices:
            raise TableError("no_hints", say("the search has failed here"))
        return hint_view(game, position, seat, answer.choices, 2)

    def make_puzzles(
        self, mode: str, lying: Occupancy, chosen: Mapping[str, str], data: Path | None
    ) -> Sequence[Puzzle] | None:
        """Return the puzzles that a position is, written into the household's own; None while the search runs."""
        game, position = self._position(mode, lying, chosen)
        answer = self._answer(PuzzleQuestion(game.name, (), game.text(position)))
        if answer is None:
            return None
        if not answer.puzzles:
            words = say("this is no puzzle: it has no answer, or more than one that is as good")
            raise TableError("no_puzzle", words)
        plain = find_game(game.name)
        if data is not None:
            known = {puzzle.id for puzzle in store.all_puzzles(plain, data)}
            store.append(store.own_file(data, plain), [one for one in answer.puzzles if one.id not in known])
        return answer.puzzles

    # -- the loop's thread -------------------------------------------------------------------------------------------

    def questions(self) -> Sequence[Question]:
        """Return the questions that somebody waits for, and those just answered."""
        now = time.monotonic()
        return [question for question, at in self._asked.items() if now - at < KEPT_S]

    def _between_games(self) -> Table:
        table = self._loop.table()
        if table.lesson is not None or table.phase not in {"lobby", "over"}:
            raise TableError("wrong_phase", say("the board is in use: what lies there belongs to what is played"))
        return table

    def _play(self, mode: str, text: str, seat: int | None) -> None:
        table = self._between_games()
        if table.phase == "over":
            self._loop.new_game(mode)
        elif table.ledger.mode != mode:
            self._loop.submit(ModeChosen(at=self._loop.now(), mode=mode))
        self._loop.submit(GameStarted(at=self._loop.now(), seat=seat, position=text))

    # -- any thread --------------------------------------------------------------------------------------------------

    def _game(self) -> HasSetUp[Any]:
        game: Game[Any] = self._loop.setting.game
        if not isinstance(game, HasSetUp):
            raise TableError("bad_game", say("positions of {game} can't be set up by hand", game=game.title))
        return game

    def _position(
        self, mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random | None = None
    ) -> tuple[HasSetUp[Any], Any]:
        """Return the game and the position; without ``rng`` always the same one, whose search can be asked again."""
        game = self._game()
        rng = rng or Random(0)
        for stack in lying.values():
            for piece in stack:
                if piece not in game.pieces:
                    raise TableError("bad_position", say("there is no piece {piece}", piece=piece[:10]))
        try:
            return game, set_up(game, mode, lying, chosen, rng)
        except GameError as error:
            raise TableError("bad_position", error.message) from error

    def _answer(self, question: Question) -> Answer | None:
        if self._analyser is None:
            raise TableError("no_hints", say("no search runs beside this table"))
        others = {one: at for one, at in self._asked.items() if one != question}
        newest = dict(sorted(others.items(), key=lambda one: one[1])[1 - KEPT :])
        self._asked = {**newest, question: time.monotonic()}
        return self._analyser.answer(question)


def read_board(table: Table, highest: int) -> dict[str, list[str] | None]:
    """Return node → what lies there by its sensor, None where it can't tell; empty nodes are left out."""
    tracker = table.watch.tracker
    pieces = sorted(table.game.pieces)
    heights = range(1, highest + 1)
    stacks: list[Stack] = [stack for height in heights for stack in combinations_with_replacement(pieces, height)]
    found: dict[str, list[str] | None] = {}
    for node, sensed in tracker.sensed.items():
        if sensed == NOTHING:
            continue
        possible = [stack for stack in stacks if tracker.model.fits(node, stack, sensed)]
        # What fits a single piece is one: a higher stack that reports the same is tapped by whoever has laid it.
        lowest = [stack for stack in possible if len(stack) == len(possible[0])]
        found[node] = list(lowest[0]) if len(lowest) == 1 else None
    return found

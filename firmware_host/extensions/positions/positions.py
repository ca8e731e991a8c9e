"""Positions that people set up by hand, on the board or by tapping, to play or look into them.

Between games the board's sensors tell what lies. Where they can't tell the piece, the page asks for it. What is set up
is checked by the game (:mod:`firmware_host.link.laid`), which says why it is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from random import Random, SystemRandom
from typing import Any

from firmware_host.analysis.questions import ActionQuestion
from firmware_host.games import naming
from firmware_host.games.capabilities import capabilities_of, rules_of
from firmware_host.games.drawing import layout_view
from firmware_host.games.game import Game, Occupancy, Stack
from firmware_host.link.laid import Asked, game_of, position_of
from firmware_host.link.set_up import set_up_of
from firmware_host.searching.playouts import computer_player_of
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.sensor_model import NOTHING
from firmware_host.table.state import Table
from firmware_host.table.subjects.hints import hint_view
from firmware_host.table.subjects.seats import GameStarted, ModeChosen, check_seated
from firmware_host.text.words import say


class Positions:
    """The positions that phones set up at a table. Requests are thread-safe, and raise TableError."""

    def __init__(self, runtime: Runtime) -> None:
        """Begin without any; the table's analyser searches them."""
        self._loop = runtime
        self._asked = Asked(runtime)

    def choices(self) -> dict[str, Any]:
        """Return what can be set up: game, its drawing and pieces, its modes with what is chosen beside the board."""
        game = game_of(self._loop)
        by_hand, names = set_up_of(game), capabilities_of(game).tiles
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
                    for one in by_hand.choices(mode)
                ]
                for mode in game.modes
            },
            "starts": {
                mode: {node: list(stack) for node, stack in game.occupancy(game.start(mode)).items()}
                for mode in game.modes
            },
            "highest": by_hand.highest,
            "searches": self._loop.computers.analyser is not None,
        }

    def lying(self) -> dict[str, list[str] | None]:
        """Return what lies on the board, as far as its sensors tell: null where something lies, but not what."""
        game = game_of(self._loop)
        return self._loop.ask(lambda: read_board(self._between_games(), set_up_of(game).highest))

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
        answer = self._asked.answer(ActionQuestion(game.name, rules, game.text(position), seat, level, 1, ranked=True))
        if answer is None:
            return None
        if not answer.choices:
            raise TableError("no_hints", say("the search has failed here"))
        return hint_view(game, position, seat, answer.choices, 2)

    # -- the loop's thread -------------------------------------------------------------------------------------------

    def _between_games(self) -> Table:
        table = self._loop.table()
        if table.lesson is not None or table.phase not in BETWEEN_GAMES:
            raise TableError("wrong_phase", say("the board is in use: what lies there belongs to what is played"))
        return table

    def _play(self, mode: str, text: str, seat: int | None) -> None:
        table = self._between_games()
        # Refused now: later the lobby of another game would stand here, and seats of this mode would be lost.
        check_seated(table, table.game.seats(mode))
        if table.far is not None:
            raise TableError("not_here", say("a game of several tables begins as its rules say"))
        if table.phase == "over":
            self._loop.new_game(mode)
        elif table.ledger.mode != mode:
            self._loop.submit(ModeChosen(at=self._loop.now(), mode=mode))
        self._loop.submit(GameStarted(at=self._loop.now(), seat=seat, position=text))

    # -- any thread --------------------------------------------------------------------------------------------------

    def _position(
        self, mode: str, lying: Occupancy, chosen: Mapping[str, str], rng: Random | None = None
    ) -> tuple[Game[Any], Any]:
        game = game_of(self._loop)
        return game, position_of(game, (mode, lying, chosen), rng)


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

"""Contracts as test classes to inherit: pytest runs each promise as a test of its own.

class TestMyGame(GameContract):
    game = "my-game"
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from firmware_host.boardfile.load import check_layout, find_board, load_board
from firmware_host.games.game import Game
from firmware_host.games.registry import game as find_game
from firmware_host.games.thinking import ComputerPlayer
from hw.lights import STRIPS, open_lights
from hw.ports import BoardDescription, Colour, LightsWiring, StripWiring
from hw.registry import SCHEMES, wiring_error
from lodestone.boards import BareBoard
from lodestone.game_contract import check_game, check_player
from lodestone.schemes import carries, described, loose_ends
from lodestone.tables import SimulatedTable
from simulator.breadboard import Breadboard
from simulator.lights import connect_strips

SEEDS = 3
"""Random games that are played for each mode."""
COUNTS = (12, 45)
"""Sizes of the boards on which a scheme is tried."""
LENGTHS = (1, 2, 31, 32, 33, 189, 512)
"""Pixels of the strips on which a kind of strip is tried."""
POSITIONS = 5
"""Positions in which a player has to think."""


class GameContract:
    """What every game promises: :func:`lodestone.game_contract.check_game`, and a table that opens with it."""

    game: ClassVar[str | Game[Any]]
    """The game, or the name under which it is installed."""

    def the_game(self) -> Game[Any]:
        """Return the game."""
        return find_game(self.game) if isinstance(self.game, str) else self.game

    def test_random_games_keep_every_promise_in_every_mode(self) -> None:
        """Play random games and hold each position against the contract; a failure names mode and seed."""
        game = self.the_game()
        for mode in game.modes:
            for seed in range(SEEDS):
                try:
                    check_game(game, Random(seed), mode)
                except AssertionError as error:
                    raise AssertionError(f"mode {mode}, seed {seed}: {error}") from error

    def test_a_table_opens_and_is_set_up_by_its_lights(self) -> None:
        """Seat people at a simulated board and put down what the lights ask for."""
        game = self.the_game()
        if not isinstance(self.game, str):
            return  # A table finds games by the name under which they are installed.
        seats = [f"Player {seat}" for seat in game.seats(game.modes[0])]
        table = SimulatedTable(game=game.name, seats=seats)
        try:
            table.set_up()
            assert not table.view["problem"], table.report()
        finally:
            table.close()


class PlayerContract:
    """What every computer player promises, in positions of random games."""

    game: ClassVar[str | Game[Any]]

    def test_it_thinks_legally_and_the_same_again_for_the_same_seed(self) -> None:
        """Ask it in positions of a random game."""
        game = find_game(self.game) if isinstance(self.game, str) else self.game
        assert isinstance(game, ComputerPlayer), (
            f"{game.name} has no think(): PlayerContract is for games with a search of their own"
        )
        for position in list(_positions(game))[:: max(1, SEEDS)][:POSITIONS]:
            check_player(game, position)


def _positions(game: Game[Any]) -> Iterator[Any]:
    """Yield the positions of a short random game, those that are not over."""
    chance, position = Random(1), game.start(game.modes[0])
    for _ in range(POSITIONS * SEEDS):
        if game.status(position).over:
            return
        yield position
        actions = {seat: game.random_action(position, seat, chance) for seat in game.actions(position)}
        position = game.apply(position, actions).position


class SchemeContract:
    """What every wiring of sensors promises, on boards of all sizes that it can carry, over its simulated parts."""

    scheme: ClassVar[str]
    """The name under which it is installed."""

    def test_each_stone_is_read_on_its_own_node(self) -> None:
        """Put a stone on one node after the other, in every kind of sensing, and read all nodes by the driver."""
        found = SCHEMES.get(self.scheme)
        for kind, count in itertools.product(found.kinds, COUNTS):
            if not carries(found, kind, count):
                continue
            board = BareBoard.of(described(self.scheme, kind, count))
            try:
                empty = board.scan()
                for node in board.description.nodes:
                    board.hand.put(node, "w")
                    change = {one: abs(reading[0] - empty[one][0]) for one, reading in board.scan().items()}
                    felt = [one for one in change if change[one] > 0.5 * max(change.values())]  # Converters are noisy.
                    assert felt == [node], f"{kind}, {count} nodes: a stone on {node} is read on {felt or 'no node'}"
                    board.hand.take_off(node)
            finally:
                board.close()

    def test_its_circuit_is_complete_and_each_input_has_a_place(self) -> None:
        """Draw the circuit of a board, and name the place of each of its inputs."""
        found = SCHEMES.get(self.scheme)
        for kind in found.kinds:
            board = described(self.scheme, kind, COUNTS[0])
            assert wiring_error(board) is None
            loose = loose_ends(circuit_of(board))
            assert not loose, f"{kind}: these nets end nowhere, circuit() has to lead them to a chip: {loose}"
            labels = [found.label(board, index) for index in range(found.inputs_of(board))]
            assert len(set(labels)) == len(labels), f"{kind}: two inputs have the same place"
            assert found.notes_of(board), "the papers say how it is wired"


class StripContract:
    """What every kind of strip promises, over its simulated pixels."""

    strip: ClassVar[str]
    """The name under which it is installed."""

    def wiring(self, length: int, over: str, order: str) -> StripWiring:
        """Return a strip as a board file would; override where your kind needs another pin or address."""
        pins = {"spi": f"D{next(iter(STRIPS.get(self.strip).spi_pins), 0)}", "network": "wled.local"}
        return StripWiring(pins.get(over, "D18"), length, order, over, self.strip)

    def lights(self, length: int, over: str = "", order: str = "", max_current_ma: int = 100_000) -> LightsWiring:
        """Return lights of one strip, wired in the usual way unless told otherwise; the limit dims nothing."""
        scheme = STRIPS.get(self.strip)
        strip = self.wiring(length, over or scheme.over[0], order or scheme.orders[0])
        return LightsWiring((strip,), max_current_ma=max_current_ma)

    def test_frames_come_out_as_they_went_in(self) -> None:
        """Show all primary colours in every order of colours, over every way of sending: dark before and after."""
        scheme = STRIPS.get(self.strip)
        shown: list[Colour] = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (200, 100, 50), (1, 0, 2)] * 4
        dark: list[Colour] = [(0, 0, 0)] * len(shown)
        for over, order in itertools.product(scheme.over, scheme.orders):
            bench, lights = Breadboard(), self.lights(len(shown), over, order)
            pixels = connect_strips(lights, bench)
            driver = open_lights(lights, bench)
            assert (pixels.frames, pixels.pixels()) == (1, dark), f"{over}, {order}: it begins with one dark frame"
            driver.show(shown)
            assert (pixels.frames, pixels.pixels()) == (2, shown), f"{over}, {order}: a frame arrives otherwise"
            driver.close()
            assert pixels.pixels() == dark, f"{over}, {order}: it ends dark"

    def test_any_length_is_carried(self) -> None:
        """Light the last pixel of strips up to 512 pixels."""
        for length in LENGTHS:
            bench, lights = Breadboard(), self.lights(length)
            pixels = connect_strips(lights, bench)
            driver = open_lights(lights, bench)
            shown: list[Colour] = [(0, 0, 0)] * (length - 1) + [(9, 8, 7)]
            driver.show(shown)
            assert pixels.pixels() == shown, f"{length} pixels: only the last one should be lit"
            driver.close()

    def test_its_channels_draw_no_more_than_the_limit(self) -> None:
        """Show full white on 40 pixels under several limits of the current."""
        scheme = STRIPS.get(self.strip)
        for most in (20, 300, 3000):
            bench, lights = Breadboard(), self.lights(40, max_current_ma=most)
            pixels = connect_strips(lights, bench)
            driver = open_lights(lights, bench)
            driver.show([(255, 255, 255)] * 40)
            drawn = sum(pixels.data) * scheme.channel_ma / 255
            assert 0 < drawn <= most + 1e-6, f"{drawn:.0f} mA are drawn where {most} mA are allowed"
            driver.close()


def circuit_of(board: BoardDescription) -> Any:
    """Return a board's whole circuit; skip the test where the extension that draws it is deleted."""
    return pytest.importorskip("firmware_host.extensions.maker.netlist").circuit_of(board)


class BoardFileContract:
    """What every board file promises: it is read, fits its game, can be wired, and its parts can be named."""

    board: ClassVar[str | Path]

    def test_it_is_read_and_fits_its_game(self) -> None:
        """Read the file, and compare its nodes with the game's."""
        description = load_board(find_board(str(self.board)))
        layout = find_game(description.game).layout()
        check_layout(description, list(layout.nodes), layout.wells)

    def test_its_wiring_can_be_built(self) -> None:
        """Put its circuit together."""
        description = load_board(find_board(str(self.board)))
        assert wiring_error(description) is None
        assert circuit_of(description)

    def test_each_node_is_detected_and_lit(self) -> None:
        """Put a piece on each node of the simulated board, and read it by the real driver."""
        board = BareBoard(str(self.board))
        try:
            empty = board.scan()
            for node, wiring in board.description.nodes.items():
                tiles, stones = board.description.tiles, board.description.supply or {"w": 1}
                board.hand.put(node, f"{next(iter(tiles))}r0" if wiring.well and tiles else next(iter(stones)))
                assert board.scan()[node] != empty[node], f"{node} reads {empty[node]} with and without a piece"
                board.hand.take_off(node)
        finally:
            board.close()

"""The choice of board and game: from the command line, or the unfinished game of the journal."""

from __future__ import annotations

import contextlib
import importlib.resources
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from firmware_host.archive.summary import GameSummary, titled
from firmware_host.boardfile.load import BoardFileError, check_layout, find_board, load_board
from firmware_host.games.game import Game, GameError
from firmware_host.games.offers import offers_of, rules_of
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.text.refusal import Refused
from hw.ports import BoardDescription

SHIPPED_BOARD = "spokes-45"
"""The board that is simulated by default."""
USUAL_KIND = "level"
"""The default sensing of simulated boards if neither board nor sensors were named: colours and stacks."""


@dataclass(frozen=True)
class LaunchRequest:
    """The command line's request. ``board`` and ``game`` are None by default; ``rules`` are options to enable."""

    board: str | None = None
    game: str | None = None
    rules: tuple[str, ...] = ()
    simulate: bool = False
    kind: str | None = None

    @property
    def is_open(self) -> bool:
        """Whether neither a board nor a game was named: then any simulated board will do."""
        return not self.names_board and self.game is None

    @property
    def names_board(self) -> bool:
        """Whether a certain board was named."""
        return self.board not in {None, "sim"}

    @property
    def usual_kind(self) -> str | None:
        """Return the preferred sensing of a simulated board; None: its file's, if a board was named."""
        return None if self.names_board else USUAL_KIND


@dataclass(frozen=True)
class Selection:
    """A board and the game played on it, under its rules."""

    description: BoardDescription
    game: Game[Any]


def choose(request: LaunchRequest) -> Selection:
    """Return the requested selection. Raise Refused: no such board, game, or option, or they don't fit each other."""
    if request.game is not None and request.game not in GAMES:
        raise Refused(f"--game: expected one of {', '.join(sorted(GAMES))}, got {request.game!r}")
    simulated = request.simulate or not request.names_board
    if request.kind is not None and not simulated:
        raise Refused("--kind is for simulated boards; a real board's file says what its sensors can tell")
    try:
        path = find_board(request.board or "") if request.names_board else _shipped(request.game)
    except BoardFileError as error:
        raise Refused(str(error)) from error
    choice = _simulated(path, request) if simulated else _on_board(path, simulated=False, kind=None)
    if request.game not in {None, choice.game.name}:
        mine = _shipped_names(request.game or "")
        raise Refused(
            f"--game {request.game}: the board {choice.description.name!r} is for {choice.game.name}; name a board for"
            f" {request.game} with --board" + (f" ({', '.join(mine)})" if mine else "")
        )
    return Selection(choice.description, with_options(choice.game, request.rules))


def with_options(game: Game[Any], options: tuple[str, ...]) -> Game[Any]:
    """Return a game with some options enabled. Raise Refused for an unknown option, listing the available ones."""
    offered = offers_of(game).options
    known = offered.options if offered else {}
    for option in options:
        if option not in known:
            there = "; ".join(f"{name} ({words})" for name, words in sorted(known.items())) or "none"
            others = [name for name, other in sorted(GAMES.items()) if _has(other, option)]
            hint = f"; for that one: --game {others[0]}" if others else ""
            raise Refused(f"--rule: {game.title} has no option {option[:40]!r}; it has {there}{hint}")
    return find_game(game.name, dict.fromkeys(options, True))


def _has(game: Game[Any], option: str) -> bool:
    offered = offers_of(game).options
    return offered is not None and option in offered.options


def gone_on_with(request: LaunchRequest, choice: Selection, last: GameSummary) -> Selection:
    """Return the selection for resuming a game: its rules and, unless a board was named, its own board.

    Raise Refused if it can't be resumed on the named board.
    """
    try:
        game = find_game(last.game, last.rules)
    except GameError as error:
        raise Refused(f"the unfinished game {last.id} can't be resumed: {error}. Start anew with --new") from error
    if last.game != choice.game.name:
        if not request.is_open:
            raise Refused(
                f"the unfinished game {last.id} is {last.title}, but the board {choice.description.name!r} is for"
                f" {choice.game.title}. Go on with it on its own board (it began on {last.board!r}), or abandon it with"
                " --new"
            )
        choice = board_for(last.game, last.board, request)
    asked: Mapping[str, bool] = dict.fromkeys(request.rules, True)
    if asked and asked != rules_of(game):
        print(f"It goes on as {titled(game.name, rules_of(game))}, as it began; other rules hold with --new.")
    return Selection(choice.description, game)


def board_for(game: str, named: str, request: LaunchRequest) -> Selection:
    """Return a simulated shipped board for a game: the named one if there is one. Raise Refused."""
    names = _shipped_names(game)
    return _simulated(find_board(named) if named in names else _shipped(game), request)


def load_for(game: Game[Any], board: str, *, simulated: bool) -> BoardDescription:
    """Return the description of a named board for a named game. Raise Refused."""
    try:
        path = find_board(board)
    except BoardFileError as error:
        raise Refused(str(error)) from error
    choice = _on_board(path, simulated=simulated, kind=None)
    if choice.game.name != game.name:
        raise Refused(f"the board {choice.description.name!r} is for {choice.game.title}, not for {game.title}")
    return choice.description


@dataclass(frozen=True)
class PlayableBoard:
    """An available board, real or simulated, and a game for it, identified by ``key``."""

    key: str
    description: BoardDescription
    game: Game[Any]


def offers(request: LaunchRequest, choice: Selection) -> list[PlayableBoard]:
    """Return what a running table may change to: with a simulated board every board that can be simulated.

    With a real board, the games that fit it. The source of ``choice`` is the first.
    """
    description = choice.description
    first = PlayableBoard(description.name, description, find_game(choice.game.name))
    if description.backend != "sim":
        return [first, *_others_that_fit(description)]
    found = []
    for name in (name for game in GAMES for name in _shipped_names(game)):
        offer = _shipped_board(name, request)
        if offer is not None and offer.key != first.key:
            found.append(offer)
    return [first, *sorted(found, key=lambda offer: (offer.game.name, offer.key != SHIPPED_BOARD, offer.key))]


def _shipped_board(name: str, request: LaunchRequest) -> PlayableBoard | None:
    """Return a simulated shipped board, of the requested kind if possible."""
    for of_this in (request, replace(request, kind=None)):
        with contextlib.suppress(Refused):
            choice = _simulated(find_board(name), of_this)
            return PlayableBoard(choice.description.name, choice.description, choice.game)
    return None


def _others_that_fit(description: BoardDescription) -> list[PlayableBoard]:
    """Return the other games with the nodes and wells of a board."""
    fitting = []
    for name, game in sorted(GAMES.items()):
        with contextlib.suppress(BoardFileError, GameError):
            check_layout(description, game.layout().nodes, game.layout().wells)
            if name != description.game:
                fitting.append(PlayableBoard(f"{description.name} ({name})", description, find_game(name)))
    return fitting


def _simulated(path: Path, request: LaunchRequest) -> Selection:
    """Return a simulated board: of the requested kind, or of the usual one if possible."""
    if request.kind is None and request.usual_kind is not None:
        with contextlib.suppress(Refused):
            return _on_board(path, simulated=True, kind=request.usual_kind)
    return _on_board(path, simulated=True, kind=request.kind)


def _on_board(path: Path, *, simulated: bool, kind: str | None) -> Selection:
    try:
        description = load_board(path, backend="sim" if simulated else None, kind=kind)
        if description.game not in GAMES:
            raise Refused(
                f"{path}: the board {description.name!r} is for the game {description.game!r}, which is not installed; "
                f"expected one of {', '.join(sorted(GAMES))}"
            )
        game = find_game(description.game)
        check_layout(description, game.layout().nodes, game.layout().wells)
    except (BoardFileError, GameError) as error:
        raise Refused(str(error)) from error
    return Selection(description, game)


def _shipped(game: str | None) -> Path:
    """Return a shipped board for a game (None: any). Raise Refused if there is none."""
    names = [SHIPPED_BOARD] if game is None else _shipped_names(game)
    if not names:
        raise Refused(f"no shipped board is for {game}; name a board with --board")
    return find_board(names[0])


def _shipped_names(game: str) -> list[str]:
    """Return the names of the shipped boards for a game, the usual one first."""
    found = [name for name, of_game in _games_of_shipped().items() if of_game == game]
    return sorted(found, key=lambda name: (name != SHIPPED_BOARD, name))


@cache
def _games_of_shipped() -> dict[str, str | None]:
    """Return the game of each shipped board, by its name; read once, as shipped files stay as they are."""
    boards = [entry for entry in importlib.resources.files("boards").iterdir() if entry.name.endswith(".toml")]
    return {
        entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text(encoding="utf-8")).get("board", {}).get("game")
        for entry in boards
    }

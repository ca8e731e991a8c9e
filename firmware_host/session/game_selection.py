"""What is played, and on which board.

The command line names a board, a game, both or neither (:class:`LaunchRequest`); :func:`choose` makes a
:class:`Selection` of it. The journal may have an unfinished game: at a terminal a person is asked whether to go on with
it, and then its own rules and board count (:func:`selection_for`). While a table runs, its host chooses among
:func:`offers`.

A board file that may not be written (a shipped one) is mapped or calibrated in a copy. The copy is kept in the data
folder and named after the text of its original. So a table that is opened with that file again uses the copy, and
another file of the same name does not.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.journal_rescue import REPAIR
from firmware_host.archive.summary import GameSummary, full_title
from firmware_host.boardfile.load import BoardFileError, check_layout, find_board, load_board, shipped_boards
from firmware_host.games.capabilities import capabilities_of, rules_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.session.table_setup import SuspendedGame
from firmware_host.text.words import Refused
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
    path = find_board(request.board or "", sim=True) if request.names_board else _shipped_path(request.game)
    choice = _simulate(path, request) if simulated else _on_board(path, simulated=False, kind=None)
    if request.game not in {None, choice.game.name}:
        mine = _shipped_names(request.game or "")
        raise Refused(
            f"--game {request.game}: the board {choice.description.name!r} is for {choice.game.name}; name a board for"
            f" {request.game} with --board" + (f" ({', '.join(mine)})" if mine else "")
        )
    return Selection(choice.description, with_options(choice.game, request.rules))


def with_options(game: Game[Any], options: tuple[str, ...]) -> Game[Any]:
    """Return a game with some options enabled. Raise Refused for an unknown option, listing the available ones."""
    known = rule_options(game)
    for option in options:
        if option not in known:
            there = "; ".join(f"{name} ({words})" for name, words in sorted(known.items())) or "none"
            others = [name for name, other in sorted(GAMES.items()) if option in rule_options(other)]
            hint = f"; for that one: --game {others[0]}" if others else ""
            raise Refused(f"--rule: {game.title} has no option {option[:40]!r}; it has {there}{hint}")
    return find_game(game.name, dict.fromkeys(options, True))


def rule_options(game: Game[Any]) -> dict[str, str]:
    """Return the options of a game's rules, each with what it changes."""
    return dict(offered.options) if (offered := capabilities_of(game).options) else {}


def selection_for(request: LaunchRequest, choice: Selection, last: GameSummary) -> Selection:
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
        print(f"It goes on as {full_title(game.name, rules_of(game))}, as it began; other rules hold with --new.")
    return Selection(choice.description, game)


def board_for(game: str, named: str, request: LaunchRequest) -> Selection:
    """Return a simulated shipped board for a game: the named one if there is one. Raise Refused."""
    names = _shipped_names(game)
    return _simulate(find_board(named) if named in names else _shipped_path(game), request)


def load_for(game: Game[Any], board: str, *, simulated: bool) -> BoardDescription:
    """Return the description of a named board for a named game. Raise Refused."""
    choice = _on_board(find_board(board, sim=True), simulated=simulated, kind=None)
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
            choice = _simulate(find_board(name), of_this)
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


def _simulate(path: Path, request: LaunchRequest) -> Selection:
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
    except GameError as error:
        raise Refused(str(error)) from error
    return Selection(description, game)


def _shipped_path(game: str | None) -> Path:
    """Return a shipped board for a game (None: any). Raise Refused if there is none."""
    names = [SHIPPED_BOARD] if game is None else _shipped_names(game)
    if not names:
        raise Refused(
            f"no shipped board is for {game}: write one, `lodestone board new {game} {game}.toml`, and name it with "
            f"--board {game}.toml"
        )
    return find_board(names[0])


def _shipped_names(game: str) -> list[str]:
    """Return the names of the shipped boards for a game, the usual one first."""
    found = [name for name, of_game in _games_of_shipped().items() if of_game == game]
    return sorted(found, key=lambda name: (name != SHIPPED_BOARD, name))


@cache
def _games_of_shipped() -> dict[str, str | None]:
    """Return the game of each shipped board, by its name; read once, as shipped files stay as they are."""
    return {
        path.stem: tomllib.loads(path.read_text(encoding="utf-8")).get("board", {}).get("game")
        for path in shipped_boards()
    }


# -- a household's own board files ------------------------------------------------------------------------------------


def with_own_board(request: LaunchRequest, data: Path) -> LaunchRequest:
    """Return the request with the household's own copy of its board file, if there is one."""
    if not request.names_board:
        return request
    try:
        copy = own_copy(find_board(request.board or ""), data)
    except (BoardFileError, OSError):  # Opening the board reports the fault.
        return request
    return replace(request, board=str(copy)) if copy.is_file() else request


def own_copy(path: Path, data: Path) -> Path:
    """Return the path of a board file's copy, whether or not it exists. Raise OSError."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return data / "boards" / f"{path.stem}-{digest[:8]}.toml"


# -- the unfinished game of the journal --------------------------------------------------------------------------------


class Unfinished(Enum):
    """What the command line says about an unfinished game."""

    ASK = "ask"
    RESUME = "resume"
    REPLACE = "replace"


def find_unfinished(journal: Journal, wish: Unfinished) -> GameSummary | None:
    """Return the unfinished game of a journal. Raise Refused if it can't be read, unless it is replaced."""
    try:
        return journal.unfinished_game()
    except JournalError as error:
        if wish is not Unfinished.REPLACE:
            raise _unreadable("the unfinished game", error) from error
        print(f"{error}. It stays as it is, and a new game begins.")
        return None


def game_to_resume(
    last: GameSummary | None, choice: Selection, request: LaunchRequest, wish: Unfinished
) -> GameSummary | None:
    """Return the unfinished game if it is to be resumed, None for a new one.

    Raise Refused if a person ends the question at the terminal.
    """
    if last is None or wish is Unfinished.REPLACE:
        return None
    if wish is Unfinished.RESUME:
        return last
    if not sys.stdin.isatty():
        print(f"There is an unfinished game of {last.title}; going on with it (start anew with --new).")
        return last
    print(f"There is an unfinished game of {last.title} of {last.started}: {', '.join(last.names)}.")
    if last.game == choice.game.name or request.is_open:
        resume = _ask("Go on with it?", "y goes on with it, n sets it aside for later", default=True)
    else:
        question = f"This board is for {choice.game.title}. Set that game aside and begin a new one?"
        resume = not _ask(question, "y begins a new game, n leaves everything as it is", default=False)
    if not resume:
        print("It is set aside: the host's page takes it up again.")
    return last if resume else None


def _ask(question: str, choices: str, *, default: bool) -> bool:
    """Ask until the answer is yes or no; an empty answer is the default. Raise Refused if the input ends."""
    prompt = f"{question} [{'Y/n' if default else 'y/N'}] "
    while True:
        try:
            answer = input(prompt).strip().casefold()
        except (EOFError, KeyboardInterrupt) as error:
            print()
            raise Refused("nothing was begun; the unfinished game is as it was (--resume goes on with it)") from error
        if not answer:
            return default
        if answer in {"y", "yes", "n", "no"}:
            return answer[0] == "y"
        print(f"Please answer y or n: {choices}.")


def read_unfinished(journal: Journal, last: GameSummary) -> SuspendedGame:
    """Return the whole unfinished game. Raise Refused naming the entry that fails."""
    try:
        return SuspendedGame.read(journal, last.id)
    except JournalError as error:
        raise _unreadable(f"the unfinished game {last.id}", error) from error


def _unreadable(what: str, error: JournalError) -> Refused:
    hint = "" if REPAIR in str(error) else f" {REPAIR}."
    return Refused(f"{what} can't be gone on with. {error}.{hint} --new begins another game")

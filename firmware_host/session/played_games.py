"""The games of the journal as the host's list shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.summary import GameSummary
from firmware_host.games.game import GameError
from firmware_host.games.registry import game as find_game
from firmware_host.table.errors import TableError
from firmware_host.table.sealing import is_dealt
from firmware_host.text.words import Text, joined, listed, say


class Reading:
    """A separate journal for reading: the table's belongs to its loop."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Journal:
        try:
            self._journal = Journal(self._path, writer=False, check=False)  # The table's own has been checked.
        except JournalError as error:
            raise TableError("no_journal", str(error)) from error
        return self._journal

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._journal.close()
        if isinstance(error, JournalError):
            raise TableError("no_journal", str(error)) from error


def is_withheld(game: GameSummary) -> bool:
    """Return whether a game's record contains what nobody may know yet; a game that was left may be resumed, too."""
    if game.state == "finished":
        return False
    try:
        return is_dealt(find_game(game.game, game.rules))
    except GameError:
        return True  # A game unknown to this program may have a stack.


def _words(game: GameSummary, state: str) -> Text:
    """Return the state or the end of a game in words."""
    if state == "over":
        return joined([_won(game), *_ending(game)], " ")
    if state == "running":
        return say("In progress, turn {turn}.", turn=game.turns) if game.turns else say("In progress, just begun.")
    if state == "abandoned":
        return (
            say("Abandoned in turn {turn}.", turn=game.turns) if game.turns else say("Abandoned before the first turn.")
        )
    return say("Set aside in turn {turn}.", turn=game.turns) if game.turns else say("Set aside before the first turn.")


def _won(game: GameSummary) -> Text:
    if not game.winners:
        return say("A draw.")
    seats = [game.seats.get(seat, say("Player {seat}", seat=seat)) for seat in game.winners]
    return say("Won by {names}.", names=listed(seats))


def _ending(game: GameSummary) -> list[str]:
    """Return how a game has ended, in words, if this program knows the game."""
    try:
        words = find_game(game.game, game.rules).endings.get(game.reason or "")
    except GameError:
        return []
    return [words] if words else []


def described(game: GameSummary, *, is_running: bool) -> dict[str, Any]:
    """Return a game as the host's list shows it (:meth:`firmware_host.table.service.HostService.games`)."""
    state = {"finished": "over", "unfinished": "set aside"}.get(game.state, game.state)
    if state == "set aside" and is_running:
        state = "running"
    return {
        "id": game.id,
        "title": game.title,
        "mode": game.mode,
        "started": game.started,
        "ended": game.ended,
        "names": list(game.names),
        "state": state,
        "words": _words(game, state),
        "withheld": is_withheld(game),
    }

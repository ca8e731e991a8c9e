"""What only the host of a running table may do, in addition to the table's events: change the game and the board,
resume suspended games, read records, and see the state of the hardware.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from firmware_host.archive import records
from firmware_host.archive.summary import GameSummary
from firmware_host.games.game import Game, GameError
from firmware_host.games.offers import offers_of
from firmware_host.games.registry import game as find_game
from firmware_host.hardware.tap import Tap
from firmware_host.session.advises import Advises
from firmware_host.session.game_selection import LaunchRequest, PlayableBoard, Selection, offers
from firmware_host.session.host_token import host_token
from firmware_host.session.lent_hands import LentHands
from firmware_host.session.played_games import Reading, described, is_withheld
from firmware_host.session.resting import RestSetting, keep_rest, kept_rest
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting, SuspendedGame
from firmware_host.table.errors import TableError
from firmware_host.table.how_to_play import card_view
from firmware_host.table.ledger import own_colours
from firmware_host.text.refusal import Refused
from firmware_host.text.words import say
from hw.ports import BoardDescription, OpenBoard


class Adviser(Advises, Protocol):
    """A search that can be closed."""

    def close(self) -> None:
        """Stop its child processes."""
        ...


_COMES_BACK = frozenset({"unfinished", "abandoned"})
"""States of a game in which it can be resumed."""
ENTERED = "host-entered"
"""A file in the data folder; it exists since a phone has shown the host's token."""
CODES_HIDDEN = "codes-hidden"
"""A file in the data folder; it exists while only the host may see the codes of free seats."""
GAMES_A_PAGE = 50
Opener = Callable[[BoardDescription], OpenBoard]
"""Opens a board. Raises Refused."""
StartAdviser = Callable[[Game[Any]], Adviser | None]
"""Starts the search for a game; None if the game needs none."""


class Host:
    """The host's control of a running table (:class:`firmware_host.table.service.HostService`). Thread-safe.

    It owns the table's board and adviser, both the original and later ones.
    """

    def __init__(
        self,
        runtime: Runtime,
        data: Path,
        journal: Path,
        request: LaunchRequest,
        choice: Selection,
        *,
        open_board: Opener,
        start_adviser: StartAdviser,
        adviser: Adviser | None = None,
    ) -> None:
        """``data`` is the folder of the host's token; ``request`` and ``choice`` opened the table."""
        self.runtime = runtime
        runtime.rest = kept_rest(data)
        self.moved: list[Callable[[OpenBoard], None]] = []
        """Called with the new board after the table has moved to it."""
        self.hands: LentHands | None = None
        """The simulated hand, None without one."""
        self._data = data
        self._journal = journal
        self._request, self._choice = request, choice
        self._open_board, self._start_adviser = open_board, start_adviser
        self._adviser = adviser
        self._changing = threading.Lock()
        self._entered = False
        self._offers: Sequence[PlayableBoard] | None = None
        self._key = ""
        """The key of the offer at the table; the first offer's until it changes."""
        self._ended: dict[str, GameSummary] = {}
        self._listed: tuple[int, Sequence[GameSummary]] | None = None
        """The sequence number of the table's view, and all games at that time."""

    def close(self) -> None:
        """Close board and adviser; closing again does nothing."""
        with self._changing:
            adviser, self._adviser = self._adviser, None
            if adviser is not None:
                adviser.close()
            self.runtime.setting.board.close()

    def token(self) -> str:
        """Return the host's present token."""
        try:
            return host_token(self._data)
        except Refused as error:
            raise TableError("no_host", str(error)) from error

    def note_entered(self) -> None:
        """Note, for good, that a phone has shown the host's token."""
        self._entered = True
        with suppress(OSError):  # Then it holds until the table is closed.
            (self._data / ENTERED).touch()

    def has_owner(self) -> bool:
        """Return whether a phone has ever shown the host's token, or a game was played here."""
        return self._entered or (self._data / ENTERED).exists() or bool(self._started())

    def codes_shown(self) -> bool:
        """Return whether everybody in the room may see the codes of free seats, the default, or the host alone."""
        return not (self._data / CODES_HIDDEN).exists()

    def show_codes(self, shown: bool) -> None:
        """Show the codes of free seats to everybody, or to the host alone; kept after a restart."""
        path = self._data / CODES_HIDDEN
        try:
            if shown:
                path.unlink(missing_ok=True)
            else:
                path.touch()
        except OSError as error:
            reason = error.strerror or str(error)
            raise TableError("not_kept", say("the data folder can't be written: {reason}", reason=reason)) from error

    def lights(self) -> dict[str, Any]:
        """Return the settings of the lights."""
        return vars(self.runtime.rest)

    def set_lights(self, wish: Mapping[str, Any]) -> None:
        """Set all fields of :meth:`lights`; kept after a restart."""
        self.runtime.rest = keep_rest(self._data, RestSetting.of(wish))

    # -- what is played ------------------------------------------------------------------------------------------

    def choices(self) -> list[dict[str, Any]]:
        """Return what can be played, the first selection first."""
        return [
            {
                "board": offer.key,
                "title": offer.game.title,
                "game": offer.game.name,
                "nodes": len(offer.description.nodes),
                "sensors": offer.description.channels,
                **card_view(offer.game),
                "modes": list(offer.game.modes),
                "options": _options(offer.game),
                "colours": not own_colours(offer.game, offer.game.modes[0]),
                "current": offer is self._current(),
            }
            for offer in self._all()
        ]

    def new_game(self, board: str, mode: str, rules: Sequence[str]) -> None:
        """Open a lobby for another game; a running game is suspended."""
        offer = next((offer for offer in self._all() if offer.key == board), None)
        if offer is None:
            raise TableError("bad_board", say("there is no board {board!r} to play on here", board=board[:40]))
        game = offer.game
        if mode not in game.modes:
            modes = ", ".join(game.modes)
            raise TableError(
                "bad_mode", say("mode: expected one of {modes}, got {mode!r}", modes=modes, mode=mode[:40])
            )
        known = _options(game)
        for option in rules:
            if option not in known:
                raise TableError("bad_rule", say("{game} has no rule {rule!r}", game=game.title, rule=option[:40]))
        with self._changing:
            self._change(offer, find_game(game.name, dict.fromkeys(rules, True)), mode)

    def take_up(self, game_id: str) -> None:
        """Resume a suspended or abandoned game; the running one is suspended."""
        with self._changing:  # A second request for the same game finds it running.
            with Reading(self._journal) as journal:
                summary = next((one for one in journal.games(self._ended) if one.id == game_id), None)
                if summary is None:
                    raise TableError("bad_game", say("there is no game {game!r}", game=game_id[:40]))
                if summary.state not in _COMES_BACK or self._is_running(game_id):
                    raise TableError("bad_game", say("this game was not set aside"))
                entries = [(entry.kind, entry.data) for entry in journal.trusted_entries(game_id)]
                moved = journal.moved_claims()
            try:
                game = find_game(summary.game, summary.rules)
            except GameError as error:
                raise TableError("bad_game", error.args[0]) from error
            self._change(self._board_for(summary), game, SuspendedGame(game_id, entries, moved))

    def _all(self) -> Sequence[PlayableBoard]:
        if self._offers is None:
            self._offers = offers(self._request, self._choice)
        return self._offers

    def _current(self) -> PlayableBoard:
        everything = self._all()
        return next((offer for offer in everything if offer.key == self._key), everything[0])

    def _board_for(self, summary: GameSummary) -> PlayableBoard:
        """Return the board for a game: the board on which it began, else the open board, else any that fits."""
        fitting = [offer for offer in self._all() if offer.game.name == summary.game]
        if not fitting:
            board = self._current().description.name
            raise TableError(
                "bad_board", say("{game} can't be played on the board {board}", game=summary.title, board=board)
            )
        current = self._current()
        best = [offer for offer in fitting if offer.description.name == summary.board]
        return (best or [offer for offer in fitting if offer is current] or fitting)[0]

    def _change(self, offer: PlayableBoard, game: Game[Any], what: str | SuspendedGame) -> None:
        """Bring a game and its board to the table; after a failure all stays as it was."""
        before, adviser = self.runtime.setting, self._adviser
        same_board = offer.description is self._current().description
        board = before.board if same_board else self._opened(offer.description)
        try:
            if game.name != before.game.name:
                adviser = self._start_adviser(game)
            self.runtime.change(replace(before, game=game, board=board), adviser, what)
        except BaseException:
            self._discard_prepared(before, adviser, board)
            raise
        self._key = offer.key
        left, self._adviser = self._adviser, adviser
        for moved in self.moved:
            moved(board)
        if left is not None and left is not adviser:
            left.close()
        if board is not before.board:
            before.board.close()

    def _discard_prepared(self, before: Setting, adviser: Adviser | None, board: OpenBoard) -> None:
        """Close what was prepared for a change that failed."""
        if adviser is not None and adviser is not self._adviser:
            adviser.close()
        if board is not before.board:
            board.close()

    def _opened(self, description: BoardDescription) -> OpenBoard:
        try:
            return self._open_board(description)
        except Refused as error:
            raise TableError(
                "bad_board",
                say("the board {board} can't be opened: {reason}", board=description.name, reason=str(error)),
            ) from error

    # -- what was played -----------------------------------------------------------------------------------------

    def games(self, first: int = 0, most: int = GAMES_A_PAGE) -> dict[str, Any]:
        """Return a range of the started games, the last one first, and their total number."""
        listed = self._started()
        running = self.runtime.view(None)[1]["game"]["id"]
        page = [described(one, is_running=one.id == running) for one in listed[first : first + most]]
        return {"first": first, "in_all": len(listed), "games": page}

    def _started(self) -> Sequence[GameSummary]:
        """Return the started games, the last one first."""
        seq = self.runtime.view(None)[0]
        listed = self._listed
        if listed is None or listed[0] != seq:  # Each new entry changes the view's number.
            with Reading(self._journal) as journal:
                found = journal.games(self._ended)
            self._ended = {one.id: one for one in found if one.ended is not None}
            listed = self._listed = (seq, [one for one in reversed(found) if one.state != "lobby"])
        return listed[1]

    def is_over(self, game_id: str) -> bool:
        """Tell whether this game has been played to its end."""
        game = next((one for one in self._started() if one.id == game_id), None)
        if game is None:
            raise _unknown(game_id)
        return game.state == "finished"

    def record(self, game_id: str) -> list[str]:
        """Return the lines of a game's record. Raise TableError while they reveal the order of a stack in play."""
        if any(one.id == game_id and is_withheld(one) for one in self._started()):
            words = say("This record tells the order of the stack: it can be downloaded when the game is over.")
            raise TableError("withheld", words)
        return self.whole_record(game_id)

    def whole_record(self, game_id: str) -> list[str]:
        """Return all lines of a game's record."""
        with Reading(self._journal) as journal:
            try:
                return list(records.export(journal, game_id))
            except records.RecordError as error:
                raise _unknown(game_id) from error

    def _is_running(self, game_id: str) -> bool:
        running: str = self.runtime.view(None)[1]["game"]["id"]
        return running == game_id

    def can_repair(self) -> bool:
        """Return whether a game is damaged, and what is whole of it can be saved."""
        return self.runtime.can_repair()

    def repair(self) -> None:
        """Save what is whole of a damaged game, which can then be taken up."""
        self.runtime.repair()

    # -- the state of the hardware -------------------------------------------------------------------------------

    def hardware(self) -> dict[str, Any]:
        """Return the state of the board."""
        board = self.runtime.setting.board
        description = board.description
        view = self.runtime.view(None)[1]
        masked = view["sensors"]["masked"]
        health = [view["paused"]] if view["paused"] is not None else []
        health += view["notices"]
        health += [say("{node}: ignored ({reason})", node=node, reason=why) for node, why in masked.items()]
        return {
            "board": description.name,
            "kind": description.kind,
            "backend": description.backend,
            "nodes": len(description.nodes),
            "scan_hz": description.scan_hz,
            "scans_per_s": _rate(board),
            "health": health,
            "lights": {
                "pixels": description.lights.length if description.lights.wired else 0,
                "trouble": self.runtime.lights_trouble,
            },
            "simulated": description.backend == "sim",
            "hands": self._hands.whose if self._hands is not None else None,
        }

    def lend_hands(self, everybody: bool) -> None:
        """Let the simulated hand move everybody's pieces, or only its usual ones."""
        if self._hands is None:
            raise TableError("no_hand", say("no simulated hand is at this board: people move the pieces"))
        self._hands.lend(everybody=everybody)

    @property
    def _hands(self) -> LentHands | None:
        return self.hands if self.hands is not None and self.hands.there else None


def _rate(board: OpenBoard) -> int | None:
    """Return the scans a second, None if not counted (yet). Rounded, so that views change rarely."""
    rate = board.sensors.snapshot()["rate"] if isinstance(board.sensors, Tap) else None
    return None if rate is None else round(rate)


def _unknown(game_id: str) -> TableError:
    return TableError("bad_game", say("there is no game {game!r}", game=game_id[:40]))


def _options(game: Game[Any]) -> dict[str, str]:
    """Return the options of a game's rules, each with what it changes."""
    return dict(offered.options) if (offered := offers_of(game).options) else {}

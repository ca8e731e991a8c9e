"""What only the host of a running table may do, in addition to the table's events.

The host is the phone that has shown the token of the data folder. It changes the game and the board, resumes suspended
games, downloads records, sets the lights, and sees the state of the hardware. Nothing here is journalled by itself: a
change of the game ends in :meth:`firmware_host.session.runtime.Runtime.change`.

On a simulated board a simulated hand moves nobody's pieces, the computers' or everybody's (:class:`LentHands`).

The host reads the journal through a connection of its own (:func:`read_journal`), so that a list of a thousand games
never holds up the loop.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from firmware_host import platform
from firmware_host.archive import records
from firmware_host.archive.data_folder import TOKEN, host_token, read_journal, unwritable
from firmware_host.archive.summary import GameSummary
from firmware_host.games.capabilities import card_view
from firmware_host.games.drawing import own_colours
from firmware_host.games.game import Game, GameError
from firmware_host.games.positions import is_dealt
from firmware_host.games.registry import game as find_game
from firmware_host.session.computers import CompanySetting, read_company, save_company
from firmware_host.session.game_selection import LaunchRequest, PlayableBoard, Selection, offers, rule_options
from firmware_host.session.light_renderer import LightSetting, save_light_setting
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import SuspendedGame
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import AGREED, LOST_ON_TIME, ending_words
from firmware_host.table.subjects.boardless import HandsLent
from firmware_host.table.subjects.proposals import GamePaused, GameResumed
from firmware_host.text.words import Refused, Text, join_sentences, list_of, say
from hw.ports import BoardDescription, OpenBoard

_COMES_BACK = frozenset({"unfinished", "abandoned"})
"""States of a game in which it can be resumed."""
ENTERED = "host-entered"
"""A file in the data folder; it exists since a phone has shown the host's token."""
CODES_HIDDEN = "codes-hidden"
"""A file in the data folder; it exists while only the host may see the codes of free seats."""
GAMES_A_PAGE = 50
BoardOpener = Callable[[BoardDescription], OpenBoard]
"""Opens a board. Raises Refused."""


class Host:
    """What only the host may do, in addition to the table's events. Thread-safe; refusals are TableErrors.

    It owns the table's board, both the original and later ones.
    """

    def __init__(
        self,
        runtime: Runtime,
        data: Path,
        journal: Path,
        request: LaunchRequest,
        choice: Selection,
        *,
        open_board: BoardOpener,
        hands: LentHands | None = None,
    ) -> None:
        """``data`` is the folder of the host's token; ``request`` and ``choice`` opened the table.

        ``hands`` is the simulated hand.
        """
        self._runtime = runtime
        self._data, self._journal = data, journal
        self.request, self._choice = request, choice
        self._open_board = open_board
        self._simulated_hand = hands
        runtime.set_company(read_company(data))
        self._changing = threading.Lock()
        self._entered = False
        self._token = ""
        self._offers: Sequence[PlayableBoard] | None = None
        self._key = ""
        """The key of the offer at the table; the first offer's until it changes."""
        self._ended: dict[str, GameSummary] = {}
        self._listed: tuple[int, Sequence[GameSummary]] | None = None
        """The sequence number of the table's view, and all games at that time."""

    def close(self) -> None:
        """Close the board; closing again does nothing."""
        with self._changing:
            self._runtime.setting.board.close()

    def token(self) -> str:
        """Return the host's present token; it may change between calls."""
        if self._token and not os.path.lexists(self._data / TOKEN):
            return self._token  # The folder was taken away: with the journal it is written again.
        try:
            self._token = host_token(self._data, lambda text: self._runtime.remark(TOKEN, text))
            return self._token
        except Refused as error:
            raise TableError("no_host", str(error)) from error

    def note_entered(self) -> None:
        """Note, for good, that a phone has shown the host's token."""
        self._entered = True
        with suppress(OSError):  # Then it holds until the table is closed.
            (self._data / ENTERED).touch()

    def has_owner(self) -> bool:
        """Return whether a phone has ever shown the host's token, or a game was played here."""
        return self._entered or (self._data / ENTERED).exists() or bool(self._started_games())

    def are_codes_shown(self) -> bool:
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
            raise unwritable(error) from error

    def lights(self) -> dict[str, Any]:
        """Return the settings of the lights: ``brightness`` (per cent), ``night``, ``off``, ``sleep``
        (minutes without a touch after which the lights go out, 0: never), ``show`` (they move gently between games).
        """
        return self._runtime.light_setting.to_dict()

    def set_lights(self, wish: Mapping[str, Any]) -> None:
        """Set all fields of :meth:`lights`; kept after a restart."""
        self._runtime.set_lights(save_light_setting(self._data, LightSetting.of(wish)))

    def company(self) -> dict[str, Any]:
        """Return whether the host lets computers say something (``words``) and people give ``signs``."""
        return self._runtime.company.to_dict()

    def set_company(self, words: bool, signs: bool) -> None:
        """Allow or forbid both; kept after a restart."""
        self._runtime.set_company(save_company(self._data, CompanySetting(words=words, signs=signs)))

    def pause(self) -> None:
        """Pause the game, or let a paused one go on. Raise TableError where there is none to pause."""
        resumes = bool(self._runtime.view(None)[1]["paused"])
        event = GameResumed if resumes else GamePaused
        self._runtime.submit(event(at=self._runtime.now()))

    # -- what is played ------------------------------------------------------------------------------------------

    def choices(self) -> list[dict[str, Any]]:
        """Return what can be played, the first selection first: ``board``, ``title``, ``game``, ``nodes`` and
        ``sensors`` (how many), ``aim`` and ``minutes`` (from the game, or None), ``players`` (how many may play),
        ``modes``, ``options`` (name → words), ``colours`` (whether players choose theirs), ``current``.
        """
        return [
            {
                "board": offer.key,
                "title": offer.game.title,
                "game": offer.game.name,
                "nodes": len(offer.description.nodes),
                "sensors": offer.description.channels,
                **card_view(offer.game),
                "modes": list(offer.game.modes),
                "options": rule_options(offer.game),
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
        known = rule_options(game)
        for option in rules:
            if option not in known:
                raise TableError("bad_rule", say("{game} has no rule {rule!r}", game=game.title, rule=option[:40]))
        with self._changing:
            self._change(offer, find_game(game.name, dict.fromkeys(rules, True)), mode)

    def take_up(self, game_id: str) -> None:
        """Resume a suspended or abandoned game; the running one is suspended."""
        with self._changing:  # A second request for the same game finds it running.
            with read_journal(self._journal) as journal:
                summary = next((one for one in journal.games(self._ended) if one.id == game_id), None)
                if summary is None:
                    raise TableError("bad_game", say("there is no game {game!r}", game=game_id[:40]))
                if summary.state not in _COMES_BACK or self._is_running(game_id):
                    raise TableError("bad_game", say("this game was not set aside"))
                suspended = SuspendedGame.read(journal, game_id)
            try:
                game = find_game(summary.game, summary.rules)
            except GameError as error:
                raise TableError("bad_game", error.args[0]) from error
            self._change(self.board_for(summary.game, summary.title, summary.board), game, suspended)

    def _all(self) -> Sequence[PlayableBoard]:
        if self._offers is None:
            self._offers = offers(self.request, self._choice)
        return self._offers

    def _current(self) -> PlayableBoard:
        everything = self._all()
        return next((offer for offer in everything if offer.key == self._key), everything[0])

    def board_for(self, game: str, title: str, best: str = "") -> PlayableBoard:
        """Return the board for a game: the one of this name, on which it began, else the open board, else any."""
        fitting = [offer for offer in self._all() if offer.game.name == game]
        current = self._current()
        if not fitting:
            board = current.description.name
            raise TableError("bad_board", say("{game} can't be played on the board {board}", game=title, board=board))
        named = [offer for offer in fitting if offer.description.name == best]
        return (named or [offer for offer in fitting if offer is current] or fitting)[0]

    def _change(self, offer: PlayableBoard, game: Game[Any], what: str | SuspendedGame) -> None:
        """Bring a game and its board to the table; after a failure all stays as it was."""
        before = self._runtime.setting
        same_board = offer.description is self._current().description
        board = before.board if same_board else self._open(offer.description)
        try:
            self._runtime.change(replace(before, game=game, board=board), what)
        except BaseException:
            if board is not before.board:
                board.close()
            raise
        self._key = offer.key
        if board is not before.board:
            before.board.close()
            del before
            gc.collect()  # Its parts refer to each other: they would lie beside those of the next boards.

    def _open(self, description: BoardDescription) -> OpenBoard:
        try:
            return self._open_board(description)
        except Refused as error:
            raise TableError(
                "bad_board",
                say("the board {board} can't be opened: {reason}", board=description.name, reason=str(error)),
            ) from error

    # -- what was played -----------------------------------------------------------------------------------------

    def games(self, first: int = 0, most: int = GAMES_A_PAGE) -> dict[str, Any]:
        """Return ``games``, a range of the started games, newest first, and their total number ``in_all``.

        A game: ``id``, ``title``, ``mode``, ``started``, ``ended``, ``names``, ``state`` (``over``, ``set aside``,
        ``abandoned``, ``running``), ``words``, ``withheld`` (whether its record is, for now). ``first`` counts from 0.
        """
        listed = self._started_games()
        running = self._runtime.view(None)[1]["game"]["id"]
        page = [game_view(one, is_running=one.id == running) for one in listed[first : first + most]]
        return {"first": first, "in_all": len(listed), "games": page}

    def _started_games(self) -> Sequence[GameSummary]:
        """Return the started games, the last one first."""
        seq = self._runtime.view(None)[0]
        games = self._listed
        if games is None or games[0] != seq:  # Each new entry changes the view's number.
            with read_journal(self._journal) as journal:
                found = journal.games(self._ended)
            self._ended = {one.id: one for one in found if one.ended is not None}
            games = self._listed = (seq, [one for one in reversed(found) if one.state != "lobby"])
        return games[1]

    def has_played(self, game: str) -> bool:
        """Tell whether anybody has played a game (its name) at this table."""
        return any(one.game == game and one.turns for one in self._started_games())

    def is_over(self, game_id: str) -> bool:
        """Tell whether this game has been played to its end. Raise TableError for an unknown one."""
        game = next((one for one in self._started_games() if one.id == game_id), None)
        if game is None:
            raise _unknown(game_id)
        return game.state == "finished"

    def record(self, game_id: str) -> list[str]:
        """Return the lines of a game's record, as ``lodestone record export`` writes them.

        Raise TableError, code ``withheld``, if they contain what nobody at the table may know before the game is over.
        """
        if any(one.id == game_id and is_withheld(one) for one in self._started_games()):
            words = say("This record tells the order of the stack: it can be downloaded when the game is over.")
            raise TableError("withheld", words)
        return self.whole_record(game_id)

    def whole_record(self, game_id: str) -> list[str]:
        """Return the record of any game, for making scenes: it must never be handed out unfiltered."""
        with read_journal(self._journal) as journal:
            try:
                return list(records.export(journal, game_id))
            except records.RecordError as error:
                raise _unknown(game_id) from error

    def _is_running(self, game_id: str) -> bool:
        running: str = self._runtime.view(None)[1]["game"]["id"]
        return running == game_id

    def can_repair(self) -> bool:
        """Return whether a game is damaged, and what is whole of it can be saved."""
        return self._runtime.can_repair()

    def repair(self) -> None:
        """Save what is whole of a damaged game, which can then be taken up."""
        self._runtime.repair()

    # -- the state of the hardware -------------------------------------------------------------------------------

    def hardware(self) -> dict[str, Any]:
        """Return the state of the board: ``board``, ``kind``, ``backend``, ``nodes``, ``scan_hz``, ``scans_per_s``,
        ``health`` (words), ``lights`` (``pixels``, ``trouble``), ``simulated``, ``hands`` (whose pieces the simulated
        hand moves: ``none``, ``computer`` or ``all``; None: no simulated hand).
        """
        board = self._runtime.setting.board
        description, rate = board.description, self._runtime.scans_per_s()
        view = self._runtime.view(None)[1]
        masked = view["sensors"]["masked"]
        health = [view["standstill"]] if view["standstill"] is not None else []
        health += view["notices"]
        health += [say("{node}: ignored ({reason})", node=node, reason=why) for node, why in masked.items()]
        return {
            "board": description.name,
            "kind": description.kind,
            "backend": description.backend,
            "nodes": len(description.nodes),
            "scan_hz": description.scan_hz,
            "scans_per_s": None if rate is None else round(rate),  # Rounded, so that views change rarely.
            "health": health,
            "lights": {
                "pixels": description.lights.length if description.lights.has_strips else 0,
                "trouble": self._runtime.lights_trouble,
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
        hands = self._simulated_hand
        return hands if hands is not None and hands.there else None


def _unknown(game_id: str) -> TableError:
    return TableError("bad_game", say("there is no game {game!r}", game=game_id[:40]))


def is_withheld(game: GameSummary) -> bool:
    """Return whether a game's record contains what nobody may know yet; a game that was left may be resumed, too."""
    if game.state == "finished":
        return False
    try:
        return is_dealt(find_game(game.game, game.rules))
    except GameError:
        return True  # A game unknown to this program may have a stack.


def _state_words(game: GameSummary, state: str) -> Text:
    """Return the state or the end of a game in words."""
    turn = game.turns
    if state == "running":
        return say("In progress, turn {turn}.", turn=turn) if turn else say("In progress, just begun.")
    if state == "abandoned":
        return say("Abandoned in turn {turn}.", turn=turn) if turn else say("Abandoned before the first turn.")
    if state != "over":
        return say("Set aside in turn {turn}.", turn=turn) if turn else say("Set aside before the first turn.")
    names = [game.seats.get(seat, say("Player {seat}", seat=seat)) for seat in game.winners]
    won = say("Won by {names}.", names=list_of(names)) if names else say("A draw.")
    try:
        endings = find_game(game.game, game.rules).endings
    except GameError:  # This program does not know the game.
        endings = {}
    if game.reason not in {*endings, LOST_ON_TIME, AGREED}:
        return won
    return join_sentences([won, ending_words(endings, game.reason, game.seats.get(game.late, ""))], " ")


def game_view(game: GameSummary, *, is_running: bool) -> dict[str, Any]:
    """Return a game as the host's list shows it (:meth:`Host.games`)."""
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
        "words": _state_words(game, state),
        "withheld": is_withheld(game),
    }


NOBODY, COMPUTERS, EVERYBODY = "none", "computer", "all"


class LentHands:
    """Forwards the tasks of some seats to the simulated hand of the open board."""

    def __init__(self, runtime: Runtime, whose: str, later: Callable[..., platform.Later] = platform.later) -> None:
        """Follow the views of a table. ``whose`` is one of these words; ``later`` belongs to the table's clock."""
        self.whose = whose
        self._later = later
        self._usual = COMPUTERS if whose == EVERYBODY else whose
        self._runtime = runtime
        self._lock = threading.Lock()
        self._loop: str | None = None
        """The game whose loop is shown, or was shown last."""
        self._timer: platform.Later | None = None
        self._told = ("", False)
        """The game whose table was told last whether anybody has a board, and what."""
        runtime.follow(lambda _view: self._look())

    @property
    def there(self) -> bool:
        """Whether the open board has a simulated hand."""
        return self._runtime.setting.board.attend is not None

    def lend(self, *, everybody: bool) -> None:
        """Move everybody's pieces from now on, or only the usual ones; from any thread."""
        self.whose = EVERYBODY if everybody else self._usual
        self._look()

    def _look(self) -> None:
        if not self.there:
            return
        self._tell()  # Without the lock: the table shows what it is told, so this is called again meanwhile.
        with self._lock:  # The hand must not get an older view after a newer one.
            attend = self._runtime.setting.board.attend
            if attend is not None:
                view = self._runtime.view(None)[1]
                attend([] if self._waits(view) else tasks_for(self.whose, view))

    def _tell(self) -> None:
        """Tell each table once whether anybody has a board there."""
        lent = (self._runtime.view(None)[1]["game"]["id"], self.whose == EVERYBODY)
        before, self._told = self._told, lent
        if lent != before and (lent[1] or before[1]):
            self._runtime.submit(HandsLent(at=self._runtime.now(), everybody=lent[1]))

    def _waits(self, view: Mapping[str, Any]) -> bool:
        """Return whether the hand leaves a loop to be looked at for a while; it is asked again after that."""
        game = view["game"]["id"] if shows_loop(view) else None
        if game == self._loop:
            return self._timer is not None and self._timer.is_alive()
        self._loop, timer = game, self._timer
        if timer is not None:
            timer.cancel()
        self._timer = self._later(LOOP_S, self._after_loop) if game is not None else None
        return self._timer is not None

    def _after_loop(self) -> None:
        with self._lock:
            self._timer = None
        self._look()


LOOP_S = 4.0
"""How long a simulated hand leaves the stones of an unbreakable loop: its lights have gone round once then."""


def shows_loop(view: Mapping[str, Any]) -> bool:
    """Return whether a view shows the stones of a loop that ended the game."""
    lights = view.get("lights", {}).values()
    return view["phase"] == "clearing" and any(light["meaning"] == "loop" for light in lights)


def tasks_for(whose: str, view: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tasks of a view that the simulated hand does.

    For the computers it also sets up and clears the board, and mends it while one of them acts. ``step`` separates
    the tasks of one step of a player from those of the next.
    """
    lesson = view.get("lesson")
    if whose == NOBODY or (lesson and lesson["phone"]):
        return []
    tasks = [task if task["seat"] is None else {**task, "step": _step(view)} for task in view["tasks"]]
    if whose == EVERYBODY:
        return tasks
    computers = {seat["seat"] for seat in view["seats"] if seat["computer"]}
    ours = view["phase"] in {"setup", "clearing"} or view["resolver"] in computers
    return [task for task in tasks if task["seat"] in computers or (ours and task["seat"] is None)]


def _step(view: Mapping[str, Any]) -> str:
    """Return a name for the step in progress: two in a row never have the same position and choice."""
    return repr([view[field] for field in ("turn", "resolver", "board", "wanted", "stage")])

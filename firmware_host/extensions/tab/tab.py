"""The program in a browser tab: one thread, no sockets, no processes (docs/desks.md, "In a browser tab").

The page's worker makes a :class:`Tab` and calls it: :meth:`Tab.step` by a timer, :meth:`Tab.request` for each request
of a frame, :meth:`Tab.take_answer` with what an engine in another worker has answered. Everything else is
``lodestone play``, or ``lodestone replay``: the same parts, put together by
:func:`firmware_host.commands.play.open_table`. Requests come as messages (:class:`Doors`), and searches are carried to
the other worker and back (:class:`AnalysisElsewhere`). Pages are shown in frames of the page that carries the messages,
and of no other.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from flask import Flask
from werkzeug.test import Client

from firmware_host import platform
from firmware_host.analysis.questions import Answer, EndsQuestion, Question, UnreadableAnswer
from firmware_host.archive.format import RecordError
from firmware_host.commands.cli import version
from firmware_host.commands.play import OpenTable, PlayOptions, attach, chosen_game, open_table, panel_of
from firmware_host.games.game import Game, GameError
from firmware_host.games.levels import default_level
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.plug import extensions
from firmware_host.replay.cursor import Reel
from firmware_host.replay.player import ReplaySession
from firmware_host.replay.scenes import film
from firmware_host.session.game_selection import LaunchRequest, Unfinished, board_for
from firmware_host.table.ledger import levels_of
from firmware_host.table.subjects.seats import GameStarted
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Refused
from hw.registry import open_board
from web_panel.app import create_app as _create_app
from web_panel.replay_app import create_replay_app
from web_panel.streams import HAND_OVER, Line

del _create_app  # Imported while the page shows a bar, not when the first table is opened.

PHONE = "phone-{}"
"""The device of the player on each seat; the first one is the host's, too."""
NAMES = ("Ada", "Grace", "Edsger", "Barbara")
MAX_S, MAX_ENDS_S = 3.0, 1.0
"""Longest search that somebody waits for, and of a phase's ends, behind which a computer's action waits; seconds."""
BASE = "http://localhost"
"""Where the app believes to be."""
ALONE, FRAMED = "frame-ancestors 'none'", "frame-ancestors 'self'"
LEFT_OUT = {"set-cookie", "content-length", "x-frame-options"}
"""Headers of answers that are not handed on: cookies stay here, and frames are the point."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Wish:
    """What is to be played."""

    game: str
    people: int = 1
    """Seats with a phone, the first ones; computers have the others."""
    level: int = 1
    position: str = ""
    """The text of a position to begin in, empty: the game's own beginning."""
    pause: float | None = None
    """Least time that computers and simulated hands take for each step, seconds; None: as at any table."""
    record: str = ""
    """The text of a record to show instead."""

    @staticmethod
    def read(text: str) -> Wish:
        """Return the wish of a JSON object of these fields. Raise Refused."""
        try:
            return Wish(**json.loads(text))
        except (TypeError, ValueError) as error:
            raise Refused(f"this is no wish: {error}") from error


def offers() -> list[dict[str, Any]]:
    """Return what can be chosen: games with their titles, the number of seats, and their levels, weakest first.

    ``usual`` is the level of a game whose levels nobody has chosen.
    """
    return [
        {
            "game": name,
            "title": game.title,
            "seats": len(game.seats(game.modes[0])),
            "levels": [{"level": one.number, "name": str(one.name)} for one in levels_of(game)],
            "usual": default_level(levels_of(game)[-1].number),
        }
        for name, game in sorted(GAMES.items())
    ]


class Tab:
    """A table or a replay, whose time and requests come from outside."""

    def __init__(self, data: Path, wish: Wish, send: Callable[[str], None]) -> None:
        """Open it, and begin its game; ``data`` is a folder of its own, ``send`` carries lines to an engine.

        Raise Refused.
        """
        self._stack = ExitStack()
        self._analyser = AnalysisElsewhere(send)
        self._step: Callable[[], None] = lambda: None
        try:
            if wish.record:
                self._doors = self._show(wish.record)
            else:
                self._doors = self._play(data, wish)
        except BaseException:
            self.close()
            raise

    def step(self) -> None:
        """Let the time pass: the table looks at its board, and all that goes on beside it has its turn."""
        self._step()
        platform.take_turns()

    def request(self, device: str, method: str, path: str, headers: str, body: bytes, port: PageEnd) -> None:
        """Answer a request of a page's frame; ``headers`` is a JSON object."""
        self._doors.request(device, method, path, json.loads(headers), body, port)
        self.step()

    def take_answer(self, line: str) -> None:
        """Take an engine's answer to the last line that was sent."""
        self._analyser.take(line)

    def close(self) -> None:
        """End it all."""
        self._stack.close()
        platform.take_turns()

    # -- a table -----------------------------------------------------------------------------------------------------

    def _play(self, data: Path, wish: Wish) -> Doors:
        game = _game(wish.game)
        mode = _mode_of(game, wish.position)
        options = PlayOptions(
            request=LaunchRequest(game=wish.game),
            mode=mode,
            host="localhost",
            port=0,
            data=data,
            unfinished=Unfinished.REPLACE,
            demo=False,
            hands="computer",
            pause=wish.pause,
            seed=secrets.randbelow(1 << 30),
            version=version(),
        )
        table = open_table(self._stack, options, chosen_game(options), lambda: self._analyser)
        attached = attach(table, self._stack, [one for one in extensions() if one.is_portable])
        doors = Doors(panel_of(table, [BASE], attached))
        table.begin()
        for joined in attached.values():
            joined.begin()
        host = PHONE.format(1)
        _post(doors, host, "/api/host/enter", token=table.host.token())
        seats = game.seats(mode)
        for seat in seats[: wish.people]:
            tickets = _ask(doors, host, "GET", "/api/host/state")["tickets"]
            device = PHONE.format(seat)
            _post(doors, device, "/api/join", seat=seat, name=NAMES[seat - 1], ticket=tickets[str(seat)]["ticket"])
        for seat in seats[wish.people :]:
            _post(doors, host, "/api/host/computer", seat=seat, level=wish.level)
        # Nobody begins by laying a board: the simulated hands do.
        table.host.lend_hands(everybody=True)
        runtime = table.runtime
        runtime.submit(GameStarted(at=runtime.now(), position=wish.position or None))
        self._step = lambda: self._set_up(table)
        return doors

    def _set_up(self, table: OpenTable) -> None:
        table.runtime.step()
        if table.runtime.view(None)[1]["phase"] not in {"lobby", "setup"}:
            table.host.lend_hands(everybody=False)
            self._step = table.runtime.step

    # -- a replay ----------------------------------------------------------------------------------------------------

    def _show(self, text: str) -> Doors:
        try:
            shown = film(text.splitlines())
        except RecordError as error:
            raise Refused(f"record: {error}") from error
        board = open_board(board_for(shown.game.name, shown.header["board"], LaunchRequest()).description)
        self._stack.enter_context(closing(board))
        show = ReplaySession(shown, Reel(len(shown.scenes)), board, analyser=self._analyser)
        joining = [one for one in extensions() if one.is_portable]
        app = create_replay_app(show, secret=secrets.token_bytes(32), addresses=[BASE], joining=joining)
        self._stack.callback(show.stop)
        show.start()
        return Doors(app)


def _game(name: str) -> Game[Any]:
    """Return a game. Raise Refused."""
    try:
        return find_game(name)
    except GameError as error:
        raise Refused(error.message) from error


def _mode_of(game: Game[Any], position: str) -> str:
    """Return the mode of a position, the game's first without one. Raise Refused."""
    try:
        return str(game.parse(position).mode) if position else game.modes[0]
    except GameError as error:
        raise Refused(f"position: {error.message}") from error


class _Answer:
    """A port that keeps what it takes."""

    def __init__(self) -> None:
        self.status, self.content = 0, b""

    def head(self, status: int, headers: str) -> None:  # noqa: ARG002 - what the port's protocol says
        self.status = status

    def put(self, data: bytes) -> None:
        self.content += data

    def end(self) -> None:
        pass

    def is_gone(self) -> bool:
        return False


def _ask(doors: Doors, device: str, method: str, path: str, body: bytes = b"") -> dict[str, Any]:
    answer = _Answer()
    doors.request(device, method, path, {"Content-Type": "application/json"}, body, answer)
    found: dict[str, Any] = json.loads(answer.content)
    if answer.status != 200:
        raise Refused(f"{path}: {found}")
    return found


def _post(doors: Doors, device: str, path: str, **fields: Any) -> None:
    _ask(doors, device, "POST", path, json.dumps(fields).encode())


# -- requests without sockets ------------------------------------------------------------------------------------------


class PageEnd(Protocol):
    """The other end of one request."""

    def head(self, status: int, headers: str) -> None:
        """Take the beginning of the answer; ``headers`` is a JSON object."""
        ...

    def put(self, data: bytes) -> None:
        """Take the next bytes."""
        ...

    def end(self) -> None:
        """Take that nothing follows."""
        ...

    def is_gone(self) -> bool:
        """Tell whether nobody takes anything any more."""
        ...


class PortLine:
    """A port as the line of an event stream (:class:`web_panel.streams.Line`): it takes everything at once."""

    def __init__(self, port: PageEnd) -> None:
        """Write to this port."""
        self._port = port

    def is_gone(self) -> bool:
        """Tell whether nobody reads."""
        return bool(self._port.is_gone())

    def is_behind(self) -> bool:
        """Tell that nothing waits."""
        return False

    def put(self, data: bytes) -> None:
        """Send bytes."""
        self._port.put(data)

    def end(self) -> None:
        """Send that nothing follows."""
        self._port.end()


class Doors:
    """An app, and the devices that ask it: each has its own address and cookies (:mod:`web_panel.serve` is a server's).

    An event stream is handed over once its first bytes are sent.
    """

    def __init__(self, app: Flask) -> None:
        """No device is known yet."""
        self._app = app
        self._devices: dict[str, Client] = {}

    def request(
        self, device: str, method: str, path: str, headers: Mapping[str, str], body: bytes, port: PageEnd
    ) -> None:
        """Answer a request that a page of ours has sent from a device."""
        client = self._devices.setdefault(device, Client(self._app))
        address = f"10.0.0.{1 + list(self._devices).index(device)}"
        lines: list[Callable[[Line], None]] = []
        with client.open(
            path,
            BASE,
            method=method,
            headers={**headers, "X-Lodestone": "1"},
            data=body,
            environ_overrides={"REMOTE_ADDR": address, HAND_OVER: lines.append},
        ) as answer:
            given = {name: text.replace(ALONE, FRAMED) for name, text in answer.headers if name.lower() not in LEFT_OUT}
            port.head(answer.status_code, json.dumps(given))
            for chunk in answer.iter_encoded():
                port.put(chunk)
        for take in lines:
            take(PortLine(port))
        if not lines:
            port.end()


# -- searches without processes ----------------------------------------------------------------------------------------


class AnalysisElsewhere:
    """Answers questions, one at a time (:class:`firmware_host.analysis.questions.Analyser`), by an engine elsewhere.

    The engine is the same program in another worker. It can't be told to stop, so no search takes longer than
    :data:`MAX_S`, and what is asked for meanwhile waits. What a question has found counts only if it is still asked.
    Whoever asks for a longer search of the same gets the same answer.
    """

    def __init__(self, send: Callable[[str], None]) -> None:
        """``send`` carries a line of the engine protocol away; its answer comes by :meth:`take`."""
        self._send = send
        self._asked: Sequence[Question] = ()
        self._answers: Mapping[Question, Answer] = {}
        self._searched: Question | None = None
        """The question that is away."""
        self._line, self._found = "", Answer()
        """What was sent last, and what came back."""

    def ask(self, questions: Sequence[Question]) -> None:
        """Answer these questions from now on, the most urgent first; all others, and their answers, are forgotten."""
        self._asked = tuple(questions)
        self._answers = {one: found for one, found in self._answers.items() if one in self._asked}
        self._go_on()

    def answer(self, question: Question) -> Answer | None:
        """Return the answer to one of these questions, None while there is none."""
        return self._answers.get(question)

    def take(self, line: str) -> None:
        """Take the answer to the line that was sent last."""
        question, self._searched = self._searched, None
        if question is not None:
            try:
                found = question.read(read_object(line))
            except (InvalidJson, UnreadableAnswer) as error:
                _log.info("The search beside the table failed: %s", error)
                found, self._line = Answer(), ""  # Whoever asks again has it searched again.
            self._found = found
            self._answers = {**self._answers, question: found}
        self._go_on()

    def close(self) -> None:
        """Ask nothing any more."""
        self._asked = ()

    def _go_on(self) -> None:
        if self._searched is not None:
            return
        for question in self._asked:
            if question in self._answers:
                continue
            request = question.request()
            longest = MAX_ENDS_S if isinstance(question, EndsQuestion) else MAX_S
            line = json.dumps({**request, "seconds": min(request["seconds"], longest)})
            if line != self._line:
                self._searched, self._line = question, line
                self._send(line)
                return
            self._answers = {**self._answers, question: self._found}

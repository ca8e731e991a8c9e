"""``lodestone play``: put the program together, and run it until it is interrupted.

Here, and nowhere else, all parts meet. :func:`play` reads from top to bottom: the command line is checked, the port
and the journal are opened, the unfinished game is found, and the board is opened. Then each part is made complete by
its constructor: the search, the loop, what follows it (hand, backups, speech), the host's services, the pages. Then the
game begins and the pages are served. The parts only know what they are given; none is changed afterwards.

What was opened is closed in the opposite order by one ``ExitStack``, also after a refusal half way. A refusal is one
line at the terminal, and has changed nothing: the port comes first, so that a table that runs already is left alone.
"""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware_host import platform
from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.analysis.questions import Analyser
from firmware_host.archive.backups import BackupsAtTheEnd
from firmware_host.archive.data_folder import (
    Listening,
    Tell,
    copied_folder,
    data_folder,
    host_token,
    make_data,
    save_address,
    table_key,
)
from firmware_host.archive.journal import Journal
from firmware_host.archive.log import kept_log
from firmware_host.archive.summary import GameSummary
from firmware_host.commands.common import (
    Addresses,
    host_link,
    listen,
    print_code,
    print_places,
    print_screens,
    screens_of,
)
from firmware_host.plug import PLAIN_HTTP, Attached, Extension, Parts, Transport, check_options, extensions, wrap_board
from firmware_host.session.game_selection import (
    LaunchRequest,
    Selection,
    Unfinished,
    choose,
    find_unfinished,
    game_to_resume,
    read_unfinished,
    selection_for,
    with_own_board,
)
from firmware_host.session.host import Host, LentHands
from firmware_host.session.light_renderer import read_light_setting
from firmware_host.session.runtime import Runtime
from firmware_host.session.table_setup import Setting
from firmware_host.table.errors import TableError
from firmware_host.table.events import BETWEEN_GAMES
from firmware_host.table.subjects.resolving import Noticed
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from firmware_host.text.words import Refused, Text, say
from hw.ports import BoardDescription, HardwareError, OpenBoard
from hw.registry import open_board

if TYPE_CHECKING:
    from flask import Flask

DEMO_LINGERS_S = 60.0
"""Time for which a demonstration shows its end."""


@dataclass(frozen=True)
class PlayOptions:
    """The parsed command line of ``lodestone play``."""

    request: LaunchRequest
    mode: str | None
    host: str
    port: int
    data: Path
    unfinished: Unfinished
    demo: bool
    hands: str
    pause: float | None
    seed: int
    version: str
    names: Sequence[str] = ()
    """Further names that lead here."""
    command_line: argparse.Namespace = field(default_factory=argparse.Namespace)
    """All options, also those of extensions."""
    unattended: bool = False
    """Whether nobody is at the terminal (the service): the table then opens whatever is damaged, and phones say so."""


@dataclass(frozen=True)
class OpenTable:
    """A table that is put together, before its first game begins."""

    options: PlayOptions
    """The command line, with the data folder that is used."""
    folder: Path
    """Where its games are."""
    key: bytes
    journal: Journal
    runtime: Runtime
    host: Host
    game: _FirstGame

    def begin(self) -> None:
        """Bring the first game to the table. Raise Refused, under the service only if no game can be begun at all."""
        _begin(self.runtime, self.journal, self.game, self.options)


def open_table(
    stack: ExitStack, options: PlayOptions, chosen: tuple[Selection, str], open_analyser: Callable[[], Analyser]
) -> OpenTable:
    """Put a table together with what :func:`chosen_game` has found; what is opened closes with the stack.

    Raise Refused or JournalError.
    """
    options, folder, key, found = _look_into(stack, options)
    stack.enter_context(kept_log(options.data))
    journal = stack.enter_context(closing(Journal(folder / "journal.sqlite", unattended=options.unattended)))
    game = _first_game(journal, *chosen, options)
    board = _open(game.choice.description, options)
    stack.callback(board.close)

    pause = 0.8 if options.pause is None else options.pause
    runtime = Runtime(
        Setting(game.choice.game, board, key, options.version, computer_pause=pause),
        journal,
        analyser=stack.enter_context(closing(open_analyser())),
        light_setting=read_light_setting(options.data),
    )
    stack.callback(runtime.stop)
    _tell_of_folder(runtime, found)
    backups = stack.enter_context(closing(BackupsAtTheEnd(journal.path, lambda why: _tell_of_backup(runtime, why))))
    runtime.follow(backups.listen)
    host = Host(
        runtime,
        options.data,
        journal.path,
        options.request,
        game.choice,
        open_board=lambda description: _open(description, options),
        hands=LentHands(runtime, options.hands),
    )
    stack.callback(host.close)
    return OpenTable(options, folder, key, journal, runtime, host, game)


def chosen_game(options: PlayOptions) -> tuple[Selection, str]:
    """Return what the command line asks for: board and game, and the mode. Raise Refused."""
    choice = choose(options.request)
    mode = options.mode or choice.game.modes[0]
    if mode not in choice.game.modes:
        modes = ", ".join(choice.game.modes)
        raise Refused(f"--mode: {choice.game.title} has no mode {mode!r}; expected one of {modes}")
    return choice, mode


def play(options: PlayOptions) -> int:
    """Open the table and serve it until interrupted; return 0. Raise Refused or JournalError."""
    platform.limit_heaps()
    keep_what_stays()
    options = replace(options, request=with_own_board(options.request, options.data))
    chosen = chosen_game(options)  # What can't be played is refused before anything is opened.
    if not options.unattended:
        check_options(options.command_line)
    with ExitStack() as stack:
        listener = stack.enter_context(closing(listen(options.host, options.port)))
        table = open_table(stack, options, chosen, AnalysisProcess)
        options, runtime, host = table.options, table.runtime, table.host
        runtime.follow(MemoryBetweenGames().listen)
        attached = attach(table, stack, extensions())
        transport = next(filter(None, (joined.transport for joined in attached.values())), PLAIN_HTTP)
        # With port 0 the system has chosen one.
        place = Listening(options.host, listener.getsockname()[1], transport.scheme)
        addresses = Addresses(place.host, place.port, options.names, scheme=place.scheme)
        panel = panel_of(table, addresses, attached, transport)
        link = host_link(options.data, addresses[0])  # An unusable token is refused before the game begins.

        table.begin()
        for joined in attached.values():
            joined.begin()
        stop = threading.Event()
        platform.on_end(stop.set)
        save_address(options.data, place)  # Before it answers: `lodestone host` finds it as soon as phones do.
        _serve(stack, runtime, host, panel, listener, transport)
        for joined in attached.values():
            joined.announce()
        _announce(addresses, link, attached, transport)
        if options.demo:
            _start_demo(runtime)
        _stay(runtime, stop, demo=options.demo)
    if runtime.failure is not None:
        raise Refused(f"the table had to stop: {runtime.failure}; what was shown as committed is safe") from (
            runtime.failure
        )
    if not options.demo and runtime.view(None)[1]["phase"] not in BETWEEN_GAMES:
        where = "" if options.data == data_folder() else f" with --data {shlex.quote(str(options.data))}"
        print(f"\nThe game is saved. Start Lodestone again{where} to go on with it.", flush=True)
    return 0


def keep_what_stays() -> None:
    """Take modules, which stay for ever, out of what Python's collector looks through.

    It looks through everything only when a quarter as much has come since: with the modules in it, some MB of garbage
    waited for that, and each time lights and phones waited several times as long.
    """
    from web_panel import app, serve  # noqa: PLC0415 - as in panel_of

    del app, serve
    gc.freeze()


class MemoryBetweenGames:
    """Gives back what the game before has needed when another one is at the table: nobody waits for a light then."""

    def __init__(self) -> None:
        self._game = ""

    def listen(self, view: Mapping[str, Any]) -> None:
        """Take a view of the table. It takes some ten milliseconds where a game begins."""
        if view["game"]["id"] != self._game:
            self._game = view["game"]["id"]
            gc.collect()
            platform.trim_heaps()


def attach(table: OpenTable, stack: ExitStack, some: Iterable[Extension]) -> dict[Extension, Attached]:
    """Let extensions join a table; what they open closes with the stack. Raise Refused."""
    options = table.options
    parts = Parts(
        table.runtime, table.host, table.journal, table.folder, options.data, options.version, options.command_line,
        options.unattended, stack,
    )  # fmt: skip
    return {one: joined for one in some if (joined := one.attach(parts)) is not None}


def _writable(stack: ExitStack, options: PlayOptions, tell: Tell) -> Path:
    """Return the data folder, for the service a copy of one that can't be written. Raise Refused at a terminal."""
    try:
        make_data(options.data)
    except Refused:
        if not options.unattended or (options.data.exists() and not options.data.is_dir()):
            raise
        there = tempfile.TemporaryDirectory(prefix="data-", dir=os.environ.get("RUNTIME_DIRECTORY"))
        copy = Path(stack.enter_context(there))
        tell(copied_folder(options.data, copy))
        return copy
    return options.data


def _look_into(stack: ExitStack, options: PlayOptions) -> tuple[PlayOptions, Path, bytes, list[Text]]:
    """Return the folder that is used, that of the games, the key, and what was damaged. Raise Refused.

    A demonstration has a folder of its own for its games; the token, the settings and the log are the table's.
    """
    found: list[Text] = []
    options = replace(options, data=_writable(stack, options, found.append))
    folder = options.data / "demo" if options.demo else options.data
    make_data(folder)
    key = table_key(folder, found.append)
    host_token(options.data, found.append)
    return options, folder, key, found


def _tell_of_folder(runtime: Runtime, found: list[Text]) -> None:
    for number, text in enumerate(found):
        print(text, flush=True)
        runtime.remark(f"folder {number}", text)


def panel_of(
    table: OpenTable,
    addresses: Sequence[str],
    attached: Mapping[Extension, Attached],
    transport: Transport = PLAIN_HTTP,
) -> Flask:
    """Return the pages of a table with its extensions."""
    from web_panel.app import create_app  # noqa: PLC0415 - the panel is a plug-in: the engine and records never load it

    links = screens_of(attached)
    for one in attached:
        links.update(one.links)
    return create_app(
        table.runtime,
        secret=table.key,
        addresses=addresses,
        links=links,
        host=table.host,
        attached=attached,
        transport=transport,
    )


def _serve(
    stack: ExitStack, runtime: Runtime, host: Host, panel: Flask, listener: socket.socket, transport: Transport
) -> None:
    """Start the loop and serve the pages until the stack is closed."""
    from web_panel.serve import serve  # noqa: PLC0415 - as in panel_of

    runtime.start()
    stack.callback(serve(panel, listener, transport.wrap).close)
    stack.callback(host.close)  # This ends the streams of a virtual board, for which the server would wait.
    stack.callback(runtime.stop)


def _open(description: BoardDescription, options: PlayOptions) -> OpenBoard:
    """Open a board. Raise Refused."""
    extra: dict[str, Any] = {}
    if description.backend == "sim":
        extra |= {"seed": options.seed, "rests": True}
        if options.pause is not None:
            extra["pause_s"] = options.pause
    try:
        return wrap_board(open_board(description, **extra))
    except HardwareError as error:
        raise Refused(str(error)) from error


# -- the first game ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _FirstGame:
    """The game with which the table opens."""

    choice: Selection
    mode: str
    resumed: GameSummary | None
    """The unfinished game, if it is resumed."""
    abandoned: GameSummary | None
    """The unfinished game, if a new one replaces it."""
    trouble: Refused | None
    """Why the unfinished game can't be found, if nobody is at the terminal to read it."""


def _first_game(journal: Journal, choice: Selection, mode: str, options: PlayOptions) -> _FirstGame:
    """Find the unfinished game, and ask whether to go on with it. Raise Refused."""
    for fault in journal.faults:
        print(fault, flush=True)
    last = trouble = None
    try:
        last = find_unfinished(journal, options.unfinished)
    except Refused as refused:
        if not options.unattended:
            raise
        trouble = refused
    resumed = game_to_resume(last, choice, options.request, options.unfinished)
    if resumed is not None:
        choice = selection_for(options.request, choice, resumed)
        mode = choice.game.modes[0]
    abandoned = last if options.unfinished is Unfinished.REPLACE else None
    return _FirstGame(choice, mode, resumed, abandoned, trouble)


def _begin(runtime: Runtime, journal: Journal, game: _FirstGame, options: PlayOptions) -> None:
    """Bring the first game to the table. Raise Refused, under the service only if no game can be begun at all."""
    trouble = game.trouble
    if game.resumed is not None:
        try:
            _resume(runtime, journal, game.resumed)
        except Refused as refused:
            if not options.unattended:
                raise
            trouble = refused
    if game.resumed is None or trouble is not None:
        if game.abandoned is not None:
            journal.abandon(game.abandoned.id)
        runtime.new_lobby(game.mode)
    if trouble is None:
        runtime.report_journal()
    else:
        print(trouble, flush=True)
        words = say(
            "The unfinished game is damaged. You can play a new game now, or the host can save what is whole of this"
            " one: on the host's page."
        )
        runtime.report_journal(words)


def _resume(runtime: Runtime, journal: Journal, last: GameSummary) -> None:
    try:
        runtime.resume(read_unfinished(journal, last))
    except TableError as error:
        raise Refused(f"the unfinished game {last.id} can't be resumed: {error}. Start anew with --new") from error
    print(f"Resuming {last.id}: the lights guide the board back to its position.")


# -- the running table -------------------------------------------------------------------------------------------------


def _tell_of_backup(runtime: Runtime, trouble: Text | None) -> None:
    with suppress(TableError, TimeoutError):  # The table is closing or does not answer: the notice is dropped.
        runtime.submit(Noticed(at=runtime.now(), what="backup", text=trouble))


def _stay(runtime: Runtime, stop: threading.Event, *, demo: bool) -> None:
    """Wait until the program is to stop; a demonstration also ends ``DEMO_LINGERS_S`` after its game."""
    leave_at: float | None = None
    while not stop.wait(0.2) and runtime.failure is None:
        view = runtime.view(None)[1]
        if not demo or view["phase"] != "over" or view["lesson"]:
            leave_at = None  # The game is running, or the host has begun another one.
        elif leave_at is None:
            print(view["message"])
            print(f"The end stays on the screens for {DEMO_LINGERS_S:.0f} seconds.", flush=True)
            leave_at = time.monotonic() + DEMO_LINGERS_S
        elif time.monotonic() >= leave_at:
            return


def _start_demo(runtime: Runtime) -> None:
    names = ("Ada", "Grace", "Edsger", "Barbara", "Alan", "Hedy", "Konrad", "Emmy")
    _, view = runtime.view(None)
    for seat in view["seats"]:
        number = seat["seat"]
        name = names[number - 1] if number <= len(names) else f"Player {number}"
        runtime.submit(SeatTaken(at=runtime.now(), seat=number, name=name, claim="", computer=True))
    runtime.submit(GameStarted(at=runtime.now()))


def _announce(
    addresses: Sequence[str], link: str, attached: Mapping[Extension, Attached], transport: Transport
) -> None:
    first = addresses[0]
    print(f"\nHost: {link}")
    print("Scan to be the host with your phone; anybody with this link can be host, too.\n")
    print_code(link)
    print_places("The table is open", "/", addresses)
    print_screens(screens_of(attached), first)
    for notice in filter(None, (*(joined.notice for joined in attached.values()), transport.notice)):
        print(notice)
    print("Scan to join with a phone in the same network; end with Ctrl-C.\n")
    print_code(f"{first}/")

"""``lodestone play``: connect board, table, journal and panel, print their addresses, and run them."""

from __future__ import annotations

import secrets
import shlex
import signal
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firmware_host.analysis.adviser import Adviser
from firmware_host.analysis.thinker import Thinker
from firmware_host.archive.backups import BackupsAtTheEnd
from firmware_host.archive.files import sync
from firmware_host.archive.journal import Journal
from firmware_host.archive.summary import GameSummary
from firmware_host.games.game import Game
from firmware_host.games.offers import offers_of
from firmware_host.hardware.tap import Tap
from firmware_host.session.addresses import addresses_of, listen, print_code, print_places
from firmware_host.session.data_folder import data_folder, make_data
from firmware_host.session.game_selection import LaunchRequest, Selection, choose, gone_on_with
from firmware_host.session.host import Host
from firmware_host.session.host_token import host_token
from firmware_host.session.household import Household
from firmware_host.session.lent_hands import LentHands
from firmware_host.session.own_boards import own_file, with_own_board
from firmware_host.session.resuming import Going, go_on, last_of, to_resume
from firmware_host.session.runtime import Runtime
from firmware_host.session.service_manager import ServiceManager
from firmware_host.session.speaking import Speaker, espeak
from firmware_host.session.table_setup import Setting
from firmware_host.session.virtual_pages import VirtualPages
from firmware_host.session.workshop import Workshop
from firmware_host.table.errors import TableError
from firmware_host.table.events import GameStarted, Noticed, SeatTaken
from firmware_host.text.refusal import Refused
from firmware_host.text.words import Text, say
from firmware_host.upkeep.asked_update import own_updates
from firmware_host.upkeep.backup import remove_left
from firmware_host.upkeep.care import Care
from firmware_host.upkeep.listening import remember
from firmware_host.upkeep.log import kept_log
from firmware_host.upkeep.wifi.asked import Wifi
from hw.backends import open_board
from hw.ports import BoardDescription, HardwareError, OpenBoard

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
    resume: bool
    new: bool
    demo: bool
    hands: str
    pause: float | None
    seed: int
    version: str
    speak: str | None = None
    """Code of the language in which the table speaks; None: it does not speak."""

    unattended: bool = False
    """Whether nobody is at the terminal (the service): the table then opens whatever is damaged, and phones say so."""

    @property
    def going(self) -> Going:
        """The command line's choice about an unfinished game."""
        return Going(on=self.resume, anew=self.new or self.demo)


def play(options: PlayOptions) -> int:
    """Open the table and serve it until interrupted; return 0. Raise Refused or JournalError."""
    options = replace(options, request=with_own_board(options.request, options.data))
    choice = choose(options.request)
    mode = options.mode or choice.game.modes[0]
    if mode not in choice.game.modes:
        modes = ", ".join(choice.game.modes)
        raise Refused(f"--mode: {choice.game.title} has no mode {mode!r}; expected one of {modes}")
    voice = _voice(options.speak)
    listener = listen(options.host, options.port)
    try:
        data = options.data / "demo" if options.demo else options.data
        make_data(data)
        key = _key(data)
        with (
            kept_log(options.data),
            closing(Journal(data / "journal.sqlite", unattended=options.unattended)) as journal,
        ):
            for found in journal.found:
                print(found, flush=True)
            last, trouble = _last_of(journal, options)
            resumed = to_resume(last, choice, options.request, options.going)
            if resumed is not None:
                choice = gone_on_with(options.request, choice, resumed)
            table = _Parts(
                choice,
                _open(choice.description, options),
                journal,
                key,
                data,
                last if options.going.anew else None,
                trouble,
            )
            return _play(table, listener, mode, resumed, options, voice)
    finally:
        listener.close()


@dataclass(frozen=True)
class _Parts:
    """The parts of a table."""

    choice: Selection
    board: OpenBoard
    journal: Journal
    key: bytes
    data: Path
    abandoned: GameSummary | None
    """The unfinished game, if a new one replaces it."""
    trouble: Refused | None = None
    """Why the unfinished game can't be found, if nobody is at the terminal to hear it."""


def _last_of(journal: Journal, options: PlayOptions) -> tuple[GameSummary | None, Refused | None]:
    try:
        return last_of(journal, options.going), None
    except Refused as refused:
        if not options.unattended:
            raise
        return None, refused


def _voice(language: str | None) -> AbstractContextManager[Speaker | None]:
    """Return the speaker for a language as a context. Raise Refused if the language or espeak-ng is missing."""
    from web_panel.languages import languages  # noqa: PLC0415 - the catalogues are the panel's

    if language is None:
        return nullcontext()
    known = languages()
    if language not in known:
        raise Refused(f"--speak: expected one of {', '.join(known)}, got {language!r}")
    return closing(Speaker(espeak(language), known[language]))


def _play(
    parts: _Parts,
    listener: socket.socket,
    mode: str,
    resumed: GameSummary | None,
    options: PlayOptions,
    voice: AbstractContextManager[Speaker | None],
) -> int:
    choice = parts.choice
    pause = options.pause if options.pause is not None else 0.8
    setting = Setting(choice.game, parts.board, parts.key, options.version, computer_pause=pause)
    runtime = Runtime(setting, parts.journal)

    def start_adviser(game: Game[Any]) -> Adviser | None:
        return Adviser(game.name, runtime.foreseen) if offers_of(game).search else None

    runtime.adviser = adviser = start_adviser(choice.game)
    host = Host(
        runtime,
        options.data,  # Not the demonstration's folder: `lodestone host` looks for the token here.
        parts.journal.path,
        options.request,
        choice,
        open_board=lambda description: _open(description, options),
        start_adviser=start_adviser,
        adviser=adviser,
    )
    with closing(host):
        host_link(options.data, [""])  # An unusable token is refused before the game begins.
        trouble = parts.trouble
        if resumed is not None:
            try:
                go_on(runtime, parts.journal, resumed)
            except Refused as refused:
                if not options.unattended:
                    raise
                trouble = refused
                runtime.new_lobby(choice.game.modes[0])
        else:
            if parts.abandoned is not None:
                parts.journal.abandon(parts.abandoned.id)
            runtime.new_lobby(mode)
        if trouble is not None:
            _tell_of_damage(parts.journal, trouble)
        runtime.tell_of_journal()
        backups = BackupsAtTheEnd(parts.journal.path, lambda trouble: _tell_of_backup(runtime, trouble))
        runtime.listeners.append(backups.listen)
        runtime.computers.thinker = thinker = Thinker()
        with closing(backups), closing(thinker), voice as speaker:
            if speaker is not None:
                runtime.listeners.append(speaker.listen)
            return _serve(host, parts.key, listener, options)


def _tell_of_damage(journal: Journal, trouble: Refused) -> None:
    """Let the phones show why the unfinished game does not go on: under the service nobody reads the terminal."""
    print(trouble, flush=True)
    words = say(
        "The unfinished game is damaged. You can play a new game now, or the host can save what is whole of this one:"
        " on the host's page, under The machine."
    )
    journal.found.append(words)


def _tell_of_backup(runtime: Runtime, trouble: Text | None) -> None:
    with suppress(TableError, TimeoutError):  # The table is closing or does not answer: the notice is dropped.
        runtime.submit(Noticed(at=runtime.now(), what="backup", text=trouble))


def _open(description: BoardDescription, options: PlayOptions) -> OpenBoard:
    extra: dict[str, Any] = {}
    if description.backend == "sim":
        extra["seed"] = options.seed
        if options.pause is not None:
            extra["pause_s"] = options.pause
    try:
        board = open_board(description, **extra)
        board.sensors = Tap(board.sensors, board.description)
        return board
    except HardwareError as error:
        raise Refused(str(error)) from error


def _key(data: Path) -> bytes:
    """Return the table's secret (32 bytes), made at the first start: it signs the phones' seats. Raise Refused.

    One that has lost its length is made anew: phones then join anew, which is less than a table that stays shut.
    """
    path, fresh = data / "key", data / "key.new"
    try:
        key = path.read_bytes() if path.exists() else b""
        if len(key) == 32:
            return key
        if key:
            print(f"{path}: expected 32 bytes, found {len(key)}; a new one is made, and phones join anew", flush=True)
        fresh.unlink(missing_ok=True)
        fresh.touch(mode=0o600)
        fresh.write_bytes(key := secrets.token_bytes(32))
        sync(fresh)
        fresh.replace(path)
        sync(data)
    except OSError as error:
        raise Refused(f"{path}: can't be used: {error.strerror}. Choose another folder with --data") from error
    return key


# -- the running table -------------------------------------------------------------------------------------------------


def _serve(host: Host, key: bytes, listener: socket.socket, options: PlayOptions) -> int:
    from web_panel.app import create_app  # noqa: PLC0415
    from web_panel.pages import hardware  # noqa: PLC0415 - the panel is a plug-in: the engine and records never load it
    from web_panel.server.serve import serve  # noqa: PLC0415

    runtime, board = host.runtime, host.runtime.setting.board
    port = listener.getsockname()[1]  # With port 0, the port that the system chose.
    addresses = addresses_of(options.host, port)
    extra = [hardware.blueprint(lambda: _snapshot(runtime.setting.board))]
    links: dict[str, str] = {say("Sensors"): "/hardware"}
    if board.web is not None:
        pages = VirtualPages(board.web)
        host.moved.append(lambda new: pages.show(new.web))
        extra.append(pages.blueprint)
        links[say("Virtual board")] = "/board"
    app = create_app(
        runtime, secret=key, addresses=addresses, extra=extra, links=links, host=host, data=options.data,
        book=Household(options.data), bench=Workshop(runtime, own_file(options.request, options.data)),
        care=Care(options.data, options.version, own_updates(options.version), Wifi()),
    )  # fmt: skip
    host.hands = LentHands(runtime, options.hands)
    ended = threading.Event()
    runtime.listeners.append(
        lambda view: ended.set() if view["phase"] == "over" and not view["lesson"] else ended.clear()
    )
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    manager = ServiceManager(runtime)
    remove_left(options.data)
    remember(options.data, options.host, port)  # Before it answers: `lodestone host` finds it as soon as phones do.
    runtime.start()
    handle = serve(app, listener)
    manager.start()
    try:
        _announce(addresses, host_link(options.data, addresses), virtual=board.web is not None)
        if options.demo:
            _start_demo(runtime)
        _stay(runtime, stop, ended if options.demo else None)
    finally:
        manager.close()
        runtime.stop()
        host.close()  # This ends the streams of a virtual board.
        handle.close()
    if runtime.failure is not None:
        raise Refused(f"the table had to stop: {runtime.failure}; what was shown as committed is safe") from (
            runtime.failure
        )
    _say_how_it_goes_on(runtime, options)
    return 0


def _say_how_it_goes_on(runtime: Runtime, options: PlayOptions) -> None:
    """Print at the end of the program that the game is saved, except in a demonstration."""
    if not options.demo and runtime.view(None)[1]["phase"] not in {"lobby", "over"}:
        where = "" if options.data == data_folder() else f" with --data {shlex.quote(str(options.data))}"
        print(f"\nThe game is saved. Start Lodestone again{where} to go on with it.", flush=True)


def _stay(runtime: Runtime, stop: threading.Event, ended: threading.Event | None) -> None:
    """Wait for an interrupt; a demonstration also ends ``DEMO_LINGERS_S`` after its game."""
    leave_at: float | None = None
    while not stop.wait(0.2) and runtime.failure is None:
        if ended is None or not ended.is_set():
            leave_at = None  # The game is running, or the host has begun another one.
            continue
        if leave_at is None:
            _, view = runtime.view(None)
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


def _snapshot(board: OpenBoard) -> Mapping[str, Any]:
    """Return the last scan of the present board."""
    return board.sensors.snapshot() if isinstance(board.sensors, Tap) else {}


def host_link(data: Path, addresses: Sequence[str]) -> str:
    """Return the link by which a phone becomes the host. Raise Refused if the token's file can't be used."""
    return f"{addresses[0]}/host#{host_token(data)}"


def _announce(addresses: Sequence[str], link: str, *, virtual: bool) -> None:
    first = addresses[0]
    print(f"\nHost: {link}")
    print("Scan to be the host with your phone; anybody with this link can be host, too.\n")
    print_code(link)
    print_places("The table is open", "/", addresses)
    print(f"  big view for a TV: {first}/tv")
    if virtual:
        print(f"      virtual board: {first}/board   (the sensors and lights are simulated)")
    print("Scan to join with a phone in the same network; end with Ctrl-C.\n")
    print_code(f"{first}/")

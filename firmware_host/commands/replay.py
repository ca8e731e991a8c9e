"""``lodestone replay``: verify a record, open the board's lights and the page, and show the game to its end."""

from __future__ import annotations

import argparse
import secrets
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from firmware_host import platform
from firmware_host.analysis.engine_process import AnalysisProcess
from firmware_host.archive import records
from firmware_host.archive.data_folder import check_data, print_text
from firmware_host.archive.files import is_there
from firmware_host.archive.journal import Journal
from firmware_host.commands.common import Addresses, listen, print_code, print_places, print_screens, screens_of
from firmware_host.plug import PLAIN_HTTP, check_options, extensions
from firmware_host.replay.cursor import Reel
from firmware_host.replay.player import ReplaySession
from firmware_host.replay.scenes import Film, film
from firmware_host.session.game_selection import LaunchRequest, board_for, load_for
from firmware_host.session.light_renderer import read_light_setting
from firmware_host.text.words import Refused
from hw.ports import HardwareError, OpenBoard
from hw.registry import open_board


@dataclass(frozen=True)
class ReplayOptions:
    """The parsed command line of ``lodestone replay``. ``board`` None: a shipped board for the game, simulated."""

    what: str
    data: Path
    board: str | None
    simulate: bool
    pace: float
    host: str
    port: int
    once: bool
    names: Sequence[str] = ()
    """Further names that lead here."""
    command_line: argparse.Namespace = field(default_factory=argparse.Namespace)
    """All options, also those of extensions."""


def replay(options: ReplayOptions) -> int:
    """Show a recorded game until interrupted, or once; return 0. Raise Refused, RecordError or JournalError."""
    check_options(options.command_line)
    shown = film(_lines(options))
    with ExitStack() as stack:
        listener = stack.enter_context(closing(listen(options.host, options.port)))
        board, notice = _lights(shown, options)
        if board is not None:
            stack.enter_context(closing(board))
        analyser = stack.enter_context(closing(AnalysisProcess()))
        reel, setting = Reel(len(shown.scenes), pace=options.pace), read_light_setting(options.data)
        show = ReplaySession(shown, reel, board, notice=notice, analyser=analyser, light_setting=setting)

        from web_panel.replay_app import create_replay_app  # noqa: PLC0415 - the panel is a plug-in, as for a table
        from web_panel.serve import serve  # noqa: PLC0415

        found = (one.transport(options.command_line, options.data, print_text) for one in extensions())
        transport = next(filter(None, found), PLAIN_HTTP)
        addresses = Addresses(options.host, listener.getsockname()[1], options.names, scheme=transport.scheme)
        app = create_replay_app(show, secret=secrets.token_bytes(32), addresses=addresses,
                                joining=extensions(), transport=transport)  # fmt: skip
        stop = threading.Event()
        platform.on_end(stop.set)
        handle = serve(app, listener, transport.wrap)
        try:
            served = {rule.rule for rule in app.url_map.iter_rules()}
            screens = {words: path for words, path in screens_of(extensions()).items() if path in served}
            _announce(shown, addresses, screens, notice)
            if transport.notice:
                print(transport.notice)
            show.start()
            show.order({"do": "play"})
            _stay(show, stop, once=options.once)
        finally:
            show.stop()
            if board is not None:
                board.close()
            handle.close()
    if show.failure is not None:
        raise Refused(f"the replay had to stop: {show.failure}") from show.failure
    return 0


def _lines(options: ReplayOptions) -> list[str]:
    """Return the lines of a record in a file, or of a game in the journal."""
    path = Path(options.what)
    if path.is_file():
        return list(records.file_lines(path))
    check_data(options.data)
    journal_path = options.data / "journal.sqlite"
    if not is_there(journal_path):
        raise Refused(f"{options.what}: there is no such file, and no games have been played yet ({journal_path})")
    with closing(Journal(journal_path, writer=False)) as journal:
        return list(records.export(journal, records.find(journal, options.what)))


def _lights(shown: Film, options: ReplayOptions) -> tuple[OpenBoard | None, str | None]:
    """Return the board, or None and a notice why its lights stay dark: a replay needs only screens."""
    if options.board in {None, "sim"}:
        description = board_for(shown.game.name, shown.header["board"], LaunchRequest()).description
    else:
        description = load_for(shown.game, options.board or "", simulated=options.simulate)
    try:
        return open_board(description), None
    except HardwareError as error:
        return None, f"The board's lights stay dark ({error}): the replay is on the screens only."


def _announce(shown: Film, addresses: Sequence[str], screens: Mapping[str, str], notice: str | None) -> None:
    header = shown.header
    names = ", ".join(shown.names.values())
    print(f"{shown.game.title}, game {header['id']}: {names}; {len(shown.scenes)} moments, the record is in order.")
    if notice is not None:
        print(notice)
    print_places("The replay is open", "/replay", addresses)
    print_screens(screens, addresses[0])
    print("Every screen shows the same moment and may stop it; end with Ctrl-C.\n")
    print_code(f"{addresses[0]}/replay")


def _stay(show: ReplaySession, stop: threading.Event, *, once: bool) -> None:
    """Wait for an interrupt; with ``once`` also end after the last moment was shown for the usual time."""
    end: float | None = None
    while not stop.wait(0.05) and show.failure is None:
        reel = show.reel
        if not once or not reel.at_end or reel.playing:
            end = None
        elif end is None:
            end = time.monotonic() + reel.pace
        elif time.monotonic() >= end:
            return

"""Extensions: features beside the table, each an object, in one folder with everything of its own.

An installed package offers its :class:`Extension` as an entry point of the group ``lodestone.extensions``
(docs/adding-an-extension.md); ours stand in ``firmware_host/extensions``. The core finds them here and imports none: a
folder that is taken away takes its feature along, and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from firmware_host import platform
from firmware_host.text.words import Text
from hw.plugins import Plugins
from hw.ports import OpenBoard

if TYPE_CHECKING:
    from firmware_host.archive.journal import Journal
    from firmware_host.replay.player import ReplaySession
    from firmware_host.replay.scenes import Film
    from firmware_host.session.host import Host
    from firmware_host.session.runtime import Runtime
    from firmware_host.text.json_reader import Form

Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The commands of ``lodestone``: ``verbs.add_parser("name", help=…)`` adds one."""
BRANCHES = {
    "board": "print what it takes to build a board: drawings, wiring, parts, power",
    "hardware": "check, map, calibrate, watch or measure a board, real or simulated",
}
"""Commands with parts to which several extensions add (:func:`branch`), and what each is for."""


@dataclass(frozen=True)
class Parts:
    """What an extension gets of a table that opens. Nothing has been played yet."""

    runtime: Runtime
    """The running table: ``follow`` is told of each change, ``submit`` and ``hear`` take events, ``remark`` tells
    phones."""
    host: Host
    """The host's actions."""
    journal: Journal
    folder: Path
    """The folder of the games: of a demonstration another one than ``data``."""
    data: Path
    """The data folder."""
    version: str
    options: argparse.Namespace
    """The command line of ``lodestone play``."""
    unattended: bool
    """Whether nobody is at the terminal: what can't be had is told on phones, and the table opens without it."""
    stack: ExitStack
    """What was opened is closed with it, last things first: ``stack.callback(mine.close)``."""


@dataclass(frozen=True)
class Transport:
    """How pages reach phones. The panel lies above this module: its types stand where they are used."""

    scheme: str = "http"
    """What addresses begin with."""
    wrap: Any = None
    """How an accepted connection is spoken over (``web_panel.serve.Wrap``); None: as it is."""
    pages: Callable[[Sequence[str]], Sequence[Any]] = lambda _addresses: ()
    """Takes the pages' addresses, and returns blueprints. What they check comes after all that the panel checks."""
    links: Mapping[str, str] = field(default_factory=dict)
    """As :attr:`Extension.links`."""
    notice: str = ""
    """What is printed below the addresses."""


PLAIN_HTTP = Transport()


@dataclass(frozen=True)
class Attached:
    """What an extension adds to an open table."""

    context: Callable[[Any], Any] | None = None
    """Takes the panel (``web_panel.panel.Panel``), and returns what the handlers of :attr:`Extension.routes` are given
    (``web_panel.routes.Context``); of a replay ``web_panel.panel.Screens`` and :attr:`Extension.replay_routes`.

    The panel lies above this module, so that its types stand where they are used."""
    host_state: Callable[[], Mapping[str, Any]] = dict
    """Returns what the host's page is told: the fields of :attr:`Extension.host_fields`."""
    begin: Callable[[], None] = lambda: None
    """Called once, when the first game is at the table, before phones are answered."""
    lobby_state: Callable[[], Mapping[str, Any]] = dict
    """Returns what screens with the seats' codes are told: the fields of :attr:`Extension.lobby_fields`."""
    lesson_state: Callable[[str], Mapping[str, Any]] = lambda _game: {}
    """Takes the name of the game that is learnt, and returns what its lessons' list is told: the fields of
    :attr:`Extension.lesson_fields`."""
    film_state: Callable[[Film], Mapping[str, Any]] = lambda _film: {}
    """Takes a recorded game, and returns what its page at a table is told: the fields of
    :attr:`Extension.film_fields`."""
    announce: Callable[[], None] = lambda: None
    """Called once, when phones are answered."""
    notice: str = ""
    """What is printed below the addresses."""
    transport: Transport | None = None
    """How the table's pages reach phones, None: it does not care. Others than plain HTTP are for one extension."""


WITH_PANEL = Attached(lambda panel: panel)
"""What an extension adds whose handlers need the panel alone."""


class Extension:
    """A feature beside the table. Each method may stay as it is: it then adds nothing."""

    name: str
    """The name of its entry point and of its folder."""
    scripts: Mapping[str, str] = {}
    """A page's module → a module of its own ``static/`` that this page runs first: ``host/host.js`` → ``my.js``."""
    shared_scripts: Mapping[str, Path] = {}
    """Folders of modules that its own scripts have in common with another extension's: ``NAME`` → a folder, whose
    ``my.js`` is ``/static/NAME/my.js``."""
    is_portable: bool = False
    """Whether it needs no threads, sockets and processes: it joins a table in a browser's tab, too."""
    links: Mapping[str, str] = {}
    """Words → path of a page, shown in the lobby and on the host's page."""
    screens: Mapping[str, str] = {}
    """The same of a page for a screen in the room: before all links, and printed where the table opens."""
    host_fields: Mapping[str, Form] = {}
    """What it adds to the state of the host's page: field → form (:mod:`firmware_host.text.json_reader`)."""
    lobby_fields: Mapping[str, Form] = {}
    """What it adds to the tickets of free seats, which screens with their codes fetch: the same."""
    lesson_fields: Mapping[str, Form] = {}
    """What it adds to the list of lessons: the same."""
    film_fields: Mapping[str, Form] = {}
    """What it adds to a recorded game at a table: the same."""

    @property
    def folder(self) -> Path:
        """Return the folder in which it stands."""
        return Path(str(sys.modules[type(self).__module__].__file__)).parent

    @property
    def routes(self) -> Sequence[Any]:
        """Return its pages and requests (``web_panel.routes.Routes``): import them here, as only a panel needs them."""
        return ()

    @property
    def replay_routes(self) -> Sequence[Any]:
        """Return those of them that ``lodestone replay`` has, too."""
        return ()

    def add_verbs(self, verbs: Verbs) -> None:
        """Add commands. It is called at each start: heavy modules are imported when a command runs."""

    def add_options(self, play: argparse.ArgumentParser) -> None:
        """Add options to ``lodestone play``."""

    def add_transport(self, verb: argparse.ArgumentParser) -> None:
        """Add options to a command that serves pages: how these reach phones."""

    def check(self, options: argparse.Namespace) -> None:
        """Raise Refused for options that do not go together, before anything is opened for somebody at a terminal."""

    def transport(self, options: argparse.Namespace, data: Path, tell: Callable[[Text], None]) -> Transport | None:
        """Return how the pages of a replay reach phones, by such options; a table's: :meth:`attach`. Raise Refused."""
        del options, data, tell
        return None

    def wrap_board(self, board: OpenBoard, clock: Callable[[], float]) -> OpenBoard:
        """Return a board that has been opened for a table, with what it has round its sensors and lights."""
        del clock
        return board

    def attach(self, parts: Parts) -> Attached | None:
        """Join a table that opens. Raise Refused, which ends the start, if somebody is at the terminal."""
        del parts
        return None

    def attach_replay(self, show: ReplaySession) -> Attached | None:
        """Join a replay that opens (``lodestone replay``), which has a film, screens and a search, but no table."""
        del show
        return None

    def evidence(self, data: Path) -> Iterable[tuple[str, Path, Any]]:
        """Return what ``lodestone log --bundle`` says of it: a name, the file it reads, a function from its path."""
        del data
        return ()


class PageExtension(Extension):
    """Pages and scripts alone, which need the panel and nothing else of a table."""

    has_replays: bool = False
    """Whether pages of ``lodestone replay`` have them, too."""

    @property
    def replay_routes(self) -> Sequence[Any]:
        """Return all its routes, where a replay has them."""
        return self.routes if self.has_replays else ()

    def attach(self, parts: Parts) -> Attached:
        """Join any table."""
        del parts
        return WITH_PANEL

    def attach_replay(self, show: ReplaySession) -> Attached | None:
        """Join any replay, or none."""
        del show
        return WITH_PANEL if self.has_replays else None


EXTENSIONS: Plugins[Extension] = Plugins("lodestone.extensions", "extension", Extension)


def extensions() -> Sequence[Extension]:
    """Return all that are installed and can be used, by name; the log says why another one can't."""
    return [one for _, one in sorted(EXTENSIONS.usable().items())]


def added_fields(of: Callable[[Extension], Mapping[str, Form]]) -> dict[str, Form]:
    """Return the fields that all extensions add to an answer, with their forms; ``of`` returns those of one."""
    return {name: form for one in extensions() for name, form in of(one).items()}


def added_values(
    of: Callable[[Extension], Mapping[str, Form]],
    attached: Iterable[Attached],
    state: Callable[[Attached], Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the values of these fields: what ``state`` returns of those that joined, None of one that did not."""
    return {**dict.fromkeys(added_fields(of)), **{k: value for one in attached for k, value in state(one).items()}}


def check_options(options: argparse.Namespace) -> None:
    """Let all extensions refuse what does not go together in a command's options. Raise Refused."""
    for one in extensions():
        one.check(options)


def wrap_board(board: OpenBoard, clock: Callable[[], float] = platform.now) -> OpenBoard:
    """Return a board as a table gets it: with what all extensions have round its sensors and lights."""
    for one in extensions():
        board = one.wrap_board(board, clock)
    return board


def branch(verbs: Verbs, name: str) -> Verbs:
    """Return the parts of a command: of ``record``, or of :data:`BRANCHES`, which whichever comes first makes."""
    if name not in verbs.choices:
        verbs.add_parser(name, help=BRANCHES[name]).add_subparsers(required=True, metavar="WHAT")
    parts = next(one for one in verbs.choices[name]._actions if isinstance(one, argparse._SubParsersAction))
    return cast("Verbs", parts)

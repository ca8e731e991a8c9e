"""The care of a machine: ``lodestone backup``, ``restore``, ``update``, ``hotspot``, ``card``; ``host --wifi``."""

from __future__ import annotations

import argparse
import importlib.metadata
import threading
from pathlib import Path

from firmware_host import platform
from firmware_host.archive.data_folder import EVERYWHERE
from firmware_host.boardfile.load import load_board
from firmware_host.commands.common import add_data, data_of, opened_data
from firmware_host.commands.options import MAX_PORT, add_output, whole
from firmware_host.extensions.appliance.backup import make_backup, restore
from firmware_host.extensions.appliance.card import CardPart, wifi_code, write_card
from firmware_host.extensions.appliance.hotspot import Hotspot, Wifi, default_socket, read_settings, serve
from firmware_host.extensions.appliance.network_manager import NetworkManager
from firmware_host.extensions.appliance.portal import TABLE, Portal, Visits
from firmware_host.extensions.appliance.publisher import PublishedRelease, find, place_of
from firmware_host.extensions.appliance.update import installation, take_request, update
from firmware_host.plug import Verbs
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused, Text, say, translate


def add_care(verbs: Verbs) -> None:
    """Add the verbs to the command line."""
    backup = verbs.add_parser(
        "backup",
        help="put all of a data folder into one file, also while a table is open",
        description="Put all of a data folder into one file, also while a table is open: games, key, host's word,"
        " lights, puzzles. The key signs the phones' seats and the host's word makes a phone the host, so the file is a"
        " secret; with --without-secrets it is none. For the games alone there is `lodestone record backup`.",
    )
    backup.add_argument("file", type=Path, help="file to write, such as table.zip")
    backup.add_argument("--board", type=Path, action="append", default=[], help="a board file to take in (repeatable)")
    backup.add_argument("--without-secrets", action="store_true", help="leave the key and the host's word out")
    backup.set_defaults(verb=_backup)
    back = verbs.add_parser(
        "restore",
        help="make a data folder of such a file: all of it, or nothing",
        description="Make a data folder of a backup. It is checked first; then all of it is there, or nothing has"
        " changed. A folder that was there is kept beside it under another name. End the table before.",
    )
    back.add_argument("file", type=Path, help="what `lodestone backup` has written")
    back.add_argument("--replace", action="store_true", help="also where games are kept: that folder is put aside")
    back.set_defaults(verb=_restore)
    add_data(backup, back)
    _add_update(verbs)
    _add_hotspot(verbs)
    _add_card(verbs)
    _add_wifi(verbs.choices["host"])


def _backup(arguments: argparse.Namespace) -> int:
    for board in arguments.board:
        if not board.is_file():
            raise Refused(f"{board}: there is no such board file")
        load_board(board)  # It is to be one: who restores it has nothing else.
    target = arguments.file.absolute()
    secret = not arguments.without_secrets
    names = make_backup(
        data_of(arguments).absolute(),
        target,
        importlib.metadata.version("lodestone-board"),
        with_secrets=secret,
        boards=arguments.board,
    )
    print(f"{len(names)} files are in {target}")
    if secret:
        print("It holds the table's key and the host's word: keep it where only you can read it.")
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    data = data_of(arguments).absolute()
    kept = restore(arguments.file, data, replace=arguments.replace)
    print(f"{data} is as it was when the backup was made")
    if kept is not None:
        print(f"what was there before is in {kept}; remove it when you don't need it any more")
    return 0


def _add_update(verbs: Verbs) -> None:
    verb = verbs.add_parser(
        "update",
        help="run a newer release of Lodestone, where install.sh has installed this one",
        description="Fetch a newer release, verify that its publisher has signed it, build it and try it beside the"
        " one that runs, then switch to it. When it does not come up, the one before is back by itself.",
    )
    verb.add_argument(
        "--from", dest="source", metavar="PLACE",
        help="a folder or an address of releases, or one archive there (default: what /etc/lodestone/updates names)",
    )  # fmt: skip
    verb.add_argument("--sha256", help="the digest of the archive in --from: instead of a signature, you vouch for it")
    verb.add_argument("--older", action="store_true", help="also a release that is not newer than the installed one")
    verb.add_argument("--requested", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    verb.set_defaults(verb=_update)


def _update(arguments: argparse.Namespace) -> int:
    installed = installation()
    if installed is None:
        raise Refused("this copy was not put here by install.sh; update a clone with: git pull && make setup")
    if arguments.requested is not None:
        take_request(arguments.requested)
    settings = installed.settings

    def offer() -> PublishedRelease:
        return find(arguments.source or place_of(settings), settings, arguments.sha256)

    version = update(installed, offer, lambda words: print(words, flush=True), older=arguments.older)
    print(f"Lodestone {version} runs.")
    return 0


def _add_hotspot(verbs: Verbs) -> None:
    verb = verbs.add_parser(
        "hotspot",
        help="open a hotspot where no network is known (a service that install.sh sets up)",
        description="Watch this machine's network as root. Without a cable and without a known Wi-Fi, open a hotspot,"
        " in which a phone chooses a network: docs/install.md.",
    )
    _add_settings(verb)
    verb.add_argument("--group", default=None, help="the group that may ask for a network (default: root's)")
    verb.set_defaults(verb=_hotspot)


def _add_settings(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--settings", type=Path, default=Path("/etc/lodestone/hotspot"), metavar="FILE",
        help="two lines, the hotspot's name and its password (default: /etc/lodestone/hotspot)",
    )  # fmt: skip
    verb.add_argument(
        "--port", type=whole(1, MAX_PORT), default=EVERYWHERE[1], help="the port of the table's pages (default: 8000)"
    )


def _add_wifi(host: argparse.ArgumentParser) -> None:
    """Add ``--wifi`` to ``lodestone host``: the link that it prints is then that of the other network."""
    host.add_argument(
        "--wifi", choices=("own", "known"), default=None,
        help="own: play in the table's own Wi-Fi, where its hotspot is set up; known: leave it for a known network",
    )  # fmt: skip
    print_link = host.get_default("verb")

    def switch_and_print(arguments: argparse.Namespace) -> int:
        if arguments.wifi is not None:
            opened_data(arguments)  # Where there is no table nothing is switched.
            try:
                Wifi().switch(on=arguments.wifi == "own")
            except TableError as error:
                raise Refused(f"--wifi: {error}") from error
        code: int = print_link(arguments)
        return code

    host.set_defaults(verb=switch_and_print)


def _add_card(verbs: Verbs) -> None:
    verb = verbs.add_parser(
        "card",
        help="print a card for guests: the codes of the hotspot and of the table, as a PDF",
        description="Write a card of A6 for a board without a screen: the code with which a phone joins the table's own"
        " Wi-Fi, and the one that opens the table. The password is root's to read: sudo lodestone card.",
    )
    add_output(verb, "--pdf", required=True, help="the file to write")
    verb.add_argument("--language", default="en", metavar="CODE", help="the card's language (default: en)")
    _add_settings(verb)
    verb.set_defaults(verb=_card)


def _card(arguments: argparse.Namespace) -> int:
    from web_panel.languages import checked_language  # noqa: PLC0415 - as above

    language = checked_language(arguments.language, "--language")
    settings, page = read_settings(arguments.settings), f"http://{TABLE}:{arguments.port}/"
    first, second = (translate(text, language) for text in (say("1. Join the table's Wi-Fi"), say("2. Open the table")))
    parts = (
        CardPart(first, wifi_code(*settings), [settings.ssid, settings.password]),
        CardPart(second, page, [page]),
    )
    write_card(parts, arguments.pdf)
    print(f"Written: {arguments.pdf}")
    return 0


def _hotspot(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.settings)
    ended = threading.Event()
    platform.on_end(ended.set)
    page = f"http://{TABLE}:{arguments.port}/"
    portal = Portal(lambda: Visits(page, _in_words))
    hotspot = Hotspot(settings, NetworkManager(), lambda words: print(words, flush=True), portal)
    try:
        serve(hotspot, default_socket(), arguments.group, ended)
    finally:
        portal.close()
    return 0


def _in_words(text: Text, wish: str) -> str:
    """Return a text in the language that a browser asks for."""
    from web_panel.languages import language_of, languages  # noqa: PLC0415 - as above

    return translate(text, language_of(languages(), wish))

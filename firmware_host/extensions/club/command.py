"""``lodestone club``: the page of a club beside an MQTT broker (club.md)."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from firmware_host import platform
from firmware_host.archive.data_folder import (
    data_folder,
    host_token,
    make_data,
    print_text,
    renew_host_token,
    table_key,
)
from firmware_host.archive.log import kept_log
from firmware_host.commands.common import Addresses, listen, print_code, print_places
from firmware_host.commands.options import MAX_PORT, host_word, whole
from firmware_host.extensions.club.evidence import FILE, PLACE, kept_place, opened_place
from firmware_host.link.https import add_https, fingerprint_words, https_options, open_https
from firmware_host.link.libraries import missing
from firmware_host.text.words import Refused, say

if TYPE_CHECKING:
    from firmware_host.extensions.club.club import Club

PORT = 8080
LIBRARIES = ("paho", "cryptography", "aiohttp", "rustworkx", "sqlalchemy")
"""What its page needs: the extra [club]."""


def add_club(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    folder = data_folder() / "club"
    verb = verbs.add_parser(
        "club",
        help="open the page of a club: all tables live, rounds, standings from verified records",
        description="Open the page of a club beside an MQTT broker. Tables belong to it by its invitation:"
        " `lodestone play --club INVITATION`. Whoever has the arbiter's link enters players and pairs rounds; results"
        " come from the tables, as records that are verified. What was given once (name, broker, --serve,"
        " --database) is kept.",
    )
    verb.add_argument("--name", default="", help="the club's name")
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--broker", default="", metavar="URL", help="mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
    where.add_argument("--serve", action="store_true", help="run a small broker here: for some tables on one network")
    verb.add_argument("--login", type=Path, metavar="FILE", help="a file with two lines: the broker's user, password")
    verb.add_argument(
        "--database",
        default="",
        metavar="URL",
        help="the archive: sqlite:///PATH or postgresql://USER@HOST/NAME (default: a file in the folder)",
    )
    verb.add_argument("--host", type=host_word, default="0.0.0.0", help="address to listen on (default: all)")  # noqa: S104
    verb.add_argument("--port", type=whole(0, MAX_PORT), default=PORT, help=f"port to listen on (default {PORT})")
    verb.add_argument("--address", type=_address, metavar="URL", help="the page's public address, behind a proxy")
    add_https(verb)
    verb.add_argument("--anew", action="store_true", help="make a new link for arbiters; the old one is worth nothing")
    verb.add_argument("--data", type=Path, default=folder, help=f"folder of the club's keys (default {folder})")
    verb.set_defaults(verb=_club)


def _address(text: str) -> str:
    with suppress(ValueError, argparse.ArgumentTypeError):
        found = urlsplit(text)
        if found.scheme in {"http", "https"} and found.port != 0 and host_word(found.hostname or ""):
            return text
    raise argparse.ArgumentTypeError(f"expected http://NAME or https://NAME, got {text[:60]!r}")


def _club(arguments: argparse.Namespace) -> int:
    if (lacks := missing("club", LIBRARIES, say("the club's page"))) is not None:
        raise Refused(lacks)
    from firmware_host.extensions.club.club import Club, found_club, served_by  # noqa: PLC0415 - of the extra [club]
    from firmware_host.extensions.club.server import ClubServer  # noqa: PLC0415
    from firmware_host.extensions.club.store import Archive, ArchiveError  # noqa: PLC0415
    from firmware_host.link.broker import read_credentials  # noqa: PLC0415
    from firmware_host.link.common_log import RoomFile  # noqa: PLC0415
    from firmware_host.link.serving import PORT as BROKER_PORT  # noqa: PLC0415
    from firmware_host.link.serving import SERVED, OwnBroker, lan_address  # noqa: PLC0415

    data: Path = arguments.data
    options = https_options(arguments)
    with ExitStack() as stack:
        listener = stack.enter_context(closing(listen(arguments.host, arguments.port)))
        make_data(data)
        stack.enter_context(kept_log(data))
        kept = stack.enter_context(closing(RoomFile(data / FILE)))
        broker = arguments.broker
        serves = arguments.serve or (not broker and bool(kept.setting(SERVED)))
        if serves:
            broker = f"mqtt://{lan_address() or '127.0.0.1'}:{BROKER_PORT}"
        found_club(kept, arguments.name, broker, serves=serves)
        if serves:
            stack.enter_context(closing(OwnBroker(BROKER_PORT, served_by(kept))))
        credentials = read_credentials(arguments.login) if arguments.login else None
        address = arguments.database or opened_place(kept.setting(PLACE), data)
        archive = stack.enter_context(closing(Archive(address)))
        kept.keep(PLACE, kept_place(archive.place, data))
        if arguments.anew:
            renew_host_token(data)
        try:
            club = Club(kept, archive, credentials=credentials)
        except ArchiveError as error:
            raise Refused(f"--database: {error}") from error
        stack.enter_context(closing(club))
        https = open_https(options, data, print_text, _hosts(arguments.address or ""))
        scheme = "http" if https is None else "https"
        addresses: Sequence[str] = Addresses(arguments.host, listener.getsockname()[1], scheme=scheme)
        if arguments.address:
            addresses = [arguments.address.rstrip("/"), *addresses]
        server = ClubServer(club, listener, table_key(data), lambda: host_token(data), addresses, https)
        stop = threading.Event()
        platform.on_end(stop.set)
        club.start()
        stack.enter_context(closing(server))
        server.start()
        if words := fingerprint_words(https):
            print(words)
        _announce(club, archive.place, f"{addresses[0]}/arbiter#{host_token(data)}", addresses)
        stop.wait()
    return 0


def _hosts(address: str) -> list[str]:
    """Return the host of a page's public address, for its own certificate: none without an address."""
    host = urlsplit(address).hostname
    return [host] if host else []


def _announce(club: Club, archive: str, arbiter: str, addresses: Sequence[str]) -> None:
    """Print where the club, its archive and its arbiter's page are, and how tables join."""
    print(
        f"{club.name}, at {club.invitation.broker}; archive: {archive}\n"
        f"\nArbiter: {arbiter}\n"
        "Anybody with this link can pair rounds and undo results.\n"
        f"\nInvitation for tables (lodestone play --club …):\n  '{club.invitation.link}'"
    )
    print_places("The club is open", "/", addresses)
    print("Scan to follow the club; end with Ctrl-C.\n")
    print_code(f"{addresses[0]}/")

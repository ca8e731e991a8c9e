"""What far tables and Home Assistant add to the program: a command, the room's requests, a line on the host's page."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware_host.archive.data_folder import table_key
from firmware_host.extensions.rooms.service import LIBRARIES, FarTablesService
from firmware_host.link.libraries import add_login, check_login, lacks
from firmware_host.link.serving import lan_address
from firmware_host.plug import Attached, Extension, Parts, Verbs
from firmware_host.text.json_reader import maybe, part
from firmware_host.text.words import say

if TYPE_CHECKING:
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class RoomsExtension(Extension):
    """Tables in different homes play one game."""

    name = "rooms"
    scripts = {"host/host.js": "host_room.js"}  # noqa: RUF012 - read only
    host_fields = {"room": maybe(part("Room"))}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the requests of the host."""
        from firmware_host.extensions.rooms.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone room``."""
        from firmware_host.extensions.rooms.command import add_room  # noqa: PLC0415 - a panel needs none of it

        add_room(verbs)

    def add_options(self, play: argparse.ArgumentParser) -> None:
        """Add where Home Assistant is found."""
        play.add_argument(
            "--home-assistant",
            default=None,
            metavar="URL",
            help="let Home Assistant find the table, through its MQTT broker: mqtt://HOST[:PORT]",
        )
        add_login(play)

    def check(self, options: argparse.Namespace) -> None:
        """Refuse a login to no broker."""
        check_login(options)

    def attach(self, parts: Parts) -> Attached:
        """Let Home Assistant follow the table, and bring it back into its room."""
        tell_home_assistant(parts)
        service = FarTablesService(parts.runtime, parts.folder, parts.version, lan_address)
        parts.stack.callback(service.close)

        def context(panel: Panel) -> Context:
            from firmware_host.extensions.rooms.requests import Requests  # noqa: PLC0415 - of the panel

            return Requests(panel, service)

        def begin() -> None:
            if (trouble := service.come_back()) is not None:
                print(f"The room can't be entered yet: {trouble}", flush=True)

        return Attached(context, lambda: {"room": service.state()}, begin)

    def evidence(self, data: Path) -> Iterable[tuple[str, Path, Any]]:
        """Return what a table knows of its room."""
        from firmware_host.link.evidence import room_evidence  # noqa: PLC0415

        return (("room.json", data / "room.sqlite", room_evidence),)


def _table_name(data: Path) -> str:
    """Return a name for this table among others, eight hex digits that tell nothing of its secret. Raise Refused."""
    return hashlib.sha256(b"name " + table_key(data)).hexdigest()[:8]


def tell_home_assistant(parts: Parts) -> None:
    """Let Home Assistant find the table. Raise Refused for an unusable address, or without the library."""
    address, login = parts.options.home_assistant, parts.options.login
    if address is None or lacks(parts, "link", LIBRARIES, say("Home Assistant")):
        return
    from firmware_host.extensions.rooms.home_assistant import HomeAssistant  # noqa: PLC0415 - of the extra [link]
    from firmware_host.link.broker import read_credentials  # noqa: PLC0415

    home = HomeAssistant(
        address,
        f"lodestone-{_table_name(parts.data)}",
        parts.host,
        version=parts.version,
        credentials=read_credentials(login) if login else None,
    )
    parts.stack.callback(home.close)
    parts.runtime.follow(home.show)


EXTENSION = RoomsExtension()

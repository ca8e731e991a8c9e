"""The host's requests about far tables: open a room, join one, leave it; the invitation as a code."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated

from flask import Response, abort, request

from firmware_host.extensions.rooms.service import FarTablesService
from firmware_host.link.serving import lan_address
from firmware_host.table.errors import TableError
from firmware_host.table.events import Word
from firmware_host.text.json_reader import maybe, record, rows
from firmware_host.text.words import say
from web_panel.pages.pages import code
from web_panel.panel import PanelContext
from web_panel.routes import Routes

Link = Annotated[str, (("maxLength", 500), ("description", "An invitation to a room"))]
TableId = Annotated[str, (("maxLength", 16), ("description", "A table of the room, as the host's state names it"))]

routes = Routes("rooms", {
    "Room": record(
        name=str, broker=str, connected=bool, link=maybe(str), watch=str, words=str, stopped=maybe(str),
        tables=rows(record(
            id=str, name=str, here=bool, lies=bool, instead_of=rows(record(id=str, name=str)),
        )),
    ),
})  # fmt: skip


@dataclass(frozen=True)
class Requests(PanelContext):
    """What the requests are given (:class:`web_panel.routes.Context`)."""

    service: FarTablesService


@routes.post("/api/host/room/open", "host")
def open_room(rooms: Requests, name: Word, broker: Word = "", credentials: Word = "") -> None:
    """Open a room for other tables at an MQTT broker or, without its address, at this machine's own.

    `credentials`: the path of a file, from the machine itself alone.
    """
    _check_file(credentials)
    rooms.service.open_room(name, broker, credentials)


@routes.post("/api/host/room/join", "host")
def join_room(rooms: Requests, link: Link, name: Word, credentials: Word = "") -> None:
    """Join the room of an invitation, to play or to watch; `credentials` as for opening one."""
    _check_file(credentials)
    rooms.service.join_room(link, name, credentials)


def _check_file(path: str) -> None:
    """Refuse a file that somebody names from elsewhere: what it has goes to the broker that they name, too."""
    at = request.remote_addr or ""
    if path and not ip_address(at).is_loopback and at != lan_address():
        words = say("a file with the broker's password is named on the table's own computer alone: {command}",
                    command="lodestone room --help")  # fmt: skip
        raise TableError("bad_room", words)


@routes.post("/api/host/room/replace", "host")
def replace_table(rooms: Requests, lost: TableId, heir: TableId) -> None:
    """Let a new table of the room play on for one that is lost, its card broken for instance."""
    rooms.service.replace_table(lost, heir)


@routes.post("/api/host/room/leave", "host")
def leave_room(rooms: Requests) -> None:
    """Leave the room; a game that has begun goes on at this table alone."""
    rooms.service.leave_room()


@routes.get("/qr/room/<which>.svg", None, "host", kind="image/svg+xml", _404="Missing")
def room_code(rooms: Requests, which: str) -> Response:
    """The invitation to this table's room as a code to scan, to `play` or to `watch`."""
    room = rooms.service.state()
    link = room and {"play": room["link"], "watch": room["watch"]}.get(which)
    if not link:
        abort(404)
    return code(link)

"""``lodestone room``: the running table of this machine meets other tables (far-tables.md)."""

from __future__ import annotations

import argparse
import json
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from firmware_host.archive.data_folder import host_token, last_address
from firmware_host.commands.common import add_data, data_of, print_code
from firmware_host.extensions.rooms.service import LIBRARIES
from firmware_host.link.https import ask_table
from firmware_host.link.libraries import missing
from firmware_host.text.words import Refused, say

ANSWER_S = 30.0
CONNECT_S = 10.0
"""How long a new connection is waited for, before it is said that there is none yet."""


def add_room(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    room = verbs.add_parser("room", help="play with other tables, far away, through an MQTT broker")
    parts = room.add_subparsers(required=True, metavar="WHAT")
    opening = parts.add_parser("open", help="open a room, and print the invitation for the other tables")
    opening.add_argument("--broker", default="", metavar="URL", help="mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
    opening.add_argument("--serve", action="store_true", help="let this table be the broker: for tables on one network")
    joining = parts.add_parser("join", help="join the room of an invitation, to play")
    watching = parts.add_parser("watch", help="watch the room of an invitation")
    for part in (joining, watching):
        part.add_argument("link", help="the invitation: lodestone-room:?…")
    for part in (opening, joining, watching):
        part.add_argument("--name", default=socket.gethostname()[:24], help="what the others call this table")
        part.add_argument(
            "--login", type=Path, metavar="FILE", help="a file with two lines: the broker's user, password"
        )
    leaving = parts.add_parser("leave", help="leave the room; a game goes on at this table alone")
    showing = parts.add_parser("show", help="show who is there, the invitations, and the words to compare")
    for part, verb in ((opening, _open), (joining, _join), (watching, _join), (leaving, _leave), (showing, _show)):
        add_data(part)
        part.set_defaults(verb=verb)
    watching.set_defaults(watches=True)


class RunningTable:
    """The table that runs with a data folder, asked as its host asks."""

    def __init__(self, data: Path) -> None:
        """Become its host. Raise Refused if none answers."""
        address = last_address(data)
        if address is None:
            raise Refused(f"no table has run with the folder {data}: start `lodestone play` first")
        self._base = address.from_here
        self._cookie = ""
        self.post("host/enter", {"token": host_token(data)})

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send a request. Raise Refused with what the table answers."""
        headers = {"Content-Type": "application/json", "X-Lodestone": "1", "Cookie": self._cookie}
        return self._ask(urllib.request.Request(f"{self._base}/api/{path}", json.dumps(body).encode(), headers))  # noqa: S310

    def get(self, path: str) -> Any:
        """Return an answer."""
        return self._ask(urllib.request.Request(f"{self._base}/api/{path}", headers={"Cookie": self._cookie}))  # noqa: S310

    def _ask(self, request: urllib.request.Request) -> Any:
        try:
            with ask_table(request, ANSWER_S) as answer:
                self._cookie = str(answer.headers.get("Set-Cookie") or self._cookie).partition(";")[0]
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            try:
                why = json.loads(error.read())["error"]["message"]
            except (ValueError, KeyError, TypeError):
                why = f"it answers {error.code}"
            raise Refused(f"the table refuses: {why}") from error
        except (OSError, ValueError) as error:
            raise Refused(f"no table answers at {self._base}: start `lodestone play` first") from error


def _open(arguments: argparse.Namespace) -> int:
    if arguments.broker and arguments.serve:
        raise Refused("--serve: this table would be the broker: expected no --broker beside it")
    if not (arguments.broker or arguments.serve):
        raise Refused("say where the tables meet: --broker URL, or --serve for tables on one network")
    table = RunningTable(data_of(arguments))
    table.post("host/room/open", {"broker": arguments.broker, **_common(arguments)})
    return _tell(table, "connected")


def _join(arguments: argparse.Namespace) -> int:
    link = arguments.link
    if "watches" in arguments:
        if (lacks := missing("link", LIBRARIES, say("far tables"))) is not None:
            raise Refused(lacks)
        from firmware_host.link.trust import Invitation  # noqa: PLC0415 - of the extra [link]

        link = Invitation.parse(link).to_watch.link
    table = RunningTable(data_of(arguments))
    table.post("host/room/join", {"link": link, **_common(arguments)})
    return _tell(table, "tables")


def _common(arguments: argparse.Namespace) -> dict[str, str]:
    return {"name": arguments.name, "credentials": str(arguments.login.resolve()) if arguments.login else ""}


def _leave(arguments: argparse.Namespace) -> int:
    RunningTable(data_of(arguments)).post("host/room/leave", {})
    print("This table plays by itself again.")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    return _tell(RunningTable(data_of(arguments)))


def _tell(table: RunningTable, expected: str = "") -> int:
    """Print who is there; wait a while for what is expected: that it is ``connected``, or other ``tables``."""
    room, end = table.get("host/state")["room"], time.monotonic() + CONNECT_S
    while room and expected and not room[expected] and time.monotonic() < end:
        time.sleep(0.3)
        room = table.get("host/state")["room"]
    if room is None:
        print("This table is in no room.")
        return 0
    if not room["watch"]:  # It is in a room that it can't come into.
        print(room["stopped"])
        return 0
    print(f"{room['name']}, at {room['broker']}: {'connected' if room['connected'] else 'not connected yet'}")
    for one in room["tables"]:
        print(f"  {one['name']}: {'here' if one['here'] else 'away'}")
    if room["link"]:
        print(f"\nInvitation to play (lodestone room join …):\n  '{room['link']}'")
        print_code(room["link"])
    print(f"Invitation to watch (lodestone room watch …):\n  '{room['watch']}'")
    if room["tables"]:
        print(f"The same words stand at every table unless somebody is in between: {room['words']}")
    else:  # They follow from the keys of all tables.
        print("Once others have joined, `lodestone room show` tells the words to compare.")
    if room["stopped"]:
        print(f"The game can't go on between the tables: {room['stopped']}")
    return 0

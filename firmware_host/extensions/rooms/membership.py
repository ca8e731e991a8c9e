"""How a table comes into a room: it opens one, joins one, comes back to it after a restart, or leaves it.

A table is in one room at most. What it needs to come back is in the file ``room.sqlite`` of its data folder.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from firmware_host.archive.files import BESIDE, LOCK
from firmware_host.extensions.rooms.room import FORMS, Room
from firmware_host.link.broker import Broker, parse_address, read_credentials
from firmware_host.link.common_log import RoomFile
from firmware_host.link.serving import SERVED, OwnBroker, Served
from firmware_host.link.trust import Identity, Invitation
from firmware_host.table.subjects.seats import is_name
from firmware_host.text.words import Refused, say

FILE = "room.sqlite"
_FILES = tuple(f"{FILE}{suffix}" for suffix in ("", *BESIDE, LOCK))
CREDENTIALS = "credentials"
"""The setting of a room: the file with user and password of its broker."""


def open_new(kept: RoomFile, broker: str, name: str, *, served: bool = False) -> None:
    """Make a new room at a broker; ``served``: at this table's own. Raise Refused for an unusable address or name."""
    parse_address(broker)
    identity = Identity()
    _keep(kept, identity, Invitation.new(broker, identity.public, served=served), name)


def join(kept: RoomFile, link: str, name: str) -> None:
    """Make this table a member of another table's room. Raise Refused for an unusable link or name."""
    invitation = Invitation.parse(link)
    parse_address(invitation.broker)
    _keep(kept, Identity(), invitation, name)


def is_same_room(known: Invitation, link: str) -> bool:
    """Return whether a link invites to a room that is known, in the same way, at whatever broker. Raise Refused."""
    other = Invitation.parse(link)
    parse_address(other.broker)
    return replace(other, broker=known.broker, served=known.served) == known


def _keep(kept: RoomFile, identity: Identity, invitation: Invitation, name: str) -> None:
    if not is_name(name):
        raise Refused(
            say("the table's name: expected 1 to 24 letters, digits or symbols, got {name}", name=repr(name[:40]))
        )
    kept.keep("private", identity.private().hex())
    kept.keep("name", name)
    kept.keep("invitation", invitation.link)


class Membership:
    """A table's room, if it is in one, in a data folder."""

    def __init__(self, folder: Path, version: str, address: Callable[[], str | None] = lambda: None) -> None:
        """Be in no room yet. ``address`` returns this machine's address in its network, None if it is in none."""
        self._folder, self._version, self._address = folder, version, address
        self._broker: OwnBroker | None = None

    def come_back(self) -> Room:
        """Return the room that this table was in when it was closed. Raise Refused, or sqlite3.Error, for damage."""
        kept = RoomFile(self._folder / FILE)
        try:
            return self._enter(kept)
        except BaseException:
            kept.close()
            self.close()
            raise

    def enter(self, make: Callable[[RoomFile], None]) -> Room:
        """Return a new room, which ``make`` describes. Raise Refused; then this table is in no room."""
        self.forget()
        kept = RoomFile(self._folder / FILE)
        try:
            make(kept)
            return self._enter(kept)
        except BaseException:
            kept.close()
            self.forget()
            raise

    def _enter(self, kept: RoomFile) -> Room:
        if None in (kept.setting("private"), kept.setting("invitation")):
            raise Refused(
                say(
                    "{path} has lost the room's keys: leave the room, and join it with the invitation",
                    path=str(kept.path),
                )
            )
        for name in kept.names():  # Those of the games are read when one is played.
            if (form := FORMS.get(name.partition(" ")[0])) is not None:
                kept.value(name, form)
        path, port = kept.setting(CREDENTIALS), kept.value(SERVED, _read_port)
        credentials = read_credentials(Path(path)) if path else None
        if port is not None:
            invitation = kept.value("invitation", Invitation.parse) or Invitation.parse("")
            user, password = invitation.login or ("", "")
            self._broker = OwnBroker(port, Served(f"lodestone/1/{invitation.room}", user, password))
        room = Room(kept, lambda room: _connect(room, credentials, port), self._version)
        if port is not None:
            room.broker_now = lambda: self.own_address(port)
        return room

    def own_address(self, port: int) -> str | None:
        """Return where others find a broker of this table's now; None while this machine is in no network."""
        address = self._address()
        return None if address is None else f"mqtt://{address}:{port}"

    def move(self, link: str, credentials: str) -> Room:
        """Come back to the room at the broker of another invitation to it. Raise Refused, or sqlite3.Error."""
        with closing(RoomFile(self._folder / FILE)) as kept:
            kept.keep("invitation", Invitation.parse(link).link)
            if credentials:
                kept.keep(CREDENTIALS, credentials)
        return self.come_back()

    def close(self) -> None:
        """End this table's own broker, if it has one."""
        if self._broker is not None:
            self._broker.close()
            self._broker = None

    def forget(self) -> None:
        """Be in no room any more."""
        self.close()
        for name in _FILES:
            (self._folder / name).unlink(missing_ok=True)


def _read_port(text: str) -> int:
    port = int(text)
    if not 0 < port < 1 << 16:
        raise ValueError("no port")
    return port


def _connect(room: Room, credentials: tuple[str, str] | None, port: int | None) -> Broker:
    """Connect to the room's broker; to this table's own at home, whatever address its machine has in the network."""
    broker = room.invitation.broker if port is None else f"mqtt://127.0.0.1:{port}"
    return Broker(broker, room.subscription, room.will, credentials or room.invitation.login)

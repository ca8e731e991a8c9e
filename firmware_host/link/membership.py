"""How a table comes into a room: it opens one, joins one, comes back to it after a restart, or leaves it.

A table is in one room at most. What it needs to come back is in the file ``room.sqlite`` of its data folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firmware_host.link.broker import Broker, parse_address, read_credentials
from firmware_host.link.common_log import RoomFile
from firmware_host.link.room import Room
from firmware_host.link.trust import Identity, Invitation
from firmware_host.table.seats import is_name
from firmware_host.text.words import Refused, say

FILE = "room.sqlite"
_FILES = (FILE, f"{FILE}-wal", f"{FILE}-shm")


def open_new(kept: RoomFile, broker: str, name: str) -> None:
    """Make a new room at a broker. Raise Refused for an unusable address or name."""
    parse_address(broker)
    identity = Identity()
    _keep(kept, identity, Invitation.new(broker, identity.public), name)


def join(kept: RoomFile, link: str, name: str) -> None:
    """Make this table a member of another table's room. Raise Refused for an unusable link or name."""
    invitation = Invitation.parse(link)
    parse_address(invitation.broker)
    _keep(kept, Identity(), invitation, name)


def _keep(kept: RoomFile, identity: Identity, invitation: Invitation, name: str) -> None:
    if not is_name(name):
        raise Refused(
            say("the table's name: expected 1 to 24 letters, digits or signs, got {name}", name=repr(name[:40]))
        )
    kept.keep("private", identity.private().hex())
    kept.keep("name", name)
    kept.keep("invitation", invitation.link)


def remove(folder: Path) -> None:
    """Forget the room of a data folder."""
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)


def enter(folder: Path, version: str, make: Callable[[RoomFile], None] | None = None) -> Room | None:
    """Connect to the room of a data folder, or to a new one that ``make`` keeps; None if there is none.

    Raise Refused; a new room is forgotten then.
    """
    if make is None and not (folder / FILE).exists():
        return None
    if make is not None:
        remove(folder)
    kept = RoomFile(folder / FILE)
    try:
        if make is not None:
            make(kept)
        path = kept.setting("credentials")
        credentials = read_credentials(Path(path)) if path else None
        return Room(kept, lambda room: _connect(room, credentials), version)
    except Refused:
        kept.close()
        if make is not None:
            remove(folder)
        raise


def _connect(room: Room, credentials: tuple[str, str] | None) -> Broker:
    return Broker(room.invitation.broker, room.subscription, room.will, credentials)

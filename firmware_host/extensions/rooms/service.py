"""The room of a running table: its host opens one, joins one or leaves it; after a restart the table comes back to it.

The libraries of a room (an MQTT client, cryptography) are an extra: a table that is in none never loads them. A table
that can't come back to its room is not alone: it waits (:mod:`.shut_room`) until it can, or until its host leaves.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from firmware_host.extensions.rooms.shut_room import ShutRoom
from firmware_host.link.libraries import missing
from firmware_host.session.runtime import Runtime
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused, say

if TYPE_CHECKING:
    from firmware_host.extensions.rooms.membership import Membership
    from firmware_host.extensions.rooms.room import Room
    from firmware_host.link.common_log import RoomFile

LIBRARIES = ("paho", "cryptography")
"""What it needs: the extra [link]."""
FILES = "room.sqlite*"
"""The files of a room in the data folder."""
JOINED = "in-room"
"""The file that exists while the table is in a room, also if the room's own file is lost."""
_log = logging.getLogger(__name__)


class FarTablesService:
    """The host's control of the room. Thread-safe; refusals are TableErrors."""

    def __init__(self, runtime: Runtime, data: Path, version: str, address: Callable[[], str | None]) -> None:
        """``data`` keeps the room; ``address`` returns this machine's in its network, for a broker of its own."""
        self._runtime, self._data, self._version, self._address = runtime, data, version, address
        self._membership: Membership | None = None
        self._changing = threading.Lock()

    def come_back(self) -> str | None:
        """Go back to the room that this table was in; return why that has to wait, None if all is well."""
        if not any(self._data.glob(FILES)) and not (self._data / JOINED).exists():
            return None
        with self._changing:
            why = self._try_to_come_back()
            if why is not None:
                self._runtime.enter_room(ShutRoom(why, self._retry))
        return why

    def _try_to_come_back(self) -> str | None:
        if not (self._data / "room.sqlite").exists():
            return say("{path} is lost: leave the room, and join it again with the invitation of another table",
                       path=str(self._data / "room.sqlite"))  # fmt: skip
        return self._try(lambda: self._rooms().come_back())

    def _try(self, come: Callable[[], Room]) -> str | None:
        """Come into a room; return why that can't be, None if all is well."""
        try:
            room = come()
        except Refused as error:
            return error.words
        except TableError as error:
            return error.message
        except sqlite3.Error as error:
            return say("{path} is damaged: {reason}", path=str(self._data / "room.sqlite"), reason=str(error))
        self._use(room)
        return None

    def _use(self, room: Room) -> None:
        with suppress(OSError):
            (self._data / JOINED).touch()
        self._runtime.enter_room(room)

    def _retry(self) -> bool:
        """Try again, on the loop's thread: the host, who may be leaving the room, waits for that thread."""
        if not self._changing.acquire(blocking=False):
            return False
        try:
            why = self._try_to_come_back()
        finally:
            self._changing.release()
        if why is None:
            _log.info("The table is back in its room.")
        return why is None

    def state(self) -> Mapping[str, Any] | None:
        """Return what the host sees of the room, None without one."""
        room = self._runtime.room
        return None if room is None else room.status()

    def open_room(self, name: str, broker: str, credentials: str) -> None:
        """Open a room at a broker or, without its address, at a broker of this table's own."""

        def make(kept: RoomFile) -> None:
            from firmware_host.extensions.rooms.membership import CREDENTIALS, open_new  # noqa: PLC0415
            from firmware_host.link.serving import PORT, SERVED  # noqa: PLC0415

            open_new(kept, broker or f"mqtt://{self._address() or '127.0.0.1'}:{PORT}", name, served=not broker)
            if credentials:
                kept.keep(CREDENTIALS, credentials)
            if not broker:
                kept.keep(SERVED, str(PORT))

        self._enter(make)

    def join_room(self, link: str, name: str, credentials: str) -> None:
        """Join another table's room, to play or to watch; with another invitation to this room go on at its broker."""
        with self._changing:
            if self._is_here(link):
                self._move(link, credentials)
                return

        def make(kept: RoomFile) -> None:
            from firmware_host.extensions.rooms.membership import CREDENTIALS, join  # noqa: PLC0415

            join(kept, link, name)
            if credentials:
                kept.keep(CREDENTIALS, credentials)

        self._enter(make)

    def _is_here(self, link: str) -> bool:
        """Return whether a link invites to the room that this table is in, wherever its broker is."""
        room = self._runtime.room
        if room is None or isinstance(room, ShutRoom):
            return False
        from firmware_host.extensions.rooms.membership import is_same_room  # noqa: PLC0415

        try:
            return is_same_room(cast("Room", room).invitation, link)
        except Refused:
            return False

    def _move(self, link: str, credentials: str) -> None:
        """Go on at another broker, as the same table and with the same game."""
        room = self._runtime.room
        self._runtime.enter_room(ShutRoom(say("its broker is elsewhere now"), self._retry))
        if room is not None:
            room.close()
        self._rooms().close()
        if (why := self._try(lambda: self._rooms().move(link, credentials))) is not None:
            self._runtime.enter_room(ShutRoom(why, self._retry))

    def _enter(self, make: Any) -> None:
        with self._changing:
            if self._runtime.room is not None:
                raise TableError("wrong_phase", say("this table is in a room already: leave it first"))
            try:
                room = self._rooms().enter(make)
            except Refused as error:
                raise TableError("bad_room", str(error)) from error
            self._use(room)

    def replace_table(self, lost: str, heir: str) -> None:
        """Let a new table play on for one that is lost, each by the ``id`` that :meth:`state` tells."""
        with self._changing:
            room = self._runtime.room
            if room is None or isinstance(room, ShutRoom):
                raise TableError("wrong_phase", say("this table is in no room"))
            self._runtime.do(lambda: cast("Room", room).replace(self._runtime.table(), lost, heir))

    def leave_room(self) -> None:
        """Leave the room for good; a game that has begun goes on at this table alone."""
        with self._changing:
            room = self._runtime.leave_room()
            if room is None:
                raise TableError("wrong_phase", say("this table is in no room"))
            room.close()
            if self._membership is not None:
                self._membership.close()
            for path in (*self._data.glob(FILES), self._data / JOINED):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """End the connection; the next start comes back to the room."""
        with self._changing:
            room = self._runtime.room
            if room is not None:
                room.close()
            if self._membership is not None:
                self._membership.close()

    def _rooms(self) -> Membership:
        if self._membership is None:
            if (lacks := missing("link", LIBRARIES, say("far tables"))) is not None:
                raise TableError("missing", lacks)
            from firmware_host.extensions.rooms.membership import Membership  # noqa: PLC0415 - see above

            self._membership = Membership(self._data, self._version, self._address)
        return self._membership

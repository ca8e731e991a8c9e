"""A table that can't come back to its room: nobody plays on alone, people are told why, and the host may leave."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar, cast

import pytest

from firmware_host.archive.files import lock_beside
from firmware_host.extensions.rooms.extension import EXTENSION
from firmware_host.extensions.rooms.membership import open_new
from firmware_host.extensions.rooms.requests import Requests
from firmware_host.extensions.rooms.room import Room
from firmware_host.extensions.rooms.service import FarTablesService
from firmware_host.extensions.rooms.shut_room import RETRY_S, ShutRoom
from firmware_host.link.broker import read_credentials
from firmware_host.link.common_log import RoomFile, SharedEntry
from firmware_host.link.trust import Invitation
from firmware_host.plug import Attached
from firmware_host.table.errors import TableError
from firmware_host.table.subjects.resolving import ActionChosen
from firmware_host.text.words import Refused
from lodestone.tables import KEY, SimulatedTable
from tests.e2e.program import Program, eventually
from tests.ports import free_port
from tests.sampling import cases, few
from tests.sentences import pattern, saying
from tests.web_panel.fake_host import FakeHost
from tests.web_panel.table import ADDRESS, OWN, host_phone
from web_panel.app import create_app

WAITS = saying("come into its room with")


@pytest.fixture
def table(tmp_path: Path) -> SimulatedTable:
    """Return a table with a game of one's own that has begun, and a room."""
    kept = RoomFile(tmp_path / "room.sqlite")
    open_new(kept, f"mqtt://127.0.0.1:{free_port()}", "Ada's")
    kept.close()
    return SimulatedTable(tmp_path, game="coil", kind="presence", seats=["Ada", "Ben"])


@pytest.fixture
def service(table: SimulatedTable, tmp_path: Path) -> Iterator[FarTablesService]:
    made = FarTablesService(table.runtime, tmp_path, "test", lambda: "127.0.0.1")
    yield made
    made.close()
    table.close()


@pytest.fixture
def without_libraries(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let Python find no MQTT client, as where it was never installed."""
    monkeypatch.setitem(sys.modules, "paho", None)
    return monkeypatch


def waits(table: SimulatedTable) -> str:
    """Return what the screens say of the room."""
    table.wait(0.1)
    return next((one for one in table.runtime.view(None)[1]["notices"] if WAITS.match(one)), "")


@pytest.mark.usefixtures("without_libraries")
def test_without_its_libraries_the_game_waits_until_the_host_leaves(
    table: SimulatedTable, service: FarTablesService, tmp_path: Path
) -> None:
    why = service.come_back()
    assert "pip install 'lodestone-board[link]'" in str(why)
    assert str(why) in waits(table)
    assert "leave the room" in waits(table)
    table.runtime.submit(ActionChosen(at=table.runtime.now(), seat=1, action="d4"))
    table.wait(1)
    assert table.committed == []
    assert service.state() is not None
    with pytest.raises(TableError, match="in a room already"):
        service.join_room("lodestone-room:?", "Ada's", "")
    with pytest.raises(TableError, match=pattern("this table is in no room")):
        service.replace_table("0" * 16, "1" * 16)
    service.leave_room()
    assert (service.state(), waits(table), list(tmp_path.glob("room.sqlite*"))) == (None, "", [])
    with pytest.raises(TableError, match="the libraries for far tables are missing"):
        service.join_room("lodestone-room:?", "Ada's", "")


def test_it_comes_back_by_itself_once_it_can(
    table: SimulatedTable, service: FarTablesService, without_libraries: pytest.MonkeyPatch
) -> None:
    assert service.come_back() is not None
    assert waits(table)
    without_libraries.undo()
    table.wait(RETRY_S + 1)
    assert not isinstance(table.runtime.room, ShutRoom)
    assert not waits(table)
    state = service.state()
    assert state is not None
    assert state["name"] == "Ada's"


@pytest.mark.parametrize("damage", ["", "no database at all, but long enough to be one" * 100, "tables"])
def test_a_damaged_file_of_the_room_is_told(
    table: SimulatedTable, service: FarTablesService, tmp_path: Path, damage: str
) -> None:
    """The table opens; leaving and joining again mends it."""
    path = tmp_path / "room.sqlite"
    if damage == "tables":
        whole = path.read_bytes()
        path.write_bytes(whole[:4096] + b"\x00" * (len(whole) - 4096))
    else:
        path.write_text(damage)
    assert service.come_back() is not None
    assert waits(table)
    service.leave_room()
    service.open_room("Ada's", f"mqtt://127.0.0.1:{free_port()}", "")
    assert not waits(table)
    assert not isinstance(table.runtime.room, ShutRoom)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("counter", "many"),
        ("counter", "9" * 40),
        ("private", "no hex"),
        ("private", "00ff"),
        ("invitation", "lodestone-room://[?"),
        ("heirs", "["),
        ("heirs", '{"a": 5}'),
        ("served", "yes"),
        ("served", "99999"),
        ("lobby", "[]"),
        ("lobby", '{"game": "g", "tables": 5}'),
        ("seats g1", '{"one": "a"}'),
        ("names g1", "5"),
        ("lots g1", "no hex"),
    ],
)
def test_a_damaged_value_in_the_file_of_the_room_is_told(
    table: SimulatedTable, service: FarTablesService, tmp_path: Path, name: str, value: str
) -> None:
    """The table opens and waits, no program keeps the file, and once it is whole the table comes back."""
    path = tmp_path / "room.sqlite"

    def set_value(to: str | None) -> None:
        with closing(sqlite3.connect(path)) as file, file:
            file.execute("DELETE FROM setting WHERE name = ?", (name,))
            if to is not None:
                file.execute("INSERT INTO setting VALUES (?, ?)", (name, to))

    with closing(RoomFile(path)) as kept:
        before = kept.setting(name)
    set_value(value)
    why = service.come_back()
    assert str(path) in str(why)
    assert waits(table)
    os.close(lock_beside(path))
    set_value(before)
    table.wait(RETRY_S + 1)
    assert not isinstance(table.runtime.room, ShutRoom)


def test_a_damaged_entry_is_none_that_is_known(tmp_path: Path) -> None:
    with closing(RoomFile(tmp_path / "room.sqlite")) as kept:
        for number in range(3):
            kept.note_entry(SharedEntry("g", number, "draw", {"position": "x"}, "0"))
        with closing(sqlite3.connect(tmp_path / "room.sqlite")) as file, file:
            file.execute("UPDATE entry SET data = '{' WHERE number = 1")
        assert [one.number for one in kept.entries("g", 0, 9)] == [0]
        assert [one.number for one in kept.entries("g", 2, 9)] == [2]


def test_nobody_is_replaced_who_is_not_away(service: FarTablesService, table: SimulatedTable) -> None:
    """The page may be older than what has happened since."""
    assert service.come_back() is None
    room = service.state()
    assert room is not None
    with pytest.raises(TableError, match=pattern("a table that is away and a new")):
        service.replace_table("0" * 16, "1" * 16)
    table.wait(0.1)


def test_a_lost_file_of_the_room_says_what_to_do(
    table: SimulatedTable, service: FarTablesService, tmp_path: Path
) -> None:
    """A backup without secrets has none, and a repair may lose it: the game is not one of this table alone."""
    assert service.come_back() is None
    service.close()
    table.runtime.room = None
    for path in tmp_path.glob("room.sqlite*"):
        path.unlink()
    anew = FarTablesService(table.runtime, tmp_path, "test", lambda: "127.0.0.1")
    assert anew.come_back() is not None
    assert saying("join it again with the", path=tmp_path / "room.sqlite").search(waits(table))
    table.wait(RETRY_S + 1)
    assert waits(table)
    anew.leave_room()
    assert (waits(table), FarTablesService(table.runtime, tmp_path, "test", lambda: None).come_back()) == ("", None)


BARE = (
    "import sys; sys.modules['paho'] = None; from firmware_host.commands.cli import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.parametrize(
    "line",
    few(
        cases(
            ["play --home-assistant mqtt://broker.example", "play --club lodestone-club:?", "room watch x", "club"],
            "room watch x",
            "play --club lodestone-club:?",
        ),
        1,
    ),
)
def test_a_missing_library_is_no_traceback(tmp_path: Path, line: str) -> None:
    verb, *words = line.split()
    command = [sys.executable, "-c", BARE, verb, *words, "--data", str(tmp_path), *(["--port", "0"] * (verb != "room"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert done.stderr.startswith("lodestone: the libraries for "), done.stderr
    assert done.stderr.count("\n") == 1


def test_as_a_service_the_table_opens_without_and_phones_say_so(tmp_path: Path) -> None:
    """Nobody reads what is printed there; a table that stays shut plays no game at all."""
    port, told = free_port(), {"NOTIFY_SOCKET": str(tmp_path / "nobody"), "PATH": "/usr/bin:/bin"}
    words = ["play", "--home-assistant", "mqtt://broker.example", "--data", str(tmp_path), "--port", str(port)]
    program = Program(tmp_path)
    program.base = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        [sys.executable, "-c", BARE, *words], env=told, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        try:
            notices = _first_state(program, process)["notices"]
        finally:
            process.terminate()
    assert any("the libraries for Home Assistant are missing" in one for one in notices)


def _first_state(program: Program, process: subprocess.Popen[bytes]) -> dict[str, list[str]]:
    def state() -> dict[str, list[str]] | None:
        assert process.poll() is None, process.stderr and process.stderr.read()
        try:
            found: dict[str, list[str]] = program.state()
        except OSError:
            return None
        return found

    return eventually(state) or {}


@pytest.mark.parametrize("what", [{"name": "A", "broker": "mqtt://198.51.100.1"}, {"name": "A", "link": "x"}])
def test_a_file_with_a_password_is_named_on_the_machine_alone(tmp_path: Path, what: dict[str, str]) -> None:
    """Whoever has a host's cookie names the broker, too, and could send it any file with two lines."""
    table, asked = SimulatedTable(tmp_path, game="coil"), list[tuple[str, ...]]()
    service = SimpleNamespace(open_room=lambda *all_of: asked.append(all_of), state=lambda: None)
    service.join_room = service.open_room
    rooms = Attached(lambda panel: Requests(panel, cast("FarTablesService", service)))
    host = host_phone(
        create_app(table.runtime, secret=KEY, addresses=[ADDRESS], host=FakeHost(), attached={EXTENSION: rooms})
    )
    path = f"/api/host/room/{'join' if 'link' in what else 'open'}"

    def post(address: str, **more: str) -> int:
        known = {"REMOTE_ADDR": address}
        return host.client.post(path, json=what | more, headers=OWN, environ_overrides=known).status_code

    assert post("192.0.2.7", credentials="/etc/lodestone/hotspot") == 409
    assert asked == []
    assert post("192.0.2.7") == 200
    assert post("127.0.0.1", credentials="/home/ada/login.txt") == 200
    assert [one[-1] for one in asked] == ["", "/home/ada/login.txt"]
    table.close()


def test_a_file_with_a_password_is_small(tmp_path: Path) -> None:
    """A pipe or a device would never end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "good").write_text("ada\nsecret\n")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(Refused, match="password can't be read"):
            read_credentials(path)
    assert read_credentials(tmp_path / "good") == ("ada", "secret")


class Nobody:
    """A connection that never is, and a broker that nobody needs: what they were asked for."""

    made: ClassVar[list[str]] = []
    is_up = False

    def __init__(self, where: object, *_: object) -> None:
        self.made.append(str(where))

    def send(self, *_: object, **_more: object) -> None:
        """Send nothing."""

    def take(self) -> None:
        """Nothing has come."""

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the addresses to which rooms connect."""
    monkeypatch.setattr("firmware_host.extensions.rooms.membership.Broker", Nobody)
    monkeypatch.setattr("firmware_host.extensions.rooms.membership.OwnBroker", Nobody)
    monkeypatch.setattr(Nobody, "made", [])
    return Nobody.made


def test_a_table_that_is_the_broker_may_get_another_address(tmp_path: Path, nobody: list[str]) -> None:
    """It finds its own broker at home, and the invitation has the address of now, if there is one."""
    table, now = SimulatedTable(tmp_path, game="coil", kind="presence"), ["192.0.2.7"]
    service = FarTablesService(table.runtime, tmp_path, "test", lambda: now[0] or None)
    service.open_room("Ada's", "", "")
    for address, shown in (("192.0.2.7", "192.0.2.7"), ("192.0.2.99", "192.0.2.99"), ("", "192.0.2.7")):
        now[0] = address
        state = service.state() or {}
        links = [Invitation.parse(state[one]) for one in ("link", "watch")]
        assert {state["broker"], *(one.broker for one in links)} == {f"mqtt://{shown}:1883"}
        assert all(one.login for one in links)
    service.close()
    table.runtime.room = None
    again = FarTablesService(table.runtime, tmp_path, "test", lambda: "192.0.2.99")
    assert again.come_back() is None
    assert nobody == ["1883", "mqtt://127.0.0.1:1883"] * 2
    again.close()
    table.close()


def test_another_invitation_to_the_same_room_is_a_move(
    table: SimulatedTable, service: FarTablesService, nobody: list[str]
) -> None:
    """The table stays who it is, with all that its room's file has; one to another room is refused."""
    assert service.come_back() is None
    room = table.runtime.room
    assert isinstance(room, Room)
    me, name, invitation = room._me, room.name, room.invitation
    room._kept.promise("g", 1, "open")
    service.join_room(invitation.at("mqtt://192.0.2.99:1883", served=True).link, "Another name", "")
    moved = table.runtime.room
    assert isinstance(moved, Room)
    assert moved is not room
    assert (moved._me, moved.name, moved._kept.has_promised("g", 1, "open")) == (me, name, True)
    assert moved.invitation.broker == "mqtt://192.0.2.99:1883"
    assert nobody[-1] == "mqtt://192.0.2.99:1883"
    assert not waits(table)
    for link in (Invitation.new("mqtt://192.0.2.99", me).link, invitation.to_watch.link, "lodestone-room:?x"):
        with pytest.raises(TableError, match="in a room already"):
            service.join_room(link, "Ada's", "")
    assert table.runtime.room is moved


def test_a_move_that_fails_waits(
    table: SimulatedTable, service: FarTablesService, nobody: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room's file can't be written: the table says so, and tries again."""
    assert service.come_back() is None
    room = table.runtime.room
    assert isinstance(room, Room)
    link = room.invitation.at("mqtt://192.0.2.99").link

    def fails(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(RoomFile, "keep", fails)
        service.join_room(link, "Ada's", "")
    assert "disk is full" in waits(table)
    table.wait(RETRY_S + 1)
    assert not waits(table)
    assert len(nobody) == 2

"""The hotspot and the choice of a network, against an ``nmcli`` that answers as the real one documents."""

from __future__ import annotations

import errno
import json
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.extensions.appliance import hotspot as service
from firmware_host.extensions.appliance.hotspot import (
    ALONE_S,
    NAME_S,
    RETRY_S,
    SEARCH_S,
    Hotspot,
    HotspotRules,
    NetworkState,
    Settings,
    Wifi,
    has_guests,
    leads_out,
    read_settings,
    readable,
)
from firmware_host.extensions.appliance.network_manager import (
    HOTSPOT,
    Network,
    NetworkManager,
    WifiError,
    kind_of,
    networks,
    split,
    uuid_of,
)
from firmware_host.extensions.appliance.portal import Portal, Visits
from firmware_host.table.errors import TableError
from firmware_host.text.words import Refused
from tests.ports import free_port
from tests.sampling import few
from tests.sentences import sentence
from tests.waiting import eventually

FAKE = Path(__file__).with_name("fake_nmcli.py")
SECRET = "a secret: \\ with blanks "
CAFE = "Café: \\Wi-Fi\\".encode()
NETWORKS = [
    {"ssid": b"Home".hex(), "signal": 60, "security": "WPA2", "password": "12345678"},
    {"ssid": b"Home".hex(), "signal": 80, "security": "WPA2", "password": "12345678"},
    {"ssid": CAFE.hex(), "signal": 40, "security": "WPA1 WPA2", "password": SECRET},
    {"ssid": "", "signal": 90, "security": "WPA2", "password": ""},
    {"ssid": b"Open".hex(), "signal": 10, "security": "", "password": ""},
    {"ssid": b"New".hex(), "signal": 30, "security": "WPA3", "password": "12345678"},
    {"ssid": b"Firm".hex(), "signal": 99, "security": "WPA2 802.1X", "password": ""},
    {"ssid": b"Shy".hex(), "signal": 20, "security": "WPA2", "password": SECRET, "hidden": True},
]


class Machine:
    """A machine with the fake ``nmcli``."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder / "bin"
        self._folder.mkdir()
        (self._folder / "nmcli").write_text(f"#!{sys.executable} -IS\n{FAKE.read_text()}")
        (self._folder / "nmcli").chmod(0o755)
        monkeypatch.setenv("PATH", str(self._folder))
        radio = {"name": "wlan0", "type": "wifi", "state": "disconnected", "uuid": ""}
        cable = {"name": "eth0", "type": "ethernet", "state": "unavailable", "uuid": ""}
        self.write({"devices": [radio, cable], "networks": NETWORKS, "profiles": {}, "asked": []})
        self.kept = folder / "kept"
        self.manager = NetworkManager(self.kept, folder / "passing")
        self.said: list[str] = []
        monkeypatch.setattr(service, "LEAVE_S", 0)
        monkeypatch.setattr(service, "ROUTES", folder / "no routes")
        monkeypatch.setattr(service, "ADDRESSES", folder / "no guests")
        self.lines = folder / "dnsmasq-shared.d" / "lodestone-portal.conf"
        portal = Portal(lambda: Visits("http://10.42.0.1:8000/"), self.lines, ("127.0.0.1", free_port()))
        self.hotspot = Hotspot(Settings("Lodestone", "hotspot-word"), self.manager, self.said.append, portal)

    def read(self) -> Any:
        return json.loads((self._folder / "state.json").read_text())

    def write(self, state: Any) -> None:
        (self._folder / "state.json").write_text(json.dumps(state))

    def change(self, device: str, **values: str) -> None:
        state = self.read()
        next(one for one in state["devices"] if one["name"] == device).update(values)
        self.write(state)

    def connected(self) -> str:
        return str(self.read()["devices"][0]["uuid"])

    def alone(self) -> None:
        """Let the hotspot open."""
        self.hotspot.watch(0)
        self.hotspot.watch(ALONE_S)
        assert self.connected() == HOTSPOT, self.said

    def join(self, ssid: bytes, password: str, *, hidden: bool = False) -> dict[str, Any]:
        asked = {"do": "join", "ssid": ssid.hex(), "password": password, "hidden": hidden}
        assert self.hotspot.answer(asked) == {"ok": True}
        return self.state(lambda state: state["doing"] is None)

    def state(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        states: list[dict[str, Any]] = []

        def is_so() -> bool:
            states.append(self.hotspot.answer({"do": "state"}))
            return wanted(states[-1])

        eventually(is_so, lambda: states[-1])
        return states[-1]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=9), min_size=1))
def test_terse_fields_are_read_as_they_were_written(fields: list[str]) -> None:
    line = ":".join(field.replace("\\", "\\\\").replace(":", "\\:") for field in fields)
    assert split(line) == fields


def test_networks_are_listed_once_strongest_first_without_the_nameless(machine: Machine) -> None:
    found = machine.manager.networks("wlan0")
    assert [(readable(one.ssid), one.signal, one.kind) for one in found] == [
        ("Firm", 99, "other"),
        ("Home", 80, "psk"),
        ("Café: \\Wi-Fi\\", 40, "psk"),
        ("New", 30, "sae"),
        ("Open", 10, "open"),
    ]


@pytest.mark.parametrize("line", ["", "nonsense", "*:zz:70:WPA2", "*:41:x:WPA2", "*:41:70", " :0000:70:WPA2"])
def test_what_is_no_network_is_left_out(line: str) -> None:
    assert networks(line) == []


def test_the_one_in_use_comes_first() -> None:
    printed = " :41:90:WPA2\n*:42:10:WPA2\n :42:80:WPA2"
    assert [(one.ssid, one.in_use) for one in networks(printed)] == [(b"B", True), (b"A", False)]


@pytest.mark.parametrize(("told", "kind"), [("--", "open"), ("WEP", "other"), ("OWE", "other"), ("WPA2 WPA3", "psk")])
def test_kinds_of_security(told: str, kind: str) -> None:
    assert kind_of(told) == kind


def test_bytes_that_are_no_text_are_shown_and_kept() -> None:
    assert readable(b"caf\xe9\n") == "caf\ufffd\ufffd"
    assert networks("*:636166E9:50:WPA2") == [Network(b"caf\xe9", 50, "psk", in_use=True)]


def test_alone_it_opens_its_own_network_and_a_guest_joins_another(machine: Machine) -> None:
    machine.alone()
    state = machine.hotspot.answer({"do": "state"})
    assert (state["hotspot"], len(state["networks"])) == ("Lodestone", 5)
    state = machine.join(CAFE, SECRET)
    assert (state["good"], state["hotspot"]) == (True, None)
    assert machine.connected() == uuid_of(CAFE)
    assert machine.manager.knows_a_network(), "from now on it is joined by itself"
    assert [path.stat().st_mode & 0o777 for path in machine.kept.iterdir()] == [0o600]


@pytest.mark.parametrize(
    ("ssid", "password", "hidden"),
    few(
        [
            (b"Shy", SECRET, True),
            (b"Open", "", False),
            pytest.param(b"New", "12345678", False, marks=pytest.mark.thorough),
            pytest.param(b"Home", "12345678", False, marks=pytest.mark.thorough),
        ],
        1,
    ),
)
def test_each_kind_of_network_is_joined(machine: Machine, ssid: bytes, password: str, hidden: bool) -> None:
    machine.alone()
    assert machine.join(ssid, password, hidden=hidden)["good"]
    assert machine.connected() == uuid_of(ssid)


@pytest.mark.parametrize(
    ("ssid", "password", "why"),
    few(
        [
            (CAFE, "wrong password", sentence("too far away")),
            (b"Gone", "12345678", sentence("there is no such network")),
        ],
        1,
    ),
)
def test_a_network_that_does_not_take_it_is_forgotten_and_the_hotspot_is_back(
    machine: Machine, ssid: bytes, password: str, why: str
) -> None:
    machine.alone()
    state = machine.join(ssid, password, hidden=ssid == b"Gone")
    assert why in str(state["told"])
    assert (state["good"], state["hotspot"]) == (False, "Lodestone")
    assert machine.connected() == HOTSPOT
    assert list(machine.kept.iterdir()) == []


@pytest.mark.thorough
def test_a_wrong_password_leaves_the_right_one_of_before(machine: Machine) -> None:
    machine.alone()
    machine.join(b"Home", "12345678")
    before = next(machine.kept.iterdir()).read_text()
    assert not machine.join(b"Home", "87654321")["good"]
    assert next(machine.kept.iterdir()).read_text() == before


def test_no_password_is_on_a_command_line_or_in_what_is_said(machine: Machine) -> None:
    machine.alone()
    machine.join(CAFE, SECRET)
    machine.join(CAFE, "wrong but secret")
    told = json.dumps([machine.read()["asked"], machine.said, machine.hotspot.answer({"do": "state"})])
    for secret in (SECRET, "wrong but secret", "hotspot-word"):
        assert json.dumps(secret)[1:-1] not in told


IMPOSSIBLE: list[tuple[Any, str]] = [
    ({"ssid": b"Home".hex(), "password": "short"}, "8 to 63 characters"),
    ({"ssid": b"Firm".hex(), "password": "12345678"}, "more than a password"),
    ({"ssid": b"Else".hex(), "password": "12345678"}, "no such network"),
    ({"ssid": "", "password": "12345678", "hidden": True}, "1 to 32 bytes"),
    ({"ssid": "41" * 33, "password": "12345678", "hidden": True}, "1 to 32 bytes"),
    ({"ssid": "xyz", "password": "12345678"}, "the name of a network"),
    ({"ssid": 7, "password": "12345678"}, "the name of a network"),
    ({"ssid": b"Home".hex(), "password": "1234567\n9"}, "8 to 63 characters"),
    ({"ssid": b"Open".hex(), "password": "12345678"}, "has no password"),
]


def test_what_no_network_can_have_is_refused_at_once(machine: Machine) -> None:
    machine.alone()
    for asked, why in IMPOSSIBLE:
        answer = machine.hotspot.answer({"do": "join", "hidden": False, **asked})
        assert not answer["ok"]
        assert why in json.dumps(answer["why"])
    assert machine.connected() == HOTSPOT


def test_a_cable_closes_the_hotspot(machine: Machine) -> None:
    machine.alone()
    machine.change("eth0", state="connected", uuid="some")
    machine.hotspot.watch(ALONE_S + 1)
    assert machine.connected() == ""


@pytest.mark.thorough
def test_a_radio_that_is_off_is_switched_on(machine: Machine) -> None:
    machine.change("wlan0", state="unavailable")
    machine.alone()


def test_no_network_in_reach_is_told(machine: Machine) -> None:
    machine.write({**machine.read(), "networks": []})
    machine.alone()
    machine.hotspot.answer({"do": "look"})
    assert "No network is in reach" in str(machine.state(lambda state: state["doing"] is None)["told"])


def test_a_network_manager_that_does_not_run_is_told_once(machine: Machine) -> None:
    machine.write({**machine.read(), "dead": True})
    for now in range(5):
        machine.hotspot.watch(now * 100.0)
    assert machine.said == ["NetworkManager does not run"]


def test_a_machine_without_network_manager_says_so(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    machine.hotspot.watch(0)
    assert machine.said == [sentence("this machine has no NetworkManager")]


def test_an_unknown_refusal_is_told_in_its_own_words(machine: Machine) -> None:
    with pytest.raises(WifiError, match="NetworkManager says: Error: argument 'nonsense' not understood"):
        machine.manager._run("nonsense")


# -- when it opens and closes ------------------------------------------------------------------------------------------

ALONE = NetworkState(online=False, has_wifi=True, hotspot=False, knows_a_network=False, guests=False)
OPEN = ALONE._replace(hotspot=True)


@pytest.mark.parametrize(
    ("seen", "after", "deed"),
    [
        (ALONE, ALONE_S, "open"),
        (ALONE._replace(knows_a_network=True), SEARCH_S, "open"),
        (OPEN._replace(knows_a_network=True), RETRY_S, "close"),
        (OPEN._replace(knows_a_network=True, guests=True), RETRY_S, None),
        (OPEN, RETRY_S, None),
        (ALONE._replace(online=True), RETRY_S, None),
        (ALONE._replace(has_wifi=False), RETRY_S, None),
    ],
)
def test_the_hotspot_opens_and_closes_after_its_time(seen: NetworkState, after: float, deed: str | None) -> None:
    watch = HotspotRules()
    assert watch.step(100, seen) is None
    assert watch.step(100 + after - 1, seen) is None
    assert watch.step(100 + after, seen) == deed


def test_a_moment_online_begins_the_time_anew() -> None:
    watch = HotspotRules()
    assert watch.step(0, ALONE) is None
    assert watch.step(ALONE_S - 1, ALONE._replace(online=True)) is None
    assert watch.step(ALONE_S, ALONE) is None
    assert watch.step(2 * ALONE_S, ALONE) == "open"


def test_guests_and_ways_out_are_read_from_the_kernel(tmp_path: Path) -> None:
    (tmp_path / "arp").write_text(
        "IP address HW type Flags HW address Mask Device\n10.42.0.9 0x1 0x2 aa:bb:cc:dd:ee:ff * wlan0\n"
        "192.168.1.1 0x1 0x0 00:00:00:00:00:00 * eth0\n"
    )
    assert has_guests("wlan0", tmp_path / "arp")
    assert not has_guests("eth0", tmp_path / "arp")
    (tmp_path / "route").write_text("Iface Destination Gateway\neth0 00000000 0101A8C0\nwlan0 002AA8C0 00000000\n")
    assert leads_out("wlan0", tmp_path / "route")
    assert not leads_out("eth0", tmp_path / "route")


# -- settings and socket -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "Lodestone\n", "Lodestone\nshort\n", "a\nb\nc\n", f"{'x' * 33}\n12345678\n"])
def test_settings_that_are_none_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "hotspot").write_text(text)
    with pytest.raises(Refused, match="hotspot"):
        read_settings(tmp_path / "hotspot")


@pytest.fixture
def page(machine: Machine) -> Iterator[Wifi]:
    path = Path(tempfile.mkdtemp(prefix="lodestone-")) / "socket"  # A socket's path is short: at most 107 bytes.
    ended = threading.Event()
    thread = threading.Thread(target=service.serve, args=(machine.hotspot, path, None, ended))
    thread.start()
    page = Wifi(path)
    try:
        eventually(page.is_available)
        yield page
    finally:
        ended.set()
        thread.join()
    path.parent.rmdir()  # The socket has gone.


@pytest.fixture
def listened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths that sockets have when they begin to listen."""
    paths: list[str] = []

    class Noted(socket.socket):
        def listen(self, *backlog: int) -> None:
            paths.append(self.getsockname())
            super().listen(*backlog)

    monkeypatch.setattr(socket, "socket", Noted)
    return paths


def test_what_is_offered_listens(listened: list[str], page: Wifi) -> None:
    assert page.state()["hotspot"] is None
    assert len(listened) == 1
    assert listened != [str(page._path)]


def test_the_page_asks_by_the_socket(machine: Machine, page: Wifi) -> None:
    assert page.state()["hotspot"] is None
    assert not page.is_guest("10.42.0.7"), "the hotspot is closed"
    page.look()
    machine.state(lambda state: state["doing"] is None)
    page.join(b"Home".hex(), "12345678", hidden=False)
    assert machine.state(lambda state: state["doing"] is None)["good"]
    assert page.state()["message"] == "The table is in Home now."
    with pytest.raises(TableError, match="8 to 63 characters"):
        page.join(b"Home".hex(), "short", hidden=False)


def test_polls_share_one_answer_for_some_seconds(machine: Machine, page: Wifi, monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = [0.0], list[str]()
    answer = machine.hotspot.answer

    def noted(request: Mapping[str, Any]) -> dict[str, Any]:
        asked.append(request["do"])
        return answer(request)

    monkeypatch.setattr(machine.hotspot, "answer", noted)
    phones = Wifi(page._path, lambda: now[0])
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: phones.own_name(), range(40))) == {None}
    assert asked == ["state"]

    phones.switch(on=True)
    machine.state(lambda state: state["doing"] is None)
    asked.clear()
    assert [phones.own_name(), phones.own_name()] == ["Lodestone", "Lodestone"], "a wish drops the old answer"
    assert asked == ["state"]

    machine.hotspot._close()  # Not by a page's wish.
    now[0] += NAME_S
    asked.clear()
    assert phones.own_name() is None
    assert asked == ["state"]


def test_a_service_that_does_not_answer_is_not_asked_at_each_poll(tmp_path: Path) -> None:
    now = [0.0]
    path = tmp_path / "socket"
    path.touch()  # Nobody listens.
    asked: list[float] = []

    class Counted(Wifi):
        def state(self) -> dict[str, Any]:
            asked.append(now[0])
            return super().state()

    phones = Counted(path, lambda: now[0])
    assert [phones.own_name() for _ in range(5)] == [None] * 5
    now[0] += NAME_S
    assert phones.own_name() is None
    assert asked == [0.0, NAME_S]


def said_to(page: Wifi, request: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as out:
        out.connect(str(page._path))
        out.sendall(request)
        out.shutdown(socket.SHUT_WR)
        return out.makefile("rb").readline()


@pytest.mark.parametrize(
    "request_", few([b"[" * 4096, b'{"do":' * 600, b"no JSON\n", b"\xff\n", b"[]\n", b"", b'{"do": "state"'], 3)
)
def test_what_is_no_request_is_refused_and_the_service_goes_on(page: Wifi, request_: bytes) -> None:
    assert json.loads(said_to(page, request_))["ok"] is False
    assert page.state()["hotspot"] is None


def test_a_request_that_comes_by_bytes_does_not_keep_the_service(page: Wifi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "ANSWER_S", 0.1)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as slow:
        slow.connect(str(page._path))
        with suppress(BrokenPipeError):  # It is cut off although it never stops.
            while True:
                slow.sendall(b" ")
                time.sleep(0.01)  # A client as slow as this is what is tested.
    assert page.state()["hotspot"] is None


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """A service that can't take a call now and then, as when it has too many files open."""
    refused: list[None] = []

    class Full(socket.socket):
        def accept(self) -> tuple[socket.socket, Any]:
            if len(refused) < 3:
                refused.append(None)
                raise OSError(errno.EMFILE, "Too many open files")
            return super().accept()

    monkeypatch.setattr(socket, "socket", Full)
    return refused


def test_a_service_that_can_not_take_a_call_goes_on(refused: list[None], page: Wifi) -> None:
    assert page.state()["hotspot"] is None
    assert len(refused) == 3


def test_without_the_service_nothing_is_offered(tmp_path: Path) -> None:
    nothing = Wifi(tmp_path / "socket")
    assert not nothing.is_available()
    with pytest.raises(TableError, match="not chosen here"):
        nothing.state()


def test_the_host_plays_in_the_hotspot_until_it_is_left(machine: Machine) -> None:
    """It stays beside a cable and without guests; the portal and its names are there exactly as long as it is open."""
    machine.change("eth0", state="connected", uuid="a cable")
    machine.hotspot.watch(0)
    assert machine.connected() == ""
    assert machine.hotspot.answer({"do": "code"}) == {"ok": True, "code": None}
    assert not machine.lines.exists()

    assert machine.hotspot.answer({"do": "open"}) == {"ok": True}
    machine.state(lambda state: state["doing"] is None)
    assert machine.connected() == HOTSPOT
    assert machine.lines.exists()
    assert machine.hotspot.answer({"do": "code"})["code"] == "WIFI:T:WPA;S:Lodestone;P:hotspot-word;;"
    for moment in (1.0, ALONE_S, RETRY_S * 2):
        machine.hotspot.watch(moment)
    assert machine.connected() == HOTSPOT, "the host plays in it"

    assert machine.hotspot.answer({"do": "close"}) == {"ok": True}
    machine.state(lambda state: state["doing"] is None)
    assert machine.connected() == ""
    assert not machine.lines.exists(), "names of other networks are left alone"
    machine.hotspot.watch(RETRY_S * 3)
    assert machine.connected() == "", "the cable leads out"


def test_joining_a_network_ends_the_portal(machine: Machine) -> None:
    machine.alone()
    assert machine.lines.exists()
    assert machine.join(b"Home", "12345678")["good"]
    assert not machine.lines.exists()


def test_a_portal_that_can_not_open_leaves_the_hotspot_open(machine: Machine) -> None:
    machine.lines.parent.write_text("no folder")
    machine.alone()
    machine.hotspot.watch(ALONE_S + 1)
    assert len([line for line in machine.said if "the portal can't be opened" in line]) == 1

"""The captive portal, with the real dnsmasq and the probes of each system, between network namespaces."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from firmware_host.extensions.appliance.portal import (
    JSON,
    MAX_CONNECTIONS,
    MAX_PHONES,
    ONLINE,
    TABLE,
    THROUGH,
    Portal,
    Visits,
    dnsmasq_lines,
)
from tests.ports import free_port
from tests.sentences import sentence
from tests.waiting import eventually

PAGE = f"http://{TABLE}:8000/"
PROBES = {
    "Android": ("connectivitycheck.gstatic.com", "/generate_204"),
    "Android, by Google": ("www.google.com", "/gen_204"),
    "iOS and macOS": ("captive.apple.com", "/hotspot-detect.html"),
    "older macOS": ("www.apple.com", "/library/test/success.html"),
    "Windows": ("www.msftconnecttest.com", "/connecttest.txt"),
    "older Windows": ("www.msftncsi.com", "/ncsi.txt"),
    "Firefox": ("detectportal.firefox.com", "/success.txt"),
    "Firefox, its page": ("detectportal.firefox.com", "/canonical.html"),
    "GNOME": ("nmcheck.gnome.org", "/check_network_status.txt"),
}
TABLE_NS, PHONE_NS = (f"lodestone-{what}-{os.getpid()}" for what in ("table", "phone"))


# -- without a network ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", PROBES)
def test_the_sheet_opens_until_its_button_was_pressed_and_then_the_phone_stays(system: str) -> None:
    visits, (host, path) = Visits(PAGE), PROBES[system]
    first = visits.answer("10.42.0.7", host, path)
    assert (first.status, first.location) == (302, f"http://{TABLE}/"), "neither 204 nor the text: a portal"
    sheet = visits.answer("10.42.0.7", TABLE, "/")
    assert sheet.status == 200
    text = sheet.body.decode()
    assert sentence("Open the table in your") in text
    assert text.count("<a ") == 1, "one button"
    assert f'href="{THROUGH}"' in text
    assert visits.answer("10.42.0.7", TABLE, THROUGH).location == PAGE
    assert visits.answer("10.42.0.7", host, path) == ONLINE[path]
    assert visits.answer("10.42.0.8", host, path).status == 302, "another phone has not been through"


def test_the_json_of_rfc_8908_says_whether_a_phone_is_captive() -> None:
    visits = Visits(PAGE)
    for captive in (True, False):
        reply = visits.answer("10.42.0.7", TABLE, JSON)
        assert reply.kind == "application/captive+json"
        told = json.loads(reply.body)
        assert (told["captive"], told["user-portal-url"]) == (captive, f"http://{TABLE}/")
        visits.answer("10.42.0.7", TABLE, THROUGH)


def test_a_flood_of_phones_is_forgotten_oldest_first() -> None:
    visits = Visits(PAGE)
    for number in range(MAX_PHONES + 1):
        visits.answer(f"phone {number}", TABLE, THROUGH)
    assert visits.answer("phone 0", "x", "/gen_204").status == 302
    assert visits.answer("phone 1", "x", "/gen_204").status == 204


def test_names_of_other_networks_are_left_alone(tmp_path: Path) -> None:
    lines = tmp_path / "dnsmasq-shared.d" / "lodestone-portal.conf"
    portal = Portal(lambda: Visits(PAGE), lines, ("127.0.0.1", free_port()))
    portal.prepare()
    portal.open()
    assert lines.read_text() == dnsmasq_lines()
    portal.close()
    assert not lines.exists()
    portal.close()


def test_connections_that_say_nothing_keep_no_phone_from_its_answer(tmp_path: Path) -> None:
    """Each has a thread and a file: one more than there may be ends the oldest."""
    port = free_port()
    portal = Portal(lambda: Visits(PAGE), tmp_path / "lines", ("127.0.0.1", port))
    portal.open()
    with ExitStack() as stack:
        stack.callback(portal.close)
        silent = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            for _ in range(MAX_CONNECTIONS + 10)
        ]
        for one in silent:
            one.sendall(b"GET / HTTP/1.0\r\n")
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        line.request("GET", "/generate_204")
        assert line.getresponse().status == 302, "it is led to the sheet"
        assert silent[0].recv(1) == b"", "the oldest has ended"


# -- between namespaces -----------------------------------------------------------------------------------------------

SERVE = f"""
import threading
from pathlib import Path
from firmware_host.extensions.appliance.portal import Portal, Visits
portal = Portal(lambda: Visits({PAGE!r}), Path("/nowhere/lines"))
portal.open()
print("open", flush=True)
threading.Event().wait()
"""
ASK = """
import http.client, json, socket, struct, sys
def name(host):
    labels = b"".join(bytes([len(one)]) + one.encode() for one in host.split(".")) + b"\\0"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.settimeout(5)
        out.sendto(struct.pack(">6H", 7, 256, 1, 0, 0, 0) + labels + struct.pack(">2H", 1, 1), ("10.42.0.1", 53))
        answer = out.recv(512)
    return socket.inet_ntoa(answer[-4:]) if struct.unpack(">H", answer[6:8])[0] else None
def get(host, path):
    line = http.client.HTTPConnection(name(host) if host[0].isalpha() else host, 80, timeout=5)
    line.request("GET", path, headers={"Host": host})
    answer = line.getresponse()
    return [answer.status, answer.getheader("Location"), answer.getheader("Content-Type"), answer.read().decode()]
def dhcp(device):
    mac = b"\\2\\0\\0\\0\\0\\1"
    head = struct.pack(">4B L 2H 4L", 1, 1, 6, 0, 99, 0, 0x8000, 0, 0, 0, 0) + mac.ljust(16, b"\\0") + bytes(192)
    wish = b"\\x63\\x82\\x53\\x63" + b"\\x35\\1\\1" + b"\\x37\\3\\3\\6\\x72" + b"\\xff"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        out.setsockopt(socket.SOL_SOCKET, 25, device.encode())
        out.bind(("", 68))
        out.settimeout(10)
        out.sendto(head + wish, ("255.255.255.255", 67))
        offer = out.recv(2048)
    found, at = {}, 240
    while offer[at] != 255:
        found[offer[at]] = offer[at + 2 : at + 2 + offer[at + 1]]
        at += 2 + offer[at + 1]
    return {"address": socket.inet_ntoa(offer[16:20]), "portal": found.get(114, b"").decode(),
            "names": socket.inet_ntoa(found[6][:4])}
print(json.dumps(eval(sys.argv[1])))
"""


class Air:
    """A table's hotspot and a phone: two namespaces and a cable for the radio."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen[str]] = []

    def open(self, folder: Path) -> None:
        for command in (
            f"netns add {TABLE_NS}", f"netns add {PHONE_NS}",
            f"link add lt0 netns {TABLE_NS} type veth peer name lp0 netns {PHONE_NS}",
            f"-n {TABLE_NS} addr add {TABLE}/24 dev lt0", f"-n {TABLE_NS} link set lt0 up",
            f"-n {PHONE_NS} addr add 10.42.0.9/24 dev lp0", f"-n {PHONE_NS} link set lp0 up",
        ):  # fmt: skip
            subprocess.run(["ip", *command.split()], check=True)
        shared = folder / "dnsmasq-shared.d"
        Portal(lambda: Visits(PAGE), shared / "lodestone-portal.conf").prepare()
        # As NetworkManager starts it for a shared connection (nm-dnsmasq-manager.c).
        self.begin(
            "dnsmasq", "--conf-file=/dev/null", "--no-hosts", "--keep-in-foreground", "--bind-interfaces",
            "--except-interface=lo", "--clear-on-reload", "--strict-order", f"--listen-address={TABLE}",
            "--dhcp-range=10.42.0.10,10.42.0.254,60m", f"--dhcp-leasefile={folder / 'leases'}",
            f"--pid-file={folder / 'pid'}", f"--conf-dir={shared}", "--user=root",
        )  # fmt: skip
        portal = self.begin(sys.executable, "-c", SERVE)
        assert portal.stdout is not None
        assert portal.stdout.readline() == "open\n"
        eventually(lambda: self.ask("name('probe.example')") == TABLE, "dnsmasq answers")

    def begin(self, *words: str) -> subprocess.Popen[str]:
        command = ["ip", "netns", "exec", TABLE_NS, *words]
        self.running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return self.running[-1]

    def ask(self, what: str) -> Any:
        """Return what a phone finds; None if nothing answers."""
        command = ["ip", "netns", "exec", PHONE_NS, sys.executable, "-c", textwrap.dedent(ASK), what]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def close(self) -> None:
        for one in self.running:
            one.terminate()
            one.communicate()
        for namespace in (TABLE_NS, PHONE_NS):
            subprocess.run(["ip", "netns", "delete", namespace], check=False, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def air(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Air]:
    if os.geteuid() != 0 or not shutil.which("dnsmasq") or not shutil.which("ip"):
        pytest.skip("needs root, dnsmasq (apt install dnsmasq-base) and ip")
    if subprocess.run(["ip", "netns", "add", f"{TABLE_NS}-try"], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no network namespaces")
    subprocess.run(["ip", "netns", "delete", f"{TABLE_NS}-try"], check=True)
    air = Air()
    try:
        air.open(tmp_path_factory.mktemp("air"))
        yield air
    finally:
        air.close()


def test_a_phone_is_told_of_the_portal_with_its_address(air: Air) -> None:
    told = air.ask("dhcp('lp0')")
    assert told["address"].startswith("10.42.0.")
    assert told["names"] == TABLE
    assert told["portal"] == f"http://{TABLE}{JSON}"


def test_every_system_opens_its_sheet_and_stays_once_it_was_pressed(air: Air) -> None:
    """One phone, each system's documented question, before and after."""
    everything = f"[get(host, path) for host, path in {list(PROBES.values())!r}]"
    before = air.ask(everything)
    assert [(status, where) for status, where, *_ in before] == [(302, f"http://{TABLE}/")] * len(PROBES)
    sheet = air.ask(f"get({TABLE!r}, '/')")
    assert sheet[0] == 200
    assert THROUGH in sheet[3]
    assert json.loads(air.ask(f"get({TABLE!r}, {JSON!r})")[3])["captive"] is True
    assert air.ask(f"get({TABLE!r}, {THROUGH!r})")[:2] == [302, PAGE]
    after = air.ask(everything)
    wanted = [ONLINE[path] for _, path in PROBES.values()]
    assert [(status, body) for status, _, _, body in after] == [(one.status, one.body.decode()) for one in wanted]
    assert json.loads(air.ask(f"get({TABLE!r}, {JSON!r})")[3])["captive"] is False


def test_every_name_is_the_table(air: Air) -> None:
    names = ["example.com", "vm.fritz.box", "some.where.else.example.org", "lodestone.local"]
    assert air.ask(f"[name(one) for one in {names!r}]") == [TABLE] * len(names)


def test_windows_finds_the_one_name_by_which_it_tells_a_true_dns(air: Air) -> None:
    """Otherwise a laptop that has been through still calls this Wi-Fi one without internet, and leaves it."""
    assert air.ask("name('dns.msftncsi.com')") == "131.107.255.255"

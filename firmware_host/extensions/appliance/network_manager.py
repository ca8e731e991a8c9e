"""NetworkManager by its ``nmcli`` (nmcli(1), ``--terse``) and its keyfiles (nm-settings-keyfile(5)).

A password is in a keyfile that only root reads, never on a command line, which every account can read.

Profiles are changed by their files alone. On Raspberry Pi OS 13 NetworkManager has netplan behind it: ``nmcli
connection modify`` would move the profile into /etc/netplan (netplan, "Netplan everywhere"), and deleting it after a
failed attempt would hide the one that had worked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from firmware_host.archive.files import write_whole
from firmware_host.text.words import Text, say

OWN = uuid.UUID("5d0f3c57-6b0f-4b7e-9c1e-6f6c0e5a2b11")
HOTSPOT = str(uuid.uuid5(OWN, "hotspot"))
"""The hotspot's UUID; a network's own one comes from its name, so that joining it again replaces its profile."""
WAIT_S = 60
"""Time for NetworkManager to activate a connection, seconds."""
ANSWER_S = WAIT_S + 30
MAX_SSID = 32
WIFI_TYPE = "802-11-wireless"
_WORDS: Mapping[int, Text] = {
    3: say("it took too long"),
    4: say("the network did not take it: wrong password, or too far away"),
    8: say("NetworkManager does not run"),
    10: say("there is no such network any more"),
}


class WifiError(Exception):
    """NetworkManager has refused; the message is meant for people."""

    def __init__(self, words: Text) -> None:
        super().__init__(words)
        self.words = words


class Network(NamedTuple):
    """A network in reach: its name as bytes, signal in per cent, and its security.

    ``kind`` is ``open``, ``psk`` (WPA2), ``sae`` (WPA3 only) or ``other``, which needs more than a password.
    """

    ssid: bytes
    signal: int
    kind: str
    in_use: bool


class Device(NamedTuple):
    """A network device: its name, NetworkManager's type and state, and the UUID of its connection."""

    name: str
    kind: str
    state: str
    connection: str


def split(line: str) -> list[str]:
    r"""Return the fields of a terse line; in them ``:`` is written ``\:``, and ``\`` is written ``\\``."""
    found, escaped = [""], False
    for letter in line:
        if not escaped and letter in "\\:":
            escaped = letter == "\\"
            if letter == ":":
                found.append("")
        else:
            found[-1] += letter
            escaped = False
    return found


def networks(printed: str) -> list[Network]:
    """Return the networks of ``IN-USE,SSID-HEX,SIGNAL,SECURITY``, one of each name, the strongest first.

    Hidden networks, which have no name, are left out.
    """
    found: dict[bytes, Network] = {}
    for fields in map(split, printed.splitlines()):
        if len(fields) != 4:
            continue
        with suppress(ValueError):
            one = Network(bytes.fromhex(fields[1]), int(fields[2]), kind_of(fields[3]), fields[0] == "*")
            known = found.get(one.ssid)
            if one.ssid.strip(b"\0") and (
                known is None or one.in_use or (one.signal > known.signal and not known.in_use)
            ):
                found[one.ssid] = one
    return sorted(found.values(), key=lambda one: (not one.in_use, -one.signal, one.ssid))


def kind_of(security: str) -> str:
    """Return the kind of ``SECURITY``: empty, ``WEP``, or some of ``WPA1 WPA2 WPA3 OWE 802.1X``."""
    words = set(security.replace("--", "").split())
    if not words:
        return "open"
    if "802.1X" in words:
        return "other"
    if words & {"WPA1", "WPA2"}:
        return "psk"
    return "sae" if "WPA3" in words else "other"


def check_network(ssid: bytes, kind: str, password: str) -> None:
    """Raise WifiError for what no network can have."""
    if not 0 < len(ssid) <= MAX_SSID:
        raise WifiError(say("a network's name has 1 to 32 bytes"))
    if kind == "other":
        raise WifiError(say("this network needs more than a password, which Lodestone can't give it"))
    if kind != "open" and not (8 <= len(password.encode()) <= 63 and password.isprintable()):
        raise WifiError(say("a Wi-Fi password has 8 to 63 characters"))


def keyfile(ssid: bytes, kind: str, password: str, *, hidden: bool, joined: bool = False) -> str:
    """Return the profile of a network, which is joined by itself only after it has been ``joined`` once."""
    return _keyfile(
        connection={"id": f"lodestone-{ssid.hex()}", "uuid": uuid_of(ssid), "type": "wifi",
                    "autoconnect": "true" if joined else "false"},
        wifi={"mode": "infrastructure", "ssid": _list(ssid), "hidden": "true" if hidden else "false"},
        security=_security(kind, password),
        ipv4={"method": "auto"},
        ipv6={"method": "auto"},
    )  # fmt: skip


def hotspot_keyfile(ssid: str, password: str, device: str) -> str:
    """Return the hotspot's profile. NetworkManager gives its guests addresses by dnsmasq; it has 10.42.0.1."""
    rsn = {"proto": "rsn;", "pairwise": "ccmp;", "group": "ccmp;"}
    return _keyfile(
        connection={"id": "lodestone-hotspot", "uuid": HOTSPOT, "type": "wifi", "autoconnect": "false",
                    "interface-name": device},
        wifi={"mode": "ap", "band": "bg", "ssid": _list(ssid.encode())},
        security={**_security("psk", password), **rsn},
        ipv4={"method": "shared", "address1": "10.42.0.1/24"},
        ipv6={"method": "disabled"},
    )  # fmt: skip


def uuid_of(ssid: bytes) -> str:
    """Return the UUID of a network's own profile."""
    return str(uuid.uuid5(OWN, ssid.hex()))


def _security(kind: str, password: str) -> Mapping[str, str]:
    if kind == "open":
        return {}
    return {"key-mgmt": "sae" if kind == "sae" else "wpa-psk", "psk": _text(password)}


def _text(value: str) -> str:
    """Return a text as a value of a key file: a blank at its ends would be lost."""
    return value.replace("\\", "\\\\").replace(" ", "\\s")


def _list(value: bytes) -> str:
    """Return bytes as a list of numbers, which no letter in a name can break."""
    return "".join(f"{number};" for number in value)


def _keyfile(**sections: Mapping[str, str]) -> str:
    names = {"security": "wifi-security"}
    return "\n".join(
        f"[{names.get(name, name)}]\n" + "".join(f"{key}={value}\n" for key, value in fields.items())
        for name, fields in sections.items()
        if fields
    )


class NetworkManager:
    """``nmcli`` of this machine. Only root may change anything."""

    def __init__(self, kept: Path | None = None, passing: Path | None = None) -> None:
        """``kept`` is NetworkManager's folder of profiles, ``passing`` the one that is empty after each start."""
        self._kept = kept or Path("/etc/NetworkManager/system-connections")
        self._passing = passing or Path("/run/NetworkManager/system-connections")

    def devices(self) -> list[Device]:
        """Return the network devices. Raise WifiError."""
        printed = self._run("--fields", "DEVICE,TYPE,STATE,CON-UUID", "device", "status")
        found = [split(line) for line in printed.splitlines()]
        return [Device(*fields) for fields in found if len(fields) == 4]

    def networks(self, device: str) -> list[Network]:
        """Return the networks in reach, after a fresh look where the last one is old. Raise WifiError."""
        fields = ("--fields", "IN-USE,SSID-HEX,SIGNAL,SECURITY")
        return networks(self._run(*fields, "device", "wifi", "list", "ifname", device, "--rescan", "auto"))

    def knows_a_network(self) -> bool:
        """Return whether there is a profile of a wireless network that is joined by itself. Raise WifiError."""
        printed = self._run("--fields", "UUID,TYPE,AUTOCONNECT", "connection", "show")
        return any(
            (kind, joins) == (WIFI_TYPE, "yes") and profile != HOTSPOT
            for profile, kind, joins in _triples(printed)
        )  # fmt: skip

    def switch_radio_on(self) -> None:
        """Raise WifiError."""
        self._run("radio", "wifi", "on")

    def open_hotspot(self, ssid: str, password: str, device: str) -> None:
        """Raise WifiError."""
        self._load(self._passing / "lodestone-hotspot.nmconnection", hotspot_keyfile(ssid, password, device))
        self._up(HOTSPOT)

    def close_hotspot(self) -> None:
        """Raise WifiError."""
        self._run("connection", "down", "uuid", HOTSPOT)

    def join(self, ssid: bytes, kind: str, password: str, *, hidden: bool) -> None:
        """Join a network, now and from now on. Raise WifiError: its former profile is as it was."""
        check_network(ssid, kind, password)
        path = self._kept / f"lodestone-{uuid_of(ssid)}.nmconnection"
        before = path.read_text(encoding="utf-8") if path.exists() else None
        try:
            self._load(path, keyfile(ssid, kind, password, hidden=hidden))
            self._up(uuid_of(ssid))
            self._load(path, keyfile(ssid, kind, password, hidden=hidden, joined=True))
        except WifiError:
            with suppress(WifiError):
                self._forget(ssid, path, before)
            raise

    def _forget(self, ssid: bytes, path: Path, before: str | None) -> None:
        if before is None:
            self._run("connection", "delete", "uuid", uuid_of(ssid))
        else:
            self._load(path, before)

    def _up(self, profile: str) -> None:
        self._run("--wait", str(WAIT_S), "connection", "up", "uuid", profile)

    def _load(self, path: Path, text: str) -> None:
        """Write a profile, whole or not at all, and have it read. Raise WifiError."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text, mode=0o600)
        except OSError as error:
            raise WifiError(
                say("{path} can't be written: {reason}", path=str(path), reason=str(error.strerror))
            ) from error
        self._run("connection", "load", str(path))

    def _run(self, *words: str) -> str:
        """Return what ``nmcli`` prints. Raise WifiError."""
        program = shutil.which("nmcli")
        if program is None:
            raise WifiError(say("this machine has no NetworkManager, so its network is chosen elsewhere"))
        try:
            done = subprocess.run(  # noqa: S603 - our own words; an SSID is a number here
                [program, "--terse", "--escape", "yes", *words], stdin=subprocess.DEVNULL, capture_output=True,
                encoding="utf-8", errors="replace", timeout=ANSWER_S, check=False,
                env={**os.environ, "LC_ALL": "C.UTF-8"},
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            raise WifiError(say("NetworkManager does not answer")) from error
        if done.returncode != 0:
            raise WifiError(_WORDS.get(done.returncode) or _last_line(done.stderr, done.returncode))
        return done.stdout


def _triples(printed: str) -> Iterator[Sequence[str]]:
    for fields in map(split, printed.splitlines()):
        if len(fields) == 3:
            yield fields


def _last_line(printed: str, code: int) -> Text:
    last = printed.strip().splitlines()[-1:] or [f"nmcli {code}"]
    return say("NetworkManager says: {reason}", reason=last[0][:200])

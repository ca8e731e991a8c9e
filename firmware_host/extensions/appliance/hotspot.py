"""Wi-Fi without a screen: the machine's own hotspot where it knows no network, and the choice of one from a phone.

Three parts, from top to bottom. The service (:class:`Hotspot`) runs as root: it watches the network and takes the
wishes of the table's page. Its rules (:class:`HotspotRules`), without a clock and without input or output, say when the
hotspot opens and closes. The table's page (:class:`Wifi`) asks by a socket that only root and the service's group can
open: one line of JSON, one line as the answer. Nothing of a request is kept, as it may hold a password.

Debian has comitup (1.38 in Bookworm) for the same purpose. It is not used: its hotspot opens also where a cable
connects the machine, it deletes the profile of a network before it tries a new password, its profiles are for WPA2 and
visible networks alone, and it brings web pages of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from firmware_host.extensions.appliance.card import wifi_code
from firmware_host.extensions.appliance.network_manager import (
    HOTSPOT,
    Network,
    NetworkManager,
    WifiError,
    check_network,
)
from firmware_host.extensions.appliance.portal import Portal
from firmware_host.link.text_files import read_text
from firmware_host.table.errors import TableError
from firmware_host.text.json_reader import InvalidJson, read_object
from firmware_host.text.words import Refused, Text, pack_text, say, unpack_text

LOOK_S = 5.0
AGAIN_S = 0.2
"""How long a call is waited for before the end is, seconds."""
LONGEST = 4096
"""Maximum length of a request, bytes."""
ANSWER_S = 10.0
LEAVE_S = 2.0
"""Time for the answer to reach a phone in the hotspot before the hotspot closes, seconds."""
ADDRESSES = Path("/proc/net/arp")
ROUTES = Path("/proc/net/route")
Log = Callable[[str], None]


class Settings(NamedTuple):
    """The hotspot's name and password."""

    ssid: str
    password: str


def read_settings(path: Path) -> Settings:
    """Return the settings: two lines, name and password. Raise Refused."""
    expected = "two lines, the hotspot's name and its password"
    lines = read_text(path, expected).splitlines()
    if len(lines) != 2:
        raise Refused(f"{path}: expected {expected}, got {len(lines)}")
    settings = Settings(*lines)
    try:
        check_network(settings.ssid.encode(), "psk", settings.password)
    except WifiError as error:
        raise Refused(f"{path}: {error}") from error
    return settings


class Hotspot:
    """The machine's network, watched. Thread-safe."""

    def __init__(self, settings: Settings, manager: NetworkManager, log: Log, portal: Portal | None = None) -> None:
        """``portal`` opens and closes with the hotspot; None: there is none."""
        self._settings, self._manager, self._log, self._portal = settings, manager, log, portal
        self._watch = HotspotRules()
        self._lock = threading.Lock()
        """Held while the network changes."""
        self._device: str | None = None
        self._hotspot = False
        self._networks: list[Network] = []
        self._doing: Text | None = None
        self._outcome: tuple[Text, bool] | None = None
        self._trouble: Text | None = None
        self._portal_trouble = ""

    # -- watching ------------------------------------------------------------------------------------------------------

    def watch(self, now: float) -> None:
        """Look once at the network, and do what it asks for. What NetworkManager refuses is logged once."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            action = self._watch.step(now, self._look_at_network())
            if action == "open":
                self._open()
            elif action == "close":
                self._close()
            self._tend_portal()
            self._complain(None)
        except WifiError as error:
            self._complain(error.words)
        finally:
            self._lock.release()

    def _complain(self, words: Text | None) -> None:
        if words is not None and words != self._trouble:
            self._log(words)
        self._trouble = words

    def _look_at_network(self) -> NetworkState:
        devices = self._manager.devices()
        radios = [one for one in devices if one.kind == "wifi" and one.state != "unmanaged"]
        self._device = radios[0].name if radios else None
        if radios and radios[0].state == "unavailable":
            self._manager.switch_radio_on()
        ours = [one for one in devices if one.kind in {"wifi", "ethernet"} and one.state.startswith("connected")]
        self._hotspot = any(one.connection == HOTSPOT for one in ours)
        online = any(one.connection != HOTSPOT for one in ours) or leads_out(self._device, ROUTES)
        known = bool(radios) and self._manager.knows_a_network()
        return NetworkState(online, bool(radios), self._hotspot, known, has_guests(self._device, ADDRESSES))

    def _open(self) -> None:
        if self._device is None:
            return
        self._look()  # In a hotspot many radios hear no other network.
        with self._telling_of_portal():
            if self._portal is not None:
                self._portal.prepare()
        self._manager.open_hotspot(*self._settings, self._device)
        self._hotspot = True
        self._tend_portal()
        self._log(f"the hotspot {self._settings.ssid} is open")

    def _close(self) -> None:
        self._manager.close_hotspot()
        self._hotspot = False
        self._tend_portal()
        self._log("the hotspot is closed")

    def _tend_portal(self) -> None:
        """Let the portal be open exactly while the hotspot is."""
        if self._portal is None:
            return
        with self._telling_of_portal():
            if self._hotspot:
                self._portal.open()
            else:
                self._portal.close()

    @contextmanager
    def _telling_of_portal(self) -> Iterator[None]:
        """Without its portal the hotspot is one all the same."""
        try:
            yield
            self._portal_trouble = ""
        except OSError as error:
            if str(error) != self._portal_trouble:
                self._log(f"the portal can't be opened: {error}")
            self._portal_trouble = str(error)

    def _look(self) -> None:
        found = self._manager.networks(self._device) if self._device else []
        own = self._settings.ssid.encode()
        found = [one for one in found if one.ssid != own]
        self._networks = found or self._networks

    # -- the page's wishes ---------------------------------------------------------------------------------------------

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a request: ``state``, ``code``, ``look``, ``join``, ``open`` or ``close``."""
        deeds = {
            "look": (say("Looking for networks …"), self._look_for_page),
            "open": (say("Opening the table's own Wi-Fi …"), self._switch_on),
            "close": (say("Leaving the table's own Wi-Fi …"), self._switch_off),
        }
        match request:
            case {"do": "state"}:
                return {"ok": True, **self._state()}
            case {"do": "code"}:
                return {"ok": True, "code": wifi_code(*self._settings) if self._hotspot else None}
            case {"do": str(what)} if what in deeds:
                return self._begin(*deeds[what])
            case {"do": "join", "ssid": str(ssid), "password": str(password), "hidden": bool(hidden)}:
                return self._answer_join(ssid, password, hidden=hidden)
        return _refusal(say("expected the name of a network"))

    def _answer_join(self, ssid: str, password: str, *, hidden: bool) -> dict[str, Any]:
        try:
            name = bytes.fromhex(ssid)
            kind = self._kind(name, password, hidden=hidden)
            check_network(name, kind, password)
        except ValueError:
            return _refusal(say("expected the name of a network"))
        except WifiError as error:
            return _refusal(error.words)
        doing = say("Joining {network} …", network=readable(name))
        return self._begin(doing, lambda: self._join(name, kind, password, hidden=hidden))

    def _kind(self, ssid: bytes, password: str, *, hidden: bool) -> str:
        known = [one.kind for one in self._networks if one.ssid == ssid]
        if not known and not hidden:
            raise WifiError(say("there is no such network any more"))
        if known[:1] == ["open"] and password:  # Who has chosen one with a password does not mean another of its name.
            raise WifiError(say("this network has no password: choose it anew"))
        return known[0] if known else "psk" if password else "open"

    def _begin(self, doing: Text, action: Callable[[], None]) -> dict[str, Any]:
        """Do something beside; refuse while something else is being done."""
        if not self._lock.acquire(timeout=ANSWER_S / 2):
            return _refusal(say("the network is being changed already; wait a moment"))
        self._doing, self._outcome = doing, None

        def run() -> None:
            try:
                action()
            except WifiError as error:
                self._outcome = error.words, False
            finally:
                self._doing = None
                self._lock.release()

        threading.Thread(target=run, name="network", daemon=True).start()
        return {"ok": True}

    def _switch_on(self) -> None:
        """Open the hotspot for playing: it stays until it is switched off, or a network is joined."""
        time.sleep(LEAVE_S)
        if not self._hotspot:
            self._look_at_network()
            if self._device is None:
                raise WifiError(say("this machine has no Wi-Fi"))
            self._open()
        self._watch.wanted = True

    def _switch_off(self) -> None:
        time.sleep(LEAVE_S)
        self._watch.wanted = False
        if self._hotspot:
            self._close()

    def _look_for_page(self) -> None:
        self._look()
        if not self._networks:
            self._outcome = say("No network is in reach."), False

    def _join(self, ssid: bytes, kind: str, password: str, *, hidden: bool) -> None:
        time.sleep(LEAVE_S)
        name, opened = readable(ssid), self._hotspot
        try:
            self._manager.join(ssid, kind, password, hidden=hidden)
        except WifiError as error:
            self._outcome = say("{network} was not joined: {reason}.", network=name, reason=error.words), False
            self._log(f"{name} was not joined: {error.words}")
            if opened:
                with suppress(WifiError):
                    self._return()
            return
        self._hotspot = self._watch.wanted = False
        self._tend_portal()
        self._outcome = say("The table is in {network} now.", network=name), True
        self._log(f"{name} is joined")

    def _return(self) -> None:
        """Open the hotspot again unless another network is there; phones find it where they left it."""
        if not self._look_at_network().online and not self._hotspot:
            self._open()

    def _state(self) -> dict[str, Any]:
        outcome, good = self._outcome or (self._trouble, False)
        return {
            "hotspot": self._settings.ssid if self._hotspot else None,
            "networks": [
                {"id": one.ssid.hex(), "name": readable(one.ssid), "signal": one.signal, "kind": one.kind,
                 "in_use": one.in_use}
                for one in self._networks
            ],
            "doing": pack_text(self._doing), "told": pack_text(outcome), "good": good,
        }  # fmt: skip


def _refusal(words: Text) -> dict[str, Any]:
    return {"ok": False, "why": pack_text(words)}


def readable(ssid: bytes) -> str:
    """Return a network's name as text; bytes that are none are shown as ``�``, control characters as well."""
    text = ssid.decode("utf-8", "replace")
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def leads_out(device: str | None, routes: Path) -> bool:
    """Return whether a default route leads elsewhere than by the radio: a cable that NetworkManager does not manage."""
    lines = [line.split() for line in _lines(routes)[1:]]
    return any(len(fields) > 1 and fields[1] == "00000000" and fields[0] != device for fields in lines)


def has_guests(device: str | None, addresses: Path) -> bool:
    """Return whether a phone has been heard by the radio lately (the kernel's table of neighbours)."""
    lines = [line.split() for line in _lines(addresses)[1:]]
    return any(len(fields) == 6 and fields[5] == device and fields[2] != "0x0" for fields in lines)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []


# -- the socket --------------------------------------------------------------------------------------------------------


def serve(hotspot: Hotspot, path: Path, group: str | None, ended: threading.Event) -> None:
    """Watch the network, and answer the page, until ``ended``. Raise Refused."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        beside = path.with_suffix(".new")
        try:
            beside.unlink(missing_ok=True)
            listener.bind(str(beside))
            beside.chmod(0o660)
            if group is not None:
                shutil.chown(beside, group=group)
            listener.listen()
            beside.replace(path)  # The page offers a network once this path is there.
        except (OSError, LookupError) as error:
            raise Refused(f"{path}: can't be opened for the table: {error}") from error
        listener.settimeout(AGAIN_S)
        thread = threading.Thread(target=_watch, args=(hotspot, ended), name="watch", daemon=True)
        thread.start()
        while not ended.is_set():
            try:
                caller = listener.accept()[0]
            except TimeoutError:
                continue
            except OSError:  # Out of files, perhaps: the network is watched all the same.
                ended.wait(AGAIN_S)
                continue
            with caller, suppress(OSError, ValueError):
                _serve_one(hotspot, caller)
        thread.join()
    with suppress(OSError):
        path.unlink()


def _watch(hotspot: Hotspot, ended: threading.Event) -> None:
    while not ended.is_set():
        hotspot.watch(time.monotonic())
        ended.wait(LOOK_S)


def _serve_one(hotspot: Hotspot, caller: socket.socket) -> None:
    try:
        answer = hotspot.answer(read_object(_line(caller)))
    except InvalidJson:
        answer = _refusal(say("expected the name of a network"))
    caller.settimeout(ANSWER_S)
    caller.sendall(json.dumps(answer).encode() + b"\n")


def _line(caller: socket.socket) -> bytes:
    """Return a request, which has ``ANSWER_S`` to come as a whole. Raise OSError."""
    end, line = time.monotonic() + ANSWER_S, b""
    while b"\n" not in line and len(line) < LONGEST:
        caller.settimeout(max(end - time.monotonic(), 0.001))
        part = caller.recv(LONGEST - len(line))
        if not part:
            break
        line += part
    return line.partition(b"\n")[0]


def default_socket() -> Path:
    """Return where the service and the page meet."""
    return Path(os.environ.get("LODESTONE_HOTSPOT") or "/run/lodestone-hotspot/socket")


ALONE_S = 20.0
"""Time without any network before the hotspot opens where no wireless network is known, seconds."""
SEARCH_S = 90.0
"""The same where one is known: NetworkManager looks for it, and a router may start more slowly than this machine."""
RETRY_S = 300.0
"""Time after which a hotspot without guests closes to look for a known network again, seconds."""
HotspotAction = Literal["open", "close"]


class NetworkState(NamedTuple):
    """The state of the network: ``online`` by a cable or a wireless network that is not the hotspot."""

    online: bool
    has_wifi: bool
    hotspot: bool
    knows_a_network: bool
    guests: bool


@dataclass
class HotspotRules:
    """The hotspot's rules."""

    wanted: bool = False
    """Whether the host plays in the hotspot: it stays open, whatever else there is."""
    since: float | None = None
    """Since when this machine has been alone, or its hotspot without guests; None: it is neither."""

    def step(self, now: float, network: NetworkState) -> HotspotAction | None:
        """Return what to do now, at ``now`` seconds."""
        if self.wanted and network.has_wifi:
            self.since = None
            return None if network.hotspot else "open"
        if network.hotspot and network.online:
            self.since = None
            return "close"
        if (
            not network.has_wifi
            or network.online
            or (network.hotspot and (network.guests or not network.knows_a_network))
        ):
            self.since = None
            return None
        if self.since is None:
            self.since = now
        waits = RETRY_S if network.hotspot else SEARCH_S if network.knows_a_network else ALONE_S
        if now - self.since < waits:
            return None
        self.since = None
        return "close" if network.hotspot else "open"


MAX_ANSWER = 1 << 20
NAME_S = 3.0
"""Time for which the hotspot's name is not asked for again, seconds: all phones and screens poll it."""
GUESTS = "10.42.0."
"""The hotspot gives its guests these addresses."""


class Wifi:
    """The network of this machine. Nothing of a request is kept: it may hold a password."""

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path or default_socket()
        self._clock = clock
        self._asking = threading.Lock()
        """Held while the name is asked for: who comes meanwhile gets the same answer."""
        self._name: tuple[float, str | None] | None = None
        """When the hotspot's name was answered, and the name; None: it has to be asked for."""

    def is_available(self) -> bool:
        """Return whether the hotspot's service runs."""
        return self._path.exists()

    def is_guest(self, address: str | None) -> bool:
        """Return whether a phone with this address is in the hotspot, which is open now: it knows its password."""
        if address is None or not address.startswith(GUESTS) or not self.is_available():
            return False
        return self.state()["hotspot"] is not None

    def state(self) -> dict[str, Any]:
        """Return ``hotspot``, ``networks``, ``doing``, ``message`` and ``good``. Raise TableError."""
        answer = self._ask(do="state")
        self._name = self._clock(), answer["hotspot"]
        words = {"doing": unpack_text(answer["doing"]), "message": unpack_text(answer["told"])}
        return {name: answer[name] for name in ("hotspot", "networks", "good")} | words

    def code(self) -> str | None:
        """Return what a phone scans to join the hotspot, None while it is closed or there is none."""
        try:
            found: str | None = self._ask(do="code")["code"] if self.is_available() else None
        except (KeyError, TableError):  # The service is of an older release, or ends.
            return None
        return found

    def own_name(self) -> str | None:
        """Return the name of the hotspot, None while it is closed or there is none: at most ``NAME_S`` old.

        Whatever is learned of the state renews it (:meth:`state`), also that the service does not answer.
        """
        if not self.is_available():
            return None
        with self._asking:
            known = self._name
            if known is None or not 0 <= self._clock() - known[0] < NAME_S:
                try:
                    known = self._clock(), self.state()["hotspot"]
                except TableError:
                    known = self._name = self._clock(), None
            return known[1]

    def switch(self, *, on: bool) -> None:
        """Open the hotspot for playing, or leave it for a network that is known. Raise TableError."""
        self._ask(do="open" if on else "close")
        self._name = None

    def look(self) -> None:
        """Look for networks, in the background. Raise TableError."""
        self._ask(do="look")

    def check(self, ssid: str, password: str) -> None:
        """Raise TableError for what no network can have; whether it is in reach, :meth:`join` finds out."""
        try:
            check_network(bytes.fromhex(ssid), "psk" if password else "open", password)
        except ValueError:
            raise TableError("no_wifi", say("expected the name of a network")) from None
        except WifiError as error:
            raise TableError("no_wifi", error.words) from None

    def join(self, ssid: str, password: str, *, hidden: bool) -> None:
        """Join a network, in the background. ``ssid`` is hexadecimal. Raise TableError."""
        self._ask(do="join", ssid=ssid, password=password, hidden=hidden)
        self._name = None

    def _ask(self, **request: Any) -> dict[str, Any]:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as out:
                out.settimeout(ANSWER_S)
                out.connect(str(self._path))
                with out.makefile("rwb") as lines:
                    lines.write(json.dumps(request).encode() + b"\n")
                    lines.flush()
                    answer = read_object(lines.readline(MAX_ANSWER))
        except (OSError, ValueError):
            raise TableError("no_wifi", say("this machine's network is not chosen here")) from None
        if not answer["ok"]:
            raise TableError("no_wifi", unpack_text(answer["why"]))
        found: dict[str, Any] = answer
        return found

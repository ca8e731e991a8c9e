"""A scanner in the Wi-Fi: address, pairing code, connection (scanner-protocol.md, "Over Wi-Fi")."""

from __future__ import annotations

import re
import secrets
import socket
import time

from firmware_host.extensions.scanner.device.channel import NONCE_BYTES, Channel, Forgery
from hw.ports import HardwareError, Message

PREFIX = "tcp://"
TCP_PORT = 7011
PERIOD_MS = 20
"""Least period of reports, ms: each is a packet in a network that others use, too."""
SILENCE_S = 1.5
"""Silence after which a wireless scanner is lost, seconds: Wi-Fi stops for half a second now and then."""
CONNECT_S = 3.0
PROOF_S = 3.0
AT_ONCE = 4096
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_CODE_LENGTH = 16
_LABEL = "[A-Za-z0-9][A-Za-z0-9-]{0,62}"
"""A part of a host name between dots."""
_ADDRESS = re.compile(rf"tcp://(?P<host>{_LABEL}(?:\.{_LABEL})*\.?)(?::(?P<port>\d{{1,5}}))?")


def is_wireless(device: object) -> bool:
    """Tell whether a board file's ``device`` is an address in the network."""
    return str(device).startswith(PREFIX)


def address_of(device: str) -> tuple[str, int]:
    """Return host and port of ``tcp://NAME`` or ``tcp://NAME:PORT``. Raise ValueError saying what is expected."""
    found = _ADDRESS.fullmatch(device)
    port = int(found["port"] or TCP_PORT) if found else 0
    if found is None or not 0 < port < 1 << 16:
        raise ValueError(f"device: expected tcp://NAME or tcp://NAME:PORT, got {device!r:.60}")
    return found["host"], port


def new_code() -> str:
    """Return a pairing code of 80 random bits: four groups of four letters and digits."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))
    return "-".join(letters[at : at + 4] for at in range(0, _CODE_LENGTH, 4))


def code_bytes(code: str) -> bytes:
    """Return a pairing code as the channel takes it. Raise ValueError for a malformed one, without repeating it."""
    plain = code.replace("-", "")
    if len(plain) != _CODE_LENGTH or set(plain) - set(_LETTERS):
        raise ValueError(
            "code: expected the scanner's pairing code, like 7K2M-90QT-XW4B-C8NE: `lodestone hardware pair` makes one"
        )
    return plain.encode()


class WirelessPort:
    """An open connection to a scanner that has proved that it knows the code."""

    def __init__(self, device: str, code: str, timeout_s: float) -> None:
        """Connect. Raise HardwareError with the reason; ``timeout_s`` is the maximum wait of a read."""
        self._channel = Channel(code_bytes(code), secrets.token_bytes(NONCE_BYTES), is_scanner=False)
        self._early = b""
        host, port = address_of(device)
        try:
            self._socket = socket.create_connection((host, port), CONNECT_S)
        except (OSError, UnicodeError) as error:  # UnicodeError: a name that can't be one.
            raise HardwareError(
                Message("nothing answers ({error}): is it switched on, and in this network?", error=str(error))
            ) from error
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._prove()
            self._socket.settimeout(timeout_s)
        except BaseException:
            self._socket.close()
            raise

    def read(self) -> bytes:
        """Return received bytes; empty if there are none in time. Raise HardwareError when the connection has ended."""
        early, self._early = self._early, b""
        return early or self._receive()

    def write(self, data: bytes) -> None:
        """Send bytes. Raise HardwareError when the connection has ended."""
        self._send(self._channel.seal(data))

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise _end_error(str(error)) from error

    def close(self) -> None:
        """End the connection."""
        self._socket.close()

    def _prove(self) -> None:
        until = time.monotonic() + PROOF_S
        self._socket.settimeout(PROOF_S)
        heard = False
        while not self._channel.ready:
            try:
                early = self._receive()
            except HardwareError as error:
                if heard and not isinstance(error.__cause__, Forgery):
                    raise HardwareError(
                        Message("has another pairing code: the code in the board file and in its config.py must agree")
                    ) from error
                raise
            heard = True
            self._early += early
            if time.monotonic() > until:
                break
        if not self._channel.ready:
            raise HardwareError(Message("does not answer: does it run the scanner firmware (microcontrollers.md)?"))

    def _receive(self) -> bytes:
        try:
            data = self._socket.recv(AT_ONCE)
        except TimeoutError:
            return b""
        except OSError as error:
            raise _end_error(str(error)) from error
        if not data:
            raise _end_error("closed")
        try:
            payload, answer = self._channel.receive(data)
        except Forgery as error:
            raise HardwareError(
                Message("sends what no scanner with this pairing code sends ({error})", error=str(error))
            ) from error
        if answer:
            self._send(answer)
        return payload


def _end_error(why: str) -> HardwareError:
    return HardwareError(Message("the connection over Wi-Fi has ended ({error})", error=why))

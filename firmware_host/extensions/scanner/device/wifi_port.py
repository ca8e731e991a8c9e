"""The line to the host over Wi-Fi, for a Pico W or an ESP32: a TCP port that one host with the pairing code may use.

Reading never waits. A host that proves that it knows the code takes the place of the one before: that one may have lost
its power without a word. Whoever proves nothing within two seconds is sent away, and takes nobody's place meanwhile.
"""

import os
import socket
from time import ticks_diff, ticks_ms

import channel
import network
import wifi

TCP_PORT = 7011
EAGAIN = 11  # nothing has come
PATIENCE_MS = 2000  # for a proof
MAX_GUESTS = 3  # at a time; the oldest goes for a fourth
JOIN_AGAIN_MS = 15000
_AT_ONCE = 512


class WifiPort:
    """A TCP port in the network of wifi.py."""

    def __init__(self, code: str) -> None:
        """Join the network and listen. Raise ValueError naming the fault in config.py or wifi.py."""
        self._code = code.replace("-", "").encode()
        if len(self._code) != 16:
            raise ValueError("CODE: expected the pairing code (16 letters and digits), got %r" % (code,))
        if not wifi.NAME:
            raise ValueError("wifi.py: expected the name of your network as NAME, got nothing")
        if hasattr(network, "hostname"):
            network.hostname(wifi.HOSTNAME)
        self._wlan = network.WLAN(network.STA_IF)
        self._wlan.active(True)
        try:
            self._wlan.config(pm=0xA11140)  # A Pico W's radio sleeps otherwise, and reports come late.
        except Exception:
            pass  # An ESP32 has other names for it, and sleeps less.
        self._join()
        self._door = socket.socket()
        self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._door.bind(("0.0.0.0", TCP_PORT))  # noqa: S104 - who has the code may come from anywhere
        self._door.listen(2)
        self._door.setblocking(False)
        self._guests = []
        self._host = self._channel = None

    def read(self) -> bytes:
        """Return received bytes; empty if there are none."""
        if not self._wlan.isconnected() and ticks_diff(ticks_ms(), self._joined_at) > JOIN_AGAIN_MS:
            self._join()
        self._answer_the_door()
        if self._host is None:
            return b""
        try:
            data = self._host.recv(_AT_ONCE)
            if data:
                return self._channel.receive(data)[0]
        except OSError as error:
            if error.args[0] == EAGAIN:
                return b""
        except channel.Forgery:
            pass
        self._hang_up()
        return b""

    def write(self, data: bytes) -> None:
        """Send bytes. A host that does not take them in time is sent away: it comes again."""
        if self._host is None:
            return
        sealed = self._channel.seal(data)
        try:
            if self._host.send(sealed) == len(sealed):
                return
        except OSError:
            pass
        self._hang_up()

    def _join(self) -> None:
        self._joined_at = ticks_ms()
        try:
            self._wlan.connect(wifi.NAME, wifi.PASSWORD)
        except OSError:
            pass  # It is still trying.

    def _hang_up(self) -> None:
        self._host.close()
        self._host = self._channel = None

    def _answer_the_door(self) -> None:
        try:
            connection, _ = self._door.accept()
        except OSError:
            pass
        else:
            connection.setblocking(False)
            guest = Guest(connection, self._code)
            self._guests.append(guest)
            if len(self._guests) > MAX_GUESTS:
                self._guests.pop(0).connection.close()
        for guest in list(self._guests):
            if not guest.stays():
                self._guests.remove(guest)
                guest.connection.close()
            elif guest.channel.ready:
                self._guests.remove(guest)
                if self._host is not None:
                    self._hang_up()
                self._host, self._channel = guest.connection, guest.channel


class Guest:
    """Somebody who has not proved yet that it knows the code."""

    def __init__(self, connection: object, code: bytes) -> None:
        """Begin with the scanner's part; whoever does not take it is gone at the next look."""
        self.connection = connection
        self.channel = channel.Channel(code, os.urandom(channel.NONCE_BYTES), True)
        self._came_at = ticks_ms()
        self._gone = not self._send(self.channel.greeting())

    def stays(self) -> bool:
        """Take what has come; return False for who is to be sent away."""
        if self._gone or ticks_diff(ticks_ms(), self._came_at) > PATIENCE_MS:
            return False
        try:
            data = self.connection.recv(channel.NONCE_BYTES + channel.TAG_BYTES)
        except OSError as error:
            return error.args[0] == EAGAIN
        try:
            answer = self.channel.receive(data)[1]
        except channel.Forgery:
            return False
        return bool(data) and (not answer or self._send(answer))

    def _send(self, data: bytes) -> bool:
        try:
            return self.connection.send(data) == len(data)
        except OSError:
            return False

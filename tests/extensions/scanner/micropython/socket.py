"""Replaces MicroPython's module ``socket``: the bench has the real TCP connections.

It runs inside MicroPython. A connection is a number, and nothing waits, as after ``setblocking(False)``.
"""

from machine import _answer

SOL_SOCKET = SO_REUSEADDR = 0
EAGAIN = 11
ENOTCONN = 128


class socket:  # noqa: N801 - as MicroPython calls it
    """A listening socket, or a connection."""

    def __init__(self, number=None):
        self._number = number

    def setsockopt(self, *_):
        pass

    def setblocking(self, waits):
        pass

    def bind(self, address):
        self._address = address

    def listen(self, most):
        _answer(f"listen {self._address[1]}")

    def accept(self):
        number = int(_answer("accept 0"))
        if number < 0:
            raise OSError(EAGAIN)
        return socket(number), ("host", 0)

    def recv(self, most):
        found = _answer(f"receive {self._number} {most}")
        if found in ("wait", "broken"):
            raise OSError(EAGAIN if found == "wait" else ENOTCONN)
        return bytes.fromhex(found[1:])

    def send(self, data):
        count = int(_answer(f"send {self._number} {data.hex()}"))
        if count < 0:
            raise OSError(ENOTCONN)
        return count

    def close(self):
        if self._number is not None:
            _answer(f"hangup {self._number}")

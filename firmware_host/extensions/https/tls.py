"""TLS for the panel's server: one client's socket, for a loop that never waits, with plain HTTP beside it.

A client speaks TLS or, to the same port, plain HTTP; its first byte tells which. The handshake is a part of reading: it
takes what has arrived and goes on when more does, so that a client who stops in the middle of it makes nobody wait. Its
time runs as that of a request that is not complete (:func:`web_panel.limits.overdue`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import ssl
import threading
from typing import Any

from firmware_host.link.https import HANDSHAKE, MAX_RECORD, Contexts
from web_panel.limits import READS, Buckets, owner


class Door:
    """Takes clients who have connected (:data:`web_panel.serve.Wrap`)."""

    def __init__(self, contexts: Contexts) -> None:
        """``contexts`` returns with what the next client is spoken to."""
        self._contexts = contexts
        self._handshakes = Buckets()

    def __call__(self, accepted: socket.socket, address: str) -> Link | None:
        """Return what is spoken over; None, and close, where an address asks for too many.

        A handshake costs about as much as a small answer: an address may make as many as it may ask for pages.
        """
        whose = owner(address)
        if whose is not None and self._handshakes.take(whose, READS):
            accepted.close()
            return None
        return Link(accepted, self._contexts())


class Link:
    """What waitress uses of a client's socket. Thread-safe: one thread may read while another one sends.

    It is a :class:`web_panel.serve.Wrapped`.
    """

    def __init__(self, connected: socket.socket, context: ssl.SSLContext) -> None:
        """Take a socket over that has just been accepted."""
        self._socket = connected
        self._socket.setblocking(False)
        self._context = context
        self._lock = threading.Lock()
        self._begun = False
        self._found: bytes | OSError | None = None
        self.wants_to_write = False
        """Whether reading goes on only when the client has taken what was sent: a part of the handshake."""

    def __getattr__(self, name: str) -> Any:
        """Return what this class does not change: options of the socket, its number."""
        return getattr(self._socket, name)

    @property
    def is_secure(self) -> bool:
        """Whether the client speaks TLS."""
        return isinstance(self._socket, ssl.SSLSocket)

    def look(self) -> bool:
        """Read on; return whether :meth:`recv` has something to return: bytes, the end, or why there are no more."""
        if self._found is None:
            with self._lock:
                self._found = self._read()
        return self._found is not None

    def recv(self, _most: int) -> bytes:
        """Return what :meth:`look` has found. Raise OSError."""
        found, self._found = self._found, None
        if isinstance(found, OSError):
            raise found
        return found or b""

    def _read(self) -> bytes | OSError | None:
        self.wants_to_write = False
        try:
            if not self._begun:
                self._begin()
            return self._socket.recv(MAX_RECORD)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None
        except ssl.SSLWantWriteError:
            self.wants_to_write = True
            return None
        except (OSError, ValueError) as error:
            return _end_of(error)

    def _begin(self) -> None:
        """Find out what the client speaks. Raise BlockingIOError if it has not said anything yet."""
        if self._socket.recv(1, socket.MSG_PEEK)[:1] == bytes([HANDSHAKE]):
            self._socket = self._context.wrap_socket(self._socket, server_side=True, do_handshake_on_connect=False)
        self._begun = True

    def send(self, data: bytes) -> int:
        """Send what the socket takes; return how many bytes. Raise BlockingIOError if it takes none, or OSError."""
        with self._lock:
            try:
                return self._socket.send(data)
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK)) from None
            except ssl.SSLError as error:
                raise _end_of(error) from error

    def close(self) -> None:
        """Close; a client of TLS is told that nothing was cut off, if there is room for that."""
        with self._lock:
            if isinstance(self._socket, ssl.SSLSocket):
                with contextlib.suppress(OSError, ValueError):  # It has not answered, and nobody waits for that.
                    self._socket.unwrap()
            self._socket.close()


def _end_of(error: Exception) -> OSError:
    """Return an error as that of a connection that is over: a handshake that fails leaves none."""
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
        return error
    return ConnectionResetError(errno.ECONNRESET, str(error))

"""Connections to a club's page: their time limits and, where the page has a certificate, TLS.

As at a table one port is for both: a client's first byte tells whether it speaks TLS or plain
HTTP, which is led to HTTPS. A connection has its share and its time limit from its beginning, so that who stops in the
middle of a handshake keeps nothing from others.
"""

from __future__ import annotations

import asyncio
import time
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable
from typing import Any, cast

from aiohttp import web

from firmware_host.link.evidence import Evidence
from firmware_host.link.https import HANDSHAKE, MAX_RECORD, Contexts
from web_panel import limits
from web_panel.guard import SAFE
from web_panel.limits import owner


class Connection(web.RequestHandler):
    """A connection to the club's page, with what its time limits go by (:func:`web_panel.limits.overdue`)."""

    __slots__ = ("_evidence", "_leave", "_take", "_unsent", "_wire", "active", "at_work", "began", "owner")

    def __init__(
        self,
        manager: web.Server,
        loop: asyncio.AbstractEventLoop,
        take: Callable[[Connection], None],
        leave: Callable[[str | None, Connection], None],
        evidence: Evidence,
    ) -> None:
        """``take`` and ``leave`` are called at the beginning and the end; ``evidence`` is told of errors.

        No page of ours packs what it sends, so nothing is unpacked.
        """
        super().__init__(
            manager,
            loop=loop,
            access_log=cast(Any, None),
            keepalive_timeout=limits.IDLE_S,
            auto_decompress=False,
        )
        self._take, self._leave, self._evidence = take, leave, evidence
        self._wire: asyncio.Transport | None = None
        """What goes over the network: with TLS not the transport of requests."""
        self.owner: str | None = None
        self.active = time.monotonic()
        self.began: float | None = self.active
        self.at_work = False
        self._unsent = 0

    def arrive(self, wire: asyncio.BaseTransport) -> None:
        """Take up a client who has connected and said nothing yet."""
        self._wire = cast(asyncio.Transport, wire)
        address = wire.get_extra_info("peername")
        self.owner = owner(address[0] if address else None)
        self._take(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to take requests."""
        super().connection_made(transport)
        if self._wire is None:
            self.arrive(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End."""
        self.leave()
        super().connection_lost(exc)

    def leave(self) -> None:
        """Give the share back; again, if it has been given back."""
        self._leave(self.owner, self)

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; its time runs from its first byte."""
        self.active = time.monotonic()
        if not self.at_work and self.began is None:
            self.began = self.active
        super().data_received(data)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what never reaches the pages, such as a request that can't be read."""
        response = super().handle_error(request, status, exc, message)
        response.headers.update(SAFE)
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Tell of an error around a request, most often of who has sent it: not as often as others like."""
        error = kw.get("exc_info")
        if isinstance(error, BaseException):
            self._evidence.note_error(error, *args)
        else:
            self._evidence.note("request", *args)

    def begin_work(self) -> None:
        """Note that an answer is made: the head of its request has come."""
        self.at_work, self.began = True, None

    def end_work(self) -> None:
        """Note that the answer is made."""
        self.at_work, self.active = False, time.monotonic()

    def is_overdue(self, now: float) -> bool:
        """Tell whether it has exceeded a time limit; called again and again."""
        unsent = sum(one.get_write_buffer_size() for one in {self._wire, self.transport} if one is not None)
        if unsent < self._unsent or (unsent and not self._unsent):
            self.active = now
        self._unsent = unsent
        return limits.overdue(now, unsent=unsent > 0, at_work=self.at_work, began=self.began, active=self.active)

    def abort(self) -> None:
        """Close it without sending what waits."""
        if self._wire is not None:
            self._wire.abort()


class Door(asyncio.Protocol):
    """Finds out by its first byte what a client speaks."""

    def __init__(self, connection: Connection, loop: asyncio.AbstractEventLoop, contexts: Contexts) -> None:
        """``connection`` is who goes on with the client."""
        self._connection, self._loop, self._contexts = connection, loop, contexts

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first byte."""
        self._wire = cast(asyncio.Transport, transport)
        self._connection.arrive(transport)

    def connection_lost(self, _exc: BaseException | None) -> None:
        """End: the client has said nothing."""
        self._connection.leave()

    def data_received(self, data: bytes) -> None:
        """Hand the client over, with what it has said."""
        if data[0] != HANDSHAKE:
            self._wire.set_protocol(self._connection)
            self._connection.connection_made(self._wire)
            self._connection.data_received(data)
            return
        spoken = Tls(self._loop, self._connection, self._contexts())
        self._wire.set_protocol(spoken)
        spoken.connection_made(self._wire)
        spoken.take(data)


class Tls(SSLProtocol):
    """A connection that speaks TLS.

    asyncio's own streams over TLS are made of the same class, but can't be told a client's first bytes that have been
    read, nor a smaller buffer: its 256 KiB a connection would be 2 GB for all watchers.
    """

    max_size = MAX_RECORD

    def __init__(self, loop: asyncio.AbstractEventLoop, connection: Connection, context: Any) -> None:
        """Requests and answers are ``connection``'s."""
        self._connection = connection
        super().__init__(
            loop,
            connection,
            context,
            cast(Any, None),
            server_side=True,
            ssl_handshake_timeout=cast(int, limits.REQUEST_S),
        )

    def take(self, data: bytes) -> None:
        """Take bytes that the client has sent."""
        while data:
            buffer = self.get_buffer(len(data))
            part = data[: len(buffer)]
            buffer[: len(part)] = part
            self.buffer_updated(len(part))
            data = data[len(part) :]

    def connection_lost(self, exc: BaseException | None) -> None:
        """End, also in the middle of a handshake, of which a connection never hears."""
        self._connection.leave()
        super().connection_lost(exc)

"""A broker of this table's own, for rooms and clubs on one network: amqtt in a process beside the table.

It keeps nothing on disk and knows nothing of what passes: it is trusted no more than any other broker. It serves one
room or club: only who has its invitation gets in (user and password follow from it), only its topics pass, and
messages, topics and connections have bounds. If memory runs short, the system ends the broker and not the table; a
broker that has ended is started again, as soon as the system has room for it. It ends with the process that has
started it, whose end it notices by its standard input; by that, in a first line, it gets to know whom it serves.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from firmware_host import platform
from firmware_host.commands.common import own_addresses
from firmware_host.text.words import Refused, say

PORT = 1883
SERVED = "served"
"""The setting of a room or club whose broker runs beside it: the port, or that it does."""
MAX_PACKET = 68 * 1024
"""Maximum length of an MQTT packet, bytes: a message (:mod:`firmware_host.link.trust`), its topic and head."""
MAX_TOPICS = 600
"""Topics of a room or club: each may have a message that the broker keeps."""
CONNECTIONS = 200
"""Maximum number of connections. One more takes the place of the oldest that has not said who it is."""
LOGIN_S = 10.0
"""Longest time until a connection has said who it is, seconds."""
MAX_MEMORY = 400 << 20
"""Maximum size of the broker's process, bytes: with what a room uses it is a fifth."""
FIRST_TO_GO = 900
"""The broker's ``oom_score_adj`` (proc(5)): 1000 goes before all others."""
AGAIN_S = 1.0
"""Pause before a broker that has ended is started again, seconds."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Served:
    """Whom a broker serves: topics under ``place``; without a user anybody, as in rooms of earlier versions."""

    place: str
    user: str = ""
    password: str = ""

    def line(self) -> bytes:
        """Return it as the broker's process reads it."""
        return json.dumps(vars(self)).encode() + b"\n"


def lan_address() -> str | None:
    """Return this machine's address in the local network, None if it is in none."""
    return next(iter(own_addresses()), None)


class OwnBroker:
    """The process of the broker."""

    def __init__(self, port: int, served: Served) -> None:
        """Start it; it accepts connections a moment later, and clients try again until then.

        Raise Refused where something else has the port.
        """
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # As the broker itself does.
            try:
                probe.bind(("", port))
            except OSError as error:
                raise Refused(
                    say(
                        "no broker can be opened at port {port} of this machine: {reason}. If one runs here already,"
                        " give its address instead: mqtt:// and this machine's name in the network",
                        port=port,
                        reason=error.strerror,
                    )
                ) from error
        self._command = [sys.executable, "-m", "firmware_host.link.serving", str(port)]
        self._served = served
        self._closing = threading.Event()
        self._process = self._start_process()
        self._thread = threading.Thread(target=self._keep, name="broker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """The number of its present process."""
        return self._process.pid

    def _start_process(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._command, stdin=subprocess.PIPE, **platform.apart())  # noqa: S603 - this very program
        if process.stdin is not None:
            with suppress(OSError):  # It has ended already: that is noticed.
                process.stdin.write(self._served.line())
                process.stdin.flush()
        return process

    def _keep(self) -> None:
        """Start the broker again whenever it ends."""
        while True:
            ended = self._process.wait()
            _close_input(self._process)
            if self._closing.is_set():
                return
            _log.warning("This table's own broker has ended (%s); it is started again", ended)
            if not self._start_again():
                return

    def _start_again(self) -> bool:
        """Start the broker as soon as there is room for its process; return False if it is wanted no more."""
        told = ""
        while not self._closing.wait(AGAIN_S):
            try:
                self._process = self._start_process()
            except OSError as error:
                if str(error) != told:
                    told = str(error)
                    _log.warning("This table's own broker can't be started now: %s; it is tried until it can", told)
            else:
                if self._closing.is_set():  # Who closes may have looked before it was there.
                    _close_input(self._process)
                return True
        return False

    def close(self) -> None:
        """End it."""
        self._closing.set()
        process = self._process
        _close_input(process)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._thread.join(5)


def _close_input(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


class _Packets:
    """What a client sends, in place of asyncio's stream, which a packet that is too long ends, or a first one too late.

    The broker reads a packet's first byte, then the bytes of its length one by one, then the rest.
    """

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._end: float | None = asyncio.get_running_loop().time() + LOGIN_S
        self._left, self._shift = 0, -7

    @property
    def is_silent(self) -> bool:
        """Whether its first packet, which says who it is, has not come yet."""
        return self._end is not None

    async def readexactly(self, count: int) -> bytes:
        """Return so many bytes. Raise ConnectionResetError, as for a connection that is lost."""
        try:
            async with asyncio.timeout_at(self._end):
                data = await self._stream.readexactly(count)
        except TimeoutError as error:
            raise ConnectionResetError from error
        if self._shift == -8:
            self._left -= len(data)
        else:
            for byte in data:
                self._head(byte)
        if self._shift == -8 and self._left <= 0:
            self._left, self._shift, self._end = 0, -7, None
        return data

    def _head(self, byte: int) -> None:
        if self._shift >= 0:
            self._left |= (byte & 127) << self._shift
            if self._left > MAX_PACKET:
                raise ConnectionResetError
        self._shift = -8 if self._shift >= 0 and not byte & 128 else self._shift + 7

    async def read(self, count: int = -1) -> bytes:
        """Return bytes until the end."""
        return await self._stream.read(count)

    def feed_eof(self) -> None:
        """Note that nothing more comes."""
        self._stream.feed_eof()


async def _serve(port: int, served: Served) -> None:
    from amqtt.broker import Broker  # noqa: PLC0415 - of the extra [link]

    class Bounded(Broker):  # type: ignore[misc]  # amqtt tells no types
        def __init__(self, config: Mapping[str, Any]) -> None:
            super().__init__(config)
            self._entered: dict[asyncio.StreamWriter, _Packets] = {}

        async def stream_connected(
            self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
        ) -> None:
            if len(self._entered) >= CONNECTIONS:
                oldest = next((other for other, its in self._entered.items() if its.is_silent), writer)
                self._entered.pop(oldest, None)
                oldest.close()
                if oldest is writer:
                    return
            packets = self._entered[writer] = _Packets(reader)
            try:
                await super().stream_connected(packets, writer, listener_name)
            finally:
                self._entered.pop(writer, None)
                writer.close()

        async def _handle_disconnect(self, client_session: Any, handler: Any, disconnect_waiter: Any) -> None:
            """Pass on what a client has sent before its end: amqtt has answered that by then, and would forget it."""
            waiting, queue = [], client_session.delivered_message_queue
            while not queue.empty():  # All at once: whoever else waits for them is about to be stopped.
                waiting.append(asyncio.get_running_loop().create_future())
                waiting[-1].set_result(queue.get_nowait())
            for one in waiting:
                await self._handle_message_delivery(client_session, handler, one)
            await super()._handle_disconnect(client_session, handler, disconnect_waiter)

    plugin = "firmware_host.link.broker_rules"
    broker = Bounded(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"0.0.0.0:{port}"}},
            "session_expiry_interval": 60,
            "plugins": {
                f"{plugin}.Members": {"user": served.user, "password": served.password, "place": served.place},
                f"{plugin}.Topics": {"place": served.place},
            },
        }
    )
    await broker.start()
    try:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    finally:
        await broker.shutdown()


def _be_first_to_go() -> None:
    platform.be_expendable(FIRST_TO_GO)
    platform.limit_memory(0, MAX_MEMORY, MAX_MEMORY)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)  # A client that is killed is no fault of the broker.
    _be_first_to_go()
    asyncio.run(_serve(int(sys.argv[1]), Served(**json.loads(sys.stdin.readline()))))

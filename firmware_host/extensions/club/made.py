"""What a club's page makes for many: on threads of its own, once for all who ask, and kept as long as it is true.

Nobody who asks waits on a thread, and what makes a long thing takes no thread from anything else: the arbiter's acts
have theirs (:mod:`~firmware_host.extensions.club.server`).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

from firmware_host.text.words import say
from web_panel.refusals import Denied

MAX_UNSENT = 16 << 10
"""Bytes that are written at once, and then wait until the connection has taken them."""
WAIT_S = 5
"""Whoever is refused is told to ask again after so long."""

Made = TypeVar("Made", bound=Sized)


class Maker:
    """Makes things on some threads; what is made last is kept. To be used on the loop's thread."""

    def __init__(self, name: str, *, threads: int, waiting: int, kept: int) -> None:
        """``waiting``: the most things that are made or wait for it; ``kept``: the most that are kept, bytes."""
        self._threads = ThreadPoolExecutor(threads, name)
        self._waiting, self._most = waiting, kept
        self._under_way: dict[Hashable, asyncio.Future[Any]] = {}
        self._kept: OrderedDict[Hashable, tuple[Hashable, Sized]] = OrderedDict()
        self._bytes = 0

    async def get(self, what: Hashable, version: Hashable, make: Callable[[], tuple[Hashable, Made]]) -> Made:
        """Return a thing in its present version.

        ``make`` is called on a thread, once for all who ask for the same version meanwhile. It returns the version that
        the thing has at least (None: it is not kept), and the thing. Raise what it raises, and Denied if too many wait.
        """
        made, thing = self._kept.get(what, (None, ()))
        if made is not None and made == version:
            self._kept.move_to_end(what)
            return thing  # type: ignore[return-value]  # A name stands for one kind of things.
        key = what, version
        future = self._under_way.get(key)
        if future is None:
            if len(self._under_way) >= self._waiting:
                raise Denied(503, "busy", say("too many ask for this at once; try again"), WAIT_S)
            future = asyncio.get_running_loop().run_in_executor(self._threads, make)
            self._under_way[key] = future
            future.add_done_callback(partial(self._take, key))
        found: Made = (await asyncio.shield(future))[1]
        return found

    def _take(self, key: tuple[Hashable, Hashable], future: asyncio.Future[tuple[Hashable, Sized]]) -> None:
        del self._under_way[key]
        if future.cancelled() or future.exception() is not None:
            return
        (what, _), (version, _) = key, future.result()
        self._bytes -= len(self._kept.pop(what, (None, ()))[1])
        if version is not None:
            self._kept[what] = future.result()
            self._bytes += len(future.result()[1])
        while self._bytes > self._most:
            self._bytes -= len(self._kept.popitem(last=False)[1][1])

    def close(self) -> None:
        """End the threads; what waits is not made."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Pieces(Payload):
    """The body of an answer, sent piece by piece: a slow reader holds no copy of it."""

    _autoclose = True

    def __init__(self, content: bytes) -> None:
        """Nothing is copied."""
        super().__init__(content)
        self._content, self._size = content, len(content)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return it as a text."""
        return self._content.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write it all."""
        await write_pieces(writer, self._content)


async def write_pieces(writer: AbstractStreamWriter, content: bytes) -> None:
    """Write bytes, each piece once the connection has taken the one before."""
    for start in range(0, len(content), MAX_UNSENT):
        await writer.write(memoryview(content)[start : start + MAX_UNSENT])
        await writer.drain()

"""No visitor holds up the arbiter, nor the page: what many ask for is made once, on threads that nobody waits on."""

from __future__ import annotations

import asyncio
import io
import json
import re
import socket
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from firmware_host.extensions.club.club import Club
from firmware_host.extensions.club.made import MAX_UNSENT, Maker
from firmware_host.extensions.club.server import ClubServer
from tests.extensions.club.clubs import HEAD, silent_club, until
from tests.extensions.club.test_page_limits import TOKEN, asks, connect, served
from tests.extensions.club.test_store import RECORD
from web_panel.refusals import Denied

TEXT = "".join(f"line {number} of a record\n" for number in range(20_000))
Opened = tuple[Club, ClubServer, int]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Serve a club: a tournament whose one board has a record, and another one without any round."""
    with silent_club(tmp_path / "club") as club, served(club) as (server, port):
        club.archive.add_record(RECORD, TEXT)
        for _ in range(2):
            club.enter(club.create(HEAD), ["Ann", "Ben"])
        club.pair(1)
        found = {"round": 1, "board": 1, "points": [2, 0], "how": "record", "record": RECORD.digest}
        club.act(1, "result", found)
        yield club, server, port


def whole(link: socket.socket) -> tuple[int, str, bytes]:
    """Return status, head and body of an answer."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += link.recv(65536)
    head, _, body = text.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    while length and len(body) < int(length[1]):
        body += link.recv(1 << 20)
    return int(head.split()[1]), head.decode(), body


def ask(port: int, path: str, body: bytes | None = None, **more: str) -> tuple[int, str, bytes]:
    with closing(connect(port)) as link:
        asks(link, path, body, **more)
        return whole(link)


def test_downloads_leave_the_arbiter_alone(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a file is made that many wait for, the arbiter's acts and the page go on; the file is made once for all."""
    club, _, port = opened
    begun, go_on = threading.Event(), threading.Event()
    made = []

    def slow(digest: str) -> str:
        made.append(digest)
        begun.set()
        assert go_on.wait(60)
        return TEXT

    monkeypatch.setattr(club.archive, "record_text", slow)
    head = ask(port, "/api/arbiter/enter", json.dumps({"token": TOKEN}).encode())[1]
    cookie = str((re.search(r"(?i)set-cookie: ([^;]+)", head) or "")[1])
    with ExitStack() as stack:
        stack.callback(go_on.set)
        links = [stack.enter_context(closing(connect(port))) for _ in range(60)]
        for link in links:
            asks(link, "/tournament/1/records.zip")
        assert begun.wait(60)
        assert ask(port, "/api/arbiter/withdraw", b'{"tournament": 2, "player": 1}', Cookie=cookie)[0] == 200
        assert json.loads(ask(port, "/api/arbiter", Cookie=cookie)[2])["arbiter"] is True
        assert json.loads(ask(port, "/api/tournament/2")[2])["players"][0]["withdrawn"] is True
        assert ask(port, "/tournament/1/standings.csv")[2].startswith(b"place,")
        go_on.set()
        files = {whole(link)[2] for link in links}
    assert len(files) == len(made) == 1
    with zipfile.ZipFile(io.BytesIO(files.pop())) as packed:
        assert packed.namelist() == ["round-01-board-001.jsonl"]
        assert packed.read(packed.namelist()[0]).decode() == TEXT
    assert ask(port, "/tournament/1/records.zip")[0] == 200
    assert len(made) == 1, "it is kept"


def test_the_page_waits_for_nobody_s_act(opened: Opened) -> None:
    """While an act takes long (it has the club's lock) all else is answered that needs no club."""
    club, server, port = opened
    held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with club._lock:
            held.set()
            let_go.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(60)
    with ExitStack() as stack:
        stack.callback(let_go.set)
        waiting = [stack.enter_context(closing(connect(port))) for _ in range(6)]
        paths = ["/metrics", "/api/tournament/1", "/tournament/1/standings.csv", "/tournament/1/records.zip"]
        for link, path in zip(waiting, [*paths, *paths], strict=False):
            asks(link, path)
        until(lambda: server._reads._under_way)
        assert [ask(port, path)[0] for path in ("/", "/api/club", "/api/arbiter")] == [200, 200, 200]
        let_go.set()
        assert [whole(link)[0] for link in waiting] == [200] * 6
    holder.join()


def test_a_view_is_of_the_present_version(opened: Opened) -> None:
    """Also if an earlier tournament has changed, whose games are in its ratings."""
    club, _, port = opened

    def ratings() -> list[int]:
        return [one["rating"] for one in json.loads(ask(port, "/api/tournament/2")[2])["players"]]

    before = ratings()
    club.strike(1, 1, 1)
    assert ratings() != before
    assert ask(port, "/api/tournament/9")[0] == 409


def test_a_slow_reader_holds_no_copy_of_a_file(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    club, server, port = opened
    text = "".join(f"{number}\n" for number in range(1_000_000))
    monkeypatch.setattr(club.archive, "record_text", lambda _: text)
    with closing(socket.socket()) as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        link.connect(("127.0.0.1", port))
        asks(link, f"/record/{'0' * 64}.jsonl")
        connection = until(server._shares.all)[0]
        until(lambda: connection._wire and connection._wire.get_write_buffer_size())
        assert connection._wire is not None
        assert connection._wire.get_write_buffer_size() <= (64 << 10) + 2 * MAX_UNSENT
        link.settimeout(60)
        assert whole(link)[2].decode() == text


def test_what_is_made_is_bounded() -> None:
    """Of what waits, and of what is kept: the latest. What fails is not kept, and who comes too late is told when."""

    async def run() -> None:
        maker = Maker("test", threads=1, waiting=3, kept=100)
        go_on = threading.Event()
        calls: list[str] = []

        def make(name: str, version: int | None = 1, size: int = 40) -> tuple[int | None, bytes]:
            go_on.wait(60)
            calls.append(name)
            if not size:
                raise ValueError(name)
            return version, bytes(size)

        asked = [asyncio.ensure_future(maker.get(one, 1, lambda one=one: make(one))) for one in "abca"]  # type: ignore[misc]
        await asyncio.sleep(0)  # They have asked.
        with pytest.raises(Denied) as denied:
            await maker.get("d", 1, lambda: make("d"))
        assert denied.value.status == 503
        assert denied.value.wait
        go_on.set()
        assert await asyncio.gather(*asked) == [bytes(40)] * 4
        assert calls == ["a", "b", "c"]
        assert list(maker._kept) == ["b", "c"], "no more than fits"
        await maker.get("b", 1, lambda: make("b"))
        await maker.get("d", None, lambda: make("d", None))
        await maker.get("c", 2, lambda: make("c", 2))
        with pytest.raises(ValueError, match="e"):
            await maker.get("e", 1, lambda: make("e", size=0))
        assert calls == ["a", "b", "c", "d", "c", "e"]
        assert list(maker._kept) == ["b", "c"]
        await maker.get("f", 1, lambda: make("f", size=1000))
        assert not maker._kept
        assert maker._bytes == 0
        assert not maker._under_way
        maker.close()

    with ThreadPoolExecutor(1) as pool:  # Where a browser's tests run the main thread has a loop already.
        pool.submit(asyncio.run, run()).result(60)

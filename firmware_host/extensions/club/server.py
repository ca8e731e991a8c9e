"""The pages of a club (``lodestone club``): an asyncio server (aiohttp), as thousands may watch and each needs little.

What is in flight for a slow watcher is bounded by its connection's buffer: changes are kept once for all, and each is
written when the connection has taken the one before. Nothing that takes long is done on the loop's thread: what
everybody may ask for is made once for all (:mod:`~firmware_host.extensions.club.made`), and what an arbiter does has
threads of its own, which nobody else can take.

Hosts, origins, rates, times and shares of connections are limited as the panel's, by the same code
(:mod:`web_panel.limits`, :mod:`web_panel.guard`).

Everybody may read all. Who has the arbiter's token may do what an arbiter does; it is kept as a signed cookie, as the
host's (:mod:`web_panel.access`).
"""

from __future__ import annotations

import asyncio
import csv
import gzip
import hashlib
import hmac
import io
import json
import logging
import socket
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from aiohttp import web
from itsdangerous import BadData, URLSafeSerializer
from jinja2 import Environment, FileSystemLoader, select_autoescape

from firmware_host import platform
from firmware_host.extensions.club.club import Club, NotAgreed
from firmware_host.extensions.club.connections import Connection, Door
from firmware_host.extensions.club.feed import ANEW, Feed
from firmware_host.extensions.club.made import MAX_UNSENT, Maker, Pieces, write_pieces
from firmware_host.extensions.club.store import ArchiveError
from firmware_host.extensions.club.tournament import FORFEIT, RECORD, SYSTEMS, TYPED, duel_modes, option_words
from firmware_host.games import naming
from firmware_host.games.drawing import layout_view
from firmware_host.games.game import GameError
from firmware_host.games.registry import GAMES
from firmware_host.games.registry import game as find_game
from firmware_host.link.evidence import Evidence
from firmware_host.link.figures import Gauges, exposition
from firmware_host.link.https import OPEN, TEMPLATES, Https
from firmware_host.text.json_reader import InvalidJson, check_names, one_of, read_object, text, whole
from firmware_host.text.words import Refused, say, translate_all
from web_panel import limits
from web_panel.access import full_name
from web_panel.guard import MAX_URL, SAFE, compress, host_names, is_ours, squeeze
from web_panel.languages import COOKIE, Language, language_of, languages
from web_panel.limits import TOKEN_GUESSES, Buckets, Guesses, Shares, changes, owner, wait_of
from web_panel.pages.assets import COOKIE_DAYS, STATIC, bundle, static_file
from web_panel.pages.assets import names as script_names
from web_panel.refusals import SCHEMES, Denied, is_own, refusal, too_many

WATCHERS = 8000
"""Maximum number of open streams."""
MAX_BODY = 128 * 1024
"""Longest request, bytes: a list of all players."""
CONNECTIONS = 9000
"""Maximum number of connections: watchers, and pages being loaded."""
LOOK_S = 1.0
"""Time between two looks for connections that have exceeded a time limit, seconds."""
OWN_FILES = 200
"""Number of open files that the program needs beside connections."""
LISTED_RECORDS = 200
ARBITER_COOKIE = "lodestone-arbiter"
FILES_WANTED = 20_000
"""Number of open files that are asked for, one a watcher; the system may allow fewer."""
PACKED_BY = {".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png"}

_log = logging.getLogger(__name__)
_LISTENING = 2048

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Answer = TypeVar("Answer")


class ClubServer:
    """Serves a club's pages on a thread of its own."""

    def __init__(
        self,
        club: Club,
        listener: socket.socket,
        secret: bytes,
        token: Callable[[], str],
        addresses: Sequence[str],
        https: Https | None = None,
    ) -> None:
        """``token`` returns the arbiter's present token; ``addresses`` are the base URLs that are answered.

        With a certificate (``https``) the port speaks TLS, and plain HTTP gets nothing of the club but the way there.
        """
        self._https = https
        self._club, self._listener, self._token = club, listener, token
        self._signer = URLSafeSerializer(secret, salt="lodestone-arbiter-v1")
        self._addresses = addresses
        self._names = host_names(addresses)
        self._places = [urlsplit(address).netloc for address in addresses]
        self._buckets = Buckets()
        self._guesses = Guesses(self._buckets)
        self._shares: Shares[Connection] = Shares()
        self._evidence = Evidence(_log)
        self._most = CONNECTIONS
        self._languages = languages()
        self._pages = {code: _environment(one, list(self._languages.values())) for code, one in self._languages.items()}
        self._reads = Maker("reads", threads=2, waiting=200, kept=16 << 20)
        self._downloads = Maker("downloads", threads=1, waiting=20, kept=32 << 20)
        self._arbiters = ThreadPoolExecutor(2, "arbiter")
        self._streams: Counter[str | None] = Counter()
        """Open streams of each address, which is None for this machine (:func:`web_panel.limits.owner`)."""
        self._loop = asyncio.new_event_loop()
        self._feed = Feed(club.name, self._loop)
        self._stopping = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pages", daemon=True)

    def start(self) -> None:
        """Begin to serve; return when the server answers."""
        self._most = min(CONNECTIONS, platform.allow_open_files(FILES_WANTED) - OWN_FILES)
        self._club.listen(self._feed.note)
        self._thread.start()
        self._ready.wait()

    def close(self) -> None:
        """End all streams, and the server."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    def _protocol(self, manager: web.Server) -> asyncio.Protocol:
        """Return who talks with the next client."""
        connection = Connection(manager, self._loop, self._take, self._shares.leave, self._evidence)
        return connection if self._https is None else Door(connection, self._loop, self._https.context)

    async def _serve(self) -> None:
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        self._listener.setblocking(False)
        manager = cast(web.Server, runner.server)
        server = await self._loop.create_server(
            partial(self._protocol, manager), sock=self._listener, backlog=_LISTENING
        )
        looks = self._loop.create_task(self._look_after())
        self._feed.flush()
        self._ready.set()
        await self._stopping.wait()
        looks.cancel()
        server.close()
        self._feed.close()
        self._feed.flush()  # Streams notice the end.
        self._feed.close()
        await runner.cleanup()
        for one in self._shares.all():  # Who has not begun to ask for anything.
            one.abort()
        await asyncio.sleep(0)  # So long they take to close.
        self._reads.close()
        self._downloads.close()
        self._arbiters.shutdown(wait=False, cancel_futures=True)

    def app(self) -> web.Application:
        """Return the application."""
        app = web.Application(client_max_size=MAX_BODY, middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/", partial(self._page, "club.html")),
                web.get("/arbiter", partial(self._page, "arbiter.html")),
                web.get("/certificate", self._certificate),
                web.get("/words.js", self._words),
                web.get("/script/{name:.+}", self._script),
                web.get("/static/{name:.+}", self._static),
                web.get("/favicon.ico", _no_icon),
                web.get("/metrics", self._metrics),
                web.post("/api/language", self._choose_language),
                web.get("/api/club", self._whole),
                web.get("/api/events", self._events),
                web.get("/api/look", self._look),
                web.get("/api/tournament/{number:[0-9]{1,6}}", self._tournament),
                web.get("/api/records", self._records),
                web.get("/tournament/{number:[0-9]{1,6}}/standings.csv", self._standings_file),
                web.get("/tournament/{number:[0-9]{1,6}}/records.zip", self._records_file),
                web.get("/record/{digest:[0-9a-f]{64}}.jsonl", self._record_file),
                web.get("/api/arbiter", self._arbiter_state),
                web.post("/api/arbiter/enter", self._enter_arbiter),
                web.post("/api/arbiter/{what:[a-z-]{1,20}}", self._arbiter_act),
            ]
        )
        return app

    # -- connections ---------------------------------------------------------------------------------------------

    def _take(self, connection: Connection) -> None:
        """Take up a connection; if there are too many, the address with the most of them loses its idlest one."""
        most = limits.CONNECTIONS_AN_ADDRESS
        surplus = self._shares.enter(connection.owner, connection, self._most, most)
        if surplus:
            idlest = min(surplus, key=lambda one: (one.at_work, one.active))
            self._shares.leave(idlest.owner, idlest)  # It is closed a moment later: the next one is another.
            idlest.abort()

    async def _look_after(self) -> None:
        """Close the connections that have exceeded a time limit."""
        while True:
            await asyncio.sleep(LOOK_S)
            now = time.monotonic()
            for one in self._shares.all():
                if one.is_overdue(now):
                    one.abort()

    # -- every request -------------------------------------------------------------------------------------------

    @property
    def _guard(self) -> Any:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            connection = cast(Connection, request.protocol)
            connection.begin_work()
            try:
                self._check(request)
                response = self._way_to_https(request) or await handler(request)
            except Denied as denied:
                response = self._refuse(request, denied.status, denied.code, denied.message)
                if denied.wait is not None:
                    response.headers["Retry-After"] = str(denied.wait)
            except Refused as refused:
                response = self._refuse(request, 409, "refused", refused.words)
            except InvalidJson as error:
                response = self._refuse(request, 400, "bad_request", error.args[0] if error.args else "")
            except ArchiveError as error:
                self._evidence.note("archive", "The club's archive: %s", error)
                words = say("the club's archive does not answer; try again")
                response = self._refuse(request, 503, "no_archive", words)
            except web.HTTPException as error:
                response = self._fail(request, error.status, error.reason)
            except Exception as error:  # An error of ours must not be one that others can use.
                if request.writer.output_size:
                    raise  # Of an answer that has begun only the connection can be ended.
                self._evidence.note_error(error, "A request was not answered")
                response = self._fail(request, 500, "Internal Server Error")
            finally:
                connection.end_work()
            if not response.prepared:
                response.headers.update(SAFE)
                private = request.path.startswith("/api/arbiter")
                response.headers.setdefault("Cache-Control", "no-store" if private else "no-cache")
            return response

        return guard

    def _check(self, request: web.Request) -> None:
        """Raise Denied for a request that no page of the club's sends, or one too many."""
        host = request.headers.get("Host", "")
        own = is_own(request.headers.get, [host, *self._places], ["https"] if request.secure else SCHEMES)
        waits = wait_of(self._buckets, request.remote, request.method, own=own)
        if waits:
            raise too_many(waits)
        if not is_ours(host, self._names):
            raise Denied(
                400, "bad_host", say("this club does not answer to that name; use the address that the program shows")
            )
        if len(request.raw_path) > MAX_URL:
            raise Denied(414, "http", say("414: no path here is that long"))
        if changes(request.method) and not own:
            raise Denied(403, "foreign_page", say("only the club's own pages can do this"))

    def _way_to_https(self, request: web.Request) -> web.Response | None:
        """Return what plain HTTP gets where the page has a certificate, None if it may have all.

        Raise Denied where no person reads the answer.
        """
        if self._https is None or request.secure or request.path.startswith(OPEN):
            return None
        if request.path.startswith("/api/") or changes(request.method):
            raise Denied(
                421, "plain_http", say("this club answers over HTTPS only: {address}", address=self._addresses[0])
            )
        template = "certificate.html" if self._https.fingerprint else "to_https.html"
        return self._render(request, template, there=f"https://{request.host}{request.path_qs}")

    async def _fields(self, request: web.Request) -> Mapping[str, Any]:
        """Return what a request says, once all of it has come. Raise InvalidJson or HTTPException."""
        try:
            async with asyncio.timeout(limits.REQUEST_S):
                content = await request.read()
        except TimeoutError as error:
            raise web.HTTPRequestTimeout from error
        except web.HTTPException:
            raise
        except Exception as error:  # Whatever is wrong with what comes, or its end: it is not our error.
            raise web.HTTPBadRequest from error
        return read_object(content)

    def _refuse(self, request: web.Request, status: int, code: str, words: str) -> web.Response:
        message = translate_all(words, self._language(request))
        response = web.json_response(refusal(code, message), status=status)
        response.headers.update(SAFE)
        return response

    def _fail(self, request: web.Request, status: int, reason: str) -> web.Response:
        if request.path.startswith("/api/"):
            return self._refuse(request, status, "http", f"{status}: {reason}")
        return web.Response(status=status, text=f"{status}: {reason}\n")

    def _language(self, request: web.Request) -> Language:
        wish = request.headers.get("Accept-Language", "")
        return language_of(self._languages, wish, request.cookies.get(COOKIE))

    # -- pages and what they load --------------------------------------------------------------------------------

    async def _page(self, name: str, request: web.Request) -> web.Response:
        return self._render(request, name, club=self._club.name)

    def _render(self, request: web.Request, name: str, **words: str) -> web.Response:
        page = self._pages[self._language(request).code].get_template(name).render(words)
        return _answer(request, page.encode(), "text/html", vary="Cookie, Accept-Language")

    async def _certificate(self, request: web.Request) -> web.Response:
        if self._https is None or not self._https.fingerprint:
            raise web.HTTPNotFound
        return self._render(request, "certificate.html", there="/", fingerprint=self._https.fingerprint)

    async def _words(self, request: web.Request) -> web.Response:
        content = self._language(request).script.encode()
        return _answer(request, content, "text/javascript", vary="Cookie, Accept-Language")

    async def _script(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in script_names():
            raise web.HTTPNotFound
        return _answer(request, bundle(name), "text/javascript")

    async def _static(self, request: web.Request) -> web.Response:
        content, kind = _static_file(request.match_info["name"])
        return _answer(request, content, kind)

    async def _choose_language(self, request: web.Request) -> web.Response:
        fields = await self._fields(request)
        code = one_of(fields, "language", list(self._languages))
        response = web.json_response({"ok": True})
        response.set_cookie(COOKIE, code, max_age=COOKIE_DAYS * 86400, httponly=True, samesite="Strict")
        return response

    # -- what everybody sees -------------------------------------------------------------------------------------

    async def _whole(self, request: web.Request) -> web.Response:
        return _answer(request, self._feed.snapshot(), "application/json")

    async def _events(self, request: web.Request) -> web.StreamResponse:
        whose = owner(request.remote)
        full = whose is not None and self._streams[whose] >= limits.STREAMS_AN_ADDRESS
        if full or self._streams.total() >= WATCHERS:
            return self._refuse(request, 503, "busy", say("too many watch the club; try again"))
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", **SAFE}
        )
        self._streams[whose] += 1
        try:
            _end_when_stalled(request)
            if request.transport is not None:
                request.transport.set_write_buffer_limits(MAX_UNSENT)
            await response.prepare(request)
            await response.write(b"retry: 1000\n\n")
            await self._follow(request)
        except ConnectionError:
            pass  # The watcher has left.
        finally:
            self._streams[whose] -= 1
            if not self._streams[whose]:
                del self._streams[whose]
        return response

    async def _follow(self, request: web.Request) -> None:
        """Send one change after the other, each once the connection has taken the one before."""
        number = self._feed.number_of(request.headers.get("Last-Event-ID") or request.query.get("after", ""))
        while not self._stopping.is_set():
            if number == self._feed.number:
                await self._feed.wait(number)
                continue
            event = self._feed.after(number)
            number = self._feed.number if number is None or event is ANEW else number + 1
            await write_pieces(request.writer, event)

    async def _look(self, request: web.Request) -> web.Response:
        query = request.query
        rules = tuple(sorted(filter(None, query.get("rules", "")[:200].split(","))))
        try:
            found = _look_of(query.get("game", "")[:64], rules, query.get("mode", "")[:40])
        except (GameError, KeyError) as error:
            raise web.HTTPNotFound from error
        content = json.dumps(translate_all(found, self._language(request)), ensure_ascii=False).encode()
        return _answer(request, content, "application/json", vary="Cookie, Accept-Language")

    async def _tournament(self, request: web.Request) -> web.Response:
        return _answer(request, (await self._shown(request)).text, "application/json")

    async def _shown(self, request: web.Request) -> _Shown:
        number = int(request.match_info["number"])
        versions = {one: len(known.acts) for one, known in list(self._club.tournaments.items())}
        if number not in versions:
            raise Refused(say("there is no such tournament"))
        return await self._reads.get(number, _version(versions, number), partial(self._make_shown, number))

    def _make_shown(self, number: int) -> tuple[int, _Shown]:
        versions = {one["id"]: one["version"] for one in self._club.tournament_summaries()}
        return _version(versions, number), _Shown.of(self._club.tournament_view(number))

    async def _records(self, request: web.Request) -> web.Response:
        number = self._feed.number  # Whatever changes records is told to watchers, who ask then.
        content = await self._reads.get("records", number, partial(self._make_records, number))
        return _answer(request, content, "application/json")

    def _make_records(self, number: int) -> tuple[int, bytes]:
        return number, json.dumps(self._club.record_views(LISTED_RECORDS), ensure_ascii=False).encode()

    async def _standings_file(self, request: web.Request) -> web.Response:
        shown = await self._shown(request)
        return _download(shown.standings, "text/csv", f"standings-{shown.number}.csv")

    async def _records_file(self, request: web.Request) -> web.Response:
        shown = await self._shown(request)
        content = await self._downloads.get(shown.number, shown.records, partial(self._pack, shown.records))
        return _download(content, "application/zip", f"records-{shown.number}.zip")

    def _pack(self, records: Sequence[tuple[str, str]]) -> tuple[Sequence[tuple[str, str]], bytes]:
        """Return all records of a tournament as a file."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, digest in records:
                content = self._club.archive.record_text(digest)
                if content is not None:
                    packed.writestr(name, content)
        return records, out.getvalue()

    async def _record_file(self, request: web.Request) -> web.Response:
        digest = request.match_info["digest"]
        content = await self._reads.get(digest, None, partial(self._make_record, digest))
        return _download(content, "application/jsonl", f"{digest[:12]}.jsonl")

    def _make_record(self, digest: str) -> tuple[None, bytes]:
        content = self._club.archive.record_text(digest)
        if content is None:
            raise web.HTTPNotFound
        return None, content.encode()

    async def _metrics(self, _request: web.Request) -> web.Response:
        found = await self._reads.get("figures", None, lambda: (None, self._club.figures()))
        figures = {name: (words, value) for name, words, value in found}
        figures["lodestone_club_watchers"] = ("Open streams of watchers", self._streams.total())
        figures["lodestone_club_connections"] = ("Open connections to the page", len(self._shares))
        told = exposition(Gauges(figures))
        if told is None:
            raise web.HTTPNotFound
        return web.Response(body=told[0], headers={"Content-Type": told[1]})

    # -- the arbiter ---------------------------------------------------------------------------------------------

    def _is_arbiter(self, request: web.Request) -> bool:
        try:
            digest = self._signer.loads(request.cookies.get(full_name(ARBITER_COOKIE, secure=request.secure), ""))
        except (BadData, UnicodeError):  # aiohttp gives bytes that are no text as lone surrogates.
            return False
        return isinstance(digest, str) and hmac.compare_digest(digest, _digest(self._token()))

    async def _enter_arbiter(self, request: web.Request) -> web.Response:
        given = _digest(text(await self._fields(request), "token").strip().rpartition("#")[2])
        with self._guesses.count("arbiter", TOKEN_GUESSES, request.remote or "?"):
            if not hmac.compare_digest(given, _digest(self._token())):
                raise Denied(403, "not_arbiter", say("this is not the arbiter's link"))
        response = web.json_response({"ok": True})
        signed = str(self._signer.dumps(given))
        name = full_name(ARBITER_COOKIE, secure=request.secure)
        response.set_cookie(name, signed, max_age=30 * 86400, secure=request.secure, httponly=True, samesite="Strict")
        return response

    async def _arbiter_state(self, request: web.Request) -> web.Response:
        if not self._is_arbiter(request):
            return web.json_response({"arbiter": False})
        views = await self._as_arbiter(self._views)
        answer = {
            "arbiter": True,
            "invitation": self._club.invitation.link,
            "connected": self._club.is_connected,
            "games": _games(),
            "tournaments": [{"id": one["id"], "undo": one["undo"]} for one in views],
        }
        return web.json_response(translate_all(answer, self._language(request)))

    async def _arbiter_act(self, request: web.Request) -> web.Response:
        if not self._is_arbiter(request):
            return self._refuse(request, 403, "not_arbiter", say("only the arbiter can do this"))
        fields = await self._fields(request)
        act = _ACTS.get(request.match_info["what"])
        if act is None:
            raise web.HTTPNotFound
        known, do = act
        check_names(fields, known)
        try:
            await self._as_arbiter(do, self._club, fields)
        except NotAgreed as question:
            return self._refuse(request, 409, "not_agreed", question.words)
        return web.json_response({"ok": True})

    def _views(self) -> list[Mapping[str, Any]]:
        return [self._club.tournament_view(one["id"]) for one in self._club.tournament_summaries()]

    async def _as_arbiter(self, do: Callable[..., Answer], *given: object) -> Answer:
        """Return what a function returns, on a thread of the arbiter's."""
        return await self._loop.run_in_executor(self._arbiters, partial(do, *given))


@dataclass(frozen=True)
class _Shown:
    """What everybody sees of a tournament, in one version."""

    number: int
    text: bytes
    """As JSON."""
    standings: bytes
    """As CSV."""
    records: tuple[tuple[str, str], ...]
    """Of each record that counts, in the order of rounds and boards: a file's name, and the digest."""

    @classmethod
    def of(cls, view: dict[str, Any]) -> _Shown:
        """Take a view for arbiters (:meth:`Club.tournament_view`)."""
        del view["undo"]  # It is the arbiter's, and the one sentence.
        records = tuple(
            (f"round-{round_:02}-board-{place:03}.jsonl", board["record"])
            for round_, paired in enumerate(view["rounds"], 1)
            for place, board in enumerate(paired["boards"], 1)
            if board["record"]
        )
        text = json.dumps(view, ensure_ascii=False, separators=(",", ":")).encode()
        return cls(view["id"], text, standings_csv(view).encode(), records)

    def __len__(self) -> int:
        return len(self.text) + len(self.standings)


def _version(versions: Mapping[int, int], number: int) -> int:
    """Return the version of what is seen of a tournament: earlier ones are in its ratings."""
    return sum(acts for one, acts in versions.items() if one <= number)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# -- what an arbiter may ask for: its fields, and what is done ---------------------------------------------------------

Fields = Mapping[str, Any]
_BIG = 1_000_000


def _number(fields: Fields, name: str = "tournament") -> int:
    return whole(fields, name, None, 1, _BIG)


def _create(club: Club, fields: Fields) -> None:
    rules = fields.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(one, str) for one in rules):
        raise InvalidJson(say("rules: expected a list of options"))
    head = {
        "name": text(fields, "name").strip(),
        "game": text(fields, "game"),
        "rules": dict.fromkeys(rules, True),
        "mode": text(fields, "mode"),
        "system": one_of(fields, "system", SYSTEMS),
        "rounds": whole(fields, "rounds", None, 0, _BIG),
    }
    form = text(fields, "form", "")[:64]
    club.create({**head, "form": form} if form else head)


def _enter(club: Club, fields: Fields) -> None:
    names = [name.strip() for name in text(fields, "names").splitlines() if name.strip()]
    if not names:
        raise Refused(say("names: expected one or more, a line each"))
    club.enter(_number(fields), names)


def _player_act(kind: str, club: Club, fields: Fields) -> None:
    club.act(_number(fields), kind, {"player": _number(fields, "player")})


def _pair(club: Club, fields: Fields) -> None:
    club.pair(_number(fields), whole(fields, "agreed", 0, 0, _BIG))


def _assign(club: Club, fields: Fields) -> None:
    table = club.table_of(text(fields, "table"))
    data = {"round": _number(fields, "round"), "board": _number(fields, "board"), "table": table}
    club.act(_number(fields), "assign", data)


_POINTS: Mapping[str, Mapping[str, list[int]]] = {
    FORFEIT: {"first": [2, 0], "second": [0, 2], "none": [0, 0]},
    TYPED: {"first": [2, 0], "draw": [1, 1], "second": [0, 2]},
}


def _result(kind: str, how: str, club: Club, fields: Fields) -> None:
    points = _POINTS[how][one_of(fields, "winner", _POINTS[how])]
    data = {"round": _number(fields, "round"), "board": _number(fields, "board"), "points": points}
    club.act(_number(fields), kind, {**data, "how": how, "record": ""})


def _record(kind: str, club: Club, fields: Fields) -> None:
    place = _number(fields, "round"), _number(fields, "board")
    club.assign_record(_number(fields), *place, text(fields, "record"), _number(fields, "seat"), kind)


def _correct(club: Club, fields: Fields) -> None:
    how = one_of(fields, "how", [*_POINTS, RECORD])
    if how == RECORD:
        _record("correct", club, fields)
    else:
        _result("correct", how, club, fields)


def _strike(club: Club, fields: Fields) -> None:
    club.strike(_number(fields), _number(fields, "round"), _number(fields, "board"))


_BOARD = ("tournament", "round", "board")
_ACTS: Mapping[str, tuple[Sequence[str], Callable[[Club, Fields], None]]] = {
    "create": (("name", "game", "rules", "mode", "system", "rounds", "form"), _create),
    "players": (("tournament", "names"), _enter),
    "withdraw": (("tournament", "player"), partial(_player_act, "withdraw")),
    "return": (("tournament", "player"), partial(_player_act, "return")),
    "pair": (("tournament", "agreed"), _pair),
    "assign": ((*_BOARD, "table"), _assign),
    "assign-free": (("tournament",), lambda club, fields: club.assign_free(_number(fields))),
    "forfeit": ((*_BOARD, "winner"), partial(_result, "result", FORFEIT)),
    "rest": (("tournament", "player"), partial(_player_act, "rest")),
    "result": ((*_BOARD, "winner"), partial(_result, "result", TYPED)),
    "record": ((*_BOARD, "record", "seat"), partial(_record, "result")),
    "correct": ((*_BOARD, "how", "winner", "record", "seat"), _correct),
    "strike": (_BOARD, _strike),
    "end": (("tournament",), lambda club, fields: club.act(_number(fields), "end", {})),
    "undo": (("tournament", "act"), lambda club, fields: club.undo(_number(fields), _number(fields, "act"))),
}


# -- parts of answers --------------------------------------------------------------------------------------------------


def _answer(request: web.Request, content: bytes, kind: str, vary: str = "") -> web.Response:
    """Return an answer with an ETag, packed where that is worth it; a page that has it gets 304."""
    tag = _tag(content)
    headers = {
        "ETag": f'"{tag}"',
        "Cache-Control": "no-cache",
        "Vary": "Accept-Encoding" + (f", {vary}" if vary else ""),
    }
    if f'"{tag}"' in request.headers.get("If-None-Match", ""):
        return web.Response(status=304, headers=headers)
    if len(content) > 500 and kind != "image/png" and "gzip" in request.headers.get("Accept-Encoding", ""):
        headers["Content-Encoding"] = "gzip"
        content = compress(content) if kind != "application/json" else _gzip(content)
    return web.Response(
        body=Pieces(content), content_type=kind, charset=None if "/png" in kind else "utf-8", headers=headers
    )


@lru_cache(maxsize=64)
def _tag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


@lru_cache(maxsize=16)
def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, 5, mtime=0)


def _download(content: bytes, kind: str, name: str) -> web.Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(body=Pieces(content), content_type=kind, headers=headers)


@lru_cache(maxsize=256)
def _static_file(name: str) -> tuple[bytes, str]:
    """Return a file of the pages and its kind. Raise HTTPNotFound."""
    path = static_file(name)
    kind = PACKED_BY.get(path.suffix) if path is not None else None
    if path is None or kind is None:
        raise web.HTTPNotFound
    content = path.read_bytes()
    return (squeeze(content.decode()).encode() if kind == "text/css" else content), kind


async def _no_icon(_request: web.Request) -> web.Response:
    return web.Response(status=204)


def _environment(language: Language, known: Sequence[Language]) -> Environment:
    """Return the templates in a language."""
    environment = Environment(
        loader=FileSystemLoader([Path(__file__).parent / "templates", STATIC.parent / "templates", TEMPLATES]),
        autoescape=select_autoescape(),
        extensions=["jinja2.ext.i18n"],
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        language.find,
        language.find_many,
        newstyle=True,
        pgettext=lambda context, form: language.find(form, context),
    )
    environment.globals.update(
        language=language, languages=known, url_for=lambda _folder, filename: f"/static/{filename}"
    )
    return environment


@lru_cache(maxsize=64)
def _look_of(name: str, rules: tuple[str, ...], mode: str) -> Mapping[str, Any]:
    """Return how a game's board is drawn: what does not change while it is played. Raise GameError."""
    game = find_game(name, dict.fromkeys(rules, True))
    if mode not in game.modes:
        raise GameError(f"mode: {mode}")
    seats = game.seats(mode)
    teams = game.teams(mode)
    return {
        "title": game.title,
        "layout": layout_view(game),
        "pieces": dict(game.pieces),
        "tints": naming.tints(game.pieces),
        "homes": {str(seat): list(game.homes(mode, seat)) for seat in seats},
        "teams": {str(seat): number for number, side in enumerate(teams) for seat in side},
    }


@lru_cache(maxsize=1)
def _games() -> list[Mapping[str, Any]]:
    """Return the games in which two can meet, with their options."""
    found: list[Mapping[str, Any]] = []
    for name, game in GAMES.items():
        if modes := duel_modes(game):
            found.append({"name": name, "title": game.title, "modes": modes, "options": option_words(game)})
    return found


def standings_csv(view: Mapping[str, Any]) -> str:
    """Return the standings as CSV with a heading. A name that a spreadsheet would take for a formula gets a quote."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(("place", "name", "points", "buchholz", "sonneborn-berger", "won", "played", "rating", "within"))
    names = {one["number"]: one["name"] for one in view["players"]}
    for line in view["standings"]:
        name = names[line["player"]]
        shown = f"'{name}" if name[:1] in {"=", "+", "-", "@"} else name
        numbers = [
            f"{line[key]:g}" for key in ("points", "buchholz", "sonneborn", "wins", "played", "rating", "within")
        ]
        rows.writerow((line["place"], shown, *numbers))
    return out.getvalue()


def _end_when_stalled(request: web.Request) -> None:
    """Let the system end a connection whose other side has vanished: what it has taken over waits there for long."""
    connection = request.transport.get_extra_info("socket") if request.transport else None
    if connection is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
        with suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(limits.STALLED_S * 1000))

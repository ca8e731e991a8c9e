"""The captive portal of the machine's own hotspot: what a phone asks for when it has joined, and what it is told.

A phone that joins a Wi-Fi asks a known address whether it reaches the internet. Here every name leads to the table
(dnsmasq, which NetworkManager starts for the hotspot), and the question comes to :class:`Portal`. Its answer opens the
sheet in which hotels let people log in. Such a sheet keeps no storage and ends with a tap, so nobody plays in it: it
says one sentence, and has one button. Whoever has pressed it has been through the portal: from then on its phone's
questions get the answers that it expects, and it stays in this Wi-Fi.

DHCP option 114 (RFC 8910) names the same as JSON (RFC 8908). That RFC wants HTTPS with a certificate that the phone
trusts, which no machine without internet has: phones that insist on it ask their known addresses instead.

Only the machine's own hotspot has all this: the lines for dnsmasq are there while it is open, and the portal listens
at its address alone. In a network of others no name is changed.
"""

from __future__ import annotations

import http.server
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from firmware_host.text.words import Text, say

TABLE = "10.42.0.1"
"""The machine's address in its hotspot."""
PORT = 80
LINES = Path("/etc/NetworkManager/dnsmasq-shared.d/lodestone-portal.conf")
"""What NetworkManager's dnsmasq reads when the hotspot opens."""
THROUGH = "/through"
JSON = "/captive.json"
WINDOWS_NAME, WINDOWS_ADDRESS = "dns.msftncsi.com", "131.107.255.255"
"""What Windows looks up beside its file, to tell a true DNS; nothing is there."""
MAX_PHONES = 250
"""Addresses in the hotspot; more are forgotten, the oldest first."""
MAX_CONNECTIONS = 100
"""At the same time; each has a thread."""


class Reply(NamedTuple):
    """An answer by HTTP."""

    status: int
    kind: str = "text/plain"
    body: bytes = b""
    location: str = ""


NOTHING = Reply(204)
SUCCESS = Reply(200, "text/html", b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>")
ONLINE: dict[str, Reply] = {
    "/generate_204": NOTHING,
    "/gen_204": NOTHING,
    "/hotspot-detect.html": SUCCESS,
    "/library/test/success.html": SUCCESS,
    "/connecttest.txt": Reply(200, body=b"Microsoft Connect Test"),
    "/ncsi.txt": Reply(200, body=b"Microsoft NCSI"),
    "/success.txt": Reply(200, body=b"success\n"),
    "/canonical.html": Reply(
        200,
        "text/html",
        b'<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>',
    ),
    "/check_network_status.txt": Reply(200, body=b"NetworkManager is online\n"),
}
"""Path → what a phone or computer that reaches the internet is answered there: Android and ChromeOS (both), iOS and
macOS (two), Windows 10 and 11, 7 and 8, Firefox (two), GNOME."""


def dnsmasq_lines() -> str:
    """Return what dnsmasq reads: every name is the table but the one that Windows knows, and where the portal is."""
    names = f"address=/#/{TABLE}\naddress=/{WINDOWS_NAME}/{WINDOWS_ADDRESS}\n"
    return f"{names}local-ttl=0\ndhcp-option-force=114,http://{TABLE}{JSON}\n"


class Visits:
    """Which phones have been through, and what each is answered. Without input and output. Thread-safe."""

    def __init__(self, table: str, in_words: Callable[[Text, str], str] = lambda text, _: str(text)) -> None:
        """``table`` is the address of the table's page; ``in_words`` translates for an ``Accept-Language``."""
        self._table, self._in_words = table, in_words
        self._through: dict[str, None] = {}
        self._lock = threading.Lock()

    def answer(self, phone: str, host: str, path: str, languages: str = "") -> Reply:
        """Return what a phone (its address) gets for a path."""
        path = path.partition("?")[0]
        with self._lock:
            through = phone in self._through
        if path == JSON:
            body = {"captive": not through, "user-portal-url": f"http://{TABLE}/", "venue-info-url": self._table}
            return Reply(200, "application/captive+json", json.dumps(body).encode())
        if path == THROUGH:
            self._remember(phone)
            return Reply(302, location=self._table)
        if through:
            return ONLINE.get(path) or Reply(302, location=self._table)
        if host.partition(":")[0] != TABLE:
            return Reply(302, location=f"http://{TABLE}/")
        return Reply(200, "text/html; charset=utf-8", self._sheet(languages).encode())

    def _remember(self, phone: str) -> None:
        with self._lock:
            self._through[phone] = None
            while len(self._through) > MAX_PHONES:
                del self._through[next(iter(self._through))]

    def _sheet(self, languages: str) -> str:
        head = escape(self._in_words(say("Open the table in your browser"), languages))
        button = escape(self._in_words(say("Open the table"), languages))
        return (
            '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<meta name="color-scheme" content="light dark"><title>Lodestone</title>'
            "<style>body{font:1.25rem/1.5 system-ui,sans-serif;margin:15vh auto;max-width:22rem;padding:1rem;"
            "text-align:center}a.go{display:block;margin:2rem 0;padding:1.2rem;border-radius:1rem;background:#e3a63a;"
            "color:#201503;font-weight:700;text-decoration:none}</style>"
            f'<h1>{head}</h1><a class="go" href="{THROUGH}">{button}</a><p>{escape(self._table)}</p>'
        )


class _Server(http.server.ThreadingHTTPServer):
    """Answers phones, a thread for each connection. One too many takes the place of the oldest: a question is short."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._entered: dict[Any, None] = {}
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            oldest = next(iter(self._entered)) if len(self._entered) >= MAX_CONNECTIONS else None
            self._entered.pop(oldest, None)
            self._entered[request] = None
        if oldest is not None:
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)  # Its thread ends by itself, and closes it.
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._entered.pop(request, None)
        super().shutdown_request(request)


class Portal:
    """The portal of the hotspot, which opens and closes with it."""

    def __init__(
        self, visits: Callable[[], Visits], lines: Path = LINES, address: tuple[str, int] = (TABLE, PORT)
    ) -> None:
        """``visits`` begins anew with each hotspot: its addresses are given out anew, too."""
        self._visits, self._lines, self._address = visits, lines, address
        self._server: _Server | None = None

    def prepare(self) -> None:
        """Write the lines for dnsmasq, which reads them once, when the hotspot opens. Raise OSError."""
        self._lines.parent.mkdir(parents=True, exist_ok=True)
        self._lines.write_text(dnsmasq_lines(), encoding="ascii")

    def open(self) -> None:
        """Answer phones, once the hotspot has its address. Raise OSError."""
        if self._server is None:
            self._server = _Server(self._address, _handler(self._visits()))
            threading.Thread(target=self._server.serve_forever, name="portal", daemon=True).start()

    def close(self) -> None:
        """Answer no more, and leave the names of other networks alone."""
        with suppress(OSError):
            self._lines.unlink(missing_ok=True)
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


def _handler(visits: Visits) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            host, languages = (self.headers.get(name, "")[:200] for name in ("Host", "Accept-Language"))
            reply = visits.answer(self.client_address[0], host, self.path, languages)
            self.send_response(reply.status)
            if reply.location:
                self.send_header("Location", reply.location)
            if reply.status != NOTHING.status:
                self.send_header("Content-Type", reply.kind)
                self.send_header("Content-Length", str(len(reply.body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, *_: Any) -> None:
            """Log nothing: what phones ask for is theirs."""

    return Handler

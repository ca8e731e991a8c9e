"""A release as small as can be: what an update asks of one, and a table that only says that it is open."""

import os
import signal
import socket
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

VERSION, FAULT = "@version@", "@fault@"


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


def option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


def play() -> None:
    runs_for_real = "NOTIFY_SOCKET" in os.environ
    if FAULT == "everywhere" or (FAULT == "service" and runs_for_real):
        sys.exit("ImportError: no module named table")
    if not runs_for_real and (Path(option("--data")) / "room.sqlite").exists():
        sys.exit("a copy of the folder would come into the table's room")
    with HTTPServer(("127.0.0.1", int(option("--port"))), Answers) as server:
        data = Path(os.environ.get("LODESTONE_DATA") or option("--data"))
        data.mkdir(exist_ok=True)
        (data / "listens").write_text(f"127.0.0.1 {server.server_port}\n")
        if runs_for_real:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
                out.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])
        if FAULT == "soon" and runs_for_real:
            os._exit(1)  # At once, however busy the machine: it is looked at a tenth of a second later.
        server.serve_forever()


signal.signal(signal.SIGTERM, lambda *_: sys.exit())
verb, *words = sys.argv[1:]
if verb == "--version":
    print(f"lodestone {VERSION} (tiny)")
elif verb == "backup":
    Path(words[0]).write_text("a backup")
elif verb == "restore":
    Path(words[-1]).mkdir()
    (Path(words[-1]) / "room.sqlite").write_text("keys")
else:
    play()

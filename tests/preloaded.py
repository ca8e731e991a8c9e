"""What a fork of the program has imported already: every module of ours, with the libraries that they import."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
import tempfile
from contextlib import closing
from pathlib import Path

import firmware_host
import hw
import simulator
import web_panel
from firmware_host.commands.cli import parser_of_verbs
from firmware_host.games.registry import GAMES
from lodestone.tables import KEY, SimulatedTable
from tests.attached import sensors_page, usual, with_virtual
from tests.routes import compile_once
from tests.web_panel.fake_host import FakeHost
from web_panel.app import create_app

ELSEWHERE = ("__main__", "firmware_host.extensions.scanner.device")
"""What is run, not imported, and what runs in MicroPython."""
PAGES = ("/", "/join/1", "/play", "/tv", "/host", "/replay/x", "/board")
"""Their scripts and sheets are put together and compressed before the first fork."""

for package in (firmware_host, hw, simulator, web_panel):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not any(name in module.name for name in ELSEWHERE):
            importlib.import_module(module.name)
for name in GAMES:
    GAMES[name]


def warm_up() -> None:
    """Do once what each fork would do: load a board's parts and plug-ins, compile routes and pages, compress files,
    make the parser of the command line."""
    compile_once()
    parser_of_verbs()
    parser_of_verbs(with_extensions=False)
    with tempfile.TemporaryDirectory() as folder, closing(SimulatedTable(Path(folder))) as table:
        board = table.description
        parts = sensors_page(table.board.sensors, board)
        app = create_app(table.runtime, secret=KEY, addresses=["http://here"], extra=parts, host=FakeHost(),
                         attached={**usual(table), **with_virtual(lambda: table.parts)})  # fmt: skip
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
    client = app.test_client()
    for page in PAGES:
        for needed in re.findall(r'"(/(?:script|static)/[^"]+\.(?:js|css))"', client.get(page).text):
            client.get(needed, headers={"Accept-Encoding": "gzip"}).close()
    # What stands here is shared with every fork: its collector leaves it alone, and no memory is copied for that.
    gc.collect()
    gc.freeze()


warm_up()

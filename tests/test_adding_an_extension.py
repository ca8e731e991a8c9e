"""docs/adding-an-extension.md is followed: its example is installed, and its page, button, entry and command work."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.forked import Separate
from tests.sampling import is_sample
from tests.waiting import PATIENCE_S, eventually
from tests.workshop import DOCS, Workshop, files

DOCUMENT = DOCS / "adding-an-extension.md"
PACKAGE = "lodestone-applause"
MODULE = f"{PACKAGE}/lodestone_applause/__init__.py"
INSTALL = f".venv/bin/python -m pip install --no-build-isolation --editable ../{PACKAGE}"
MAX_LINES = 100


class Installed(Program):
    """``lodestone play`` of an environment that has the example, too."""

    def __init__(self, workshop: Workshop, data: Path, *options: str) -> None:
        super().__init__(data, *options)
        self.environment = {**os.environ, "PYTHONPATH": f"{workshop.site}:{workshop.folder / PACKAGE}"}

    def run(self, *words: str) -> Separate:  # type: ignore[override]
        return Separate(self.environment, self.data.parent / "printed", *words)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def command(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "firmware_host", *words],
            env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S, check=True,
        )  # fmt: skip
        return done.stdout


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Installed]:
    (tmp_path / "workshop").mkdir()
    workshop = Workshop(tmp_path / "workshop", document=DOCUMENT)
    workshop.told(INSTALL)
    workshop.linked(PACKAGE)
    running = Installed(workshop, tmp_path / "data", "--game", "coil", "--hands", "all", "--pause", "0")
    running.start()
    yield running
    running.stop()


def test_whoever_watches_claps(program: Installed) -> None:
    scripts = [("/script/host/host.js", "applause/host_line.js")]
    scripts += [(f"/script/{page}", "applause/card.js") for page in ("play/play.js", "tv/tv.js")]
    for path, text in (("/applause", "<h1>Beifall</h1>"), ("/", "Beifall"), *scripts):
        assert text in program.fetch(path, **{"Accept-Language": "de"}).decode(), path
    status, answer = program.post("/api/applause", {})
    assert (status, answer["error"]["code"]) == (409, "wrong_phase")
    for seat in (1, 2):
        assert program.as_host("computer", seat=seat, level=1)[0] == 200
    program.start_game()
    assert program.post("/api/applause", {})[0] == 200
    eventually(lambda: program.state()["applause"] == 1, "the clap is told")
    assert any(line["text"] == "Applause!" for line in program.state()["log"])
    program.kill()
    assert program.command("applause", "--data", str(program.data)).split()[-1] == "1"
    program.start("--resume")
    assert program.state()["applause"] == 1
    if is_sample():
        return  # tests/extensions/test_deleted.py has a game go on without what is away.
    before = len(program.state()["log"])
    program.kill()
    program.environment = dict(os.environ)
    program.start("--resume")
    assert "applause" not in program.state()
    eventually(lambda: len(program.state()["log"]) > before + 1 or program.state()["phase"] == "over", "it goes on")


def test_the_example_is_short() -> None:
    shown = files(DOCUMENT)
    assert len(shown[MODULE].splitlines()) < MAX_LINES
    assert MODULE in shown

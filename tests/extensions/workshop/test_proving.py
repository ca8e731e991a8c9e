"""``lodestone hardware prove``: all that only a real board shows, on simulated boards; its file has no secrets."""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.workshop import proving
from firmware_host.extensions.workshop.proving import NOT_ASKED, NOT_TRIED, PROOFS, Prover, Times, head, prove, without
from firmware_host.extensions.workshop.terminal import Keyboard, Opened
from hw.lights import NETWORK
from hw.ports import BoardDescription, HardwareError, LightsWiring, OpenBoard, StripWiring
from hw.registry import open_board
from lodestone.schemes import described
from tests.extensions.workshop.workshop import small_board
from tests.schemes import needs
from tools import proved

ROOT = Path(__file__).parents[3]
SHORT = Times(rest_s=0.1, frames_s=0.05, wait_s=5.0, taps_s=5.0, nodes=2, taps=1)


def proof(text: str, title: str) -> list[str]:
    part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [line[2:] for line in part.splitlines() if line.startswith("- ")]


def written(board: BoardDescription, *, helped: bool, typed: str | None = None) -> str:
    def reopen(one: BoardDescription) -> OpenBoard:
        return open_board(one, seed=1, pause_s=0.0)

    parts = reopen(board)
    keys = Keyboard(StringIO(typed or ""))
    prover = Prover(Opened(Path("x.toml"), board, parts, helped), reopen, SHORT, keys, asks=typed is not None)
    try:
        return prove(prover)
    finally:
        prover.parts.close()


def test_a_simulated_board_goes_through_all_of_it() -> None:
    text = written(small_board("presence"), helped=True)
    assert re.findall(r"^## (.*)", text, re.M) == [one.title for one in PROOFS]
    assert "failed" not in text
    assert all(": felt, +1 " in line for line in proof(text, "Stones"))
    assert len(proof(text, "Stones")) == 2
    assert proof(text, "Colours") == ["red was seen as red, green was seen as green, blue was seen as blue"]
    assert proof(text, "Sampling")[0].startswith("2 changes")
    assert "0 refused" in proof(text, "Frames")[0]


@needs("4067")
def test_settle_times_are_compared_where_the_wiring_has_one() -> None:
    board = replace(described("4067", "presence", 8), backend="sim")
    text = written(board, helped=False)
    assert [line.split()[0] for line in proof(text, "Settle times")] == ["5", "10", "40", "1000"]
    assert proof(text, "Stones") == [NOT_ASKED]


class Looped:
    """Sensors with a phototransistor at one input, which sees a pixel some scans after its frame."""

    def __init__(self, parts: OpenBoard, channel: int, pixel: int, *, late: int, loses: int = 0) -> None:
        self.channels, self.kind, self.close = parts.sensors.channels, parts.sensors.kind, parts.sensors.close
        self._bank, self._channel, self._pixel, self._late, self._loses = parts.sensors, channel, pixel, late, loses
        self._strip, self._frames, self._lit = parts.strip, [False], 0
        self._show = parts.strip.show

    def show(self, frame: Sequence[tuple[int, int, int]]) -> None:
        self._show(frame)
        lit = any(frame[self._pixel])
        self._lit += lit and not self._frames[-1]
        self._frames += [self._frames[-1]] * self._late + [lit and not self._lit <= self._loses]

    def scan(self) -> list[int]:
        readings = list(self._bank.scan())
        if len(self._frames) > 1:
            self._frames.pop(0)
        readings[self._channel] = int(self._frames[0])
        return readings


def looped_back(typed: str | None, *, late: int = 3, loses: int = 0) -> tuple[str, list[str]]:
    """Return a node, and what the proof with a light sensor there says."""
    board = small_board("presence")
    parts = open_board(board, seed=1, pause_s=0.0)
    node = board.nodes[next(iter(board.nodes))]
    looped = Looped(parts, node.channel, node.pixel, late=late, loses=loses)
    parts.sensors = looped
    parts.strip.show = looped.show  # type: ignore[method-assign]
    times = replace(SHORT, flashes=2, flash_s=0.05)
    opened = Opened(Path("x.toml"), board, parts, False)
    (one,) = (one for one in PROOFS if one.title == "Frames, looped back")
    ends, typing = os.pipe()
    os.write(typing, (typed or "").encode())
    os.close(typing)
    try:
        with os.fdopen(ends) as lines:
            prover = Prover(opened, open_board, times, Keyboard(lines), asks=typed is not None)
            return node.name, list(one.run(prover))
    finally:
        parts.close()


@pytest.mark.parametrize(("loses", "told"), [(0, "2 of 2 flashes"), (1, "1 of 2 flashes"), (9, "no flash")])
def test_a_sensor_that_sees_the_light_times_the_frames(loses: int, told: str) -> None:
    name, lines = looped_back("\n", loses=loses)
    assert lines[0].startswith(f"{name}: {told}")
    assert loses == 9 or lines[-1].endswith("nothing")


@pytest.mark.parametrize(("typed", "told"), [("no\n", NOT_TRIED), (None, NOT_ASKED)])
def test_without_a_light_sensor_it_is_left_out(typed: str | None, told: str) -> None:
    assert looped_back(typed)[1] == [told]


def test_a_board_that_fails_on_the_way_still_gives_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    board = small_board("presence")
    parts = open_board(board, seed=1)

    def lost() -> list[int]:
        raise HardwareError(f"no answer at {platform.node()}")

    monkeypatch.setattr(parts.sensors, "scan", lost)
    keys = Keyboard(StringIO(""))
    text = prove(Prover(Opened(Path("x.toml"), board, parts, False), open_board, SHORT, keys, asks=False))
    parts.close()
    assert "failed: no answer at …" in proof(text, "At rest")


def test_the_file_has_no_secrets() -> None:
    board = described("serial", "presence", 8)
    secret = {"device": "tcp://attic.local", "code": "KQ7M-22PX"}
    strip = StripWiring("shelf.local", 8, "RGB", NETWORK, "wled")
    board = replace(board, name="Ann's", options={**board.options, **secret}, lights=LightsWiring((strip,)))
    told = "\n".join(f"{key}: {value}" for key, value in head(board).items())
    for word in (*secret.values(), "shelf.local", "Ann's", platform.node(), str(Path.home())):
        assert word not in told
    assert without(f"at {secret['device']}: {secret['code']}", set(secret.values())) == "at …: …"
    assert getpass.getuser() not in told.split()


def test_each_claim_is_a_row_of_what_is_not_verified() -> None:
    rows = (ROOT / "docs" / "verified.md").read_text(encoding="utf-8").splitlines()
    for one in PROOFS:
        assert any(row.startswith(f"| {one.claim}") for row in rows), one.title


@pytest.mark.thorough
def test_the_command_writes_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "proved.txt"
    assert main(["hardware", "prove", "--board", "spokes-45", "--sim", "--hands", "help", "--out", str(out)]) == 0
    assert "proved.md" in capsys.readouterr().out
    assert "scheme: 74hc165" in out.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="real board"):
        proved.parse(out.read_text(encoding="utf-8"))


def test_a_quarter_of_an_hour_is_not_lost_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "stick" / "proved.txt"
    out.parent.mkdir()

    def proved_meanwhile(_: Prover) -> str:
        out.parent.rmdir()
        return "day: 2026-01-02\n"

    monkeypatch.setattr(proving, "prove", proved_meanwhile)
    assert main(["hardware", "prove", "--sim", "--hands", "help", "--out", str(out)]) == 1
    told = capsys.readouterr()
    assert "day: 2026-01-02\n" in told.out
    assert f"{out}: can't be written" in told.err


def test_the_page_is_made_of_the_files_that_were_sent_in() -> None:
    assert (ROOT / "docs" / "proved.md").read_text(encoding="utf-8") == proved.page(proved.sent_in())
    assert proved.NONE in proved.page({})
    text = "backend: gpio\nscheme: 74hc165\nday: 2026-01-02\n\n## Scans\nClaim: x\n- 90 Hz\n- 3 ms\n"
    made = proved.page({"ann": text})
    assert proved.NONE not in made
    assert "| ann | 2026-01-02 |" in made
    assert "| ann | 90 Hz; 3 ms |" in made


def test_a_shipped_board_is_described() -> None:
    told = head(load_board(find_board("spokes-45")))
    assert told["sensors"].startswith("45 of ")
    assert told["strips"] == "ws2812 over gpio on D18, 45 pixels, GRB"

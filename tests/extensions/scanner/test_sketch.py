"""``lodestone board sketch`` writes a scanner's configuration, by cable or in the Wi-Fi."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firmware_host.commands.cli import main
from firmware_host.extensions import scanner
from tests.extensions.scanner.test_wireless import CODE


def test_a_board_file_becomes_a_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.h"
    assert main(["board", "sketch", "spokes-45", "--on", "nano", "--out", str(path)]) == 0
    lines = path.read_text().splitlines()
    assert "#define NODES 45" in lines
    assert "#define PIN_DATA 4" in lines
    assert main(["board", "sketch", "spokes-45", "--on", "nano", "--chip", "matrix", "--out", str(path)]) == 0
    assert "#define PINS_COLUMNS 9, 10, 11, 12, A0, A1, A2" in path.read_text()
    script = tmp_path / "config.py"
    assert main(["board", "sketch", "spokes-45", "--on", "pico", "--chip", "4067", "--out", str(script)]) == 0
    values = SimpleNamespace()
    exec(script.read_text(), values.__dict__)
    assert (values.NODES, values.KIND, values.PINS["common"]) == (45, "presence", (6, 7, 8))
    assert 'microcontroller = "pico" and chip = "4067" into its [sensors]' in capsys.readouterr().out
    assert main(["board", "sketch", "spokes-45-serial", "--out", str(script)]) == 0
    assert "show other pins" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("on", "configuration", "ours"),
    [
        ("pico", "config.py", "device"),
        ("nano", "config.h", "arduino/lodestone_scanner"),
    ],
)
def test_the_firmware_is_put_beside_it_and_files_there_stay(
    tmp_path: Path, on: str, configuration: str, ours: str
) -> None:
    folder = tmp_path / "lodestone_scanner"
    command = ["board", "sketch", "spokes-45", "--on", on, "--firmware", "--out", str(folder / configuration)]
    assert main(command) == 0
    source = Path(scanner.__file__).parent / ours
    files = {path.name for path in source.iterdir() if path.is_file()}
    assert {path.name for path in folder.iterdir()} == files
    *_, kept = sorted(files - {configuration})
    (folder / kept).write_text("mine")
    (folder / configuration).write_bytes((source / configuration).read_bytes())
    assert main(command) == 0
    assert (folder / kept).read_text() == "mine"
    assert "45" in (folder / configuration).read_text()
    assert all((folder / name).read_bytes() == (source / name).read_bytes() for name in files - {configuration, kept})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--on", "nano", "--chip", "direct", "--out", "config.h"], "45 inputs by direct take 45 pins, a nano has 17"),
        (
            ["--on", "nano", "--out", "config.py"],
            "MicroPython runs on pico, pico-w, pico-2, pico-2-w, esp32 and esp32-wrover, not on nano",
        ),
        (["--on", "pico", "--chip", "direct", "--out", "config.py"], "74hc165, 4067 and matrix, not direct"),
        (["--on", "nano", "--out", "config.txt"], "ends in .h"),
    ],
)
def test_what_cant_work_is_refused(
    arguments: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["board", "sketch", "spokes-45", *arguments]) != 0
    assert why in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_wireless_board_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["hardware", "pair", "--board", "spokes-45-serial", "--on", "esp32", "--code", CODE]) == 0
    capsys.readouterr()
    assert main(["board", "sketch", "spokes-45-serial.toml", "--out", "config.py"]) == 0
    values: dict[str, Any] = {}
    exec((tmp_path / "config.py").read_text(), values)
    assert (values["PORT"], values["CODE"]) == ("wifi", CODE)
    for table in ("wiring", "parts", "power"):
        assert main(["board", table, "spokes-45-serial.toml"]) == 0
    assert main(["board", "schematic", "spokes-45-serial.toml", "--svg", "x.svg"]) == 0
    said = capsys.readouterr().out
    assert "a USB charger" in said
    assert "from Pi to" not in said

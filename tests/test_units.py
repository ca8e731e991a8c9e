"""The units of systemd call commands that are there, as they are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board
from firmware_host.commands.cli import parser_of_verbs

DOCS = Path(__file__).parents[1] / "docs"


def unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DOCS / "lodestone.service").read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def test_the_unit_calls_the_command_as_it_is() -> None:
    (call,) = unit()["ExecStart"]
    program, *arguments = call.split()
    assert program.endswith("/.venv/bin/lodestone")
    read = parser_of_verbs().parse_args(arguments)
    assert read.resume
    assert find_board(read.board).is_file()
    assert f"LODESTONE_DATA=/var/lib/{unit()['StateDirectory'][0]}" in unit()["Environment"]
    assert unit()["WorkingDirectory"] == ["/var/lib/lodestone"], "lgpio needs a working directory that it may write to"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_finds_no_fault_with_the_units(tmp_path: Path) -> None:
    names = [
        "docs/lodestone.service",
        *(
            str(path.relative_to(DOCS.parent))
            for path in (DOCS.parent / "firmware_host").glob("extensions/*/*.service")
        ),
        "install/lodestone-update.service",
        "install/lodestone-update.path",
    ]
    for name in names:
        text = (DOCS.parent / name).read_text(encoding="utf-8")
        for program in ("/opt/lodestone/current/.venv/bin/lodestone", "/opt/lodestone/guard"):
            text = text.replace(program, shutil.which("true") or "")
        (tmp_path / Path(name).name).write_text(text)
    units = [str(tmp_path / Path(name).name) for name in names]
    run = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert (run.returncode, [line for line in run.stderr.splitlines() if "lodestone" in line]) == (0, [])

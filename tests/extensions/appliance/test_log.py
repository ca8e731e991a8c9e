"""``lodestone log`` prints what was logged, and the last evening where nothing of it is hidden."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from firmware_host.archive.data_folder import host_token
from firmware_host.archive.log import kept_log
from firmware_host.commands.cli import main
from firmware_host.link.evidence import log_text
from lodestone.tables import SimulatedTable


def test_what_was_logged_is_printed_without_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = host_token(tmp_path)
    with kept_log(tmp_path):
        log = logging.getLogger("firmware_host.session.runtime")
        log.warning("Play stands still: %s", OSError(28, "No space left on device", "/data/journal.sqlite"))
        log.error("the host is http://board.lan/host#%s", token)
    text = log_text(tmp_path)
    assert "No space left on device" in text
    capsys.readouterr()
    assert main(["log", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out == text
    assert token not in text


def test_a_folder_without_a_log_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "--data", str(tmp_path / "none")]) == 0
    assert "nothing was logged" in capsys.readouterr().out


def test_the_evening_is_printed_when_nothing_is_hidden(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for game, shown in (("coil", True), ("octiles", False)):
        folder = tmp_path / game
        folder.mkdir()
        table = SimulatedTable(folder, game=game, seats=["A", "B"])
        table.close()
        assert (main(["log", "--evening", "--data", str(folder)]) == 0) == shown
        said = capsys.readouterr()
        assert shown == (f'"game": "{game}"' in said.out)
        assert shown or "hidden until it is over" in said.err

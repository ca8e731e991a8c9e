"""``lodestone record text`` and ``read``: of an exported record, of a game in the journal, of what can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.commands.cli import main
from tests.e2e.program import Program
from tests.replay.played import recorded
from tests.web_panel.test_host_program import lodestone


def test_an_exported_game_is_written_and_read_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, text = tmp_path / "game.jsonl", tmp_path / "game.txt"
    path.write_text("\n".join(recorded("phalanx", "+F2", "+F3", "+G1", resigns=2)) + "\n")
    assert main(["record", "text", str(path), "--out", str(text)]) == 0
    assert text.read_text().splitlines()[-2:] == ["1. +F2 +F3 +G1", "2. *resigns:2"]
    assert main(["record", "read", str(text)]) == 0
    assert capsys.readouterr().out == text.read_text()


def test_what_can_not_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "read", str(tmp_path / "none.txt")]) == 1
    assert "none.txt: can't be read" in capsys.readouterr().err
    assert main(["record", "text", "coil-1", "--data", str(tmp_path)]) == 1
    assert "no games have been played yet" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_game_of_the_journal_is_written_and_read_anew(program: Program) -> None:
    program.start("--new", "--board", "sim")
    program.join(1, "Ann")
    assert program.as_host("computer", seat=2)[0] == 200
    program.start_game()
    first = program.until_phase("sealing")["game"]["id"]
    text = lodestone(program, "record", "text", first)
    (path := program.data / "game.txt").write_text(text, encoding="utf-8")
    assert lodestone(program, "record", "read", str(path)) == text

"""Files that commands write: whole or not at all, never over what they read, and only over a file of the same kind."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from pathlib import Path

import pytest

from firmware_host.archive.files import write_output
from firmware_host.boardfile.load import find_board
from firmware_host.commands.cli import main, parser_of_verbs
from firmware_host.text.words import Refused
from tests.parsers import options_of


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(find_board("spokes-45"), tmp_path / "my.toml"))


@pytest.mark.parametrize("path", ["my.toml", "../{folder}/my.toml", "link.toml"])
@pytest.mark.parametrize(
    "words",
    [
        ["board", "parts", "my.toml", "--csv"],
        ["board", "drawing", "my.toml", "--svg"],
        ["board", "schematic", "my.toml", "--svg"],
        ["hardware", "calibrate", "--sim", "--board", "my.toml", "--hands", "help", "--svg"],
    ],
)
def test_what_a_command_reads_is_never_written_over(
    board: Path, capsys: pytest.CaptureFixture[str], words: list[str], path: str
) -> None:
    before = board.read_bytes()
    (board.parent / "link.toml").symlink_to(board)
    assert main([*words, path.format(folder=board.parent.name)]) == 1
    assert "the command reads this file, or writes it, too: name another one" in capsys.readouterr().err
    assert board.read_bytes() == before


def test_two_outputs_are_two_files(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "drawing", str(board), "--svg", "one", "--dxf", "one"]) == 1
    assert "the command reads this file, or writes it, too: name another one" in capsys.readouterr().err
    assert not Path("one").exists()


def test_a_file_of_another_kind_is_kept_and_one_of_the_same_is_replaced(
    board: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    letter = board.with_name("plate.svg")
    letter.write_text("Dear Ann,\n")
    assert main(["board", "drawing", str(board), "--svg", str(letter)]) == 1
    assert f"{letter}: is there already, and is not what this command writes" in capsys.readouterr().err
    assert letter.read_text() == "Dear Ann,\n"
    letter.write_text("")
    for _ in range(2):
        assert main(["board", "drawing", str(board), "--svg", str(letter)]) == 0
    assert letter.read_text().startswith("<svg")


@pytest.mark.parametrize("name", ["journal.sqlite", "journal.sqlite-wal", "key", "backups/one.sqlite"])
def test_nothing_of_a_data_folder_is_an_output(board: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    data = board.parent / "data"
    (data / "backups").mkdir(parents=True)
    (data / "key").write_bytes(b"secret")
    (data / "journal.sqlite").touch()
    assert main(["board", "parts", str(board), "--csv", str(data / name)]) == 1
    assert "belongs to a table's data folder" in capsys.readouterr().err
    assert (data / "key").read_bytes() == b"secret"
    assert (data / "journal.sqlite").read_bytes() == b""
    assert main(["board", "parts", str(board), "--csv", str(data / "parts.csv")]) == 0


def test_prices_that_were_filled_in_are_not_lost(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = board.with_name("parts.csv")
    for _ in range(2):
        assert main(["board", "parts", str(board), "--csv", str(listed)]) == 0
    head, row, *rest = listed.read_text().splitlines()
    filled = "\n".join([head, row + "0.35", *rest])
    listed.write_text(filled)
    assert main(["board", "parts", str(board), "--csv", str(listed)]) == 1
    assert f"prices are filled in here: write to another file, with --prices {listed}" in capsys.readouterr().err
    assert main(["board", "parts", str(board), "--csv", str(listed), "--prices", str(listed)]) == 1
    assert listed.read_text() == filled
    assert main(["board", "parts", str(board), "--csv", "priced.csv", "--prices", str(listed)]) == 0
    assert ",0.35," in Path("priced.csv").read_text()


def test_pipes_and_devices_are_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_output(pipe, "a text\n")
    reader.join(10)
    assert read == [b"a text\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_output(Path("/dev/null"), "a text\n")


def test_standard_output_in_a_file_goes_on_behind_what_is_there(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("before\n")
    with file.open("ab") as out:
        write_output(Path(f"/dev/fd/{out.fileno()}"), "after\n")
    assert file.read_text() == "before\nafter\n"


def test_rights_of_a_file_that_is_replaced_stay(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("[Lodestone 1]\n")
    file.chmod(0o600)
    write_output(file, "[Lodestone 1]\nmore\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().endswith("more\n")


@pytest.mark.parametrize(("name", "reason"), [("", "is a folder"), ("none/file", "there is no folder")])
def test_where_no_file_can_be_written_is_told(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        write_output(tmp_path / name, "a text\n")


def test_every_option_that_names_a_file_to_write_is_declared_so() -> None:
    names = {"--csv", "--svg", "--pdf", "--pdf-a4", "--pdf-letter", "--dxf", "--out"}
    apart = {
        ("board", "kicad"), ("board", "pcb"), ("board", "printable"),  # folders
        ("arena",), ("soak",), ("puzzles", "make"), ("strength",),  # files to which lines are added
        ("hardware", "map"), ("hardware", "calibrate"), ("hardware", "pair"),  # the board file itself, changed
        ("record", "backup"),  # always a new file
    }  # fmt: skip
    left_out = [
        (verb, option.option_strings[-1])
        for verb, parser, option in options_of(parser_of_verbs())
        if names & set(option.option_strings)
        and option.dest not in (parser.get_default("outputs") or ())
        and not (option.option_strings[-1] == "--out" and verb in apart)
    ]
    assert left_out == []

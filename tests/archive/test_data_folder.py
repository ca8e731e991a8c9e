"""A folder of games that is none, can't be made or can't be written in is refused by its own name, in one line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.archive.data_folder import host_token, last_address, make_data, table_key
from firmware_host.commands.cli import main
from firmware_host.session.company import CompanySetting, read_company
from firmware_host.session.light_renderer import LightSetting, read_light_setting
from firmware_host.text.words import Refused

VERBS = (
    ("play", "--port", "0"),
    ("host",),
    ("host", "--anew"),
    ("record", "list"),
    ("record", "show", "spokes-1"),
    ("replay", "spokes-1", "--port", "0"),
)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    assert main([*verb, "--data", str(path)]) == 1
    expected = f"lodestone: --data: {path} is a file; expected the folder in which games are kept, or one to be made\n"
    assert capsys.readouterr().err == expected
    assert path.read_text() == "mine"


def test_a_folder_that_can_not_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--port", "0", "--data", "/proc/nope"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("lodestone: --data: the folder /proc/nope can't be made: ")
    assert said.endswith("Choose another one\n")


def test_a_folder_in_which_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is root may write anywhere: what the system would say to others is given."""
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(Refused, match=f"nothing can be written in the folder {tmp_path}"):
        make_data(tmp_path)


def test_a_folder_is_made_with_all_above_it(tmp_path: Path) -> None:
    make_data(tmp_path / "of" / "games")
    make_data(tmp_path / "of" / "games")
    assert (tmp_path / "of" / "games").is_dir()


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").touch()


def half(path: Path) -> None:
    path.write_bytes(b"\xff half")


@pytest.mark.parametrize("harm", [dangling, folder, half, os.mkfifo])
def test_whatever_lies_in_a_files_place_the_table_opens(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    for name in ("key", "host", "company.json", "lights.json", "listens"):
        harm(tmp_path / name)
    token, key = host_token(tmp_path), table_key(tmp_path)
    assert (host_token(tmp_path), table_key(tmp_path)) == (token, key)
    assert read_company(tmp_path) == CompanySetting()
    assert read_light_setting(tmp_path) == LightSetting()
    assert last_address(tmp_path) is None
    if harm is folder:
        assert len(list(tmp_path.glob("replaced-*/*/mine"))) == 2, "what is put aside is kept"

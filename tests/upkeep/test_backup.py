"""A data folder goes into one file and comes out of it again: all of it, or nothing."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest

from firmware_host.archive.journal import Journal, JournalError
from firmware_host.archive.journal_files import take_writers_lock
from firmware_host.commands.cli import main
from firmware_host.text.refusal import Refused
from firmware_host.upkeep import restore as restoring
from firmware_host.upkeep.backup import JOURNAL, MANIFEST, make_backup
from firmware_host.upkeep.restore import restore
from tests.archive.journal.journals import AT, HEAD, fill

HELD = {"key": b"k" * 32, "host": b"aVeryOwnHostsTokenHere\n", "lights.json": b"{}", "puzzles/coil.jsonl": b"{}\n"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which games were played, and a table is still open."""
    folder = tmp_path / "lodestone"
    for name, content in HELD.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name in ("backups/old.sqlite", "demo/key", ".half", "log/lodestone.log", "listens"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("not in it")
    return folder


def games(folder: Path, count: int) -> None:
    journal = Journal(folder / JOURNAL)
    journal.append("g1", "game", HEAD, AT)
    journal.append("g1", "start", {}, AT)
    fill(journal, count)
    journal.close()


def everything(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, but for the files that any reader of a journal leaves beside it."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-shm", "-wal")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_all_comes_back_from_a_table_that_is_open(data: Path, tmp_path: Path) -> None:
    journal = Journal(data / JOURNAL)
    entries = fill(journal, 40)
    board = tmp_path / "my-board.toml"
    board.write_text("measured")
    file = tmp_path / "out" / "all.zip"
    make_backup(data, file, "1.0", boards=[board])
    journal.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["all.zip"]
    fresh = tmp_path / "elsewhere" / "data"
    assert restore(file, fresh) is None
    found = everything(fresh)
    assert {name: found.pop(name) for name in HELD} == HELD
    assert found.pop("boards/my-board.toml") == b"measured"
    assert list(found) == [JOURNAL]
    again = Journal(fresh / JOURNAL)
    assert again.entries("g1") == entries
    again.close()
    assert [path.name for path in fresh.parent.iterdir()] == ["data"]


def test_a_folder_with_games_stays_unless_it_is_asked_for_and_is_kept_then(data: Path, tmp_path: Path) -> None:
    games(data, 3)
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    games(data, 4)
    before = everything(data)
    with pytest.raises(Refused, match="games are kept there; with --replace"):
        restore(file, data)
    assert everything(data) == before
    kept = restore(file, data, replace=True)
    assert kept is not None
    assert everything(kept) == before
    assert set(everything(data)) == {*HELD, JOURNAL}


def test_it_is_all_or_nothing_without_an_exchange_of_names_too(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games(data, 3)
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    monkeypatch.setattr(restoring, "_exchanged", lambda *_: False)
    rename = os.rename

    def failing(source: Path, target: Path) -> None:
        if target == data and "restored" in str(source):
            raise OSError(5, "Input/output error")
        rename(source, target)

    before = everything(data)
    monkeypatch.setattr(restoring.os, "rename", failing)
    with pytest.raises(Refused, match="Input/output error"):
        restore(file, data, replace=True)
    assert everything(data) == before
    monkeypatch.setattr(restoring.os, "rename", rename)
    assert restore(file, data, replace=True) is not None


def test_nothing_is_restored_under_a_running_table(data: Path, tmp_path: Path) -> None:
    games(data, 3)
    make_backup(data, tmp_path / "all.zip", "1.0")
    guard = take_writers_lock(data / JOURNAL)
    with pytest.raises(JournalError, match="another program"):
        restore(tmp_path / "all.zip", data, replace=True)
    os.close(guard)


def test_without_secrets_the_folder_keeps_its_own(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    assert make_backup(data, file, "1.0", with_secrets=False) == ["lights.json", "puzzles/coil.jsonl"]
    with zipfile.ZipFile(file) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist())
    assert b"aVeryOwn" not in whole
    assert b"kkkk" not in whole
    (data / "key").write_bytes(b"n" * 32)
    restore(file, data)
    assert (data / "key").read_bytes() == b"n" * 32
    restore(file, tmp_path / "fresh")
    assert not (tmp_path / "fresh" / "key").exists()


def rewritten(file: Path, target: Path, name: str, content: bytes, *, listed: bool = False) -> Path:
    """Write a backup anew with other content for one file; ``listed``: the manifest names it, with a wrong digest."""
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(target, "w") as into:
        held = {one: source.read(one) for one in source.namelist()}
        held[name] = content
        if listed:
            manifest = json.loads(held[MANIFEST])
            manifest["files"][name] = {"size": len(content), "sha256": "0" * 64}
            held[MANIFEST] = json.dumps(manifest).encode()
        for one, words in held.items():
            into.writestr(one, words)
    return target


@pytest.mark.parametrize(
    ("name", "content", "listed", "said"),
    [
        ("lights.json", b"[]", False, "lights.json is not as it was"),
        ("lights.json", b"longer than told", False, "lights.json is not as it was"),
        ("more", b"x", False, "does not hold the files"),
        ("../more", b"x", True, "leads out of the data folder"),
        ("/more", b"x", True, "leads out of the data folder"),
        (MANIFEST, b"[]", False, "missing or damaged"),
        (MANIFEST, b'{"format": 2, "version": "9", "files": {}}', False, "newer Lodestone"),
        (JOURNAL, b"no journal", True, "is not as it was"),
    ],
)
def test_a_damaged_backup_changes_nothing(
    data: Path, tmp_path: Path, name: str, content: bytes, listed: bool, said: str
) -> None:
    file = tmp_path / "all.zip"
    make_backup(data, file, "1.0")
    bad = rewritten(file, tmp_path / "bad.zip", name, content, listed=listed)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(Refused, match=said):
        restore(bad, tmp_path / "fresh")
    assert sorted(tmp_path.rglob("*")) == before


def test_what_can_not_be_done_is_said(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> str:
        assert main(list(words)) == 1
        return capsys.readouterr().err

    file, text = tmp_path / "all.zip", tmp_path / "text"
    text.write_text("no backup")
    assert main(["backup", str(file), "--data", str(data)]) == 0
    assert "keep it where only you can read it" in capsys.readouterr().out
    assert "is there already" in said("backup", str(file), "--data", str(data))
    assert "no such data folder" in said("backup", str(tmp_path / "b.zip"), "--data", str(tmp_path / "none"))
    assert "my.toml: there is no such board file" in said(
        "backup", str(tmp_path / "b.zip"), "--data", str(data), "--board", "my.toml"
    )
    assert "no backup of Lodestone" in said("restore", str(text), "--data", str(tmp_path / "fresh"))
    assert "there is no such file" in said("restore", str(tmp_path / "none"), "--data", str(tmp_path / "fresh"))
    assert "is a file" in said("restore", str(file), "--data", str(text))
    assert main(["restore", str(file), "--data", str(tmp_path / "fresh")]) == 0
    assert not (tmp_path / "b.zip").exists()

"""Small files: what has a file's name and is none leaves nothing open; what is put in a free name replaces nothing."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_host import platform
from firmware_host.archive.files import read_small
from firmware_host.archive.journal import Journal
from tests.archive.journal.journals import fill

WAYS = ("as it is", "no such rename", "no second names", "Windows", "a tab")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A system, or a file system, that knows no better way to rename than this one."""
    if request.param in {"no such rename", "no second names"}:
        monkeypatch.setattr(platform, "_renamed", lambda *_: False)
    if request.param == "no second names":
        monkeypatch.setattr(os, "link", _denied)
    if request.param == "Windows":
        monkeypatch.setattr(platform, "IS_WINDOWS", True)
        monkeypatch.setattr(os, "rename", _renamed_on_windows)
    if request.param == "a tab":
        monkeypatch.setattr(platform, "HAS_THREADS", False)
    return str(request.param)


def _denied(*_: object) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def _renamed_on_windows(one: Path, other: Path) -> None:
    if os.path.lexists(other):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(other))
    os.replace(one, other)


@pytest.mark.usefixtures("way")
def test_a_free_name_is_taken_and_another_one_never(tmp_path: Path) -> None:
    (new := tmp_path / "new").write_text("new")
    platform.put_as(new, tmp_path / "target")
    assert [path.name for path in tmp_path.iterdir()] == ["target"]
    new.write_text("newer")
    with pytest.raises(FileExistsError):
        platform.put_as(new, tmp_path / "target")
    assert ((tmp_path / "target").read_text(), new.read_text()) == ("new", "newer")
    with pytest.raises(FileNotFoundError):
        platform.put_as(new, tmp_path / "none" / "target")


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_stick_without_second_names_takes_backups_and_data_folders(tmp_path: Path) -> None:
    """As FAT and exFAT are, with a driver that knows no other rename either."""
    journal = Journal(tmp_path / "journal.sqlite")
    fill(journal, 1)
    journal.close()
    stick = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=link,linkat:error=EPERM",
             "-e", "inject=renameat2:error=EINVAL", sys.executable, "-m", "firmware_host"]  # fmt: skip
    for words in (("backup", tmp_path / "made.zip"), ("host",)):
        command = [*stick, *words, "--data", tmp_path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if "PTRACE" in done.stderr:
            pytest.skip("strace may not trace here")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "made.zip").stat().st_size > 1000
    assert len((tmp_path / "host").read_text().strip()) == 22


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_what_is_no_file_is_refused_and_left_closed(tmp_path: Path, make: object) -> None:
    path = tmp_path / "host"
    make(path)  # type: ignore[operator]
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(OSError, match="no file"):
            read_small(path)
    assert len(os.listdir("/proc/self/fd")) == len(before)

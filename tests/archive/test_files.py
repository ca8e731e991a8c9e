"""Small files: what has a file's name and is none leaves nothing open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firmware_host.archive.files import read_small


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["a folder", "a pipe"])
def test_what_is_no_file_is_refused_and_left_closed(tmp_path: Path, make: object) -> None:
    path = tmp_path / "host"
    make(path)  # type: ignore[operator]
    before = set(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(OSError, match="no file"):
            read_small(path)
    assert len(os.listdir("/proc/self/fd")) == len(before)

"""What a release is made of: the wheel has all that runs, the source archive all that a clone has."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("firmware_host", "hw", "lodestone", "simulator", "web_panel")
BUILD = """
import sys
from setuptools import build_meta
getattr(build_meta, sys.argv[1])(sys.argv[2])
"""


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of all files that git knows, in which something can be built."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: git alone knows what belongs to the sources")
    folder = tmp_path_factory.mktemp("sources")
    for name in names():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def names() -> list[str]:
    command = ["git", "ls-files"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def build(tracked: Path, what: str, to: Path) -> Path:
    done = subprocess.run(
        [sys.executable, "-c", BUILD, what, str(to)], cwd=tracked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = to.iterdir()
    return built


@pytest.mark.slow
def test_the_wheel_has_all_files_of_the_packages_and_nothing_else(tracked: Path, tmp_path: Path) -> None:
    wheel = build(tracked, "build_wheel", tmp_path)
    assert wheel.name.startswith("lodestone_board-")
    assert wheel.name.endswith("-py3-none-any.whl"), "without a C compiler it can be installed, too"
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert inside == {name for name in names() if name.split("/")[0] in PACKAGES}


@pytest.mark.thorough
@pytest.mark.slow
def test_the_source_archive_has_all_that_a_clone_has(tracked: Path, tmp_path: Path) -> None:
    archive = build(tracked, "build_sdist", tmp_path)
    with tarfile.open(archive) as file:
        inside = {one.name.partition("/")[2] for one in file if one.isfile()}
    made = {name for name in inside if name in {"PKG-INFO", "setup.cfg"} or ".egg-info/" in name}
    assert inside - made == set(names())

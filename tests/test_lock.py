"""The lock of all libraries: it names what pyproject.toml asks for, each file by its digest, and pip keeps to it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools.lock import FOLDER, sets

ENTRY = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>.*?))? \\\n(?P<hashes>(?: {4}--hash.*\n)+)", re.M
)
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?\n")
MAKEFILE = (FOLDER.parent.parent / "Makefile").read_text(encoding="utf-8")


def entries(name: str) -> dict[str, Version]:
    """Return library → version of a file, every line of which is one of a library with its digests."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    rest = ENTRY.sub("", text)
    assert [line for line in rest.splitlines() if not line.startswith("#")] == [], "a line that is no locked library"
    found = {}
    for match in ENTRY.finditer(text):
        lines = match["hashes"].splitlines(keepends=True)
        assert all(HASH.fullmatch(line) for line in lines), match["name"]
        found[match["name"]] = Version(match["version"])
    return found


@pytest.mark.parametrize("name", sets())
def test_each_library_of_pyproject_is_locked_at_its_version(name: str) -> None:
    locked = entries(name)
    for requirement in map(Requirement, sets()[name]):
        version = locked[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version, prereleases=True), f"python -m tools.lock: {requirement}"


def test_no_two_sets_disagree_and_no_other_file_is_there() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(sets())
    versions: dict[str, set[Version]] = {}
    for name in sets():
        for library, version in entries(name).items():
            versions.setdefault(library, set()).add(version)
    assert {library: found for library, found in versions.items() if len(found) > 1} == {}


def test_nothing_that_make_setup_runs_installs_without_the_lock() -> None:
    """Of pip's calls only the one for Lodestone itself installs what is not in the lock."""
    calls = [line.strip() for line in MAKEFILE.splitlines() if re.search(r"pip install|\$\((PIP|LOCKED)\)", line)]
    free = [line for line in calls if "$(LOCKED)/" not in line]
    assert free == [
        "PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check",
        "LOCKED := PYPI=1 $(PIP) --no-build-isolation --require-hashes --requirement install/libraries",
        "$(PIP) $$again --no-build-isolation --no-deps --editable .",
    ]


@pytest.mark.parametrize(("folder", "wanted"), [("releases/1.0-x", {"link", "metrics", "club"}), ("clone", set())])
def test_an_installed_release_has_the_libraries_of_all_extensions(
    tmp_path: Path, folder: str, wanted: set[str]
) -> None:
    """From the lock of the release itself: so each update brings its own. A clone does without until it is told."""
    shutil.copytree(FOLDER, tmp_path / folder / "install/libraries")
    for name in ("pyproject.toml", "hw/pi.py", "firmware_host/compile.py"):
        (tmp_path / folder / name).parent.mkdir(exist_ok=True)
        (tmp_path / folder / name).touch()
    (tmp_path / folder / "Makefile").write_text(MAKEFILE)
    make = ["make", "--dry-run", "-C", tmp_path / folder, "setup"]
    printed = subprocess.run(make, capture_output=True, text=True, check=True).stdout
    installed = set(re.findall(r"--require-hashes --requirement install/libraries/(\w+)\.txt", printed))
    assert installed & {"link", "metrics", "club"} == wanted


@pytest.mark.thorough
def test_another_file_of_the_same_name_and_version_is_refused(tmp_path: Path) -> None:
    """What lies on the way, a mirror or a folder of wheels, is not believed."""
    version = entries("build")["setuptools"]
    with zipfile.ZipFile(tmp_path / f"setuptools-{version}-py3-none-any.whl", "w") as wheel:
        info = f"setuptools-{version}.dist-info"
        wheel.writestr("setuptools.py", "raise SystemExit('it was run as root')\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: setuptools\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    lock = (FOLDER / "build.txt").read_text(encoding="utf-8")
    (tmp_path / "lock").write_text(next(match[0] for match in ENTRY.finditer(lock) if match["name"] == "setuptools"))
    options = ["--isolated", "--no-index", "--find-links", tmp_path, "--target", tmp_path / "into", "--no-deps"]
    install = [sys.executable, "-m", "pip", "install", "--require-hashes", "--requirement", tmp_path / "lock", *options]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert not (tmp_path / "into").exists()

"""What is compiled, and what is said of it: in a copy of the program, where files can be old, missing or in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from firmware_host import compile as compiling
from firmware_host.games.registry import GAMES

PROGRAM = Path(compiling.__file__).parent
FORM = "from firmware_host.compile import form; print(form())"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The program without anything compiled; stand-ins for that are put beside some of its files."""
    shutil.copytree(
        PROGRAM, tmp_path / "firmware_host", ignore=shutil.ignore_patterns("*.so", "compiled.hashes", "__pycache__")
    )
    return tmp_path


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(folder), "LODESTONE_PURE": "", **environment}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=200)


def form(folder: Path, **environment: str) -> str:
    done = run(folder, "-c", FORM, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def stand_ins(folder: Path) -> list[Path]:
    """Put a compiled file beside every module that is to be compiled. None of them could be run."""
    found = []
    for module in compiling.modules():
        path = folder / module.with_suffix(EXTENSION_SUFFIXES[0])
        path.write_bytes(b"no machine code")
        found.append(path)
    (folder / f"{compiling.GROUP}__mypyc.py").touch()
    (folder / "firmware_host/compiled.hashes").write_text(json.dumps(compiling.hashes()))
    return found


def test_a_compiled_module_whose_text_is_gone_is_removed(copy: Path) -> None:
    kept = stand_ins(copy)
    orphan = copy / "firmware_host/games/coil" / f"gone{EXTENSION_SUFFIXES[0]}"
    orphan.write_bytes(b"no machine code")
    assert run(copy, "-m", "firmware_host.compile").returncode == 0
    assert not orphan.exists()
    assert all(path.exists() for path in kept)


def test_packages_name_what_is_compiled() -> None:
    named = {
        Path(PROGRAM.name, "games", name, file)
        for name, game in GAMES.items()
        if type(game).__module__.startswith("firmware_host.")
        for file in getattr(import_module(f"firmware_host.games.{name}"), "COMPILED", ())
    }
    named |= {Path(PROGRAM.name, "searching", file) for file in import_module("firmware_host.searching").COMPILED}
    assert set(compiling.modules()) == named
    assert {"spokes", "coil"} <= {module.parts[2] for module in named}
    for module in named:
        assert (PROGRAM.parent / module).is_file()


@pytest.mark.thorough
def test_the_form_is_told_without_running_what_is_compiled(copy: Path) -> None:
    assert form(copy) == "search in plain Python"
    files = stand_ins(copy)
    assert form(copy) == "search compiled"
    assert form(copy, LODESTONE_PURE="1") == "search in plain Python"
    module = copy / compiling.modules()[0]
    os.utime(module, (2e9, 2e9))
    assert form(copy) == "search compiled", "the text counts, not its time"
    text = module.read_bytes()
    module.write_bytes(text + b"# changed\n")
    assert form(copy) == "search in plain Python, compiled from an older text or for another Python: make compile"
    module.write_bytes(text)
    assert form(copy) == "search compiled"
    files[-1].unlink()
    assert form(copy) == "search compiled in parts: make compile"


def test_what_is_not_yet_whole_does_not_run(copy: Path) -> None:
    """Somebody plays while it is compiled: each process runs one form, never parts of both."""
    stand_ins(copy)
    hashes = copy / "firmware_host/compiled.hashes"
    hashes.rename(hashes.with_suffix(".later"))
    coil = "from firmware_host.games.coil.flat import FlatCoil; print(type(FlatCoil(7)).__name__)"
    assert run(copy, "-c", coil).stdout == "FlatCoil\n"
    assert form(copy) == "search in plain Python"
    hashes.with_suffix(".later").rename(hashes)
    assert "no machine code" not in run(copy, "-c", coil).stdout
    assert run(copy, "-c", coil).returncode != 0, "now it is whole, and taken"


def test_a_new_environment_has_nothing_compiled(copy: Path) -> None:
    """What the modules share is installed there; where .venv was removed they could not be imported."""
    stand_ins(copy)
    (copy / "librt.py").touch()
    alone = [sys.executable, "-S", "-c", FORM]  # Without what is installed here.
    variables = {**os.environ, "PYTHONPATH": str(copy), "LODESTONE_PURE": ""}
    for needed in (copy / f"{compiling.GROUP}__mypyc.py", copy / "librt.py"):
        assert subprocess.check_output(alone, env=variables, text=True) == "search compiled\n"
        away = needed.rename(needed.with_suffix(".away"))
        told = subprocess.check_output(alone, env=variables, text=True)
        assert told == "search in plain Python, compiled from an older text or for another Python: make compile\n"
        away.rename(needed)


def test_one_sees_that_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling takes minutes on a small machine; here it lasts until two dots have been printed."""
    go, told = tmp_path / "go", ""

    def noted(words: str, end: str = "\n", flush: bool = False) -> None:
        nonlocal told
        told += words + end
        if told == "..":
            go.touch()

    monkeypatch.setattr(compiling, "print", noted, raising=False)
    waits = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
    slow = [sys.executable, "-c", f"{waits}print('so'); raise SystemExit(3)"]
    done = compiling.run_watched(slow, {**os.environ}, every=0.01)
    assert (done.returncode, done.stdout) == (3, "so\n")
    assert told.startswith("..")
    assert told.endswith(" s\n")


def test_a_file_that_is_named_and_not_there_is_an_error(copy: Path) -> None:
    package = copy / "firmware_host/games/coil/__init__.py"
    package.write_text(package.read_text().replace('"flat.py"', '"flot.py"'))
    done = run(copy, "-c", FORM)
    assert done.returncode == 1
    assert "firmware_host/games/coil/flot.py: a game lists it as COMPILED, but it is not there" in done.stderr


@pytest.mark.thorough
def test_without_a_compiler_everything_stays_as_it_is(copy: Path) -> None:
    done = run(copy, "-m", "firmware_host.compile", PATH="/nonexistent")
    assert done.returncode == 1
    assert "plain Python, which is slower: there is no C compiler" in done.stderr
    assert form(copy) == "search in plain Python"
    coil = "from firmware_host.games.coil.flat import FlatCoil; print(type(FlatCoil(7)).__name__)"
    assert run(copy, "-c", coil).stdout == "FlatCoil\n"

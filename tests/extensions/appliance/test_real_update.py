"""The whole of it, from one real release to the next: built by pip without a network, run, switched, and back."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest

from firmware_host.extensions.appliance.update import Installation
from tests.extensions.appliance.installed import PROGRAM, VERSION, Publisher, Systemd, installed, running
from tests.sentences import is_in

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]
LEFT_OUT = shutil.ignore_patterns(
    *("tests", ".git", ".venv", "*.so", "*_cache", ".hypothesis", "__pycache__", "*.egg-info", "compiled.hashes")
)


@pytest.fixture
def offline(tmp_path: Path) -> Mapping[str, str]:
    """Return an environment in which ``make setup`` takes the libraries of this very test, and no network."""
    site = Path(sysconfig.get_path("purelib"))
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    for path in site.iterdir():
        if "lodestone" not in path.name and "__mypyc" not in path.name:
            (libraries / path.name).symlink_to(path)
    python = tmp_path / "python"
    python.write_text(
        # pip is one of these libraries: to unpack another takes a minute and more on a busy machine, three times.
        f'#!/bin/sh\n[ "$2" = venv ] || exec {sys.executable} "$@"\n{sys.executable} "$@" --without-pip || exit\n'
        f'for site in "$3"/lib/python*/site-packages; do echo {libraries} >"$site/libraries.pth"; done\n'
    )
    python.chmod(0o755)
    pip = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_DEPS": "1"}
    return {**os.environ, **pip, "PYTHON": str(python), "LODESTONE_PURE": "1"}


def real_source(folder: Path, version: str, fault: str = "") -> Path:
    shutil.copytree(PROGRAM, folder, ignore=LEFT_OUT)
    text = (folder / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text(text.replace(f'version = "{VERSION}"', f'version = "{version}"', 1))
    makefile = (folder / "Makefile").read_text()  # Compiling takes minutes, and a test of its own.
    (folder / "Makefile").write_text(makefile.replace("setup: $(VENV)/.compiled $(VENV)/.hardware", "setup: ready"))
    program = folder / "firmware_host/commands/play.py"
    program.write_text(program.read_text().replace("import os\n", f"import os\n{fault}\n", 1))
    return folder


def update(here: Installation, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    command = [str(here.program(here.current())), "update"]
    return subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=False)


def port(root: Path) -> str:
    return (root / "var/lib/lodestone/listens").read_text().split()[1]


def test_from_one_real_release_to_the_next_and_back_from_one_that_does_not_start(
    tmp_path: Path, offline: Mapping[str, str]
) -> None:
    root = tmp_path / "root"
    here = installed(real_source(tmp_path / "one", "0.1.0"), root, offline)
    releases = Publisher(tmp_path / "releases")
    releases.trusted_by(here)
    with running(here, tmp_path / "systemd") as service:
        _serves(here, service, root, "0.1.0")
        environment = {**offline, "PATH": service.systemctl()}
        key = (root / "var/lib/lodestone/key").read_bytes()
        releases.publish(real_source(tmp_path / "two", "0.2.0"), "0.2.0")
        done = update(here, environment)
        assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["Lodestone 0.2.0 runs."]), done
        _serves(here, service, root, "0.2.0")
        assert (root / "var/lib/lodestone/key").read_bytes() == key, "phones keep their seats"

        fault = "if 'NOTIFY_SOCKET' in os.environ:\n    import a_library_that_is_not_there\n"
        releases.publish(real_source(tmp_path / "three", "0.3.0", fault), "0.3.0")
        failed = update(here, environment)
        assert failed.returncode == 1
        assert is_in("the new release did not", failed.stderr)
        _serves(here, service, root, "0.2.0")


def _serves(here: Installation, service: Systemd, root: Path, version: str) -> None:
    assert service.up.wait(60)
    assert here.current().startswith(f"{version}-")
    with urllib.request.urlopen(f"http://127.0.0.1:{port(root)}/api/state", timeout=30) as answer:
        assert answer.status == 200
    extensions = {path.name for path in (here.releases / here.current() / ".venv").glob(".extension-*")}
    assert extensions == {".extension-club", ".extension-link", ".extension-metrics"}
    said = subprocess.run([here.program(here.current()), "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith(f"lodestone {version} ")

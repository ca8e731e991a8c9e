"""The workflows are sound, and run nothing but targets of the Makefile, which run anywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands(workflow: Path) -> Iterator[str]:
    for job in yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values():
        for step in job["steps"]:
            if "run" in step:
                yield from step["run"].splitlines()


def test_actionlint_finds_nothing() -> None:
    programs = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    templates = sorted((ROOT / "docs/templates").glob("*/.github/workflows/*.yml"))
    command = [programs / "actionlint", *WORKFLOWS, *templates]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


ON_DESKS = (
    'python -m pip install ".[test]"',
    'python -m pytest --numprocesses=auto -m "not thorough and not linux" @tests/portable.txt',
    "python -m firmware_host selftest coil",
)
"""Windows has no make."""


def test_the_portable_part_is_there_and_every_desk_runs_it_with_every_python() -> None:
    assert all((ROOT / one).is_dir() for one in (ROOT / "tests/portable.txt").read_text().split())
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"]
    assert jobs["desks"]["strategy"]["matrix"]["python"] == jobs["test"]["strategy"]["matrix"]["python"]
    assert [step["run"] for step in jobs["desks"]["steps"] if "run" in step] == list(ON_DESKS)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_is_a_make_target(workflow: Path) -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    found = list(commands(workflow))
    assert found
    for line in found:
        if line in ON_DESKS:
            continue
        call = re.fullmatch(r'make ([\w-]+)( [A-Z]+="\$[A-Z_]+")*', line)
        assert call, line
        assert call[1] in phony.split(), line
        assert re.search(rf"^{call[1]}:", MAKEFILE, re.MULTILINE), line


def test_every_python_that_gets_a_wheel_is_tested_on_both_kinds_of_machine() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    built = re.findall(r"cp3(\d+)-\*", project["tool"]["cibuildwheel"]["build"])
    matrix = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in built]
    assert project["project"]["requires-python"] == f">={matrix['python'][0]}"
    assert matrix["machine"] == ["ubuntu-24.04", "ubuntu-24.04-arm"]

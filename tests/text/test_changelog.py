"""The changelog: a dated section for each version, the newest of which is the program's, short enough to be read."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADING = re.compile(r"^## (Unreleased|(\d+)\.(\d+)\.(\d+) – (\d{4}-\d\d-\d\d))$")
SECTIONS = re.split(r"^(?=## )", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
LONGEST = 60


def test_each_version_has_a_date_and_at_most_sixty_lines() -> None:
    told = []
    for at, section in enumerate(SECTIONS):
        lines = section.strip().splitlines()
        heading = HEADING.fullmatch(lines[0])
        assert heading, f"{lines[0]}: expected '## VERSION – YEAR-MONTH-DAY'"
        assert len(lines) <= LONGEST, f"{lines[0]}: {len(lines)} lines"
        if heading[1] == "Unreleased":
            assert at == 0, "what is not released yet comes first"
        else:
            told.append((tuple(map(int, heading.group(2, 3, 4))), date.fromisoformat(heading[5])))
    assert all(newer[0] > older[0] and newer[1] >= older[1] for newer, older in pairwise(told))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert ".".join(map(str, told[0][0])) == version

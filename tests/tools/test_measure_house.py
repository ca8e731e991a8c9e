"""The measures of the house: each kind of finding is found in a small house, and the walks lead through the product."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tools.measure_house import (
    HOUSE,
    Walk,
    bare_participles,
    circles,
    classes_twice,
    core_lines,
    git,
    lines_by_package,
    open_walk,
    single_importers,
    sources,
    trees,
)

TEXTS = {
    "house.door": "class Key: ...\ndef kept(): ...\ndef keep(): ...\ndef feed(): ...",
    "house.room": "from house.door import Key\nclass Lamp: ...\ndef opened(): ...\ndef opened_room(): ...",
    "house.hall": "import house.room\nfrom house import garden\nclass Lamp: ...",
    "house.attic": "from house import garden",
    "house.garden": "",
}
MODULES = {name: ast.parse(text) for name, text in TEXTS.items()}


def test_names_that_a_house_should_not_have_are_found() -> None:
    assert single_importers(MODULES) == ["house.door ← house.room", "house.room ← house.hall"]
    assert classes_twice(MODULES) == ["Lamp: house.room, house.hall"]
    assert bare_participles(MODULES) == ["house.door.kept", "house.room.opened"]


def test_modules_that_import_each_other_are_found_by_a_detour_and_for_types_alone() -> None:
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.hall import Lamp"
    assert circles(MODULES) == []
    assert circles({**MODULES, "house.door": ast.parse(types)}) == ["house.door, house.hall, house.room"]


@pytest.mark.slow
def test_no_modules_of_the_house_import_each_other() -> None:
    assert circles(trees(HOUSE)) == []


def test_the_core_is_all_that_a_table_runs_without_extensions(tmp_path: Path) -> None:
    """Python and JavaScript, tools apart."""
    for name, lines in (
        ("firmware_host/table/state.py", 3),
        ("firmware_host/extensions/club/club.py", 5),
        ("firmware_host/extensions/club/static/club.js", 7),
        ("web_panel/static/play.js", 11),
        ("tools/lock.py", 13),
        ("firmware_host/link/trust.py", 17),
        ("firmware_host/games/game.py", 19),
        ("firmware_host/games/coil/player/core.py", 23),
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("\n" * lines)
    git("init", "-q", at=tmp_path)
    git("add", "-A", at=tmp_path)
    assert core_lines(tmp_path) == {"core": 3 + 11 + 19 + 23, "core without games": 3 + 11 + 19}
    assert lines_by_package(tmp_path) == {
        "firmware_host/table": 3, "firmware_host/extensions/club": 5 + 7, "JavaScript": 11, "tools": 13,
        "firmware_host/link": 17, "firmware_host/games": 19 + 23,
    }  # fmt: skip


def test_sources_are_those_of_git_without_tests_and_vendored_scripts() -> None:
    names = {str(path.relative_to(HOUSE)) for path in sources(HOUSE)}
    assert {"tools/measure_house.py", "firmware_host/compile.py"} <= names <= set(git("ls-files").splitlines())
    assert not [name for name in names if name.startswith("tests/") or "vendor" in name]


def test_a_touch_walks_through_table_and_lights_and_is_counted_without_the_simulator() -> None:
    with open_walk("touch") as table, Walk() as walk:
        table.touch()
    packages = {name.split("/")[0] for name in walk.modules}
    assert packages == {"firmware_host", "hw"}
    assert any(name.startswith("firmware_host/table/") for name in walk.modules)
    assert walk.functions.total() > len(walk.functions) > len(walk.modules)

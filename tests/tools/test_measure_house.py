"""The measures of the house: each kind of finding is found in a small house, and the walks lead through the product."""

from __future__ import annotations

import ast

from tools.measure_house import HOUSE, Walk, bare_participles, classes_twice, git, open_walk, single_importers, sources

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

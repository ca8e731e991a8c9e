"""The version of a player: a hash of the code that decides what it plays.

Comments, docstrings, layout, translatable sentences and the table of levels do not count: games that were measured
before such an edit stay valid. (A level's own limits are part of its mark in :mod:`.players`.)
Nor do names, and where in the code a thing stands: versions that were shown to play alike count as the first of them.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HOST = Path(__file__).parents[3]
FOLLOWED = {"firmware_host.searching": HOST / "searching", "firmware_host.games.thinking": HOST / "games" / "thinking"}
"""Modules that every player may use."""
LOADS = {".json": json.loads, ".toml": tomllib.loads}
SAME = HOST.parent / "tools" / "measured" / "same_play.json"
"""Versions that play alike, as ``same_play.py`` has shown: game or peer → ``versions`` and a hash of the play."""
SAID = "say"
TABLE = "Strength"
"""Calls whose arguments do not count: sentences, and the settings of all levels."""


def version(roots: Iterable[Path], packages: Mapping[str, Path]) -> str:
    """Return the version of the code in some files and in what they import (16 hex digits).

    Imports are followed into ``packages`` (dotted name → folder, or file without its suffix) and :data:`FOLLOWED`. Data
    files count whose names occur in the code beside them.
    """
    found: dict[Path, str] = {}
    waiting, followed = list(roots), {**FOLLOWED, **packages}
    while waiting:
        path = waiting.pop()
        if path not in found:
            module = _module(path.read_bytes())
            found[path] = module.text
            waiting += _imported_files(module.names, followed)
            found.update(_data(module.files, path.parent))
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{path.name} {found[path]}\n".encode())
    found_now = digest.hexdigest()[:16]
    return alike().get(found_now, found_now)


@cache
def alike() -> Mapping[str, str]:
    """Return version → the first version that plays alike."""
    if not SAME.exists():
        return {}
    groups = [one["versions"] for one in json.loads(SAME.read_text(encoding="utf-8")).values()]
    return {version: group[0] for group in groups for version in group}


@dataclass(frozen=True)
class _Module:
    """What counts of a module: its code as text, the dotted names that it imports, and the data files that it names."""

    text: str
    names: tuple[str, ...]
    files: tuple[str, ...]


@cache
def _module(code: bytes) -> _Module:
    tree = ast.parse(code)
    names: list[str] = []
    files = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith(tuple(LOADS)):
            files.append(node.value)
    return _Module(json.dumps(plain_tree(tree)), tuple(names), tuple(files))


def plain_tree(tree: Any) -> Any:
    """Return a syntax tree as nested lists, the same in all versions of Python, without what does not count."""
    if isinstance(tree, list):
        kept = [one for one in tree if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
        return [plain_tree(one) for one in kept]
    if not isinstance(tree, ast.AST):
        return repr(tree)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in {SAID, TABLE}:
        return tree.func.id
    fields = ((name, value) for name, value in ast.iter_fields(tree) if value is not None and value != [])
    return [type(tree).__name__, *([name, plain_tree(value)] for name, value in fields)]


def _imported_files(names: Iterable[str], followed: Mapping[str, Path]) -> Iterator[Path]:
    """Yield the followed files of imported names; a package's ``__init__`` is none of them."""
    for name in names:
        for package, place in followed.items():
            if name == package or name.startswith(f"{package}."):
                path = place.joinpath(*name[len(package) + 1 :].split(".")).with_suffix(".py")
                if path.is_file():
                    yield path


def _data(files: Iterable[str], folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the data files in a module's folder, with their contents."""
    for name in files:
        path = folder / name
        if path.parent == folder and path.is_file():
            read = LOADS[path.suffix](path.read_text(encoding="utf-8"))
            yield path, json.dumps(read, default=repr, sort_keys=True)

"""Games with one ruling altered, to test the tests: what compares a game's two forms must notice it.

A :class:`Mutation` names a ruling of docs/rulings.md, a file of the game's folder, and a text in it that is replaced
(mutation analysis: DeMillo, Lipton and Sayward, 1978). :func:`mutated` loads the whole game from such a copy, under
another name and in plain Python, so that neither the real game nor its compiled form is touched::

    MUTATIONS = [Mutation("R1", "rules.py", "other(position.seat)", "position.seat"), …]

    def compare(load: Load) -> None: ...       # reads load("rules") and load("flat"); raises where they differ

    @pytest.mark.parametrize("mutation", cases(MUTATIONS, *MUTATIONS[::15]), ids=str)
    def test_…(mutation: Mutation, tmp_path: Path) -> None:
        assert notices(compare, "coil", mutation, tmp_path)

    def test_…() -> None:
        assert untried("coil", MUTATIONS, {"reference": ("rules.py",), "flat": ("flat.py",)}) == []
"""

from __future__ import annotations

import importlib
import itertools
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
RULINGS = ROOT / "docs" / "rulings.md"
SEARCHING = "firmware_host.searching"
"""Copied with every game: an interpreted class can't be derived from a compiled one."""


def choices_of(options: type[Any]) -> list[Any]:
    """Return every choice among the options of a game's rules, none of them first."""
    names = [one.name for one in fields(options)]
    return [options(**dict(zip(names, on, strict=True))) for on in itertools.product((False, True), repeat=len(names))]


Load = Callable[[str], ModuleType]
"""A module's name inside the game's package (``player.core``; nothing: the package itself) → the module."""

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Mutation:
    """One ruling altered: in ``file``, relative to the game's folder, ``old`` becomes ``new``."""

    ruling: str
    file: str
    old: str
    new: str

    def __str__(self) -> str:
        """Return a short name for test reports."""
        return f"{self.ruling} {self.file} {' '.join(self.old.split())[:40]}"


def loader(game: str) -> Load:
    """Return what loads the modules of a game as it is."""
    return _loader(f"firmware_host.games.{game}")


def _loader(package: str) -> Load:
    return lambda name: importlib.import_module(f"{package}.{name}" if name else package)


def altered(game: str, mutation: Mutation) -> str:
    """Return a file of a game with a mutation. Raise ValueError unless the text to be replaced occurs exactly once."""
    text = ROOT.joinpath("firmware_host", "games", game, mutation.file).read_text(encoding="utf-8")
    if (count := text.count(mutation.old)) != 1:
        raise ValueError(f"{mutation}: expected the text once in {mutation.file}, got it {count} times")
    return text.replace(mutation.old, mutation.new)


@contextmanager
def mutated(game: str, mutation: Mutation | None, folder: Path) -> Iterator[Load]:
    """Load a copy of a game with a mutation (None: with none), made in a folder; forget it afterwards.

    Raise ValueError unless the text to be replaced occurs exactly once.
    """
    name = f"mutated_{next(_numbers)}"
    renamed = {f"firmware_host.games.{game}": f"{name}.{game}", SEARCHING: f"{name}.searching"}
    for original, copy in renamed.items():
        source, target = ROOT.joinpath(*original.split(".")), folder.joinpath(*copy.split("."))
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    if mutation is not None:
        (folder / name / game / mutation.file).write_text(altered(game, mutation), encoding="utf-8")
    names = re.compile("|".join(rf"\b{re.escape(original)}\b" for original in renamed))
    for path in (folder / name).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(names.sub(lambda found: renamed[found[0]], text), encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        load = _loader(f"{name}.{game}")
        load("")  # What can't even be imported is no mutation: it fails here, before anything is compared.
        yield load
    finally:
        sys.path.remove(str(folder))
        for module in [module for module in sys.modules if module == name or module.startswith(f"{name}.")]:
            del sys.modules[module]


def notices(check: Callable[[Load], object], game: str, mutation: Mutation, folder: Path) -> bool:
    """Tell whether a check of a game's forms fails, in any way, with a mutation."""
    with mutated(game, mutation, folder) as load:
        try:
            check(load)
        except Exception:  # noqa: BLE001 - a search that runs into a wall has noticed it, too
            return True
    return False


def compares(what: str, where: Callable[..., str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a comparison so that its failure names ``what`` differs and ``where``, not ``1 == 2`` alone.

    ``where`` gets the comparison's arguments and returns the position.
    """

    def decorate(compare: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(compare)
        def compare_and_name(*args: Any, **options: Any) -> Any:
            try:
                return compare(*args, **options)
            except Exception as error:
                error.add_note(f"The two forms differ in {what}: {where(*args, **options)}")
                raise

        return compare_and_name

    return decorate


def rulings(game: str) -> list[str]:
    """Return the numbers of a game's rulings in docs/rulings.md."""
    sections = re.split(r"^## ", RULINGS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    section = next(section for section in sections if section.casefold().startswith(game))
    return re.findall(r"^\| (R\d+) ", section, re.MULTILINE)


def untried(game: str, mutations: Iterable[Mutation], forms: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return each (form, ruling) without a mutation; ``forms`` maps a form's name to its files.

    Raise ValueError for a mutation whose text is not there: those that are left out of a sample are not loaded.
    """
    tried = {(mutation.ruling, mutation.file) for mutation in mutations if altered(game, mutation)}
    return [
        (form, ruling)
        for form, files in forms.items()
        for ruling in rulings(game)
        if not any((ruling, file) in tried for file in files)
    ]

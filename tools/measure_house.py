"""Measures of the house: how large it is, how it is cut, and how far a touch, a seal and a hint walk through it.

``python -m tools.measure_house`` prints them. ``--names`` also lists the modules with one importer, circles of imports,
the class names that are used twice and the functions whose name is a bare participle. ``--against COMMIT`` prints those
of another commit in front, taken in a worktree of its own in the same run.

The *core* is what stays when every extension's folder is deleted, and what a table runs: the lines of Python and
JavaScript of firmware_host, hw, web_panel and simulator outside of ``firmware_host/extensions`` and of
``firmware_host/link``, which only these use; comments and empty lines included. A row of its own leaves out the games,
which can be deleted, too. Its JavaScript is counted there, and once more in a row of its own. Tools are for developers,
and lodestone is the kit for tests: neither is core.

A *walk* is what one request of a person calls: which modules of the product, which functions, how many calls, and the
processor's time, without the simulator and without libraries. Line counts are a sign, not a purpose.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

HOUSE = Path(__file__).parent.parent
CORE = ("firmware_host", "hw", "web_panel", "simulator")
PACKAGES = (*CORE, "tools")
"""Packages of the product and its tools. Tests and vendored scripts are not counted."""
EXTENSIONS = ("firmware_host", "extensions")
SHARED = ("firmware_host", "link")
"""What extensions share: import-linter lets nothing else import it, and it is deleted with all of them."""
GAMES = ("firmware_host", "games")
"""Has a folder for each game, and beside them what games share."""
LISTED = ("one importer", "circles", "classes of one name", "bare participles")
TIMES, TABLES = 60, 8
"""Walks that are timed where a table allows many, and tables where it allows one; the median is printed."""

IRREGULAR = frozenset(
    """told said seen kept held made done given taken gone left found lost shown known thought brought built sent spent
    meant felt lent lit hidden chosen drawn written understood begun worn sworn heard met paid sat stood""".split()  # noqa: SIM905
)
NO_PARTICIPLES = frozenset("feed seed need speed embed exceed proceed succeed bleed breed shed".split())  # noqa: SIM905


def git(*arguments: str, at: Path = HOUSE) -> str:
    """Return what git answers."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=True).stdout  # noqa: S603 - git itself


def sources(root: Path) -> list[Path]:
    """Return the files of Python and JavaScript that are counted, from git's list."""
    return [
        root / name
        for name in git("ls-files", *PACKAGES, at=root).splitlines()
        if name.endswith((".py", ".js")) and "/vendor/" not in name
    ]


def lines_by_package(root: Path) -> Counter[str]:
    """Return the number of lines of each package, JavaScript apart; an extension has one row for both."""
    found = Counter[str]()
    for path in sources(root):
        parts = path.relative_to(root).parts
        name = "/".join(parts[:2] if parts[0] == "firmware_host" else parts[:1])
        if parts[:2] == EXTENSIONS:
            name = "/".join(parts[:3])
        elif path.suffix == ".js":
            name = "JavaScript"
        found[name.removesuffix(".py")] += len(path.read_text("utf-8").splitlines())
    return found


def core_lines(root: Path) -> dict[str, int]:
    """Return the number of lines of the core, with games and without: each game can be deleted, too."""
    inside = [path for path in sources(root) if path.relative_to(root).parts[0] in CORE]
    core = [path for path in inside if path.relative_to(root).parts[:2] not in {EXTENSIONS, SHARED}]
    games = [path for path in core if path.relative_to(root).parts[:2] == GAMES and path.parent.name != GAMES[1]]
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in core}
    all_lines = sum(lines.values())
    return {"core": all_lines, "core without games": all_lines - sum(lines[path] for path in games)}


def trees(root: Path) -> dict[str, ast.Module]:
    """Return the syntax tree of each Python module, by its dotted name."""
    found = {}
    for path in sources(root):
        if path.suffix == ".py":
            name = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all statements, those within others too, but no expressions, of which a tree has most."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, part, None)
            if isinstance(inside, list):
                yield from inside
                left += inside


def importers(modules: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Return each module that another one imports, anywhere in its text and also for types alone → those that do."""
    found = defaultdict[str, set[str]](set)
    for name, tree in modules.items():
        for node in _statements(tree):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [one if one in modules else node.module for one in inside]
            else:
                continue
            for target in targets:
                if target in modules and target != name:
                    found[target].add(name)
    return found


def single_importers(modules: dict[str, ast.Module]) -> list[str]:
    """Return the modules that exactly one other module imports, as ``module ← importer``."""
    return sorted(f"{name} ← {next(iter(by))}" for name, by in importers(modules).items() if len(by) == 1)


def circles(modules: dict[str, ast.Module]) -> list[str]:
    """Return the groups of modules that import each other, directly or by a detour: ``one, other``."""
    above = importers(modules)

    def reach(name: str) -> set[str]:
        found, next_ones = set[str](), [name]
        while next_ones:
            fresh = above.get(next_ones.pop(), set()) - found
            found |= fresh
            next_ones += fresh
        return found

    left = set(above)
    while outer := {name for name in left if not above[name] & left}:
        left -= outer  # Nobody who is left imports them: no circle leads through them.
    reached = {name: reach(name) for name in left}
    groups = {frozenset(one for one in found if name in reached.get(one, ())) for name, found in reached.items()}
    return sorted(", ".join(sorted(group)) for group in groups if group)


def classes_twice(modules: dict[str, ast.Module]) -> list[str]:
    """Return the names of public classes that two modules define."""
    places = defaultdict[str, list[str]](list)
    for name, tree in modules.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return sorted(f"{name}: {', '.join(where)}" for name, where in places.items() if len(where) > 1)


def bare_participles(modules: dict[str, ast.Module]) -> list[str]:
    """Return the functions whose name is one participle without a noun."""
    found = []
    for name, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                word = node.name.strip("_")
                is_one = word.isalpha() and word not in NO_PARTICIPLES
                if is_one and (word in IRREGULAR or (word.endswith("ed") and len(word) > 4)):
                    found.append(f"{name}.{node.name}")
    return sorted(found)


def shape(root: Path) -> dict[str, Any]:
    """Return what can be counted without running anything."""
    modules = trees(root)
    lengths = [len(path.read_text("utf-8").splitlines()) for path in sources(root) if path.suffix == ".py"]
    return {
        "lines": dict(sorted(lines_by_package(root).items())),
        **core_lines(root),
        "modules": len(modules),
        "short": sum(length <= 40 for length in lengths),
        "one importer": single_importers(modules),
        "circles": circles(modules),
        "classes of one name": classes_twice(modules),
        "bare participles": bare_participles(modules),
    }


class Walk:
    """Calls of the product's functions while it is entered."""

    def __init__(self) -> None:
        self.functions = Counter[tuple[str, str, int]]()
        self.modules = set[str]()
        self._names: dict[str, str] = {}

    def _name(self, file: str) -> str:
        """Return the module of a file of the product, "" for others."""
        path = Path(file)
        inside = path.is_relative_to(HOUSE) and ".venv" not in path.parts
        name = str(path.relative_to(HOUSE)) if inside else ""
        return name if name.startswith(("firmware_host/", "hw/", "web_panel/")) else ""

    def _count(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename not in self._names:
            self._names[code.co_filename] = self._name(code.co_filename)
        name = self._names[code.co_filename]
        if name:
            self.modules.add(name)
            self.functions[name, code.co_name, code.co_firstlineno] += 1

    def __enter__(self) -> Walk:
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


class MeasuredTable:
    """A running table of Spokes with two people, whose phones speak to the panel."""

    def __init__(self, folder: Path) -> None:
        from lodestone.tables import SimulatedTable  # noqa: PLC0415 - only the walks need the tests' libraries
        from tests.web_panel.table import panel, sit, unhurried  # noqa: PLC0415

        self.table = SimulatedTable(folder)
        self.phones = sit(self.table, panel(self.table, buckets=unhurried()), "Ann", "Ben")

    def wait(self) -> None:
        """Let the loop run for a tenth of a second of the table's clock."""
        self.table.wait(0.1)

    def touch(self) -> None:
        """Put a stone on the board, or take it off again."""
        if "D12" in self.table.parts.world.stones():
            self.table.hand.take_off("D12")
        else:
            self.table.hand.put("D12", "w")
        self.wait()

    def seal(self) -> None:
        """Seal the placement of the first seat."""
        self._post(1, "seal", turn=self.phones[0].view()["turn"], commitment="0" * 64)

    def resolve(self) -> None:
        """Seal and place, up to the first player who resolves."""
        from tests.web_panel.table import seal_all  # noqa: PLC0415

        seal_all(self.phones, "wD12", "wD13")
        for node in ("D12", "D13"):
            self.table.hand.put(node, "w")
        self.table.wait(1.0)

    def hint(self) -> None:
        """Ask for a hint, which is thought about in another process."""
        resolver = self.phones[0].view()["resolver"]
        if not self._post(resolver, "hint", level=1):
            self._post(resolver, "hint", level=1)
        self.wait()

    def _post(self, seat: int, path: str, **body: object) -> dict[str, Any]:
        status, answer = self.phones[seat - 1].post(path, body)
        return dict(answer) if status == 200 else {}


WALKS: dict[str, tuple[str, bool]] = {
    "idle round": ("wait", True),
    "touch": ("touch", True),
    "seal": ("seal", False),
    "hint": ("hint", False),
}
"""Each walk's method of a table, and whether it can be walked again and again."""


def walks(*, is_verbose: bool) -> dict[str, dict[str, float]]:
    """Walk each walk, and return its modules, functions, calls and time (ms of the processor, the median)."""
    found = {}
    for name, (method, can_repeat) in WALKS.items():
        times = []
        for _ in range(1 if can_repeat else TABLES):
            with open_walk(name) as table:
                times += [processor_ms(getattr(table, method)) for _ in range(TIMES if can_repeat else 1)]
        with open_walk(name) as table, Walk() as walk:
            getattr(table, method)()
        found[name] = {
            "modules": len(walk.modules),
            "functions": len(walk.functions),
            "calls": walk.functions.total(),
            "ms": median(times),
        }
        if is_verbose:
            print(name, *sorted(walk.modules), sep="\n  ")
    return found


@contextmanager
def open_walk(walk: str) -> Iterator[MeasuredTable]:
    """Open a table at which a walk can begin."""
    with tempfile.TemporaryDirectory() as folder:
        table = MeasuredTable(Path(folder))
        if walk == "hint":
            table.resolve()
        try:
            yield table
        finally:
            table.table.close()


def processor_ms(function: Callable[[], object]) -> float:
    """Return the processor's time for one call, ms."""
    before = time.process_time()
    function()
    return (time.process_time() - before) * 1000


def of_commit(commit: str) -> dict[str, Any]:
    """Measure another commit with this tool, in a worktree of its own and with the libraries of this one."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "house"
        git("worktree", "add", "--detach", str(tree), commit)
        try:
            (tree / "tools" / "measure_house.py").write_text(Path(__file__).read_text("utf-8"), "utf-8")
            answer = subprocess.run(
                [sys.executable, "-m", "tools.measure_house", "--json"],
                cwd=tree,
                env={**os.environ, "PYTHONPATH": str(tree)},
                capture_output=True,
                text=True,
                check=True,
            )
        finally:
            git("worktree", "remove", "--force", str(tree))
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def figure(value: float | None) -> str:
    """Return a figure as it is printed."""
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else f"{value:,}"


def rows(measures: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield each figure's name and value."""
    form = measures["shape"]
    for package, lines in form["lines"].items():
        yield f"lines, {package}", lines
    yield "lines, core", form["core"]
    yield "lines, core without games", form["core without games"]
    yield "lines in all", sum(form["lines"].values())
    yield "modules of Python", form["modules"]
    yield "modules of at most 40 lines", form["short"]
    for what in LISTED:
        yield what, len(form[what])
    for walk, figures in measures["walks"].items():
        for what, value in figures.items():
            yield f"{walk}, {what}", value


def main(arguments: list[str] | None = None) -> int:
    """Print the measures."""
    parser = argparse.ArgumentParser(prog="measure_house", description=__doc__.partition("\n")[0])
    parser.add_argument("--names", action="store_true", help="list modules, classes and functions by name, too")
    parser.add_argument("--against", default="", metavar="COMMIT", help="measure another commit as well")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("-v", action="store_true", help="list the modules of each walk")
    options = parser.parse_args(arguments)
    here = {"shape": shape(HOUSE), "walks": walks(is_verbose=options.v)}
    if options.json:
        print(json.dumps(here))
        return 0
    other = dict(rows(of_commit(options.against))) if options.against else {}
    for name, value in rows(here):
        columns = [other.get(name), value] if other else [value]
        print(f"{name:<45}", *(f"{figure(column):>12}" for column in columns))
    if options.names:
        for what in LISTED:
            print(f"\n{what}:", *here["shape"][what], sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

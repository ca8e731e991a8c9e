"""No test knows a sentence of the product by heart: it would look for it when nobody says it any more.

``tests/sentences.py`` finds a sentence by a few of its words. ``tests/text/copies.json`` lists files that still have
copies, and how many; the list only gets shorter: ``python -m tests.text.test_copies`` after some have gone.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.deleted import LACKING
from tests.sentences import RUN, find, is_in, runs, said_runs, sentence
from tests.table.script import KIND

ROOT = Path(__file__).parents[2]
LISTED = Path(__file__).with_name("copies.json")
LOOKING_UP = ("sentence", "is_in", "pattern")


@cache
def sources() -> Sequence[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted((ROOT / "tests").rglob("*.py"))]


def scenarios() -> Iterator[tuple[Path, int, str]]:
    """Yield the lines of scenarios: file, number, text."""
    for path in sorted((ROOT / "tests/scenarios").glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.startswith("#"):
                yield path, number, line


def looked_up(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield the words by which a file looks sentences up."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LOOKING_UP and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first


def literals(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield a file's texts, those of f-strings too; no docstrings, and not the words that look a sentence up."""
    left_out = {id(node) for node in looked_up(tree)} | {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node


def is_copy(text: str) -> bool:
    return any(run in said_runs() for run in runs(text))


def copies() -> dict[str, list[str]]:
    """Return file → where it has copies of sentences, and their beginnings."""
    found: dict[str, list[str]] = {}
    for path, tree in sources():
        for node in literals(tree):
            if is_copy(node.value):
                found.setdefault(str(path.relative_to(ROOT)), []).append(f"{node.lineno}: {node.value[:60]!r}")
    for path, number, line in scenarios():
        if is_copy(line) and f" {KIND} " not in line:
            found.setdefault(str(path.relative_to(ROOT)), []).append(f"{number}: {line[:60]!r}")
    return found


def test_no_new_copies_of_sentences() -> None:
    listed = json.loads(LISTED.read_text(encoding="utf-8"))
    found = copies()
    new = {file: where for file, where in found.items() if len(where) > listed.get(file, 0)}
    assert not new, f"{RUN} words in a row of a sentence stand in these files; look it up: tests/sentences.py"
    gone = {
        file: number
        for file, number in listed.items()
        if len(found.get(file, ())) < number and not LACKING  # Else what a deleted extension says is no copy.
    }
    assert not gone, "fewer copies than are listed: python -m tests.text.test_copies"


def test_every_sentence_that_a_test_looks_up_is_said() -> None:
    """Those of tests, too, that are seldom run."""
    places = [
        (path, node.lineno, node.value)
        for path, tree in sources()
        for node in looked_up(tree)
        if path != Path(__file__)
    ]
    kinds = [(path, at, line.partition(f" {KIND} ")[2]) for path, at, line in scenarios() if f" {KIND} " in line]
    assert len(places) > 150
    assert kinds
    for path, line, words in places + kinds:
        try:
            find(words)
        except AssertionError as error:
            if LACKING and "in 0 sentences" in str(error):
                continue  # It is of an extension: tests of a whole machine look up what several say.
            raise AssertionError(f"{path.relative_to(ROOT)}:{line}: {error}") from None


def test_a_sentence_is_found_by_some_of_its_words() -> None:
    assert sentence("events are lost: it now", count=2, day="D", time="T", seq=3, game="g1").startswith("the last 2 ev")
    assert is_in(
        "the runner on {node} is yellow", "The runner on F2 is yellow, and it is the turn of blue. Put it back."
    )
    assert not is_in("the runner on {node} is yellow", "The runner on F2 is yellow.")
    for words in ("written anew", "the"):
        with pytest.raises(AssertionError, match=rf"'{words}' stand in \d+ sentences.*expected one"):
            find(words)


def test_a_copy_is_seen_whatever_its_values_and_its_case() -> None:
    text = " ".join(["The runner on F2 is yellow,", "and it is the turn of blue"])
    assert is_copy(text)
    assert not is_copy("the runner on F2 is yellow, and blue may move")


if __name__ == "__main__":
    lists = json.loads(LISTED.read_text(encoding="utf-8"))
    counts = {file: min(len(where), lists.get(file, 0)) for file, where in copies().items()}
    LISTED.write_text(json.dumps({file: count for file, count in counts.items() if count}, indent=1) + "\n")

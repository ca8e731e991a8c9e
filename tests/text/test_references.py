"""Every file that a page, a docstring or a comment names exists, and every link in the docs leads to its heading."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.deleted import is_deleted

ROOT = Path(__file__).parents[2]
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
PAGES = [name for name in TRACKED if name.endswith(".md") and "node_modules" not in name and name != "CHANGELOG.md"]
MODULES = [name for name in TRACKED if name.endswith(".py")]
NAMED = re.compile(r"(?<![\w/.{<*-])((?:[\w-]+/)*[\w-]+\.(?:md|py|mjs|js|css|po|service))\b(?![/(*])")
WHOLE_LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]*)(?:#[^)\s]*)?\)")
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
EXAMPLES = re.compile(
    r"^(my|hex|nim|mill|slow|expander|NAME|GAME|FILE)[\w/]*\.|^(Node\.js|a\.css|nl\.po|pt_BR\.po|page\.js|host_line\.js|card\.js)$|^os_cust"
)
"""Files of the reader's own in tutorials, of other projects, and names that only look like files."""


@cache
def endings() -> set[str]:
    """Return the paths of all files of the repository, and all that these end with."""
    parts = [Path(path).parts for path in TRACKED]
    return {"/".join(one[first:]) for one in parts for first in range(len(one))}


def unknown(text: str) -> list[str]:
    """Return what a text names as a file, and is neither the path of a file of the repository nor ends one."""
    named = (name for name in NAMED.findall(text) if name not in endings() and not EXAMPLES.match(Path(name).name))
    return [name for name in named if not is_deleted(ROOT / name)]


def heading(line: str) -> str:
    """Return the anchor that a heading gets."""
    return "#" + re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")


def comments(module: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comment and of each string of several lines, such as a docstring."""
    source = (ROOT / module).read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
            yield token.start[0], token.string


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    folder = (ROOT / page).parent
    prose = re.sub(r"^( {4}|```).*$", "", text, flags=re.MULTILINE)
    missing = unknown(WHOLE_LINK.sub(lambda link: "" if is_deleted(folder / link[1]) else link[0], prose))
    for target, anchor in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path = folder / target if target else ROOT / page
        if not path.exists() and not is_deleted(path):
            missing.append(target)
        elif (
            path.exists()
            and anchor
            and path.suffix == ".md"
            and anchor not in map(heading, path.read_text("utf-8").splitlines())
        ):
            missing.append(f"{target}{anchor}")
    assert missing == []


def test_the_index_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs/index.md").read_text("utf-8")))
    assert linked == {Path(name).name for name in PAGES if Path(name).parent == Path("docs")} - {"index.md"}


def test_what_a_module_names_exists() -> None:
    missing = [
        f"{module}:{line}: {name}"
        for module in MODULES
        if unknown((ROOT / module).read_text("utf-8"))  # To find its comments takes a hundred times as long.
        for line, text in comments(module)
        for name in unknown(text)
    ]
    assert missing == []

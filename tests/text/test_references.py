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
WHOLE_LINK = re.compile(r"\[[^\]]*\]\([^)\s]*\)")
EXTENSION = re.compile(r"(?:firmware_host|tests)/extensions/(\w+)/")
LINK = re.compile(r"\]\(([^)\s#]*)(#[^)\s]*)?\)")
EXAMPLES = re.compile(
    r"^(my|hex|nim|mill|slow|expander|NAME|GAME|FILE)[\w/]*\.|^(Node\.js|a\.css|nl\.po|pt_BR\.po|page\.js|host_line\.js|card\.js)$|^os_cust"
)
"""Files of the reader's own in tutorials, of other projects, and names that only look like files."""


def extension_of(path: str) -> str | None:
    """Return the extension whose file this is, or whose test; None for the core's."""
    found = EXTENSION.match(path)
    return found[1] if found else None


@cache
def endings() -> dict[str, set[str | None]]:
    """Return all that paths of the repository's files end with, with the extensions that have such files."""
    found: dict[str, set[str | None]] = {}
    for path in TRACKED:
        parts = Path(path).parts
        for first in range(len(parts)):
            found.setdefault("/".join(parts[first:]), set()).add(extension_of(path))
    return found


def unknown(text: str, by: str) -> list[str]:
    """Return what a file's text names as a file, and is none of the core or of its own extension.

    A file of another extension is named with its whole path: that says whose it is where somebody has deleted it.
    """
    near: set[str | None] = {None, extension_of(by)}
    named = (name for name in NAMED.findall(text) if not EXAMPLES.match(Path(name).name))
    return [
        name
        for name in named
        if not endings().get(name, set()) & near and not (ROOT / name).exists() and not is_deleted(ROOT / name)
    ]


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
    missing = unknown(WHOLE_LINK.sub("", prose), page)
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
        if unknown((ROOT / module).read_text("utf-8"), module)  # To find its comments takes a hundred times as long.
        for line, text in comments(module)
        for name in unknown(text, module)
    ]
    assert missing == []

"""docs/verified.md covers build.md: each electrical figure has a row, and each named test exists."""

from __future__ import annotations

import re
from pathlib import Path

from tests.deleted import is_deleted
from tests.sampling import together

ROOT = Path(__file__).parents[3]
PAGES = (ROOT / "firmware_host/extensions/maker/build.md", ROOT / "docs/verified.md")
BUILD, VERIFIED = (page.read_text(encoding="utf-8") for page in PAGES)
ROWS = [line for line in VERIFIED.splitlines() if line.startswith("| ") and not line.startswith("| claim")]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py(?:::\w+)?)`", VERIFIED)))
TESTS = [one for one in NAMED if not is_deleted(ROOT / one.partition("::")[0])]
COMPUTED = re.compile(r"<!-- lodestone board .*?<!-- end -->", re.S)
CODE = re.compile(r"```.*?```|^    .*?$", re.S | re.M)
FIGURE = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)? (?:mA|A|V|Ω|kΩ|mT|nF|µF|pF|kHz|µs|mm²))(?![\w/])")


def figures(page: str) -> list[str]:
    """Return the electrical figures of a page's text, without computed tables and code."""
    return sorted(set(FIGURE.findall(CODE.sub("", COMPUTED.sub("", page)))))


def test_the_page_has_figures_to_hold() -> None:
    assert len(figures(BUILD)) > 20


@together("figure", figures(BUILD))
def test_no_electrical_figure_stands_without_a_row(figure: str) -> None:
    assert any(re.search(rf"(?<![\d.]){re.escape(figure)}", row) for row in ROWS), (
        f"{figure}: no row in docs/verified.md"
    )


@together("named", TESTS)
def test_each_proof_by_a_test_is_there(named: str) -> None:
    path, _, test = named.partition("::")
    text = (ROOT / path).read_text(encoding="utf-8")
    assert f"def {test}(" in text if test else "def test_" in text


def test_each_row_has_a_proof() -> None:
    for row in ROWS:
        cells = [cell.strip() for cell in row.strip("| ").split(" | ")]
        assert len(cells) >= 2, row
        assert cells[1], row


def test_a_figure_without_a_row_would_be_seen() -> None:
    assert figures("It takes 17.3 mA, `x`.\n\n    code of 99 mA\n") == ["17.3 mA"]

"""``make bench`` itself: figures that miss their bounds are named, and the program fails."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import bench
from tests.sampling import together


@together(
    ("label", "value", "missed"),
    [
        ("p99 (at most: 20)", 20.0, False),
        ("p99 (at most: 20)", 20.1, True),
        ("GPIO calls a scan, polarity (at most: 3n + 4 = 274)", 275, True),
        ("turns (at least: 10,000)", 9_999, True),
        ("turns (at least: 10,000)", 10_000, False),
        ("to the commit (at most: 0.25)", 0.3, True),
        ("a figure without a bound", 1e9, False),
    ],
)
def test_a_label_says_the_bound(label: str, value: float, missed: bool) -> None:
    assert bench.misses(label, value) == missed


@pytest.mark.parametrize("text", [bench.COMPILED_FORM, "search in plain Python"])
def test_a_bound_of_the_compiled_form_counts_there_only(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(bench, "form", lambda: text)
    assert bench.misses("games (at least: 5,000, compiled)", 10) == (text == bench.COMPILED_FORM)


def test_what_misses_its_bound_is_named_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {"tests.bench_table": [("p99 (at most: 20)", 21.0, "ms"), ("p50", 7.0, "ms")], "tests.bench_hw": None}

    def load(name: str) -> SimpleNamespace:
        def figures() -> list[tuple[str, float, str]]:
            found = rows[name]
            assert found is not None, "a wrong action"
            return found

        return SimpleNamespace(figures=figures)

    monkeypatch.setattr(bench.importlib, "import_module", load)
    assert bench.main(["table", "bench_hw"]) == 1
    end = capsys.readouterr().out.rpartition("These miss their bounds:")[2]
    assert end.split("\n")[1:-1] == ["  hw: failed, see above", "  table: p99 (at most: 20): 21 ms"]
    rows.update({"tests.bench_table": [("p99 (at most: 20)", 2.0, "ms")], "tests.bench_hw": []})
    assert bench.main(["table", "bench_hw"]) == 0
    assert capsys.readouterr().out.endswith("All bounds are met.\n")


def test_every_bound_is_said_in_words_that_count() -> None:
    for path in Path(bench.__file__).parent.glob("bench_*.py"):
        for words in re.findall(r"\((?:bound|aim|wanted)[: ][^)]*\)", path.read_text(encoding="utf-8")):
            raise AssertionError(f"{path.name}: {words}: expected (at most: N) or (at least: N)")

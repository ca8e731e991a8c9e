"""``make bench`` itself: figures that miss their bounds are named, and the program fails."""

from __future__ import annotations

import re
from collections import Counter
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
    measured = Counter[str]()
    rows = {"tests.bench_table": [("p99 (at most: 20)", 21.0, "ms"), ("p50", 7.0, "ms")], "tests.bench_hw": None}

    def load(name: str) -> SimpleNamespace:
        def figures() -> list[tuple[str, float, str]]:
            measured[name] += 1
            found = rows[name]
            assert found is not None, "a wrong action"
            return found

        return SimpleNamespace(figures=figures)

    monkeypatch.setattr(bench.importlib, "import_module", load)
    assert bench.main(["bench_table", "bench_hw"]) == 1
    end = capsys.readouterr().out.rpartition("These miss their bounds:")[2]
    assert end.split("\n")[1:-1] == ["  hw: failed, see above", "  table: p99 (at most: 20): 21 ms"]
    assert measured == {"tests.bench_table": 2, "tests.bench_hw": 1}, "what misses its bound is measured once more"
    rows.update({"tests.bench_table": [("p99 (at most: 20)", 2.0, "ms")], "tests.bench_hw": []})
    assert bench.main(["bench_table", "bench_hw"]) == 0
    assert capsys.readouterr().out.endswith("All bounds are met.\n")


def test_what_misses_its_bound_on_a_busy_machine_and_then_meets_it_counts_as_met(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    values = [21.0, 19.0]
    module = SimpleNamespace(figures=lambda: [("p99 (at most: 20)", values.pop(0), "ms")])
    monkeypatch.setattr(bench.importlib, "import_module", lambda _: module)
    assert bench.main(["bench_table"]) == 0
    printed = capsys.readouterr().out
    assert "once more, by itself" in printed
    assert len(re.findall(r"load \d+\.\d at the start, \d+\.\d at the end", printed)) == 2
    assert values == []


def test_long_benchmarks_are_left_to_bench_long() -> None:
    quick, long = bench.asked([]), bench.asked(["--long"])
    assert sorted(quick + long) == sorted(path.stem for path in Path(bench.__file__).parent.rglob("bench_*.py"))
    assert {"bench_cluster", "bench_hands"} <= set(long)
    assert bench.asked(["hands"]) == ["bench_hands"], "whoever names it has it"
    assert "bench_live_flood" in bench.asked(["live"])
    assert bench.asked(["bench_live"]) == ["bench_live"]
    assert bench.main(["bench_of_nothing"]) == 2


def test_every_bound_is_said_in_words_that_count() -> None:
    for path in Path(bench.__file__).parent.rglob("bench_*.py"):
        for words in re.findall(r"\((?:bound|aim|wanted)[: ][^)]*\)", path.read_text(encoding="utf-8")):
            raise AssertionError(f"{path.name}: {words}: expected (at most: N) or (at least: N)")


@pytest.mark.parametrize("name", bench.modules(bench.FOLDER))
def test_every_benchmark_gives_figures(name: str) -> None:
    text = bench.modules(bench.FOLDER)[name].read_text(encoding="utf-8")
    assert re.search(r"^def figures\(\)", text, re.MULTILINE), f"{name}: make bench asks for figures()"

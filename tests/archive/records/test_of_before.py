"""Records as earlier versions wrote them still verify, and still show what was changed in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmware_host.archive.records import file_lines, verify_file, verify_lines
from tests.archive.records.recorder import forged, refusal, set_data

FOLDER = Path(__file__).parent / "before"


def lines(name: str) -> tuple[str, ...]:
    return tuple(file_lines(FOLDER / f"{name}.jsonl"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("spokes", "12 placements as they were sealed; won by seat 2 (resigned)"),  # Each opening when it came.
        ("octiles", "12 turns by the rules of Octiles (mode 3); won by seat 3 (resigned)"),  # A seed of 32 bits.
    ],
)
def test_a_record_of_before_verifies(name: str, words: str) -> None:
    assert words in str(verify_file(FOLDER / f"{name}.jsonl"))


def test_they_are_of_the_form_of_before() -> None:
    """The instrument itself: a file that was written anew would test nothing."""
    spokes, octiles = (
        [json.loads(line) for line in file_lines(FOLDER / f"{name}.jsonl")] for name in ("spokes", "octiles")
    )
    assert not any(event.get("kind") == "opens" for event in spokes)
    assert octiles[1]["data"].keys() == {"position", "seed"}
    assert octiles[1]["data"]["seed"] == 4711


def test_what_is_changed_in_them_is_found() -> None:
    spokes, octiles = (tuple(file_lines(FOLDER / f"{name}.jsonl")) for name in ("spokes", "octiles"))
    assert "not what seat 1 sealed" in refusal(
        lambda: verify_lines(forged(set_data("opening", nonce="0" * 32), spokes))
    )
    assert "position" in refusal(lambda: verify_lines(forged(set_data("start", seed=4712), octiles)))

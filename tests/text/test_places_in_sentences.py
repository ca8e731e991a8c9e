"""What people are told to do names places by what a phone's drawing shows: a node's name, or what is lit or marked.

A phone draws no letters of circles or columns and no compass, and nobody knows how a light that "breathes" looks. The
names of nodes are drawn where a text names them (``tests/e2e/test_screens.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po

from web_panel.languages import languages

TOLD_IN = ("firmware_host/games/", "firmware_host/table/", "web_panel/static/play/", "web_panel/static/puzzles/")
"""Where the sentences of games, of tasks and of refusals stand."""
COMPASS = r"\b(?:north|east|south|west)(?:ern|wards?)?\b"
GROUP = r"\b(?:circles?|columns?|rows?|rings?|spokes?|ranks?|files?) [A-Z0-9]\b"
MOTION = r"\b(?:breathe|puls|blink)"
UNDRAWN = re.compile(f"{COMPASS}|{GROUP}|{MOTION}")


def told() -> Iterator[str]:
    for path in languages()["de"].paths:
        with path.open("rb") as lines:
            for one in read_po(lines):
                if one.id and any(name.startswith(TOLD_IN) for name, _ in one.locations):
                    yield from (one.id,) if isinstance(one.id, str) else one.id


def test_no_sentence_names_what_no_phone_draws() -> None:
    sentences = list(told())
    assert len(sentences) > 500, "the catalogue says where each sentence stands"
    assert [one for one in sentences if UNDRAWN.search(one)] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "stones are placed on circles A to D only",
        "Put {count} stones where they breathe.",
        "push east with all of them",
        "a runner gets to a stop in column C.",
    ],
)
def test_these_were_found(sentence: str) -> None:
    assert UNDRAWN.search(sentence)

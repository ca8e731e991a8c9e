"""What build.md counts of wells that read tiles."""

from __future__ import annotations

import itertools
from pathlib import Path

from firmware_host.extensions import maker
from firmware_host.link.new_board import PATTERNS
from hw.tile_codes import PLACES, magnets
from tests.hw.test_tile_codes import CODES, FEELS, SENSED


def test_the_guide_tells_what_is_counted() -> None:
    page = (Path(maker.__file__).parent / "build.md").read_text(encoding="utf-8")
    pairs = list(itertools.combinations(range(PLACES), 2))

    def two_wrong(sensed: str, pair: tuple[int, int]) -> str:
        bits = list(CODES.bits(sensed))
        for place in pair:
            bits[place] = 1 - bits[place]
        return CODES.decode(bits)

    lost = [(sensed, pair) for sensed in SENSED for pair in pairs if all(CODES.bits(sensed)[place] for place in pair)]
    misread = [sensed for sensed, pair in lost if two_wrong(sensed, pair) != "?"]
    assert all(sum(CODES.bits(sensed)) == 6 for sensed in misread)
    assert f"| {len(lost):,} | {len(misread)}, all of them tiles of six magnets |" in page
    wrong = sum(two_wrong(sensed, pair) != "?" for sensed in SENSED for pair in pairs)
    assert f"| any two sensors wrong | {len(SENSED) * len(pairs):,} | {wrong:,} |" in page
    assert f"| {len(FEELS) * PLACES:,} | none |" in page
    assert f"The 18 tiles take {sum(sum(magnets(ring)) for ring in PATTERNS)} magnets" in page
    assert "| two tiles in it, both felt | 9,792 | 1,160 |" in page, "counted in test_tile_codes.py"

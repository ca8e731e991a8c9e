"""The section [lights] with these strips: what their lines share, and each mistake with its reason."""

from __future__ import annotations

from pathlib import Path

from hw.lights import STRIPS
from tests.boardfile.test_lights import noted
from tests.boardfile.test_slips import TEXT, refused


def test_a_strip_with_a_clock_shares_its_bus_with_nothing() -> None:
    apa102 = {"scheme": "apa102", "pin": "D10", "order": "BGR"}
    assert noted(apa102, {"load": 5}) == []
    (why,) = noted(apa102, {"load": 5, "SPI 0's clock": 11, "SPI 0's MISO": 9})
    assert "a strip with a clock shares SPI 0 with nothing, and the sensors use it, expected another bus" in why
    assert noted({**apa102, "pin": "D20"}, {"SPI 0's clock": 11, "SPI 0's MISO": 9}) == []
    (why,) = noted({**apa102, "pin": "D20"}, {"clock": 21})
    assert "over SPI D20 takes pins 17 to 21, and the sensors' clock is 21" in why
    (why,) = noted({**apa102, "pin": "D18"}, {})
    assert "D18 can't be driven over SPI, expected D10 or D20" in why


def test_two_strips_never_share_a_pin() -> None:
    second = {"scheme": "ws2812", "pin": "D11", "length": 3, "order": "GRB"}
    (why,) = noted({"scheme": "apa102", "pin": "D10", "order": "BGR", "second": second}, {})
    assert "second: pin D11 is the first strip's already" in why


def test_kinds_of_strips_are_known_by_name() -> None:
    assert {"apa102", "sk6812-rgbw", "wled"} <= set(STRIPS.names())
    (why,) = noted({"scheme": "ws2815", "pin": "D18"}, {})
    assert "scheme: expected one of apa102, sk6812-rgbw, wled, ws2812 (one just added: install its package" in why
    (why,) = noted({"pin": "D18", "order": "GRBW"}, {})
    assert why.startswith("order: expected one of GRB, ")
    assert "; with GRBW the scheme is sk6812-rgbw, got 'GRBW'" in why
    assert noted({"scheme": "sk6812-rgbw", "pin": "D18", "order": "GRBW"}, {}) == []


def test_an_order_of_another_kind_is_one_mistake(tmp_path: Path) -> None:
    (told,) = refused(tmp_path, TEXT.replace('order = "GRB"', 'order = "GRBW"', 1))
    assert "with GRBW the scheme is sk6812-rgbw" in told

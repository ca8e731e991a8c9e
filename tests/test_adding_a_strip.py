"""docs/adding-a-strip.md is followed: its example is installed, found, held to our contract and shown in the papers."""

from __future__ import annotations

import re
import sys

import pytest

from hw.lights import STRIPS, open_lights
from hw.ports import LightsWiring, StripWiring
from simulator.breadboard import Breadboard
from simulator.lights import SIMULATED_STRIPS, StripError, connect_strips
from tests.workshop import DOCS, Workshop, files

DOCUMENT = DOCS / "adding-a-strip.md"
ROOT = DOCS.parent
PACKAGE = "lodestone-ws2801"
MODULES = ("lodestone_ws2801", "lodestone_ws2801_simulated")
INSTALL = f".venv/bin/python -m pip install --no-build-isolation --editable ../{PACKAGE}"
TESTS = ".venv/bin/python -m pytest tests/hw/test_strip_contract.py -k ws2801"
LIGHTS = LightsWiring((StripWiring("D10", 3, "RGB", "spi", "ws2801"),))


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    made = Workshop(tmp_path_factory.mktemp("workshop"), document=DOCUMENT)
    made.told(INSTALL)
    made.linked(PACKAGE)
    return made


def test_a_strip_of_another_package_is_driven_and_judged(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(workshop.site))
    monkeypatch.syspath_prepend(str(workshop.folder / PACKAGE))
    for found in (STRIPS, SIMULATED_STRIPS):
        monkeypatch.setattr(found, "_entries", type(found)(found.group, found.what, found.made_of)._entries)
    bench = Breadboard()
    wire = connect_strips(LIGHTS, bench)
    lights = open_lights(LIGHTS, bench)
    lights.show([(1, 2, 3), (4, 5, 6), (7, 8, 9)])
    assert wire.data == bytes(range(1, 10))
    spi = bench.spi(0, 0, 1_000_000)
    with pytest.raises(StripError, match="16 bits for 3 pixels"):
        spi.xfer2([1, 2])
    with pytest.raises(StripError, match="has not rested"):
        spi.xfer2([1] * 9)
    for found in (STRIPS, SIMULATED_STRIPS):
        found._loaded.pop("ws2801", None)
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.mark.thorough
def test_our_contract_is_its_contract(workshop: Workshop) -> None:
    for name in ("tests", "docs", "pyproject.toml"):
        (workshop.here / name).symlink_to(ROOT / name)
    said = workshop.run(TESTS)
    passed = re.search(r"(\d+) passed", said)
    assert passed, said
    assert int(passed[1]) >= 6
    assert "failed" not in said


@pytest.mark.thorough
def test_the_example_is_as_tidy_as_our_own(workshop: Workshop) -> None:
    folder = workshop.folder / PACKAGE
    modules = [folder / f"{name}.py" for name in MODULES]
    workshop.check_style(PACKAGE, modules, ignored="ARG002")
    assert set(files(DOCUMENT)) == {f"{PACKAGE}/{name}" for name in ("pyproject.toml", *(one.name for one in modules))}

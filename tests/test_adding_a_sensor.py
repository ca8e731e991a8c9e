"""docs/adding-a-sensor.md is followed to the letter: its example is built, installed, tested, checked and played on."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw.ports import HardwareError
from hw.registry import SCHEMES
from simulator.breadboard import SIMULATED, Breadboard
from simulator.buses import ChipViolation, SimulatedI2c
from tests.ports import free_port
from tests.sampling import is_sample
from tests.schemes import described
from tests.workshop import DOCS, Workshop, files

DOCUMENT = DOCS / "adding-a-sensor.md"
ROOT = DOCS.parent
PACKAGE = "lodestone-mcp23017"
INSTALL = f".venv/bin/python -m pip install --no-build-isolation --editable ../{PACKAGE}"
TESTS = '.venv/bin/python -m pytest -m "" tests/hw/test_scheme_contract.py tests/hw/test_every_scheme.py -k my-mcp23017'
NEW_BOARD = ".venv/bin/lodestone board new spokes my-spokes.toml --scheme my-mcp23017"
BOARD = ".venv/bin/lodestone board"
HARDWARE = ".venv/bin/lodestone hardware"
DEMO = ".venv/bin/lodestone play --demo --board my-spokes.toml"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    made = Workshop(tmp_path_factory.mktemp("workshop"), document=DOCUMENT)
    if is_sample():  # The same page for games is followed with pip.
        made.told(INSTALL)
        made.linked(PACKAGE)
    else:
        made.run(INSTALL)
    made.run(NEW_BOARD)
    return made


@pytest.fixture
def chip(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The simulated parts, as this very process finds them through their entry point."""
    monkeypatch.syspath_prepend(str(workshop.site))
    monkeypatch.syspath_prepend(str(workshop.folder / PACKAGE))
    for found in (SCHEMES, SIMULATED):
        monkeypatch.setattr(found, "_entries", type(found)(found.group, found.what, found.made_of)._entries)
    SIMULATED.get("my-mcp23017")
    yield sys.modules["lodestone_mcp23017_simulated"]
    for found in (SCHEMES, SIMULATED):
        found._loaded.pop("my-mcp23017", None)
    for name in ("lodestone_mcp23017", "lodestone_mcp23017_simulated"):
        sys.modules.pop(name, None)


@pytest.mark.thorough
def test_the_example_is_as_tidy_as_our_own_schemes(workshop: Workshop) -> None:
    folder = workshop.folder / PACKAGE
    modules = [folder / f"{name}.py" for name in ("lodestone_mcp23017", "lodestone_mcp23017_simulated")]
    workshop.check_style(PACKAGE, modules, ignored="ARG002")
    assert set(files(DOCUMENT)) == {f"{PACKAGE}/{name}" for name in ("pyproject.toml", *(one.name for one in modules))}


@pytest.mark.thorough
def test_our_tests_are_its_tests(workshop: Workshop) -> None:
    for name in ("tests", "docs", "pyproject.toml"):
        (workshop.here / name).symlink_to(ROOT / name)
    said = workshop.run(TESTS)
    passed = re.search(r"(\d+) passed", said)
    assert passed, said
    assert int(passed[1]) >= 10
    assert "failed" not in said


# -- the chip, register by register ------------------------------------------------------------------------------------

IODIR, IPOL, GPINTEN, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = 0x00, 0x02, 0x04, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x14
A, B = 0, 1
Levels = Sequence[float | None]


def bus_with(chip: ModuleType, inputs: Callable[[int], Levels] = lambda _: [None] * 7) -> SimulatedI2c:
    return SimulatedI2c({0x20: chip.Mcp23017Chip(inputs)}, lambda _: None)


def ready(chip: ModuleType, inputs: Callable[[int], Levels]) -> SimulatedI2c:
    bus = bus_with(chip, inputs)
    bus.write_i2c_block_data(0x20, IODIR, [0x7F, 0x7F])
    bus.write_i2c_block_data(0x20, GPPU, [0x7F, 0x7F])
    return bus


def test_it_wakes_as_its_datasheet_says(chip: ModuleType) -> None:
    bus = bus_with(chip)
    assert list(bus.read_i2c_block_data(0x20, IODIR, 18)) == [0xFF, 0xFF, *[0] * 16]
    assert list(bus.read_i2c_block_data(0x20, OLAT, 2)) == [0, 0]


def test_the_pointer_goes_on_and_round(chip: ModuleType) -> None:
    bus = bus_with(chip)
    bus.write_i2c_block_data(0x20, OLAT, [1, 2, 3, 4, 5])
    assert list(bus.read_i2c_block_data(0x20, OLAT, 5)) == [1, 2, 3, 4, 5]
    assert list(bus.read_i2c_block_data(0x20, IODIR, 3)) == [3, 4, 5]


def test_in_byte_mode_it_goes_to_and_fro(chip: ModuleType) -> None:
    bus = bus_with(chip)
    bus.write_i2c_block_data(0x20, IOCON, [0x21])
    assert list(bus.read_i2c_block_data(0x20, IOCON, 4)) == [0x20] * 4, "one register at two addresses, bit 0 reads 0"
    bus.write_i2c_block_data(0x20, IPOL + B, [0x0F, 0xF0])
    assert list(bus.read_i2c_block_data(0x20, IPOL, 4)) == [0xF0, 0x0F, 0xF0, 0x0F]


@given(a=st.integers(0, 127), b=st.integers(0, 127), inverted=st.integers(0, 127))
def test_gpio_shows_the_pins(a: int, b: int, inverted: int) -> None:
    chip = sys.modules.get("lodestone_mcp23017_simulated") or _module()
    bus = ready(chip, lambda port: [1 if (a, b)[port] >> bit & 1 else 0 for bit in range(7)])
    assert list(bus.read_i2c_block_data(0x20, GPIO, 2)) == [a, b]
    bus.write_i2c_block_data(0x20, IPOL + B, [inverted])
    assert list(bus.read_i2c_block_data(0x20, GPIO, 2)) == [a, b ^ inverted]


def _module() -> ModuleType:
    made = ModuleType("lodestone_mcp23017_simulated")
    exec(files(DOCUMENT)[f"{PACKAGE}/lodestone_mcp23017_simulated.py"], made.__dict__)
    return made


def test_pulled_up_inputs_read_high_and_outputs_what_was_latched(chip: ModuleType) -> None:
    bus = ready(chip, lambda _: [0, None, 0, None, None, None, None])
    assert list(bus.read_i2c_block_data(0x20, GPIO, 2)) == [0x7A, 0x7A]
    bus.write_i2c_block_data(0x20, GPIO, [0x85])
    assert list(bus.read_i2c_block_data(0x20, OLAT, 1)) == [0x85], "writing GPIO writes OLAT"
    bus.write_i2c_block_data(0x20, IODIR, [0x7C])
    assert list(bus.read_i2c_block_data(0x20, GPIO, 1)) == [0x80 | 0x78 | 0x01]


@pytest.mark.parametrize(
    ("register", "values", "words"),
    [
        (INTF, [1], "INTF can't be written"),
        (INTCAP, [1], "INTCAP can't be written"),
        (GPINTEN, [1], "GPINTEN is set to 0x01: nothing is wired"),
        (IOCON, [0x80], "IOCON is set to 0x80"),
        (0x16, [0], "no register 0x16"),
    ],
)
def test_it_catches_its_drivers_faults(chip: ModuleType, register: int, values: list[int], words: str) -> None:
    with pytest.raises(ChipViolation, match=words):
        bus_with(chip).write_i2c_block_data(0x20, register, values)


def test_it_catches_inputs_that_float_or_are_none(chip: ModuleType) -> None:
    bus = bus_with(chip, lambda _: [0, None, *[0] * 5])
    with pytest.raises(ChipViolation, match="GPA7 is read as an input"):
        bus.read_i2c_block_data(0x20, GPIO, 1)
    bus.write_i2c_block_data(0x20, IODIR, [0x7F, 0x7F])
    with pytest.raises(ChipViolation, match="GPB1 is read, but it floats"):
        bus.read_i2c_block_data(0x20, GPIO + B, 1)


def test_a_chip_that_has_lost_its_power_is_set_up_again(chip: ModuleType) -> None:
    board, bench = described("my-mcp23017", "presence", 20), Breadboard()
    chips = bench.on_i2c.setdefault(1, {})
    chips |= {at: chip.Mcp23017Chip(lambda _: [0] * 7) for at in (0x20, 0x21)}
    bank = SCHEMES.get("my-mcp23017").open(board, bench)
    (bus,) = bench.opened
    assert list(bank.scan()) == [1] * 20
    assert isinstance(bus, SimulatedI2c)
    lost = bus._chips.pop(0x21)  # type: ignore[attr-defined]
    with pytest.raises(HardwareError, match=r"chip 0x21 does not answer: .*Remote I/O"):
        bank.scan()
    bus._chips[0x21] = type(lost)(lambda _: [0, None] + [0] * 5)  # type: ignore[index, call-arg]
    assert list(bank.scan()) == [1] * 15 + [0] + [1] * 4


# -- a board -----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_its_board_is_described(workshop: Workshop) -> None:
    text = (workshop.here / "my-spokes.toml").read_text()
    for line in ('scheme = "my-mcp23017"', "i2c_bus = 1 ", "address = 0x20 "):
        assert f"\n{line}" in text
    told = workshop.run(f"{BOARD} wiring my-spokes.toml")
    assert "| 3 | GPIO 2 | sensors: I2C 1's SDA |" in told
    assert re.search(r"\| 0 \| chip 1 \(0x20\), GPA0 \(pin 21\) \|", told)
    assert re.search(r"\| 44 \| chip 4 \(0x23\), GPA2 \(pin 23\) \|", told)
    listing = workshop.run(f"{BOARD} parts my-spokes.toml")
    assert re.search(r"\| 4 \| MCP23017 \| [^|]*at 3.3 V", listing), listing
    assert "| 50 | capacitor 100 nF | one beside each chip and sensor" in listing, "one at the level shifter, too"
    assert "5 V supply" in workshop.run(f"{BOARD} power my-spokes.toml")
    workshop.run(f"{BOARD} drawing my-spokes.toml --svg plate.svg")
    assert (workshop.here / "plate.svg").read_text().count("<circle") >= 45


@pytest.mark.thorough
def test_its_board_is_checked_and_measured(workshop: Workshop) -> None:
    told = workshop.run(f"{HARDWARE} check --board my-spokes.toml --sim --stones --hands help")
    assert "nothing is bad" in told
    assert re.search(r"GPIO calls a scan +0", workshop.run(f"{HARDWARE} bench --board my-spokes.toml --sim"))


@pytest.mark.thorough
def test_a_game_is_played_on_it(workshop: Workshop) -> None:
    demo = workshop.start(DEMO, "--host", "127.0.0.1", "--port", str(free_port()), "--pause", "0.01")
    out = []
    try:
        assert demo.stdout
        for line in demo.stdout:
            out.append(line)
            if "The end stays" in line:
                break
        else:
            raise AssertionError("".join(out))
    finally:
        demo.terminate()
        demo.communicate(timeout=200)
    assert any("has won" in line or "have won" in line for line in out)
    assert not any("Traceback" in line for line in out)

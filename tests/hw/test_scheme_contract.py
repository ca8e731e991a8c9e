"""The contract of every installed sensor scheme, ours or another package's (docs/adding-a-sensor.md)."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from firmware_host.boardfile.load import load_board
from firmware_host.games.game import Layout
from firmware_host.sensing.diagnosis import Diagnosis, wire_words
from hw import plugins
from hw.pins import pin_list
from hw.ports import KINDS, BoardDescription, HardwareError, Message, SensorBank
from hw.registry import SCHEMES, open_bank, scheme_of, wiring_error
from hw.scheme import Scheme
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from simulator.breadboard import SIMULATED, Breadboard
from tests.deleted import LACKING
from tests.e2e.program import eventually
from tests.sampling import together
from tests.schemes import EVERY_WAY, FOUND, ON_PINS, carries, described, largest, needs

LIGHTS_PIN = 18
EACH = pytest.mark.parametrize("name", FOUND)


def test_all_that_is_announced_can_be_used_and_simulated() -> None:
    assert list(FOUND) == SCHEMES.names()
    assert list(SIMULATED.usable()) == SIMULATED.names()
    assert set(FOUND) <= set(SIMULATED.names())
    assert len(FOUND) >= (3 if LACKING else 10)


def test_loading_every_scheme_loads_no_library_of_a_pi() -> None:
    code = (
        "import sys; from hw.registry import SCHEMES; assert 'hw.schemes' not in sys.modules; SCHEMES.usable(); "
        "print({'RPi', 'lgpio', 'spidev', 'smbus2', 'serial', 'neopixel', 'board', 'gpiod'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@EACH
def test_it_says_what_a_board_file_may_say(name: str) -> None:
    scheme = FOUND[name]
    assert isinstance(scheme, Scheme)
    assert scheme.name == name
    assert set(scheme.kinds) <= set(KINDS)
    assert scheme.kinds
    assert re.fullmatch(r"\S.*[^.\s]", scheme.about)
    assert scheme.notes.endswith(".")
    names = [*scheme.pins, *scheme.spare_pins, *scheme.lists]
    assert len(set(names)) == len(names)
    for option in scheme.options.values():
        assert isinstance(option.default, str) or option.low <= option.default <= option.high
    keys = {"scheme", "kind", "scan_hz", *scheme.options, *(["pins"] if names else [])}
    assert set(scheme.comments) <= keys


@together(("name", "kind"), EVERY_WAY)
def test_its_example_carries_what_it_is_for(name: str, kind: str) -> None:
    scheme = FOUND[name]
    for count in [1, 2, 9, *largest(name, kind)]:
        board = described(name, kind, count)
        inputs = scheme.inputs_of(board)
        assert wiring_error(board) is None
        singles = {one for one, pin in board.pins.items() if isinstance(pin, int)}
        assert set(scheme.pins) <= singles <= {*scheme.pins, *scheme.spare_pins}
        assert set(board.pins) - singles == {one for one in scheme.lists if one in board.pins}
        for one, size in scheme.lists.items():
            assert (not size.needed and one not in board.pins) or size.least <= len(board.pins[one]) <= size.most  # type: ignore[arg-type]
        taken = [pin for one in board.pins for pin in pin_list(board.pins, one)]
        taken += scheme.bus_pins(board.options).values()
        assert len(set(taken)) == len(taken), "no pin twice"
        assert all(0 <= pin <= 27 and pin != LIGHTS_PIN for pin in taken)
        labels = [scheme.label(board, index) for index in range(inputs)]
        assert len(set(labels)) == inputs, "no two inputs at one place"
        assert (scheme.most_scans(inputs) or 1) >= 1


@EACH
def test_too_many_inputs_are_refused_by_a_key_of_the_board_file(name: str) -> None:
    scheme = FOUND[name]
    tried = [count for count in (10, 50, 250, 1200, 6000) if not carries(scheme, scheme.kinds[0], count)]
    for count in tried:
        why = scheme.wiring_error(described(name, scheme.kinds[0], 9).pins, _options(scheme), count)
        assert why is not None
        key, _, reason = why.partition(": ")
        assert key in {"scheme", *scheme.pins, *scheme.lists, *scheme.options}
        assert "expected" in reason or "got" in reason


@EACH
def test_another_kind_is_refused(name: str) -> None:
    board = described(name, FOUND[name].kinds[0], 4)
    for kind in set(KINDS) - set(FOUND[name].kinds):
        with pytest.raises(HardwareError, match=f"can't read kind {kind}; use"):
            open_bank(replace(board, kind=kind), Breadboard())


@EACH
def test_what_fails_together_is_named(name: str) -> None:
    for kind in FOUND[name].kinds:
        board = described(name, kind, largest(name, kind)[-1])
        assert isinstance(scheme_of(board).wire(board), Message)
        assert wire_words(board)
        for fault in (found := Diagnosis(board)).dead:
            assert isinstance(fault.where, Message)
            assert isinstance(fault.look, Message)
            assert list(fault.inputs) == sorted(set(fault.inputs))
            assert set(fault.inputs) < set(found.whole)


def _options(scheme: Scheme) -> dict[str, int | float | str]:
    return {name: option.default for name, option in scheme.options.items()}


# -- its board file ----------------------------------------------------------------------------------------------------


def board_of(name: str, folder: Path) -> BoardDescription:
    """Return a board of nine nodes in a square, from a new board file."""
    nodes = {f"{letter}{row}": (float(column), float(row)) for column, letter in enumerate("abc") for row in range(3)}
    layout = Layout(nodes, (("a0", "a1"), ("a1", "a2"), ("b0", "b1"), ("c1", "c2")))
    path = folder / f"my-{name}.toml"
    board_text = pytest.importorskip("firmware_host.link.new_board").board_text
    path.write_text(board_text(path.stem, "phalanx", layout, "Nine nodes", 40.0, scheme=name), encoding="utf-8")
    return load_board(path, backend="sim")


@EACH
def test_a_new_board_file_is_taken(name: str, tmp_path: Path) -> None:
    board, scheme = board_of(name, tmp_path), FOUND[name]
    assert (board.scheme, board.kind, board.options) == (name, scheme.kinds[0], _options(scheme))
    assert board.pins == scheme.example(scheme.inputs_of(board))


@pytest.mark.parametrize("name", sorted(set(FOUND) - set(ON_PINS)))
def test_sensors_that_are_scanned_elsewhere_answer_in_time(name: str, tmp_path: Path) -> None:
    board, clock = board_of(name, tmp_path), Clock()
    parts_ = SimulatedBoard(board, clock)
    sensors = parts_.sensors()
    try:
        for node, wiring_ in board.nodes.items():
            parts_.world.put(node, "w")
            clock.now += 1.0
            eventually(lambda channel=wiring_.channel: _felt(sensors, channel), f"{node} is felt")  # type: ignore[misc]
    finally:
        sensors.close()


def _felt(sensors: SensorBank, channel: int) -> bool:
    with suppress(HardwareError):  # A busy machine may have been silent for too long.
        return bool(sensors.scan()[channel])
    return False


# -- unusable schemes --------------------------------------------------------------------------------------------------


def offered(folder: Path, scheme: str, module: str, package: str = "lodestone-odd") -> plugins.Plugins[Scheme]:
    """Return the schemes that are found with one more package."""
    folder.mkdir(exist_ok=True)
    (folder / "odd_scheme.py").write_text(module)
    information = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[lodestone.sensors]\n{scheme} = odd_scheme:SCHEME\n")
    return plugins.Plugins("lodestone.sensors", "scheme", Scheme)  # type: ignore[type-abstract]


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("raise RuntimeError('out of order')", "RuntimeError: out of order"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("SCHEME = object()", "expected an instance of hw.scheme.Scheme, got <object"),
        ("from hw.schemes.direct import SCHEME", "announced as 'odd', but its name is 'direct'"),
        ("from hw.scheme import Scheme\nclass Odd(Scheme): name = 'odd'\nSCHEME = Odd()", "abstract methods? example"),
        (
            "from hw.schemes.direct import Direct\nclass Odd(Direct.__base__):\n    name = 'odd'\n"
            "    label = example = lambda *_: None\nSCHEME = Odd()",
            "it does not say about, notes, which Scheme asks for",
        ),
        (
            "from hw.schemes.direct import Direct\nclass Odd(Direct):\n    name = 'odd'\n    lists = ('data',)\n"
            "SCHEME = Odd()",
            r"lists: expected a mapping of names to PinList, got \('data',\)",
        ),
        (
            "from hw.schemes.direct import Direct\nclass Odd(Direct):\n    name = 'odd'\n    pins = ('load')\n"
            "SCHEME = Odd()",
            "pins: expected a tuple of names, got 'load'",
        ),
    ],
)
def test_one_that_cant_be_used_is_named_and_the_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, module: str, why: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    found = offered(tmp_path, "odd", module)
    with caplog.at_level(logging.WARNING):
        assert set(found.usable()) == set(FOUND)
        assert found.get("direct").name == "direct"
        for _ in range(2):
            with pytest.raises(HardwareError, match=why) as refusal:
                found.get("odd")
    sys.modules.pop("odd_scheme", None)
    assert "scheme: 'odd' (odd_scheme:SCHEME of package lodestone-odd) can't be used: " in str(refusal.value)
    assert Counter("'odd'" in record.getMessage() for record in caplog.records)[True] == 1, "it is told once"
    every = ", ".join(sorted([*FOUND, "odd"]))
    with pytest.raises(
        HardwareError, match=rf"scheme: expected one of {every} \(one just added: install its package.*\), got 'even'"
    ):
        found.get("even")


def test_nobody_takes_the_place_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    found = offered(tmp_path, "direct", "raise RuntimeError('out of order')", package="a-package")
    assert found.get("direct").name == "direct"


def test_a_board_of_an_unknown_scheme_is_not_simulated_as_another() -> None:
    board = replace(described("direct", "presence", 4), scheme="9000")
    with pytest.raises(HardwareError, match=f"scheme: expected one of {min(FOUND)}, "):
        SimulatedBoard(board, Clock())
    with pytest.raises(HardwareError, match=f"scheme, simulated: expected one of {min(FOUND)}, "):
        SIMULATED.get("9000")


@needs("mcp3008")
def test_what_a_wiring_cant_tell_is_simulated_otherwise_and_said(caplog: pytest.LogCaptureFixture) -> None:
    board = described("direct", "presence", 8)
    with caplog.at_level("INFO"):
        wired = SimulatedBoard(replace(board, kind="level"), Clock()).description
    assert scheme_of(wired).measures_levels
    (record,) = caplog.records
    assert "can't read kind level" in record.getMessage()
    assert f"simulated as {wired.scheme}" in record.getMessage()

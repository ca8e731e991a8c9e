"""The digest of a scanner's configuration: does the scanner read the chips and pins that the board file means?"""

from __future__ import annotations

import re
from binascii import crc32
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firmware_host.boardfile.load import BoardFileError, find_board, load_board
from firmware_host.commands.cli import main
from firmware_host.extensions.scanner.bank import SerialScannerBank
from firmware_host.extensions.scanner.configuration import configuration, digest_of
from firmware_host.extensions.scanner.device.digest import digest
from firmware_host.extensions.scanner.link import ScannerLink, Terms, terms_of
from firmware_host.extensions.workshop.checking import configuration_items
from firmware_host.table.subjects.seats import GameStarted, SeatTaken
from hw.ports import BoardDescription, HardwareError, complaint_of, configuration_of
from lodestone.boards import Clock
from lodestone.tables import SimulatedTable
from simulator.stones import World
from tests.extensions.scanner import scanner_vectors
from tests.extensions.scanner.avr.nano import Nano, count_of, need_avr, wiring_of
from tests.extensions.scanner.firmware_bench import PATIENCE_S
from tests.extensions.scanner.micropython.pico import Pico, config_text
from tests.extensions.scanner.micropython.pico import wiring_of as pico_wires
from tests.extensions.scanner.test_scanner_link import Line
from tests.sampling import cases
from tests.schemes import described
from tests.sentences import is_in
from tests.waiting import eventually

OURS, FOREIGN = "0a1b2c3d", "99887766"
BOARD = "spokes-45-serial"


def parsed(cell: str) -> dict[str, Any]:
    """Return the configuration in a cell of the page: ``45 presence 74hc165 load=2 clock=3 data=4``."""
    nodes, kind, chip, *pins = cell.split()
    lists = {name: tuple(map(int, listed.split(","))) for name, listed in (pin.split("=") for pin in pins)}
    return {"nodes": int(nodes), "kind": kind, "chip": chip, "pins": lists}


@pytest.mark.parametrize(("cell", "content", "wanted"), scanner_vectors.rows("digests"))
def test_it_is_that_of_the_page(cell: str, content: str, wanted: str) -> None:
    assert digest(**parsed(cell)) == wanted.strip("`") == f"{crc32(scanner_vectors.hexadecimal(content)):08x}"


def test_each_pin_and_its_place_count() -> None:
    one = {"nodes": 45, "kind": "presence", "chip": "4067", "pins": {"select": (2, 3, 4, 5), "common": (6, 7, 8)}}
    others = [
        {**one, "nodes": 44},
        {**one, "kind": "polarity"},
        {**one, "pins": {"select": (3, 2, 4, 5), "common": (6, 7, 8)}},
        {**one, "pins": {"select": (2, 3, 4, 5), "common": (6, 7)}},
        {**one, "pins": {"select": (2, 3, 4, 5), "common": (6, 7, 8), "enable": 9}},
    ]
    assert len({digest(**each) for each in (one, *others)}) == 6  # type: ignore[arg-type]


# -- the host's end --------------------------------------------------------------------------------------------------


def line(said: str, wanted: str = OURS) -> Line:
    made = Line()
    made.end.digest = said
    made.end.reboot()
    made.link = ScannerLink(Terms(45, "presence", 10, digest=wanted))
    made._outgoing = made.link.open(made.clock())
    made.run(0.1)
    assert made.link.ready
    return made


def test_the_right_configuration_is_said_to_be_right() -> None:
    found = line(OURS).link.configuration
    assert found is not None
    assert found.agrees is True
    assert OURS in found.words


@pytest.mark.parametrize(("said", "wanted"), [("", OURS), (FOREIGN, ""), ("", "")])
def test_what_can_not_be_compared_is_no_fault(said: str, wanted: str) -> None:
    found = line(said, wanted).link.configuration
    assert found is not None
    assert found.agrees is None
    (item,) = configuration_items(found)
    assert item.state == "unproven"


def test_another_configuration_is_named_with_what_to_do() -> None:
    found = line(FOREIGN).link.configuration
    assert found is not None
    assert found.agrees is False
    for part in (FOREIGN, OURS, "board sketch", f'configuration = "{FOREIGN}"'):
        assert part in found.words
    (item,) = configuration_items(found)
    assert item.state == "bad"


def test_a_scanner_that_restarts_with_another_configuration_is_not_believed() -> None:
    made = line(OURS)
    made.end.digest = FOREIGN
    made.end.reboot()
    made.readings[3] = 1
    made.run(0.1)
    why = str(made.link.loss(made.clock()))
    assert is_in("has come back with another configuration", why)
    assert FOREIGN in why
    assert OURS in why
    assert not made.link.readings[3], "what it reads now is not taken"
    made.end.digest = OURS
    made.end.reboot()
    made._outgoing = made.link.open(made.clock())
    made.run(0.1)
    assert made.link.loss(made.clock()) is None
    assert made.link.readings[3], "with its own one it is taken again"


def test_the_right_configuration_after_a_foreign_one_is_taken() -> None:
    made = line(FOREIGN)
    made.end.digest = OURS
    made.end.reboot()
    made.run(0.1)
    assert made.link.loss(made.clock()) is None
    assert made.link.configuration is not None
    assert made.link.configuration.agrees is True


@pytest.mark.parametrize(("before", "after"), [("", OURS), (OURS, "")])
def test_a_firmware_may_begin_or_end_to_say_it(before: str, after: str) -> None:
    made = line(before)
    made.end.digest = after
    made.end.reboot()
    made.run(0.1)
    assert made.link.loss(made.clock()) is None
    assert made.link.ready
    made.end.digest = FOREIGN
    made.end.reboot()
    made.run(0.1)
    assert "another configuration" in str(made.link.loss(made.clock()))


# -- board files -----------------------------------------------------------------------------------------------------


def test_a_board_file_may_name_its_scanner_s_configuration(tmp_path: Path) -> None:
    board = load_board(find_board(BOARD))
    assert terms_of(board).digest == digest_of(board) != ""
    own = tmp_path / "own.toml"
    text = find_board(BOARD).read_text(encoding="utf-8")
    own.write_text(text.replace('scheme = "serial"', f'scheme = "serial"\nconfiguration = "{FOREIGN}"'))
    assert terms_of(load_board(own)).digest == FOREIGN
    own.write_text(text.replace('scheme = "serial"', 'scheme = "serial"\nconfiguration = "my own"'))
    with pytest.raises(BoardFileError, match="configuration: expected the eight digits and letters"):
        load_board(own)


def test_pins_that_no_microcontroller_has_are_not_compared() -> None:
    board = described("serial", "presence", 45)
    assert digest_of(replace(board, options={**board.options, "chip": "direct"})) == ""


def test_check_says_how_the_scanner_is_configured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["hardware", "check", "--board", BOARD, "--sim"]) == 0
    assert f"has the board file's configuration, {digest_of(load_board(find_board(BOARD)))}" in capsys.readouterr().out
    other = tmp_path / "other.toml"
    other.write_text(
        re.sub("(?m)^microcontroller = .*", 'microcontroller = "esp32"', find_board(BOARD).read_text(encoding="utf-8"))
    )
    assert main(["hardware", "check", "--board", BOARD, "--sim", "--wired-as", str(other)]) == 1
    said = capsys.readouterr().out
    assert "BAD" in said
    assert is_in("reads other pins or chips", said)


def test_a_running_table_says_so_and_plays_on(tmp_path: Path) -> None:
    table = SimulatedTable(tmp_path, board=BOARD)
    try:
        runtime = table.runtime
        for seat, name in ((1, "Ann"), (2, "Bob")):
            runtime.submit(SeatTaken(at=runtime.now(), seat=seat, name=name, claim=f"c{seat}", computer=False))
        runtime.submit(GameStarted(at=runtime.now(), seed=1))
        table.wait(1)
        assert not table.view["notices"]
        bank = table.board.sensors.bank.bank  # type: ignore[attr-defined]
        assert bank.configuration.agrees is True
        bank.link.terms = replace(bank.link.terms, digest=FOREIGN)  # As if the board file were another one.
        table.wait(2)
        (notice,) = table.view["notices"]
        assert FOREIGN in notice
        assert "lodestone board sketch" in notice
        assert table.view["standstill"] is None
        assert table.view["phase"] == "sealing"
    finally:
        table.close()


# -- the firmware ----------------------------------------------------------------------------------------------------


@contextmanager
def opened(machine: Any, terms: Terms) -> Iterator[SerialScannerBank]:
    try:
        bank = SerialScannerBank(machine.pattern, 115200, terms, patience_s=PATIENCE_S)
        try:
            yield bank
        finally:
            bank.close()
    finally:
        machine.close()


def planned(kind: str, chip: str) -> BoardDescription:
    board = described("serial", kind, 45)
    return replace(board, options={**board.options, "microcontroller": "pico", "chip": chip})


def sketched(board: BoardDescription) -> str:
    """Return the configuration of a board's scanner, which the stand-in for a Pico takes for a Pico's."""
    return configuration(board, None, None, python=True).replace("BOARD = ''", "BOARD = 'pico'")


@pytest.mark.parametrize(
    ("kind", "chip"),
    cases([("presence", "74hc165"), ("polarity", "74hc165"), ("polarity", "4067"), ("level", "4067")],
          ("polarity", "4067")),
)  # fmt: skip
def test_a_pico_says_the_digest_of_what_was_sketched_for_it(kind: str, chip: str) -> None:
    board = planned(kind, chip)
    pico = Pico(board, World(list(board.nodes), kind, Clock()), chip, config=sketched(board))
    with opened(pico, terms_of(board)) as bank:
        found = configuration_of(bank)
        assert found is not None
        assert found.agrees is True, found.words
        assert bank.firmware == "lodestone-scanner 2.1"
        assert complaint_of(bank) is None


def test_a_pico_that_restarts_with_another_configuration_is_named() -> None:
    board = planned("presence", "74hc165")
    pico = Pico(board, World(list(board.nodes), "presence", Clock()), "74hc165", config=sketched(board))
    with opened(pico, terms_of(board)) as bank:
        foreign = config_text("74hc165", "presence", PINS={"load": 10, "clock": 11, "data": 12})
        mine, pico._program[1] = pico._program[1], foreign
        pico.reboot()
        said = eventually(lambda: _loss(bank, "another configuration"), lambda: (pico.violations, pico.stderr))
        assert digest(45, "presence", "74hc165", {"load": 10, "clock": 11, "data": 12}) in said
        pico._program[1] = mine
        pico.reboot()
        eventually(lambda: not _loss(bank), lambda: (pico.violations, pico.stderr))


def _loss(bank: SerialScannerBank, words: str = "") -> str:
    try:
        bank.scan()
    except HardwareError as error:
        return str(error) if words in str(error) else ""
    return ""


@pytest.mark.parametrize(
    ("chip", "kind"),
    cases([("74hc165", "presence"), ("4067", "polarity"), ("4067", "level"), ("matrix", "presence"),
           ("direct", "polarity")], ("4067", "polarity")),
)  # fmt: skip
@pytest.mark.slow
def test_a_nano_says_the_digest_of_its_configuration(chip: str, kind: str) -> None:
    need_avr()
    nodes = count_of(chip, kind)
    board = described("serial", kind, nodes)
    wanted = digest(nodes, kind, chip, dict(wiring_of(chip, kind)))
    with opened(Nano(board, World(list(board.nodes), kind, Clock()), chip), Terms(nodes, kind, digest=wanted)) as bank:
        found = configuration_of(bank)
        assert found is not None
        assert found.agrees is True, found.words
        assert bank.firmware == "lodestone-scanner 2.1 arduino"


def test_a_pico_says_the_digest_of_a_matrix_of_its_owner_s() -> None:
    board = described("serial", "presence", 45)
    wanted = digest(45, "presence", "matrix", dict(pico_wires("matrix", "presence")))
    pico = Pico(board, World(list(board.nodes), "presence", Clock()), "matrix")
    with opened(pico, Terms(45, "presence", digest=wanted)) as bank:
        found = configuration_of(bank)
        assert found is not None
        assert found.agrees is True, found.words

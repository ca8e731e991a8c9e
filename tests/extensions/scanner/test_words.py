"""What is said of a scanner that is missing or lost, whatever board file names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board
from firmware_host.extensions.scanner.link import HELLO_PATIENCE_S, ScannerLink, Terms
from firmware_host.text.words import lost_words
from hw.ports import HardwareError, Message
from hw.registry import open_board
from tests.boardfile.test_sensors import refused, text_of
from tests.boardfile.test_slips import loaded, without_lights
from tests.sentences import sentence
from tests.table.pseudo import Listener


def test_a_computer_that_is_no_pi_opens_a_scanner_s_board_without_lights(tmp_path: Path) -> None:
    """GPIO and pixel libraries are not needed: only the scanner is missing here."""
    text = find_board("spokes-45-serial").read_text(encoding="utf-8")
    board = loaded(tmp_path, without_lights(text).replace('"/dev/ttyACM0"', '"/dev/no-scanner-here"'))
    with pytest.raises(Exception, match=r"nothing is at /dev/no-scanner-here"):
        open_board(board)


def test_a_scanner_tells_why_it_is_lost() -> None:
    heard = Listener()
    link = ScannerLink(Terms(45, "presence", 10))
    link.open(0.0)
    reason = link.loss(HELLO_PATIENCE_S + 1)
    assert reason is not None
    error = HardwareError(Message("scanner at {device}: {reason}", device="/dev/ttyACM0", reason=reason))
    assert str(error) == f"scanner at /dev/ttyACM0: {sentence('does not answer: does it')}"
    words = lost_words(error)
    assert words == str(error)
    heard.known = heard.known | {"dev/ttyACM0"}
    heard.check("standstill", words)
    assert heard.wrong == {}
    assert lost_words(HardwareError("as it is")) == "as it is"


def test_pins_of_another_scheme_are_refused(tmp_path: Path) -> None:
    text = text_of("spokes-45").replace('scheme = "74hc165"', 'scheme = "serial"', 1)
    told = [message for message in refused(tmp_path, text) if "pins: this scheme has none" in message]
    line = text[: text.index("pins =")].count("\n") + 1
    assert told[0].startswith(f"my.toml:{line}: ")

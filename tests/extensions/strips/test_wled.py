"""A WLED controller: packets as the protocol has them, frames sent again, and what is said when nobody answers."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from firmware_host.boardfile.checks import BoardFileError
from firmware_host.boardfile.load import find_board, load_board
from firmware_host.extensions.strips import wled
from firmware_host.extensions.strips.simulated.wled import Controller
from hw.buses import LARGEST_ANSWER, LanDevice
from hw.ports import HardwareError, StripWiring
from simulator.breadboard import Breadboard
from simulator.lights import CapturedWire

STRIP = StripWiring("wled.local", 500, "RGB", "network", "wled")


def test_a_frame_is_cut_into_packets_of_480_pixels() -> None:
    """Ten bytes of header each, the push flag in the last, offsets in bytes."""
    first, last = wled.packets(bytes(range(250)) * 6, 3)
    assert struct.unpack(">BBBBIH", first[:10]) == (0x40, 3, 0x0B, 1, 0, 1440)
    assert struct.unpack(">BBBBIH", last[:10]) == (0x41, 3, 0x0B, 1, 1440, 60)
    assert first[10:] + last[10:] == bytes(range(250)) * 6


def in_network(count: int = 500) -> tuple[Breadboard, CapturedWire, Controller]:
    bench, wire = Breadboard(), CapturedWire(500, "RGB")
    controller = Controller(wire)
    controller.count = count
    bench.in_network["wled.local"] = controller
    return bench, wire, controller


def test_the_last_frame_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the controller shows its own effects after 2.5 s."""
    monkeypatch.setattr(wled, "AGAIN_S", 0.01)
    bench, wire, _ = in_network()
    again = threading.Event()
    driver = wled.SCHEME.open(STRIP, bench)
    driver.show([(1, 2, 3)] * 500)
    wire.on_frame = again.set
    assert again.wait(10)
    assert wire.pixels()[499] == (1, 2, 3)
    driver.close()
    assert wire.pixels()[499] == (0, 0, 0)


def test_a_controller_that_is_away_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once when a board is opened; within some seconds later on; and its way back, too."""
    monkeypatch.setattr(wled, "AGAIN_S", 0.01)
    bench, wire, _ = in_network()
    wire.dead = True
    with pytest.raises(HardwareError, match=r"no WLED answers at wled\.local"):
        wled.SCHEME.open(STRIP, bench)
    wire.dead = False
    driver = wled.SCHEME.open(STRIP, bench)
    wire.dead = True
    with pytest.raises(HardwareError, match="does not take its frame"):
        driver.show([(1, 2, 3)] * 500)
    wire.dead = False
    driver.close()


def test_too_few_pixels_are_told() -> None:
    bench, _, _ = in_network(count=45)
    with pytest.raises(HardwareError, match="drives 45 pixels, expected 500"):
        wled.SCHEME.open(STRIP, bench)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ('scheme = "wled"\npin = "D18"', "address: expected a name or an address in the network"),
        ('scheme = "wled"\naddress = "http://x"', "address: expected a name or an address in the network"),
        ('scheme = "wled"\naddress = "wled.local"\npin = "D18"', "pin: a WLED's hangs on none of the Pi's"),
        ('pin = "D18"\naddress = "wled.local"', "address: a WS2812B has none, expected a pin"),
    ],
)
def test_a_board_file_names_its_address(tmp_path: Path, new: str, words: str) -> None:
    """A mistake is refused with what was expected."""
    text = find_board("spokes-45").read_text(encoding="utf-8")
    text = text.replace('pin = "D18"\nlength = 45\norder = "GRB"', f'{new}\nlength = 45\norder = "RGB"')
    (path := tmp_path / "my.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BoardFileError, match=words):
        load_board(path)


@pytest.fixture
def answering() -> Iterator[int]:
    class Info(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            answer = json.dumps({"path": self.path}).encode()
            self.wfile.write(answer if self.path != "/long" else answer.ljust(3 * LARGEST_ANSWER))

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Info)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_real_device_is_reached_over_the_network(answering: int) -> None:
    """Datagrams and requests leave as they should."""
    device = LanDevice(f"127.0.0.1:{answering}")
    assert json.loads(device.get("/json/info")) == {"path": "/json/info"}
    assert len(device.get("/long")) == LARGEST_ANSWER, "whatever answers there fills no memory"
    device.close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(("127.0.0.1", 0))
        end.settimeout(60)
        sender = LanDevice("127.0.0.1")
        sender.send(end.getsockname()[1], b"frame")
        assert end.recv(100) == b"frame"
        sender.close()

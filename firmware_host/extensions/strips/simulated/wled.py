"""A WLED controller in the network, written from the protocol: DDP packets in, colours out.

A packet has ten bytes of header: flags (0x40 version 1, 0x01 push; 0x10 a time code of four more bytes), a sequence of
1 to 15 or 0, the type of data (0x0B: red, green, blue of eight bits each), the destination (1: the default display),
the offset of its data in the frame (32 bits) and its length (16 bits), the high byte first. A frame is shown when a
packet with the push flag has come. These raise StripError: another version, type or destination, a length that is not
that of the data, more than 1440 bytes, data beyond the pixels, a repeated sequence of a frame that has been pushed.
"""

from __future__ import annotations

import json
import struct

from hw.ports import StripWiring
from simulator.breadboard import Breadboard
from simulator.lights import CapturedWire, SimulatedStrip, StripError

PORT = 4048
HEADER = struct.Struct(">BBBBIH")


class Controller:
    """The controller as the program's computer sees it (:class:`hw.buses.NetworkDevice`)."""

    def __init__(self, wire: CapturedWire) -> None:
        """Drive as many pixels as the wire has."""
        self._wire = wire
        self._frame = bytearray(3 * wire.length)
        self._last = 0
        self.count = wire.length

    def send(self, port: int, data: bytes) -> None:
        """Receive a datagram."""
        if self._wire.dead:
            raise OSError(101, "Network is unreachable")
        if port != PORT:
            raise StripError(f"a datagram for port {port}: DDP has {PORT}")
        flags, sequence, kind, display, offset, length = HEADER.unpack_from(data)
        body = data[HEADER.size :]
        if flags & ~0x01 != 0x40 or kind != 0x0B or display != 1:
            raise StripError(f"flags {flags:#04x}, type {kind:#04x}, destination {display}: no frame of RGB pixels")
        if length != len(body) or length > 1440 or offset + length > len(self._frame):
            raise StripError(f"{len(body)} bytes at {offset}, said to be {length}, for {len(self._frame)}")
        if not 1 <= sequence <= 15 or sequence == self._last:
            raise StripError(f"sequence {sequence} after {self._last}")
        self._frame[offset : offset + length] = body
        if flags & 0x01:
            self._last = sequence
            self._wire.receive(bytes(self._frame))

    def get(self, path: str) -> bytes:
        """Answer a request."""
        if self._wire.dead:
            raise OSError(113, "No route to host")
        if path != "/json/info":
            raise OSError(404, "Not Found")
        return json.dumps({"ver": "0.15.0", "name": "WLED", "leds": {"count": self.count}}).encode()

    def close(self) -> None:
        """Do nothing: it stays in the network."""


def connect(strip: StripWiring, breadboard: Breadboard) -> CapturedWire:
    """Put a controller into the network."""
    wire = CapturedWire(strip.length, strip.order)
    breadboard.in_network[strip.pin] = Controller(wire)
    return wire


PARTS = SimulatedStrip("wled", connect)

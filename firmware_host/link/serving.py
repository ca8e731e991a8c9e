"""A broker of this table's own, for rooms on one network: amqtt in a process beside the table.

It keeps nothing on disk and knows nothing of what passes: it is trusted no more than any other broker. It ends with the
process that has started it, whose end it notices by its standard input.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
from typing import Any

from firmware_host.text.words import Refused, say

PORT = 1883
CONFIGURATION: dict[str, Any] = {
    "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
}


class OwnBroker:
    """The process of the broker."""

    def __init__(self, port: int) -> None:
        """Start it; it accepts connections a moment later, and clients try again until then.

        Raise Refused where something else has the port.
        """
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # As the broker itself does.
            try:
                probe.bind(("", port))
            except OSError as error:
                raise Refused(
                    say(
                        "no broker can be opened at port {port} of this machine: {reason}. If one runs here already,"
                        " give its address instead: mqtt:// and this machine's name in the network",
                        port=port,
                        reason=error.strerror,
                    )
                ) from error
        command = [sys.executable, "-m", "firmware_host.link.serving", str(port)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE)  # noqa: S603 - this very program

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


async def _serve(port: int) -> None:
    from amqtt.broker import Broker  # noqa: PLC0415 - of the extra [link]

    listener = {"default": {"type": "tcp", "bind": f"0.0.0.0:{port}"}}
    broker = Broker({"listeners": listener, **CONFIGURATION})
    await broker.start()
    try:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    finally:
        await broker.shutdown()


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    logging.getLogger("amqtt").setLevel(logging.CRITICAL)  # A client that is killed is no fault of the broker.
    asyncio.run(_serve(int(sys.argv[1])))

"""A broker of this table's own, for rooms on one network: amqtt in a process beside the table.

It keeps nothing on disk and knows nothing of what passes: it is trusted no more than any other broker. It ends with the
process that has started it, whose end it notices by its standard input.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from typing import Any

PORT = 1883
CONFIGURATION: dict[str, Any] = {
    "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
}


class OwnBroker:
    """The process of the broker."""

    def __init__(self, port: int) -> None:
        """Start it; it accepts connections a moment later, and clients try again until then."""
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

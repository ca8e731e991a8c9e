"""``lodestone hotspot``: where this machine knows no network, its own one, in which a phone chooses another."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from firmware_host.upkeep.hotspot import Hotspot, default_socket, read_settings, serve
from firmware_host.upkeep.network_manager import NetworkManager

Verbs = argparse._SubParsersAction


def add_hotspot(verbs: Verbs[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    verb = verbs.add_parser(
        "hotspot",
        help="open a hotspot where no network is known (a service that install.sh sets up)",
        description="Watch this machine's network as root. Without a cable and without a known Wi-Fi, open a hotspot,"
        " in which a phone chooses a network: docs/install.md.",
    )
    verb.add_argument(
        "--settings", type=Path, default=Path("/etc/lodestone/hotspot"), metavar="FILE",
        help="two lines, the hotspot's name and its password (default: /etc/lodestone/hotspot)",
    )  # fmt: skip
    verb.add_argument("--group", default=None, help="the group that may ask for a network (default: root's)")
    verb.set_defaults(verb=_hotspot)


def _hotspot(arguments: argparse.Namespace) -> int:
    settings = read_settings(arguments.settings)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    hotspot = Hotspot(settings, NetworkManager(), lambda words: print(words, flush=True))
    serve(hotspot, default_socket(), arguments.group, ended)
    return 0

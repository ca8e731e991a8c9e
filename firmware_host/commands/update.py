"""``lodestone update``: run a newer release from now on, or go on with this one."""

from __future__ import annotations

import argparse
from pathlib import Path

from firmware_host.text.refusal import Refused
from firmware_host.upkeep.publisher import Offer, find, place_of
from firmware_host.upkeep.update import installation, take_request, update

Verbs = argparse._SubParsersAction


def add_update(verbs: Verbs[argparse.ArgumentParser]) -> None:
    """Add the verb to the command line."""
    verb = verbs.add_parser(
        "update",
        help="run a newer release of Lodestone, where install.sh has installed this one",
        description="Fetch a newer release, verify that its publisher has signed it, build it and try it beside the"
        " one that runs, then switch to it. When it does not come up, the one before is back by itself.",
    )
    verb.add_argument(
        "--from", dest="source", metavar="PLACE",
        help="a folder or an address of releases, or one archive there (default: what /etc/lodestone/updates names)",
    )  # fmt: skip
    verb.add_argument("--sha256", help="the digest of the archive in --from: instead of a signature, you vouch for it")
    verb.add_argument("--older", action="store_true", help="also a release that is not newer than the installed one")
    verb.add_argument("--requested", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    verb.set_defaults(verb=_update)


def _update(arguments: argparse.Namespace) -> int:
    installed = installation()
    if installed is None:
        raise Refused("this copy was not put here by install.sh; update a clone with: git pull && make setup")
    if arguments.requested is not None:
        take_request(arguments.requested)
    settings = installed.settings

    def offer() -> Offer:
        return find(arguments.source or place_of(settings), settings, arguments.sha256)

    version = update(installed, offer, lambda words: print(words, flush=True), older=arguments.older)
    print(f"Lodestone {version} runs.")
    return 0

"""``--data``: the folder that a command works on."""

from __future__ import annotations

import argparse
from pathlib import Path

from firmware_host.session.data_folder import check_data, data_folder


def add_data(*verbs: argparse.ArgumentParser, holds: str = "games and keys") -> None:
    """Let commands take ``--data``; ``holds`` is what of the folder they are about."""
    for verb in verbs:
        verb.add_argument("--data", type=Path, default=None, help=f"folder of {holds} (default {data_folder()})")


def data_of(arguments: argparse.Namespace) -> Path:
    """Return the folder that is meant; it need not be there. Raise Refused where something else than a folder is."""
    data: Path = arguments.data or data_folder()
    check_data(data)
    return data

"""``--data``: the folder that a command works on."""

from __future__ import annotations

import argparse
from pathlib import Path

from firmware_host.session.data_folder import check_data, data_folder


def add_data(*verbs: argparse.ArgumentParser, holds: str = "games and keys") -> None:
    """Add ``--data`` to commands; ``holds`` names the folder's content in the help."""
    for verb in verbs:
        verb.add_argument("--data", type=Path, default=None, help=f"folder of {holds} (default {data_folder()})")


def data_of(arguments: argparse.Namespace) -> Path:
    """Return the data folder, which need not exist. Raise Refused if the path is not a folder."""
    data: Path = arguments.data or data_folder()
    check_data(data)
    return data

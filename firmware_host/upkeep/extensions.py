"""Extensions: what a table can do with libraries that not every table has, and what people are told without them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from firmware_host.text.words import Text, say
from firmware_host.upkeep.update import installation

LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "link": ("paho", "cryptography"),
    "club": ("paho", "cryptography", "aiohttp", "rustworkx", "sqlalchemy"),
}
"""Extra of the distribution → the modules without which it can do nothing."""


def missing(extension: str, what: Text, program: Path = Path(__file__)) -> Text | None:
    """Return what to do for an extension whose libraries are missing, None if they are here; ``what`` needs them."""
    if all(find_spec(module) is not None for module in LIBRARIES[extension]):
        return None
    installed = installation(program)
    if installed is not None:
        return say(
            "the libraries for {what} are missing on this machine: connect it to the internet, and run sudo {installer}"
            " again",
            what=what,
            installer=f"{installed.folder}/current/install.sh",
        )
    return say(
        "the libraries for {what} are missing: pip install 'lodestone-board[{extra}]', then start the table again",
        what=what,
        extra=extension,
    )

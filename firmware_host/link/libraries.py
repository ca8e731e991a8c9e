"""Libraries of extensions, which a machine may lack: what to do then, and a login to a broker, which needs one."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from firmware_host.plug import Parts
from firmware_host.text.words import Refused, Text, say


def installed_in() -> Path | None:
    """Return the folder of the installation that runs, which has ``releases`` and ``current``; None for a clone."""
    releases = Path(__file__).resolve().parents[3]
    return releases.parent if releases.name == "releases" and (releases.parent / "current").is_symlink() else None


def missing(extra: str, modules: Iterable[str], what: Text) -> Text | None:
    """Return what to do for ``what`` where one of its modules (libraries of an extra) is missing, else None."""
    if all(find_spec(module) is not None for module in modules):
        return None
    folder = installed_in()
    if folder is not None:
        return say(
            "the libraries for {what} are missing on this machine: connect it to the internet, and run sudo {installer}"
            " again",
            what=what,
            installer=f"{folder}/current/install.sh",
        )
    return say(
        "the libraries for {what} are missing: pip install 'lodestone-board[{extra}]', then start the table again",
        what=what,
        extra=extra,
    )


def lacks(parts: Parts, extra: str, modules: Iterable[str], what: Text) -> bool:
    """Return whether libraries are missing at a table that opens: phones say so. Raise Refused at a terminal."""
    words = missing(extra, modules, what)
    if words is not None and not parts.unattended:
        raise Refused(words)
    if words is not None:
        print(words, flush=True)
        parts.runtime.remark(f"libraries {extra}", words)
    return words is not None


def add_login(play: argparse.ArgumentParser) -> None:
    """Add ``--login``, once for all extensions that go to a broker."""
    if not any("--login" in one.option_strings for one in play._actions):
        about = "a file with two lines: the broker's user, password"
        play.add_argument("--login", type=Path, default=None, metavar="FILE", help=about)


def check_only_with(options: argparse.Namespace, option: str, *others: str) -> None:
    """Raise Refused for an option of a command that would be ignored without one of the others."""
    given = [vars(options).get(one.removeprefix("--").replace("-", "_")) is not None for one in (option, *others)]
    if given[0] and not any(given[1:]):
        raise Refused(f"{option}: expected {' or '.join(others)} beside it: without, it is for nothing")


def check_login(options: argparse.Namespace) -> None:
    """Raise Refused where nothing goes to a broker."""
    check_only_with(options, "--login", "--club", "--home-assistant")

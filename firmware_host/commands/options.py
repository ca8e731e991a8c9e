"""What options of commands take; each refusal says what was expected."""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any

from firmware_host.archive.contents import refuse_kept
from firmware_host.text.words import Refused

# -- files that are written --------------------------------------------------------------------------------------------


def add_output(verb: argparse.ArgumentParser, option: str, **more: Any) -> None:
    """Add an option that names a file to write (:func:`firmware_host.archive.files.write_output`)."""
    added = verb.add_argument(option, type=Path, metavar="FILE", **more)
    verb.set_defaults(outputs=(*(verb.get_default("outputs") or ()), added.dest))


def check_outputs(arguments: argparse.Namespace) -> None:
    """Raise Refused if a command's result would take the place of what it reads, or of what a data folder keeps."""
    given = vars(arguments)
    outputs = {name: given[name] for name in given.get("outputs", ()) if given[name] is not None}
    for (one, path), (other, same) in combinations(outputs.items(), 2):
        if path.resolve() == same.resolve() and (path.is_file() or not path.exists()):
            names = " and ".join(f"--{name.replace('_', '-')}" for name in (one, other))
            raise Refused(f"{path}: {names} name the same file; expected one each")
    read = [value for name, value in given.items() if name not in {*outputs, "outputs"}]
    for path in outputs.values():
        refuse_kept(path)
        for one in (one for some in read for one in (some if isinstance(some, list) else [some])):
            if isinstance(one, str | Path) and path.is_file() and Path(one).is_file() and path.samefile(one):
                raise Refused(f"{path}: the command reads this file: name another one for what it writes")

"""The command ``lodestone``, once it is sure that the packages beside this one are Lodestone's own.

``hw`` and ``simulator`` are names that others use, too: a package of that name in the folder that is worked in, or
earlier on PYTHONPATH, would be taken instead, and fail much later with an error that names nothing of this.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

BESIDE = ("hw", "simulator", "web_panel")
"""The packages of Lodestone beside ``firmware_host``."""


def hidden_packages() -> list[str]:
    """Return what is wrong with the packages beside this one, a sentence each."""
    ours = Path(__file__).resolve().parent.parent
    problems = []
    for name in BESIDE:
        spec = find_spec(name)
        found = [Path(place).resolve() for place in (spec.submodule_search_locations if spec else None) or ()]
        if spec is not None and spec.origin and not found:
            found = [Path(spec.origin).resolve()]
        if found != [ours / name]:
            there = f"hidden by {found[0]}" if found else "missing"
            problems.append(f"Lodestone's package {name!r} ({ours / name}) is {there}")
    return problems


def main() -> int:
    """Run the command line; return its exit code, 1 where other packages hide ours, 130 after Ctrl-C at any time."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # Closed by who starts us, as by ``>&-``: nothing comes from there, or goes.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process lives
    try:
        if not (problems := hidden_packages()):
            from firmware_host.commands import cli  # noqa: PLC0415 - it imports those packages

            return cli.main()
    except KeyboardInterrupt:  # While it is imported, which takes a second.
        print("lodestone: stopped", file=sys.stderr)
        return 130
    remedy = "start lodestone in another folder, without PYTHONPATH, or install it in an environment of its own"
    print(f"lodestone: {'; '.join(problems)}: {remedy}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

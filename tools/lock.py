"""Writes the lock of all libraries: ``python -m tools.lock``, after a change of the ranges in pyproject.toml.

For each set of libraries a file of ``install/libraries`` names the version of every library that is needed, directly
or not, and the SHA-256 of every file that PyPI has of it: wheels of all machines, and the source, from which a Pi
builds what has no wheel. ``make setup`` installs these files only (pip, "Secure installs": --require-hashes).
piwheels.org, which Raspberry Pi OS adds to pip, builds files of its own: their digests differ, so pip leaves them.

It needs uv (``pip install uv``), and PyPI. A version stays as it was as long as pyproject.toml allows it;
``--upgrade`` takes the newest.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "install/libraries"
OLDEST = "3.11"
"""The oldest Python for which a lock must do."""
EXTRAS = ("compiled", "pi", "pi-lgpio", "pi5", "link", "club", "metrics", "test", "docs", "release")
"""Optional sets that `make` installs."""
HEAD = "# Made by python -m tools.lock from pyproject.toml: the only files that make setup installs.\n"


class LockError(RuntimeError):
    """No lock can be made; the text says why."""


def sets() -> dict[str, list[str]]:
    """Return name → requirements, as pyproject.toml has them."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    project = settings["project"]
    extras = {name: project["optional-dependencies"][name] for name in EXTRAS}
    # The pip of Debian 12 builds what has no pyproject.toml by wheel.
    return {"build": [*settings["build-system"]["requires"], "wheel"], "base": project["dependencies"], **extras}


def main(words: Sequence[str]) -> int:
    """Write all files; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.lock", description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest version of what nothing pins")
    upgrade = parser.parse_args(words).upgrade
    wanted = sets()
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # All sets get the same versions: those of a lock of all of them, which begins with the present ones.
        whole = Path(folder) / "whole.txt"
        known = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}
        whole.write_text("" if upgrade else "\n".join(known.values()), encoding="utf-8")
        try:
            resolve([one for some in wanted.values() for one in some], "--output-file", str(whole))
            for name, requirements in wanted.items():
                text = resolve(requirements, "--constraints", str(whole))
                (FOLDER / f"{name}.txt").write_text(HEAD + text, encoding="utf-8")
                count = sum(line[:1].isalnum() for line in text.splitlines())
                print(f"install/libraries/{name}.txt: {count} libraries, {text.count('sha256:')} files")
        except LockError as error:
            print(f"tools.lock: {error}", file=sys.stderr)
            return 1
    return 0


def resolve(requirements: Sequence[str], *options: str) -> str:
    """Return the lock of some requirements. Raise LockError."""
    command = [
        "uv", "pip", "compile", "-", "--universal", "--python-version", OLDEST, "--generate-hashes", "--no-config",
        "--no-annotate", "--no-header", "--default-index", "https://pypi.org/simple", "--quiet", *options,
    ]  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603
            command, input="\n".join(requirements), text=True, capture_output=True, check=False
        )
    except OSError as error:
        raise LockError(f"uv can't be run ({error}); try: pip install uv") from error
    if done.returncode:
        raise LockError(done.stderr.strip())
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

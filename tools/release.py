"""Makes a release: an archive of what is committed, the digests of all archives in a folder, and their signature.

python -m tools.release FOLDER --key KEY        # the folder is then what `lodestone update` reads: docs/update.md
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from firmware_host.upkeep.publisher import NAMESPACE, SIGNATURE, SUMS

ROOT = Path(__file__).parent.parent


def main(arguments: Sequence[str]) -> int:
    """Make the release of the version that pyproject.toml names; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.release", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the archives are, those of older releases too")
    parser.add_argument("--key", type=Path, required=True, help="the publisher's private key, as ssh-keygen makes it")
    read = parser.parse_args(arguments)
    if subprocess.run(["git", "-C", ROOT, "diff", "--quiet", "HEAD"], check=False).returncode:  # noqa: S603, S607
        print("tools.release: there are changes that are not committed", file=sys.stderr)
        return 1
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    archive = read.folder / f"lodestone-{version}.tar.gz"
    read.folder.mkdir(parents=True, exist_ok=True)
    prefix = f"--prefix=lodestone-{version}/"
    subprocess.run(["git", "-C", ROOT, "archive", prefix, "-o", archive.absolute(), "HEAD"], check=True)  # noqa: S603, S607
    sign(read.folder, read.key)
    print(f"{archive} is signed; publish the folder {read.folder}")
    return 0


def sign(folder: Path, key: Path) -> None:
    """Write the digests of the archives in a folder, and sign them. Raise CalledProcessError."""
    archives = sorted(folder.glob("lodestone-*.tar.gz"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in archives]
    (folder / SUMS).write_text("".join(lines))
    (folder / SIGNATURE).unlink(missing_ok=True)
    command = ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, folder / SUMS]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - OpenSSH's own


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

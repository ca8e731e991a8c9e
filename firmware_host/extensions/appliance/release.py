"""Makes a release: an archive of what is committed, the digests of all archives in a folder, and their signature.

python -m firmware_host.extensions.appliance.release FOLDER --key KEY

The folder is then what `lodestone update` reads: update.md.

Beside the archive lies ``image-recipe-VERSION.tar.gz``: install/image, by which pi-gen makes an image of a clone.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from firmware_host.extensions.appliance.publisher import NAMESPACE, SIGNATURE, SIGNER, SIGNERS, SUMS

ROOT = Path(__file__).parents[3]
VARIABLE = "LODESTONE_PUBLISHER_KEY"
"""The environment variable that holds the publisher's private key where it is no file: in a release workflow."""


class ReleaseError(RuntimeError):
    """No release can be made; the text says why, and what to do."""


def main(arguments: Sequence[str]) -> int:
    """Make the release of the version that pyproject.toml names; return the exit code."""
    parser = argparse.ArgumentParser(prog="firmware_host.extensions.appliance.release", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the archives are, those of older releases too")
    parser.add_argument(
        "--key", type=Path, help=f"the publisher's private key, as ssh-keygen makes it; usual: the text in {VARIABLE}"
    )
    parser.add_argument("--tag", help="the tag that names this release: v and the version; another one is refused")
    read = parser.parse_args(arguments)
    try:
        with _key(read.key) as key:
            archive = release(read.folder, key, read.tag)
    except ReleaseError as error:
        print(f"firmware_host.extensions.appliance.release: {error}", file=sys.stderr)
        return 1
    print(f"{archive} is signed; publish the folder {read.folder}")
    return 0


@contextmanager
def _key(named: Path | None) -> Iterator[Path]:
    """Yield the file of the key: the named one, or one with the variable's text for as long as it is needed."""
    if named:
        yield named
        return
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        raise ReleaseError(f"no key: name its file with --key, or put its text into the variable {VARIABLE}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "publisher"
        file.touch(mode=0o600)
        file.write_text(f"{text}\n", encoding="utf-8")
        yield file


def release(folder: Path, key: Path, tag: str | None = None) -> Path:
    """Archive what is committed into a folder, and sign that folder; return the archive. Raise ReleaseError."""
    if _run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"):
        raise ReleaseError("there are changes that are not committed: commit them, or put them aside")
    _check_trusted(_public(key))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if tag not in {None, f"v{version}"}:
        raise ReleaseError(f"the tag {tag} is not the version of pyproject.toml: expected v{version}")
    archive = folder / f"lodestone-{version}.tar.gz"
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{archive.name}"
    _archive(f"lodestone-{version}", fresh, ".")
    if archive.exists() and archive.read_bytes() != fresh.read_bytes():
        fresh.unlink()
        raise ReleaseError(f"{archive}: {version} is released already: raise version in pyproject.toml and commit it")
    fresh.rename(archive)
    _archive(f"lodestone-{version}", folder / f"image-recipe-{version}.tar.gz", "install/image")
    sign(folder, key)
    return archive


def _archive(name: str, to: Path, part: str) -> None:
    form = ("--format=tar.gz", f"--prefix={name}/")
    _run("git", "-C", ROOT, "archive", *form, "-o", to.absolute(), "HEAD", part)


def _public(key: Path) -> str:
    """Return kind and number of the public key of a private one."""
    if not key.is_file():
        raise ReleaseError(f'{key}: no such file; make a key once: ssh-keygen -t ed25519 -C "" -f {key}')
    beside = key.with_name(f"{key.name}.pub")
    text = beside.read_text(encoding="utf-8") if beside.is_file() else _run("ssh-keygen", "-y", "-f", key)
    return " ".join(text.split()[:2])


def _check_trusted(public: str) -> None:
    """Raise ReleaseError unless those who install this release trust the key of the next one."""
    signers = ROOT / "install" / SIGNERS
    if any(public in line and not line.startswith("#") for line in signers.read_text(encoding="utf-8").splitlines()):
        return
    line = f'{SIGNER} namespaces="{NAMESPACE}" {public}'
    raise ReleaseError(f"install/signers does not name this key; add this line to it, and commit it:\n{line}")


def sign(folder: Path, key: Path) -> None:
    """Write the digests of the archives in a folder, and sign them. Raise ReleaseError."""
    archives = sorted(folder.glob("lodestone-*.tar.gz"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in archives]
    (folder / SUMS).write_text("".join(lines))
    (folder / SIGNATURE).unlink(missing_ok=True)
    _run("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, folder / SUMS)


def _run(*command: str | Path) -> str:
    """Return what a program prints. Raise ReleaseError with what it says of its failure."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - git, and OpenSSH's own
    if done.returncode:
        raise ReleaseError(f"{command[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The source of releases and their verification: a trusted key has signed the archives' digests.

A source of releases, a folder or an address, has ``lodestone-VERSION.tar.gz``, ``SHA256SUMS`` (as ``sha256sum`` writes
it) and ``SHA256SUMS.sig`` (as ``ssh-keygen -Y sign -n lodestone-release`` writes it). The root of trust is a file of
allowed signers (ssh-keygen(1), ALLOWED SIGNERS) that only root writes.
"""

from __future__ import annotations

import hashlib
import http.client
import re
import socket
import subprocess
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from firmware_host.text.words import Refused, say

SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
SIGNERS, PLACE = "signers", "updates"
"""Settings files: the trusted keys, and the source of releases."""
SIGNER, NAMESPACE = "lodestone", "lodestone-release"
LARGEST, MAX_SUMS = 200 << 20, 64 << 10
"""Maximum size of an archive, and of what is read before it is verified, bytes."""
WAIT_S = 30
"""Time for each answer of a server, and for a signature to be verified, seconds."""
LIST_S, ARCHIVE_S = 60.0, 1800.0
"""Time for the whole download of a list, and of an archive, seconds: a server that sends a byte now and then, too."""
_ARCHIVE = re.compile(r"lodestone-(\d+(?:\.\d+)*)\.tar\.gz")
_LINE = re.compile(rf"([0-9a-f]{{64}}) [ *]({_ARCHIVE.pattern})")


Order = tuple[tuple[int, str], ...]
"""The numbers of a version, each as its length and its digits: Python makes no numbers of thousands of digits."""


class PublishedRelease(NamedTuple):
    """An available release: its version, the location of its archive, and the trusted digest."""

    version: str
    archive: str
    sha256: str

    @property
    def order(self) -> Order:
        """Return the sort key of the version."""
        return order(self.version)


def order(version: str) -> Order:
    """Return a version as numbers: ``0.10`` is newer than ``0.9``."""
    numbers = (number.lstrip("0") for number in re.findall(r"[0-9]+", version))
    return tuple((len(number), number) for number in numbers)


def place_of(settings: Path) -> str:
    """Return the source of releases. Raise Refused if none is set."""
    try:
        place = (settings / PLACE).read_text(encoding="utf-8").strip()
    except OSError:
        place = ""
    if not place:
        raise Refused(
            say(
                "{file}: names no place of releases; give one with --from, or with install.sh",
                file=str(settings / PLACE),
            )
        )
    return place


def find(source: str, settings: Path, sha256: str | None = None) -> PublishedRelease:
    """Return the newest release of a source, or the one whose archive is named. Raise Refused.

    Its digest comes from the signed list, or is ``sha256``, given by a person who vouches for it.
    """
    folder, _, name = source.rpartition("/")
    if sha256 is not None:
        named = _ARCHIVE.fullmatch(name)
        if named is None or not re.fullmatch("[0-9a-f]{64}", sha256):
            raise Refused("--sha256: expected 64 digits 0 to f, for one archive: --from …/lodestone-VERSION.tar.gz")
        return PublishedRelease(named[1], source, sha256)
    if not name.endswith(".tar.gz"):
        folder, name = source.rstrip("/"), ""
    sums = read(f"{folder or '.'}/{SUMS}", MAX_SUMS)
    _check(sums, read(f"{folder or '.'}/{SIGNATURE}", MAX_SUMS), settings / SIGNERS)
    offers = [
        PublishedRelease(line[3], f"{folder or '.'}/{line[2]}", line[1])
        for line in map(_LINE.fullmatch, sums.decode(errors="replace").splitlines())
        if line and name in {"", line[2]}
    ]
    if not offers:
        raise Refused(say("{place}: its list of releases names none; expected lodestone-VERSION.tar.gz", place=source))
    return max(offers, key=lambda offer: offer.order)


def fetch(offer: PublishedRelease, target: Path) -> None:
    """Copy or download a release's archive; the target is left only if its digest is right. Raise Refused."""
    content = read(offer.archive, LARGEST, ARCHIVE_S)
    if hashlib.sha256(content).hexdigest() != offer.sha256:
        words = say(
            "{archive}: its SHA-256 is not the one expected: damaged, or not from the publisher", archive=offer.archive
        )
        raise Refused(words)
    target.write_bytes(content)


def read(location: str, most: int, limit_s: float = LIST_S) -> bytes:
    """Return the bytes at a path or an address (http, https).

    Raise Refused: not found, more than ``most`` bytes, or not there as a whole after ``limit_s`` seconds.
    """
    try:
        if "://" not in location:
            with Path(location).open("rb") as file:
                content = file.read(most + 1)
        elif location.startswith(("https://", "http://")):
            with _time_limit(location, limit_s) as opener, opener.open(location, timeout=WAIT_S) as answer:
                content = answer.read(most + 1)
        else:
            raise Refused(say("{place}: expected a path, https:// or http://", place=location))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Refused(say("{place}: can't be read: {reason}", place=location, reason=_reason(error))) from error
    if len(content) > most:
        raise Refused(say("{place}: is larger than {size} kB; nothing of it is used", place=location, size=most >> 10))
    return bytes(content)


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


@contextmanager
def _time_limit(location: str, limit_s: float) -> Iterator[urllib.request.OpenerDirector]:
    """Give an opener whose connections end after a time. Raise Refused if they did.

    The timeout of a socket counts for each piece anew, also for each byte of a header.
    """
    held: list[socket.socket] = []
    over = threading.Event()

    def end() -> None:
        over.set()
        for one in held:
            _cut(one)

    class Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
        def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(held_by(http.client.HTTPConnection), request)

        def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(held_by(http.client.HTTPSConnection), request)

    def held_by(kind: type[http.client.HTTPConnection]) -> Any:
        class Held(kind):  # type: ignore[valid-type, misc]
            def connect(self) -> None:
                super().connect()
                held.append(self.sock)
                if over.is_set():
                    _cut(self.sock)

        return Held

    timer = threading.Timer(limit_s, end)
    timer.daemon = True
    timer.start()
    try:
        yield urllib.request.build_opener(Handler)
    except (OSError, ValueError, http.client.HTTPException):
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():
        raise Refused(say("{place}: has not come as a whole in {seconds} s", place=location, seconds=round(limit_s)))


def _cut(connection: socket.socket) -> None:
    """Shut a connection down, below TLS: whoever reads from it sees its end."""
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _check(sums: bytes, signature: bytes, signers: Path) -> None:
    """Raise Refused unless a trusted key has signed the digests."""
    try:
        lines = signers.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    if not any(line.strip() and not line.startswith("#") for line in lines):
        raise Refused(
            say(
                "{file}: names no publisher's key yet, so no release is trusted; update.md tells how",
                file=str(signers),
            )
        )
    with tempfile.NamedTemporaryFile(suffix=".sig") as kept:
        kept.write(signature)
        kept.flush()
        verify = ["-Y", "verify", "-f", str(signers), "-I", SIGNER, "-n", NAMESPACE, "-s", kept.name]
        try:
            done = subprocess.run(  # noqa: S603 - Debian's openssh-client
                ["ssh-keygen", *verify],  # noqa: S607
                input=sums,
                capture_output=True,
                timeout=WAIT_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise Refused(
                say("ssh-keygen can't be run ({reason}); try: sudo apt install openssh-client", reason=str(error))
            ) from error
    if done.returncode != 0:
        raise Refused(say("the releases are not signed by a key in {file}, so they are not trusted", file=str(signers)))
